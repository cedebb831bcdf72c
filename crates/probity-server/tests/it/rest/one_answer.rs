//! REST and MCP on the same runs, in every state that a run can be in: what both tell of a run is the same.

use std::collections::BTreeMap;

use probity_research::{
    Code, CodedError, Digest, Event, RunId,
    cost::{Cost, MicroUsd, Usage},
    stop::RunStop,
};
use serde_json::{Value, json};

use super::{
    memory_fleet::{key, principal},
    server::{HttpReply, Server},
};

/// How a run ended, whether it kept a text, and what is said to have gone wrong; none goes on.
type End = (Option<RunStop>, bool, Option<Code>);

const ENDS: [End; 10] = [
    (None, false, None),
    (Some(RunStop::Completed), true, None),
    (Some(RunStop::Incomplete), true, Some(Code::Incomplete)),
    (Some(RunStop::Incomplete), false, Some(Code::Incomplete)),
    (Some(RunStop::Failed), false, Some(Code::ProviderFailed)),
    (Some(RunStop::Cancelled), true, None),
    (Some(RunStop::Cancelled), false, None),
    (Some(RunStop::Expired), false, Some(Code::Expired)),
    (Some(RunStop::TimedOut), true, Some(Code::Deadline)),
    (Some(RunStop::OverBudget), false, Some(Code::Budget)),
];

type Facts = BTreeMap<&'static str, String>;

/// Values by name; what is not told is left out.
fn facts<const N: usize>(told: [(&'static str, &Value); N]) -> Facts {
    let text =
        |value: &Value| value.as_str().map_or_else(|| value.to_string(), |text| text.trim().to_owned());
    told.into_iter().filter(|(_, value)| !value.is_null()).map(|(name, value)| (name, text(value))).collect()
}

/// `GET /v1/researches/{id}` and a row of the list.
fn of_run(run: &Value) -> Facts {
    facts([
        ("status", &run["status"]),
        ("question", &run["query"]),
        ("engine", &run["engine"]),
        ("model", &run["model"]),
        ("asked", &run["asked_at"]),
        ("ended", &run["ended_at"]),
        ("cost", &run["cost_usd"]),
        ("cost basis", &run["cost_basis"]),
        ("tokens", &run["tokens_used"]),
        ("searches", &run["searches"]),
        ("sources counted", &run["sources"]),
        ("error", &run["problem"]["code"]),
    ])
}

/// `GET /v1/researches/{id}/report` and the results tool, whose results are a field.
fn of_results(answer: &Value) -> Facts {
    let results = if answer["results"].is_object() { &answer["results"] } else { answer };
    let metadata = &results["metadata"];
    let mut told = facts([
        ("status", &answer["status"]),
        ("question", &answer["query"]),
        ("text", &results["report"]),
        ("verified", &results["verified"]),
        ("reason", &results["verification_basis"]),
        ("engine", &metadata["engine"]),
        ("model", &metadata["model"]),
        ("ended", &metadata["timestamp"]),
        ("cost", &metadata["cost_usd"]),
        ("cost basis", &metadata["cost_basis"]),
        ("tokens", &metadata["tokens_used"]),
        ("mode", &metadata["mode"]),
    ]);
    if !metadata.is_object() {
        told.extend(facts([("cost", &answer["cost_usd"]), ("cost basis", &answer["cost_basis"])]));
    }
    told
}

fn of_status(status: &Value) -> Facts {
    let mut told = facts([
        ("status", &status["status"]),
        ("cost", &status["cost_so_far"]),
        ("cost basis", &status["cost_basis"]),
        ("tokens", &status["tokens_used"]),
        ("searches", &status["searches"]),
        ("sources counted", &status["sources"]),
    ]);
    let code = status["problem"].as_str().and_then(|problem| Some(problem.split_once(": ")?.0.to_owned()));
    told.extend(code.map(|code| ("error", code)));
    told
}

/// The front matter of the report as Markdown.
fn of_markdown(markdown: &str) -> Facts {
    let value = |name: &str| {
        let line = markdown.lines().find_map(|line| line.strip_prefix(&format!("{name}: ")))?;
        serde_json::from_str::<Value>(line).ok()
    };
    let value = |name: &str| value(name).unwrap_or_default();
    facts([
        ("verified", &value("verified")),
        ("reason", &value("verification_basis")),
        ("ended", &value("ended_at")),
    ])
}

/// The structured answer of a tool.
fn structured(reply: &HttpReply) -> Value {
    let message =
        |text: &str| serde_json::from_str::<Value>(text).ok().filter(|one| one["result"].is_object());
    let events = reply.body.lines().filter_map(|line| line.strip_prefix("data:")).find_map(message);
    let whole = events.or_else(|| message(&reply.body)).unwrap_or_else(|| panic!("no answer: {reply:?}"));
    whole["result"]["structuredContent"].clone()
}

/// A run of anna's in this state.
fn put(server: &Server, number: usize, (stop, has_text, code): End) -> RunId {
    let id = RunId::from_random(0x7000 + number as u128);
    server.fleet.ask(id, Some(principal("anna")), &format!("question {number}"));
    server.fleet.append(id, Event::CreateIntended { attempt: 1 });
    let remote_id = format!("remote-{number}");
    server.fleet.append(id, Event::RemoteStarted { attempt: 1, remote_id, cursor: None });
    let Some(stop) = stop else { return id };
    let usage = Usage { input_tokens: 9_000, output_tokens: 700, total_tokens: 9_700, ..Usage::default() };
    server.fleet.append(
        id,
        Event::Ended {
            stop,
            report: has_text.then_some(Digest([2; 32])),
            raw: None,
            usage: Some(usage),
            cost: Cost::FromUsage(MicroUsd(1_234_567)),
            problem: code.map(|code| CodedError::new(code, "what went wrong")),
            sources: 0,
            progress: None,
        },
    );
    id
}

/// All ways of one run.
async fn tell(server: &Server, id: RunId) -> Vec<(&'static str, Facts)> {
    let token = key("anna", "user");
    let run = server.get(&format!("/v1/researches/{id}"), &token).await.json();
    let mut told = vec![("REST", of_run(&run))];
    let listed = server.get("/v1/researches?limit=100", &token).await.json();
    let row = listed["researches"].as_array().unwrap().iter().find(|row| row["id"] == id.to_string());
    told.push(("REST list", of_run(row.unwrap())));
    let report = format!("/v1/researches/{id}/report");
    if run["has_report"] == true {
        told.push(("REST report", of_results(&server.get(&report, &token).await.json())));
        let accepts = [("accept", "text/markdown")];
        let markdown = server.send("GET", &report, Some(&token), &accepts, None).await;
        assert_eq!(markdown.status, 200, "{markdown:?}");
        told.push(("REST Markdown", of_markdown(&markdown.body)));
    } else {
        assert_eq!(server.get(&report, &token).await.status, 409);
    }
    for tool in ["check_research_status", "get_research_results"] {
        let params = json!({ "name": tool, "arguments": { "task_id": id.to_string() } });
        let answer = structured(&server.mcp("tools/call", Some(&token), params).await);
        told.push(if tool == "check_research_status" {
            ("status tool", of_status(&answer))
        } else {
            ("results tool", of_results(&answer))
        });
    }
    told
}

#[tokio::test]
async fn rest_and_mcp_tell_the_same_of_a_run() {
    let server = Server::start().await;
    let (mut compared, mut differing) = (0, Vec::new());
    for (number, end) in ENDS.into_iter().enumerate() {
        let id = put(&server, number, end);
        let mut first: BTreeMap<&str, (&str, String)> = BTreeMap::new();
        for (way, facts) in tell(&server, id).await {
            for (fact, value) in facts {
                let (earlier, said) = first.entry(fact).or_insert_with(|| (way, value.clone()));
                compared += usize::from(*earlier != way);
                if *said != value {
                    differing.push(format!("{end:?}: {fact}: {earlier} says {said:?}, {way} says {value:?}"));
                }
            }
        }
    }
    eprintln!("figure: answers.rest {} of {compared}", differing.len());
    assert!(differing.is_empty(), "{}", differing.join("\n"));
    assert!(compared > 200, "{compared}");
    server.stop().await;
}

/// Sentences that are not so of a run that the provider took and billed.
const UNTRUE_OF_A_PAID_RUN: [&str; 9] = [
    "nothing paid",
    "nothing was paid",
    "nothing was billed",
    "nothing was started",
    "$0.00",
    "the provider has not taken it",
    "before the provider took it",
    "all 0 key claims",
    "is verified",
];

#[tokio::test]
async fn nothing_untrue_is_said_over_rest() {
    let server = Server::start().await;
    let token = key("anna", "user");
    let (mut read, mut untrue) = (0, Vec::new());
    for (number, end) in ENDS.into_iter().enumerate() {
        let id = put(&server, number, end);
        let (_, has_text, _) = end;
        for path in ["", "/report", "/evidence", "/cancel"] {
            let verb = if path == "/cancel" { "POST" } else { "GET" };
            let place = format!("/v1/researches/{id}{path}");
            let said = server.send(verb, &place, Some(&token), &[], None).await.body;
            let untrue_here = UNTRUE_OF_A_PAID_RUN.iter().filter(|sentence| said.contains(**sentence));
            untrue.extend(untrue_here.map(|sentence| format!("{end:?} {path}: {sentence:?}")));
            if said.contains("partial results are kept") && !has_text {
                untrue.push(format!("{end:?} {path}: nothing is kept"));
            }
            read += 1;
        }
    }
    eprintln!("figure: sentences.rest {} of {read}", untrue.len());
    assert!(untrue.is_empty(), "{}", untrue.join("\n"));
    server.stop().await;
}

/// Nobody waits at the other end of a start over REST.
#[tokio::test]
async fn a_check_started_over_rest_says_that_nobody_waited() {
    let server = Server::start().await;
    let token = key("anna", "user");
    for (path, body) in
        [("/v1/checks", json!({ "text": "It is so." })), ("/v1/researches", json!({ "query": "why?" }))]
    {
        let started = server.post(path, &token, &body).await;
        assert_eq!(started.status, 202, "{started:?}");
        let id: RunId = started.json()["id"].as_str().unwrap().parse().unwrap();
        server.fleet.append(id, Event::CreateIntended { attempt: 1 });
        let remote_id = "remote".to_owned();
        server.fleet.append(id, Event::RemoteStarted { attempt: 1, remote_id, cursor: None });
        server.fleet.end(id);
        let report = server.get(&format!("/v1/researches/{id}/report"), &token).await.json();
        assert_eq!(report["metadata"]["mode"], "async", "{path}: {report}");
    }
    server.stop().await;
}
