//! The heads of a request and of a response: read with the parser that hyper uses, rewritten for one use.
//!
//! A connection has one request. Headers for the proxy, the password above all, are never forwarded to a
//! server.

use std::fmt::Write as _;

/// Lines in a head; Chromium sends two dozen.
const HEADERS_MAX: usize = 128;
pub const CHALLENGE: &str = "Proxy-Authenticate: Basic realm=\"probity\"";
/// Headers about the connection, not about the page.
const HOP_BY_HOP: [&str; 7] = [
    "connection",
    "keep-alive",
    "proxy-authenticate",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "upgrade",
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProxyRequestKind {
    /// Bytes both ways: TLS and WebSockets.
    Tunnel,
    /// One page over plain HTTP, with a body of so many bytes.
    Page { body: u64 },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProxyRequest {
    pub want: ProxyRequestKind,
    /// What the guard is asked about.
    pub url: String,
    authorization: Option<String>,
    /// What is forwarded to a server.
    pub onward: String,
}

impl ProxyRequest {
    /// `None` for what Chromium does not send to a proxy.
    pub fn parse(head: &[u8]) -> Option<Self> {
        let mut headers = [httparse::EMPTY_HEADER; HEADERS_MAX];
        let mut parsed = httparse::Request::new(&mut headers);
        if !parsed.parse(head).ok()?.is_complete() {
            return None;
        }
        let (method, target) = (parsed.method?, parsed.path?);
        let mut request = Self {
            want: ProxyRequestKind::Tunnel,
            url: String::new(),
            authorization: None,
            onward: String::new(),
        };
        let mut body = 0;
        let mut host = None;
        let mut lines = String::new();
        for header in parsed.headers.iter() {
            let (name, value) = (header.name.to_ascii_lowercase(), std::str::from_utf8(header.value).ok()?);
            match name.as_str() {
                "proxy-authorization" => request.authorization = Some(value.to_owned()),
                // A body without a length has no end that we could see.
                "transfer-encoding" => return None,
                "content-length" => body = value.parse().ok()?,
                "host" => host = Some(value.to_owned()),
                _ => {}
            }
            if !HOP_BY_HOP.contains(&name.as_str()) {
                write!(lines, "{}: {value}\r\n", header.name).ok()?;
            }
        }
        if method == "CONNECT" {
            let (_, port) = target.rsplit_once(':')?;
            // The guard knows pages: a tunnel to the port of plain HTTP is a WebSocket on it.
            let scheme = if port == "80" { "http" } else { "https" };
            request.url = format!("{scheme}://{target}/");
            return Some(request);
        }
        let rest = target.strip_prefix("http://")?;
        let (authority, path) = rest.find(['/', '?']).map_or((rest, ""), |at| rest.split_at(at));
        // The server must get the host that the guard checked.
        if host.is_some_and(|host| !host.eq_ignore_ascii_case(authority)) {
            return None;
        }
        let slash = if path.starts_with('/') { "" } else { "/" };
        request.want = ProxyRequestKind::Page { body };
        request.onward = format!("{method} {slash}{path} HTTP/1.1\r\n{lines}Connection: close\r\n\r\n");
        request.url = target.to_owned();
        Some(request)
    }

    pub fn is_allowed(&self, user: &str, password: &str) -> bool {
        let expected = format!("Basic {}", base64(format!("{user}:{password}").as_bytes()));
        self.authorization.as_deref() == Some(expected.as_str())
    }
}

/// The head of a response for a client that must not reuse the connection; `None` while it is only interim.
pub fn parse_response_head(head: &[u8]) -> Option<Option<String>> {
    let mut headers = [httparse::EMPTY_HEADER; HEADERS_MAX];
    let mut parsed = httparse::Response::new(&mut headers);
    if !parsed.parse(head).ok()?.is_complete() {
        return None;
    }
    let status = parsed.code?;
    if (100..200).contains(&status) {
        return Some(None);
    }
    let mut text = format!("HTTP/1.1 {status} {}\r\n", parsed.reason.unwrap_or_default());
    for header in parsed.headers.iter() {
        if !HOP_BY_HOP.contains(&header.name.to_ascii_lowercase().as_str()) {
            write!(text, "{}: {}\r\n", header.name, latin(header.value)).ok()?;
        }
    }
    text.push_str("Connection: close\r\n\r\n");
    Some(Some(text))
}

/// Header values are bytes; those beyond ASCII become question marks, which no page depends on.
fn latin(value: &[u8]) -> String {
    value.iter().map(|byte| if byte.is_ascii() { char::from(*byte) } else { '?' }).collect()
}

/// Base64 with padding, for one header line.
pub fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let byte = |at: usize| u32::from(chunk.get(at).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for place in 0..4_usize {
            let digit = (bits >> (18 - 6 * place)) & 63;
            let digit = DIGITS.get(digit as usize).copied().unwrap_or(b'=');
            text.push(if place <= chunk.len() { char::from(digit) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{ProxyRequest, ProxyRequestKind, base64, parse_response_head};

    #[test]
    fn base64_is_that_of_the_standard() {
        let pairs = [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")];
        for (plain, coded) in pairs {
            assert_eq!(base64(plain.as_bytes()), coded);
        }
    }

    #[test]
    fn a_request_goes_on_without_the_password() {
        let coded = base64(b"probity:word");
        let head = format!(
            "GET http://example.org/a?b HTTP/1.1\r\nHost: example.org\r\nProxy-Authorization: Basic {coded}\r\n\
             Proxy-Connection: keep-alive\r\nAccept: */*\r\n\r\n"
        );
        let request = ProxyRequest::parse(head.as_bytes()).unwrap();
        assert!(request.is_allowed("probity", "word") && !request.is_allowed("probity", "other"));
        assert_eq!(
            (request.url.as_str(), request.want, request.onward.as_str()),
            (
                "http://example.org/a?b",
                ProxyRequestKind::Page { body: 0 },
                "GET /a?b HTTP/1.1\r\nHost: example.org\r\nAccept: */*\r\nConnection: close\r\n\r\n"
            )
        );
    }

    #[test]
    fn a_tunnel_is_judged_as_the_page_behind_it() {
        let url = |target: &str| {
            ProxyRequest::parse(format!("CONNECT {target} HTTP/1.1\r\n\r\n").as_bytes())
                .map(|request| request.url)
        };
        assert_eq!(url("example.org:443").as_deref(), Some("https://example.org:443/"));
        assert_eq!(url("[::1]:80").as_deref(), Some("http://[::1]:80/"));
        assert_eq!(url("example.org"), None);
    }

    #[test]
    fn what_a_browser_does_not_send_is_refused() {
        for head in [
            "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
            "GET http://a/ HTTP/1.1\r\nHost: b\r\n\r\n",
            "POST http://a/ HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n",
            "GET https://a/ HTTP/1.1\r\nHost: a\r\n\r\n",
            "\0\0",
        ] {
            assert_eq!(ProxyRequest::parse(head.as_bytes()), None, "{head}");
        }
    }

    #[test]
    fn an_answer_closes_the_connection() {
        assert_eq!(parse_response_head(b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"), Some(None));
        let text =
            parse_response_head(b"HTTP/1.1 200 OK\r\nKeep-Alive: timeout=5\r\nContent-Length: 2\r\n\r\n")
                .unwrap();
        assert_eq!(
            text.as_deref(),
            Some("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n")
        );
    }
}
