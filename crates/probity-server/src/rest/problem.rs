//! Refusals as RFC 9457 problem details, with our code and the hint. An internal error is answered without
//! its message: that is in the log.

use axum::{
    Json,
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use probity_research::{Code, CodedError, query::QUERY_BYTES_MAX};
use schemars::JsonSchema;
use serde::Serialize;

use crate::oauth::TokenRefusal;

const PROBLEM_JSON: HeaderValue = HeaderValue::from_static("application/problem+json");
/// `Retry-After` of errors that pass by themselves.
const RETRY_SECONDS: &str = "5";

/// The body of every refusal.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Problem")]
pub(super) struct ProblemBody {
    /// Where the code is explained
    #[serde(rename = "type")]
    kind: String,
    title: &'static str,
    status: u16,
    detail: String,
    /// Stable; branch on this
    code: &'static str,
    /// The next step
    hint: String,
}

/// An error on its way to the client.
#[derive(Debug)]
pub(crate) struct ApiError {
    problem: CodedError,
    status: StatusCode,
    hint: String,
}

impl ApiError {
    /// A research has ended without what is asked for: the code is that of its end, not of this request, which nothing is
    /// wrong with and which a later one does not mend.
    pub(crate) fn of_ended_run(problem: CodedError) -> Self {
        let hint = "there will be no report; GET /v1/researches/{id} says what it cost, POST /v1/researches starts another";
        Self { problem, status: StatusCode::CONFLICT, hint: hint.to_owned() }
    }
}

impl From<CodedError> for ApiError {
    fn from(problem: CodedError) -> Self {
        let (status, hint) = (status(problem.code), hint(problem.code));
        Self { problem, status, hint }
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let Self { problem, status, hint } = self;
        let detail = if status.is_server_error() {
            tracing::warn!(code = %problem.code, cause = problem.message, "request failed");
            "the service cannot do this just now".to_owned()
        } else {
            problem.message
        };
        let mut response = problem_response(status, problem.code, detail, hint);
        let passes = matches!(status, StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE)
            || problem.code == Code::NotFinished;
        if passes {
            let asked = problem.retry_after_ms.map(|wait| wait.div_ceil(1_000).max(1).to_string());
            let seconds = asked.and_then(|seconds| HeaderValue::from_str(&seconds).ok());
            let seconds = seconds.unwrap_or(HeaderValue::from_static(RETRY_SECONDS));
            response.headers_mut().insert(header::RETRY_AFTER, seconds);
        }
        response
    }
}

/// A caller without a valid token, or without the scope.
pub(crate) fn refusal_response(refusal: TokenRefusal, challenge: HeaderValue) -> Response {
    let (status, code, detail) = match refusal {
        TokenRefusal::NoToken | TokenRefusal::BadToken => {
            (StatusCode::UNAUTHORIZED, Code::Unauthorised, "there is no valid key or token".to_owned())
        }
        TokenRefusal::MissingScope(scope) => {
            (StatusCode::FORBIDDEN, Code::ScopeMissing, format!("this needs the scope {scope}"))
        }
    };
    let mut response = problem_response(status, code, detail, hint(code));
    response.headers_mut().insert(header::WWW_AUTHENTICATE, challenge);
    response
}

/// The same refusal with a problem body.
pub(crate) fn add_problem_body(refusal: Response) -> Response {
    let status = refusal.status();
    let (code, detail) = match status {
        StatusCode::TOO_MANY_REQUESTS => (Code::RateLimited, "too many requests"),
        StatusCode::SERVICE_UNAVAILABLE => (Code::StoreBusy, "the service cannot do this just now"),
        StatusCode::PAYLOAD_TOO_LARGE => (Code::InvalidArguments, "the body is too large"),
        StatusCode::REQUEST_TIMEOUT => (Code::Timeout, "the body did not come in time"),
        _ => (Code::InvalidArguments, "the body could not be read"),
    };
    let mut response = problem_response(status, code, detail.to_owned(), hint(code));
    if let Some(wait) = refusal.headers().get(header::RETRY_AFTER) {
        response.headers_mut().insert(header::RETRY_AFTER, wait.clone());
    }
    response
}

fn problem_response(status: StatusCode, code: Code, detail: String, hint: String) -> Response {
    let body = ProblemBody {
        kind: format!("/v1/errors/{code}"),
        title: status.canonical_reason().unwrap_or("refused"),
        status: status.as_u16(),
        detail,
        code: code.as_str(),
        hint,
    };
    (status, [(header::CONTENT_TYPE, PROBLEM_JSON)], Json(body)).into_response()
}

fn status(code: Code) -> StatusCode {
    match code {
        Code::InvalidQuery
        | Code::InvalidArguments
        | Code::UnknownAgent
        | Code::UnknownModel
        | Code::UnknownEngine
        | Code::AddressRefused
        | Code::OutputPath
        | Code::Settings => StatusCode::BAD_REQUEST,
        Code::Unauthorised => StatusCode::UNAUTHORIZED,
        Code::Budget | Code::DayLimit => StatusCode::PAYMENT_REQUIRED,
        Code::ScopeMissing => StatusCode::FORBIDDEN,
        Code::NotFound => StatusCode::NOT_FOUND,
        Code::NotFinished | Code::AlreadyEnded | Code::EmptyReport => StatusCode::CONFLICT,
        Code::KeyReused => StatusCode::UNPROCESSABLE_ENTITY,
        Code::RateLimited => StatusCode::TOO_MANY_REQUESTS,
        Code::StoreCorrupt => StatusCode::INTERNAL_SERVER_ERROR,
        _ => StatusCode::SERVICE_UNAVAILABLE,
    }
}

/// The hint for a client of this API.
pub(super) fn hint(code: Code) -> String {
    match code {
        Code::InvalidQuery => format!("send one question of at most {QUERY_BYTES_MAX} bytes"),
        Code::InvalidArguments => "compare the request with /v1/openapi.json".to_owned(),
        Code::UnknownAgent => "send one of the known names, or none".to_owned(),
        Code::NotFound => "list what is there: GET /v1/researches".to_owned(),
        Code::NotFinished => "follow GET /v1/researches/{id}/events, then ask again".to_owned(),
        Code::AlreadyEnded => "read it: GET /v1/researches/{id}/report".to_owned(),
        Code::RateLimited => "wait as long as Retry-After says".to_owned(),
        Code::Budget => "send a higher `max_cost_usd`, or ask something smaller".to_owned(),
        Code::DayLimit => {
            "wait if `detail` says when there is room again: each research counts for 24 hours; else ask for less, or \
             ask the operator for a higher limit"
                .to_owned()
        }
        code if status(code).is_server_error() => "ask again later".to_owned(),
        code => code.hint().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use probity_research::{Code, CodedError};

    use super::{ApiError, hint, status};
    use axum::response::IntoResponse as _;

    #[test]
    fn every_code_has_a_status_and_a_next_step() {
        for code in Code::ALL {
            assert!(status(*code).as_u16() >= 400 && !hint(*code).is_empty(), "{code}");
        }
    }

    #[tokio::test]
    async fn a_run_without_a_report_is_told_by_its_own_code_and_no_trouble_of_ours() {
        let problem = CodedError::new(Code::Deadline, "the research ran out of time and has no report");
        let response = ApiError::of_ended_run(problem).into_response();
        assert_eq!(
            (response.status().as_u16(), response.headers().contains_key("retry-after")),
            (409, false)
        );
        let body = axum::body::to_bytes(response.into_body(), 10_000).await.unwrap();
        let body = String::from_utf8(body.to_vec()).unwrap();
        assert!(body.contains("DEADLINE") && body.contains("ran out of time"), "{body}");
    }

    #[tokio::test]
    async fn trouble_of_our_own_is_told_without_its_inner_words() {
        let problem = CodedError::new(Code::StoreFailed, "connection to 10.0.0.7 as probity_rw refused");
        let response = ApiError::from(problem).into_response();
        assert_eq!((response.status().as_u16(), response.headers().contains_key("retry-after")), (503, true));
        let body = axum::body::to_bytes(response.into_body(), 10_000).await.unwrap();
        let body = String::from_utf8(body.to_vec()).unwrap();
        assert!(!body.contains("10.0.0.7") && body.contains("STORE_FAILED"), "{body}");
    }
}
