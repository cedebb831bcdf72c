use expect_test::expect;
use serde_json::Value;

use super::{AcpError, AcpMessage, initialize, new_session, parse_message, prompt, record_update};
use crate::{
    gemini_cli::{CliEvent, answer_collector::AnswerCollector, session_record::SessionRecord},
    secret::ApiKey,
};

const RECORDED: &str = include_str!("../../../tests/fixtures/cli/acp_transcript.json");

/// The recorded messages of one direction.
fn messages(direction: &str) -> Vec<Value> {
    let all: Vec<Value> = serde_json::from_str(RECORDED).unwrap();
    all.into_iter().filter(|entry| entry["dir"] == direction).map(|entry| entry["msg"].clone()).collect()
}

#[test]
fn our_requests_are_those_that_the_cli_was_seen_to_accept() {
    let parsed = |text: String| serde_json::from_str::<Value>(&text).unwrap();
    let recorded = messages("out");
    let mut introduced = recorded[0].clone();
    introduced["params"]["clientInfo"] =
        serde_json::json!({"name": "probity", "version": env!("CARGO_PKG_VERSION")});
    assert_eq!(parsed(initialize(1)), introduced);
    assert_eq!(parsed(new_session(2, "/lab/ws")), recorded[1]);
    let session = recorded[2]["params"]["sessionId"].as_str().unwrap();
    assert_eq!(parsed(prompt(3, session, "Say hi")), recorded[2]);
}

#[test]
fn a_recorded_conversation_is_heard_and_its_last_turn_is_the_answer() {
    let key = ApiKey::parse("AIza-canary").unwrap();
    let mut account = AnswerCollector::new(&key);
    let mut shown = String::new();
    for message in messages("in") {
        match parse_message(&message.to_string()) {
            AcpMessage::Update { update, .. } => record_update(&update, &mut account),
            AcpMessage::Answer(id, Ok(result)) => {
                shown.push_str(&format!("{id}: {}\n", result["stopReason"]))
            }
            AcpMessage::Answer(id, Err(refusal)) => {
                shown.push_str(&format!("{id}: {:?}\n", refusal.status()))
            }
            other => panic!("{other:?}"),
        }
    }
    while let Some(heard) = account.next_event() {
        if !matches!(heard, CliEvent::Wrote(_)) {
            shown.push_str(&format!("{heard:?}\n"));
        }
    }
    let ended = account.finish(Ok(()), SessionRecord::default());
    shown.push_str(&format!("{:?}\n", ended.queries));
    expect![[r#"
        1: null
        2: null
        3: "end_turn"
        4: "end_turn"
        5: "end_turn"
        6: null
        7: "end_turn"
        8: Some(400)
        9: "cancelled"
        Thought("**Searching** planning")
        Searched("tpu history")
        Searched("tpu v1 year")
        ["tpu history", "tpu v1 year"]
    "#]]
    .assert_eq(&shown);
}

#[test]
fn a_wish_for_permission_is_turned_down_and_any_other_is_not_offered() {
    let asked = |method: &str| {
        parse_message(&format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"method\":\"{method}\",\"params\":{{}}}}"
        ))
    };
    let reply = |text: &str| AcpMessage::Asked { reply: format!("{text}\n") };
    assert_eq!(
        asked("session/request_permission"),
        reply(r#"{"id":"x","jsonrpc":"2.0","result":{"outcome":{"outcome":"cancelled"}}}"#)
    );
    assert_eq!(
        asked("fs/read_text_file"),
        reply(r#"{"error":{"code":-32601,"message":"not offered"},"id":"x","jsonrpc":"2.0"}"#)
    );
}

#[test]
fn only_a_status_of_the_provider_is_taken_for_one() {
    let status = |code| AcpError { code, message: String::new() }.status();
    assert_eq!([status(429), status(-32000), status(0), status(70_000)], [Some(429), None, None, None]);
}

#[test]
fn noise_concerns_nobody() {
    for noise in ["", "Loaded cached credentials.", "[]", "{}", "{\"id\":null}", "{\"method\":\"x\"}"] {
        assert_eq!(parse_message(noise), AcpMessage::Other, "{noise}");
    }
}
