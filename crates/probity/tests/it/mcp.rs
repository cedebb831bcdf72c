//! `probity mcp` as a client sees it, in both eras: the seed's six tools and ours, with a real store behind.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    thread,
    time::Duration,
};

use serde_json::{Value, json};

use crate::{
    client::{Client, Era},
    harness::{World, wait_until},
};

#[test]
fn an_agent_starts_reads_saves_lists_and_continues_a_research() {
    let world = World::new();
    let mut client = Client::open(&world, Era::Old, &[]);
    let started = client.done("start_deep_research", json!({ "query": "why is the sky blue?" }));
    assert_eq!((&started["status"], &started["mode"]), (&json!("completed"), &json!("sync")));
    assert!(started["results"]["report"].as_str().unwrap().len() > 50);
    let id = started["task_id"].clone();
    let status = client.done("check_research_status", json!({ "task_id": id }));
    assert_eq!((&status["progress"], &status["progress_is_estimated"]), (&json!(100), &json!(false)));
    let results = client.done("get_research_results", json!({ "task_id": id }));
    assert_eq!(results["report"], started["results"]["report"]);
    assert_eq!(results["metadata"]["verified"], false);
    assert!(!results["sources"].as_array().unwrap().is_empty());
    let bare = client.done("get_research_results", json!({ "task_id": id, "include_sources": false }));
    assert_eq!(bare["sources"], Value::Null);
    let saved = client.done("save_research_to_markdown", json!({ "task_id": id }));
    let file = std::fs::read_to_string(saved["file_path"].as_str().unwrap()).unwrap();
    assert!(file.contains(id.as_str().unwrap()) && file.contains("## Sources"), "{file}");
    let listed = client.done("list_research", json!({ "text": "SKY" }));
    assert_eq!(listed["researches"][0]["task_id"], id);
    let next = client.done("follow_up_research", json!({ "task_id": id, "question": "and at night?" }));
    assert_eq!(next["status"], "completed");
    assert_eq!(world.ledger().entries().len(), 2);
    client.leave();
}

#[test]
fn the_prompt_to_check_a_report_names_ways_that_lead_there() {
    let world = World::new();
    let mut client = Client::open(&world, Era::Old, &[("PROBITY_MCP__START_WAIT", "1s")]);
    let prompt = |client: &mut Client, id: &Value| {
        client.ask("prompts/get", json!({ "name": "verify_report", "arguments": { "task_id": id } }))
    };
    let running = client.done("start_deep_research", json!({ "query": "why? [[slow duration_ms=600000]]" }));
    let refused = prompt(&mut client, &running["task_id"]);
    assert!(refused["error"]["message"].as_str().unwrap().starts_with("NOT_FINISHED"), "{refused}");
    client.call("cancel_research", json!({ "task_id": running["task_id"], "save_partial": false }));
    let refused = prompt(&mut client, &running["task_id"]);
    assert!(refused["error"]["message"].as_str().unwrap().starts_with("CANCELLED"), "{refused}");

    let id = client.done("search", json!({ "query": "why is the sky blue?" }))["task_id"].clone();
    let shown = prompt(&mut client, &id);
    let text = shown["result"]["messages"][0]["content"]["text"].as_str().unwrap().to_owned();
    let called = format!("get_research_results(task_id='{}')", id.as_str().unwrap());
    assert!(text.contains(&called) && text.contains("check_citations"), "{text}");
    assert!(client.done("get_research_results", json!({ "task_id": id }))["report"].is_string());
    let named: Vec<&str> = text.split_whitespace().filter(|word| word.starts_with("research://")).collect();
    assert_eq!(named.len(), 1, "{text}");
    for uri in named {
        let uri = uri.trim_end_matches([';', '.', ',']);
        let read = client.ask("resources/read", json!({ "uri": uri }));
        assert!(read["result"]["contents"][0]["text"].is_string(), "{uri}: {read}");
    }
    client.leave();
}

#[test]
fn a_long_research_is_handed_over_and_found_again_by_another_client() {
    let world = World::new();
    let wait = [("PROBITY_MCP__START_WAIT", "2s")];
    let mut client = Client::open(&world, Era::Old, &wait);
    let question = json!({ "query": "why? [[completed duration_ms=60000]]" });
    let handle = client.done("start_deep_research", question);
    assert_eq!((&handle["status"], &handle["mode"]), (&json!("running_async"), &json!("async")));
    let id = handle["task_id"].as_str().unwrap().to_owned();
    let message = handle["message"].as_str().unwrap();
    assert!(message.starts_with("Research running in background. No notification will come: "), "{message}");
    assert_eq!(handle["check_status_command"], format!("check_research_status(task_id='{id}')"));
    assert!(client.notes.iter().any(|note| note["method"] == "notifications/progress"));
    assert_eq!(client.refused("save_research_to_markdown", json!({ "task_id": id })), "NOT_FINISHED");
    client.leave();
    let mut other = Client::open(&world, Era::New, &wait);
    wait_until("the end", || {
        let status = other.done("check_research_status", json!({ "task_id": id, "wait_seconds": 10 }));
        status["status"] == "completed"
    });
    assert_eq!(world.ledger().entries().len(), 1);
    other.leave();
}

#[test]
fn a_client_that_knows_tasks_gets_one_and_finds_the_report_in_it() {
    let world = World::new();
    let mut client = Client::open(&world, Era::NewWithTasks, &[]);
    let task = client.call("start_deep_research", json!({ "query": "why? [[completed duration_ms=40000]]" }));
    assert_eq!((&task["resultType"], &task["status"]), (&json!("task"), &json!("working")));
    let id = task["taskId"].as_str().unwrap().to_owned();
    let mut result = Value::Null;
    wait_until("the task", || {
        let found = client.ask("tasks/get", json!({ "taskId": id }))["result"].clone();
        result = found["result"].clone();
        found["status"] == "completed"
    });
    assert_eq!(result["structuredContent"]["task_id"], id);
    assert!(result["structuredContent"]["results"]["report"].as_str().unwrap().len() > 50);
    let missing = client.ask("tasks/get", json!({ "taskId": "res_00000000000000000000000000000001" }));
    assert_eq!(missing["error"]["code"], -32602);
    client.leave();
}

#[test]
fn what_is_expensive_is_started_only_after_a_yes() {
    let world = World::new();
    let mut client = Client::open(&world, Era::Old, &[("PROBITY_MCP__ASK_ABOVE_USD", "0.5")]);
    let asked = client.done("start_deep_research", json!({ "query": "why?" }));
    assert_eq!((&asked["status"], &asked["success"]), (&json!("needs_confirmation"), &json!(false)));
    let question = asked["message"].as_str().unwrap();
    assert!(question.starts_with("\u{201c}why?\u{201d} will cost $1.00 to $3.00"), "{question}");
    let short = json!({ "query": "why?", "confirmed_cost_usd": 0.6 });
    assert_eq!(client.done("start_deep_research", short)["status"], "needs_confirmation");
    assert_eq!(world.ledger().entries().len(), 0);
    let enough = json!({ "query": "why?", "confirmed_cost_usd": 3.0 });
    assert_eq!(client.done("start_deep_research", enough)["status"], "completed");
    assert_eq!(world.ledger().entries().len(), 1);
    client.leave();
}

#[test]
fn a_day_has_its_limit() {
    let world = World::new();
    let mut client = Client::open(&world, Era::New, &[("PROBITY_BUDGET__PER_DAY_USD", "3")]);
    assert_eq!(client.done("start_deep_research", json!({ "query": "why?" }))["status"], "completed");
    let refused = client.call("start_deep_research", json!({ "query": "why not?" }));
    let error = &refused["structuredContent"]["error"];
    assert_eq!(error["code"], "DAY_LIMIT");
    let (message, hint) = (error["message"].as_str().unwrap(), error["hint"].as_str().unwrap());
    assert!(
        message.contains("budget.per_day_usd is $3.00") && message.contains("it has room again at"),
        "{message}"
    );
    assert!(hint.contains("budget.per_day_usd") && !hint.contains("--budget"), "{hint}");
    assert_eq!(world.ledger().entries().len(), 1);
    client.leave();
}

#[test]
fn a_running_research_is_cancelled_and_an_ended_one_is_not() {
    let world = World::new();
    let mut client = Client::open(&world, Era::Old, &[("PROBITY_MCP__START_WAIT", "1s")]);
    let handle =
        client.done("start_deep_research", json!({ "query": "why? [[completed duration_ms=600000]]" }));
    let id = handle["task_id"].clone();
    let cancelled = client.done("cancel_research", json!({ "task_id": id }));
    assert_eq!(cancelled["status"], "cancelled", "{cancelled}");
    assert_eq!(client.refused("cancel_research", json!({ "task_id": id })), "ALREADY_ENDED");
    client.leave();
}

#[test]
fn mistakes_are_told_in_words_an_agent_can_act_on() {
    let world = World::new();
    let mut client = Client::open(&world, Era::Old, &[]);
    for (tool, arguments, code) in [
        ("start_deep_research", json!({ "query": "  " }), "INVALID_QUERY"),
        ("start_deep_research", json!({ "question": "why?" }), "INVALID_ARGUMENTS"),
        ("start_deep_research", json!({ "query": "why?", "model": "gpt-99" }), "UNKNOWN_AGENT"),
        ("check_research_status", json!({ "task_id": "res_1" }), "NOT_FOUND"),
        ("get_research_results", json!({ "task_id": 7 }), "INVALID_ARGUMENTS"),
        ("list_research", json!({ "status": "done" }), "INVALID_ARGUMENTS"),
        ("list_research", json!({ "since": "yesterday" }), "INVALID_ARGUMENTS"),
    ] {
        assert_eq!(client.refused(tool, arguments), code);
    }
    assert_eq!(client.ask("tools/call", json!({ "name": "rm" }))["error"]["code"], -32602);
    assert_eq!(world.ledger().entries().len(), 0);
    client.leave();
}

#[test]
fn without_a_key_everything_but_starting_works() {
    let world = World::new();
    let mut client = Client::open(&world, Era::New, &[("GEMINI_API_KEY", "")]);
    assert_eq!(client.refused("start_deep_research", json!({ "query": "why?" })), "KEY_MISSING");
    assert_eq!(client.done("list_research", json!({}))["researches"], json!([]));
    assert!(client.done("estimate_research_cost", json!({ "query": "why?" }))["basis"].is_string());
    client.leave();
}

#[test]
fn a_long_report_is_read_in_pages_and_as_resources() {
    let world = World::new();
    let mut client = Client::open(&world, Era::New, &[]);
    let id = client.done("start_deep_research", json!({ "query": "why?" }))["task_id"].clone();
    let whole = client.done("get_research_results", json!({ "task_id": id }))["report"].clone();
    let mut pages = String::new();
    let mut cursor = Value::Null;
    loop {
        let asked = json!({ "task_id": id, "max_chars": 500, "cursor": cursor });
        let page = client.done("get_research_results", asked);
        pages.push_str(page["report"].as_str().unwrap());
        cursor = page["next_cursor"].clone();
        if cursor.is_null() {
            break;
        }
    }
    assert_eq!(pages, whole.as_str().unwrap());
    let id = id.as_str().unwrap();
    for (part, holds) in [
        ("report", "# "),
        ("sources", "\"sources\""),
        ("evidence", "\"verdict\":\"not checked: "),
        ("rounds/1", "\"round\":1"),
    ] {
        let read = client.ask("resources/read", json!({ "uri": format!("research://{id}/{part}") }));
        let text = read["result"]["contents"][0]["text"].as_str().unwrap_or_default();
        assert!(text.contains(holds), "{part}: {read}");
        assert_eq!(read["result"]["cacheScope"], "private");
    }
    let missing = client.ask("resources/read", json!({ "uri": format!("research://{id}/rounds/2") }));
    assert_eq!(missing["error"]["code"], -32602);
    client.leave();
}

#[test]
fn hosts_that_show_views_are_told_of_ours_and_no_other_client_pays_for_it() {
    let world = World::new();
    let mut plain = Client::open(&world, Era::New, &[]);
    let listed = plain.ask("tools/list", json!({}))["result"].clone();
    assert!(!listed.to_string().contains("ui://"), "{listed}");
    plain.leave();
    let mut host = Client::open(&world, Era::NewWithViews, &[]);
    let listed = host.ask("tools/list", json!({}))["result"].clone();
    let tools = listed["tools"].as_array().unwrap();
    let with_view: Vec<&Value> = tools.iter().filter(|tool| !tool["_meta"]["ui"].is_null()).collect();
    assert!(with_view.len() >= 3, "{listed}");
    let uri = with_view[0]["_meta"]["ui"]["resourceUri"].clone();
    let read = host.ask("resources/read", json!({ "uri": uri }))["result"].clone();
    let view = &read["contents"][0];
    assert_eq!(view["mimeType"], "text/html;profile=mcp-app");
    assert!(view["text"].as_str().unwrap().contains("<html"), "{view}");
    assert_eq!(view["_meta"]["ui"]["csp"]["connectDomains"], json!([]));
    host.leave();
}

#[test]
fn a_pipe_that_never_waits_is_read_all_the_same() {
    let world = World::new();
    let (theirs, mut ours) = std::io::pipe().unwrap();
    rustix::fs::fcntl_setfl(&theirs, rustix::fs::OFlags::NONBLOCK).unwrap();
    let mut child = world.command(&["mcp"]).stdin(theirs).spawn().unwrap();
    let mut answers = BufReader::new(child.stdout.take().unwrap());
    for id in 1..=2 {
        // Long enough for a read that does not wait to have failed.
        thread::sleep(Duration::from_millis(300));
        let hello = json!({ "jsonrpc": "2.0", "id": id, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" },
        }});
        let ask = if id == 1 { hello } else { json!({ "jsonrpc": "2.0", "id": id, "method": "ping" }) };
        writeln!(ours, "{ask}").unwrap();
        let mut answer = String::new();
        answers.read_line(&mut answer).unwrap();
        let answer: Value = serde_json::from_str(&answer).unwrap();
        assert_eq!((&answer["id"], answer.get("error")), (&json!(id), None), "{answer}");
    }
    drop(ours);
    assert!(child.wait().unwrap().success());
}
