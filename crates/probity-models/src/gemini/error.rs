//! Refusals of the service: three JSON shapes, and bodies that are none.

use std::time::Duration;

use probity_research::error::{Code, CodedError};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::wire::{LenientText, read_list};
use crate::transport::ResponseHeaders;

/// Longest retry delay believed. The provider has asked for hours; a retry after ten minutes costs nothing.
pub const WAIT_MAX: Duration = Duration::from_secs(600);

/// A response that is no success.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderRefusal {
    pub problem: CodedError,
    pub proof: StartProof,
    /// The body as received, where it is not the service's JSON.
    pub raw: Vec<u8>,
}

/// What a refused create proves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StartProof {
    /// The service says, in a form that it documents, that it did not take the request on.
    NothingStarted,
    /// Something may have been started, and billed.
    None,
}

/// One kind of answer that proves that nothing was started.
struct RefusalFacts {
    status: u16,
    /// The service's own words for it: `error.code` of the Interactions API, `error.status` of google.rpc.
    words: &'static [&'static str],
}

/// Only these answers to a create are refusals. Each is documented as a fault of the request, the key, the
/// account or its quota, found before any work: <https://ai.google.dev/gemini-api/docs/api-errors> for the words
/// in small letters, `google/rpc/code.proto` for the others.
///
/// Left out on purpose: 408 and 504 (`DEADLINE_EXCEEDED`: "may be returned even if the operation has completed
/// successfully"), 409 (`already_exists`: it may be our own first request), 499 (somebody on the way stopped
/// waiting), 500 (`api_error`, `UNKNOWN`: says nothing) and 503 (`UNAVAILABLE`: "not always safe to retry
/// non-idempotent operations").
const CREATE_REFUSALS: &[RefusalFacts] = &[
    RefusalFacts {
        status: 400,
        words: &[
            "invalid_request",
            "failed_precondition",
            "parameter_unknown",
            "INVALID_ARGUMENT",
            "FAILED_PRECONDITION",
            "OUT_OF_RANGE",
        ],
    },
    RefusalFacts { status: 401, words: &["authentication", "unauthenticated", "UNAUTHENTICATED"] },
    RefusalFacts { status: 402, words: &["payment_required", "RESOURCE_EXHAUSTED"] },
    RefusalFacts { status: 403, words: &["permission_denied", "PERMISSION_DENIED"] },
    RefusalFacts { status: 404, words: &["not_found", "model_not_found", "NOT_FOUND"] },
    RefusalFacts { status: 416, words: &["out_of_range", "OUT_OF_RANGE"] },
    RefusalFacts {
        status: 429,
        words: &["rate_limit_exceeded", "quota_exceeded", "too_many_requests", "RESOURCE_EXHAUSTED"],
    },
];

#[derive(Deserialize)]
struct ErrorEnvelope<'a> {
    #[serde(borrow)]
    error: ErrorObject<'a>,
    /// Of an interaction, which a refused create does not have.
    #[serde(borrow, default)]
    id: Option<&'a RawValue>,
}

#[derive(Default, Deserialize)]
struct ErrorObject<'a> {
    #[serde(borrow, default)]
    code: LenientText<'a>,
    #[serde(borrow, default)]
    status: LenientText<'a>,
    #[serde(borrow, default)]
    message: LenientText<'a>,
    #[serde(borrow, default)]
    details: Option<&'a RawValue>,
}

#[derive(Default, Deserialize)]
struct ErrorDetail<'a> {
    #[serde(borrow, default)]
    reason: LenientText<'a>,
    #[serde(rename = "retryDelay", borrow, default)]
    retry_delay: LenientText<'a>,
    #[serde(borrow, default)]
    violations: Option<&'a RawValue>,
}

#[derive(Default, Deserialize)]
struct QuotaViolation<'a> {
    #[serde(rename = "quotaId", borrow, default)]
    quota_id: LenientText<'a>,
}

/// Reads a refusal. Never fails: a body that cannot be parsed is a refusal too.
pub fn read(status: u16, headers: &ResponseHeaders, body: &[u8]) -> ProviderRefusal {
    let Some(ErrorEnvelope { error, id }) = envelope(body) else {
        let problem = CodedError::new(by_status(status), &foreign_message(status, headers))
            .with_status(status)
            .with_retry_after(wait(headers, &[]));
        return ProviderRefusal { problem, proof: StartProof::None, raw: body.to_vec() };
    };
    let details: Vec<ErrorDetail<'_>> = read_list(error.details);
    let message = match error.message.non_empty() {
        Some(words) => format!("the provider answered {status}: {words}"),
        None => {
            format!("the provider answered {status}: {}", error.code.non_empty().unwrap_or("no reason given"))
        }
    };
    let problem = CodedError::new(code(status, &error, &details), &message)
        .with_status(status)
        .with_retry_after(wait(headers, &details));
    ProviderRefusal { problem, proof: start_proof(status, &error, id), raw: Vec::new() }
}

/// An answer that names an interaction contradicts itself: it proves nothing.
fn start_proof(status: u16, error: &ErrorObject<'_>, id: Option<&RawValue>) -> StartProof {
    let said = [&*error.code, &*error.status];
    let is_documented =
        |facts: &RefusalFacts| facts.status == status && facts.words.iter().any(|word| said.contains(word));
    if id.is_none() && CREATE_REFUSALS.iter().any(is_documented) {
        StartProof::NothingStarted
    } else {
        StartProof::None
    }
}

/// An answer that is not the service's own: a proxy's page, or a redirect, which is named and not followed.
fn foreign_message(status: u16, headers: &ResponseHeaders) -> String {
    let target = headers.location.as_deref().and_then(|target| url::Url::parse(target).ok());
    match (status, target.as_ref().and_then(url::Url::host_str)) {
        (300..=399, Some(host)) => {
            format!("the provider answered {status}, a redirect to {host}, which is not followed")
        }
        (300..=399, None) => format!("the provider answered {status}, a redirect, which is not followed"),
        _ => format!("the provider answered {status} with something that is not its JSON"),
    }
}

fn envelope(body: &[u8]) -> Option<ErrorEnvelope<'_>> {
    match body.trim_ascii_start().first()? {
        b'[' => serde_json::from_slice::<Vec<ErrorEnvelope<'_>>>(body).ok()?.into_iter().next(),
        _ => serde_json::from_slice(body).ok(),
    }
}

fn code(status: u16, error: &ErrorObject<'_>, details: &[ErrorDetail<'_>]) -> Code {
    let key_is_bad = details.iter().any(|detail| detail.reason.starts_with("API_KEY_"))
        || error.message.starts_with("API key not valid")
        || matches!(&*error.code, "authentication" | "unauthenticated");
    let daily = || {
        let violations = details.iter().flat_map(|detail| read_list::<QuotaViolation<'_>>(detail.violations));
        violations.into_iter().any(|violation| violation.quota_id.contains("PerDay"))
    };
    match status {
        400..=499 if key_is_bad => Code::KeyRefused,
        429 if daily() => Code::QuotaExhausted,
        _ => by_status(status),
    }
}

fn by_status(status: u16) -> Code {
    match status {
        401 => Code::KeyRefused,
        403 => Code::PermissionDenied,
        404 => Code::NotFound,
        408 => Code::Timeout,
        429 => Code::RateLimited,
        500.. => Code::ProviderUnavailable,
        200..=299 => Code::UnreadableAnswer,
        _ => Code::BadRequest,
    }
}

/// The longest retry delay of headers and body. Dates are not read: that would need a clock.
fn wait(headers: &ResponseHeaders, details: &[ErrorDetail<'_>]) -> Option<Duration> {
    let milliseconds = headers.retry_after_ms.as_deref().and_then(seconds).map(|wait| wait / 1_000);
    let header = headers.retry_after.as_deref().and_then(seconds);
    let body = details.iter().filter_map(|detail| seconds(detail.retry_delay.strip_suffix('s')?)).max();
    [milliseconds, header, body].into_iter().flatten().max().map(|wait| wait.min(WAIT_MAX))
}

fn seconds(text: &str) -> Option<Duration> {
    let number: f64 = text.trim().parse().ok()?;
    Duration::try_from_secs_f64(number).ok()
}

#[cfg(test)]
mod tests;
