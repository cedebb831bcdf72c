//! Refusals of chat endpoints, and whether the call may have been billed all the same.

use std::time::Duration;

use probity_research::error::{Code, CodedError};
use serde_json::Value;

use super::dialect::EndpointDialect;
use crate::transport::ResponseHeaders;

/// Longest `Retry-After` believed; a retry after ten minutes costs nothing.
const WAIT_MAX: Duration = Duration::from_secs(600);

/// Whether a failed call may have been billed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CallAcceptance {
    /// Provably not.
    No,
    Perhaps,
}

#[derive(Debug)]
pub(super) struct ChatRefusal {
    pub(super) accepted: CallAcceptance,
    pub(super) problem: CodedError,
}

/// Statuses that say that the request, the key, the account or its quota was refused before any work. Only with an
/// error in JSON, which the endpoint itself sends and a proxy in between does not. Everything else may be billed:
/// 408, 409, 499 and every 5xx come as well after the work was done, a redirect says nothing of it.
const REFUSED_BEFORE_WORK: &[u16] = &[400, 401, 402, 403, 404, 405, 413, 415, 422, 429];

/// Reads a response that is no success. Never fails: a body that cannot be parsed is a refusal too.
pub(super) fn read(status: u16, headers: &ResponseHeaders, body: &[u8]) -> ChatRefusal {
    let json = serde_json::from_slice::<Value>(body).ok().map(first);
    let json = json.filter(Value::is_object);
    let said = json.as_ref().map(RefusalText::of).unwrap_or_default();
    let is_refusal = json.is_some() && REFUSED_BEFORE_WORK.contains(&status);
    let accepted = if is_refusal { CallAcceptance::No } else { CallAcceptance::Perhaps };
    ChatRefusal {
        accepted,
        problem: problem(status, &said).with_status(status).with_retry_after(wait(headers)),
    }
}

/// The problem inside a response with status 200, as gateways send it when the model behind them fails.
pub(super) fn embedded_error(error: &Value) -> CodedError {
    let said = RefusalText::of(&serde_json::json!({ "error": error }));
    let status = said.code.parse().ok().filter(|status| (400..600).contains(status)).unwrap_or(502);
    problem(status, &said).with_status(status)
}

/// A failed connection, worded so that a user of a local model knows what to do.
pub(super) fn connection_error(mut problem: CodedError, dialect: &EndpointDialect) -> CodedError {
    if problem.code == Code::Network && dialect.loopback {
        let message = format!("the chat model's server on this machine does not answer: {}", problem.message);
        problem.message = CodedError::new(problem.code, &message).message;
    }
    problem
}

/// Google wraps its errors in a list at times.
fn first(value: Value) -> Value {
    match value {
        Value::Array(members) => members.into_iter().next().unwrap_or_default(),
        other => other,
    }
}

/// The message of a refusal, in any of the known shapes.
#[derive(Debug, Default)]
struct RefusalText {
    message: String,
    /// `insufficient_quota`, `model_not_found`, or a number.
    code: String,
    kind: String,
    /// The endpoint's name for the call, which its support asks for.
    request: String,
}

impl RefusalText {
    fn of(body: &Value) -> Self {
        let error = body.get("error").unwrap_or(body);
        if let Some(message) = error.as_str() {
            return Self { message: message.to_owned(), ..Self::default() };
        }
        let text = |name: &str| match error.get(name) {
            Some(Value::String(text)) => text.clone(),
            Some(Value::Number(number)) => number.to_string(),
            _ => String::new(),
        };
        let mut message = text("message");
        // A gateway nests the model host's message in its own; servers with typed bodies use `detail`.
        for place in ["/metadata/raw", "/detail", "/detail/0/msg"] {
            if let Some(more) = error.pointer(place).and_then(Value::as_str).filter(|more| !more.is_empty()) {
                let gap = if message.is_empty() { "" } else { ": " };
                message = format!("{message}{gap}{more}");
            }
        }
        let kind = [text("type"), text("status"), details(error)].join(" ");
        let request = body.get("request_id").and_then(Value::as_str).unwrap_or_default().to_owned();
        Self { message, code: text("code"), kind, request }
    }

    fn has(&self, words: &[&str]) -> bool {
        let all = format!("{} {} {}", self.code, self.kind, self.message).to_lowercase();
        words.iter().any(|word| all.contains(word))
    }
}

/// Google's reasons and quota names.
fn details(error: &Value) -> String {
    let members = error.get("details").and_then(Value::as_array).into_iter().flatten();
    let reasons = members.flat_map(|detail| {
        let quota = detail.pointer("/violations/0/quotaId").and_then(Value::as_str);
        [detail.get("reason").and_then(Value::as_str), quota]
    });
    reasons.flatten().collect::<Vec<_>>().join(" ")
}

fn problem(status: u16, said: &RefusalText) -> CodedError {
    let code = code(status, said);
    let words = if said.message.is_empty() { "no reason given" } else { &said.message };
    let message = match code {
        Code::KeyRefused => {
            format!("the chat endpoint refuses the key ({status}); check the key of the chat model: {words}")
        }
        Code::UnknownModel => {
            format!("the chat endpoint does not know the model ({status}); name or pull another: {words}")
        }
        Code::QuotaExhausted => {
            format!("the account at the chat endpoint has nothing left ({status}): {words}")
        }
        Code::Settings if status < 400 => {
            format!(
                "the chat endpoint answers with a redirect ({status}), which is not followed; check its base URL"
            )
        }
        Code::Settings => {
            format!("the chat endpoint has no such address ({status}); check its base URL: {words}")
        }
        _ => format!("the chat endpoint answered {status}: {words}"),
    };
    let request = if said.request.is_empty() { String::new() } else { format!(" [{}]", said.request) };
    CodedError::new(code, &format!("{message}{request}"))
}

fn code(status: u16, said: &RefusalText) -> Code {
    let bad_key =
        ["api_key_", "api key not valid", "invalid_api_key", "incorrect api key", "unauthenticated"];
    let no_model = ["model_not_found", "model not found", "is not a valid model", "no endpoints found"];
    let not_there = said.has(&["model"]) && said.has(&["not found", "not_found_error", "does not exist"]);
    let empty = ["insufficient_quota", "insufficient balance", "insufficient credits", "billing", "perday"];
    match status {
        300..=399 => Code::Settings,
        401 => Code::KeyRefused,
        402 => Code::QuotaExhausted,
        // Anthropic's word for an empty account comes with 400.
        400 if said.has(&["credit balance is too low"]) => Code::QuotaExhausted,
        400..=403 if said.has(&bad_key) => Code::KeyRefused,
        400 | 404 | 422 if said.has(&no_model) || not_there => Code::UnknownModel,
        403 => Code::PermissionDenied,
        404 | 405 => Code::Settings,
        408 | 504 => Code::Timeout,
        429 if said.has(&empty) => Code::QuotaExhausted,
        429 => Code::RateLimited,
        500.. => Code::ProviderUnavailable,
        _ => Code::BadRequest,
    }
}

/// The longest retry delay of the headers. Dates are not read: that would need a clock.
fn wait(headers: &ResponseHeaders) -> Option<Duration> {
    let seconds = |text: &str| {
        let number: f64 = text.trim().parse().ok()?;
        Duration::try_from_secs_f64(number).ok()
    };
    let milliseconds = headers.retry_after_ms.as_deref().and_then(seconds).map(|wait| wait / 1_000);
    let header = headers.retry_after.as_deref().and_then(seconds);
    [milliseconds, header].into_iter().flatten().max().map(|wait| wait.min(WAIT_MAX))
}
