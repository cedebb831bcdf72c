//! Everything the simulator says is of the SDK's types, in every scenario that does not break them on purpose.

use std::collections::BTreeSet;

use probity_simulator::Name;
use serde_json::{Value, json};

use crate::{
    driver::{CallObservation, WorldDriver, events},
    types::Types,
};

const DUMP: &str = include_str!("../../fixtures/schema/py_types_interactions.txt");
const INTERACTION: &str = "InteractionTypedDict";
const EVENT: &str = "InteractionSSEEventTypedDict";

fn everything_asked() -> Value {
    json!({
        "labels": {"task": "t-1"},
        "service_tier": "standard",
        "tools": [
            {"type": "google_search"}, {"type": "url_context"}, {"type": "code_execution"},
            {"type": "file_search", "file_search_store_names": ["fileSearchStores/x"]},
            {"type": "mcp_server", "name": "tracker", "url": "https://mcp.example.com/mcp"},
            {"type": "google_maps"},
        ],
        "webhook_config": {"uris": ["https://hook.example.com/x"], "user_metadata": {"task_id": "t-1"}},
    })
}

/// Every 200 body and every event of one scenario, trouble with the create left out.
fn said(name: Name) -> (Vec<Value>, Vec<Value>) {
    let mut driver = WorldDriver::new();
    let mut bodies = Vec::new();
    let input =
        if name == Name::GoneAfter200 { format!("[[{name}]] x") } else { format!("[[{name} times=0]] x") };
    let CallObservation::Json(200, created) = driver.create(&input, everything_asked()) else {
        panic!("{name} was refused")
    };
    let id = created["id"].as_str().unwrap().to_owned();
    bodies.push(created);
    for at_ms in [0, 500, 1_500, 2_000, 3_500, 300_000] {
        driver.now_ms = at_ms;
        if let CallObservation::Json(200, body) = driver.get(&id) {
            bodies.push(body);
        }
    }
    if let CallObservation::Json(200, body) = driver.cancel(&id) {
        bodies.push(body);
    }
    let mut driver = WorldDriver::new();
    let (stream, _) = driver.stream(&input, everything_asked());
    (bodies, events(&stream))
}

#[test]
fn every_scenario_speaks_the_types() {
    let types = Types::read(DUMP);
    // A set: one wrong field shows up in every scenario.
    let mut faults = BTreeSet::new();
    let mut checked = 0;
    for name in
        Name::ALL.iter().copied().filter(|name| !matches!(name, Name::UnknownEnums | Name::GarbageGet))
    {
        let (bodies, events) = said(name);
        assert!(!events.is_empty(), "{name}");
        checked += bodies.len() + events.len();
        for body in bodies {
            faults
                .extend(types.faults(INTERACTION, &body).into_iter().map(|fault| format!("{name}: {fault}")));
        }
        for event in events {
            faults.extend(types.faults(EVENT, &event).into_iter().map(|fault| format!("{name}: {fault}")));
        }
    }
    assert_eq!(faults, BTreeSet::new());
    assert!(checked > 2_000, "only {checked} values were checked");
}

#[test]
fn a_model_answer_speaks_the_types() {
    let types = Types::read(DUMP);
    let mut driver = WorldDriver::new();
    let model = json!({
        "agent": null, "agent_config": null, "background": null, "model": "gemini-3.1-pro-preview",
        "tools": [{"type": "google_search"}, {"type": "url_context"}],
    });
    let CallObservation::Json(200, answer) = driver.create("why", model) else { panic!("refused") };
    assert_eq!(answer["status"], "completed");
    assert_eq!(types.faults(INTERACTION, &answer), Vec::<String>::new());
}

/// The canonical fixtures are of the types too, so the checker does not reject what is right.
#[test]
fn the_canonical_fixtures_speak_the_types() {
    let types = Types::read(DUMP);
    for body in [
        include_str!("../../fixtures/canonical/get_completed.json"),
        include_str!("../../fixtures/canonical/get_cancelled.json"),
        include_str!("../../fixtures/canonical/get_failed.json"),
        include_str!("../../fixtures/canonical/get_plan_completed.json"),
    ] {
        assert_eq!(types.faults(INTERACTION, &serde_json::from_str(body).unwrap()), Vec::<String>::new());
    }
    for event in events(include_str!("../../fixtures/canonical/stream_completed.sse")) {
        assert_eq!(types.faults(EVENT, &event), Vec::<String>::new());
    }
}

#[test]
fn the_checker_finds_what_is_wrong() {
    let types = Types::read(DUMP);
    let faults = |value: Value| types.faults(INTERACTION, &value).len();
    assert_eq!(faults(json!({"status": "completed"})), 0);
    assert_eq!(faults(json!({})), 1, "a missing field");
    assert_eq!(faults(json!({"status": "weird"})), 1, "an unknown literal");
    assert_eq!(faults(json!({"status": "completed", "outputs": []})), 1, "an unknown field");
    assert_eq!(faults(json!({"status": "completed", "created": 7})), 1, "a wrong kind");
    assert_eq!(faults(json!({"status": "completed", "steps": [{"type": "hologram"}]})), 1, "an unknown step");
    let unread = json!({"status": "completed", "steps": [{"type": "url_context_result", "call_id": "c", "result": [{"title": "t"}]}]});
    assert_eq!(faults(unread), 1, "an unknown field deep inside");
    for event in
        events(include_str!("../../fixtures/canonical/stream_unknown.sse")).iter().rev().skip(1).take(3)
    {
        assert_eq!(types.faults(EVENT, event).len(), 1, "{event}");
    }
}
