use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::Value;

use super::{ToolEffect, ToolFacts, ToolName};
use crate::mcp_server::INSTRUCTIONS;

fn list() -> Value {
    let tools: Vec<_> = ToolName::ALL.into_iter().map(ToolName::definition).collect();
    serde_json::to_value(tools).unwrap()
}

#[test]
fn names_and_parameters_are_those_that_were_promised() {
    let expected = [
        ("start_deep_research", "enable_notifications max_wait_hours model query"),
        ("check_research_status", "task_id"),
        ("get_research_results", "include_sources task_id"),
        ("cancel_research", "save_partial task_id"),
        ("estimate_research_cost", "query"),
        ("save_research_to_markdown", "filename_prefix include_metadata include_sources output_dir task_id"),
        ("list_research", ""),
        ("follow_up_research", "question task_id"),
        ("search", "query"),
        ("deep_search", "max_iterations query"),
        ("deep_research", "query"),
        ("check_citations", "text"),
    ];
    let tools = list();
    let tools = tools.as_array().unwrap();
    // A new tool stands behind these; its parameters are pinned by docs/generated/tools.md.
    assert!(tools.len() >= expected.len());
    for ((name, parameters), tool) in expected.iter().zip(tools) {
        assert_eq!(tool["name"], *name);
        let given: BTreeSet<&str> =
            tool["inputSchema"]["properties"].as_object().unwrap().keys().map(String::as_str).collect();
        for parameter in parameters.split_whitespace() {
            assert!(given.contains(parameter), "{name} lacks {parameter}");
        }
    }
}

#[test]
fn defaults_are_those_that_were_promised() {
    let tools = list();
    let default = |tool: usize, name: &str| tools[tool]["inputSchema"]["properties"][name]["default"].clone();
    assert_eq!(default(0, "enable_notifications"), true);
    assert_eq!(default(0, "max_wait_hours"), 8);
    assert_eq!(default(2, "include_sources"), true);
    assert_eq!(default(3, "save_partial"), true);
    assert_eq!(default(5, "output_dir"), "./research_reports");
    assert_eq!(default(5, "filename_prefix"), "research");
    assert_eq!(default(5, "include_metadata"), true);
    assert_eq!(default(5, "include_sources"), true);
}

#[test]
fn schemas_hold_nothing_that_older_clients_stumble_over() {
    fn walk(value: &Value, path: &str) {
        match value {
            Value::Object(object) => {
                for (key, inner) in object {
                    let forbidden = ["$schema", "$ref", "$defs", "format", "anyOf", "oneOf", "allOf", "not"];
                    assert!(!forbidden.contains(&key.as_str()), "{path}/{key}");
                    walk(inner, &format!("{path}/{key}"));
                }
            }
            Value::Array(items) => items.iter().for_each(|inner| walk(inner, path)),
            _ => {}
        }
    }
    for tool in list().as_array().unwrap() {
        assert_eq!(tool["inputSchema"]["type"], "object");
        assert_eq!(tool["outputSchema"]["type"], "object");
        walk(&tool["inputSchema"], "in");
        walk(&tool["outputSchema"], "out");
    }
}

#[test]
fn the_list_is_small() {
    // Four characters make about one token; the exact count is a figure of its own.
    let characters = list().to_string().len();
    assert!(characters < 12_200, "{characters} characters");
}

#[test]
fn every_argument_is_described() {
    for tool in list().as_array().unwrap() {
        for (name, argument) in tool["inputSchema"]["properties"].as_object().unwrap() {
            let described =
                argument["description"].as_str().is_some_and(|description| !description.is_empty());
            assert!(described, "{} {name}", tool["name"]);
        }
    }
}

#[test]
fn an_unknown_tool_is_answered_with_the_nearest_and_all() {
    let told = ToolName::unknown("deepSearch");
    assert!(told.starts_with("there is no tool `deepSearch`; did you mean deep_search? known: "), "{told}");
    assert!(ToolName::ALL.iter().all(|name| told.contains(name.as_str())), "{told}");
    assert!(ToolName::unknown("frobnicate").starts_with("there is no tool `frobnicate`; known: start_deep"));
}

#[test]
fn a_model_is_told_of_every_tool_and_its_price() {
    for name in ToolName::ALL {
        let ToolFacts { name, description, effect, .. } = name.facts();
        assert!(INSTRUCTIONS.contains(name), "{name} is not in the instructions");
        let spends = *effect == ToolEffect::Spends;
        assert_eq!(
            (description.contains("Usually "), description.contains("Free")),
            (spends, !spends),
            "{name}"
        );
    }
}

/// Requests as users word them. A reader who knows the descriptions alone judges them: `just tool-choices`.
#[derive(Deserialize)]
struct ToolChoice {
    request: String,
    tool: String,
    /// Would do as well; where a request truly has two readings.
    also: Option<String>,
}

#[test]
fn the_requests_for_judging_descriptions_cover_every_tool() {
    let choices: Vec<ToolChoice> =
        serde_json::from_str(include_str!("../../tests/fixtures/tool-choices.json")).unwrap();
    assert_eq!(choices.len(), 60);
    let requests: BTreeSet<&str> = choices.iter().map(|choice| choice.request.as_str()).collect();
    assert_eq!(requests.len(), choices.len(), "one is there twice");
    assert!(choices.iter().filter(|choice| choice.also.is_some()).count() <= 3);
    for name in ToolName::ALL {
        let fits = choices.iter().filter(|choice| choice.tool == name.as_str()).count();
        assert!(fits >= 3, "{} fits {fits} requests", name.as_str());
    }
    for ToolChoice { request, tool, also } in &choices {
        let known = |name: &String| ToolName::parse(name).is_some();
        assert!(known(tool) && also.as_ref().is_none_or(known), "{request}: {tool}");
        assert!(
            !ToolName::ALL.iter().any(|name| name.as_str().contains('_') && request.contains(name.as_str())),
            "{request}"
        );
    }
}
