//! What only time shows, on a paused clock: listening, silence, idle streams, bounds.
#![expect(clippy::disallowed_methods, reason = "measures tokio's paused clock")]

use std::time::Duration;

use probity_research::{
    agent::AgentName,
    engine_call::{EngineCall, EngineOutcome},
    event::{Event, StoredEvent},
    id::{RunId, Sequence},
    plan::{Notify, Plan, RunLimits},
    ports::Engine,
    query::Query,
    state::RunState,
    time::Moment,
};
use tokio::time::{Instant, timeout};

use super::{DeepResearch, DeepResearchSettings, LISTEN_MAX, SETTLE, STREAM_IDLE_MAX};
use crate::{
    ApiKey,
    gemini::client::RAW_BYTES_MAX,
    transport::scripted::{BodyStep, ScriptedResponse, ScriptedTransport, json, stream},
};

const CREATED: BodyStep = BodyStep::Piece(
    "data: {\"event_type\":\"interaction.created\",\"interaction\":{\"id\":\"v1_a\",\"status\":\"in_progress\"},\"event_id\":\"e1\"}\n\n",
);
const SEARCH: BodyStep = BodyStep::Piece(
    "data: {\"event_type\":\"step.start\",\"index\":0,\"step\":{\"type\":\"google_search_call\",\"arguments\":{\"queries\":[\"q\"]}},\"event_id\":\"e2\"}\n\n",
);
const RUNNING: &str = "{\"id\":\"v1_a\",\"status\":\"in_progress\"}";

pub(super) fn research(number: u128) -> RunState {
    let plan = Plan {
        notify: Notify::Never,
        ..Plan::new(AgentName::default(), RunLimits::new(Duration::from_secs(60), None))
    };
    let event = Event::Asked { query: Query::parse("why?").unwrap(), plan };
    let asked = StoredEvent { sequence: Sequence(1), at: Moment(0), attended_ms: 0, event };
    RunState::replay(RunId::from_random(number), &[asked]).unwrap()
}

fn engine(
    scripts: impl IntoIterator<Item = ScriptedResponse>,
    streams_open_max: usize,
) -> (DeepResearch<ScriptedTransport>, ScriptedTransport) {
    let transport = ScriptedTransport::new(scripts);
    let settings = DeepResearchSettings {
        streams_open_max,
        ..DeepResearchSettings::new(ApiKey::parse("canary-key").unwrap())
    };
    (DeepResearch::new(transport.clone(), settings).unwrap(), transport)
}

fn follow() -> EngineCall {
    EngineCall::Follow { remote_id: "v1_a".to_owned(), cursor: None, within: Duration::from_secs(600) }
}

#[tokio::test(start_paused = true)]
async fn silence_is_reported_after_the_limit_and_a_dead_stream_is_replaced_by_a_look() {
    let (engine, network) = engine([stream(&[CREATED, BodyStep::Hang]), json(200, RUNNING)], 16);
    let research = research(1);
    engine.perform(&research, &EngineCall::Create { attempt: 1 }).await;
    for _ in 0..2 {
        let before = Instant::now();
        let finding = engine.perform(&research, &follow()).await;
        assert!(
            matches!(&finding, EngineOutcome::Running(sighting) if sighting.progress.steps == 0),
            "{finding:?}"
        );
        assert_eq!(before.elapsed(), LISTEN_MAX);
    }
    assert_eq!(
        (network.take_targets(), engine.streams_open()),
        (vec!["Post interactions".to_owned(), "Get interactions/v1_a?stream=false".to_owned()], 0)
    );
}

#[tokio::test(start_paused = true)]
async fn news_are_told_a_moment_after_the_first() {
    let script = stream(&[CREATED, BodyStep::Wait(Duration::from_secs(3)), SEARCH, BodyStep::Hang]);
    let (engine, _) = engine([script], 16);
    let research = research(1);
    engine.perform(&research, &EngineCall::Create { attempt: 1 }).await;
    let before = Instant::now();
    let EngineOutcome::Running(sighting) = engine.perform(&research, &follow()).await else {
        panic!("not seen")
    };
    assert_eq!(before.elapsed(), Duration::from_secs(3) + SETTLE);
    assert_eq!((sighting.progress.searches, sighting.cursor.as_deref()), (1, Some("e2")));
}

#[tokio::test(start_paused = true)]
async fn a_listener_that_is_interrupted_loses_nothing() {
    let script = stream(&[CREATED, SEARCH, BodyStep::Wait(Duration::from_secs(30)), BodyStep::Hang]);
    let (engine, network) = engine([script], 16);
    let research = research(1);
    engine.perform(&research, &EngineCall::Create { attempt: 1 }).await;
    let interrupted = timeout(Duration::from_millis(500), engine.perform(&research, &follow())).await;
    assert!(interrupted.is_err());
    assert_eq!(engine.streams_open(), 1);
    let EngineOutcome::Running(sighting) = engine.perform(&research, &follow()).await else {
        panic!("not seen")
    };
    assert_eq!((sighting.progress.searches, sighting.progress.news.len()), (1, 1));
    assert_eq!(network.take_targets().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn without_a_free_permit_a_research_is_looked_at_and_a_forgotten_stream_makes_room() {
    let (engine, network) = engine(
        [
            stream(&[CREATED, BodyStep::Hang]),
            stream(&[CREATED, BodyStep::Hang]),
            json(200, RUNNING),
            stream(&[SEARCH, BodyStep::Hang]),
        ],
        1,
    );
    engine.perform(&research(1), &EngineCall::Create { attempt: 1 }).await;
    engine.perform(&research(2), &EngineCall::Create { attempt: 1 }).await;
    assert_eq!(engine.streams_open(), 1);
    engine.perform(&research(2), &follow()).await;
    tokio::time::sleep(STREAM_IDLE_MAX).await;
    let finding = engine.perform(&research(2), &follow()).await;
    assert!(
        matches!(&finding, EngineOutcome::Running(sighting) if sighting.progress.searches == 1),
        "{finding:?}"
    );
    assert_eq!(
        network.take_targets(),
        [
            "Post interactions",
            "Post interactions",
            "Get interactions/v1_a?stream=false",
            "Get interactions/v1_a?stream=true"
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_never_comes_or_never_ends_is_unreachable() {
    let endless = || ScriptedResponse::Answers {
        status: 200,
        content_type: "application/json",
        plays: vec![BodyStep::Bytes(40 << 20); 2],
    };
    let (engine, _) =
        engine([ScriptedResponse::Silent, endless(), stream(&[BodyStep::Hang]), ScriptedResponse::Silent], 0);
    for expected in ["TIMEOUT", "UNREADABLE_ANSWER", "TIMEOUT"] {
        let finding = engine.perform(&research(1), &follow()).await;
        let (problem, bytes) = match finding {
            EngineOutcome::Unreachable(problem) => (problem, 0),
            EngineOutcome::Unreadable(answer) => (answer.problem, answer.raw.len()),
            other => panic!("{other:?}"),
        };
        assert_eq!(problem.code.as_str(), expected);
        assert_eq!(bytes, if expected == "TIMEOUT" { 0 } else { RAW_BYTES_MAX }, "kept up to the bound");
    }
    let finding = engine
        .perform(
            &research(1),
            &EngineCall::Cancel { remote_id: "v1_a".to_owned(), within: Duration::from_secs(600) },
        )
        .await;
    assert!(matches!(finding, EngineOutcome::Unreachable(_)), "{finding:?}");
}

#[tokio::test(start_paused = true)]
async fn at_most_so_many_calls_are_on_their_way() {
    let slow = || {
        let plays = vec![BodyStep::Wait(Duration::from_secs(1)), BodyStep::Piece(RUNNING)];
        ScriptedResponse::Answers { status: 200, content_type: "application/json", plays }
    };
    let transport = ScriptedTransport::new([slow(), slow(), slow(), slow()]);
    let settings = DeepResearchSettings {
        streams_open_max: 0,
        calls_in_flight_max: 2,
        ..DeepResearchSettings::new(ApiKey::parse("canary-key").unwrap())
    };
    let engine = DeepResearch::new(transport, settings).unwrap();
    let (one, two, three, four) = (research(1), research(2), research(3), research(4));
    let before = Instant::now();
    let call = follow();
    let _all = tokio::join!(
        engine.perform(&one, &call),
        engine.perform(&two, &call),
        engine.perform(&three, &call),
        engine.perform(&four, &call)
    );
    assert_eq!(before.elapsed(), Duration::from_secs(2));
}

#[test]
fn a_call_that_waits_is_small() {
    let (engine, _) = engine([], 0);
    let research = research(1);
    let call = follow();
    let future = engine.perform(&research, &call);
    assert!(size_of_val(&future) <= 128, "{} bytes", size_of_val(&future));
}

#[test]
fn settings_that_would_send_the_key_in_the_clear_are_refused() {
    let settings = DeepResearchSettings {
        base_url: "http://example.com".to_owned(),
        ..DeepResearchSettings::new(ApiKey::parse("canary-key").unwrap())
    };
    assert!(DeepResearch::new(ScriptedTransport::default(), settings.clone()).is_err());
    let settings = DeepResearchSettings {
        api_version: "v1/../x".to_owned(),
        base_url: super::BASE_URL.to_owned(),
        ..settings
    };
    assert!(DeepResearch::new(ScriptedTransport::default(), settings).is_err());
}
