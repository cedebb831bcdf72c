//! One request and one response, within bounds. Knows nothing of pages, robots or providers; follows no
//! redirect.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode, Uri, header};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use probity_types::error::{Code, CodedError};
use tokio::sync::Semaphore;
use url::Url;

use super::{
    connect::{self, ConnectError, HttpClient, PeerAddress},
    decode::{BodyDecoder, BodyError, BodyLimits, PushOutcome},
    guard::AddressGuard,
    limits::{FetchLimits, HEADER_BYTES_MAX, LARGE_AT_ONCE_MAX, LARGE_BYTES},
    proxy::UpstreamProxy,
};

/// What we can unpack.
const ENCODINGS: HeaderValue = HeaderValue::from_static("gzip, br");

/// What went wrong, for the caller to map to its own codes.
#[derive(Debug)]
pub(super) enum ExchangeError {
    /// Refused by the guard, or no connection: a finished problem, nothing sent.
    NotConnected(CodedError),
    Broken(String),
    TimedOut(&'static str),
    TooLarge(String),
    Unreadable(String),
}

pub(super) struct ExchangeRequest<'a> {
    pub method: Method,
    pub url: &'a Url,
    pub headers: HeaderMap,
    pub body: Bytes,
    /// Timeout to the end of the response's head.
    pub first_byte: Duration,
    /// To the end of its body.
    pub total: Duration,
}

pub(super) struct ResponseHead {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub peer: Option<SocketAddr>,
}

#[derive(Debug)]
pub(super) struct HttpExchange {
    guard: Arc<AddressGuard>,
    client: HttpClient,
    proxy: Option<Arc<UpstreamProxy>>,
    user_agent: HeaderValue,
    large: Semaphore,
}

impl HttpExchange {
    pub(super) fn new(
        guard: &Arc<AddressGuard>,
        proxy: Option<Arc<UpstreamProxy>>,
        user_agent: HeaderValue,
        limits: &FetchLimits,
    ) -> Result<Self, CodedError> {
        let client = connect::client(guard, proxy.as_ref(), limits.connect)?;
        Ok(Self {
            guard: Arc::clone(guard),
            client,
            proxy,
            user_agent,
            large: Semaphore::new(LARGE_AT_ONCE_MAX),
        })
    }

    /// The proxy between us and this address, if any. Hosts that the user listed are connected to directly.
    pub(super) fn proxy_for(&self, url: &Url) -> Option<&UpstreamProxy> {
        self.proxy.as_deref().filter(|_| !self.guard.has_reach_rule_for(url))
    }

    /// Sends the request, and reads the body only where `wanted` accepts the head.
    pub(super) async fn perform(
        &self,
        asked: ExchangeRequest<'_>,
        wanted: impl FnOnce(&ResponseHead) -> Option<BodyLimits>,
    ) -> Result<(ResponseHead, Bytes), ExchangeError> {
        let total = asked.total;
        match tokio::time::timeout(total, Box::pin(self.whole(asked, wanted))).await {
            Ok(outcome) => outcome,
            Err(_) => Err(ExchangeError::TimedOut("the answer did not end in time")),
        }
    }

    async fn whole(
        &self,
        asked: ExchangeRequest<'_>,
        wanted: impl FnOnce(&ResponseHead) -> Option<BodyLimits>,
    ) -> Result<(ResponseHead, Bytes), ExchangeError> {
        let first_byte = asked.first_byte;
        let request = self.prepared(asked)?;
        let response = match tokio::time::timeout(first_byte, self.client.request(request)).await {
            Ok(response) => response.map_err(|error| to_error(&error))?,
            Err(_) => return Err(ExchangeError::TimedOut("no answer came in time")),
        };
        let (head, body) = split(response)?;
        match wanted(&head) {
            Some(caps) => {
                let bytes = self.read(&head.headers, body, caps).await?;
                Ok((head, bytes))
            }
            None => Ok((head, Bytes::new())),
        }
    }

    fn prepared(&self, asked: ExchangeRequest<'_>) -> Result<Request<Full<Bytes>>, ExchangeError> {
        // A second parser reads the address here. It cannot bypass the guard: the connector asks it about the
        // host that this parser found.
        let uri: Uri = asked
            .url
            .as_str()
            .parse()
            .map_err(|_| ExchangeError::Unreadable("its address cannot be sent".to_owned()))?;
        let mut request = Request::new(Full::new(asked.body));
        *request.method_mut() = asked.method;
        // A tunnel has its own authorization; a plain request shows it to the proxy, and to no other host.
        if let Some(key) = self.proxy_for(asked.url).and_then(UpstreamProxy::authorization)
            && uri.scheme_str() == Some("http")
        {
            request.headers_mut().insert(header::PROXY_AUTHORIZATION, key.clone());
        }
        *request.uri_mut() = uri;
        request.headers_mut().insert(header::USER_AGENT, self.user_agent.clone());
        request.headers_mut().insert(header::ACCEPT_ENCODING, ENCODINGS);
        request.headers_mut().extend(asked.headers);
        Ok(request)
    }

    async fn read(
        &self,
        headers: &HeaderMap,
        mut incoming: Incoming,
        caps: BodyLimits,
    ) -> Result<Bytes, ExchangeError> {
        let mut body = BodyDecoder::new(headers, caps)?;
        let mut place = None;
        while let Some(frame) = incoming.frame().await {
            let frame = frame.map_err(|error| ExchangeError::Broken(words(&error)))?;
            let Some(chunk) = frame.data_ref() else { continue };
            if body.push(chunk)? == PushOutcome::Enough {
                break;
            }
            if place.is_none() && body.len() > LARGE_BYTES {
                let taken = self.large.acquire().await;
                place = Some(taken.map_err(|error| ExchangeError::Broken(error.to_string()))?);
            }
        }
        Ok(body.finish()?)
    }
}

fn split(response: Response<Incoming>) -> Result<(ResponseHead, Incoming), ExchangeError> {
    let (parts, body) = response.into_parts();
    let size: usize = parts.headers.iter().map(|(name, value)| name.as_str().len() + value.len()).sum();
    if size > HEADER_BYTES_MAX {
        return Err(ExchangeError::TooLarge("its header is too long".to_owned()));
    }
    let peer = parts.extensions.get::<PeerAddress>().map(|peer| peer.0);
    Ok((ResponseHead { status: parts.status, headers: parts.headers, peer }, body))
}

/// An error of the client, classified by whether a connection was established.
fn to_error(error: &hyper_util::client::legacy::Error) -> ExchangeError {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(inner) = cause {
        if let Some(ConnectError(problem)) = inner.downcast_ref::<ConnectError>() {
            return ExchangeError::NotConnected(problem.clone());
        }
        cause = inner.source();
    }
    if error.is_connect() {
        return ExchangeError::NotConnected(CodedError::new(Code::PageUnreachable, &words(error)));
    }
    ExchangeError::Broken(words(error))
}

/// The causes. Hyper's errors do not repeat the address, which may contain private data.
fn words(error: &(dyn std::error::Error + 'static)) -> String {
    let mut words = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        words.push_str(": ");
        words.push_str(&inner.to_string());
        cause = inner.source();
    }
    words
}

impl From<BodyError> for ExchangeError {
    fn from(trouble: BodyError) -> Self {
        match trouble {
            BodyError::TooLarge(words) => Self::TooLarge(words),
            BodyError::Unreadable(words) => Self::Unreadable(words),
        }
    }
}
