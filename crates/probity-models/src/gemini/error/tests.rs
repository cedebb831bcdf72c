use expect_test::{Expect, expect};

use super::read;
use crate::transport::ResponseHeaders;

fn headers(retry_after: Option<&str>, retry_after_ms: Option<&str>) -> ResponseHeaders {
    ResponseHeaders {
        content_type: None,
        retry_after: retry_after.map(str::to_owned),
        retry_after_ms: retry_after_ms.map(str::to_owned),
        location: None,
    }
}

#[track_caller]
fn check_with(headers: &ResponseHeaders, status: u16, body: &str, expected: &Expect) {
    let refusal = read(status, headers, body.as_bytes());
    let problem = refusal.problem;
    assert_eq!(problem.http_status, Some(status));
    let wait = problem.retry_after_ms.map_or(String::new(), |wait| format!(" wait {wait} ms"));
    expected.assert_eq(&format!("{:?} {}{wait}: {}", refusal.proof, problem.code, problem.message));
}

#[track_caller]
fn check(status: u16, body: &str, expected: &Expect) {
    check_with(&ResponseHeaders::default(), status, body, expected);
}

#[test]
fn the_three_shapes_are_read() {
    check(
        400,
        include_str!("../../../tests/fixtures/error_400_interactions_shape.json"),
        &expect![
            "NothingStarted BAD_REQUEST: the provider answered 400: Request contains an invalid argument."
        ],
    );
    check(
        404,
        include_str!("../../../tests/fixtures/error_404_array_shape.json"),
        &expect!["NothingStarted NOT_FOUND: the provider answered 404: Method not found."],
    );
    check(
        429,
        include_str!("../../../tests/fixtures/error_429_google_rpc_shape.json"),
        &expect![
            "NothingStarted QUOTA_EXHAUSTED wait 1000 ms: the provider answered 429: Quota exceeded. Please retry in 1s."
        ],
    );
}

#[test]
fn a_body_that_is_no_json_is_still_a_refusal() {
    for (status, body) in
        [(502, "<!DOCTYPE html><p>Bad gateway"), (403, ""), (418, "[]"), (400, "{\"error\":7}")]
    {
        let refusal = read(status, &ResponseHeaders::default(), body.as_bytes());
        assert_eq!(refusal.proof, super::StartProof::None, "{body}");
    }
    check(
        502,
        "<html>",
        &expect!["None PROVIDER_UNAVAILABLE: the provider answered 502 with something that is not its JSON"],
    );
}

#[test]
fn a_bad_key_is_recognised_in_both_of_its_forms() {
    let reason = r#"{"error":{"code":400,"message":"no","details":[{"reason":"API_KEY_INVALID"}]}}"#;
    check(400, reason, &expect!["None KEY_REFUSED: the provider answered 400: no"]);
    check(
        401,
        "",
        &expect!["None KEY_REFUSED: the provider answered 401 with something that is not its JSON"],
    );
    check(
        403,
        r#"{"error":{"message":"closed"}}"#,
        &expect!["None PERMISSION_DENIED: the provider answered 403: closed"],
    );
}

#[test]
fn the_longest_of_three_waits_counts_and_is_capped() {
    let body = r#"{"error":{"message":"slow","details":[{"retryDelay":"1.5s"}]}}"#;
    check(429, body, &expect!["None RATE_LIMITED wait 1500 ms: the provider answered 429: slow"]);
    check_with(
        &headers(Some("2"), Some("150")),
        429,
        body,
        &expect!["None RATE_LIMITED wait 2000 ms: the provider answered 429: slow"],
    );
    check_with(
        &headers(Some("Fri, 13 Nov 2026 12:00:00 GMT"), Some("2750")),
        503,
        body,
        &expect!["None PROVIDER_UNAVAILABLE wait 2750 ms: the provider answered 503: slow"],
    );
    for absurd in ["86400", "1e300", "99999999999"] {
        let problem = read(429, &headers(Some(absurd), None), b"").problem;
        assert!(problem.retry_after_ms.is_none_or(|wait| wait == 600_000), "{absurd}: {problem:?}");
    }
    for nonsense in ["-1", "NaN", "soon", ""] {
        assert_eq!(read(429, &headers(Some(nonsense), None), b"").problem.retry_after_ms, None, "{nonsense}");
    }
}
