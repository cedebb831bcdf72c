//! One call each: create, get, stream, cancel, delete. Concurrency limit and timeouts are applied here.
//!
//! Never repeats a call. Says of every failed create whether it may have been accepted.

mod create;

use std::{borrow::Cow, time::Duration};

use bytes::Bytes;
use probity_research::error::{Code, CodedError};
use tokio::{
    sync::{Semaphore, SemaphorePermit},
    time::timeout,
};

use super::{
    error::{self, ProviderRefusal},
    sse::SseFrameParser,
};
use crate::{
    secret::ApiKey,
    transport::{
        ConnectionReuse, HeaderText, HttpMethod, HttpRequest, HttpResponse, ResponseBody, ResponseHeaders,
        Transport,
    },
};

pub use create::{CreateReply, FIRST_FRAME_MAX};

/// Timeout of a whole get, cancel or delete. A finished report of some megabytes over a slow line fits.
pub const CALL_MAX: Duration = Duration::from_secs(30);
/// Timeout until a stream's response headers.
pub const STREAM_OPEN_MAX: Duration = Duration::from_secs(15);
/// Largest answer read. Pictures come as base64 inside it.
pub const RAW_BYTES_MAX: usize = 64 * 1024 * 1024;
/// Largest error body read; its message is cut to a line anyway.
const ERROR_BYTES_MAX: usize = 256 * 1024;
/// Longest id of a run or an event taken: both become parts of addresses.
const ID_BYTES_MAX: usize = 1_024;

pub struct InteractionsClient<T> {
    transport: T,
    /// Base and version, without a slash at the end.
    base: String,
    key: ApiKey,
    calls: Semaphore,
}

/// The response of a call, before it is interpreted.
#[derive(Debug)]
pub enum InteractionsReply {
    Success(Vec<u8>),
    Refused(ProviderRefusal),
    /// No response, or none that could be read to its end.
    Nothing(CodedError),
}

/// The result of opening a stream.
#[derive(Debug)]
pub enum StreamOpenReply<B> {
    Stream(B, SseFrameParser),
    /// A success that is no stream.
    NoStream,
    Refused(ProviderRefusal),
    Nothing(CodedError),
}

impl<T: Transport> InteractionsClient<T> {
    /// `base_url` was checked by the caller.
    pub fn new(transport: T, base_url: &str, version: &str, key: ApiKey, calls_in_flight_max: usize) -> Self {
        let base = format!("{}/{}", base_url.trim_end_matches('/'), version.trim_matches('/'));
        Self { transport, base, key, calls: Semaphore::new(calls_in_flight_max.max(1)) }
    }

    /// A run with all its steps.
    pub async fn get(&self, remote_id: &str) -> InteractionsReply {
        self.call(HttpMethod::Get, format!("{}?stream=false", self.address(remote_id))).await
    }

    pub async fn cancel(&self, remote_id: &str) -> InteractionsReply {
        self.call(HttpMethod::Post, format!("{}/cancel", self.address(remote_id))).await
    }

    pub async fn delete(&self, remote_id: &str) -> InteractionsReply {
        self.call(HttpMethod::Delete, self.address(remote_id)).await
    }

    /// Opens the stream of a run, after the event `cursor` if there is one.
    pub async fn stream(&self, remote_id: &str, cursor: Option<&str>) -> StreamOpenReply<T::Body> {
        let mut url = format!("{}?stream=true", self.address(remote_id));
        if let Some(cursor) = cursor {
            url.push_str("&last_event_id=");
            url.push_str(&encoded(cursor));
        }
        let request = self.request(HttpMethod::Get, url, "text/event-stream");
        let _admitted = self.admit().await;
        match timeout(STREAM_OPEN_MAX, self.opened(request)).await {
            Ok(opened) => opened,
            Err(_) => StreamOpenReply::Nothing(timeout_error("a stream", STREAM_OPEN_MAX)),
        }
    }

    /// A provider's problem with our key redacted.
    fn redact_key(&self, mut problem: CodedError) -> CodedError {
        problem.message = self.key.redact(&problem.message);
        problem
    }

    async fn call(&self, method: HttpMethod, url: String) -> InteractionsReply {
        let request = self.request(method, url, "application/json");
        let _admitted = self.admit().await;
        match timeout(CALL_MAX, self.answered(request)).await {
            Ok(answer) => answer,
            Err(_) => InteractionsReply::Nothing(timeout_error("an answer", CALL_MAX)),
        }
    }

    async fn answered(&self, request: HttpRequest) -> InteractionsReply {
        let HttpResponse { status, headers, mut body } = match self.transport.send(request).await {
            Ok(response) => response,
            Err(error) => return InteractionsReply::Nothing(self.redact_key(error.problem)),
        };
        if !(200..=299).contains(&status) {
            return InteractionsReply::Refused(self.refusal(status, &headers, &mut body).await);
        }
        match read_whole(&mut body, RAW_BYTES_MAX).await {
            Ok(bytes) => InteractionsReply::Success(bytes),
            Err(problem) => InteractionsReply::Nothing(self.redact_key(problem)),
        }
    }

    async fn opened(&self, request: HttpRequest) -> StreamOpenReply<T::Body> {
        let HttpResponse { status, headers, mut body } = match self.transport.send(request).await {
            Ok(response) => response,
            Err(error) => return StreamOpenReply::Nothing(self.redact_key(error.problem)),
        };
        if !(200..=299).contains(&status) {
            return StreamOpenReply::Refused(self.refusal(status, &headers, &mut body).await);
        }
        let streams =
            headers.content_type.as_deref().is_some_and(|kind| kind.starts_with("text/event-stream"));
        if streams {
            StreamOpenReply::Stream(body, SseFrameParser::default())
        } else {
            StreamOpenReply::NoStream
        }
    }

    async fn refusal(&self, status: u16, headers: &ResponseHeaders, body: &mut T::Body) -> ProviderRefusal {
        // A body that breaks off says less, but the status counts.
        let bytes = read_start(body, ERROR_BYTES_MAX).await;
        let mut refusal = error::read(status, headers, &bytes);
        refusal.problem = self.redact_key(refusal.problem);
        refusal
    }

    async fn admit(&self) -> Option<SemaphorePermit<'_>> {
        // Fails only on a closed semaphore, and this one is never closed.
        self.calls.acquire().await.ok()
    }

    fn address(&self, remote_id: &str) -> String {
        format!("{}/interactions/{}", self.base, encoded(remote_id))
    }

    fn request(&self, method: HttpMethod, url: String, accept: &'static str) -> HttpRequest {
        HttpRequest {
            method,
            url,
            headers: vec![
                ("accept", HeaderText::Plain(Cow::Borrowed(accept))),
                ("x-goog-api-key", HeaderText::Secret(self.key.clone())),
            ],
            body: Bytes::new(),
            connection: ConnectionReuse::Pooled,
        }
    }
}

fn timeout_error(what: &str, limit: Duration) -> CodedError {
    CodedError::new(Code::Timeout, &format!("the provider did not give {what} within {} s", limit.as_secs()))
}

/// The whole body, or why there is none.
async fn read_whole<B: ResponseBody>(body: &mut B, bytes_max: usize) -> Result<Vec<u8>, CodedError> {
    let mut bytes = Vec::new();
    while let Some(chunk) = body.chunk().await.map_err(|error| error.problem)? {
        if bytes.len() + chunk.len() > bytes_max {
            let message = format!("the provider's answer has more than {bytes_max} bytes");
            return Err(CodedError::new(Code::UnreadableAnswer, &message));
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes)
}

/// As much of the body as arrives, up to a bound.
async fn read_start<B: ResponseBody>(body: &mut B, bytes_max: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    while let Ok(Some(chunk)) = body.chunk().await {
        bytes.extend_from_slice(&chunk);
        if bytes.len() > bytes_max {
            break;
        }
    }
    bytes
}

/// An id as one segment of an address: whatever it contains, it cannot leave its segment.
fn encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'~' => out.push(char::from(byte)),
            _ => {
                out.push('%');
                for half in [byte >> 4, byte & 15] {
                    out.push(char::from_digit(u32::from(half), 16).unwrap_or('0').to_ascii_uppercase());
                }
            }
        }
    }
    out
}

/// Whether this can be an id of a run or an event.
pub(crate) fn is_usable_id(text: &str) -> bool {
    (1..=ID_BYTES_MAX).contains(&text.len()) && !matches!(text, "." | "..")
}
