use rmcp::model::JsonObject;
use serde::Deserialize;
use serde_json::{Value, json};

use super::super::ToolName;

/// A call that a model could plausibly make, and what its refusal must say. The end-to-end test reads the same rows.
#[derive(Deserialize)]
struct WrongCall {
    tool: String,
    arguments: JsonObject,
    name: String,
    given: String,
    allowed: String,
    meant: Option<String>,
    /// Only the running tool sees that it is wrong.
    by: Option<String>,
}

fn read(tool: &str, arguments: Value) -> Result<Value, String> {
    let Value::Object(arguments) = arguments else { panic!("no object") };
    let rules = ToolName::parse(tool).unwrap().argument_rules();
    rules.read(arguments).map(|taken| Value::Object(taken.values)).map_err(|problem| problem.message)
}

#[track_caller]
fn taken(tool: &str, arguments: Value, expected: Value) {
    assert_eq!(read(tool, arguments), Ok(expected));
}

#[test]
fn what_is_beyond_doubt_is_taken() {
    let query = "why?";
    taken(
        "start_deep_research",
        json!({ "query": query, "max_wait_hours": "8", "enable_notifications": "False", "model": null }),
        json!({ "query": query, "max_wait_hours": 8, "enable_notifications": false }),
    );
    taken(
        "deep_search",
        json!({ "query": query, "max_iterations": 3.0 }),
        json!({ "query": query, "max_iterations": 3 }),
    );
    taken(
        "deep_search",
        json!({ "query": query, "max_iterations": " 3.0" }),
        json!({ "query": query, "max_iterations": 3 }),
    );
    taken(
        "search",
        json!({ "query": query, "confirmed_cost_usd": "1.5" }),
        json!({ "query": query, "confirmed_cost_usd": 1.5 }),
    );
    taken(
        "check_research_status",
        json!({ "taskId": "res_1", "wait-seconds": 900 }),
        json!({ "task_id": "res_1", "wait_seconds": 50 }),
    );
    taken(
        "get_research_results",
        json!({ "task_id": "x", "max_chars": 10 }),
        json!({ "task_id": "x", "max_chars": 500 }),
    );
    taken(
        "get_research_results",
        json!({ "task_id": "x", "next_cursor": "at-7" }),
        json!({ "task_id": "x", "cursor": "at-7" }),
    );
    taken(
        "save_research_to_markdown",
        json!({ "task_id": "x", "filename_prefix": 2026 }),
        json!({ "task_id": "x", "filename_prefix": "2026" }),
    );
    taken(
        "list_research",
        json!({ "status": "Running", "engine": "WEB", "since": " 2026-11-15 " }),
        json!({ "status": "running_async", "engine": "web", "since": "2026-11-15" }),
    );
}

#[test]
fn a_number_out_of_range_that_counts_as_another_is_told() {
    let notes = |tool: &str, arguments: Value| {
        let Value::Object(arguments) = arguments else { panic!("no object") };
        let taken = ToolName::parse(tool).unwrap().argument_rules().read(arguments).unwrap();
        (Value::Object(taken.values), taken.notes.join(" "))
    };
    assert_eq!(
        notes("deep_search", json!({ "query": "why?", "max_iterations": "1" })),
        (
            json!({ "query": "why?", "max_iterations": 2 }),
            "max_iterations: given \"1\", 2 is used; allowed: a whole number from 2 to 20.".to_owned()
        )
    );
    let (_, note) = notes("check_research_status", json!({ "task_id": "x", "wait_seconds": 500 }));
    assert_eq!(note, "wait_seconds: given 500, 50 is used; allowed: a whole number from 0 to 50.");
    assert_eq!(notes("list_research", json!({ "limit": "20" })).1, "");
}

#[test]
fn the_spellings_of_other_programs_are_taken_beside_ours() {
    let theirs = json!({
        "query": "why?", "taskScope": "Large", "taskTypeHint": "debug", "sddContextSnippet": "ours", "maxAttempts": "2",
        "originalGoal": "ship it"
    });
    let ours = json!({
        "query": "why?", "task_scope": "large", "task_type_hint": "debug", "context_snippet": "ours", "max_attempts": 2,
        "original_goal": "ship it"
    });
    taken("deep_research", theirs, ours);
    taken(
        "deep_research",
        json!({ "query": "why?", "sdd_context_snippet": "ours" }),
        json!({ "query": "why?", "context_snippet": "ours" }),
    );
}

#[test]
fn every_plausible_mistake_is_answered_with_name_value_allowed_and_example() {
    let calls: Vec<WrongCall> =
        serde_json::from_str(include_str!("../../../tests/fixtures/wrong-arguments.json")).unwrap();
    assert!(calls.len() >= 45);
    assert!(ToolName::ALL.iter().all(|name| calls.iter().any(|call| call.tool == name.as_str())));
    for call in calls {
        let answer = read(&call.tool, Value::Object(call.arguments.clone()));
        if call.by.is_some() {
            assert!(answer.is_ok(), "{answer:?}");
            continue;
        }
        let answer = answer.expect_err(&call.name);
        let line = answer.lines().find(|line| line.starts_with(&format!("{}: ", call.name)));
        let line = line.unwrap_or_else(|| panic!("{} is not named: {answer}", call.name));
        assert!(line.contains(&format!("given {}", call.given)), "{line}");
        let allowed = line.split_once(" allowed: ").unwrap().1;
        assert!(allowed.contains(&call.allowed) && allowed.contains("; example: {\""), "{line}");
        let meant = call.meant.map(|meant| format!("did you mean {meant}?"));
        assert_eq!(line.contains("did you mean"), meant.is_some(), "{line}");
        assert!(meant.is_none_or(|meant| line.contains(&meant)), "{line}");
    }
}

#[test]
fn all_problems_are_told_at_once_and_what_was_given_is_cut_and_harmless() {
    let long = "\u{1b}[2J\u{202e}".to_owned() + &"x".repeat(100_000);
    let answer =
        read("deep_search", json!({ "max_iterations": long, "again": {}, "frobnicate": [] })).unwrap_err();
    assert_eq!(answer.lines().count(), 3, "{answer}");
    assert!(answer.len() < 1_500 && !answer.contains(['\u{1b}', '\u{202e}']), "{answer}");
    let strange: JsonObject = (0..500).map(|number| (format!("{number}"), Value::Null)).collect();
    let answer = read("list_research", Value::Object(strange)).unwrap_err();
    assert_eq!((answer.lines().count(), answer.lines().last()), (21, Some("and 480 more")));
}

#[test]
fn a_null_is_nothing_and_what_is_required_must_be_there() {
    let refused = read("follow_up_research", json!({ "task_id": null, "question": null })).unwrap_err();
    assert!(
        refused.lines().all(|line| line.contains(": required, given nothing; allowed: a text")),
        "{refused}"
    );
    taken("list_research", json!({ "limit": null, "text": null }), json!({}));
}

#[test]
fn every_argument_has_a_meaning_and_an_example_that_is_taken() {
    for tool in ToolName::ALL {
        for argument in &tool.argument_rules().arguments {
            let name = format!("{} {}", tool.as_str(), argument.name);
            assert!(!argument.meaning.is_empty(), "{name} means nothing");
            assert_eq!(argument.take(&argument.example).as_ref(), Some(&argument.example), "{name}");
            // What a model must keep to stands in what it reads.
            if let (Some(minimum), Some(maximum), false) =
                (argument.minimum, argument.maximum, argument.name == "max_wait_hours")
            {
                assert!(argument.meaning.contains(&format!("({minimum}-{maximum})")), "{name}");
            }
        }
    }
}
