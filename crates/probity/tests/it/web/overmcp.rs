//! `deep_research` over MCP without Google's key.

use serde_json::{Value, json};

use super::stage::{Hands, QUESTION, Stage};
use crate::client::{Client, Era};

pub fn client(stage: &Stage) -> Client {
    let variables = stage.variables();
    let variables: Vec<(&str, &str)> =
        variables.iter().map(|(name, value)| (*name, value.as_str())).collect();
    Client::open(&stage.world, Era::Old, &variables)
}

#[test]
fn deep_research_takes_hints_and_tells_what_it_did() {
    let stage = Stage::new(Hands::Paid);
    let mut client = client(&stage);
    let answer = client.done(
        "deep_research",
        json!({
            "query": QUESTION, "task_scope": "normal", "task_type_hint": "reference",
            "context_snippet": "A guide for visitors. [[chat key=canary-context]]",
        }),
    );
    assert_eq!(answer["success"], true, "{answer}");
    assert!(answer["result"].as_str().unwrap().contains("412 metres"), "{answer}");
    let metadata = &answer["metadata"];
    assert_eq!(metadata["engine"], "web", "{answer}");
    let strategy = &metadata["strategy"];
    assert_eq!(
        (&strategy["level"], &strategy["search_depth"]),
        (&json!("shallow"), &json!("basic")),
        "{answer}"
    );
    let numbers = ["max_attempts", "max_results", "top_pages"].map(|name| strategy[name].as_u64());
    assert_eq!(numbers, [Some(2), Some(5), Some(4)], "{answer}");
    let quality = &metadata["quality"];
    assert!(quality["independent_origins"].as_u64().unwrap() >= 1, "{answer}");
    assert_eq!(quality["questions"], quality["questions_answered"], "{answer}");
    assert_eq!(metadata["model"], "gpt-5");
    assert!(metadata["iterations"].as_u64().unwrap() >= 1);
    let texts = |name: &str| -> Vec<String> {
        let listed = metadata[name].as_array().unwrap_or_else(|| panic!("no `{name}`: {metadata}"));
        listed.iter().filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let web = stage.web();
    let mut searched: Vec<String> = web.searches().iter().map(|search| search.query.clone()).collect();
    searched.sort();
    searched.dedup();
    let mut used = texts("search_queries_used");
    used.sort();
    assert_eq!(used, searched);
    let (mut visited, fetched) = (texts("sources_visited"), stage.fetches());
    visited.sort();
    assert_eq!(visited, fetched.iter().map(|(url, _)| url.clone()).collect::<Vec<_>>());
    assert!(!searched.iter().any(|query| query.contains("canary") || query.contains("visitors")));
    client.leave();
}

#[test]
fn the_scope_decides_how_deep_it_goes() {
    let attempts = |scope: &str| {
        let stage = Stage::new(Hands::Nothing);
        let mut client = client(&stage);
        let answer = client.done("deep_research", json!({ "query": QUESTION, "task_scope": scope }));
        client.leave();
        answer["metadata"]["note"].as_str().or(answer["note"].as_str()).unwrap_or_default().to_owned()
    };
    let (tiny, large) = (attempts("tiny"), attempts("large"));
    assert!(tiny.starts_with("Depth shallow"), "{tiny}");
    assert!(large.starts_with("Depth medium") || large.starts_with("Depth deep"), "{large}");
}

#[test]
fn unknown_words_are_refused_before_anything_is_asked() {
    let stage = Stage::new(Hands::Paid);
    let mut client = client(&stage);
    for arguments in [
        json!({ "query": QUESTION, "task_scope": "gigantic" }),
        json!({ "query": QUESTION, "task_type_hint": "poetry" }),
        json!({ "query": QUESTION, "context_snippet": 7 }),
        json!({ "query": QUESTION, "deepness": "deep" }),
        json!({ "query": QUESTION, "context_snippet": "x".repeat(20_000) }),
    ] {
        assert_eq!(client.refused("deep_research", arguments), "INVALID_ARGUMENTS");
    }
    client.leave();
    let (web, chat) = (stage.web(), stage.chat());
    assert_eq!((web.searches().len(), web.fetches().len(), chat.entries().len()), (0, 0, 0));
}
