//! The paid call: what is sent, what is proof of a refusal, and what is uncertain.

use expect_test::{Expect, expect};
use probity_research::{engine_call::EngineOutcome, plan::TurnKind};
use probity_simulator::{Fault, FaultKind, FaultRoute};

use super::{LONG, started};
use crate::driver::{DeepResearchHarness, FollowMethod, shown};

async fn check_create(query: &str, expected: &Expect) -> DeepResearchHarness {
    let mut driver = DeepResearchHarness::new(FollowMethod::Stream, query).await;
    let finding = driver.create().await;
    expected.assert_eq(&shown(&finding));
    driver
}

#[tokio::test]
async fn a_create_sends_exactly_this() {
    let mut driver = DeepResearchHarness::new(FollowMethod::Poll, "[[completed]] why is the sky blue?").await;
    let finding = driver.create().await;
    expect![[r#"Started at Some("evt_0001")"#]].assert_eq(&shown(&finding));
    expect![[r#"
        Post /v1/interactions on its own connection
        {"agent":"deep-research-preview-04-2026","input":"[[completed]] why is the sky blue?","stream":true,"background":true,"store":true,"agent_config":{"type":"deep-research","thinking_summaries":"auto","visualization":"off","collaborative_planning":false},"labels":{"task":"res_00000000000000000000000000000007"}}"#]].assert_eq(&driver.requests());
    let ledger = driver.simulator.handle().ledger();
    assert_eq!(ledger.entries().len(), 1);
    assert_eq!(ledger.entries()[0].task.as_deref(), Some("res_00000000000000000000000000000007"));
}

#[tokio::test]
async fn plan_refine_execute_and_a_further_question() {
    let mut driver = DeepResearchHarness::new(FollowMethod::Poll, "unused").await;
    driver.ask("[[plan]] tides", TurnKind::Planning, None);
    driver.start().await;
    driver.pass(LONG);
    let plan = driver.finished().await;
    expect![[r#"
        ## Research plan
        1. Survey tides
        2. Compare the sources
        3. Write the report
    "#]]
    .assert_eq(&plan.report.text);
    let planned = driver.remote_id();
    drop(driver.requests());

    driver.ask("less theory", TurnKind::Planning, Some(planned.clone()));
    driver.start().await;
    let requests = driver.requests().replace(&planned, "PLANNED");
    expect![[r#"
        Post /v1/interactions on its own connection
        {"agent":"deep-research-preview-04-2026","input":"less theory","stream":true,"background":true,"store":true,"agent_config":{"type":"deep-research","thinking_summaries":"auto","visualization":"off","collaborative_planning":true},"previous_interaction_id":"PLANNED","labels":{"task":"res_00000000000000000000000000000008"}}"#]].assert_eq(&requests);
    driver.pass(LONG);
    let refined = driver.finished().await;
    assert!(refined.report.text.starts_with("## Research plan (revision 1)"), "{}", refined.report.text);

    let refined_id = driver.remote_id();
    driver.ask("go ahead", TurnKind::Research, Some(refined_id));
    driver.start().await;
    assert!(driver.requests().contains("\"collaborative_planning\":false"));
    driver.pass(LONG);
    let report = driver.finished().await;
    assert!(report.report.text.contains("As planned, the sources were compared."), "{}", report.report.text);

    let executed = driver.remote_id();
    driver.ask("[[follow-up]] and neap tides?", TurnKind::FollowUp, Some(executed.clone()));
    driver.start().await;
    expect![[r#"
        Get /v1/interactions/EXECUTED?stream=false
        Post /v1/interactions on its own connection
        {"model":"gemini-3.8-flash","input":"[[follow-up]] and neap tides?","stream":true,"background":true,"store":true,"previous_interaction_id":"EXECUTED","labels":{"task":"res_00000000000000000000000000000008"}}"#]].assert_eq(&driver.requests().replace(&executed, "EXECUTED"));
    driver.pass(LONG);
    expect!["follow-up answer about and neap tides?"].assert_eq(&driver.finished().await.report.text);
}

#[tokio::test]
async fn error_shape_interactions() {
    let expected =
        expect!["Refused BAD_REQUEST 400: the provider answered 400: Request contains an invalid argument."];
    let driver = check_create("[[error-400]] tides", &expected).await;
    assert_eq!(driver.simulator.handle().ledger().entries(), []);
}

#[tokio::test]
async fn error_shape_google_rpc() {
    let expected = expect![
        "Refused PERMISSION_DENIED 403: the provider answered 403: The caller does not have permission"
    ];
    check_create("[[error-403]] tides", &expected).await;
    let expected = expect![
        "Refused KEY_REFUSED 401: the provider answered 401: API key not valid. Please pass a valid API key."
    ];
    check_create("[[error-401]] tides", &expected).await;
}

#[tokio::test]
async fn error_shape_array() {
    let expected = expect!["Refused BAD_REQUEST 404: the provider answered 404: Method not found."];
    check_create("[[error-404-array]] tides", &expected).await;
}

#[tokio::test]
async fn too_many_requests_retry_after() {
    let expected =
        expect!["Refused RATE_LIMITED 429 wait 1000 ms: the provider answered 429: Too many requests."];
    check_create("[[error-429-retry-after]] tides", &expected).await;
}

#[tokio::test]
async fn too_many_requests_retry_after_ms() {
    let expected =
        expect!["Refused RATE_LIMITED 429 wait 150 ms: the provider answered 429: Too many requests."];
    check_create("[[error-429-retry-after-ms]] tides", &expected).await;
}

#[tokio::test]
async fn too_many_requests_retry_info() {
    let expected = expect![
        "Refused RATE_LIMITED 429 wait 1000 ms: the provider answered 429: Quota exceeded. Please retry in 1s."
    ];
    check_create("[[error-429-retry-info]] tides", &expected).await;
}

#[tokio::test]
async fn too_many_requests_today() {
    let expected = expect![
        "Refused QUOTA_EXHAUSTED 429 wait 600000 ms: the provider answered 429: You exceeded your current quota."
    ];
    check_create("[[error-429-daily]] tides", &expected).await;
}

#[tokio::test]
async fn a_503_in_the_services_own_words_is_no_proof() {
    let driver = check_create("[[error-503-json]] tides", &expect!["Uncertain CREATE_UNCERTAIN 503: the start may have been accepted and billed: the provider answered 503: The model is overloaded. Please try again later."]).await;
    assert_eq!(driver.simulator.handle().ledger().entries(), []);
}

#[tokio::test]
async fn a_500_of_any_kind_is_no_proof() {
    check_create("[[error-500-html]] tides", &expect!["Uncertain CREATE_UNCERTAIN 500: the start may have been accepted and billed: the provider answered 500 with something that is not its JSON"]).await;
    let mut driver = DeepResearchHarness::new(FollowMethod::Stream, "tides").await;
    let fault = Fault { route: FaultRoute::Create, kind: FaultKind::Status(500), times: 1 };
    driver.simulator.handle().add_fault(fault);
    expect!["Uncertain CREATE_UNCERTAIN 500: the start may have been accepted and billed: the provider answered 500: An internal error has occurred."].assert_eq(&shown(&driver.create().await));
}

#[tokio::test]
async fn an_accepted_create_whose_answer_is_lost_is_uncertain_and_sent_once() {
    let mut driver = DeepResearchHarness::new(FollowMethod::Stream, "[[create-lost]] tides").await;
    let finding = driver.create().await;
    assert!(
        shown(&finding).starts_with("Uncertain CREATE_UNCERTAIN: the start may have been accepted"),
        "{finding:?}"
    );
    assert_eq!(driver.requests().matches("Post ").count(), 1);
    assert_eq!(driver.simulator.handle().stats().creates, 1);
    assert_eq!(driver.simulator.handle().ledger().entries().len(), 1);
}

#[tokio::test]
async fn a_create_cut_right_after_the_id_has_started() {
    let mut driver = DeepResearchHarness::new(FollowMethod::Stream, "[[create-cut-after-id]] tides").await;
    expect![[r#"Started at Some("evt_0001")"#]].assert_eq(&shown(&driver.create().await));
    drop(driver.requests());
    expect![[r#"
        Seen in_progress steps 0 searches 0 pages 0 cursor Some("evt_0001") text 0
    "#]]
    .assert_eq(&shown(&driver.follow().await));
    expect!["Get /v1/interactions/ID?stream=false"].assert_eq(&driver.requests());
    driver.pass(LONG);
    expect![[r#"
        Completed: 606 bytes, 6 citations, 4 sources, 6 queries
        370800 tokens, 6 searches billed, 18 steps"#]]
    .assert_eq(&shown(&driver.follow().await));
    assert_eq!(driver.simulator.handle().ledger().duplicates(), Vec::<String>::new());
}

#[tokio::test]
async fn a_create_answered_with_html_is_uncertain() {
    let driver = check_create("[[create-html]] tides", &expect!["Uncertain CREATE_UNCERTAIN: the start may have been accepted and billed: the provider's answer carries no id"]).await;
    assert_eq!(driver.simulator.handle().ledger().entries().len(), 1);
}

#[tokio::test]
async fn chaining_onto_a_running_one_is_refused() {
    let mut driver = started(FollowMethod::Poll, "[[slow]] tides").await;
    let running = driver.remote_id();
    driver.ask("go ahead", TurnKind::Research, Some(running));
    expect![
        "Refused BAD_REQUEST 400: the provider answered 400: The previous interaction is still in progress."
    ]
    .assert_eq(&shown(&driver.create().await));
}

#[tokio::test]
async fn missing_input_is_refused_by_the_service() {
    expect!["BAD_REQUEST 400: the provider answered 400: Missing input."]
        .assert_eq(&refusal_of(r#"{"agent":"deep-research-preview-04-2026","background":true}"#).await);
}

#[tokio::test]
async fn missing_background_is_refused_by_the_service() {
    expect!["BAD_REQUEST 400: the provider answered 400: Agents require background=true."]
        .assert_eq(&refusal_of(r#"{"agent":"deep-research-preview-04-2026","input":"x"}"#).await);
}

/// Input, and background for an agent, are always sent by us; the service's refusal of requests without them
/// is read from its own mouth here.
async fn refusal_of(body: &'static str) -> String {
    let driver = DeepResearchHarness::new(FollowMethod::Poll, "unused").await;
    let call = probity_simulator::SimulatorCall::new(probity_simulator::CallMethod::Post, "/v1/interactions")
        .with_body(body);
    match driver.simulator.handle().with_world(|world, now_ms| world.handle(now_ms, &call)) {
        probity_simulator::SimulatorAnswer::Whole { status, body, .. } => {
            let refusal = probity_models::gemini::error::read(status, &Default::default(), &body);
            crate::driver::said(&refusal.problem)
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_bad_key_is_refused_in_both_forms() {
    for (key, expected) in [
        (
            "invalid",
            expect![
                "Refused KEY_REFUSED 400: the provider answered 400: API key not valid. Please pass a valid API key."
            ],
        ),
        (
            "unauthorized",
            expect![
                "Refused KEY_REFUSED 401: the provider answered 401: API key not valid. Please pass a valid API key."
            ],
        ),
    ] {
        let mut driver = DeepResearchHarness::with_key(FollowMethod::Poll, "tides", key).await;
        expected.assert_eq(&shown(&driver.create().await));
        driver.research.remote_id = Some("v1_x".to_owned());
        let finding = driver.follow().await;
        assert!(
            matches!(&finding, EngineOutcome::Unreachable(problem) if problem.code == probity_research::Code::KeyRefused),
            "{finding:?}"
        );
    }
}

#[tokio::test]
async fn a_slow_first_byte_is_waited_for() {
    let mut driver = DeepResearchHarness::new(FollowMethod::Stream, "[[slow-first-byte]] tides").await;
    let handle = driver.simulator.handle().clone();
    let passing = async move {
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        handle.advance(2_000);
    };
    let (finding, ()) = tokio::join!(driver.create(), passing);
    assert!(matches!(finding, EngineOutcome::Started { .. }), "{finding:?}");
}

#[tokio::test]
async fn nobody_listening_is_a_refusal_that_may_be_repeated() {
    let mut driver = DeepResearchHarness::new(FollowMethod::Poll, "tides").await;
    let options = probity_simulator::SimulatorOptions::default();
    let other = probity_simulator::Simulator::start(options).await.unwrap();
    drop(std::mem::replace(&mut driver.simulator, other));
    let EngineOutcome::Refused(problem) = driver.create().await else { panic!("not refused") };
    assert_eq!(problem.code, probity_research::Code::Network);
    assert!(problem.wait_before_retry().is_some());
}
