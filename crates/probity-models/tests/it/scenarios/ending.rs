//! How runs end, are cancelled and are removed.

use expect_test::{Expect, expect};
use probity_research::{
    engine_call::{EngineOutcome, RemoteResult},
    ports::Engine as _,
};
use probity_simulator::{Fault, FaultKind, FaultRoute};

use super::{LONG, started};
use crate::driver::{FollowMethod, ended, shown};

/// Create, let time pass, look once.
async fn check_end(query: &str, expected: &Expect) -> RemoteResult {
    let mut driver = started(FollowMethod::Poll, query).await;
    driver.pass(LONG);
    let finished = driver.finished().await;
    expected.assert_eq(&ended(&finished));
    finished
}

#[tokio::test]
async fn several_output_blocks_are_one_report_with_byte_exact_citations() {
    let finished = check_end(
        "[[completed]] Gezeiten – größer?",
        &expect![[r#"
        Completed: 623 bytes, 6 citations, 4 sources, 6 queries
        370800 tokens, 6 searches billed, 18 steps"#]],
    )
    .await;
    let report = &finished.report;
    let cited: Vec<String> = report
        .citations
        .iter()
        .map(|citation| {
            format!(
                "{} -> {}",
                report.text.get(citation.start..citation.end).unwrap(),
                report.sources[citation.source].title
            )
        })
        .collect();
    expect![[r#"
        The first deployment was in 2015 -> source-0.example.com
        Finding 1 is stated by source 1 -> Source 1
        Finding 2 is stated by source 2 -> Source 2
        Finding 3 is stated by source 3 -> Source 3
        Später folgte die zweite Generation – 4096 Einheiten -> Source 1
        日本語の資料も同じ数を示す -> Source 2"#]]
    .assert_eq(&cited.join("\n"));
    let raw: serde_json::Value = serde_json::from_slice(&finished.raw).unwrap();
    assert_eq!(raw["status"], "completed");
}

#[tokio::test]
async fn cancel_ok() {
    let mut driver = started(FollowMethod::Stream, "[[cancel-ok duration_ms=2000]] tides").await;
    driver.pass(1_000);
    driver.follow().await;
    drop(driver.requests());
    expect!["CancelAccepted"].assert_eq(&shown(&driver.cancel().await));
    assert_eq!(driver.engine.streams_open(), 0);
    expect![[r#"
        Cancelled: 0 bytes, 0 citations, 1 sources, 6 queries
        185400 tokens, 6 searches billed, 9 steps"#]]
    .assert_eq(&shown(&driver.collect().await));
    expect![[r#"
        Post /v1/interactions/ID/cancel
        Get /v1/interactions/ID?stream=false"#]]
    .assert_eq(&driver.requests());
}

#[tokio::test]
async fn cancel_400() {
    let driver = started(FollowMethod::Poll, "[[cancel-400 duration_ms=2000]] tides").await;
    driver.pass(1_000);
    expect!["CancelRefused BAD_REQUEST 400: the provider answered 400: There was a problem processing your request."].assert_eq(&shown(&driver.cancel().await));
    expect![[r#"
        Seen in_progress steps 9 searches 6 pages 1 cursor Some("evt_0001") text 0
        thinking: Planning
        searching: tides overview 0
        searching: tides evidence 0
        reading: source-0.example.com/page
        thinking: Reading
        searching: tides overview 1
        searching: tides evidence 1
        searching: tides overview 2
        searching: tides evidence 2"#]]
    .assert_eq(&shown(&driver.collect().await));
}

#[tokio::test]
async fn cancel_404_array() {
    let driver = started(FollowMethod::Poll, "[[cancel-404-array]] tides").await;
    expect!["CancelRefused NOT_FOUND 404: the provider answered 404: Method not found."]
        .assert_eq(&shown(&driver.cancel().await));
}

#[tokio::test]
async fn cancel_lag() {
    let driver = started(FollowMethod::Poll, "[[cancel-lag]] tides").await;
    expect!["CancelAccepted"].assert_eq(&shown(&driver.cancel().await));
    expect![[r#"
        Seen in_progress steps 0 searches 0 pages 0 cursor Some("evt_0001") text 0
    "#]]
    .assert_eq(&shown(&driver.collect().await));
    driver.pass(LONG);
    expect![[r#"
        Cancelled: 0 bytes, 0 citations, 0 sources, 0 queries
        0 tokens, 0 searches billed, 0 steps"#]]
    .assert_eq(&shown(&driver.collect().await));
}

#[tokio::test]
async fn a_cancel_that_does_not_get_through_is_no_refusal() {
    let driver = started(FollowMethod::Poll, "[[slow]] tides").await;
    for kind in [FaultKind::Status(503), FaultKind::RetryAfter(2), FaultKind::Drop] {
        driver.simulator.handle().add_fault(Fault { route: FaultRoute::Cancel, kind, times: 1 });
    }
    expect!["Unreachable PROVIDER_UNAVAILABLE 503: the provider answered 503: The model is overloaded. Please try again later."].assert_eq(&shown(&driver.cancel().await));
    expect!["Unreachable RATE_LIMITED 429 wait 2000 ms: the provider answered 429: Too many requests."]
        .assert_eq(&shown(&driver.cancel().await));
    assert!(matches!(driver.cancel().await, EngineOutcome::Unreachable(_)));
}

#[tokio::test]
async fn usage_missing() {
    let finished = check_end(
        "[[usage-missing]] tides",
        &expect![[r#"
        Completed: 606 bytes, 6 citations, 4 sources, 6 queries
        no usage, 18 steps"#]],
    )
    .await;
    assert_eq!(finished.usage, None);
}

#[tokio::test]
async fn requires_action_but_finished() {
    check_end(
        "[[requires-action-finished]] tides",
        &expect![[r#"
        Completed: 184 bytes, 4 citations, 4 sources, 0 queries
        61800 tokens, 0 searches billed, 3 steps"#]],
    )
    .await;
}

#[tokio::test]
async fn unknown_words_everywhere() {
    let mut driver = started(FollowMethod::Stream, "[[unknown-enums partial=true]] tides").await;
    driver.engine.release_run(driver.research.id);
    expect![[r#"
        Seen weird_new_status steps 0 searches 0 pages 0 cursor Some("evt_0001") text 0
    "#]]
    .assert_eq(&shown(&driver.collect().await));
    driver.pass(LONG);
    expect![[r#"
        Completed: 611 bytes, 6 citations, 4 sources, 6 queries
        412000 tokens, 6 searches billed, 20 steps"#]]
    .assert_eq(&shown(&driver.follow().await));
    expect![[r#"
        Get /v1/interactions/ID?stream=false
        Get /v1/interactions/ID?stream=true&last_event_id=evt_0001
        Get /v1/interactions/ID?stream=false"#]]
    .assert_eq(&driver.requests());
}

#[tokio::test]
async fn failed() {
    check_end(
        "[[failed]] tides",
        &expect![[r#"
        Failed: 0 bytes, 0 citations, 0 sources, 0 queries
        no usage, 0 steps
        PROVIDER_FAILED: the provider ended the run as `failed`: The research agent failed."#]],
    )
    .await;
}

#[tokio::test]
async fn incomplete() {
    check_end(
        "[[incomplete]] tides",
        &expect![[r#"
        Incomplete: 0 bytes, 0 citations, 2 sources, 6 queries
        309000 tokens, 6 searches billed, 15 steps
        INCOMPLETE: the provider ended the run as `incomplete`"#]],
    )
    .await;
}

#[tokio::test]
async fn budget_exceeded() {
    check_end(
        "[[budget-exceeded]] tides",
        &expect![[r#"
        Incomplete: 184 bytes, 4 citations, 4 sources, 6 queries
        329600 tokens, 6 searches billed, 16 steps
        INCOMPLETE: the provider ended the run as `budget_exceeded`"#]],
    )
    .await;
}

#[tokio::test]
async fn empty_report() {
    let finished = check_end(
        "[[empty-report]] tides",
        &expect![[r#"
        Completed: 0 bytes, 0 citations, 2 sources, 6 queries
        309000 tokens, 6 searches billed, 15 steps"#]],
    )
    .await;
    assert!(finished.report.is_empty());
}

#[tokio::test]
async fn huge() {
    let finished = check_end(
        "[[huge]] tides",
        &expect![[r#"
        Completed: 2031978 bytes, 31 citations, 31 sources, 6 queries
        947600 tokens, 6 searches billed, 46 steps"#]],
    )
    .await;
    let last = finished.report.citations.last().unwrap();
    assert_eq!(finished.report.text.get(last.start..last.end).unwrap(), "Block 30 beginnt");
}

#[tokio::test]
async fn huge_is_followed_on_a_stream_too() {
    let mut driver = started(FollowMethod::Stream, "[[huge]] tides").await;
    driver.pass(1_990);
    let EngineOutcome::Running(sighting) = driver.follow().await else { panic!("ended") };
    assert!(sighting.so_far.unwrap().text.len() > 1_000_000);
    driver.pass(LONG);
    assert!(matches!(driver.follow().await, EngineOutcome::Finished(_)));
}

#[tokio::test]
async fn delete_removes_a_run_and_is_content_when_it_is_gone() {
    let mut driver = started(FollowMethod::Poll, "[[completed]] tides").await;
    let remote_id = driver.remote_id();
    assert_eq!(driver.engine.delete(&remote_id).await, Ok(()));
    assert_eq!(driver.engine.delete(&remote_id).await, Ok(()));
    expect![[r#"
        Delete /v1/interactions/ID
        Delete /v1/interactions/ID"#]]
    .assert_eq(&driver.requests());
    assert!(matches!(driver.follow().await, EngineOutcome::NotThere(_)));
}
