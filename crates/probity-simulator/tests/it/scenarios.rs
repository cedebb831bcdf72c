//! Every scenario does what its name says.

use probity_simulator::{CallMethod, SimulatorCall, StreamNext};
use serde_json::{Value, json};

use crate::driver::{CallObservation, WorldDriver, events, kinds};

/// Polls at each time and joins what is seen.
#[track_caller]
fn check(input: &str, times_ms: &[u64], expected: &str) {
    let mut driver = WorldDriver::new();
    let id = driver.start(input);
    let seen: Vec<String> = times_ms
        .iter()
        .map(|at_ms| {
            driver.now_ms = *at_ms;
            driver.status(&id)
        })
        .collect();
    assert_eq!(seen.join(" "), expected, "{input}");
}

/// The status a create is answered with, then that of a second try.
#[track_caller]
fn check_create(input: &str, expected: &str) {
    let mut driver = WorldDriver::new();
    let seen: Vec<String> = (0..2)
        .map(|_| match driver.create(input, json!({})) {
            CallObservation::Json(200, created) => created["status"].as_str().unwrap().to_owned(),
            CallObservation::Json(status, _) => status.to_string(),
            CallObservation::NotJson(status) => format!("{status}-html"),
            CallObservation::Lost => "lost".to_owned(),
            CallObservation::Hang => "hang".to_owned(),
            CallObservation::Later(at_ms) => format!("later-{at_ms}"),
            CallObservation::Stream(_) => "stream".to_owned(),
        })
        .collect();
    let ledger = driver.world.ledger();
    let counts = format!("accepted={} refused={}", ledger.entries().len(), ledger.refused_count());
    assert_eq!(format!("{} {counts}", seen.join(" ")), expected, "{input}");
}

#[test]
fn polling_sees_the_scenario() {
    check("plain", &[0, 1_999, 2_000], "in_progress in_progress completed");
    check("[[slow]]", &[0, 599_999, 600_000], "in_progress in_progress completed");
    check("[[queued]]", &[0, 999, 1_000, 3_000], "queued queued in_progress completed");
    check("[[stuck]]", &[0, 5_000_000_000], "in_progress in_progress");
    check("[[early-404]]", &[0, 999, 1_000, 2_000], "404 404 in_progress completed");
    check("[[early-403 for_ms=10]]", &[0, 9, 10], "403 403 in_progress");
    check("[[expired]]", &[2_000, 3_999, 4_000, 9_000], "completed completed 404 404");
    check("[[gone-after-200]]", &[0, 1, 600_000], "in_progress 404 404");
    check("[[garbage-get times=2]]", &[0, 1, 2], "200 not json 200 not json in_progress");
    check("[[failed]]", &[0, 2_000], "in_progress failed");
    check("[[incomplete]]", &[2_000], "incomplete");
    check("[[budget-exceeded]]", &[2_000], "budget_exceeded");
    check("[[requires-action-finished]]", &[2_000], "requires_action");
    check("[[unknown-enums]]", &[0, 1_000, 2_000], "weird_new_status in_progress completed");
    check("[[completed duration_ms=0]]", &[0], "completed");
}

#[test]
fn creates_are_refused_lost_or_late() {
    check_create("[[error-400]]", "400 400 accepted=0 refused=2");
    check_create("[[error-401]]", "401 401 accepted=0 refused=2");
    check_create("[[error-403]]", "403 403 accepted=0 refused=2");
    check_create("[[error-404-array]]", "404 404 accepted=0 refused=2");
    check_create("[[error-429-retry-after]]", "429 in_progress accepted=1 refused=1");
    check_create("[[error-429-retry-after-ms]]", "429 in_progress accepted=1 refused=1");
    check_create("[[error-429-retry-info]]", "429 in_progress accepted=1 refused=1");
    check_create("[[error-429-daily]]", "429 429 accepted=0 refused=2");
    check_create("[[error-500-html]]", "500-html in_progress accepted=1 refused=1");
    check_create("[[error-503-json times=2]]", "503 503 accepted=0 refused=2");
    check_create("[[create-lost]]", "lost in_progress accepted=2 refused=0");
    check_create("[[create-html]]", "200-html in_progress accepted=2 refused=0");
    check_create("[[create-billed]]", "503 503 accepted=2 refused=0");
    check_create("[[create-billed status=408]]", "408 408 accepted=2 refused=0");
    check_create("[[create-billed status=429 html=true]]", "429-html 429-html accepted=2 refused=0");
    check_create("[[create-billed status=400 cut=7]]", "400-html 400-html accepted=2 refused=0");
    check_create("[[create-cut-after-id]]", "lost in_progress accepted=2 refused=0");
    check_create("[[hang]]", "hang hang accepted=0 refused=2");
    check_create("[[hang accepted=true times=1]]", "hang in_progress accepted=2 refused=0");
    check_create("[[slow-first-byte]]", "later-1000 in_progress accepted=2 refused=0");
    check_create("[[no-such-thing]]", "400 400 accepted=0 refused=2");
    check_create(" ", "400 400 accepted=0 refused=2");
}

#[test]
fn a_stream_carries_the_whole_research() {
    let (stream, ended) = WorldDriver::new().stream("TPUs", json!({}));
    assert_eq!(ended, StreamNext::Closed);
    assert!(stream.ends_with("event: done\ndata: [DONE]\n\n"));
    let kinds = kinds(&stream);
    assert_eq!(kinds.first().unwrap(), "interaction.created");
    assert_eq!(kinds.last().unwrap(), "interaction.completed");
    let last = events(&stream).pop().unwrap();
    assert_eq!(last["interaction"]["steps"], Value::Null);
    assert_eq!(last["interaction"]["usage"]["grounding_tool_count"][0]["count"], 6);
}

#[test]
fn a_dropped_stream_resumes_after_its_last_event() {
    let (whole, _) = WorldDriver::new().stream("[[completed]] TPUs", json!({}));
    let mut driver = WorldDriver::new();
    let (first, ended) = driver.stream("[[drop-after]] TPUs", json!({}));
    assert_eq!((ended, events(&first).len()), (StreamNext::Cut, 8));
    let id = events(&first)[0]["interaction"]["id"].as_str().unwrap().to_owned();
    let mut cursor = driver.resume(&id, "evt_0008");
    let (rest, ended) = driver.drain(&mut cursor);
    assert_eq!(ended, StreamNext::Closed);
    assert_eq!([first, rest].concat(), whole);
}

#[test]
fn streams_break_in_their_own_ways() {
    let (stream, ended) = WorldDriver::new().stream("[[create-cut-after-id]] x", json!({}));
    assert_eq!((kinds(&stream), ended), (vec!["interaction.created".to_owned()], StreamNext::Cut));

    let (stream, ended) = WorldDriver::new().stream("[[drop-after events=3 clean=true]] x", json!({}));
    assert_eq!((kinds(&stream).len(), ended), (3, StreamNext::Closed));

    let (stream, _) = WorldDriver::new().stream("[[stream-error]] x", json!({}));
    assert_eq!(kinds(&stream).last().unwrap(), "error");

    let (stream, _) = WorldDriver::new().stream("[[no-event-id]] x", json!({}));
    assert!(!stream.contains("event_id"));

    let (stream, _) = WorldDriver::new().stream("[[crlf]] x", json!({}));
    assert!(stream.contains(": keep-alive\r\n\r\n") && !stream.contains("[DONE]"));
    assert!(!stream.replace("\r\n", "").contains('\n'));

    let (stream, ended) = WorldDriver::new().stream("[[stuck]] x", json!({}));
    assert!(!stream.contains("interaction.completed"));
    assert_eq!(ended, StreamNext::Cut, "the service ends every stream after ten minutes");

    let (stream, _) = WorldDriver::new().stream("[[queued]] x", json!({}));
    let statuses: Vec<Value> = events(&stream)
        .into_iter()
        .filter(|event| event["event_type"] == "interaction.status_update")
        .map(|mut event| event["status"].take())
        .collect();
    assert_eq!(statuses, ["queued", "in_progress"]);
}

#[test]
fn a_cancel_ends_the_stream_and_keeps_what_was_done() {
    let mut driver = WorldDriver::new();
    let CallObservation::Stream(mut cursor) = driver.create("[[cancel-ok]] x", json!({"stream": true}))
    else {
        panic!("no stream")
    };
    driver.now_ms = 200_000;
    let before = driver.world.pull(driver.now_ms, &mut cursor);
    let text = String::from_utf8(before.frames.concat()).unwrap();
    let id = events(&text)[0]["interaction"]["id"].as_str().unwrap().to_owned();
    let CallObservation::Json(200, cancelled) = driver.cancel(&id) else { panic!("not cancelled") };
    assert_eq!(cancelled["status"], "cancelled");
    let (rest, ended) = driver.drain(&mut cursor);
    assert_eq!((kinds(&rest), ended), (vec!["interaction.completed".to_owned()], StreamNext::Closed));
    assert_eq!(events(&rest)[0]["interaction"]["status"], "cancelled");
    let done = driver.read(&id)["steps"].as_array().unwrap().len();
    driver.now_ms = 900_000;
    assert_eq!(driver.read(&id)["steps"].as_array().unwrap().len(), done);
    assert!(matches!(driver.cancel(&id), CallObservation::Json(400, _)));
}

#[test]
fn partial_steps_grow_and_stay_hidden_elsewhere() {
    let mut driver = WorldDriver::new();
    let shown = driver.start("[[partial]] x");
    let hidden = driver.start("[[completed]] x");
    let mut lengths = Vec::new();
    for at_ms in [0, 1_000, 2_000] {
        driver.now_ms = at_ms;
        lengths.push(driver.read(&shown)["steps"].as_array().unwrap().len());
    }
    driver.now_ms = 1_000;
    assert_eq!(lengths, [1, 10, 19]);
    assert_eq!(driver.read(&hidden)["steps"], Value::Null);
}

#[test]
fn cancels_fail_in_their_own_ways() {
    let mut driver = WorldDriver::new();
    let (bad, array, lag) = (
        driver.start("[[cancel-400]]"),
        driver.start("[[cancel-404-array]]"),
        driver.start("[[cancel-lag]]"),
    );
    assert!(matches!(driver.cancel(&bad), CallObservation::Json(400, _)));
    assert!(matches!(driver.cancel(&array), CallObservation::Json(404, Value::Array(_))));
    assert!(matches!(driver.cancel(&lag), CallObservation::Json(200, _)));
    let before = driver.status(&lag);
    driver.now_ms = 1_000;
    assert_eq!([before, driver.status(&lag)], ["in_progress", "cancelled"]);
}

#[test]
fn annotations_are_cut_at_bytes() {
    let mut driver = WorldDriver::new();
    let id = driver.start("[[completed duration_ms=0]] Größe");
    let interaction = driver.read(&id);
    let mut cited = Vec::new();
    for step in interaction["steps"].as_array().unwrap() {
        for content in step["content"].as_array().into_iter().flatten() {
            for mark in content["annotations"].as_array().into_iter().flatten() {
                let range = mark["start_index"].as_u64().unwrap() as usize
                    ..mark["end_index"].as_u64().unwrap() as usize;
                cited.push(content["text"].as_str().unwrap().get(range).unwrap().to_owned());
            }
        }
    }
    assert!(cited.contains(&"日本語の資料も同じ数を示す".to_owned()), "{cited:?}");
}

#[test]
fn a_huge_report_is_huge_and_an_empty_one_empty() {
    let mut driver = WorldDriver::new();
    let huge = driver.start("[[huge duration_ms=0]] x");
    assert!(driver.read(&huge).to_string().len() > 1_900_000);
    let empty = driver.start("[[empty-report duration_ms=0]] x");
    assert!(!driver.read(&empty).to_string().contains("model_output"));
    let (stream, _) = driver.stream("[[huge duration_ms=0]] x", json!({}));
    assert!(stream.lines().all(|line| line.len() < 8_192), "long texts arrive in pieces");
}

#[test]
fn a_turn_continues_what_has_ended_and_nothing_else() {
    let mut driver = WorldDriver::new();
    let running = driver.start("[[slow]] x");
    let refused = driver.create("more", json!({"previous_interaction_id": running}));
    assert!(matches!(refused, CallObservation::Json(400, _)));
    let unknown = driver.create("more", json!({"previous_interaction_id": "v1_none"}));
    assert!(matches!(unknown, CallObservation::Json(404, _)));
    driver.now_ms = 600_000;
    let continued = driver.start_with("more", json!({"previous_interaction_id": running}));
    assert_eq!(driver.read(&continued)["previous_interaction_id"], running);
}

#[test]
fn keys_are_asked_for() {
    let mut driver = WorldDriver::new();
    let mut call = SimulatorCall::new(CallMethod::Get, "/v1/interactions/x");
    call.headers.clear();
    assert!(matches!(driver.call(&call), CallObservation::Json(403, _)));
    call.headers.push(("X-Goog-Api-Key".to_owned(), "invalid".to_owned()));
    let CallObservation::Json(400, body) = driver.call(&call) else { panic!("an invalid key was accepted") };
    assert_eq!(body["error"]["details"][0]["reason"], "API_KEY_INVALID");
}
