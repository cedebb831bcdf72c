//! Arguments as models write them, over the real binary: mistakes are answered in words that can be acted on, other
//! spellings are taken, and every paid tool has its price beforehand.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    client::{Client, Era},
    harness::{World, figure},
};

/// As `crates/probity-server/tests/fixtures/wrong-arguments.json` has them; the unit test reads the same rows.
#[derive(Deserialize)]
struct WrongCall {
    tool: String,
    arguments: Value,
    name: String,
    given: String,
    allowed: String,
    meant: Option<String>,
    code: Option<String>,
}

/// Whether the answer names the argument, what was given, what is allowed and an example.
fn is_answered(call: &WrongCall, answer: &Value) -> bool {
    let error = &answer["structuredContent"]["error"];
    let text = answer["content"][0]["text"].as_str().unwrap_or_default();
    let named = |line: &&str| line.contains(&format!("{}: ", call.name)) && line.contains("; example: {\"");
    let said = text.lines().find(named).is_some_and(|line| {
        let allowed = line.split_once(" allowed: ").map_or("", |(_, allowed)| allowed);
        line.contains(&format!("given {}", call.given))
            && allowed.contains(&call.allowed)
            && call.meant.as_ref().is_none_or(|meant| line.contains(&format!("did you mean {meant}?")))
    });
    let code = call.code.as_deref().unwrap_or("INVALID_ARGUMENTS");
    let structured = error["message"].as_str().is_some_and(|message| text.contains(message));
    answer["isError"] == true && error["code"] == code && structured && said
}

#[test]
fn plausible_wrong_arguments_are_answered_with_name_value_allowed_and_example() {
    let calls: Vec<WrongCall> =
        serde_json::from_str(include_str!("../../../probity-server/tests/fixtures/wrong-arguments.json"))
            .unwrap();
    let world = World::new();
    let mut client = Client::open(&world, Era::New, &[]);
    let mut short = Vec::new();
    for call in &calls {
        let answer = client.call(&call.tool, call.arguments.clone());
        if !is_answered(call, &answer) {
            short.push(format!("{} {}: {answer}", call.tool, call.arguments));
        }
    }
    client.leave();
    figure("arguments.answered", &format!("{} of {}", calls.len() - short.len(), calls.len()));
    assert!(calls.len() >= 45 && short.is_empty(), "{short:#?}");
    assert_eq!(world.ledger().entries().len(), 0, "nothing was started");
}

#[test]
fn other_spellings_do_what_was_meant() {
    let world = World::new();
    let mut client = Client::open(&world, Era::Old, &[]);
    let wanted =
        json!({ "query": "why?", "enableNotifications": "false", "max_wait_hours": "1", "model": null });
    let started = client.done("start_deep_research", wanted);
    assert_eq!(started["status"], "completed");
    let seen =
        client.done("check_research_status", json!({ "taskId": started["task_id"], "wait_seconds": 2.0 }));
    assert_eq!(seen["status"], "completed");
    let read = json!({ "task_id": started["task_id"], "include_sources": "false", "max_chars": "600" });
    assert_eq!(client.done("get_research_results", read)["sources"], Value::Null);
    let found = client.done("list_research", json!({ "status": "Completed", "limit": "1", "cursor": null }));
    assert_eq!(found["researches"].as_array().unwrap().len(), 1);
    client.leave();
}

#[test]
fn what_cannot_be_a_call_is_answered_with_what_can() {
    let world = World::new();
    for era in [Era::Old, Era::New] {
        let mut client = Client::open(&world, era, &[]);
        let listed = client.ask("tools/call", json!({ "name": "list_research", "arguments": [1] }));
        assert_eq!(listed["error"]["code"], -32602, "{listed}");
        assert!(listed["error"]["message"].as_str().unwrap().contains("`arguments`, an object"), "{listed}");
        let unknown = client.ask("tools/call", json!({ "name": "deepSearch", "arguments": {} }));
        assert!(
            unknown["error"]["message"].as_str().unwrap().contains("did you mean deep_search?"),
            "{unknown}"
        );
        let many = client.done("list_research", json!({ "limit": 1000 }));
        assert!(many["note"].as_str().unwrap().starts_with("limit: given 1000, 50 is used"), "{many}");
        client.leave();
    }
}

#[test]
fn every_paid_tool_has_its_price_beforehand() {
    let world = World::new();
    let mut client = Client::open(&world, Era::New, &[]);
    let mut likely = Vec::new();
    let paid = [
        "start_deep_research",
        "follow_up_research",
        "search",
        "deep_search",
        "deep_research",
        "check_citations",
    ];
    for tool in paid {
        let price =
            client.done("estimate_research_cost", json!({ "query": "why is the sky blue?", "tool": tool }));
        let cost = &price["estimated_cost"];
        assert!(cost["min_usd"].as_f64().unwrap() <= cost["max_usd"].as_f64().unwrap(), "{tool}: {price}");
        assert!(!price["recommendation"].as_str().unwrap().is_empty());
        likely.push(cost["likely_usd"].as_f64().unwrap());
    }
    let listed = client.ask("tools/list", json!({}))["result"]["tools"].clone();
    let reads = |tool: &&Value| {
        tool["annotations"]["readOnlyHint"].is_null() && tool["annotations"]["openWorldHint"].is_null()
    };
    let spends: Vec<&str> = listed
        .as_array()
        .unwrap()
        .iter()
        .filter(reads)
        .filter_map(|tool| tool["name"].as_str())
        .filter(|name| *name != "cancel_research")
        .collect();
    assert!(spends.iter().all(|name| paid.contains(name)) && spends.len() == paid.len(), "{spends:?}");
    let [report, _, quick, checked, ..] = likely.as_slice() else { panic!("{likely:?}") };
    assert!(quick < checked && checked < report, "{likely:?}");
    client.leave();
    assert_eq!(world.ledger().entries().len(), 0, "an estimate starts nothing");
}

/// A check of a text and a failed research: each refusal has the form of every other one.
#[test]
fn what_cannot_be_continued_is_refused_like_any_other_argument() {
    let world = World::new();
    let mut client = Client::open(&world, Era::New, &[]);
    let searched = client.done("search", json!({ "query": "when? [[rounds key=k topic=tpu turns=draft]]" }));
    let cited = json!({ "text": "The tower is 12 m high [1].\n\n[1]: https://pages.example/tpu/1" });
    let checked = client.done("check_citations", cited);
    let failed = client.call("start_deep_research", json!({ "query": "[[failed]] x" }));
    for (before, wanted) in [
        (&checked, "this is a check of a text, so ask with start_deep_research"),
        (&failed["structuredContent"], "this one has failed"),
    ] {
        let id = before["task_id"].as_str().unwrap_or_else(|| panic!("{before}"));
        let refused =
            client.call("follow_up_research", json!({ "task_id": id, "question": "and at night?" }));
        let error = &refused["structuredContent"]["error"];
        assert_eq!(error["code"], "INVALID_ARGUMENTS", "{refused}");
        let expected = format!(
            "task_id: given \"{id}\"; allowed: the id of a completed start_deep_research report; {wanted}; example: "
        );
        let message = error["message"].as_str().unwrap_or_default();
        assert!(message.starts_with(&expected), "{message}");
    }
    // Of a search there are the pages that it read; none of them has a word of this.
    let id = searched["task_id"].as_str().unwrap_or_else(|| panic!("{searched}"));
    let asked = json!({ "task_id": id, "question": "Quokka zebrafish?" });
    let refused = client.call("follow_up_research", asked);
    let error = &refused["structuredContent"]["error"];
    assert_eq!(error["code"], "NOTHING_FOUND", "{refused}");
    assert!(
        error["message"].as_str().unwrap_or_default().contains(&format!("probity follow-up {id} --search"))
    );
    client.leave();
}
