//! The scripted model through the Interactions API: what each item answers, what is counted, where citations
//! lead.

use probity_simulator::{CallMethod, Item, SimulatorCall, StreamNext, TurnApi, TurnCharge};
use serde_json::{Value, json};

use crate::{
    driver::{CallObservation, WorldDriver, events},
    types::Types,
};

const DUMP: &str = include_str!("../../fixtures/schema/py_types_interactions.txt");
pub const MODEL: &str = "gemini-3.8-flash";

/// What a round sends, with these fields on top.
fn round(driver: &mut WorldDriver, input: &str, more: Value) -> CallObservation {
    let mut fields = json!({
        "agent": null, "agent_config": null, "model": MODEL,
        "tools": [{"type": "google_search"}, {"type": "url_context"}],
        "response_format": {"type": "text", "mime_type": "application/json", "schema": {"type": "object"}},
    });
    for (field, value) in more.as_object().unwrap() {
        fields[field] = value.clone();
    }
    driver.create(input, fields)
}

/// The finished interaction of a round that must be accepted.
fn finished(driver: &mut WorldDriver, input: &str, more: Value) -> Value {
    let CallObservation::Json(200, created) = round(driver, input, more) else {
        panic!("{input} was refused")
    };
    driver.now_ms += 1_000;
    driver.read(created["id"].as_str().unwrap())
}

/// The text of all outputs.
fn text(interaction: &Value) -> String {
    let steps = interaction["steps"].as_array().unwrap();
    steps
        .iter()
        .filter(|step| step["type"] == "model_output")
        .flat_map(|step| step["content"].as_array().unwrap())
        .map(|content| content["text"].as_str().unwrap())
        .collect()
}

fn answer(interaction: &Value) -> Value {
    serde_json::from_str(&text(interaction)).unwrap_or_else(|error| panic!("{error}: {}", text(interaction)))
}

fn step_types(interaction: &Value) -> Vec<&str> {
    let steps = interaction["steps"].as_array().unwrap();
    steps.iter().map(|step| step["type"].as_str().unwrap()).collect()
}

/// What a turn with this item comes to.
fn single(item: &str) -> Value {
    finished(
        &mut WorldDriver::new(),
        &format!("[[rounds key=k topic=tpu turns={item} bytes=50000]] why"),
        json!({}),
    )
}

#[test]
fn a_script_is_followed_turn_by_turn_and_its_last_item_repeats() {
    let mut driver = WorldDriver::new();
    let long = format!("{}\n[[rounds key=k turns=draft,unsure,agreed]]", "words ".repeat(1_000));
    let answers: Vec<Value> = (0..4).map(|_| answer(&finished(&mut driver, &long, json!({})))).collect();
    let verified: Vec<bool> = answers.iter().map(|answer| answer["verified"].as_bool().unwrap()).collect();
    assert_eq!(verified, [false, false, true, true]);
    let reports: Vec<&Value> = answers.iter().map(|answer| &answer["report"]).collect();
    assert!(reports.iter().all(|report| report.as_str().unwrap().contains("units")));
    assert!(reports[0] == reports[2] && reports[2] == reports[3], "{reports:?}");
    assert_ne!(reports[1], reports[0], "a model that is not sure writes it anew");
    let other = answer(&finished(&mut driver, "[[rounds key=other turns=draft]]", json!({})));
    assert_ne!(&other["report"], reports[0], "every key has its own report");
    let turns: Vec<(&str, u32, Item)> = driver
        .world
        .ledger()
        .turns()
        .iter()
        .map(|turn| (turn.key.as_str(), turn.number, turn.item))
        .collect();
    let expected =
        [("k", 1, Item::Draft), ("k", 2, Item::Unsure), ("k", 3, Item::Agreed), ("k", 4, Item::Agreed)];
    assert_eq!(turns[..4], expected);
    assert_eq!(turns[4], ("other", 1, Item::Draft));
}

#[test]
fn a_good_turn_searches_reads_and_cites_through_redirects() {
    let done = single("draft");
    assert_eq!(done["status"], "completed");
    assert_eq!(
        step_types(&done),
        [
            "user_input",
            "thought",
            "google_search_call",
            "google_search_result",
            "url_context_call",
            "url_context_result",
            "model_output"
        ]
    );
    assert_eq!(
        done["steps"][2]["arguments"]["queries"],
        json!(["tpu first deployment", "tpu second generation"])
    );
    assert_eq!(
        done["steps"][5]["result"],
        json!([{"url": "http://pages.example/tpu/1", "status": "success"}])
    );
    assert_eq!(done["usage"]["grounding_tool_count"], json!([{"type": "google_search", "count": 2}]));
    let content = &done["steps"][6]["content"][0];
    let cited: Vec<&str> = content["annotations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|mark| {
            assert!(mark["url"].as_str().unwrap().contains("/grounding-api-redirect/"), "{mark}");
            let range =
                mark["start_index"].as_u64().unwrap() as usize..mark["end_index"].as_u64().unwrap() as usize;
            content["text"].as_str().unwrap().get(range).unwrap()
        })
        .collect();
    assert_eq!(cited.len(), 3);
    assert!(cited[1].starts_with("In Zürich") && cited[1].ends_with("units"), "{cited:?}");
    let report = answer(&done)["report"].as_str().unwrap().to_owned();
    assert!(report.contains("[2](http://pages.example/tpu/2)"), "{report}");
}

#[test]
fn redirects_lead_to_the_final_page_and_unknown_ones_nowhere() {
    let mut driver = WorldDriver::new();
    let body = json!({"model": MODEL, "input": "[[rounds key=k turns=draft]]", "tools": [{"type": "google_search"}]});
    let mut call = SimulatorCall::new(CallMethod::Post, "/v1beta/interactions").with_body(body.to_string());
    call.headers.push(("host".to_owned(), "127.0.0.1:4711".to_owned()));
    let CallObservation::Json(200, done) = driver.call(&call) else { panic!("refused") };
    let mark = &done["steps"].as_array().unwrap().last().unwrap()["content"][0]["annotations"][1];
    let target = mark["url"].as_str().unwrap().strip_prefix("http://127.0.0.1:4711").unwrap();
    for method in [CallMethod::Get, CallMethod::Head] {
        let mut follow = SimulatorCall::new(method, target);
        follow.headers.clear();
        let probity_simulator::SimulatorAnswer::Whole { status, headers, .. } =
            driver.world.handle(0, &follow)
        else {
            panic!("no answer")
        };
        let location = headers.iter().find(|(name, _)| name == "location").unwrap().1.as_str();
        assert_eq!((status, location), (302, "http://pages.example/k/2"));
    }
    let unknown = SimulatorCall::new(CallMethod::Get, target.replace(".2.", ".3."));
    assert!(matches!(driver.call(&unknown), CallObservation::NotJson(404)));
    assert!(matches!(
        driver.call(&SimulatorCall::new(CallMethod::Get, "/grounding-api-redirect/x")),
        CallObservation::NotJson(404)
    ));
}

#[test]
fn every_bad_answer_is_bad_in_its_own_way() {
    let good = answer(&single("draft"));
    let changed = answer(&single("changed"));
    assert_eq!(changed["verified"], true);
    assert_ne!(changed["report"], good["report"]);

    let prose = text(&single("prose"));
    assert!(!prose.contains('{') && prose.contains("In Zürich"), "{prose}");
    let fenced = text(&single("fenced"));
    let inside = fenced.split_once("```json\n").unwrap().1.split_once("\n```").unwrap().0;
    assert_eq!(serde_json::from_str::<Value>(inside).unwrap()["report"], good["report"]);
    assert!(!fenced.starts_with('{') && !fenced.ends_with("```"));

    let sloppy = text(&single("sloppy"));
    assert!(serde_json::from_str::<Value>(&sloppy).is_err());
    assert!(sloppy.contains(",]") && sloppy.contains('\n') && !sloppy.ends_with("}}"), "{sloppy}");

    let cut = single("cut");
    assert_eq!(cut["status"], "incomplete");
    assert!(text(&cut).contains("http://pages.example/tpu/1") && !text(&cut).contains("metadata"));

    assert!(!step_types(&single("empty")).contains(&"model_output"));
    assert_eq!(answer(&single("wrong-shape"))["success"], Value::Null);

    let unsearched = single("unsearched");
    assert_eq!(step_types(&unsearched), ["user_input", "thought", "model_output"]);
    assert_eq!(answer(&unsearched)["verified"], true);
    assert!(!text(&unsearched).contains("http"));

    let invented = answer(&single("invented"));
    assert!(invented["report"].as_str().unwrap().contains("[3](https://invented.example/tpu/study)"));
    let obedient = answer(&single("obedient"));
    assert!(obedient["report"].as_str().unwrap().contains("(http://127.0.0.1:1/steal?q=tpu)"));
    assert_eq!(obedient["verified"], true);
    assert!(answer(&single("huge"))["report"].as_str().unwrap().len() >= 50_000);
}

#[test]
fn a_correction_states_only_the_facts_it_was_given() {
    let mut driver = WorldDriver::new();
    let no_tools = || json!({"tools": [], "response_format": null});
    let prose = text(&finished(&mut driver, "[[rounds key=k turns=prose,corrected]] why", json!({})));
    // Neither the tag nor the question: the page addresses say whose text it is.
    let wrapped: String = prose.chars().flat_map(|letter| [letter, '\n']).collect();
    let addresses = "see http://pages.example/k/1";
    let corrected = finished(&mut driver, &format!("Correct this: {addresses} {wrapped}"), no_tools());
    let draft = answer(&finished(&mut WorldDriver::new(), "[[rounds key=k turns=draft]] why", json!({})));
    assert_eq!(answer(&corrected)["report"], draft["report"]);
    assert_eq!(step_types(&corrected), ["user_input", "thought", "model_output"]);
    assert_eq!(driver.world.ledger().turns_charged("k"), 2);

    let blind = finished(&mut driver, "[[rounds key=b turns=corrected]] Correct the file", no_tools());
    assert!(text(&blind).contains("could not read"), "{}", text(&blind));
    let cut = text(&single("cut"));
    let partly = finished(
        &mut WorldDriver::new(),
        &format!("[[rounds key=b topic=tpu turns=corrected]] {cut}"),
        no_tools(),
    );
    let report = answer(&partly)["report"].as_str().unwrap().to_owned();
    assert!(report.contains("first deployment") && !report.contains("Zürich"), "{report}");
}

#[test]
fn prompts_without_a_script_are_answered_by_what_they_show() {
    let mut driver = WorldDriver::new();
    let first = answer(&finished(&mut driver, "why", json!({})));
    let shown = format!("why <current_result>{first}</current_result>");
    let second = answer(&finished(&mut driver, &shown, json!({})));
    assert_eq!([&first["verified"], &second["verified"]], [&json!(false), &json!(true)]);
    assert_eq!(first["report"], second["report"]);
    let text = format!("Correct: {}", first["report"].as_str().unwrap());
    let corrected = answer(&finished(&mut driver, &text, json!({"tools": null})));
    assert_eq!(corrected["report"], first["report"]);
}

#[test]
fn refused_turns_are_free_and_lost_ones_are_charged() {
    let mut driver = WorldDriver::new();
    let items = "error-400,error-400-key,error-401,error-403,error-404,error-429,error-429-daily,error-500,\
                 error-503,hang,lost,draft";
    let input = format!("[[rounds key=k turns={items}]] why");
    let mut seen = Vec::new();
    for _ in 0..12 {
        seen.push(match round(&mut driver, &input, json!({})) {
            CallObservation::Json(status, _) => status.to_string(),
            CallObservation::Lost => "lost".to_owned(),
            CallObservation::Hang => "hang".to_owned(),
            other => format!("{other:?}"),
        });
    }
    let expected = ["400", "400", "401", "403", "404", "429", "429", "500", "503", "hang", "lost", "200"];
    assert_eq!(seen, expected);
    driver.now_ms = 1_000;
    driver.world.settle(driver.now_ms);
    let ledger = driver.world.ledger();
    assert_eq!((ledger.turns_charged("k"), ledger.turns_repeated("k")), (2, 1));
    let (free, paid): (Vec<_>, Vec<_>) =
        ledger.turns_of("k").partition(|turn| turn.charge == TurnCharge::Free);
    assert!(free.iter().all(|turn| turn.charged_micro_usd == 0 && turn.interaction_id.is_none()));
    assert!(paid.iter().all(|turn| turn.charged_micro_usd > 0 && turn.interaction_id.is_some()));
    assert_eq!((paid[0].face, paid[0].model.as_str()), (TurnApi::Interactions, MODEL));
    assert_eq!(ledger.charged_micro_usd(), paid.iter().map(|turn| turn.charged_micro_usd).sum::<u64>());
}

#[test]
fn a_turn_runs_in_the_background_streams_resumes_and_is_cancelled() {
    let mut driver = WorldDriver::new();
    let CallObservation::Json(200, created) = round(&mut driver, "[[rounds key=k turns=draft]]", json!({}))
    else {
        panic!("refused")
    };
    let id = created["id"].as_str().unwrap().to_owned();
    driver.now_ms = 199;
    let early = driver.status(&id);
    driver.now_ms = 200;
    assert_eq!([early, driver.status(&id)], ["in_progress", "completed"]);

    let slow = "[[rounds key=s turns=draft duration_ms=90000]] [[drop-after events=4]]";
    let CallObservation::Stream(mut cursor) = round(&mut driver, slow, json!({"stream": true})) else {
        panic!("no stream")
    };
    let (first, ended) = driver.drain(&mut cursor);
    assert_eq!((events(&first).len(), ended), (4, StreamNext::Cut));
    let id = events(&first)[0]["interaction"]["id"].as_str().unwrap().to_owned();
    let mut cursor = driver.resume(&id, "evt_0004");
    let (rest, ended) = driver.drain(&mut cursor);
    assert_eq!(ended, StreamNext::Closed);
    let whole = driver.read(&id);
    let streamed: String = events(&rest)
        .iter()
        .filter(|event| event["delta"]["type"] == "text")
        .map(|event| event["delta"]["text"].as_str().unwrap())
        .collect();
    assert_eq!(streamed, text(&whole));

    let CallObservation::Json(200, created) = round(&mut driver, slow, json!({})) else { panic!("refused") };
    let id = created["id"].as_str().unwrap().to_owned();
    assert!(matches!(driver.cancel(&id), CallObservation::Json(200, _)));
    assert_eq!(driver.status(&id), "cancelled");
}

#[test]
fn formats_the_service_does_not_take_are_refused() {
    let mut driver = WorldDriver::new();
    let mut status = |format: Value| match round(&mut driver, "why", json!({"response_format": format})) {
        CallObservation::Json(status, _) => status,
        other => panic!("{other:?}"),
    };
    assert_eq!(status(json!([{"type": "text"}])), 200);
    assert_eq!(status(json!({"type": "text", "mime_type": "text/plain"})), 200);
    assert_eq!(status(json!({"type": "object", "properties": {}})), 400);
    assert_eq!(status(json!({"type": "text", "mime_type": "text/json"})), 400);
    assert_eq!(status(json!({"type": "text", "mime_type": "application/json", "schema": "{}"})), 400);
    assert_eq!(status(json!({"type": "text", "mime_type": "text/plain", "schema": {}})), 400);
    assert_eq!(status(json!("json")), 400);
    let old = json!({"response_format": {"type": "object"}, "response_mime_type": "application/json"});
    assert!(matches!(round(&mut driver, "why", old), CallObservation::Json(200, _)));
}

#[test]
fn every_answer_speaks_the_types() {
    let types = Types::read(DUMP);
    let mut checked = 0;
    for item in Item::ALL {
        let mut driver = WorldDriver::new();
        let input = format!("[[rounds key=k turns={item} bytes=9000]] why");
        let CallObservation::Json(200, created) = round(&mut driver, &input, json!({})) else { continue };
        driver.now_ms = 1_000;
        let done = driver.read(created["id"].as_str().unwrap());
        for body in [created, done] {
            assert_eq!(types.faults("InteractionTypedDict", &body), Vec::<String>::new(), "{item}");
        }
        let CallObservation::Stream(mut cursor) = round(&mut driver, &input, json!({"stream": true})) else {
            panic!("{item}")
        };
        for event in events(&driver.drain(&mut cursor).0) {
            assert_eq!(types.faults("InteractionSSEEventTypedDict", &event), Vec::<String>::new(), "{item}");
            checked += 1;
        }
    }
    assert!(checked > 200, "only {checked} events were checked");
}
