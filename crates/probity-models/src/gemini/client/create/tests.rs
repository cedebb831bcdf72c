use std::time::Duration;

use expect_test::{Expect, expect};

use super::CreateReply;
use crate::{
    ApiKey,
    gemini::{
        client::InteractionsClient,
        wire::{CreateInteractionRequest, InteractionLabels},
    },
    transport::{
        SendState,
        scripted::{BodyStep, ScriptedResponse, ScriptedTransport, json, stream},
    },
};

const CREATED: &str = "data: {\"event_type\":\"interaction.created\",\"interaction\":{\"id\":\"v1_a\"},\"event_id\":\"e1\"}\n\n";

async fn created(script: ScriptedResponse) -> String {
    let transport = ScriptedTransport::new([script]);
    let key = ApiKey::parse("canary-key").unwrap();
    let client = InteractionsClient::new(transport.clone(), "http://127.0.0.1:1", "v1", key, 1);
    let create = CreateInteractionRequest {
        agent: Some("a"),
        model: None,
        input: "q",
        stream: true,
        background: true,
        store: true,
        agent_config: None,
        previous_interaction_id: None,
        system_instruction: None,
        tools: &[],
        response_format: None,
        labels: InteractionLabels { task: "t" },
    };
    let created = client.create(&create).await;
    assert_eq!(transport.take_targets(), ["Post interactions"], "exactly one request, whatever happens");
    match created {
        CreateReply::Started { remote_id, cursor, rest } => {
            format!(
                "started {remote_id} {} {}",
                cursor.unwrap_or_default(),
                if rest.is_some() { "live" } else { "" }
            )
        }
        CreateReply::Refused(problem) => format!("refused {}", problem.code),
        CreateReply::Uncertain(problem) => {
            let cause = problem.message.split(": ").skip(1).collect::<Vec<_>>().join(": ");
            format!("uncertain {}: {cause}", problem.code)
        }
    }
}

#[track_caller]
fn check(script: ScriptedResponse, expected: &Expect) {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    expected.assert_eq(&runtime.block_on(created(script)));
}

fn answers(status: u16, body: &'static str) -> ScriptedResponse {
    json(status, body)
}

#[test]
fn the_first_byte_with_an_id_is_enough() {
    check(stream(&[BodyStep::Piece(CREATED), BodyStep::Hang]), &expect!["started v1_a e1 live"]);
    check(
        stream(&[
            BodyStep::Piece(": hello\n\n"),
            BodyStep::Wait(Duration::from_secs(59)),
            BodyStep::Piece(CREATED),
        ]),
        &expect!["started v1_a e1 live"],
    );
    check(
        stream(&[BodyStep::Piece(
            "data: {\"event_type\":\"interaction.status_update\",\"interaction_id\":\"v1_b\"}\n\n",
        )]),
        &expect!["started v1_b  live"],
    );
    check(answers(200, "{\"id\":\"v1_c\",\"status\":\"in_progress\"}"), &expect!["started v1_c  "]);
    let unfinished = "data: {\"interaction\":{\"id\":\"v1_d\"}}";
    check(stream(&[BodyStep::Piece(unfinished), BodyStep::Cut]), &expect!["started v1_d  live"]);
}

#[test]
fn only_proof_is_called_a_refusal() {
    check(ScriptedResponse::Fails(SendState::NotSent), &expect!["refused NETWORK"]);
    check(
        answers(400, r#"{"error":{"message":"no","code":"invalid_request"}}"#),
        &expect!["refused BAD_REQUEST"],
    );
    check(
        answers(400, r#"{"error":{"code":400,"message":"no","status":"INVALID_ARGUMENT"}}"#),
        &expect!["refused BAD_REQUEST"],
    );
    check(
        answers(401, r#"{"error":{"message":"no","code":"authentication"}}"#),
        &expect!["refused KEY_REFUSED"],
    );
    check(
        answers(403, r#"{"error":{"message":"no","code":"permission_denied"}}"#),
        &expect!["refused PERMISSION_DENIED"],
    );
    check(
        answers(404, r#"[{"error":{"code":404,"message":"no","status":"NOT_FOUND"}}]"#),
        &expect!["refused BAD_REQUEST"],
    );
    check(
        answers(429, r#"{"error":{"message":"no","code":"rate_limit_exceeded"}}"#),
        &expect!["refused RATE_LIMITED"],
    );
}

/// The word of a refusal proves nothing with another status, and a proxy's page nothing at all.
#[test]
fn a_status_without_its_documented_word_is_uncertain() {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    for status in 400..600 {
        for body in [
            r#"{"error":{"message":"no"}}"#,
            r#"{"error":{"message":"no","code":"error"}}"#,
            r#"{"error":{"code":503,"message":"no","status":"UNAVAILABLE"}}"#,
            r#"{"id":"v1_a","error":{"message":"no","code":"invalid_request"}}"#,
            r#"{"id":"v1_a","status":500}"#,
            r#"{"id":"v1_a","error":{"message":"no","code":"rate_limit_exceeded"}}"#,
            "<html>",
            "",
        ] {
            let created = runtime.block_on(created(answers(status, body)));
            assert!(created.starts_with("uncertain CREATE_UNCERTAIN: "), "{status} {body}: {created}");
        }
    }
}

/// Its id is in the answer: looking it up says more than "unknown".
#[test]
fn an_error_that_names_its_interaction_is_looked_up() {
    for status in [400, 408, 429, 500, 503] {
        let created = answers(status, r#"{"id":"v1_a","status":"in_progress"}"#);
        check(created, &expect!["started v1_a  "]);
        let failed = answers(status, r#"{"id":"v1_a","status":"failed","error":{"code":"invalid_request"}}"#);
        check(failed, &expect!["started v1_a  "]);
    }
}

#[test]
fn an_id_counts_before_its_answer_is_over() {
    let open = |piece: &'static str, next: BodyStep| stream(&[BodyStep::Piece(piece), next]);
    let json = r#"{"id":"v1_e","status":"in_progress","x":""#;
    check(open(json, BodyStep::Hang), &expect!["started v1_e  "]);
    let event = "data: {\"event_type\":\"interaction.created\",\"interaction\":{\"status\":\"queued\",\"id\":\"v1_f\"}";
    check(open(event, BodyStep::Hang), &expect!["started v1_f  live"]);
    let second = ": hello\n\nid: 7\ndata: {\"interaction_id\":\"v1_g\", \"x";
    check(open(second, BodyStep::Hang), &expect!["started v1_g  live"]);
    // The id of something else, and an id that is not over.
    for other in [
        r#"data: {"step":{"id":"v1_h"},"x"#,
        r#"data: {"event_id":"v1_h","x"#,
        r#"data: {"interaction":{"id":"v1_"#,
        r#"{"steps":[{"id":"v1_h"}],"id":"v1_"#,
    ] {
        let none = &expect!["uncertain CREATE_UNCERTAIN: the provider did not give an id within 60 s"];
        check(open(other, BodyStep::Hang), none);
    }
}

/// Streams and answers in forms that other services of the kind give.
#[test]
fn an_id_is_found_in_unusual_forms() {
    let created = |data: &'static str| stream(&[BodyStep::Piece(data), BodyStep::Cut]);
    let started = expect!["started v1_i  live"];
    for data in [
        "data: {\"event_type\":\"interaction.created\",\"id\":\"v1_i\",\"status\":\"in_progress\"}\n\n",
        "data: {\"event_type\":\"interaction.created\",\"data\":{\"interaction\":{\"id\":\"v1_i\"}}}\n\n",
        "data: {\"event_type\":\"interaction.created\",\"data\":{\"id\":\"v1_i\"}}\n\n",
        "event: interaction.created\rdata: {\"interaction\":{\"id\":\"v1_i\"}}\r\r",
        "data: {\"event_type\":\"error\",\"error\":{\"message\":\"no\"}}\n\ndata: {\"interaction\":{\"id\":\"v1_i\"}}\n\n",
    ] {
        check(created(data), &started);
    }
    check(answers(200, "[{\"id\":\"v1_i\",\"status\":\"in_progress\"}]"), &expect!["started v1_i  "]);
    // The id of anything else.
    for data in [
        "data: {\"event_type\":\"step.start\",\"id\":\"v1_i\"}\n\n",
        "data: {\"event_type\":\"step.start\",\"data\":{\"id\":\"v1_i\"}}\n\n",
    ] {
        check(created(data), &expect!["uncertain CREATE_UNCERTAIN: the connection was cut"]);
    }
}

#[test]
fn an_id_is_found_beside_bytes_that_are_no_text() {
    let frame = b"{\"interaction\":{\"obj\xff\xfe\":\"x\",\"id\":\"v1_i\"}}";
    let found = match super::first_event(frame) {
        super::FirstFrame::Id { remote_id, .. } => remote_id,
        super::FirstFrame::Failure(_) | super::FirstFrame::Nothing => String::new(),
    };
    assert_eq!(found, "v1_i");
}

#[test]
fn a_stream_that_stays_open_after_its_error_is_left_soon() {
    const ERROR: &str = "data: {\"event_type\":\"error\",\"error\":{\"message\":\"no\"}}\n\n";
    for next in [BodyStep::Hang, BodyStep::Cut, BodyStep::Piece(ERROR)] {
        check(
            stream(&[BodyStep::Piece(ERROR), next]),
            &expect!["uncertain CREATE_UNCERTAIN: the stream began with an error: no"],
        );
    }
}

/// The JSON is whole, but not the answer.
#[test]
fn a_refusal_whose_end_does_not_come_is_uncertain() {
    const REFUSAL: &str = r#"{"error":{"message":"no","code":"rate_limit_exceeded"}}"#;
    for status in [400, 429] {
        for end in [BodyStep::Cut, BodyStep::Hang] {
            let plays = vec![BodyStep::Piece(REFUSAL), end];
            let script = ScriptedResponse::Answers { status, content_type: "application/json", plays };
            let runtime =
                tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
            let created = runtime.unwrap().block_on(created(script));
            assert!(created.starts_with("uncertain CREATE_UNCERTAIN: "), "{status}: {created}");
        }
    }
}

#[test]
fn a_refusal_that_breaks_off_is_uncertain() {
    const REFUSAL: &str = r#"{"error":{"message":"no","code":"rate_limit_exceeded"}}"#;
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    for length in 0..REFUSAL.len() {
        let created = runtime.block_on(created(answers(429, REFUSAL.get(..length).unwrap())));
        assert!(created.starts_with("uncertain CREATE_UNCERTAIN: "), "{length}: {created}");
    }
}

#[test]
fn everything_else_is_uncertain() {
    let error = "{\"error\":{\"message\":\"no\"}}";
    check(
        ScriptedResponse::Fails(SendState::MaybeSent),
        &expect!["uncertain CREATE_UNCERTAIN: the connection was cut"],
    );
    check(
        ScriptedResponse::Silent,
        &expect!["uncertain CREATE_UNCERTAIN: the provider did not give an id within 60 s"],
    );
    check(
        stream(&[BodyStep::Piece(": wait\n\n"), BodyStep::Hang]),
        &expect!["uncertain CREATE_UNCERTAIN: the provider did not give an id within 60 s"],
    );
    check(answers(500, error), &expect!["uncertain CREATE_UNCERTAIN: the provider answered 500: no"]);
    check(answers(502, error), &expect!["uncertain CREATE_UNCERTAIN: the provider answered 502: no"]);
    check(
        answers(503, "<html>"),
        &expect!["uncertain CREATE_UNCERTAIN: the provider answered 503 with something that is not its JSON"],
    );
    check(
        answers(403, "<html>"),
        &expect!["uncertain CREATE_UNCERTAIN: the provider answered 403 with something that is not its JSON"],
    );
    check(
        answers(302, ""),
        &expect!["uncertain CREATE_UNCERTAIN: the provider answered 302, a redirect, which is not followed"],
    );
    check(
        answers(200, "<html>"),
        &expect!["uncertain CREATE_UNCERTAIN: the provider's answer carries no id"],
    );
    check(
        answers(200, "{\"id\":\"..\"}"),
        &expect!["uncertain CREATE_UNCERTAIN: the provider's answer carries an id that cannot be used"],
    );
    for broken in
        ["{\"status\":{\"id\":\"no\"},\"id\":\"v1_run\",\"st", "{\"id\": \"v1_run\", \"text\": \"\u{fffd}"]
    {
        check(answers(200, broken), &expect!["started v1_run  "]);
    }
    check(
        answers(200, "{\"id\":"),
        &expect!["uncertain CREATE_UNCERTAIN: the provider's answer carries no id"],
    );
    check(stream(&[BodyStep::Cut]), &expect!["uncertain CREATE_UNCERTAIN: the connection was cut"]);
    check(
        stream(&[BodyStep::Bytes(2_000_000), BodyStep::Hang]),
        &expect!["uncertain CREATE_UNCERTAIN: the provider's answer carries no id"],
    );
    check(
        stream(&[BodyStep::Piece(
            "data: {\"event_type\":\"error\",\"error\":{\"message\":\"canary-key is bad\"}}\n\n",
        )]),
        &expect!["uncertain CREATE_UNCERTAIN: the stream began with an error: [key] is bad"],
    );
    check(
        ScriptedResponse::Answers {
            status: 400,
            content_type: "application/json",
            plays: vec![BodyStep::Hang],
        },
        &expect!["uncertain CREATE_UNCERTAIN: the provider answered 400 with something that is not its JSON"],
    );
}
