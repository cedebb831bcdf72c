//! Faults that a provider returns before it processed anything, in its own format where it is known.

use serde_json::{Value, json};

use super::{Provider, whole};
use crate::{call::SimulatorAnswer, web::fault::WebFaultKind};

pub(super) fn fault_answer(provider: Provider, fault: WebFaultKind) -> Option<SimulatorAnswer> {
    match fault {
        WebFaultKind::Status(status) => Some(refuse(provider, status, &[])),
        WebFaultKind::RetryAfter(seconds) => {
            Some(refuse(provider, 429, &[("retry-after", &seconds.to_string())]))
        }
        WebFaultKind::Cap => Some(cap(provider)),
        WebFaultKind::Html => {
            Some(whole(200, &[], "<!doctype html><title>Sign in</title>".to_owned(), "text/html"))
        }
        WebFaultKind::Drop => Some(SimulatorAnswer::Lost),
        WebFaultKind::Hang => Some(SimulatorAnswer::Hang),
        WebFaultKind::Slow(_)
        | WebFaultKind::Garbage
        | WebFaultKind::Empty
        | WebFaultKind::Partial
        | WebFaultKind::Lost => None,
    }
}

fn refuse(provider: Provider, status: u16, headers: &[(&str, &str)]) -> SimulatorAnswer {
    whole(status, headers, error_body(provider, status).to_string(), "application/json")
}

fn error_body(provider: Provider, status: u16) -> Value {
    let message = format!("refused with {status} on purpose");
    match provider {
        Provider::Tavily | Provider::TavilyKeyless => json!({"detail": {"error": message}}),
        Provider::Brave => json!({
            "type": "ErrorResponse",
            "error": {"id": "00000000", "status": status, "code": "RATE_LIMITED", "detail": message},
        }),
        Provider::Firecrawl => json!({"success": false, "error": message}),
        Provider::Exa => json!({"requestId": "r-0", "error": message, "tag": "ON_PURPOSE"}),
        _ => json!({"message": message}),
    }
}

/// The allowance is used up.
fn cap(provider: Provider) -> SimulatorAnswer {
    let (status, body) = match provider {
        Provider::TavilyKeyless => (
            429,
            json!({"error": {
                "code": "keyless_hourly_cap_reached",
                "message": "The hourly limit of keyless access is reached.",
                "window": "hour",
                "retry_after_seconds": 1800,
                "next_actions": [{"type": "sign_up", "url": "https://app.tavily.com"}],
            }}),
        ),
        Provider::Tavily => {
            (432, json!({"detail": {"error": "This request exceeds your plan's set usage limit."}}))
        }
        Provider::Exa => {
            (402, json!({"requestId": "r-0", "error": "Insufficient credits", "tag": "NO_MORE_CREDITS"}))
        }
        Provider::Firecrawl => {
            (402, json!({"success": false, "error": "Payment Required: Insufficient credits"}))
        }
        Provider::Brave => (
            429,
            json!({
                "type": "ErrorResponse",
                "error": {"id": "0", "status": 429, "code": "QUOTA_LIMITED", "detail": "Request quota limit exceeded"},
            }),
        ),
        Provider::Github => (403, json!({"message": "API rate limit exceeded for 127.0.0.1."})),
        other => (429, error_body(other, 429)),
    };
    let github: &[(&str, &str)] = &[("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "1794657660")];
    let headers = if provider == Provider::Github { github } else { &[] };
    whole(status, headers, body.to_string(), "application/json")
}
