//! The network of object storage: the only module of this crate that builds HTTP clients.
#![expect(clippy::disallowed_methods, reason = "this is the one door to HTTP in this crate")]

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use probity_research::error::{Code, CodedError, with_causes};
use reqwest::{Client, Method, Response, Url, header::HeaderMap, redirect};

use super::OBJECT_BYTES_MAX;

/// Name lookup, TCP and TLS together.
const CONNECT_MAX: Duration = Duration::from_secs(5);
/// One try from the first byte to the last. The largest object takes half of it at 34 Mbit/s.
const TRY_MAX: Duration = Duration::from_secs(30);
/// Idle connections kept: as many as a process has calls under way by default.
const IDLE_CONNECTIONS_MAX: usize = 64;
/// Shorter than the minute after which servers and middle boxes forget a connection.
const IDLE_MAX: Duration = Duration::from_secs(30);
/// Longest refusal that is read: the error's code is at its beginning.
const REFUSAL_BYTES_MAX: usize = 16 * 1024;

/// The storage's response.
#[derive(Debug)]
pub enum ObjectResponse {
    Whole(Vec<u8>),
    /// A status that is not success, and the storage's own name for the reason.
    Refused {
        status: u16,
        reason: String,
    },
}

pub fn client(on_this_machine: bool) -> Result<Client, CodedError> {
    let builder = Client::builder()
        .redirect(redirect::Policy::none())
        .retry(reqwest::retry::never())
        .connect_timeout(CONNECT_MAX)
        .timeout(TRY_MAX)
        .tcp_nodelay(true)
        .pool_max_idle_per_host(IDLE_CONNECTIONS_MAX)
        .pool_idle_timeout(IDLE_MAX)
        // Objects come back as they were put, byte by byte.
        .no_gzip()
        .http1_only()
        .user_agent(concat!("probity/", env!("CARGO_PKG_VERSION")));
    let builder = if on_this_machine { builder.no_proxy() } else { builder };
    builder.build().map_err(|error| CodedError::new(Code::Settings, &error_text(error)))
}

/// One try. After an error it is unknown whether the storage did the work.
pub async fn send(
    client: &Client,
    method: Method,
    url: Url,
    headers: HeaderMap,
    body: Option<Bytes>,
) -> Result<ObjectResponse, CodedError> {
    let mut request = client.request(method, url).headers(headers);
    if let Some(body) = body {
        request = request.body(body);
    }
    let mut response = Box::pin(request.send()).await.map_err(failed)?;
    let status = response.status();
    if status.is_success() {
        return Ok(ObjectResponse::Whole(read(&mut response, OBJECT_BYTES_MAX).await?.into()));
    }
    // The status alone is enough to go on with.
    let text = read(&mut response, REFUSAL_BYTES_MAX).await.unwrap_or_default();
    Ok(ObjectResponse::Refused { status: status.as_u16(), reason: reason(&text) })
}

async fn read(response: &mut Response, bytes_max: usize) -> Result<BytesMut, CodedError> {
    let length = response.content_length().unwrap_or(0);
    let too_large =
        || CodedError::new(Code::StoreCorrupt, "the object storage sends more than any object has");
    if length > bytes_max as u64 {
        return Err(too_large());
    }
    let mut bytes = BytesMut::with_capacity(usize::try_from(length).unwrap_or(0));
    while let Some(chunk) = response.chunk().await.map_err(failed)? {
        if bytes.len() + chunk.len() > bytes_max {
            return Err(too_large());
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes)
}

/// The text of the first `<Code>` in the response; nothing that could be long or strange.
fn reason(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    let code = text.split_once("<Code>").and_then(|(_, rest)| rest.split_once("</Code>"));
    let code = code.map(|(code, _)| code).unwrap_or_default();
    code.chars().filter(char::is_ascii_alphanumeric).take(60).collect()
}

fn failed(error: reqwest::Error) -> CodedError {
    CodedError::new(
        Code::StoreFailed,
        &format!("the object storage cannot be reached: {}", error_text(error)),
    )
}

/// The causes without the address: logs need not name the object.
fn error_text(error: reqwest::Error) -> String {
    with_causes(&error.without_url())
}

#[cfg(test)]
mod tests {
    use super::reason;

    #[test]
    fn a_refusal_is_told_by_its_code_alone() {
        let text = b"<?xml version=\"1.0\"?><Error><Code>NoSuchKey</Code><Key>blobs/secret</Key></Error>";
        assert_eq!(reason(text), "NoSuchKey");
        assert_eq!(reason(b"<html>no"), "");
        assert_eq!(reason(b"<Code><script>x</script>\n</Code>"), "scriptxscript");
    }
}
