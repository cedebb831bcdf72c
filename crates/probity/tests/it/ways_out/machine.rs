//! States of the machine and of what the program works with: a store that is damaged or gone, a folder that cannot be
//! written, a Gemini CLI that is not there or whose key is refused, a run that the provider has forgotten, a folder as a
//! source where nobody searches.

use std::fs;

use serde_json::json;

use super::{Destination, QUESTION, follow, follow_as, hint_of, prepared, run, wrong_call};
use crate::{
    client::{Client, Era},
    endings,
    harness::{KEY, World, gemini_cli},
    web::stage::{self, Hands, Stage},
};

type Outcome = (&'static str, Option<String>);

/// A search provider that nobody answers for.
const SILENT_SEARCH: (&str, &str) =
    ("PROBITY_SEARCH__BASES", "tavily-keyless=http://127.0.0.1:1,wikipedia=http://127.0.0.1:1/{language}");

pub fn wrong_ways() -> Vec<Outcome> {
    let mut found = vec![expired(), expired_for_a_tool(), reports_folder()];
    found.extend(stores());
    found.extend(gemini_cli_missing());
    found.extend(gemini_cli_refused());
    found.extend(folders());
    found
}

fn words(command: &[&str]) -> Vec<String> {
    command.iter().map(|word| (*word).to_owned()).collect()
}

fn expired() -> Outcome {
    let world = prepared();
    let id = endings::expired(&world);
    let command = words(&["runs", "watch", &id]);
    let done = run(&world, &command, &[]);
    let hint = hint_of("expired", &done);
    ("expired", follow(&world, &hint, &command, Destination::Report).err())
}

fn expired_for_a_tool() -> Outcome {
    let world = prepared();
    let of_run = json!({ "task_id": endings::expired(&world) });
    let mut client = Client::open(&world, Era::Old, &[]);
    let failed = client.call("get_research_results", of_run.clone());
    let wrong = wrong_call(&mut client, &failed, "get_research_results", &of_run);
    client.leave();
    ("tool: expired", wrong)
}

/// A file lies where the folder for reports belongs; unlike permissions, that holds for every user.
fn reports_folder() -> Outcome {
    let world = prepared();
    world.write("research_reports", "in the way\n");
    let mut client = Client::open(&world, Era::Old, &[]);
    let done = client.done("search", json!({ "query": QUESTION }));
    let of_run = json!({ "task_id": done["task_id"] });
    let failed = client.call("save_research_to_markdown", of_run.clone());
    let wrong = wrong_call(&mut client, &failed, "save_research_to_markdown", &of_run);
    client.leave();
    ("tool: folder for reports cannot be written", wrong)
}

/// What is done to a home.
type Harm = fn(&World);

/// After the hint was followed, what failed works.
fn stores() -> Vec<Outcome> {
    let damage = |world: &World| {
        let database = world.data().join("probity.db");
        let mut bytes = fs::read(&database).unwrap();
        let from = bytes.len() / 4;
        bytes[from..].iter_mut().for_each(|byte| *byte ^= 0x5A);
        fs::write(&database, bytes).unwrap();
    };
    let lose = |world: &World| {
        for name in ["probity.db", "probity.db-wal", "probity.db-shm"] {
            fs::remove_file(world.data().join(name)).ok();
        }
    };
    let states: [(&'static str, Harm); 2] = [("store damaged", damage), ("store gone", lose)];
    states
        .into_iter()
        .map(|(name, harm)| {
            let world = prepared();
            assert_eq!(world.run(&["research", QUESTION]).code, 0);
            harm(&world);
            let command = words(&["runs", "list"]);
            let hint = hint_of(name, &run(&world, &command, &[]));
            let followed = follow(&world, &hint, &command, Destination::Done).and_then(|()| {
                let again = run(&world, &command, &[]);
                if again.code == 0 { Ok(()) } else { Err(format!("it still fails: {}", again.err)) }
            });
            (name, followed.err().map(|why| format!("{why}\n  hint: {hint}")))
        })
        .collect()
}

/// The web engine, which the hint names, needs something to find.
fn on_stage(name: &'static str, stage: &Stage, command: &[&str], until_mended: &[(&str, &str)]) -> Outcome {
    let own = stage.variables();
    let mended: Vec<(&str, &str)> = own.iter().map(|(variable, value)| (*variable, value.as_str())).collect();
    let broken: Vec<(&str, &str)> = mended.iter().chain(until_mended).copied().collect();
    let command = words(command);
    let done = run(&stage.world, &command, &broken);
    if done.code == 0 {
        return (name, Some(format!("it did not fail: {}", done.err)));
    }
    let hint = hint_of(name, &done);
    let person = (mended.as_slice(), stage::QUESTION);
    let followed = follow_as(&stage.world, &hint, &command, Destination::Report, person);
    (name, followed.err().map(|why| format!("{why}\n  hint: {hint}")))
}

fn gemini_cli_missing() -> Vec<Outcome> {
    let stage = Stage::new(Hands::Nothing);
    let command = ["ask", "--engine", "gemini-cli", stage::QUESTION];
    let broken = [("GEMINI_API_KEY", KEY), ("PATH", "/nonexistent")];
    let missing = on_stage("Gemini CLI missing", &stage, &command, &broken);
    vec![missing, gemini_cli_missing_for_a_tool(&stage, &broken)]
}

/// A client has no flags: its user starts the server with what the hint names.
fn gemini_cli_missing_for_a_tool(stage: &Stage, broken: &[(&str, &str)]) -> Outcome {
    let name = "tool: Gemini CLI missing";
    let question = json!({ "query": stage::QUESTION });
    let own = stage.variables();
    let with = |more: &[(&str, &str)]| {
        let mut variables: Vec<(&str, &str)> =
            own.iter().map(|(variable, value)| (*variable, value.as_str())).collect();
        variables.extend(more);
        let mut client = Client::open(&stage.world, Era::Old, &variables);
        let answer = client.call("search", question.clone());
        client.leave();
        answer
    };
    let named = [broken, &[("PROBITY_RESEARCH__ENGINE", "gemini-cli")]].concat();
    let failed = with(&named);
    let hint = failed["structuredContent"]["error"]["hint"].as_str().unwrap_or_default();
    let Some((variable, rest)) = hint.split_once("with ").and_then(|(_, rest)| rest.split_once('=')) else {
        return (name, Some(format!("the hint names no setting: {failed}")));
    };
    let value = rest.split([',', ' ']).next().unwrap_or_default();
    let answer = with(&[broken, &[(variable, value)]].concat());
    (name, (answer["isError"] != false).then(|| format!("{variable}={value}: {answer}\n  hint: {hint}")))
}

/// The real one, whose key the provider refuses once; nothing where it is not installed.
fn gemini_cli_refused() -> Option<Outcome> {
    let program = gemini_cli()?.display().to_string();
    let world = prepared();
    let question = "When did it run? [[rounds key=k turns=error-401,draft pages=numeric]]";
    let variables =
        [("PROBITY_GEMINI_CLI__PROGRAM", program.as_str()), ("PATH", "/usr/local/bin:/usr/bin:/bin")];
    let command = words(&["ask", "--engine", "gemini-cli", question]);
    let done = run(&world, &command, &variables);
    let hint = hint_of("Gemini CLI, key refused", &done);
    let wrong = follow(&world, &hint, &command, Destination::Report).err();
    Some(("Gemini CLI, key refused", wrong.map(|why| format!("{why}\n  hint: {hint}"))))
}

fn folders() -> Vec<Outcome> {
    let stage = Stage::new(Hands::Nothing);
    stage.world.write("notes/one.md", "Rye bread rises slowly in a cold kitchen.\n");
    let searched = ["ask", "--folder", "notes", stage::QUESTION];
    let absent = ["ask", "--folder", "nowhere", stage::QUESTION];
    vec![
        on_stage("a folder, and nobody searches", &stage, &searched, &[SILENT_SEARCH]),
        on_stage("no such folder", &stage, &absent, &[]),
    ]
}
