//! The least HTTP there is, for health, admin routes and single questions.

use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
    time::Duration,
};

use anyhow::Context;

use crate::rig;

/// Longer than any admin route takes.
const ANSWER_MAX: Duration = Duration::from_secs(30);

pub type RawHttpResponse = (u16, String);

pub fn get(url: &str) -> anyhow::Result<RawHttpResponse> {
    ask("GET", url, &[], "")
}

pub fn post(url: &str, headers: &[(&str, &str)], body: &str) -> anyhow::Result<RawHttpResponse> {
    ask("POST", url, headers, body)
}

/// One request on a connection of its own.
pub fn ask(method: &str, url: &str, headers: &[(&str, &str)], body: &str) -> anyhow::Result<RawHttpResponse> {
    let rest = url.strip_prefix("http://").context("only http:// here")?;
    let (host, path) =
        rest.split_once('/').map_or((rest, String::new()), |(host, path)| (host, path.to_owned()));
    let address = host.parse().with_context(|| format!("`{host}` is no address"))?;
    let mut socket = TcpStream::connect_timeout(&address, Duration::from_secs(2))?;
    socket.set_read_timeout(Some(ANSWER_MAX))?;
    let mut request = format!("{method} /{path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n");
    for (name, value) in headers {
        request.push_str(&format!("{name}: {value}\r\n"));
    }
    if !body.is_empty() {
        request.push_str("content-type: application/json\r\n");
    }
    request.push_str(&format!("content-length: {}\r\n\r\n{body}", body.len()));
    socket.write_all(request.as_bytes())?;
    let mut bytes = Vec::new();
    socket.read_to_end(&mut bytes)?;
    parse(&bytes).with_context(|| format!("{method} {url} answers {:?}", String::from_utf8_lossy(&bytes)))
}

fn parse(bytes: &[u8]) -> Option<RawHttpResponse> {
    let text = String::from_utf8_lossy(bytes);
    let (head, body) = text.split_once("\r\n\r\n")?;
    let status = head.split_whitespace().nth(1)?.parse().ok()?;
    let chunked = head.to_ascii_lowercase().contains("transfer-encoding: chunked");
    let body = if chunked { unchunked(body)? } else { body.to_owned() };
    Some((status, body))
}

fn unchunked(mut rest: &str) -> Option<String> {
    let mut body = String::new();
    loop {
        let (length, behind) = rest.split_once("\r\n")?;
        let length = usize::from_str_radix(length.trim(), 16).ok()?;
        if length == 0 {
            return Some(body);
        }
        body.push_str(behind.get(..length)?);
        rest = behind.get(length..)?.strip_prefix("\r\n")?;
    }
}

/// Asks again and again until it is so, or the time is up.
pub fn until(limit: Duration, mut so: impl FnMut() -> bool) -> bool {
    let began = rig::now();
    loop {
        if so() {
            return true;
        }
        if began.elapsed() > limit {
            return false;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn bodies_come_whole_or_in_pieces() {
        let whole = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}";
        assert_eq!(parse(whole), Some((200, "{}".to_owned())));
        let pieces = b"HTTP/1.1 202 Accepted\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{\"\r\n3\r\na\":\r\n2\r\n1}\r\n0\r\n\r\n";
        assert_eq!(parse(pieces), Some((202, "{\"a\":1}".to_owned())));
    }
}
