//! The network as a trait: a deterministic simulation can replace it.
//!
//! A transport never retries, never follows a redirect and never interprets a response.

pub mod http;
#[cfg(test)]
pub(crate) mod scripted;

use std::{borrow::Cow, fmt, sync::Arc};

use bytes::Bytes;
use probity_research::error::CodedError;

use crate::secret::ApiKey;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HttpMethod {
    Get,
    Post,
    Delete,
}

/// Whether a call may use a pooled connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConnectionReuse {
    Pooled,
    /// A connection of its own. A pooled one may turn out dead after the bytes were sent, and then it is
    /// unknown whether a paid call arrived.
    Fresh,
}

#[derive(Debug, Clone)]
pub enum HeaderText {
    Plain(Cow<'static, str>),
    Secret(ApiKey),
    /// A secret after the word `Bearer`.
    Bearer(ApiKey),
}

#[derive(Clone)]
pub struct HttpRequest {
    pub method: HttpMethod,
    pub url: String,
    pub headers: Vec<(&'static str, HeaderText)>,
    pub body: Bytes,
    pub connection: ConnectionReuse,
}

impl fmt::Debug for HttpRequest {
    /// Debug output: the body is the user's question, so only its length is shown.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("HttpRequest")
            .field("method", &self.method)
            .field("url", &self.url)
            .field("headers", &self.headers)
            .field("body_bytes", &self.body.len())
            .field("connection", &self.connection)
            .finish()
    }
}

/// The response headers that are read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ResponseHeaders {
    pub content_type: Option<String>,
    pub retry_after: Option<String>,
    pub retry_after_ms: Option<String>,
    /// The target of a redirect; it is never followed here.
    pub location: Option<String>,
}

#[derive(Debug)]
pub struct HttpResponse<B> {
    pub status: u16,
    pub headers: ResponseHeaders,
    pub body: B,
}

pub trait ResponseBody: Send {
    /// The next chunk; `None` at the end. Dropping the future must lose nothing: callers wait with a timeout
    /// and call again.
    fn chunk(&mut self) -> impl Future<Output = Result<Option<Bytes>, TransportError>> + Send;
}

pub trait Transport: Send + Sync {
    type Body: ResponseBody;

    fn send(
        &self,
        request: HttpRequest,
    ) -> impl Future<Output = Result<HttpResponse<Self::Body>, TransportError>> + Send;
}

/// One network for several users: connections are pooled once.
impl<T: Transport> Transport for Arc<T> {
    type Body = T::Body;

    fn send(
        &self,
        request: HttpRequest,
    ) -> impl Future<Output = Result<HttpResponse<Self::Body>, TransportError>> + Send {
        T::send(self, request)
    }
}

/// How far a failed call got.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SendState {
    /// Provably no byte of the request left.
    NotSent,
    MaybeSent,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{problem}")]
pub struct TransportError {
    pub reached: SendState,
    pub problem: CodedError,
}
