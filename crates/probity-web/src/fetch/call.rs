//! Calls of APIs and webhooks: same guard, same limits of size and time; no robots, no redirects, no pace and
//! no retry, because a call may cost money. A failure says whether anything may have been sent.

use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Method, header};
use probity_types::error::{Code, CodedError};
use secrecy::{ExposeSecret as _, SecretString};
use url::Url;

use super::{
    Fetcher,
    decode::{BodyLimits, OverflowPolicy},
    exchange::{ExchangeError, ExchangeRequest, ResponseHead},
    guard::refused,
};

/// A response with results and page texts of twenty hits.
const ANSWER_BYTES_MAX: u64 = 8 * 1024 * 1024;
/// A search that reads pages takes half a minute.
const CALL_MAX: Duration = Duration::from_secs(60);
/// A webhook's receiver answers with a status; its body is not read.
const DELIVERY_MAX: Duration = Duration::from_secs(15);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApiMethod {
    Get,
    Post,
}

/// The value of a header, or of a part of the address. A secret one is sent by https or to a reached host
/// only.
#[derive(Debug, Clone)]
pub enum RequestValue {
    Plain(String),
    Secret(SecretString),
}

/// One call of an API.
#[derive(Debug, Clone)]
pub struct ApiRequest {
    pub verb: ApiMethod,
    /// Without secrets: those are added from `query`.
    pub url: String,
    /// Added to the address just before it is sent.
    pub query: Vec<(String, RequestValue)>,
    pub headers: Vec<(String, RequestValue)>,
    /// With its content type; empty for none.
    pub body: Bytes,
    pub content_type: Option<String>,
    pub time_max: Duration,
    pub answer_bytes_max: u64,
}

impl ApiRequest {
    pub fn get(url: &str) -> Self {
        Self {
            verb: ApiMethod::Get,
            url: url.to_owned(),
            query: Vec::new(),
            headers: Vec::new(),
            body: Bytes::new(),
            content_type: None,
            time_max: CALL_MAX,
            answer_bytes_max: ANSWER_BYTES_MAX,
        }
    }

    pub fn post_json(url: &str, body: impl Into<Bytes>) -> Self {
        let content_type = Some("application/json".to_owned());
        Self { verb: ApiMethod::Post, body: body.into(), content_type, ..Self::get(url) }
    }

    pub fn with_query(mut self, name: &str, value: &str) -> Self {
        self.query.push((name.to_owned(), RequestValue::Plain(value.to_owned())));
        self
    }

    pub fn with_header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), RequestValue::Plain(value.to_owned())));
        self
    }

    pub fn with_secret_header(mut self, name: &str, value: SecretString) -> Self {
        self.headers.push((name.to_owned(), RequestValue::Secret(value)));
        self
    }

    pub fn with_secret_query(mut self, name: &str, value: SecretString) -> Self {
        self.query.push((name.to_owned(), RequestValue::Secret(value)));
        self
    }

    pub fn with_time_max(mut self, time_max: Duration) -> Self {
        self.time_max = time_max;
        self
    }
}

/// Any response, redirects and errors included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderResponse {
    pub status: u16,
    /// Names in lower case; values that are not text are left out.
    pub headers: Vec<(String, String)>,
    pub body: Bytes,
}

impl ProviderResponse {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// Whether the provider may have seen the request, and so may bill it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SendStatus {
    No,
    Maybe,
}

/// A call without a response.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{problem}")]
pub struct ApiCallError {
    pub problem: CodedError,
    pub sent: SendStatus,
}

impl From<ApiCallError> for CodedError {
    fn from(failed: ApiCallError) -> Self {
        failed.problem
    }
}

/// A message to an address that the user configured. Body and headers are sent as they are.
#[derive(Debug, Clone)]
pub struct WebhookPost {
    pub url: String,
    pub headers: Vec<(String, RequestValue)>,
    pub content_type: String,
    pub body: Bytes,
}

impl Fetcher {
    /// Calls an API once.
    pub async fn call(&self, request: ApiRequest) -> Result<ProviderResponse, ApiCallError> {
        let url = self.guard.parse(&request.url).map_err(unsent)?;
        let safe = url.scheme() == "https" || self.guard.has_reach_rule_for(&url);
        let url = with_query(url, &request.query, safe).map_err(unsent)?;
        let mut headers = headers(&request.headers, safe).map_err(unsent)?;
        if let Some(content_type) = &request.content_type {
            headers.insert(header::CONTENT_TYPE, value(content_type).map_err(unsent)?);
        }
        let method = match request.verb {
            ApiMethod::Get => Method::GET,
            ApiMethod::Post => Method::POST,
        };
        let caps = BodyLimits {
            wire_bytes_max: request.answer_bytes_max,
            decoded_bytes_max: request.answer_bytes_max,
            ratio_max: self.limits.ratio_max,
            over: OverflowPolicy::Refuse,
        };
        let time = request.time_max;
        let asked =
            ExchangeRequest { method, url: &url, headers, body: request.body, first_byte: time, total: time };
        let (head, body) =
            self.exchange.perform(asked, |_: &ResponseHead| Some(caps)).await.map_err(failed)?;
        Ok(ProviderResponse { status: head.status.as_u16(), headers: texts(&head.headers), body })
    }

    /// Sends a webhook once and returns the status. By https, or to a host that the user listed as reached.
    pub async fn deliver(&self, delivery: WebhookPost) -> Result<u16, ApiCallError> {
        let url = self.guard.parse(&delivery.url).map_err(unsent)?;
        if url.scheme() != "https" && !self.guard.has_reach_rule_for(&url) {
            return Err(unsent(refused("a webhook is delivered by https only")));
        }
        let mut headers = headers(&delivery.headers, true).map_err(unsent)?;
        headers.insert(header::CONTENT_TYPE, value(&delivery.content_type).map_err(unsent)?);
        let asked = ExchangeRequest {
            method: Method::POST,
            url: &url,
            headers,
            body: delivery.body,
            first_byte: DELIVERY_MAX,
            total: DELIVERY_MAX,
        };
        let (head, _) = self.exchange.perform(asked, |_: &ResponseHead| None).await.map_err(failed)?;
        Ok(head.status.as_u16())
    }
}

fn with_query(mut url: Url, query: &[(String, RequestValue)], safe: bool) -> Result<Url, CodedError> {
    if query.is_empty() {
        return Ok(url);
    }
    let mut pairs = url.query_pairs_mut();
    for (name, words) in query {
        pairs.append_pair(name, exposed(words, safe)?);
    }
    drop(pairs);
    Ok(url)
}

fn headers(wanted: &[(String, RequestValue)], safe: bool) -> Result<HeaderMap, CodedError> {
    let mut headers = HeaderMap::new();
    for (name, words) in wanted {
        let name = HeaderName::from_bytes(name.as_bytes()).map_err(|_| unusable())?;
        let mut value = value(exposed(words, safe)?)?;
        value.set_sensitive(matches!(words, RequestValue::Secret(_)));
        headers.insert(name, value);
    }
    Ok(headers)
}

fn exposed(words: &RequestValue, safe: bool) -> Result<&str, CodedError> {
    match words {
        RequestValue::Plain(text) => Ok(text),
        RequestValue::Secret(secret) if safe => Ok(secret.expose_secret()),
        RequestValue::Secret(_) => Err(refused("a key is not sent in the clear: the address must be https")),
    }
}

fn value(text: &str) -> Result<HeaderValue, CodedError> {
    HeaderValue::from_str(text).map_err(|_| unusable())
}

/// The message does not repeat the header: it may be a key with a stray newline.
fn unusable() -> CodedError {
    CodedError::new(Code::Settings, "a header of the request cannot be sent")
}

fn texts(headers: &HeaderMap) -> Vec<(String, String)> {
    headers
        .iter()
        .filter_map(|(name, value)| Some((name.as_str().to_owned(), value.to_str().ok()?.to_owned())))
        .collect()
}

fn unsent(problem: CodedError) -> ApiCallError {
    ApiCallError { problem, sent: SendStatus::No }
}

fn failed(fault: ExchangeError) -> ApiCallError {
    let maybe = |code: Code, words: &str| ApiCallError {
        problem: CodedError::new(code, words),
        sent: SendStatus::Maybe,
    };
    match fault {
        ExchangeError::NotConnected(problem) => unsent(match problem.code {
            Code::PageUnreachable => CodedError { code: Code::Network, ..problem },
            _ => problem,
        }),
        ExchangeError::Broken(words) => maybe(Code::Network, &words),
        ExchangeError::TimedOut(words) => maybe(Code::Timeout, words),
        ExchangeError::TooLarge(words) | ExchangeError::Unreadable(words) => {
            maybe(Code::UnreadableAnswer, &format!("the answer cannot be read: {words}"))
        }
    }
}
