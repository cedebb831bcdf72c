//! One call each: create, get, stream, cancel, delete. Concurrency limit and timeouts are applied here.
//!
//! Never repeats a call. Says of every failed create whether it may have been accepted.

mod create;

use std::{borrow::Cow, time::Duration};

use bytes::Bytes;
use probity_research::{
    engine_call::UnreadableAnswer,
    error::{Code, CodedError},
};
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
    /// No response, or none that could be read to its end; with what arrived of it.
    Broken(UnreadableAnswer),
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
    pub async fn get(&self, remote_id: &str, within: Duration) -> InteractionsReply {
        self.call(HttpMethod::Get, format!("{}?stream=false", self.address(remote_id)), within).await
    }

    pub async fn cancel(&self, remote_id: &str, within: Duration) -> InteractionsReply {
        self.call(HttpMethod::Post, format!("{}/cancel", self.address(remote_id)), within).await
    }

    pub async fn delete(&self, remote_id: &str) -> InteractionsReply {
        self.call(HttpMethod::Delete, self.address(remote_id), CALL_MAX).await
    }

    /// Opens the stream of a run, after the event `cursor` if there is one.
    pub async fn stream(
        &self,
        remote_id: &str,
        cursor: Option<&str>,
        within: Duration,
    ) -> StreamOpenReply<T::Body> {
        let mut url = format!("{}?stream=true", self.address(remote_id));
        if let Some(cursor) = cursor {
            url.push_str("&last_event_id=");
            url.push_str(&encoded(cursor));
        }
        let request = self.request(HttpMethod::Get, url, "text/event-stream");
        let limit = within.min(STREAM_OPEN_MAX);
        let opened = async {
            let _admitted = self.admit().await;
            self.opened(request).await
        };
        match timeout(limit, opened).await {
            Ok(opened) => opened,
            Err(_) => StreamOpenReply::Nothing(timeout_error("a stream", limit)),
        }
    }

    /// A provider's problem with our key redacted.
    fn redact_key(&self, mut problem: CodedError) -> CodedError {
        problem.message = self.key.redact(&problem.message);
        problem
    }

    async fn call(&self, method: HttpMethod, url: String, within: Duration) -> InteractionsReply {
        let request = self.request(method, url, "application/json");
        let limit = within.min(CALL_MAX);
        // Outside of what the timeout drops: bytes that have arrived are kept.
        let mut received = Vec::new();
        let answered = async {
            let _admitted = self.admit().await;
            self.answered(request, &mut received).await
        };
        let ended = timeout(limit, answered).await;
        let broken = match ended {
            Ok(Ok(refusal)) => return InteractionsReply::Refused(refusal),
            Ok(Err(BodyEnd::Whole)) => return InteractionsReply::Success(received),
            Ok(Err(BodyEnd::Broken(problem))) => self.redact_key(problem),
            Err(_) => timeout_error("an answer", limit),
        };
        InteractionsReply::Broken(UnreadableAnswer { problem: broken, raw: received })
    }

    /// A refusal, or how the body of a success ended.
    async fn answered(
        &self,
        request: HttpRequest,
        received: &mut Vec<u8>,
    ) -> Result<ProviderRefusal, BodyEnd> {
        let sent = self.transport.send(request).await;
        let HttpResponse { status, headers, mut body } =
            sent.map_err(|error| BodyEnd::Broken(error.problem))?;
        if (200..=299).contains(&status) {
            return Err(read_whole(&mut body, RAW_BYTES_MAX, received).await);
        }
        Ok(self.refusal(status, &headers, &mut body).await)
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
    // What is left of a deadline is no round number.
    let span = if limit.subsec_millis() == 0 {
        format!("{} s", limit.as_secs())
    } else {
        format!("{:.1} s", limit.as_secs_f64())
    };
    CodedError::new(Code::Timeout, &format!("the provider did not give {what} within {span}"))
}

/// How a body ended.
enum BodyEnd {
    Whole,
    Broken(CodedError),
}

/// Reads the body up to a bound. What was received stays received, however it ends.
async fn read_whole<B: ResponseBody>(body: &mut B, bytes_max: usize, received: &mut Vec<u8>) -> BodyEnd {
    loop {
        let chunk = match body.chunk().await {
            Ok(Some(chunk)) => chunk,
            Ok(None) => return BodyEnd::Whole,
            Err(error) => return BodyEnd::Broken(error.problem),
        };
        let room = bytes_max.saturating_sub(received.len()).min(chunk.len());
        received.extend_from_slice(chunk.get(..room).unwrap_or_default());
        if room < chunk.len() {
            let message = format!("the provider's answer cannot be read: it has more than {bytes_max} bytes");
            return BodyEnd::Broken(CodedError::new(Code::UnreadableAnswer, &message));
        }
    }
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
