use super::{ANSWER_BYTES_MAX, AnswerError, parse_model_answer};

const GOOD: &str = r##"{"success":true,"verified":true,"report":"# A\nIt is 7 [1](https://a.example).","metadata":{"sources_visited":["https://a.example"],"search_queries_used":["q"]}}"##;

#[track_caller]
fn check(text: &str, expected: Result<bool, AnswerError>) {
    assert_eq!(parse_model_answer(text).map(|spoken| spoken.verified), expected, "{text:.120}");
}

#[test]
fn the_json_is_found_bare_fenced_and_between_words() {
    check(GOOD, Ok(true));
    check(&format!("```json\n{GOOD}\n```"), Ok(true));
    check(&format!("Here it is:\n```json\n{GOOD}\n```\nDone."), Ok(true));
    check(&format!("Here it is: {GOOD} Bye."), Ok(true));
    check(r#"{"verified":false,"report":"short"}"#, Ok(false));
}

#[test]
fn a_report_with_fences_of_its_own_stays_whole() {
    let text = "```json\n{\"verified\":false,\"report\":\"a\\n```rust\\nfn x() {}\\n```\\nb\"}\n```";
    assert_eq!(parse_model_answer(text).unwrap().report, "a\n```rust\nfn x() {}\n```\nb");
}

#[test]
fn small_mistakes_are_mended_here() {
    check("{\"success\":true,\"verified\":true,\"report\":\"a\",}", Ok(true));
    check("{\"success\":true,\"verified\":true,\"report\":\"a\nb\"", Ok(true));
    check("{success: true, verified: false, report: 'a'}", Ok(false));
    assert_eq!(parse_model_answer("{\"verified\":true,\"report\":\"a\nb\",}").unwrap().report, "a\nb");
}

#[test]
fn a_text_that_ends_inside_a_string_is_never_taken_for_whole() {
    check(r##"{"success":true,"verified":true,"report":"# A\nIt is"##, Err(AnswerError::Cut));
    check("```json\n{\"verified\":true,\"report\":\"It is", Err(AnswerError::Cut));
}

#[test]
fn what_has_no_answer_in_it_is_refused() {
    check("", Err(AnswerError::Empty));
    check("The TPU was deployed in 2015.", Err(AnswerError::NoJson));
    check(r#"{"answer":"42"}"#, Err(AnswerError::OtherShape));
    check(r#"{"verified":"yes","report":"a"}"#, Err(AnswerError::OtherShape));
    check(r#"{"verified":true,"report":"  "}"#, Err(AnswerError::NoReport));
    check(&"a".repeat(ANSWER_BYTES_MAX + 1), Err(AnswerError::TooLong));
}

#[test]
fn nesting_without_end_does_not_exhaust_the_stack() {
    check(&"[".repeat(500_000), Err(AnswerError::NoJson));
    check(&format!("{{\"report\":{}", "[".repeat(500_000)), Err(AnswerError::OtherShape));
    check(&"{\"a\":".repeat(100_000), Err(AnswerError::OtherShape));
}
