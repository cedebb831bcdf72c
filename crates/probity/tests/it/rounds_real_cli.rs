//! The real Gemini CLI behind the real program, against the simulator: what it finds, how it fails, how it is
//! stopped. Each case names its code and the number of times that the provider was asked. Yields a figure.
#![cfg(target_os = "linux")]
#![expect(clippy::disallowed_methods, reason = "the tests read the clock")]

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    sync::Mutex,
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::{
    child::{GONE_MAX, processes_of},
    client::Client,
    harness::{World, figure, finish, gemini_cli, id_in, side_by_side, sized, wait_until},
    rounds_cli,
};

/// The model that the CLI chooses at this provider when nobody names one.
const CHOSEN: &str = "gemini-3.8-flash";
const NAMED: &str = "gemini-3.8-pro";
const CORRECTING: &str = "gemini-3.5-flash-lite";
/// Three tries of a round; the CLI itself repeats nothing.
const CYCLES: usize = 3;

#[derive(Debug, Clone, Copy)]
struct Case {
    name: &'static str,
    turns: &'static str,
    end: End,
    /// Times that the provider was asked for an answer.
    asked: usize,
}

#[derive(Debug, Clone, Copy)]
enum End {
    Failed(&'static str),
    /// A `search` that was answered.
    Answered,
    /// The same, with a model that was named and another for corrections.
    Named,
    /// A `deep_search` with so many rounds, verified or not.
    Rounds(u64, bool),
}

const fn case(name: &'static str, turns: &'static str, asked: usize, end: End) -> Case {
    Case { name, turns, end, asked }
}

const fn refused(turns: &'static str, code: &'static str, asked: usize) -> Case {
    case(turns, turns, asked, End::Failed(code))
}

#[rustfmt::skip]
const CASES: &[Case] = &[
    refused("error-429", "RATE_LIMITED", CYCLES),
    refused("error-503", "PROVIDER_UNAVAILABLE", CYCLES),
    refused("error-500", "PROVIDER_UNAVAILABLE", CYCLES),
    refused("lost", "NETWORK", CYCLES),
    refused("error-429-daily", "QUOTA_EXHAUSTED", 1),
    refused("error-400", "BAD_REQUEST", 1),
    refused("error-400-key", "KEY_REFUSED", 1),
    refused("error-401", "KEY_REFUSED", 1),
    refused("error-403", "PERMISSION_DENIED", 1),
    refused("error-404", "UNKNOWN_MODEL", 1),
    refused("empty", "EXECUTION_ERROR", CYCLES),
    refused("silent", "EXECUTION_ERROR", CYCLES),
    refused("unsearched", "EXECUTION_ERROR", CYCLES),
    // Each try is followed by its correction.
    refused("cut", "EXECUTION_ERROR", 2 * CYCLES),
    refused("prose", "EXECUTION_ERROR", 2 * CYCLES),
    case("one shot", "draft", 1, End::Answered),
    case("one shot, fenced", "fenced", 1, End::Answered),
    case("one shot, mended without another call", "sloppy", 1, End::Answered),
    case("corrected", "prose,corrected", 2, End::Answered),
    case("cut off, then corrected", "cut,corrected", 2, End::Answered),
    case("of another shape, then corrected", "wrong-shape,corrected", 2, End::Answered),
    case("refused once, then answered", "error-503,draft", 2, End::Answered),
    case("five rounds", "draft,unsure,unsure,unsure,agreed", 5, End::Rounds(5, true)),
    case("verified in the second round", "draft,agreed", 2, End::Rounds(2, true)),
    case("all rounds used", "draft,unsure", 5, End::Rounds(5, false)),
    case("an invented source is never verified", "draft,invented", 3, End::Rounds(3, false)),
    case("a round that fails for good keeps the best answer", "draft,error-400", 2, End::Rounds(2, false)),
    case("the model that was named, and another for corrections", "prose,corrected", 2, End::Named),
];

/// Cases with three tries that differ from others only in what the model said.
const ONLY_FULL: &[&str] = &["lost", "silent", "prose", "unsearched"];

#[derive(Debug, Clone, Copy)]
enum Trial {
    Scripted(Case),
    /// The model never answers: each try ends at the round's deadline.
    Hang,
    Cancel,
    /// `kill -9` of the server in the middle of a round, which is asked again afterwards.
    Kill,
    NotInstalled,
    /// A CLI that leaves no record of the model. The real one always does, so a script stands in for it.
    ModelUnseen,
}

/// Numeric addresses of pages, because the CLI looks up names before it reads a page.
fn question(turns: &str) -> Value {
    json!({ "query": format!("When did the first one run? [[rounds key=k turns={turns} pages=numeric]]") })
}

/// A server on this CLI that waits for the end of a call.
fn server(world: &World, cli: &Path, reuse: &str, more: &[(&str, &str)]) -> Client {
    let mut variables = vec![("PROBITY_GEMINI_CLI__REUSE", reuse), ("PROBITY_MCP__CALL_WAIT", "170s")];
    variables.extend_from_slice(more);
    rounds_cli::open(world, cli, &variables)
}

/// What is wrong with the end of a scripted case.
fn judged(case: &Case, told: &Value, models: &[String]) -> Vec<String> {
    let mut wrong = Vec::new();
    if models.len() != case.asked {
        wrong.push(format!("asked {} times, not {}", models.len(), case.asked));
    }
    let (rounds, verified, model) = match case.end {
        End::Failed(code) => {
            if told["error"]["code"] != code {
                wrong.push(format!("not {code}: {told}"));
            }
            return wrong;
        }
        // One answer whose claims the pages support: nobody asked the model for its word.
        End::Answered => (1, true, CHOSEN),
        End::Named => (1, true, NAMED),
        End::Rounds(rounds, verified) => (rounds, verified, CHOSEN),
    };
    if matches!(case.end, End::Named) && models != [NAMED, CORRECTING] {
        wrong.push(format!("asked {models:?}"));
    }
    let metadata = &told["metadata"];
    let seen = (&told["status"], &told["verified"], &metadata["iterations"], &metadata["model"]);
    if seen != (&json!("completed"), &json!(verified), &json!(rounds), &json!(model)) {
        wrong.push(format!("{seen:?}: {told}"));
    }
    // The searches that were really made are named after the topic, which is the key.
    let queries = metadata["search_queries_used"].as_array().cloned().unwrap_or_default();
    let real = |query: &Value| query.as_str().is_some_and(|query| query.starts_with("k "));
    if queries.len() < 2 || !queries.iter().all(real) {
        wrong.push(format!("searched for {queries:?}"));
    }
    let sources = &metadata["sources_visited"];
    if !sources.as_array().is_some_and(|sources| sources.contains(&json!("http://[3fff::1]/k/1"))) {
        wrong.push(format!("visited {sources}"));
    }
    wrong
}

impl Trial {
    fn all() -> Vec<(Self, &'static str)> {
        // The longest first, so that nobody waits for one at the end.
        let stops = [Self::Hang, Self::Cancel, Self::Kill, Self::NotInstalled, Self::ModelUnseen];
        let cases = CASES.iter().filter(|case| sized(!ONLY_FULL.contains(&case.name), true));
        let trials: Vec<Self> = stops.into_iter().chain(cases.map(|case| Self::Scripted(*case))).collect();
        // Quick runs share a process per run, as users do; full ones also start one per question.
        let reuses = sized(vec!["pool"], vec!["pool", "spawn"]);
        reuses.into_iter().flat_map(|reuse| trials.iter().map(move |trial| (*trial, reuse))).collect()
    }

    fn run(&self, cli: &Path, reuse: &'static str) -> Vec<String> {
        let world = World::new();
        let mut wrong = match self {
            Self::Scripted(case) => scripted(case, &world, cli, reuse),
            Self::Hang => hang(&world, cli, reuse),
            Self::Cancel => cancel(&world, cli, reuse),
            Self::Kill => kill(&world, cli, reuse),
            Self::NotInstalled => not_installed(&world, reuse),
            Self::ModelUnseen => model_unseen(&world, reuse),
        };
        wrong.extend(left(&world, None));
        wrong
    }
}

/// What still runs for this world when its time to leave is over.
fn left(world: &World, server: Option<u32>) -> Vec<String> {
    let until = Instant::now() + GONE_MAX;
    loop {
        let living = processes_of(world.home.path(), server);
        if living.is_empty() || Instant::now() >= until {
            return living.iter().map(|process| format!("left running: {process}")).collect();
        }
        thread::sleep(Duration::from_millis(20));
    }
}

fn scripted(case: &Case, world: &World, cli: &Path, reuse: &str) -> Vec<String> {
    let (tool, more): (&str, &[(&str, &str)]) = match case.end {
        End::Rounds(..) => ("deep_search", &[]),
        End::Named => ("search", &[("GEMINI_MODEL", NAMED), ("GEMINI_CORRECTION_MODEL", CORRECTING)]),
        End::Failed(_) | End::Answered => ("search", &[]),
    };
    let mut client = server(world, cli, reuse, more);
    let told = client.call(tool, question(case.turns))["structuredContent"].clone();
    client.leave();
    let models: Vec<String> = world.ledger().turns_of("k").map(|turn| turn.model.clone()).collect();
    judged(case, &told, &models)
}

fn expect_code(told: &Value, code: &str) -> Vec<String> {
    let wrong = told["structuredContent"]["error"]["code"] != code;
    wrong.then(|| format!("not {code}: {told}")).into_iter().collect()
}

fn hang(world: &World, cli: &Path, reuse: &str) -> Vec<String> {
    // Short enough to wait for it three times; a process of its own must be started within it, on a crowded machine.
    let deadline = if reuse == "pool" { "3s" } else { "12s" };
    let mut client = server(world, cli, reuse, &[("PROBITY_ROUNDS__ROUND_DEADLINE", deadline)]);
    let mut wrong = expect_code(&client.call("search", question("hang")), "TIMEOUT");
    client.leave();
    // Once in each try; a start on a crowded machine may take as long as the deadline.
    let asked = world.ledger().turns_of("k").count();
    wrong.extend((!(1..=3).contains(&asked)).then(|| format!("asked {asked} times")));
    wrong
}

/// A server whose round is at the provider and stays there.
fn hanging(world: &World, cli: &Path, reuse: &str, turns: &str) -> Client {
    let mut client = server(world, cli, reuse, &[]);
    client.begin_call("search", question(turns));
    wait_until("the provider to be asked", || world.ledger().turns_of("k").count() > 0);
    assert!(processes_of(world.home.path(), Some(client.pid())).len() >= 2, "neither keeper nor CLI is seen");
    client
}

fn cancel(world: &World, cli: &Path, reuse: &str) -> Vec<String> {
    let mut client = hanging(world, cli, reuse, "hang");
    let id = id_in(&client.done("list_research", json!({})).to_string());
    let told = client.done("cancel_research", json!({ "task_id": id }));
    let mut wrong = left(world, Some(client.pid()));
    wrong.extend((told["status"] != "cancelled").then(|| format!("the cancel says {told}")));
    client.leave();
    wrong
}

fn kill(world: &World, cli: &Path, reuse: &str) -> Vec<String> {
    let mut client = hanging(world, cli, reuse, "hang,draft");
    client.kill();
    assert!(client.end(GONE_MAX).in_time, "a killed server ends");
    let mut wrong = left(world, None);
    let mut resume = world.command(&["runs", "resume", "--all"]);
    resume.env("PROBITY_RESEARCH__ENGINE", "gemini-cli").env("PROBITY_GEMINI_CLI__PROGRAM", cli);
    resume.env("PROBITY_GEMINI_CLI__REUSE", reuse).env("PATH", "/usr/local/bin:/usr/bin:/bin");
    let resumed = finish(resume.spawn().unwrap());
    let status = world.json(&["runs", "list", "--json"])["researches"][0]["status"].clone();
    wrong.extend((status != "completed").then(|| format!("after a restart it is {status}: {resumed:?}")));
    wrong
}

fn not_installed(world: &World, reuse: &str) -> Vec<String> {
    let mut client = server(world, Path::new("/nonexistent/gemini"), reuse, &[]);
    let told = client.call("deep_search", question("draft"));
    client.leave();
    let mut wrong = expect_code(&told, "CLI_NOT_FOUND");
    let says_how = told.to_string().contains("npm install -g @google/gemini-cli");
    wrong.extend((!says_how).then(|| format!("does not say how to install it: {told}")));
    wrong
}

fn model_unseen(world: &World, reuse: &str) -> Vec<String> {
    let script: PathBuf = world.home.path().join("recordless-cli");
    fs::write(&script, RECORDLESS).unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    let mut client = server(world, &script, reuse, &[]);
    let told = client.call("search", json!({ "query": "Which model answers?" }));
    client.leave();
    let unseen = told["structuredContent"]["metadata"]["model"] == "auto-detected";
    (!unseen).then(|| told.to_string()).into_iter().collect()
}

/// Answers one question on stdin in the CLI's words, and knows nothing of the protocol.
const RECORDLESS: &str = r##"#!/bin/sh
case "$1" in
--version) echo 0.61.0; exit 0 ;;
--acp) echo "Unknown argument: acp" >&2; exit 1 ;;
esac
cat > /dev/null
cat <<'LINES'
{"type":"init","session_id":"11111111-0000-4000-8000-000000000000","model":"auto"}
{"type":"tool_use","tool_name":"google_web_search","tool_id":"1","parameters":{"query":"which model"}}
{"type":"tool_result","tool_id":"1","status":"success"}
{"type":"message","role":"assistant","content":"{\"success\":true,\"verified\":false,\"report\":\"# Models\\n\\nNobody said.\",\"metadata\":{\"sources_visited\":[],\"search_queries_used\":[]}}","delta":true}
{"type":"result","status":"success","stats":{"total_tokens":15,"input_tokens":10,"output_tokens":5,"cached":0,"models":{}}}
LINES
"##;

/// The judge must see a wrong code, one call too many, an answer that was only claimed and a wrong model.
fn planted_ends_seen() -> usize {
    let good = json!({
        "status": "completed", "verified": true,
        "metadata": { "iterations": 1, "model": CHOSEN, "search_queries_used": ["k first", "k second"],
            "sources_visited": ["http://[3fff::1]/k/1"] },
    });
    let (once, twice) = (vec![CHOSEN.to_owned()], vec![CHOSEN.to_owned(); 2]);
    let shot = case("", "draft", 1, End::Answered);
    assert_eq!(judged(&shot, &good, &once), [""; 0], "the judge refuses a good end");
    let planted = |pointer: &str, value: Value| {
        let mut bad = good.clone();
        *bad.pointer_mut(pointer).unwrap() = value;
        !judged(&shot, &bad, &once).is_empty()
    };
    let seen = [
        planted("/status", "failed".into()),
        planted("/verified", false.into()),
        planted("/metadata/iterations", 2.into()),
        planted("/metadata/model", "auto-detected".into()),
        planted("/metadata/search_queries_used", json!(["what the model says"])),
        planted("/metadata/sources_visited", json!(["http://pages.example/k/1"])),
        !judged(&shot, &good, &twice).is_empty(),
        !judged(&refused("", "TIMEOUT", 1), &good, &once).is_empty(),
    ];
    assert_eq!(seen, [true; 8], "the judge is blind");
    seen.len()
}

/// From its package: asking the program itself would let it write to the user's home.
fn version(cli: &Path) -> String {
    let package = cli.ancestors().nth(2).unwrap().join("@google/gemini-cli/package.json");
    let package: Value = serde_json::from_str(&fs::read_to_string(package).unwrap()).unwrap();
    package["version"].as_str().unwrap().to_owned()
}

#[test]
#[ignore = "takes minutes: run for its figure"]
fn cases_of_the_real_cli_end_as_they_must() {
    let Some(cli) = gemini_cli() else {
        return figure("real_cli", "skipped: the Gemini CLI is not installed; run .ci/install");
    };
    let seen = planted_ends_seen();
    let (trials, failed) = (Trial::all(), Mutex::new(Vec::new()));
    // Most of a case is waiting for the pauses between tries; a process of the CLI takes 250 MB.
    side_by_side(6, &trials, |(trial, reuse)| {
        let wrong = trial.run(&cli, reuse);
        if !wrong.is_empty() {
            failed.lock().unwrap().push(format!("{trial:?} ({reuse}): {wrong:?}"));
        }
    });
    let failed = failed.into_inner().unwrap();
    figure("real_cli", &format!("{} of {}", trials.len() - failed.len(), trials.len()));
    figure(
        "real_cli.note",
        &format!("version {}; control: {seen} of {seen} planted wrong ends were seen", version(&cli)),
    );
    assert_eq!(failed, [""; 0]);
}
