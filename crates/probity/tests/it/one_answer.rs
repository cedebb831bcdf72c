//! One run told by every way that shows it: the answer of a call, a task, the results tool with its text, a resource, a
//! saved file, the terminal, `--json`, the report as JSON and the local page say the same about it.

use std::{collections::BTreeMap, fs};

use serde_json::{Value, json};

use crate::{
    client::{Client, Era},
    harness::{World, figure},
    strangers::Page,
};

/// What one way says: facts by name. A way that does not show a fact leaves it out.
struct Telling {
    way: &'static str,
    facts: BTreeMap<&'static str, String>,
}

impl Telling {
    fn new(way: &'static str) -> Self {
        Self { way, facts: BTreeMap::new() }
    }

    fn with(mut self, fact: &'static str, value: Option<String>) -> Self {
        self.facts.extend(value.map(|value| (fact, value)));
        self
    }
}

/// How a run is to end.
struct Case {
    tool: &'static str,
    arguments: Value,
    status: &'static str,
    variables: &'static [(&'static str, &'static str)],
}

fn case(tool: &'static str, arguments: Value, status: &'static str) -> Case {
    Case { tool, arguments, status, variables: &[] }
}

fn cases() -> Vec<Case> {
    let rounds = |turns: &str| json!({ "query": format!("when? [[rounds key=k topic=tpu turns={turns}]]") });
    let deadline = &[("PROBITY_RESEARCH__DEADLINE", "2s")];
    vec![
        case("start_deep_research", json!({ "query": "[[completed]] x" }), "completed"),
        case("start_deep_research", json!({ "query": "[[failed]] x" }), "failed"),
        case("start_deep_research", json!({ "query": "[[incomplete]] x" }), "incomplete"),
        case("start_deep_research", json!({ "query": "[[create-lost]] x" }), "unknown"),
        Case {
            variables: deadline,
            ..case("start_deep_research", json!({ "query": "[[cancel-ok]] x" }), "timed_out")
        },
        case("search", rounds("draft"), "completed"),
        case("deep_search", rounds("draft,agreed"), "completed"),
        case("deep_search", rounds("draft,unsure"), "completed"),
        case("deep_research", rounds("draft"), "completed"),
        case(
            "check_citations",
            json!({ "text": "The tower is 12 m high [1].\n\n[1]: https://pages.example/tpu/1" }),
            "completed",
        ),
    ]
}

fn string(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}

fn dollars(value: &Value) -> Option<String> {
    value.as_f64().map(|dollars| format!("{dollars:.4}"))
}

/// The facts that structured answers of all tools and ways name alike.
fn of_answer(way: &'static str, answer: &Value) -> Telling {
    let results = if answer["results"].is_object() { &answer["results"] } else { answer };
    let metadata = &results["metadata"];
    let text = string(&results["report"]).or_else(|| string(&results["result"]));
    Telling::new(way)
        .with("status", string(&answer["status"]))
        .with("verified", string(&results["verified"]))
        .with("reason", string(&results["verification_basis"]))
        .with("cost", dollars(&metadata["cost_usd"]).or_else(|| dollars(&answer["cost_usd"])))
        .with("cost basis", string(&metadata["cost_basis"]).or_else(|| string(&answer["cost_basis"])))
        .with("tokens in", string(&metadata["tokens_used"]["input"]))
        .with("tokens out", string(&metadata["tokens_used"]["output"]))
        .with("model", string(&metadata["model"]))
        .with("engine", string(&metadata["engine"]))
        .with("stop", string(&metadata["stop"]))
        .with("rounds", string(&metadata["iterations"]))
        .with("searches made", string(&metadata["search_queries_used"]))
        .with("ended", string(&metadata["timestamp"]))
        .with("sources", results["sources"].as_array().map(|sources| sources.len().to_string()))
        .with("first source", string(&results["sources"][0]["url"]))
        .with("error", string(&answer["error"]["code"]))
        .with("work done", string(&answer["work_done"]))
        .with("text", text.map(|text| text.trim().to_owned()))
}

fn of_document(way: &'static str, document: &Value) -> Telling {
    Telling::new(way)
        .with("status", string(&document["status"]))
        .with("verified", document["report"].is_string().then(|| document["verified"].to_string()))
        .with("reason", string(&document["verification_basis"]).filter(|_| document["report"].is_string()))
        .with("cost", dollars(&document["cost_usd"]))
        .with("cost basis", string(&document["cost_basis"]))
        .with("model", string(&document["rounds"]["model"]))
        .with("engine", string(&document["engine"]))
        .with("stop", string(&document["rounds"]["stop"]))
        .with("rounds", string(&document["rounds"]["iterations"]))
        .with("ended", string(&document["ended_at"]))
        .with(
            "sources",
            document["report"].is_string().then(|| document["sources"].as_array().unwrap().len().to_string()),
        )
        .with("first source", string(&document["sources"][0]["url"]))
        .with("error", string(&document["problem"]["code"]))
        .with("work done", string(&document["work_done"]))
        .with("text", string(&document["report"]).map(|text| text.trim().to_owned()))
}

/// `name: value` lines of front matter.
fn of_file(way: &'static str, file: &str) -> Telling {
    let value = |name: &str| {
        let line = file.lines().find_map(|line| line.strip_prefix(&format!("{name}: ")))?;
        let value = serde_json::from_str::<Value>(line).ok()?;
        (value != "unknown").then(|| string(&value)).flatten()
    };
    Telling::new(way)
        .with("status", value("status").map(|status| status.replace(' ', "_")))
        .with("verified", value("verified"))
        .with("reason", value("verification_basis"))
        .with("cost", value("cost_usd").map(|cost| format!("{:.4}", cost.parse::<f64>().unwrap())))
        .with("tokens in", value("tokens_input"))
        .with("tokens out", value("tokens_output"))
        .with("sources", value("sources_count"))
        .with("ended", value("ended_at"))
}

/// The head of the results tool's text: `id · status · 0.1 min · $0.12 · not verified: why`.
fn of_text(way: &'static str, text: &str) -> Telling {
    let head = text.lines().nth(1).unwrap_or_default();
    let parts: Vec<&str> = head.splitn(5, " · ").collect();
    let Some((word, reason)) = parts.get(4).and_then(|outcome| outcome.split_once(": ")) else {
        return Telling::new(way);
    };
    Telling::new(way)
        .with("status", parts.get(1).map(|status| (*status).to_owned()))
        .with("verified", Some((word == "verified").to_string()))
        .with("reason", Some(reason.to_owned()))
}

fn of_report(way: &'static str, report: &Value) -> Telling {
    Telling::new(way)
        .with("status", string(&report["answer"]["status"]))
        .with("verified", string(&report["verified"]["verified"]))
        .with("reason", string(&report["verified"]["reason"]))
        .with(
            "cost",
            report["answer"]["cost_micro_usd"].as_u64().map(|cost| format!("{:.4}", cost as f64 / 1e6)),
        )
        .with("engine", string(&report["answer"]["engine"]))
        .with("model", string(&report["answer"]["model"]))
        .with("sources", report["sources"].as_array().map(|sources| sources.len().to_string()))
        .with("first source", string(&report["sources"][0]["url"]))
        .with("ended", string(&report["answer"]["ended_at"]))
}

/// Rows of `runs show`: a name, spaces, a value that may go on below.
fn of_terminal(way: &'static str, shown: &str) -> Telling {
    let words: Vec<&str> = shown.split_whitespace().collect();
    // `✗ res_… timed out`, wherever it stands: without a report it is the answer itself.
    let id = words.windows(2).position(|pair| pair[0].chars().count() == 1 && pair[1].starts_with("res_"));
    let status = id.and_then(|place| words.get(place + 2)).map(|word| match *word {
        "timed" => "timed_out".to_owned(),
        "over" => "over_budget".to_owned(),
        word => word.to_owned(),
    });
    let words = words.join(" ");
    let verified = [("yes", true), ("no", false)]
        .into_iter()
        .find(|(word, _)| words.contains(&format!(" verified {word}; ")))
        .map(|(_, verified)| verified.to_string());
    Telling::new(way).with("status", status).with("verified", verified)
}

fn of_page(way: &'static str, page: &str) -> Telling {
    let verified =
        [("badge yes", true), ("badge no", false)].into_iter().find(|(class, _)| page.contains(class));
    let reason = page.split_once("<p class=\"badge ").and_then(|(_, rest)| {
        let inside = rest.split_once("<span>")?.1.split_once("</span>")?.0;
        Some(inside.replace("&#39;", "'").replace("&quot;", "\"").replace("&amp;", "&"))
    });
    Telling::new(way)
        .with("verified", verified.map(|(_, verified)| verified.to_string()))
        .with("reason", reason)
}

/// All ways of one run.
fn tell(world: &World, case: &Case) -> Vec<Telling> {
    let mut client = Client::open(world, Era::Old, case.variables);
    let called = client.call(case.tool, case.arguments.clone());
    let answer = &called["structuredContent"];
    let id = answer["task_id"].as_str().unwrap_or_else(|| panic!("{called}")).to_owned();
    let mut found = client.call("get_research_results", json!({ "task_id": id, "wait_seconds": 40 }));
    let results = found["structuredContent"].take();
    let text = found["content"][0]["text"].as_str().unwrap().to_owned();
    let mut told = vec![of_answer("results tool", &results)];
    if results["error"].is_null() {
        told.push(of_text("results text", &text));
        let evidence = client.ask("resources/read", json!({ "uri": format!("research://{id}/evidence") }));
        let evidence: Value =
            serde_json::from_str(evidence["result"]["contents"][0]["text"].as_str().unwrap()).unwrap();
        told.push(of_answer("evidence resource", &evidence));
        let saved = client.done("save_research_to_markdown", json!({ "task_id": id }));
        told.push(of_file("saved file", &fs::read_to_string(saved["file_path"].as_str().unwrap()).unwrap()));
        let report = world.run(&["report", &id, "--format", "json", "-o", "-"]);
        told.push(of_report("report as JSON", &serde_json::from_str(&report.out).unwrap()));
        let page = Page::open(world, &[]);
        let cookie = page.log_in();
        let (status, html) =
            page.get(&format!("/research/{id}"), &[("host", &page.host), ("cookie", &cookie)]);
        assert_eq!(status, 200, "{html}");
        told.push(of_page("page", &html));
    }
    if answer["status"] == case.status {
        told.push(of_answer("call", answer));
    }
    client.leave();
    let mut tasks = Client::open(world, Era::NewWithTasks, case.variables);
    let task = tasks.ask("tasks/get", json!({ "taskId": id }))["result"].clone();
    if task["result"].is_object() {
        told.push(of_answer("task", &task["result"]["structuredContent"]));
    }
    tasks.leave();
    told.push(of_document("--json", &world.json(&["runs", "show", &id, "--json"])));
    let shown = world.run(&["runs", "show", &id]);
    told.push(of_terminal("terminal", &format!("{}\n{}", shown.err, shown.out)));
    assert_eq!(results["status"], case.status, "{}: {results}", case.arguments);
    told
}

/// Facts that two ways tell differently, each as a line.
fn differences(told: &[Telling]) -> (usize, Vec<String>) {
    let (mut compared, mut differing) = (0, Vec::new());
    let mut first: BTreeMap<&str, (&str, &str)> = BTreeMap::new();
    for telling in told {
        for (fact, value) in &telling.facts {
            match first.get(fact) {
                None => drop(first.insert(fact, (telling.way, value))),
                Some((way, said)) => {
                    compared += 1;
                    if said != value {
                        differing
                            .push(format!("{fact}: {way} says {said:?}, {} says {value:?}", telling.way));
                    }
                }
            }
        }
    }
    (compared, differing)
}

#[test]
fn every_way_tells_the_same_of_a_run() {
    let (mut compared, mut differing) = (0, Vec::new());
    for case in cases() {
        let world = World::new();
        let told = tell(&world, &case);
        assert!(told.len() >= 4, "{}: {} ways", case.arguments, told.len());
        let (facts, found) = differences(&told);
        compared += facts;
        differing.extend(found.iter().map(|one| format!("{} {}: {one}", case.tool, case.status)));
    }
    figure("answers.differ", &format!("{} of {compared}", differing.len()));
    assert!(differing.is_empty(), "{}", differing.join("\n"));
    assert!(compared > 200, "{compared}");
}
