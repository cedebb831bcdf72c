//! Our `completed` against the canonical fixtures: the same paths with the same kinds of values.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::{
    driver::{WorldDriver, events},
    shapes::{event_shapes, shape},
};

/// Request fields `get` shows again; the canonical body was written without them.
const ECHOED: [&str; 3] = ["$.agent_config", "$.tools", "$.labels"];

#[track_caller]
fn same(ours: &BTreeSet<String>, canonical: &BTreeSet<String>) {
    let missing: Vec<&String> = canonical.difference(ours).collect();
    assert_eq!(missing, Vec::<&String>::new(), "not in ours");
    let extra: Vec<&String> = ours
        .difference(canonical)
        .filter(|path| !ECHOED.iter().any(|echoed| path.starts_with(echoed)))
        .collect();
    assert_eq!(extra, Vec::<&String>::new(), "only in ours");
}

#[test]
fn get_has_the_canonical_shape() {
    let mut driver = WorldDriver::new();
    let tools =
        ["google_search", "url_context", "code_execution", "file_search", "mcp_server", "google_maps"]
            .map(|kind| json!({"type": kind}));
    let id = driver.start_with("[[completed duration_ms=0]] TPUs", json!({"tools": tools}));
    let canonical: Value =
        serde_json::from_str(include_str!("../../fixtures/canonical/get_completed.json")).unwrap();
    same(&shape(&driver.read(&id)), &shape(&canonical));
}

#[test]
fn the_stream_has_the_canonical_shape() {
    let only_search = json!({"tools": [{"type": "google_search"}]});
    let (stream, _) = WorldDriver::new().stream("[[completed]] TPUs", only_search);
    let canonical = events(include_str!("../../fixtures/canonical/stream_completed.sse"));
    same(&event_shapes(&events(&stream)), &event_shapes(&canonical));
}

#[test]
fn a_create_has_the_canonical_shape() {
    let mut driver = WorldDriver::new();
    let crate::driver::CallObservation::Json(200, created) = driver.create("x", json!({})) else {
        panic!("refused")
    };
    let canonical = include_str!("../../fixtures/canonical/create_response_in_progress.json");
    same(&shape(&created), &shape(&serde_json::from_str(canonical).unwrap()));
}

/// Where real traffic and ours have the same path, the same kind of value is there.
#[test]
#[expect(clippy::disallowed_methods, reason = "other people's recordings are not in the repository")]
fn live_traffic_does_not_contradict_ours() {
    let Some(folder) = std::env::var_os("PROBITY_SHARED_FIXTURES").map(std::path::PathBuf::from) else {
        println!("notice: PROBITY_SHARED_FIXTURES is not set; live traffic was not compared");
        return;
    };
    let folder = [folder.join("recorded-live"), folder.join("gemini/recorded-live"), folder]
        .into_iter()
        .find(|folder| folder.join("README.md").exists());
    let Some(folder) = folder else {
        println!("notice: there are no recordings in PROBITY_SHARED_FIXTURES; live traffic was not compared");
        return;
    };
    let (stream, _) = WorldDriver::new().stream("[[completed]] TPUs", json!({}));
    let ours = event_shapes(&events(&stream));
    let mut compared = 0;
    for file in std::fs::read_dir(folder).unwrap() {
        let text = std::fs::read_to_string(file.unwrap().path()).unwrap();
        let live: Vec<Value> = text
            .lines()
            .filter_map(|line| serde_json::from_str(line.trim().strip_prefix("data: ")?).ok())
            .filter(|event: &Value| event["event_type"].is_string())
            .collect();
        compared += live.len();
        for path in event_shapes(&live) {
            let (place, kind) = path.rsplit_once(": ").unwrap();
            let contradiction = ours.iter().find(|own| {
                own.rsplit_once(": ")
                    .is_some_and(|(own_place, own_kind)| own_place == place && own_kind != kind)
            });
            assert_eq!(contradiction, None, "live traffic has {path}");
        }
    }
    assert!(compared > 0, "the recordings hold no events");
}
