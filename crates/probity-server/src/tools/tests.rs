use std::collections::BTreeSet;

use serde_json::Value;

use super::ToolName;

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
    assert!(characters < 10_200, "{characters} characters");
}
