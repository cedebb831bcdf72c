//! The scripted model through generateContent: the recorded shapes, the functions it calls, and the same
//! world as through the Interactions API.

use std::collections::BTreeSet;

use probity_simulator::{CallMethod, Item, SimulatorAnswer, SimulatorCall, TurnApi};
use serde_json::{Value, json};

use crate::{
    driver::{CallObservation, WorldDriver},
    shapes::shape,
};

const MODEL: &str = "gemini-3.8-flash";
const CLI_TOOLS: [&str; 3] = ["google_web_search", "web_fetch", "read_file"];

fn generate(driver: &mut WorldDriver, body: &Value) -> CallObservation {
    let target = format!("/v1beta/models/{MODEL}:generateContent");
    driver.call(&SimulatorCall::new(CallMethod::Post, target).with_body(body.to_string()))
}

/// A request as the CLI makes it: its introduction, the prompt, these functions.
fn asked(prompt: &str, functions: &[&str]) -> Value {
    let declared: Vec<Value> = functions.iter().map(|name| json!({"name": name})).collect();
    json!({
        "contents": [{"role": "user", "parts": [
            {"text": "<session_context>\n- cfg/temp-invalid-output-1.txt\n</session_context>"}, {"text": prompt},
        ]}],
        "tools": [{"functionDeclarations": declared}],
    })
}

/// The functions an answer calls, with their arguments.
fn calls(answer: &Value) -> Vec<(String, Value)> {
    let parts = answer["candidates"][0]["content"]["parts"].as_array();
    parts
        .into_iter()
        .flatten()
        .filter_map(|part| part.get("functionCall"))
        .map(|call| (call["name"].as_str().unwrap().to_owned(), call["args"].clone()))
        .collect()
}

fn text(answer: &Value) -> String {
    let parts = answer["candidates"][0]["content"]["parts"].as_array();
    parts
        .into_iter()
        .flatten()
        .filter(|part| part["thought"] != true)
        .filter_map(|part| part["text"].as_str())
        .collect()
}

/// Plays the CLI: calls the functions the model wants until it answers. Gives the calls and the answer.
fn converse(
    driver: &mut WorldDriver,
    prompt: &str,
    functions: &[&str],
    file: &str,
) -> (Vec<(String, Value)>, Value) {
    let mut body = asked(prompt, functions);
    let mut made = Vec::new();
    for _ in 0..9 {
        let CallObservation::Json(200, answer) = generate(driver, &body) else {
            panic!("{prompt} was refused")
        };
        let wanted = calls(&answer);
        if wanted.is_empty() {
            return (made, answer);
        }
        let brought: Vec<Value> = wanted
            .iter()
            .map(|(name, arguments)| {
                let output = match name.as_str() {
                    "google_web_search" => text(&searched(driver, arguments["query"].as_str().unwrap())),
                    "read_file" => file.to_owned(),
                    _ => "Error: All requested URLs were skipped".to_owned(),
                };
                json!({"functionResponse": {"name": name, "response": {"output": output}}})
            })
            .collect();
        let contents = body["contents"].as_array_mut().unwrap();
        contents.push(answer["candidates"][0]["content"].clone());
        contents.push(json!({"role": "user", "parts": brought}));
        made.extend(wanted);
    }
    panic!("the model never answers")
}

fn searched(driver: &mut WorldDriver, query: &str) -> Value {
    let body =
        json!({"contents": [{"role": "user", "parts": [{"text": query}]}], "tools": [{"googleSearch": {}}]});
    let CallObservation::Json(200, answer) = generate(driver, &body) else { panic!("{query} was refused") };
    answer
}

#[track_caller]
fn same_shape(ours: &Value, recorded: &str) {
    let recorded: Value = serde_json::from_str(recorded).unwrap();
    assert_eq!(shape(ours), shape(&recorded));
}

#[test]
fn searches_and_pages_have_the_recorded_shapes() {
    let mut driver = WorldDriver::new();
    let found = searched(&mut driver, "tpu history");
    same_shape(&found, include_str!("../../fixtures/generate_content/google_search_response.json"));
    let body = json!({
        "contents": [{"parts": [{"text": "summarise https://example.com/tpu"}], "role": "user"}],
        "tools": [{"urlContext": {}}],
    });
    let CallObservation::Json(200, read) = generate(&mut driver, &body) else { panic!("refused") };
    same_shape(&read, include_str!("../../fixtures/generate_content/url_context_response.json"));
    let page = &read["candidates"][0]["urlContextMetadata"]["urlMetadata"][0];
    assert_eq!(page["retrievedUrl"], "https://example.com/tpu");
}

#[test]
fn recorded_requests_of_the_sdk_are_accepted() {
    let mut driver = WorldDriver::new();
    let mut accepted = 0;
    for line in include_str!("../../fixtures/generate_content/py_requests.jsonl").lines() {
        let request: Value = serde_json::from_str(line).unwrap();
        let call = SimulatorCall::new(CallMethod::Post, request["path"].as_str().unwrap())
            .with_body(request["body"].to_string());
        let answer = driver.world.handle(0, &call);
        assert!(matches!(answer, SimulatorAnswer::Whole { status: 200, .. }), "{answer:?}");
        accepted += 1;
    }
    assert!(accepted > 3, "only {accepted} requests were recorded");
}

#[test]
fn supports_are_cut_at_bytes_and_redirects_lead_to_the_pages() {
    let mut driver = WorldDriver::new();
    let found = searched(&mut driver, "tpu second generation");
    let grounding = &found["candidates"][0]["groundingMetadata"];
    for support in grounding["groundingSupports"].as_array().unwrap() {
        let segment = &support["segment"];
        let start = segment["startIndex"].as_u64().unwrap_or(0) as usize;
        let range = start..segment["endIndex"].as_u64().unwrap() as usize;
        assert_eq!(text(&found).get(range).unwrap(), segment["text"]);
    }
    let uris =
        grounding["groundingChunks"].as_array().unwrap().iter().map(|chunk| chunk["web"]["uri"].as_str());
    let pages: Vec<String> = uris.map(|uri| followed(&mut driver, uri.unwrap())).collect();
    assert_eq!(pages, ["http://pages.example/tpu/1", "http://pages.example/tpu/2"]);
}

fn followed(driver: &mut WorldDriver, uri: &str) -> String {
    let path = uri.splitn(4, '/').nth(3).unwrap();
    match driver.world.handle(0, &SimulatorCall::new(CallMethod::Head, format!("/{path}"))) {
        SimulatorAnswer::Whole { status: 302, headers, .. } => headers[0].1.clone(),
        other => panic!("{uri} leads nowhere: {other:?}"),
    }
}

#[test]
fn a_turn_searches_reads_and_answers_with_what_is_declared() {
    let prompt = "[[rounds key=k topic=tpu turns=draft]] why";
    let (made, answer) = converse(&mut WorldDriver::new(), prompt, &CLI_TOOLS, "");
    let names: Vec<&str> = made.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["google_web_search", "google_web_search", "web_fetch"]);
    assert_eq!(made[0].1, json!({"query": "tpu first deployment"}));
    assert!(made[2].1["prompt"].as_str().unwrap().ends_with(" http://pages.example/tpu/1"));
    assert_eq!(answer["candidates"][0]["finishReason"], "STOP");

    let (made, _) = converse(&mut WorldDriver::new(), prompt, &["google_web_search"], "");
    assert_eq!(made.len(), 2, "what is not declared is not called");
    let (made, answer) = converse(&mut WorldDriver::new(), prompt, &["update_topic"], "");
    assert_eq!((made.len(), text(&answer).is_empty()), (0, false));
}

/// The same key and turn, once through each face.
#[test]
fn both_faces_make_the_same_searches_and_give_the_same_answer() {
    let (mut one, mut other) = (WorldDriver::new(), WorldDriver::new());
    let items: Vec<&str> =
        Item::ALL.iter().map(|item| item.as_str()).filter(|item| !is_refused(item)).collect();
    let prompt = format!("[[rounds key=k topic=tpu bytes=9000 turns={}]] why", items.join(","));
    for item in &items {
        let create = json!({
            "agent": null, "agent_config": null, "background": false, "model": MODEL,
            "tools": [{"type": "google_search"}, {"type": "url_context"}],
        });
        let CallObservation::Json(200, done) = one.create(&prompt, create) else {
            panic!("{item} was refused")
        };
        let (made, answer) = converse(&mut other, &prompt, &CLI_TOOLS, "");
        let steps = done["steps"].as_array().unwrap();
        let queries: Vec<&Value> = steps
            .iter()
            .flat_map(|step| step["arguments"]["queries"].as_array().into_iter().flatten())
            .collect();
        let asked: Vec<&Value> = made
            .iter()
            .filter(|(name, _)| name == "google_web_search")
            .map(|(_, given)| &given["query"])
            .collect();
        assert_eq!(asked, queries, "{item}");
        let written: String = steps
            .iter()
            .filter(|step| step["type"] == "model_output")
            .map(|step| step["content"][0]["text"].as_str().unwrap())
            .collect();
        assert_eq!(text(&answer), written, "{item}");
    }
    let charged = |driver: &WorldDriver| driver.world.ledger().turns_charged("k");
    assert_eq!((charged(&one), charged(&other)), (items.len(), items.len()));
    assert!(other.world.ledger().turns().iter().all(|turn| turn.face == TurnApi::GenerateContent));
}

fn is_refused(item: &str) -> bool {
    item.starts_with("error-") || matches!(item, "hang" | "lost" | "corrected")
}

#[test]
fn answers_end_as_the_wire_says_it() {
    let finish = |item: &str| {
        let (_, answer) =
            converse(&mut WorldDriver::new(), &format!("[[rounds key=k turns={item}]]"), &CLI_TOOLS, "");
        (answer["candidates"][0]["finishReason"].as_str().unwrap().to_owned(), text(&answer).is_empty())
    };
    assert_eq!(finish("cut"), ("MAX_TOKENS".to_owned(), false));
    assert_eq!(finish("empty"), ("STOP".to_owned(), true));
    assert_eq!(finish("silent"), ("STOP".to_owned(), true));
}

#[test]
fn a_correction_reads_the_file_it_is_told_of() {
    let mut driver = WorldDriver::new();
    let (_, prose) =
        converse(&mut driver, "[[rounds key=k turns=prose,corrected,agreed]] why", &CLI_TOOLS, "");
    let ask = "Read `/run/x/temp-invalid-output-17.txt`, then answer as JSON.";
    let (made, corrected) = converse(&mut driver, ask, &CLI_TOOLS, &text(&prose));
    let read = vec![("read_file".to_owned(), json!({"file_path": "/run/x/temp-invalid-output-17.txt"}))];
    assert_eq!(made, read);
    let corrected: Value = serde_json::from_str(&text(&corrected)).unwrap();
    let (_, agreed) =
        converse(&mut driver, "[[rounds key=k turns=prose,corrected,agreed]] again", &CLI_TOOLS, "");
    let agreed: Value = serde_json::from_str(&text(&agreed)).unwrap();
    assert_eq!(corrected["report"], agreed["report"]);
    assert_eq!(driver.world.ledger().turns_charged("k"), 3, "the file says whose turn it is");

    let (_, blind) = converse(&mut driver, ask, &CLI_TOOLS, "Error: Path not in workspace");
    assert!(text(&blind).contains("could not read"));
    let inline = format!("{ask} [[rounds key=k turns=corrected]] {}", text(&prose));
    let (made, _) = converse(&mut driver, &inline, &CLI_TOOLS, "Error: Path not in workspace");
    assert_eq!(made, read, "also when the text is in the prompt");
    assert_eq!(driver.world.ledger().turns_charged("k"), 4);
}

#[test]
fn a_schema_that_asks_for_no_report_is_filled_without_a_turn() {
    let mut driver = WorldDriver::new();
    let mut body = asked("[[rounds key=k turns=draft]] why", &[]);
    body["generationConfig"] = json!({"responseJsonSchema": {"type": "OBJECT", "properties": {
        "complexity_reasoning": {"type": "STRING"}, "complexity_score": {"type": "INTEGER"},
        "model_choice": {"type": "STRING", "enum": ["flash", "pro"]},
    }}});
    let CallObservation::Json(200, answer) = generate(&mut driver, &body) else { panic!("refused") };
    let chosen: Value = serde_json::from_str(&text(&answer)).unwrap();
    assert_eq!((&chosen["model_choice"], chosen["complexity_score"].is_u64()), (&json!("flash"), true));
    assert_eq!(driver.world.ledger().turns(), []);
    body["generationConfig"]["responseJsonSchema"]["properties"] = json!({"report": {"type": "STRING"}});
    assert!(matches!(generate(&mut driver, &body), CallObservation::Json(200, _)));
    assert_eq!(driver.world.ledger().turns_charged("k"), 1);
}

#[test]
fn built_in_tools_ground_the_turn_itself() {
    let mut driver = WorldDriver::new();
    let mut body = asked("[[rounds key=k topic=tpu turns=draft,unsearched]] why", &[]);
    body["tools"] = json!([{"googleSearch": {}}, {"urlContext": {}}]);
    let CallObservation::Json(200, answer) = generate(&mut driver, &body) else { panic!("refused") };
    let candidate = &answer["candidates"][0];
    assert_eq!(
        candidate["groundingMetadata"]["webSearchQueries"],
        json!(["tpu first deployment", "tpu second generation"])
    );
    let read = &candidate["urlContextMetadata"]["urlMetadata"][0]["retrievedUrl"];
    assert_eq!(read, "http://pages.example/tpu/1");
    let CallObservation::Json(200, blind) = generate(&mut driver, &body) else { panic!("refused") };
    assert_eq!(blind["candidates"][0]["groundingMetadata"], Value::Null);
}

#[test]
fn refusals_have_the_shape_of_google_rpc() {
    let mut driver = WorldDriver::new();
    let mut seen = BTreeSet::new();
    for item in Item::ALL.iter().filter(|item| item.as_str().starts_with("error-")) {
        let body = asked(&format!("[[rounds key={item} turns={item}]]"), &CLI_TOOLS);
        let CallObservation::Json(status, error) = generate(&mut driver, &body) else { panic!("{item}") };
        assert_eq!(error["error"]["code"], status, "{item}");
        seen.insert((status, error["error"]["status"].as_str().unwrap().to_owned()));
        assert_eq!(driver.world.ledger().turns_charged(item.as_str()), 0);
    }
    let words: Vec<String> = seen.into_iter().map(|(status, word)| format!("{status} {word}")).collect();
    let expected = [
        "400 INVALID_ARGUMENT",
        "401 UNAUTHENTICATED",
        "403 PERMISSION_DENIED",
        "404 NOT_FOUND",
        "429 RESOURCE_EXHAUSTED",
        "500 INTERNAL",
        "503 UNAVAILABLE",
    ];
    assert_eq!(words, expected);
    assert!(matches!(
        generate(&mut driver, &asked("[[rounds key=h turns=hang]]", &[])),
        CallObservation::Hang
    ));
    assert!(matches!(
        generate(&mut driver, &asked("[[rounds key=l turns=lost]]", &[])),
        CallObservation::Lost
    ));
    assert_eq!((driver.world.ledger().turns_charged("h"), driver.world.ledger().turns_charged("l")), (0, 1));
    assert!(matches!(generate(&mut driver, &json!({"contents": []})), CallObservation::Json(400, _)));
    assert!(matches!(generate(&mut driver, &asked("[[rounds]]", &[])), CallObservation::Json(400, _)));
}

#[test]
fn asking_again_after_silence_is_the_same_turn() {
    let mut driver = WorldDriver::new();
    let mut body = asked("[[rounds key=k turns=empty,draft]] why", &CLI_TOOLS);
    assert!(matches!(generate(&mut driver, &body), CallObservation::Json(200, _)));
    let again = "\n[System: You previously returned an empty response with no text or thoughts.]";
    body["contents"][0]["parts"].as_array_mut().unwrap().push(json!({"text": again}));
    let CallObservation::Json(200, answer) = generate(&mut driver, &body) else { panic!("refused") };
    assert_eq!(text(&answer), "");
    let turn = &driver.world.ledger().turns()[0];
    assert_eq!((driver.world.ledger().turns().len(), turn.requests), (1, 2));
}

#[test]
fn a_stream_is_the_same_answer_in_frames() {
    let mut driver = WorldDriver::new();
    let body = asked("[[rounds key=k turns=huge bytes=5000]] why", &[]).to_string();
    let target = format!("/v1beta/models/{MODEL}:streamGenerateContent?alt=sse");
    let call = SimulatorCall::new(CallMethod::Post, target).with_body(body.clone());
    let SimulatorAnswer::Whole { status: 200, headers, body: stream } = driver.world.handle(0, &call) else {
        panic!("refused")
    };
    assert_eq!(headers[0].1, "text/event-stream");
    let stream = String::from_utf8(stream.to_vec()).unwrap();
    let frames: Vec<Value> = stream
        .strip_suffix("\r\n\r\n")
        .unwrap()
        .split("\r\n\r\n")
        .map(|frame| serde_json::from_str(frame.strip_prefix("data: ").unwrap()).unwrap())
        .collect();
    assert!(frames.len() > 4, "{} frames", frames.len());
    let ends = frames.iter().filter(|frame| frame["candidates"][0]["finishReason"].is_string()).count();
    assert_eq!((ends, &frames.last().unwrap()["candidates"][0]["finishReason"]), (1, &json!("STOP")));
    let streamed: String = frames.iter().map(text).collect();
    let CallObservation::Json(200, whole) =
        generate(&mut WorldDriver::new(), &serde_json::from_str(&body).unwrap())
    else {
        panic!("refused")
    };
    assert_eq!(streamed, text(&whole));
}

#[test]
fn tokens_are_counted_and_keys_are_asked_for() {
    let mut driver = WorldDriver::new();
    let count = |body: Value| {
        SimulatorCall::new(CallMethod::Post, format!("/v1/models/{MODEL}:countTokens"))
            .with_body(body.to_string())
    };
    let contents = json!({"contents": [{"role": "user", "parts": [{"text": "why"}]}]});
    let CallObservation::Json(200, plain) = driver.call(&count(contents.clone())) else { panic!("refused") };
    assert!(plain["totalTokens"].as_u64().unwrap() > 0);
    let wrapped = driver.call(&count(json!({"generateContentRequest": contents})));
    assert!(matches!(wrapped, CallObservation::Json(200, _)));
    let mut keyless = count(contents);
    keyless.headers.clear();
    assert!(matches!(driver.call(&keyless), CallObservation::Json(403, _)));
}
