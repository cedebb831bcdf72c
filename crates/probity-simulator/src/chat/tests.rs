use serde_json::{Value, json};

use super::{Asked, ChatBehaviour, ChatFault, ChatModel, Script};
use crate::call::{CallMethod, SimulatorAnswer, SimulatorCall};

const PAGE: &str = "<question>\nWhen was the Harbour Bridge opened?\n</question>\n<page>\nHarbour Bridge\nThe Harbour Bridge was \
opened on 19 March 1932 by Jack Lang. It carries eight lanes.\nThe Harbour Bridge cost 6.25 million pounds.\n</page>\n<links>\n[0] About us\n[1] Harbour Bridge history\n</links>";

fn body(asked: &str, model: &str, user: &str) -> String {
    let schema = json!({"name": asked, "strict": true, "schema": {"type": "object"}});
    json!({
        "model": model,
        "messages": [{"role": "system", "content": "You answer."}, {"role": "user", "content": user}],
        "response_format": {"type": "json_schema", "json_schema": schema},
    })
    .to_string()
}

fn post(body: String) -> SimulatorCall {
    SimulatorCall::new(CallMethod::Post, "/v1/chat/completions").with_body(body)
}

#[track_caller]
fn whole(answer: Option<SimulatorAnswer>) -> (u16, Value) {
    match answer {
        Some(SimulatorAnswer::Whole { status, body, .. }) => {
            (status, serde_json::from_slice(&body).unwrap_or_default())
        }
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn said(asked: &str, model: &str, user: &str) -> Value {
    let (status, answer) = whole(ChatModel::default().answer(0, &post(body(asked, model, user))));
    assert_eq!(status, 200);
    serde_json::from_str(answer["choices"][0]["message"]["content"].as_str().unwrap()).unwrap()
}

#[test]
fn an_honest_reader_quotes_what_is_there() {
    let read = said("read", "gpt-5", PAGE);
    let expected = json!({
        "relevant": true,
        "quotes": [
            "The Harbour Bridge was opened on 19 March 1932 by Jack Lang.",
            "The Harbour Bridge cost 6.25 million pounds.",
        ],
        "facts": [
            {"kind": "name", "value": "Harbour", "quote": 0}, {"kind": "name", "value": "Bridge", "quote": 0},
            {"kind": "number", "value": "19", "quote": 0}, {"kind": "name", "value": "March", "quote": 0},
            {"kind": "date", "value": "1932", "quote": 0}, {"kind": "name", "value": "Jack", "quote": 0},
            {"kind": "name", "value": "Lang", "quote": 0}, {"kind": "name", "value": "Harbour", "quote": 1},
            {"kind": "name", "value": "Bridge", "quote": 1}, {"kind": "number", "value": "6.25", "quote": 1},
        ],
        "links": [1],
    });
    assert_eq!(read, expected);
    let other = PAGE.replace("Harbour Bridge opened?", "first steam locomotive built?");
    assert_eq!(said("read", "gpt-5", &other)["relevant"], json!(false));
}

#[test]
fn an_honest_planner_uses_the_words_of_the_question() {
    let question = "<question>\nWhen was the Harbour Bridge opened? [[chat key=k]]\n</question>";
    let plan = said("plan", "gpt-5", question);
    assert_eq!(
        plan,
        json!({"sub_questions": ["When was the Harbour Bridge opened?"],
        "queries": ["harbour bridge opened", "harbour bridge opened"], "enough": false})
    );
    let later = format!("{question}\n<notes>\n[0] \"The Harbour Bridge was opened in 1932.\"\n</notes>");
    assert_eq!(said("plan", "gpt-5", &later)["enough"], json!(true));
}

#[test]
fn an_honest_chooser_takes_what_fits_and_a_writer_repeats_its_notes() {
    let items = "<question>\nWhen was the Harbour Bridge opened?\n</question>\n<results>\n[0] Cooking at home\n[1] The Harbour Bridge\n[2] Harbour Bridge opened\n</results>";
    assert_eq!(said("choose", "gpt-5", items), json!({"indices": [2, 1]}));
    let notes = "<question>\nWhen was the Harbour Bridge opened?\n</question>\n<notes>\n[3] bridges.example (no date), on: when?\n“The Harbour Bridge was opened in 1932.”\n“It has eight lanes in all.”\n</notes>";
    assert_eq!(
        said("write", "gpt-5", notes),
        json!({"title": "When was the Harbour Bridge opened?", "unanswered": [], "sections": [{
            "heading": "What was found about harbour bridge opened",
            "sentences": [
                {"text": "The Harbour Bridge was opened in 1932.", "notes": [3]},
                {"text": "It has eight lanes in all.", "notes": [3]},
            ],
        }]})
    );
}

#[test]
fn a_forgetful_reader_invents_and_changes() {
    let quotes = said("read", "forgetful", PAGE)["quotes"].clone();
    let there = |quote: &Value| PAGE.contains(quote.as_str().unwrap());
    let standing: Vec<bool> = quotes.as_array().unwrap().iter().map(there).collect();
    assert_eq!(standing, [true, false, false], "{quotes}");
}

#[test]
fn broken_answers_are_broken_each_in_its_way() {
    let content = |script: &str| {
        let (_, answer) = whole(ChatModel::default().answer(0, &post(body("read", script, PAGE))));
        let choice = answer["choices"][0].clone();
        (
            choice["message"]["content"].as_str().map(str::to_owned),
            choice["finish_reason"].as_str().unwrap().to_owned(),
        )
    };
    for script in ["broken-json", "cut", "cut-silently", "empty", "prose"] {
        let (text, finish) = content(script);
        assert!(serde_json::from_str::<Value>(&text.unwrap()).is_err(), "{script}");
        assert_eq!(finish, if script == "cut" { "length" } else { "stop" });
    }
    assert_eq!(content("refusing").0, None);
    assert_eq!(content("filtered").1, "content_filter");
    let slow = ChatModel::default().answer(5, &post(body("read", "slow", PAGE)));
    assert!(matches!(slow, Some(SimulatorAnswer::Later { at_ms: 60_005, .. })), "{slow:?}");
}

#[test]
fn the_ledger_counts_what_is_paid_even_if_the_answer_is_lost() {
    let mut model = ChatModel::default();
    let lost = ChatBehaviour::parse("lost").unwrap();
    model.add_fault(ChatFault { asked: Some(Asked::Read), behaviour: lost, times: 1 });
    model.add_fault(ChatFault { asked: None, behaviour: ChatBehaviour::parse("503").unwrap(), times: 1 });
    let call = post(body("read", "gpt-5", PAGE));
    assert!(matches!(model.answer(0, &call), Some(SimulatorAnswer::Lost)));
    assert_eq!(whole(model.answer(1, &call)).0, 503);
    let (_, answer) = whole(model.answer(2, &call));
    let ledger = model.ledger();
    assert_eq!((ledger.entries().len(), ledger.paid_for(Asked::Read), ledger.repeated_count()), (2, 2, 1));
    assert_eq!(ledger.refused().get(&503), Some(&1));
    let usage = &answer["usage"];
    let (input, output) =
        (usage["prompt_tokens"].as_u64().unwrap(), usage["completion_tokens"].as_u64().unwrap());
    let last = ledger.entries().last().unwrap();
    assert_eq!((last.input_tokens, last.output_tokens), (input, output));
    assert_eq!(last.charged_micro_usd, (input * 125 + output * 1_000).div_ceil(100));
}

#[test]
fn an_endpoint_without_schemas_is_asked_in_words() {
    let mut model = ChatModel::default();
    model.set_script(Script::NoSchema);
    assert_eq!(whole(model.answer(0, &post(body("read", "gpt-5", PAGE)))).0, 400);
    let system = "Answer with JSON of this schema: {\"properties\":{\"quotes\":{}}}";
    let words = json!({"model": "gpt-5", "messages": [{"role": "system", "content": system}, {"role": "user", "content": PAGE}]});
    let (status, answer) = whole(model.answer(0, &post(words.to_string())));
    assert_eq!(status, 200);
    assert!(answer["choices"][0]["message"]["content"].as_str().unwrap().contains("19 March 1932"));
}

#[test]
fn other_calls_are_left_to_the_world() {
    let mut model = ChatModel::default();
    assert!(model.answer(0, &SimulatorCall::new(CallMethod::Post, "/v1/interactions")).is_none());
    assert!(
        model.answer(0, &SimulatorCall::new(CallMethod::Get, "/v1beta/models/x:generateContent")).is_none()
    );
    assert_eq!(whole(model.answer(0, &post("{}".to_owned()))).0, 400);
    assert_eq!(whole(model.answer(0, &post(body("read", "no-such-model", PAGE)))).0, 404);
}
