//! Error answers in the three shapes the service uses, and the bodies that are no JSON at all.

use std::time::Duration;

use bytes::Bytes;
use serde_json::{Value, json};

use crate::{call::SimulatorAnswer, scenario::BadLookKind};

/// What a client should wait, in the answers that say so.
const RETRY_SECONDS: &str = "1";
const RETRY_MILLISECONDS: &str = "150";
/// Where an answer breaks off: within the id.
const CUT_BYTES: usize = 12;
/// Between two pieces of a body that never ends.
const DRIP_PAUSE: Duration = Duration::from_millis(200);
const ENDLESS_PIECE_BYTES: usize = 64 * 1024;
/// A finished run, and not the one that was asked for.
const OTHER_RUN: &str = "{\"id\":\"v1_somebody_elses\",\"status\":\"completed\",\"steps\":[{\"type\":\"model_output\",\"content\":[{\"type\":\"text\",\"text\":\"Somebody else's report.\"}]}]}";

/// `{"error":{"message","code":"<word>"}}`: the shape of the Interactions API.
pub(crate) fn interactions(status: u16, code: &str, message: &str) -> SimulatorAnswer {
    whole(status, Vec::new(), &json!({"error": {"message": message, "code": code}}))
}

/// `{"error":{"code":<number>,"message","status"}}`: the shape of google.rpc.
pub(crate) fn rpc(status: u16, message: &str, word: &str) -> SimulatorAnswer {
    whole(status, Vec::new(), &json!({"error": {"code": status, "message": message, "status": word}}))
}

/// An error of this status as generateContent words it.
pub(crate) fn rpc_plain(status: u16) -> SimulatorAnswer {
    match status {
        400 => rpc(400, "Request contains an invalid argument.", "INVALID_ARGUMENT"),
        401 => rpc(401, "Request had invalid authentication credentials.", "UNAUTHENTICATED"),
        403 => rpc(403, "The caller does not have permission", "PERMISSION_DENIED"),
        404 => rpc(404, "The model is not found for this API version.", "NOT_FOUND"),
        500 => rpc(500, "An internal error has occurred.", "INTERNAL"),
        503 => overloaded(),
        _ => rpc(status, "The request could not be served.", "UNKNOWN"),
    }
}

/// The shape of google.rpc inside an array.
pub(crate) fn array(status: u16, message: &str, word: &str) -> SimulatorAnswer {
    whole(status, Vec::new(), &json!([{"error": {"code": status, "message": message, "status": word}}]))
}

pub(crate) fn invalid(message: &str) -> SimulatorAnswer {
    interactions(400, "invalid_request", message)
}

pub(crate) fn not_found() -> SimulatorAnswer {
    interactions(404, "not_found", "Requested entity was not found.")
}

pub(crate) fn denied() -> SimulatorAnswer {
    interactions(403, "permission_denied", "The caller does not have permission")
}

pub(crate) fn key_invalid() -> SimulatorAnswer {
    let message = "API key not valid. Please pass a valid API key.";
    let details = json!([{
        "@type": "type.googleapis.com/google.rpc.ErrorInfo",
        "reason": "API_KEY_INVALID",
        "domain": "googleapis.com",
        "metadata": {"service": "generativelanguage.googleapis.com"},
    }]);
    whole(
        400,
        Vec::new(),
        &json!({"error": {"code": 400, "message": message, "status": "INVALID_ARGUMENT", "details": details}}),
    )
}

/// An error of this status as the service would word it.
pub(crate) fn plain(status: u16) -> SimulatorAnswer {
    match status {
        400 => invalid("Request contains an invalid argument."),
        401 => interactions(401, "unauthenticated", "API key not valid. Please pass a valid API key."),
        403 => denied(),
        404 => not_found(),
        429 => interactions(429, "rate_limit_exceeded", "Too many requests."),
        500 => interactions(500, "internal_error", "An internal error has occurred."),
        503 => overloaded(),
        _ => interactions(status, "error", "The request could not be served."),
    }
}

pub(crate) fn overloaded() -> SimulatorAnswer {
    rpc(503, "The model is overloaded. Please try again later.", "UNAVAILABLE")
}

pub(crate) fn retry_after(seconds: &str) -> SimulatorAnswer {
    limited(vec![("retry-after".to_owned(), seconds.to_owned())])
}

pub(crate) fn retry_after_default() -> SimulatorAnswer {
    retry_after(RETRY_SECONDS)
}

pub(crate) fn retry_after_ms() -> SimulatorAnswer {
    limited(vec![("retry-after-ms".to_owned(), RETRY_MILLISECONDS.to_owned())])
}

/// 429 whose waiting time is in the body.
pub(crate) fn retry_info() -> SimulatorAnswer {
    quota("Quota exceeded. Please retry in 1s.", "GenerateRequestsPerMinutePerProjectPerModel", "1s")
}

/// 429 for a quota that comes back tomorrow.
pub(crate) fn daily() -> SimulatorAnswer {
    quota("You exceeded your current quota.", "GenerateRequestsPerDayPerProjectPerModel", "36000s")
}

/// HTML where JSON was expected, as a proxy in between would send it.
pub(crate) fn html(status: u16) -> SimulatorAnswer {
    SimulatorAnswer::Whole {
        status,
        headers: vec![("content-type".to_owned(), "text/html; charset=UTF-8".to_owned())],
        body: Bytes::from_static(b"<!DOCTYPE html><html><title>Error</title><p>That's an error.</p></html>"),
    }
}

/// The first bytes of an answer, with a length that promises all of it: the connection breaks there.
pub(crate) fn cut(answer: SimulatorAnswer, bytes: usize) -> SimulatorAnswer {
    match answer {
        SimulatorAnswer::Whole { status, mut headers, body } if bytes < body.len() => {
            headers.push(("content-length".to_owned(), body.len().to_string()));
            SimulatorAnswer::Whole { status, headers, body: body.slice(..bytes) }
        }
        other => other,
    }
}

/// What a call about a run gets in `bad-look`; `answer` is what it would have got.
pub(crate) fn bad_look(kind: BadLookKind, answer: SimulatorAnswer) -> SimulatorAnswer {
    match kind {
        BadLookKind::Html => html(200),
        BadLookKind::BadGateway => html(502),
        BadLookKind::Cut => cut(answer, CUT_BYTES),
        BadLookKind::Shape => json_body("[[1,2,3]]"),
        BadLookKind::NoStatus => json_body("{\"id\":null,\"steps\":[]}"),
        BadLookKind::OtherId => json_body(OTHER_RUN),
        BadLookKind::Redirect => SimulatorAnswer::Whole {
            status: 307,
            headers: vec![("location".to_owned(), "https://elsewhere.example/interactions".to_owned())],
            body: Bytes::from_static(b"moved"),
        },
        BadLookKind::Lost => SimulatorAnswer::Lost,
        BadLookKind::Hang => SimulatorAnswer::Hang,
        BadLookKind::Drip => SimulatorAnswer::Endless { piece: Bytes::from_static(b"{ "), pause: DRIP_PAUSE },
        BadLookKind::Endless => SimulatorAnswer::Endless {
            piece: Bytes::from_static(&[b' '; ENDLESS_PIECE_BYTES]),
            pause: Duration::ZERO,
        },
    }
}

/// A successful JSON answer.
pub(crate) fn json_body(body: impl Into<Bytes>) -> SimulatorAnswer {
    SimulatorAnswer::Whole { status: 200, headers: vec![json_type()], body: body.into() }
}

fn limited(headers: Vec<(String, String)>) -> SimulatorAnswer {
    whole(429, headers, &json!({"error": {"message": "Too many requests.", "code": "rate_limit_exceeded"}}))
}

fn quota(message: &str, quota_id: &str, delay: &str) -> SimulatorAnswer {
    let details = json!([
        {
            "@type": "type.googleapis.com/google.rpc.QuotaFailure",
            "violations": [{
                "quotaMetric": "generativelanguage.googleapis.com/generate_content_requests",
                "quotaId": quota_id,
            }],
        },
        {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": delay},
    ]);
    whole(
        429,
        Vec::new(),
        &json!({"error": {"code": 429, "message": message, "status": "RESOURCE_EXHAUSTED", "details": details}}),
    )
}

fn whole(status: u16, mut headers: Vec<(String, String)>, body: &Value) -> SimulatorAnswer {
    headers.push(json_type());
    SimulatorAnswer::Whole { status, headers, body: Bytes::from(body.to_string()) }
}

fn json_type() -> (String, String) {
    ("content-type".to_owned(), "application/json; charset=UTF-8".to_owned())
}
