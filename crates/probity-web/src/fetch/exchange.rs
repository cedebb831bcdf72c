//! One request and one answer, within bounds. Knows nothing of pages, robots or providers; follows nothing.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode, Uri, header};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use probity_research::error::{Code, Problem};
use tokio::sync::Semaphore;
use url::Url;

use super::{
    connect::{self, HttpClient, NotConnected, Peer},
    decode::{Body, Caps, More, Trouble},
    guard::Guard,
    limits::{HEADER_BYTES_MAX, LARGE_AT_ONCE_MAX, LARGE_BYTES, Limits},
    proxy::Proxy,
};

/// What we can unpack.
const ENCODINGS: HeaderValue = HeaderValue::from_static("gzip, br");

/// What went wrong, for the caller to name in its own codes.
#[derive(Debug)]
pub(super) enum Fault {
    /// By the guard, or nobody was reached: a finished problem, nothing sent.
    NotConnected(Problem),
    Broken(String),
    TimedOut(&'static str),
    TooLarge(String),
    Unreadable(String),
}

pub(super) struct Asked<'a> {
    pub method: Method,
    pub url: &'a Url,
    pub headers: HeaderMap,
    pub body: Bytes,
    /// To the end of the answer's head.
    pub first_byte: Duration,
    /// To the end of its body.
    pub total: Duration,
}

pub(super) struct Head {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub peer: Option<SocketAddr>,
}

#[derive(Debug)]
pub(super) struct Exchange {
    guard: Arc<Guard>,
    client: HttpClient,
    proxy: Option<Arc<Proxy>>,
    user_agent: HeaderValue,
    large: Semaphore,
}

impl Exchange {
    pub(super) fn new(
        guard: &Arc<Guard>,
        proxy: Option<Arc<Proxy>>,
        user_agent: HeaderValue,
        limits: &Limits,
    ) -> Result<Self, Problem> {
        let client = connect::client(guard, proxy.as_ref(), limits.connect)?;
        Ok(Self {
            guard: Arc::clone(guard),
            client,
            proxy,
            user_agent,
            large: Semaphore::new(LARGE_AT_ONCE_MAX),
        })
    }

    /// The proxy that stands between us and this address, if any. Hosts that the user wrote down are asked directly.
    pub(super) fn proxy_for(&self, url: &Url) -> Option<&Proxy> {
        self.proxy.as_deref().filter(|_| !self.guard.reaches(url))
    }

    /// Asks, and reads the body only where `wanted` says so from the head.
    pub(super) async fn perform(
        &self,
        asked: Asked<'_>,
        wanted: impl FnOnce(&Head) -> Option<Caps>,
    ) -> Result<(Head, Bytes), Fault> {
        let total = asked.total;
        match tokio::time::timeout(total, Box::pin(self.whole(asked, wanted))).await {
            Ok(outcome) => outcome,
            Err(_) => Err(Fault::TimedOut("the answer did not end in time")),
        }
    }

    async fn whole(
        &self,
        asked: Asked<'_>,
        wanted: impl FnOnce(&Head) -> Option<Caps>,
    ) -> Result<(Head, Bytes), Fault> {
        let first_byte = asked.first_byte;
        let request = self.prepared(asked)?;
        let response = match tokio::time::timeout(first_byte, self.client.request(request)).await {
            Ok(response) => response.map_err(|error| told(&error))?,
            Err(_) => return Err(Fault::TimedOut("no answer came in time")),
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

    fn prepared(&self, asked: Asked<'_>) -> Result<Request<Full<Bytes>>, Fault> {
        // A second parser reads the address here. It cannot lead astray: the connector asks the guard about the
        // host that this one found.
        let uri: Uri = asked
            .url
            .as_str()
            .parse()
            .map_err(|_| Fault::Unreadable("its address cannot be sent".to_owned()))?;
        let mut request = Request::new(Full::new(asked.body));
        *request.method_mut() = asked.method;
        // A tunnel carries the key itself; a plain request shows it to the proxy, and to nobody else.
        if let Some(key) = self.proxy_for(asked.url).and_then(Proxy::authorization)
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

    async fn read(&self, headers: &HeaderMap, mut incoming: Incoming, caps: Caps) -> Result<Bytes, Fault> {
        let mut body = Body::new(headers, caps)?;
        let mut place = None;
        while let Some(frame) = incoming.frame().await {
            let frame = frame.map_err(|error| Fault::Broken(words(&error)))?;
            let Some(chunk) = frame.data_ref() else { continue };
            if body.push(chunk)? == More::Enough {
                break;
            }
            if place.is_none() && body.len() > LARGE_BYTES {
                let taken = self.large.acquire().await;
                place = Some(taken.map_err(|error| Fault::Broken(error.to_string()))?);
            }
        }
        Ok(body.finish()?)
    }
}

fn split(response: Response<Incoming>) -> Result<(Head, Incoming), Fault> {
    let (parts, body) = response.into_parts();
    let size: usize = parts.headers.iter().map(|(name, value)| name.as_str().len() + value.len()).sum();
    if size > HEADER_BYTES_MAX {
        return Err(Fault::TooLarge("its header is too long".to_owned()));
    }
    let peer = parts.extensions.get::<Peer>().map(|peer| peer.0);
    Ok((Head { status: parts.status, headers: parts.headers, peer }, body))
}

/// An error of the client, told apart by whether a connection was there.
fn told(error: &hyper_util::client::legacy::Error) -> Fault {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(inner) = cause {
        if let Some(NotConnected(problem)) = inner.downcast_ref::<NotConnected>() {
            return Fault::NotConnected(problem.clone());
        }
        cause = inner.source();
    }
    if error.is_connect() {
        return Fault::NotConnected(Problem::new(Code::PageUnreachable, &words(error)));
    }
    Fault::Broken(words(error))
}

/// The causes. Hyper's errors do not repeat the address, which may carry what nobody should read.
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

impl From<Trouble> for Fault {
    fn from(trouble: Trouble) -> Self {
        match trouble {
            Trouble::TooLarge(words) => Self::TooLarge(words),
            Trouble::Unreadable(words) => Self::Unreadable(words),
        }
    }
}
