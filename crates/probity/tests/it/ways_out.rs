//! Every failure names a way out, and the way leads out: the real binary is driven into each state that can be reached,
//! what its hint says is carried out word for word, and the user is out.
//!
//! A person's part is played in two places only: placeholders (`…`, `FILE`) are filled, and what the hint asks the
//! person to mend (a key, a line, a provider that is down) is mended before.

mod machine;

use std::{collections::BTreeSet, fs, sync::Mutex};

use probity_simulator::Scenario;
use serde_json::{Value, json};

use crate::{
    client::{Client, Era},
    harness::{CommandOutput, World, figure, finish, id_in, send_signal, side_by_side, wait_until},
};

const QUESTION: &str = "why is the sky blue?";
/// Nobody listens there.
const NOWHERE: (&str, &str) = ("GOOGLE_GEMINI_BASE_URL", "http://127.0.0.1:1");

/// Where a way must lead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Destination {
    /// A report on stdout.
    Report,
    /// A command that does what it is for.
    Done,
}

/// A failing command of the command line.
struct State<'a> {
    name: &'a str,
    /// What the provider does until it is mended.
    provider: &'a str,
    /// Variables until they are mended; an empty value takes one away.
    variables: &'a [(&'a str, &'a str)],
    /// Commands that lead to the state; the last one fails. `LAST` is the run that was started last.
    commands: &'a [&'a [&'a str]],
    leads_to: Destination,
}

const STATES: &[State<'static>] = &[
    state("provider failed", "failed", &[&["research", QUESTION]], Destination::Report),
    state("no report", "empty-report", &[&["research", QUESTION]], Destination::Report),
    state("ended early", "incomplete", &[&["research", QUESTION]], Destination::Report),
    state("request refused", "error-400", &[&["research", QUESTION]], Destination::Report),
    state("key refused", "error-401", &[&["research", QUESTION]], Destination::Report),
    state("permission denied", "error-403", &[&["research", QUESTION]], Destination::Report),
    state("quota used up", "error-429-daily", &[&["research", QUESTION]], Destination::Report),
    state("start lost", "create-lost", &[&["research", QUESTION]], Destination::Report),
    state(
        "start lost, resumed",
        "create-lost",
        &[&["research", QUESTION], &["runs", "resume", "LAST"]],
        Destination::Report,
    ),
    state("deadline", "cancel-ok", &[&["research", "--max-time", "1s", QUESTION]], Destination::Report),
    state(
        "failed, resumed",
        "error-400",
        &[&["research", QUESTION], &["runs", "resume", "LAST"]],
        Destination::Report,
    ),
    state(
        "report of a failed run",
        "error-400",
        &[&["research", QUESTION], &["report"]],
        Destination::Report,
    ),
    state(
        "recheck of a failed run",
        "error-400",
        &[&["research", QUESTION], &["recheck"]],
        Destination::Report,
    ),
    state(
        "claim of a failed run",
        "error-400",
        &[&["research", QUESTION], &["explain", "C1"]],
        Destination::Report,
    ),
    state(
        "failed, shown",
        "error-400",
        &[&["research", QUESTION], &["runs", "watch", "LAST"]],
        Destination::Report,
    ),
    state("ask, key refused", "error-401", &[&["ask", QUESTION]], Destination::Report),
    state("ask, request refused", "error-400", &[&["ask", QUESTION]], Destination::Report),
    state(
        "ask, resumed",
        "error-400",
        &[&["ask", QUESTION], &["runs", "resume", "LAST"]],
        Destination::Report,
    ),
    state("rounds, key refused", "error-401", &[&["research", "--rounds", QUESTION]], Destination::Report),
    State {
        variables: &[NOWHERE],
        ..state("no line to the provider", "completed", &[&["research", QUESTION]], Destination::Report)
    },
    State {
        variables: &[NOWHERE],
        ..state("ask, no line", "completed", &[&["ask", QUESTION]], Destination::Report)
    },
    State {
        variables: &[("GEMINI_API_KEY", "")],
        ..state("no key", "completed", &[&["ask", "--engine", "gemini-api", QUESTION]], Destination::Done)
    },
    State {
        variables: &[("GEMINI_API_KEY", "")],
        ..state(
            "Gemini CLI, no key",
            "completed",
            &[&["ask", "--engine", "gemini-cli", QUESTION]],
            Destination::Done,
        )
    },
    state("unknown agent", "completed", &[&["research", "--agent", "nobody", QUESTION]], Destination::Done),
    state("unknown engine", "completed", &[&["ask", "--engine", "gpt", QUESTION]], Destination::Done),
    state(
        "budget below the least price",
        "completed",
        &[&["research", "--budget", "0.50", QUESTION]],
        Destination::Report,
    ),
    state("no question", "completed", &[&["research", " "]], Destination::Report),
    state("no run yet", "completed", &[&["runs", "show", "last"]], Destination::Report),
    state(
        "unknown id",
        "completed",
        &[&["research", QUESTION], &["runs", "show", "res_00000000000000000000000000000001"]],
        Destination::Done,
    ),
    state(
        "cancel of an ended run",
        "completed",
        &[&["research", QUESTION], &["runs", "cancel", "LAST"]],
        Destination::Done,
    ),
    state(
        "raise of an ended run",
        "completed",
        &[&["research", QUESTION], &["runs", "raise", "LAST", "--budget", "9"]],
        Destination::Done,
    ),
    State {
        variables: &[("PROBITY_CHECKS__ENABLED", "false")],
        ..state(
            "claims not checked because the user switched checks off",
            "completed",
            &[&["research", QUESTION], &["explain", "C1"]],
            Destination::Done,
        )
    },
    state("misspelt error code", "completed", &[&["explain", "KEY_MISING"]], Destination::Done),
    state("no claim and no code", "completed", &[&["explain", "this"]], Destination::Done),
    state("no such file", "completed", &[&["verify", "nofile.md", "--no-judge"]], Destination::Done),
    state("empty file", "completed", &[&["verify", "empty.md", "--no-judge"]], Destination::Done),
    state("no day", "completed", &[&["ask", "--plan", "--after", "yesterday", QUESTION]], Destination::Done),
    state("no amount", "completed", &[&["ask", "--budget", "ten", QUESTION]], Destination::Report),
    state("no span", "completed", &[&["ask", "--max-time", "20", QUESTION]], Destination::Report),
    state(
        "no size",
        "completed",
        &[&["research", "--web", "--plan", "--scope", "huge", QUESTION]],
        Destination::Done,
    ),
    state(
        "size without the web engine",
        "completed",
        &[&["research", "--plan", "--scope", "tiny", QUESTION]],
        Destination::Done,
    ),
    state(
        "no verdict",
        "completed",
        &[&["verify", "notes.md", "--no-judge", "--fail-on", "wrong"]],
        Destination::Done,
    ),
    state(
        "unwritable file",
        "completed",
        &[&["research", QUESTION], &["report", "--output", "/nonexistent/x.html"]],
        Destination::Report,
    ),
];

const fn state<'a>(
    name: &'a str,
    provider: &'a str,
    commands: &'a [&'a [&'a str]],
    leads_to: Destination,
) -> State<'a> {
    State { name, provider, variables: &[], commands, leads_to }
}

/// The commands between backticks, and single flags, which are mended in the command that failed.
fn commands_in(hint: &str, failed: &[String]) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    for part in hint.split('`').skip(1).step_by(2) {
        let words = shell_words(part);
        match words.first().map(String::as_str) {
            Some("probity") => found.push(words[1..].to_vec()),
            Some(flag) if flag.starts_with('-') => found.push(mended(failed, &words)),
            _ => {}
        }
    }
    found
}

/// The failed command with this flag instead of its own.
fn mended(failed: &[String], flag: &[String]) -> Vec<String> {
    let mut command = failed.to_vec();
    match command.iter().position(|word| *word == flag[0]) {
        // `--agent` alone: the person leaves it out.
        Some(at) if flag.len() == 1 => drop(command.drain(at..at + 2)),
        Some(at) => command[at + 1] = flag[1].clone(),
        None => command.extend(flag.iter().cloned()),
    }
    command
}

fn shell_words(text: &str) -> Vec<String> {
    let (mut words, mut word, mut quote, mut begun) = (Vec::new(), String::new(), None, false);
    for letter in text.chars() {
        match (quote, letter) {
            (Some(open), close) if open == close => quote = None,
            (Some(_), other) => word.push(other),
            (None, '"' | '\'') => (quote, begun) = (Some(letter), true),
            (None, ' ') if begun => {
                words.push(std::mem::take(&mut word));
                begun = false;
            }
            (None, ' ') => {}
            (None, other) => {
                word.push(other);
                begun = true;
            }
        }
    }
    if begun {
        words.push(word);
    }
    words
}

/// What only the person knows.
fn filled(command: Vec<String>, question: &str) -> Vec<String> {
    let fill = |word: String| match word.as_str() {
        "…" => question.to_owned(),
        "FILE" => "notes.md".to_owned(),
        _ => word,
    };
    command.into_iter().map(fill).collect()
}

/// The hint that a failure ends with.
#[track_caller]
fn hint_of(name: &str, done: &CommandOutput) -> String {
    let (_, told) = done.err.rsplit_once("hint: ").unwrap_or_else(|| panic!("{name}: no hint: {}", done.err));
    let hint = told.split("\nmore: ").next().unwrap_or(told);
    hint.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn run(world: &World, command: &[String], variables: &[(&str, &str)]) -> CommandOutput {
    let words: Vec<&str> = command.iter().map(String::as_str).collect();
    let mut command = world.command(&words);
    for (name, value) in variables {
        if value.is_empty() {
            command.env_remove(name)
        } else {
            command.env(name, value)
        };
    }
    finish(command.spawn().unwrap())
}

fn set_provider(world: &World, scenario: &str) {
    world.handle().set_default_scenario(scenario.parse::<Scenario>().unwrap());
}

fn prepared() -> World {
    let world = World::new();
    world.write("notes.md", "The tower is 330 metres tall.\n");
    world.write("empty.md", "\n");
    world.write("notes/one.md", "The tower is 330 metres tall.\n");
    world
}

/// Drives one state; what is wrong with its way out, if something is.
fn wrong_way(state: &State<'_>) -> Option<String> {
    let world = prepared();
    set_provider(&world, state.provider);
    let mut failed = None;
    let mut last = String::new();
    for command in state.commands {
        let words: Vec<String> = command
            .iter()
            .map(|word| if *word == "LAST" { last.clone() } else { (*word).to_owned() })
            .collect();
        let done = run(&world, &words, state.variables);
        if done.err.contains("res_") {
            last = id_in(&done.err);
        }
        failed = Some((words, done));
    }
    let (words, done) = failed?;
    if done.code == 0 {
        return Some(format!("it did not fail: {}", done.err));
    }
    let hint = hint_of(state.name, &done);
    set_provider(&world, "completed");
    follow(&world, &hint, &words, state.leads_to).err().map(|why| format!("{why}\n  hint: {hint}"))
}

/// Carries out what a hint says.
fn follow(world: &World, hint: &str, failed: &[String], leads_to: Destination) -> Result<(), String> {
    follow_as(world, hint, failed, leads_to, (&[], QUESTION))
}

/// The same for a person with these variables and this question.
fn follow_as(
    world: &World,
    hint: &str,
    failed: &[String],
    leads_to: Destination,
    (variables, question): (&[(&str, &str)], &str),
) -> Result<(), String> {
    let commands = commands_in(hint, failed);
    let Some(last) = commands.len().checked_sub(1) else { return Err("it names no command".to_owned()) };
    let mut reports = 0;
    for (place, command) in commands.into_iter().enumerate() {
        let command = filled(command, question);
        let done = run(world, &command, variables);
        // A verdict about a text is what `verify` is for; that something is amiss is what `doctor` is asked for, as long as
        // the way goes on behind it.
        let fine = match command.first().map(String::as_str) {
            Some("verify") => [0, 4].contains(&done.code),
            Some("doctor") if place < last => [0, 1].contains(&done.code),
            _ => done.code == 0,
        };
        if !fine {
            return Err(format!("`{}` ends with {}: {}", command.join(" "), done.code, done.err));
        }
        reports +=
            usize::from(!done.out.trim().is_empty() && command.first().is_some_and(|verb| verb != "doctor"));
    }
    match leads_to {
        Destination::Report if reports == 0 => Err("no report came of it".to_owned()),
        Destination::Report | Destination::Done => Ok(()),
    }
}

/// A cancelled run, a run that goes on, a check that was terminated: states that take two processes.
fn wrong_ways_with_two_processes() -> Vec<(&'static str, Option<String>)> {
    let mut found = Vec::new();
    let nothing: Vec<String> = Vec::new();

    let world = prepared();
    set_provider(&world, "slow");
    let running = world.start(&["research", QUESTION]);
    let id = world.wait_for_status("running_async");
    let asked = world.run(&["report", &id]);
    assert_eq!(asked.code, 1, "{}", asked.err);
    let hint = hint_of("report of a run that goes on", &asked);
    assert_eq!(hint, format!("follow it with `probity runs watch {id}`"));
    world.run(&["runs", "cancel", &id]);
    let cancelled = finish(running);
    let hint = hint_of("cancelled", &cancelled);
    set_provider(&world, "completed");
    found.push(("cancelled", follow(&world, &hint, &nothing, Destination::Report).err()));

    let world = prepared();
    set_provider(&world, "completed duration_ms=20000");
    let running = world.start(&["research", QUESTION]);
    let id = world.wait_for_status("running_async");
    let hint = hint_of("report of a run that goes on", &world.run(&["report", &id]));
    found.push(("no report yet", follow(&world, &hint, &nothing, Destination::Report).err()));
    finish(running);

    let world = prepared();
    world.write("links.md", &"[a](http://127.0.0.1:9/b \"c\") says that 3 is 4. ".repeat(20_000));
    let mut command = world.command(&["verify", "links.md", "--no-judge"]);
    let child = command.spawn().unwrap();
    wait_until("the check to begin", || {
        let listed = world.run(&["runs", "list", "--json"]);
        listed.code == 0 && listed.out.contains("res_")
    });
    send_signal(&child, rustix::process::Signal::TERM);
    let left = finish(child);
    let untrue = left.err.contains("provider").then(|| format!("a check has no provider: {}", left.err));
    found.push(("check, terminated", untrue));
    found
}

/// A failing call of an MCP client, and the call that its hint names.
fn wrong_tool_ways() -> Vec<(&'static str, Option<String>)> {
    let mut found = Vec::new();
    let question = json!({ "query": QUESTION });
    for (name, provider, tool) in [
        ("tool: provider failed", "failed", "start_deep_research"),
        ("tool: no report", "empty-report", "start_deep_research"),
        ("tool: key refused", "error-401", "start_deep_research"),
        ("tool: quota used up", "error-429-daily", "start_deep_research"),
        ("tool: start lost", "create-lost", "start_deep_research"),
        ("tool: search, request refused", "error-400", "search"),
        ("tool: deep_search, request refused", "error-400", "deep_search"),
    ] {
        let world = prepared();
        set_provider(&world, provider);
        let mut client = Client::open(&world, Era::Old, &[]);
        let failed = client.call(tool, question.clone());
        set_provider(&world, "completed");
        found.push((name, wrong_call(&mut client, &failed, tool, &question)));
        client.leave();
    }

    let world = prepared();
    let mut client = Client::open(&world, Era::Old, &[("PROBITY_MCP__START_WAIT", "1s")]);
    set_provider(&world, "slow duration_ms=30000");
    let handle = client.done("start_deep_research", question.clone());
    let of_run = json!({ "task_id": handle["task_id"] });
    let early = ["get_research_results", "save_research_to_markdown"]
        .map(|tool| (tool, client.call(tool, of_run.clone())));
    let names = ["tool: results of a run that goes on", "tool: saving it"];
    for (name, (tool, failed)) in names.into_iter().zip(early) {
        found.push((name, wrong_call(&mut client, &failed, tool, &of_run)));
    }
    set_provider(&world, "completed");
    let failed = client.call("cancel_research", of_run.clone());
    found
        .push(("tool: cancel of an ended run", wrong_call(&mut client, &failed, "cancel_research", &of_run)));
    let nobody = json!({ "task_id": "res_00000000000000000000000000000001" });
    let failed = client.call("get_research_results", nobody.clone());
    found.push(("tool: unknown id", wrong_call(&mut client, &failed, "get_research_results", &nobody)));
    let unknown = json!({ "query": QUESTION, "model": "nobody" });
    let failed = client.call("start_deep_research", unknown.clone());
    found.push(("tool: unknown agent", wrong_call(&mut client, &failed, "start_deep_research", &question)));
    let done = client.done("search", question.clone());
    let outside = json!({ "task_id": done["task_id"], "output_dir": "/etc" });
    let failed = client.call("save_research_to_markdown", outside.clone());
    found.push((
        "tool: path outside",
        wrong_call(&mut client, &failed, "save_research_to_markdown", &outside),
    ));
    client.leave();
    found
}

fn wrong_call(client: &mut Client, failed: &Value, tool: &str, arguments: &Value) -> Option<String> {
    let error = &failed["structuredContent"]["error"];
    let Some(hint) = error["hint"].as_str() else {
        return Some(format!("it did not fail, or without a hint: {failed}"));
    };
    let (called, mut given) = named_call(hint, tool, arguments);
    if hint.contains("again=true") {
        given["again"] = json!(true);
    }
    if let Some((_, folder)) = hint.split_once("output_dir='") {
        given["output_dir"] = json!(folder.split('\'').next());
    }
    let answer = client.call(&called, given);
    (answer["isError"] != false).then(|| format!("{called}: {answer}\n  hint: {hint}"))
}

/// The last call that a hint names: a tool with arguments between brackets, or one that is called again.
fn named_call(hint: &str, tool: &str, arguments: &Value) -> (String, Value) {
    let Some((_, after)) = hint.rsplit_once("call ") else { return (tool.to_owned(), arguments.clone()) };
    let name: String = after.chars().take_while(|c| c.is_ascii_lowercase() || *c == '_').collect();
    let rest = &after[name.len()..];
    if name == "again" {
        return (tool.to_owned(), arguments.clone());
    }
    let Some(inside) = rest.strip_prefix('(').and_then(|rest| rest.split(')').next()) else {
        let takes_id = ["get_research_results", "check_research_status"].contains(&name.as_str());
        let starts = ["start_deep_research", "search", "deep_search"].contains(&name.as_str());
        let given = match () {
            () if name == tool || takes_id => arguments.clone(),
            () if starts => json!({ "query": QUESTION }),
            () => json!({}),
        };
        return (name, given);
    };
    let mut given = json!({});
    for pair in inside.split(", ") {
        let (key, value) = pair.split_once('=').unwrap();
        given[key] = match value.strip_prefix('\'') {
            Some(text) => json!(text.trim_end_matches('\'')),
            None => value.parse::<u64>().map_or(Value::Null, Value::from),
        };
    }
    (name, given)
}

#[test]
fn every_hint_leads_out_of_the_state_that_it_is_given_in() {
    let found: Mutex<Vec<(&str, Option<String>)>> = Mutex::default();
    side_by_side(2, STATES, |state| {
        let wrong = wrong_way(state);
        found.lock().unwrap().push((state.name, wrong));
    });
    let mut outcomes = found.into_inner().unwrap();
    outcomes.extend(wrong_ways_with_two_processes());
    outcomes.extend(wrong_tool_ways());
    outcomes.extend(machine::wrong_ways());
    let names: BTreeSet<&str> = outcomes.iter().map(|(name, _)| *name).collect();
    assert_eq!(names.len(), outcomes.len(), "every state has a name of its own");
    let wrong: Vec<String> =
        outcomes.iter().filter_map(|(name, why)| Some(format!("{name}: {}", why.as_ref()?))).collect();
    figure("hints.lead_out", &format!("{} of {}", outcomes.len() - wrong.len(), outcomes.len()));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// No hint of a run leaves `ID` to the person: the program knows it.
#[test]
fn a_hint_about_a_run_names_the_run() {
    let world = prepared();
    for scenario in ["failed", "incomplete", "create-lost", "error-429-daily", "error-503-json times=99"] {
        set_provider(&world, scenario);
        let done = world.run(&["research", "--max-time", "3s", "--again", QUESTION]);
        let hint = hint_of(scenario, &done);
        assert!(!hint.contains(" ID"), "{scenario}: {hint}");
    }
    assert!(fs::metadata(world.data()).is_ok());
}
