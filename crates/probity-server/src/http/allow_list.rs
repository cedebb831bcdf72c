//! Which `Host` and `Origin` a request may have. Keeps a page in the user's browser from talking to us, be it
//! from its own origin or by DNS rebinding.
//!
//! Pure. Knows nothing about tokens.

use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri, header, uri::Authority};
use probity_research::{Code, CodedError};

/// Names under which this machine reaches itself, on any port.
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// The allow-lists, parsed. `default()` is this machine alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AllowList {
    hosts: Vec<HostPattern>,
    origins: Vec<(String, HostPattern)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct HostPattern {
    host: String,
    port: PortPattern,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PortPattern {
    Any,
    Only(u16),
}

impl Default for AllowList {
    fn default() -> Self {
        let place = |host: &str| HostPattern { host: host.to_owned(), port: PortPattern::Any };
        Self {
            hosts: LOOPBACK.into_iter().map(place).collect(),
            origins: LOOPBACK.into_iter().map(|host| ("http".to_owned(), place(host))).collect(),
        }
    }
}

impl AllowList {
    /// This machine, and what was configured: hosts as `name` (any port) or `name:port`, origins as
    /// `https://name`, `https://name:port` or `https://name:*`.
    pub fn parse(hosts: &[String], origins: &[String]) -> Result<Self, CodedError> {
        let mut allowed = Self::default();
        for written in hosts {
            allowed.hosts.push(place(written, PortPattern::Any).ok_or_else(|| {
                invalid_setting(
                    "serve.allowed_hosts",
                    written,
                    "a host such as `research.example` or `10.0.0.5:8765`",
                )
            })?);
        }
        for written in origins {
            allowed.origins.push(origin(written).ok_or_else(|| {
                invalid_setting(
                    "serve.allowed_origins",
                    written,
                    "an origin such as `https://research.example:*`",
                )
            })?);
        }
        Ok(allowed)
    }

    /// The status to refuse with, if the request is not allowed.
    pub(super) fn refusal(&self, uri: &Uri, headers: &HeaderMap) -> Option<StatusCode> {
        let Some(host) =
            single_header(headers, &header::HOST).and_then(|host| Authority::try_from(host).ok())
        else {
            return Some(StatusCode::BAD_REQUEST);
        };
        // A request line may name a host as well, and then that is the one that counts.
        let named = std::iter::once(&host).chain(uri.authority());
        let host_allowed = named.into_iter().all(|authority| {
            requested_host(authority, None)
                .is_some_and(|(host, port)| self.hosts.iter().any(|place| place.matches(&host, port)))
        });
        if !host_allowed || !self.origin_allowed(headers) {
            return Some(StatusCode::FORBIDDEN);
        }
        None
    }

    /// Programs send no origin; browsers always do where it matters.
    fn origin_allowed(&self, headers: &HeaderMap) -> bool {
        if !headers.contains_key(header::ORIGIN) {
            return true;
        }
        let sent = single_header(headers, &header::ORIGIN).and_then(|sent| sent.split_once("://"));
        let Some((scheme, rest)) = sent else { return false };
        let authority = Authority::try_from(rest).ok();
        let sent = authority.and_then(|authority| requested_host(&authority, Some(default_port(scheme)?)));
        sent.is_some_and(|(host, port)| {
            let same = |place: &(String, HostPattern)| place.0 == scheme && place.1.matches(&host, port);
            self.origins.iter().any(same)
        })
    }
}

impl HostPattern {
    fn matches(&self, host: &str, port: Option<u16>) -> bool {
        let port_fits = match self.port {
            PortPattern::Any => true,
            PortPattern::Only(only) => port == Some(only),
        };
        self.host == host && port_fits
    }
}

/// The value of a header that must not come twice.
fn single_header<'headers>(headers: &'headers HeaderMap, name: &header::HeaderName) -> Option<&'headers str> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (Some(value), None) => HeaderValue::to_str(value).ok(),
        _ => None,
    }
}

/// Host in lower case and port. A user name before the host is an attempt to be misread.
fn requested_host(authority: &Authority, port_default: Option<u16>) -> Option<(String, Option<u16>)> {
    let text = authority.as_str();
    let host = authority.host();
    let port = match text.strip_prefix(host)? {
        "" => port_default,
        rest => Some(rest.strip_prefix(':')?.parse().ok()?),
    };
    Some((host.to_ascii_lowercase(), port))
}

fn place(written: &str, port_default: PortPattern) -> Option<HostPattern> {
    let (name, any) = match written.strip_suffix(":*") {
        Some(name) => (name, true),
        None => (written, false),
    };
    let (host, port) = requested_host(&Authority::try_from(name).ok()?, None)?;
    let port = match (any, port) {
        (true, Some(_)) => return None,
        (true, None) => PortPattern::Any,
        (false, Some(port)) => PortPattern::Only(port),
        (false, None) => port_default,
    };
    // A star among the letters would look like a pattern and match nothing.
    (!host.is_empty() && !host.contains('*')).then_some(HostPattern { host, port })
}

fn origin(written: &str) -> Option<(String, HostPattern)> {
    let (scheme, rest) = written.split_once("://")?;
    Some((scheme.to_owned(), place(rest, PortPattern::Only(default_port(scheme)?))?))
}

fn default_port(scheme: &str) -> Option<u16> {
    match scheme {
        "http" => Some(80),
        "https" => Some(443),
        _ => None,
    }
}

fn invalid_setting(setting: &str, written: &str, expected: &str) -> CodedError {
    CodedError::new(Code::Settings, &format!("`{setting}`: `{written}` is not {expected}"))
}

#[cfg(test)]
mod tests;
