//! The network itself: the only module that builds HTTP clients.
#![expect(clippy::disallowed_methods, reason = "the only module of this crate that uses HTTP")]

use std::time::Duration;

use bytes::Bytes;
use probity_research::error::{Code, CodedError, with_causes};
use reqwest::{
    Certificate, Client, ClientBuilder, Request, Response, Url,
    header::{CONTENT_TYPE, HeaderName, HeaderValue, LOCATION, RETRY_AFTER},
    redirect,
};
use webpki_root_certs::TLS_SERVER_ROOT_CERTS;

use super::{
    ConnectionReuse, HeaderText, HttpMethod, HttpRequest, HttpResponse, ResponseBody, ResponseHeaders,
    SendState, Transport, TransportError,
};

/// Timeout of name lookup, TCP and TLS together. Past this the network is down for us.
const CONNECT_MAX: Duration = Duration::from_secs(10);
/// Idle connections kept for polls. As many as calls are in flight by default.
const IDLE_CONNECTIONS_MAX: usize = 64;
/// How long an idle connection is kept: shorter than the minutes after which middle boxes drop it.
const IDLE_MAX: Duration = Duration::from_secs(60);
/// Keepalive on a silent connection, so that a stream over a dead link ends instead of hanging.
const KEEP_ALIVE: Duration = Duration::from_secs(30);

const USER_AGENT: &str = concat!("probity/", env!("CARGO_PKG_VERSION"));

/// The kind of a base address: the key may be sent to these two, and to no other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BaseUrlKind {
    Https,
    Loopback,
}

pub struct HttpTransport {
    pooled: Client,
    fresh: Client,
}

impl HttpTransport {
    /// Clients for one base address: `https`, or `http` on this machine.
    pub fn new(base_url: &str) -> Result<Self, CodedError> {
        let place = base_url_kind(base_url)?;
        let pooled =
            || builder(place).pool_max_idle_per_host(IDLE_CONNECTIONS_MAX).pool_idle_timeout(IDLE_MAX);
        let fresh = || builder(place).pool_max_idle_per_host(0);
        Ok(Self { pooled: build_client(pooled)?, fresh: build_client(fresh)? })
    }
}

/// With the machine's own certificates; where it has none, as small containers do, with those that browsers trust.
fn build_client(builder: impl Fn() -> ClientBuilder) -> Result<Client, CodedError> {
    let known = || TLS_SERVER_ROOT_CERTS.iter().filter_map(|root| Certificate::from_der(root).ok());
    builder().build().or_else(|_| builder().tls_certs_merge(known()).build()).map_err(|error| {
        CodedError::new(Code::Settings, &format!("the HTTP client cannot be set up: {}", error_text(error)))
    })
}

/// Refuses every base address to which a key must not be sent.
pub fn check_base(base_url: &str) -> Result<(), CodedError> {
    base_url_kind(base_url).map(drop)
}

fn base_url_kind(base_url: &str) -> Result<BaseUrlKind, CodedError> {
    let refused = |why: &str| Err(CodedError::new(Code::Settings, &format!("the base URL {why}")));
    let Ok(url) = Url::parse(base_url) else { return refused("is not a URL") };
    if !url.username().is_empty()
        || url.password().is_some()
        || url.query().is_some()
        || url.fragment().is_some()
    {
        return refused("must have no user, password, query or fragment");
    }
    match (url.scheme(), is_loopback(&url)) {
        ("http" | "https", true) => Ok(BaseUrlKind::Loopback),
        ("https", false) => Ok(BaseUrlKind::Https),
        _ => refused("must be https, or http on this machine: the API key is not sent in the clear"),
    }
}

pub(crate) fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(url::Host::Domain(name)) => name.eq_ignore_ascii_case("localhost"),
        Some(url::Host::Ipv4(address)) => address.is_loopback(),
        Some(url::Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

fn builder(place: BaseUrlKind) -> ClientBuilder {
    let builder = Client::builder()
        .redirect(redirect::Policy::none())
        .retry(reqwest::retry::never())
        .connect_timeout(CONNECT_MAX)
        .tcp_nodelay(true)
        .tcp_keepalive(KEEP_ALIVE)
        .user_agent(USER_AGENT);
    match place {
        BaseUrlKind::Loopback => builder.no_proxy().http1_only(),
        BaseUrlKind::Https => builder
            .https_only(true)
            .http2_adaptive_window(true)
            .http2_keep_alive_interval(KEEP_ALIVE)
            .http2_keep_alive_timeout(CONNECT_MAX),
    }
}

impl Transport for HttpTransport {
    type Body = HttpBody;

    async fn send(&self, request: HttpRequest) -> Result<HttpResponse<HttpBody>, TransportError> {
        let client = match request.connection {
            ConnectionReuse::Pooled => &self.pooled,
            ConnectionReuse::Fresh => &self.fresh,
        };
        let request = prepared(request)?;
        let response = Box::pin(client.execute(request)).await.map_err(failed)?;
        let text = |name: HeaderName| {
            response.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned)
        };
        let headers = ResponseHeaders {
            content_type: text(CONTENT_TYPE),
            retry_after: text(RETRY_AFTER),
            retry_after_ms: text(HeaderName::from_static("retry-after-ms")),
            location: text(LOCATION),
        };
        Ok(HttpResponse { status: response.status().as_u16(), headers, body: HttpBody(response) })
    }
}

pub struct HttpBody(Response);

impl ResponseBody for HttpBody {
    async fn chunk(&mut self) -> Result<Option<Bytes>, TransportError> {
        self.0.chunk().await.map_err(failed)
    }
}

fn prepared(request: HttpRequest) -> Result<Request, TransportError> {
    let unusable = |what: &str| TransportError {
        reached: SendState::NotSent,
        problem: CodedError::new(Code::Settings, &format!("the request has an unusable {what}")),
    };
    let url = Url::parse(&request.url).map_err(|_| unusable("address"))?;
    let in_the_clear = url.scheme() != "https" && !is_loopback(&url);
    let method = match request.method {
        HttpMethod::Get => reqwest::Method::GET,
        HttpMethod::Post => reqwest::Method::POST,
        HttpMethod::Delete => reqwest::Method::DELETE,
    };
    let mut prepared = Request::new(method, url);
    for (name, text) in request.headers {
        let value = match &text {
            HeaderText::Plain(text) => HeaderValue::from_str(text),
            HeaderText::Secret(_) | HeaderText::Bearer(_) if in_the_clear => {
                return Err(unusable("address: the key is not sent in the clear"));
            }
            HeaderText::Secret(key) => HeaderValue::from_str(key.expose()),
            HeaderText::Bearer(key) => HeaderValue::from_str(&format!("Bearer {}", key.expose())),
        };
        let mut value = value.map_err(|_| unusable("header"))?;
        value.set_sensitive(!matches!(text, HeaderText::Plain(_)));
        prepared.headers_mut().insert(HeaderName::from_static(name), value);
    }
    if !request.body.is_empty() {
        *prepared.body_mut() = Some(request.body.into());
    }
    Ok(prepared)
}

fn failed(error: reqwest::Error) -> TransportError {
    let not_sent = error.is_connect() || error.is_builder();
    let code = if error.is_timeout() { Code::Timeout } else { Code::Network };
    // Which of several endpoints it is: the host alone, since paths and queries may contain private data.
    let place = error.url().filter(|_| error.is_connect()).and_then(place_of);
    let causes = error_text(error);
    let message = match place {
        Some(place) => format!("{place} cannot be reached: {causes}"),
        None => causes,
    };
    TransportError {
        reached: if not_sent { SendState::NotSent } else { SendState::MaybeSent },
        problem: CodedError::new(code, &message),
    }
}

fn place_of(url: &Url) -> Option<String> {
    Some(format!("{}:{}", url.host_str()?, url.port_or_known_default()?))
}

/// The causes without the address, which may contain private data.
fn error_text(error: reqwest::Error) -> String {
    with_causes(&error.without_url())
}

#[cfg(test)]
mod tests {
    use probity_research::error::Code;

    use super::{HttpTransport, Url, check_base, place_of};

    #[test]
    fn an_endpoint_is_named_without_what_may_be_private() {
        let place = |url: &str| place_of(&Url::parse(url).unwrap());
        assert_eq!(place("http://127.0.0.1:23111/v1/x?key=y").as_deref(), Some("127.0.0.1:23111"));
        assert_eq!(place("https://api.example/v1").as_deref(), Some("api.example:443"));
    }

    #[track_caller]
    fn check(base_url: &str, expected: Result<(), Code>) {
        assert_eq!(check_base(base_url).map_err(|problem| problem.code), expected, "{base_url}");
    }

    #[test]
    fn the_key_travels_by_https_or_stays_on_this_machine() {
        for allowed in [
            "https://generativelanguage.googleapis.com",
            "http://127.0.0.1:8080",
            "http://localhost:1/prefix",
            "http://[::1]:9",
        ] {
            check(allowed, Ok(()));
        }
        for refused in [
            "http://generativelanguage.googleapis.com",
            "http://127.0.0.1.example.com",
            "http://10.0.0.1",
            "https://user:secret@example.com",
            "https://example.com?key=secret",
            "ftp://127.0.0.1",
            "example.com",
            "",
        ] {
            check(refused, Err(Code::Settings));
        }
    }

    #[test]
    fn a_refusal_does_not_repeat_the_address() {
        let problem = HttpTransport::new("http://example.com?key=canary").err().unwrap();
        assert!(!problem.message.contains("canary"), "{}", problem.message);
    }
}
