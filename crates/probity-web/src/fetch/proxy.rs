//! The proxy that a user names, for networks without direct access. It checks addresses instead of us, and
//! each page says so. Never taken from the environment.

use std::net::SocketAddr;

use http::{HeaderValue, Uri};
use probity_types::error::{Code, CodedError};
use secrecy::{ExposeSecret, SecretString};

#[derive(Debug)]
pub struct UpstreamProxy {
    uri: Uri,
    host: String,
    port: u16,
    authorization: Option<HeaderValue>,
}

impl UpstreamProxy {
    /// `http://HOST:PORT`. `authorization` is the whole value of `Proxy-Authorization`, such as `Basic …`.
    pub fn new(url: &str, authorization: Option<&SecretString>) -> Result<Self, CodedError> {
        let wrong = |why: &str| CodedError::new(Code::Settings, &format!("the proxy's address {why}"));
        let parsed = url::Url::parse(url).map_err(|_| wrong("is not an address"))?;
        if parsed.scheme() != "http" {
            return Err(wrong("must start with http://"));
        }
        if !parsed.username().is_empty() || parsed.password().is_some() {
            return Err(wrong("must not carry a password; give it as `Proxy-Authorization`"));
        }
        let (Some(host), Some(port)) = (parsed.host_str(), parsed.port_or_known_default()) else {
            return Err(wrong("has no host"));
        };
        let uri = format!("http://{host}:{port}").parse().map_err(|_| wrong("is not an address"))?;
        let authorization = authorization
            .map(|key| HeaderValue::from_str(key.expose_secret()))
            .transpose()
            .map_err(|_| wrong("has an unusable `Proxy-Authorization`"))?
            .map(|mut value| {
                value.set_sensitive(true);
                value
            });
        Ok(Self { uri, host: host.trim_matches(['[', ']']).to_owned(), port, authorization })
    }

    pub(super) fn uri(&self) -> Uri {
        self.uri.clone()
    }

    pub(super) fn authorization(&self) -> Option<&HeaderValue> {
        self.authorization.as_ref()
    }

    /// Resolved without the guard: the user named it.
    pub(super) async fn addresses(&self) -> Result<Vec<SocketAddr>, CodedError> {
        let found = tokio::net::lookup_host((self.host.as_str(), self.port)).await;
        found.map(Iterator::collect).map_err(|error| {
            CodedError::new(
                Code::PageUnreachable,
                &format!("the proxy {} has no address: {error}", self.host),
            )
        })
    }
}
