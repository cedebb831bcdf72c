//! What a provider's error response means, in a sentence that says what to change.

use std::time::Duration;

use probity_types::{
    error::{Code, CodedError},
    web::ProviderName,
};
use serde_json::Value;

use crate::fetch::ProviderResponse;

/// Longest retry time taken from a response: a window of a month is the longest that any provider has.
const RETRY_AFTER_MAX: Duration = Duration::from_secs(31 * 24 * 60 * 60);

/// Statuses with which a provider refuses the question, the key or the credit before any work. 432 and 433 are
/// Tavily's for a used-up plan.
const REFUSED_BEFORE_WORK: &[u16] = &[400, 401, 402, 403, 404, 405, 413, 415, 422, 429, 432, 433];

/// Whether the provider itself says, in JSON, that it did not search. Anything else may be billed: a proxy's page, a
/// redirect, 408, 409, 499 and every 5xx.
pub(super) fn is_before_work(answer: &ProviderResponse) -> bool {
    REFUSED_BEFORE_WORK.contains(&answer.status)
        && serde_json::from_slice::<Value>(&answer.body).is_ok_and(|body| body.is_object())
}

pub(super) fn problem(provider: ProviderName, answer: &ProviderResponse) -> CodedError {
    let body: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
    if let Some(problem) = allowance_problem(provider, &body) {
        return problem.with_status(answer.status);
    }
    let name = provider.as_str();
    let said = said(&body).map(|words| format!(": {words}")).unwrap_or_default();
    let status = answer.status;
    let (code, words) = match (provider, status) {
        (ProviderName::Searxng, 403) => (
            Code::SearchFailed,
            "searxng answers no JSON: add `json` to `search.formats` in its settings.yml and start it again"
                .to_owned(),
        ),
        (ProviderName::Tavily, 432 | 433) | (ProviderName::Exa | ProviderName::Firecrawl, 402) => {
            (Code::QuotaExhausted, format!("the credit at {name} is used up{said}"))
        }
        (ProviderName::Brave, 429) if is_quota(&body) => {
            (Code::QuotaExhausted, format!("the credit at {name} is used up{said}"))
        }
        (ProviderName::Github, 403) if answer.header("x-ratelimit-remaining") == Some("0") => {
            (Code::RateLimited, format!("{name} takes no more calls for now{said}"))
        }
        (_, 429) => (Code::RateLimited, format!("{name} takes no more calls for now{said}")),
        (ProviderName::Brave, 422)
            if text_at(&body, "/error/code").is_some_and(|code| code.contains("TOKEN")) =>
        {
            (Code::SearchFailed, format!("{name} refused its key{said}"))
        }
        (_, 401 | 403) => (Code::SearchFailed, format!("{name} refused its key or the call{said}")),
        (_, 300..=399) => {
            (Code::SearchFailed, format!("{name} is not at this address: it answered {status}"))
        }
        (_, 500..) => (Code::SearchFailed, format!("{name} is failing with {status}{said}")),
        _ => (Code::SearchFailed, format!("{name} refused the search with {status}{said}")),
    };
    CodedError::new(code, &words).with_status(status).with_retry_after(retry_after(answer))
}

/// Tavily's envelope: keyless access has windows, and one of them is used up.
pub(super) fn allowance_problem(provider: ProviderName, body: &Value) -> Option<CodedError> {
    if !matches!(provider, ProviderName::TavilyKeyless | ProviderName::Tavily) {
        return None;
    }
    let error = body.get("error")?;
    error.get("code")?.as_str()?;
    let window = error.get("window").and_then(Value::as_str).unwrap_or("present");
    let seconds = error.get("retry_after_seconds").and_then(Value::as_f64).filter(|seconds| *seconds >= 0.0);
    let wait = seconds
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .map(|wait| wait.min(RETRY_AFTER_MAX));
    let words = format!("free searches at tavily are used up for the {window}: set TAVILY_API_KEY for more");
    Some(CodedError::new(Code::QuotaExhausted, &words).with_retry_after(wait))
}

fn is_quota(body: &Value) -> bool {
    text_at(body, "/error/code").is_some_and(|code| code.contains("QUOTA"))
}

/// The provider's own message, wherever it is.
fn said(body: &Value) -> Option<&str> {
    ["/detail/error", "/error/detail", "/error/message", "/error/info", "/error", "/message", "/detail"]
        .into_iter()
        .find_map(|place| text_at(body, place))
}

fn text_at<'json>(body: &'json Value, place: &str) -> Option<&'json str> {
    body.pointer(place).and_then(Value::as_str).filter(|text| !text.trim().is_empty())
}

/// `Retry-After` in seconds. A date there, or GitHub's reset time, needs a clock that agrees: not taken.
fn retry_after(answer: &ProviderResponse) -> Option<Duration> {
    let seconds: u64 = answer.header("retry-after")?.trim().parse().ok()?;
    Some(Duration::from_secs(seconds).min(RETRY_AFTER_MAX))
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::{Code, ProviderName, ProviderResponse, problem};

    #[track_caller]
    fn check(provider: ProviderName, status: u16, header: (&str, &str), body: &str, code: Code, words: &str) {
        let headers = vec![(header.0.to_owned(), header.1.to_owned())];
        let answer = ProviderResponse { status, headers, body: Bytes::from(body.to_owned()) };
        let problem = problem(provider, &answer);
        assert_eq!((problem.code, problem.http_status), (code, Some(status)), "{problem}");
        assert!(problem.message.contains(words), "{problem}");
    }

    #[test]
    fn refusals_say_what_to_do() {
        let none = ("x", "y");
        check(ProviderName::Searxng, 403, none, "", Code::SearchFailed, "search.formats");
        check(
            ProviderName::Tavily,
            401,
            none,
            r#"{"detail":{"error":"bad key"}}"#,
            Code::SearchFailed,
            "bad key",
        );
        check(ProviderName::Tavily, 432, none, "{}", Code::QuotaExhausted, "used up");
        check(ProviderName::Exa, 402, none, r#"{"error":"no credit"}"#, Code::QuotaExhausted, "no credit");
        check(
            ProviderName::Brave,
            429,
            none,
            r#"{"error":{"code":"QUOTA_LIMITED"}}"#,
            Code::QuotaExhausted,
            "used up",
        );
        check(
            ProviderName::Brave,
            429,
            none,
            r#"{"error":{"code":"RATE_LIMITED"}}"#,
            Code::RateLimited,
            "no more",
        );
        check(
            ProviderName::Brave,
            422,
            none,
            r#"{"error":{"code":"SUBSCRIPTION_TOKEN_INVALID"}}"#,
            Code::SearchFailed,
            "key",
        );
        check(ProviderName::Github, 403, ("x-ratelimit-remaining", "0"), "{}", Code::RateLimited, "no more");
        check(ProviderName::Github, 403, none, "{}", Code::SearchFailed, "refused");
        check(ProviderName::Wikipedia, 301, none, "", Code::SearchFailed, "not at this address");
        check(ProviderName::Crossref, 503, none, "<html>", Code::SearchFailed, "failing");
        check(ProviderName::Pubmed, 418, none, "[1]", Code::SearchFailed, "418");
        let envelope = r#"{"error":{"code":"cap","message":"m","window":"hour","retry_after_seconds":1800}}"#;
        check(ProviderName::TavilyKeyless, 429, none, envelope, Code::QuotaExhausted, "for the hour");
    }

    #[test]
    fn waits_are_read_and_bounded() {
        let wait = |header: &str, body: &str| {
            let headers = vec![("retry-after".to_owned(), header.to_owned())];
            let answer = ProviderResponse { status: 429, headers, body: Bytes::from(body.to_owned()) };
            problem(ProviderName::TavilyKeyless, &answer).retry_after_ms
        };
        assert_eq!(wait("7", ""), Some(7_000));
        assert_eq!(wait("99999999999999", ""), Some(31 * 24 * 60 * 60 * 1_000));
        assert_eq!(wait("Sun, 15 Nov 2026 12:00:00 GMT", ""), None);
        assert_eq!(wait("7", r#"{"error":{"code":"c","retry_after_seconds":1e300}}"#), None);
        assert_eq!(wait("7", r#"{"error":{"code":"c","retry_after_seconds":-4}}"#), None);
    }
}
