use expect_test::{Expect, expect};

use super::{Interaction, InteractionEvent, readable};

#[track_caller]
fn check(body: &str, expected: &Expect) {
    let interaction = match Interaction::read(body.as_bytes()) {
        Ok(interaction) => interaction,
        Err(_) => return expected.assert_eq("unreadable"),
    };
    let kinds: Vec<String> = interaction.steps.iter().map(|step| format!("{:?}", step.kind())).collect();
    expected.assert_eq(&format!("{:?} {:?} {}", &*interaction.id, interaction.status(), kinds.join(" ")));
}

#[test]
fn what_no_text_can_hold_is_replaced_and_the_rest_is_read() {
    let check = |answer: &[u8], expected: &str| {
        assert_eq!(String::from_utf8(readable(answer).into_owned()).unwrap(), expected);
    };
    check(br#"{"a":"b"}"#, r#"{"a":"b"}"#);
    check(br#"{"a":"\ud83c\udf0d"}"#, r#"{"a":"\ud83c\udf0d"}"#);
    check(br#"{"a":"\ud800"}"#, r#"{"a":"\ufffd"}"#);
    check(br#"{"a":"\uD800\uD800\uDC00"}"#, r#"{"a":"\ufffd\uD800\uDC00"}"#);
    check(br#"{"a":"\udc00 x \ud83cx"}"#, r#"{"a":"\ufffd x \ufffdx"}"#);
    // An escaped backslash begins no escape.
    check(br#"{"a":"\\ud800 \\\ud800"}"#, r#"{"a":"\\ud800 \\\ufffd"}"#);
    check(br#"{"a":"\ud8"#, r#"{"a":"\ud8"#);
    check(b"{\"a\":\"x\xff\"}", "{\"a\":\"x\u{fffd}\"}");
}

#[test]
fn the_canonical_answers_are_read() {
    check(
        include_str!("../../../tests/fixtures/get_in_progress_with_partial_steps.json"),
        &expect![[
            r#""v1_ChdGQUtFMDAwMDAx" InProgress UserInput Thought GoogleSearchCall Unknown("google_search_result")"#
        ]],
    );
    check(
        include_str!("../../../tests/fixtures/get_unknown_everything.json"),
        &expect![[
            r#""v1_ChdGQUtFMDAwMDAx" Unknown("weird_new_status") Unknown("brand_new_step") ModelOutput"#
        ]],
    );
    check(
        include_str!("../../../tests/fixtures/create_response_in_progress.json"),
        &expect![[r#""v1_ChdGQUtFMDAwMDAx" InProgress "#]],
    );
}

#[test]
fn what_has_an_unexpected_shape_is_skipped_and_the_rest_is_read() {
    check(
        r#"{"id":7,"status":"failed","steps":[null,"x",{"type":"thought","summary":9},[1]],"usage":"none","errors":{"message":"one"}}"#,
        &expect![[r#""7" Failed Thought Unknown("1")"#]],
    );
    check(r#"{"status":["completed"],"steps":"none"}"#, &expect![[r#""" Unknown("") "#]]);
    check(r#"{"status":null,"steps":null}"#, &expect![[r#""" Unknown("") "#]]);
}

#[test]
fn only_broken_json_is_unreadable() {
    for body in ["", "<html>", "[]", "[\"id\",\"completed\"]", "{\"status\":\"in_pro", "null", "7"] {
        check(body, &expect!["unreadable"]);
    }
}

#[test]
fn events_that_are_no_objects_are_passed_over() {
    for data in ["[DONE]", "", "[\"error\"]", "7", "{\"event_type\":"] {
        assert!(InteractionEvent::read(data.as_bytes()).is_none(), "{data}");
    }
    let event = InteractionEvent::read(br#"{"event_type":{"a":1},"index":"3","interaction":7}"#).unwrap();
    assert_eq!((event.index.0, event.interaction_id(), event.status()), (Some(3), None, None));
}
