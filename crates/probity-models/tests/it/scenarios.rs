//! Every scenario the simulator has, through the engine, with the requests it costs.
//! Here: following. Starting and ending have files of their own.

mod creating;
mod ending;

use expect_test::expect;
use probity_research::{engine_call::EngineOutcome, ports::Engine as _};
use probity_simulator::{Fault, FaultKind, FaultRoute};

use crate::driver::{DeepResearchHarness, FollowMethod, ended, shown};

/// World time after which every scenario without a longer one of its own has ended.
const LONG: u64 = 10_000;

async fn started(by: FollowMethod, query: &str) -> DeepResearchHarness {
    let mut driver = DeepResearchHarness::new(by, query).await;
    driver.start().await;
    drop(driver.requests());
    driver
}

#[tokio::test]
async fn a_stream_that_came_with_the_create_is_followed_to_the_end_without_another_request_for_it() {
    let mut driver = started(FollowMethod::Stream, "[[completed]] tides").await;
    assert_eq!(driver.engine.streams_open(), 1);
    driver.pass(900);
    let seen = driver.follow().await;
    expect![[r#"
        Seen in_progress steps 8 searches 4 pages 1 cursor Some("evt_0028") text 0
        thinking: Planning
        searching: tides overview 0
        searching: tides evidence 0
        reading: source-0.example.com/page
        thinking: Reading
        searching: tides overview 1
        searching: tides evidence 1"#]]
    .assert_eq(&shown(&seen));
    assert_eq!(driver.requests(), "");
    driver.pass(LONG);
    let finished = driver.finished().await;
    expect![[r#"
        Completed: 606 bytes, 6 citations, 4 sources, 6 queries
        370800 tokens, 6 searches billed, 18 steps"#]]
    .assert_eq(&ended(&finished));
    expect!["Get /v1/interactions/ID?stream=false"].assert_eq(&driver.requests());
    assert_eq!(driver.engine.streams_open(), 0);
    let stats = driver.simulator.handle().stats();
    assert_eq!((stats.creates, stats.resumes, stats.gets), (1, 0, 1));
}

#[tokio::test]
async fn slow() {
    let mut driver = started(FollowMethod::Poll, "[[slow]] tides").await;
    let seen = driver.follow().await;
    expect![[r#"
        Seen in_progress steps 0 searches 0 pages 0 cursor Some("evt_0001") text 0
    "#]]
    .assert_eq(&shown(&seen));
    expect!["Get /v1/interactions/ID?stream=false"].assert_eq(&driver.requests());
}

#[tokio::test]
async fn queued() {
    let mut driver = started(FollowMethod::Poll, "[[queued]] tides").await;
    expect![[r#"
        Seen queued steps 0 searches 0 pages 0 cursor Some("evt_0001") text 0
    "#]]
    .assert_eq(&shown(&driver.follow().await));
    driver.pass(LONG);
    expect![[r#"
        Completed: 606 bytes, 6 citations, 4 sources, 6 queries
        370800 tokens, 6 searches billed, 18 steps"#]]
    .assert_eq(&shown(&driver.follow().await));
}

#[tokio::test]
async fn partial_steps_are_seen_while_it_runs() {
    let mut driver = started(FollowMethod::Poll, "[[partial]] tides").await;
    driver.pass(1_000);
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
    .assert_eq(&shown(&driver.follow().await));
    driver.pass(700);
    let seen = driver.follow().await;
    expect![[r#"
        Seen in_progress steps 16 searches 6 pages 2 cursor Some("evt_0001") text 184
        reading: source-2.example.com/page
        thinking: Reading
        writing: report"#]]
    .assert_eq(&shown(&seen));
}

#[tokio::test]
async fn a_growing_report_is_seen_on_a_stream() {
    let mut driver = started(FollowMethod::Stream, "[[completed]] tides").await;
    driver.pass(1_800);
    let EngineOutcome::Running(sighting) = driver.follow().await else { panic!("ended") };
    let report = sighting.so_far.unwrap();
    assert!(report.text.starts_with("# tides\n\nThe first deployment was in 2015"), "{}", report.text);
    assert_eq!(
        report.text.get(report.citations[0].start..report.citations[0].end).unwrap(),
        "The first deployment was in 2015"
    );
    assert_eq!(sighting.progress.news.last().unwrap().sentence(), "writing: report");
}

#[tokio::test]
async fn a_stream_that_drops_falls_back_to_a_look_and_is_resumed_behind_its_last_event() {
    for query in ["[[drop-after]] tides", "[[drop-after clean=true]] tides"] {
        let mut driver = started(FollowMethod::Stream, query).await;
        driver.pass(900);
        expect![[r#"
            Seen in_progress steps 2 searches 2 pages 0 cursor Some("evt_0008") text 0
            thinking: Planning
            searching: tides overview 0
            searching: tides evidence 0"#]]
        .assert_eq(&shown(&driver.follow().await));
        let mut requests = driver.requests();
        if requests.is_empty() {
            // On a busy machine the end of the stream is only read by the next follow.
            driver.follow().await;
            requests = driver.requests();
        }
        expect!["Get /v1/interactions/ID?stream=false"].assert_eq(&requests);
        expect![[r#"
            Seen in_progress steps 8 searches 4 pages 1 cursor Some("evt_0028") text 0
            reading: source-0.example.com/page
            thinking: Reading
            searching: tides overview 1
            searching: tides evidence 1"#]]
        .assert_eq(&shown(&driver.follow().await));
        expect!["Get /v1/interactions/ID?stream=true&last_event_id=evt_0008"].assert_eq(&driver.requests());
        driver.pass(LONG);
        expect![[r#"
            Completed: 606 bytes, 6 citations, 4 sources, 6 queries
            370800 tokens, 6 searches billed, 18 steps"#]]
        .assert_eq(&shown(&driver.follow().await));
        expect!["Get /v1/interactions/ID?stream=false"].assert_eq(&driver.requests());
    }
}

#[tokio::test]
async fn without_event_ids_a_reopened_stream_starts_over_and_counts_do_not_go_back() {
    let mut driver = started(FollowMethod::Stream, "[[no-event-id]] tides").await;
    assert_eq!(driver.research.cursor, None);
    driver.pass(900);
    let first = shown(&driver.follow().await);
    assert!(first.starts_with("Seen in_progress steps 8 searches 4 pages 1 cursor None"), "{first}");
    driver.engine.release_run(driver.research.id);
    driver.pass(200);
    expect![[r#"
        Seen in_progress steps 10 searches 6 pages 1 cursor None text 0
        searching: tides overview 2
        searching: tides evidence 2"#]]
    .assert_eq(&shown(&driver.follow().await));
    expect!["Get /v1/interactions/ID?stream=true"].assert_eq(&driver.requests());
}

#[tokio::test]
async fn stuck() {
    let mut driver = started(FollowMethod::Poll, "[[stuck]] tides").await;
    driver.pass(2 * 3_600_000);
    let seen = driver.follow().await;
    expect![[r#"
        Seen in_progress steps 0 searches 0 pages 0 cursor Some("evt_0001") text 0
    "#]]
    .assert_eq(&shown(&seen));
}

#[tokio::test]
async fn early_404() {
    let mut driver = started(FollowMethod::Poll, "[[early-404]] tides").await;
    expect!["NotThere NOT_FOUND 404: the provider answered 404: Requested entity was not found."]
        .assert_eq(&shown(&driver.follow().await));
    driver.pass(LONG);
    expect![[r#"
        Completed: 606 bytes, 6 citations, 4 sources, 6 queries
        370800 tokens, 6 searches billed, 18 steps"#]]
    .assert_eq(&shown(&driver.follow().await));
}

#[tokio::test]
async fn early_403() {
    let mut driver = started(FollowMethod::Poll, "[[early-403]] tides").await;
    expect!["NotThere PERMISSION_DENIED 403: the provider answered 403: The caller does not have permission"]
        .assert_eq(&shown(&driver.follow().await));
    driver.pass(LONG);
    expect![[r#"
        Completed: 606 bytes, 6 citations, 4 sources, 6 queries
        370800 tokens, 6 searches billed, 18 steps"#]]
    .assert_eq(&shown(&driver.follow().await));
}

#[tokio::test]
async fn an_early_404_on_a_stream_is_not_there_too() {
    let mut driver = started(FollowMethod::Stream, "[[early-404]] tides").await;
    driver.engine.release_run(driver.research.id);
    expect!["NotThere NOT_FOUND 404: the provider answered 404: Requested entity was not found."]
        .assert_eq(&shown(&driver.follow().await));
    expect!["Get /v1/interactions/ID?stream=true&last_event_id=evt_0001"].assert_eq(&driver.requests());
}

#[tokio::test]
async fn gone_after_its_time() {
    let mut driver = started(FollowMethod::Poll, "[[expired]] tides").await;
    driver.pass(LONG);
    expect!["NotThere NOT_FOUND 404: the provider answered 404: Requested entity was not found."]
        .assert_eq(&shown(&driver.follow().await));
}

#[tokio::test]
async fn gone_after_200() {
    let mut driver = started(FollowMethod::Poll, "[[gone-after-200]] tides").await;
    expect![[r#"
        Seen in_progress steps 0 searches 0 pages 0 cursor Some("evt_0001") text 0
    "#]]
    .assert_eq(&shown(&driver.follow().await));
    expect!["NotThere NOT_FOUND 404: the provider answered 404: Requested entity was not found."]
        .assert_eq(&shown(&driver.follow().await));
}

#[tokio::test]
async fn html_for_a_run_says_nothing_about_it() {
    let mut driver = started(FollowMethod::Poll, "[[slow]] tides").await;
    let fault = Fault { route: FaultRoute::Get, kind: FaultKind::Html, times: 1 };
    driver.simulator.handle().add_fault(fault);
    expect!["Unreadable UNREADABLE_ANSWER 200: the provider's answer cannot be read: it is not an interaction in 71 bytes"]
        .assert_eq(&shown(&driver.follow().await));
    assert!(matches!(driver.follow().await, EngineOutcome::Running(_)));
}

#[tokio::test]
async fn broken_json_says_nothing_about_the_run() {
    let mut driver = started(FollowMethod::Poll, "[[garbage-get times=1]] tides").await;
    expect!["Unreadable UNREADABLE_ANSWER 200: the provider's answer cannot be read: it is not an interaction in 54 bytes"]
        .assert_eq(&shown(&driver.follow().await));
    driver.pass(LONG);
    assert!(matches!(driver.follow().await, EngineOutcome::Finished(_)));
}

#[tokio::test]
async fn troubles_of_a_look_are_unreachable_with_the_wait_asked_for() {
    let mut driver = started(FollowMethod::Poll, "[[slow]] tides").await;
    let kinds =
        [FaultKind::RetryAfter(3), FaultKind::Status(500), FaultKind::Status(401), FaultKind::Status(400)];
    for kind in kinds {
        driver.simulator.handle().add_fault(Fault { route: FaultRoute::Get, kind, times: 1 });
    }
    expect!["Unreachable RATE_LIMITED 429 wait 3000 ms: the provider answered 429: Too many requests."]
        .assert_eq(&shown(&driver.follow().await));
    expect![
        "Unreachable PROVIDER_UNAVAILABLE 500: the provider answered 500: An internal error has occurred."
    ]
    .assert_eq(&shown(&driver.follow().await));
    expect!["Unreachable KEY_REFUSED 401: the provider answered 401: API key not valid. Please pass a valid API key."].assert_eq(&shown(&driver.follow().await));
    expect!["Unreachable BAD_REQUEST 400: the provider answered 400: Request contains an invalid argument."]
        .assert_eq(&shown(&driver.follow().await));
    driver.simulator.handle().add_fault(Fault { route: FaultRoute::Get, kind: FaultKind::Drop, times: 1 });
    let lost = shown(&driver.follow().await);
    assert!(lost.starts_with("Unreachable NETWORK: "), "{lost}");
}

#[tokio::test]
async fn a_stream_that_cannot_be_opened_is_replaced_by_a_look() {
    let mut driver = started(FollowMethod::Stream, "[[slow]] tides").await;
    driver.engine.release_run(driver.research.id);
    driver.simulator.handle().add_fault(Fault {
        route: FaultRoute::Stream,
        kind: FaultKind::Status(500),
        times: 1,
    });
    assert!(matches!(driver.follow().await, EngineOutcome::Running(_)));
    expect![[r#"
        Get /v1/interactions/ID?stream=true&last_event_id=evt_0001
        Get /v1/interactions/ID?stream=false"#]]
    .assert_eq(&driver.requests());
    driver.simulator.handle().add_fault(Fault { route: FaultRoute::Stream, kind: FaultKind::Html, times: 1 });
    assert!(matches!(driver.follow().await, EngineOutcome::Running(_)));
    driver.simulator.handle().add_fault(Fault {
        route: FaultRoute::Stream,
        kind: FaultKind::RetryAfter(4),
        times: 1,
    });
    expect!["Unreachable RATE_LIMITED 429 wait 4000 ms: the provider answered 429: Too many requests."]
        .assert_eq(&shown(&driver.follow().await));
}

#[tokio::test]
async fn a_stream_error_is_not_the_runs() {
    let mut driver = started(FollowMethod::Stream, "[[stream-error]] tides").await;
    driver.pass(1_500);
    expect![[r#"
        Seen in_progress steps 9 searches 6 pages 1 cursor Some("evt_0031") text 0
        thinking: Planning
        searching: tides overview 0
        searching: tides evidence 0
        reading: source-0.example.com/page
        thinking: Reading
        searching: tides overview 1
        searching: tides evidence 1
        searching: tides overview 2
        searching: tides evidence 2"#]]
    .assert_eq(&shown(&driver.follow().await));
    expect!["Get /v1/interactions/ID?stream=false"].assert_eq(&driver.requests());
    driver.pass(LONG);
    assert!(matches!(driver.follow().await, EngineOutcome::Finished(_)));
}

#[tokio::test]
async fn crlf_framing_and_comments() {
    let mut driver = started(FollowMethod::Stream, "[[crlf]] tides").await;
    driver.pass(900);
    let seen = shown(&driver.follow().await);
    assert!(seen.starts_with("Seen in_progress steps 8 searches 4 pages 1"), "{seen}");
    driver.pass(LONG);
    assert!(matches!(driver.follow().await, EngineOutcome::Finished(_)));
}

#[tokio::test]
async fn a_stream_with_nothing_but_the_end() {
    let mut driver = started(FollowMethod::Stream, "[[stream-only-final]] tides").await;
    driver.pass(LONG);
    expect![[r#"
        Completed: 606 bytes, 6 citations, 4 sources, 6 queries
        370800 tokens, 6 searches billed, 18 steps"#]]
    .assert_eq(&shown(&driver.follow().await));
}

#[tokio::test]
async fn an_id_cannot_leave_its_place_in_the_address() {
    let mut driver = DeepResearchHarness::new(FollowMethod::Poll, "tides").await;
    driver.research.remote_id = Some("../models/x?key=1#a b".to_owned());
    assert!(matches!(driver.follow().await, EngineOutcome::NotThere(_)));
    driver.research.remote_id = None;
    expect!["Get /v1/interactions/%2E%2E%2Fmodels%2Fx%3Fkey%3D1%23a%20b?stream=false"]
        .assert_eq(&driver.requests());
}
