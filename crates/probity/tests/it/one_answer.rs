//! One run told by every way that shows it: the answer of a call, a task, the results tool with its text, the status tool,
//! lists, a resource, a saved file, the terminal, `--json`, the report as JSON and the local page say the same about it,
//! however it ended. REST, which only a fleet serves, is held against MCP in `crates/probity-server/tests/it/rest`.

mod tellings;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    sync::Mutex,
};

use serde_json::{Value, json};

use self::tellings::{
    Telling, of_answer, of_card, of_document, of_file, of_page, of_report, of_row, of_status, of_terminal,
    of_text,
};
use crate::{
    client::{Client, Era},
    endings,
    harness::{World, figure, side_by_side},
    strangers::Page,
};

/// A call hands over at once.
const AT_ONCE: &[(&str, &str)] = &[("PROBITY_MCP__START_WAIT", "1s"), ("PROBITY_MCP__CALL_WAIT", "1s")];
const DEADLINE: &[(&str, &str)] = &[("PROBITY_RESEARCH__DEADLINE", "2s")];

/// What happens to a run besides what its provider does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    LeftAlone,
    /// `cancel_research`.
    Cancelled,
    /// `kill -9` of the process that drives it; another one takes it up.
    Killed,
    /// The provider has forgotten it, and the journal says that it was there.
    Forgotten,
    /// The journal says that it went over its budget.
    Overspent,
    /// It may spend no more than the least that it can cost.
    Poor,
}

/// How a run is to end.
struct Case {
    tool: &'static str,
    arguments: Value,
    status: &'static str,
    variables: &'static [(&'static str, &'static str)],
    fate: Fate,
    /// A fact that the results tool must tell, so that the ending is the one that is meant.
    proof: Option<(&'static str, &'static str)>,
}

fn case(tool: &'static str, arguments: Value, status: &'static str) -> Case {
    Case { tool, arguments, status, variables: &[], fate: Fate::LeftAlone, proof: None }
}

fn rounds(turns: &str) -> Value {
    json!({ "query": format!("when? [[rounds key=k topic=tpu turns={turns}]]") })
}

fn asked(scenario: &str) -> Value {
    json!({ "query": format!("[[{scenario}]] x") })
}

fn cases() -> Vec<Case> {
    let agent = "start_deep_research";
    let mut cases = vec![
        // First, because the provider is asked several times before a run is called lost.
        Case { fate: Fate::Forgotten, ..case(agent, json!({}), "expired") },
        case(agent, asked("completed"), "completed"),
        case(agent, asked("failed"), "failed"),
        case(agent, asked("incomplete"), "incomplete"),
        case(agent, asked("budget-exceeded"), "incomplete"),
        case(agent, asked("create-lost"), "unknown"),
        Case { variables: DEADLINE, ..case(agent, asked("cancel-ok"), "timed_out") },
        Case { variables: AT_ONCE, fate: Fate::Cancelled, ..case(agent, asked("cancel-ok"), "cancelled") },
        Case {
            variables: AT_ONCE,
            fate: Fate::Killed,
            ..case(agent, asked("slow duration_ms=30000"), "completed")
        },
        Case { fate: Fate::Overspent, ..case(agent, json!({}), "over_budget") },
        case("follow_up_research", json!({ "question": "[[follow-up]] and neap tides?" }), "completed"),
        case("follow_up_research", json!({ "question": "[[failed]] and neap tides?" }), "failed"),
    ];
    for tool in ["search", "deep_search", "deep_research"] {
        let slow = rounds("draft duration_ms=600000");
        cases.extend([
            case(tool, rounds("draft"), "completed"),
            case(tool, rounds("error-400"), "failed"),
            Case { variables: AT_ONCE, fate: Fate::Cancelled, ..case(tool, slow, "cancelled") },
        ]);
    }
    cases.extend([
        Case {
            variables: &[],
            proof: Some(("verified", "true")),
            ..case("deep_search", rounds("draft,agreed pages=named"), "completed")
        },
        Case {
            proof: Some(("verified", "false")),
            ..case("deep_search", rounds("draft,unsure"), "completed")
        },
        Case {
            fate: Fate::Poor,
            proof: Some(("stop", "budget")),
            ..case("deep_search", rounds("draft,unsure"), "completed")
        },
        Case { variables: DEADLINE, ..case("deep_search", rounds("draft duration_ms=600000"), "timed_out") },
        case(
            "check_citations",
            json!({ "text": "The tower is 12 m high [1].\n\n[1]: https://pages.example/tpu/1" }),
            "completed",
        ),
    ]);
    cases
}

/// What is told before the end, and the run.
struct Begun {
    id: String,
    variables: Vec<(&'static str, String)>,
    told: Vec<Telling>,
    /// While it was interrupted, by ways that take nothing up.
    interrupted: Vec<Telling>,
}

fn open(world: &World, era: Era, variables: &[(&'static str, String)]) -> Client {
    let variables: Vec<(&str, &str)> =
        variables.iter().map(|(name, value)| (*name, value.as_str())).collect();
    Client::open(world, era, &variables)
}

/// The least that a tool may cost, in whole cents.
fn least(world: &World, case: &Case) -> String {
    let mut client = Client::open(world, Era::Old, &[]);
    let asked = json!({ "query": case.arguments["query"], "tool": case.tool });
    let price = client.done("estimate_research_cost", asked);
    client.leave();
    let least = price["estimated_cost"]["min_usd"].as_f64().unwrap();
    format!("{:.2}", (least * 100.0).ceil() / 100.0)
}

/// Brings the run about; it has ended, or its end needs nobody any more.
fn begin(world: &World, case: &Case) -> Begun {
    let mut variables: Vec<(&'static str, String)> =
        case.variables.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
    let written = match case.fate {
        Fate::Forgotten => Some(endings::forgotten(world)),
        Fate::Overspent => Some(endings::overspent(world)),
        Fate::LeftAlone | Fate::Cancelled | Fate::Killed | Fate::Poor => None,
    };
    if let Some(id) = written {
        return Begun { id, variables, told: Vec::new(), interrupted: Vec::new() };
    }
    if case.fate == Fate::Poor {
        variables.push(("PROBITY_BUDGET__MAX_USD", least(world, case)));
    }
    let mut client = open(world, Era::Old, &variables);
    let mut arguments = case.arguments.clone();
    if case.tool == "follow_up_research" {
        let before = client.done("start_deep_research", asked("completed"));
        arguments["task_id"] = before["task_id"].clone();
    }
    let called = client.call(case.tool, arguments);
    let answer = &called["structuredContent"];
    let id = answer["task_id"].as_str().unwrap_or_else(|| panic!("{called}")).to_owned();
    let mut begun = Begun { id, variables, told: Vec::new(), interrupted: Vec::new() };
    if answer["status"] == case.status {
        begun.told.push(of_answer("call", answer));
    }
    match case.fate {
        Fate::Cancelled => drop(client.done("cancel_research", json!({ "task_id": begun.id }))),
        Fate::Killed => {
            client.kill();
            begun.interrupted = unattended(world, &begun.id);
            return begun;
        }
        Fate::LeftAlone | Fate::Forgotten | Fate::Overspent | Fate::Poor => {}
    }
    client.leave();
    begun
}

/// Ways that read the disk and drive nothing.
fn unattended(world: &World, id: &str) -> Vec<Telling> {
    let mut told = vec![of_document("--json, interrupted", &world.json(&["runs", "show", id, "--json"]))];
    let shown = world.run(&["runs", "show", id]);
    told.push(of_terminal("terminal, interrupted", &format!("{}\n{}", shown.err, shown.out)));
    let listed = world.json(&["runs", "list", "--json"]);
    told.push(of_row("runs list, interrupted", row(&listed, id)));
    told
}

/// The row of a run in a list.
#[track_caller]
fn row<'a>(list: &'a Value, id: &str) -> &'a Value {
    let rows = list["researches"].as_array().unwrap();
    rows.iter().find(|row| row["task_id"] == id).unwrap_or_else(|| panic!("{id} is not in {list}"))
}

/// All ways of one run.
fn tell(world: &World, case: &Case, begun: Begun) -> Vec<Telling> {
    let Begun { id, variables, mut told, .. } = begun;
    let of_run = json!({ "task_id": id });
    let mut client = open(world, Era::Old, &variables);
    let mut found = client.call("get_research_results", json!({ "task_id": id, "wait_seconds": 50 }));
    let results = found["structuredContent"].take();
    assert_eq!(results["status"], case.status, "{} {}: {results}", case.tool, case.arguments);
    let text = found["content"][0]["text"].as_str().unwrap().to_owned();
    told.push(of_answer("results tool", &results));
    told.push(of_status("status tool", &client.done("check_research_status", of_run.clone())));
    told.push(of_row("list_research", row(&client.done("list_research", json!({})), &id)));
    if results["error"].is_null() {
        told.push(of_text("results text", &text));
        let evidence = client.ask("resources/read", json!({ "uri": format!("research://{id}/evidence") }));
        let evidence: Value =
            serde_json::from_str(evidence["result"]["contents"][0]["text"].as_str().unwrap()).unwrap();
        told.push(of_answer("evidence resource", &evidence));
        let saved = client.done("save_research_to_markdown", of_run);
        told.push(of_file("saved file", &fs::read_to_string(saved["file_path"].as_str().unwrap()).unwrap()));
        let report = world.run(&["report", &id, "--format", "json", "-o", "-"]);
        told.push(of_report("report as JSON", &serde_json::from_str(&report.out).unwrap()));
    }
    let page = Page::open(world, &[]);
    let cookie = page.log_in();
    let (status, html) = page.get(&format!("/research/{id}"), &[("host", &page.host), ("cookie", &cookie)]);
    assert_eq!(status, 200, "{html}");
    told.push(of_page("page", &html));
    let (_, library) = page.get("/", &[("host", &page.host), ("cookie", &cookie)]);
    told.push(of_card("library", &library, &id));
    client.leave();
    let mut tasks = open(world, Era::NewWithTasks, &variables);
    let task = tasks.ask("tasks/get", json!({ "taskId": id }))["result"].clone();
    if task["result"].is_object() {
        told.push(of_answer("task", &task["result"]["structuredContent"]));
    }
    tasks.leave();
    told.push(of_document("--json", &world.json(&["runs", "show", &id, "--json"])));
    told.push(of_row("runs list", row(&world.json(&["runs", "list", "--json"]), &id)));
    let shown = world.run(&["runs", "show", &id]);
    told.push(of_terminal("terminal", &format!("{}\n{}", shown.err, shown.out)));
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

/// What all cases came to.
#[derive(Default)]
struct Tally {
    compared: usize,
    differing: Vec<String>,
    ways: BTreeSet<&'static str>,
}

impl Tally {
    fn add(&mut self, case: &Case, told: &[Telling]) {
        let (facts, found) = differences(told);
        self.compared += facts;
        self.differing.extend(
            found.iter().map(|one| format!("{} {} ({:?}): {one}", case.tool, case.status, case.fate)),
        );
        self.ways.extend(told.iter().map(|telling| telling.way));
    }
}

#[test]
fn every_way_tells_the_same_of_a_run() {
    let tally = Mutex::new(Tally::default());
    let cases = cases();
    side_by_side(2, &cases, |case| {
        let world = World::new();
        let mut begun = begin(&world, case);
        let interrupted = std::mem::take(&mut begun.interrupted);
        let told = tell(&world, case, begun);
        assert!(told.len() >= 8, "{}: {} ways", case.arguments, told.len());
        if let Some((fact, value)) = case.proof {
            let results = told.iter().find(|telling| telling.way == "results tool").unwrap();
            assert_eq!(results.facts.get(fact).map(String::as_str), Some(value), "{} {fact}", case.arguments);
        }
        let mut tally = tally.lock().unwrap();
        tally.add(case, &told);
        tally.add(case, &interrupted);
    });
    let Tally { compared, differing, ways } = tally.into_inner().unwrap();
    figure("answers.differ", &format!("{} of {compared}", differing.len()));
    figure("answers.differ.note", &format!("{} endings by {} ways", cases.len(), ways.len()));
    assert!(differing.is_empty(), "{}", differing.join("\n"));
    assert!(compared > 800, "{compared}");
    assert!(ways.len() >= 17, "{ways:?}");
}
