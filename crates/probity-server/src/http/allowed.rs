//! Which `Host` and `Origin` a request may carry. Keeps a page in the user's browser from talking to us, be
//! it from its own origin or through a name that suddenly points at this machine.
//!
//! Pure. Knows nothing about tokens.

use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri, header, uri::Authority};
use probity_research::{Code, Problem};

/// Names under which this machine reaches itself, on any port.
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// The allow-lists, parsed. `default()` is this machine alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Allowed {
    hosts: Vec<Place>,
    origins: Vec<(String, Place)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Place {
    host: String,
    port: Port,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Port {
    Any,
    Only(u16),
}

impl Default for Allowed {
    fn default() -> Self {
        let place = |host: &str| Place { host: host.to_owned(), port: Port::Any };
        Self {
            hosts: LOOPBACK.into_iter().map(place).collect(),
            origins: LOOPBACK.into_iter().map(|host| ("http".to_owned(), place(host))).collect(),
        }
    }
}

impl Allowed {
    /// This machine, and what was configured: hosts as `name` (any port) or `name:port`, origins as
    /// `https://name`, `https://name:port` or `https://name:*`.
    pub fn parse(hosts: &[String], origins: &[String]) -> Result<Self, Problem> {
        let mut allowed = Self::default();
        for written in hosts {
            allowed.hosts.push(place(written, Port::Any).ok_or_else(|| {
                wrong("serve.allowed_hosts", written, "a host such as `research.example` or `10.0.0.5:8765`")
            })?);
        }
        for written in origins {
            allowed.origins.push(origin(written).ok_or_else(|| {
                wrong("serve.allowed_origins", written, "an origin such as `https://research.example:*`")
            })?);
        }
        Ok(allowed)
    }

    /// The status to refuse with, if the request must not go on.
    pub(super) fn refusal(&self, uri: &Uri, headers: &HeaderMap) -> Option<StatusCode> {
        let Some(host) = only(headers, &header::HOST).and_then(|host| Authority::try_from(host).ok()) else {
            return Some(StatusCode::BAD_REQUEST);
        };
        // A request line may name a host as well, and then that is the one that counts.
        let named = std::iter::once(&host).chain(uri.authority());
        let host_allowed = named.into_iter().all(|authority| {
            asked(authority, None)
                .is_some_and(|(host, port)| self.hosts.iter().any(|place| place.takes(&host, port)))
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
        let sent = only(headers, &header::ORIGIN).and_then(|sent| sent.split_once("://"));
        let Some((scheme, rest)) = sent else { return false };
        let authority = Authority::try_from(rest).ok();
        let sent = authority.and_then(|authority| asked(&authority, Some(default_port(scheme)?)));
        sent.is_some_and(|(host, port)| {
            let same = |place: &(String, Place)| place.0 == scheme && place.1.takes(&host, port);
            self.origins.iter().any(same)
        })
    }
}

impl Place {
    fn takes(&self, host: &str, port: Option<u16>) -> bool {
        let port_fits = match self.port {
            Port::Any => true,
            Port::Only(only) => port == Some(only),
        };
        self.host == host && port_fits
    }
}

/// The one value of a header that must not come twice.
fn only<'headers>(headers: &'headers HeaderMap, name: &header::HeaderName) -> Option<&'headers str> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (Some(value), None) => HeaderValue::to_str(value).ok(),
        _ => None,
    }
}

/// Host in lower case and port. A user name before the host is an attempt to be misread.
fn asked(authority: &Authority, port_default: Option<u16>) -> Option<(String, Option<u16>)> {
    let text = authority.as_str();
    let host = authority.host();
    let port = match text.strip_prefix(host)? {
        "" => port_default,
        rest => Some(rest.strip_prefix(':')?.parse().ok()?),
    };
    Some((host.to_ascii_lowercase(), port))
}

fn place(written: &str, port_default: Port) -> Option<Place> {
    let (name, any) = match written.strip_suffix(":*") {
        Some(name) => (name, true),
        None => (written, false),
    };
    let (host, port) = asked(&Authority::try_from(name).ok()?, None)?;
    let port = match (any, port) {
        (true, Some(_)) => return None,
        (true, None) => Port::Any,
        (false, Some(port)) => Port::Only(port),
        (false, None) => port_default,
    };
    // A star among the letters would look like a pattern and match nothing.
    (!host.is_empty() && !host.contains('*')).then_some(Place { host, port })
}

fn origin(written: &str) -> Option<(String, Place)> {
    let (scheme, rest) = written.split_once("://")?;
    Some((scheme.to_owned(), place(rest, Port::Only(default_port(scheme)?))?))
}

fn default_port(scheme: &str) -> Option<u16> {
    match scheme {
        "http" => Some(80),
        "https" => Some(443),
        _ => None,
    }
}

fn wrong(setting: &str, written: &str, expected: &str) -> Problem {
    Problem::new(Code::Settings, &format!("`{setting}`: `{written}` is not {expected}"))
}

#[cfg(test)]
mod tests;
