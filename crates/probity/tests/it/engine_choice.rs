//! Which engine `auto` takes, and that every answer says which and why. The real Gemini CLI, with and without a key.

use probity_simulator::TurnApi;
use serde_json::{Value, json};

use crate::{
    client::{Client, Era},
    harness::{CommandOutput, KEY, World, document, finish, gemini_cli},
    scripted_cli,
    web::stage::{Hands, QUESTION, Stage},
};

const API: &str = "Gemini API, because a key is set";
const CLI: &str = "Gemini CLI, because Probity has no key, and the Gemini CLI has one of its own";
const CLI_WITHOUT_KEY: &str =
    "Probity's own web engine, because no Gemini key is set and the Gemini CLI has none of its own";
const NEITHER: &str = "Probity's own web engine, because no Gemini key is set and no Gemini CLI was found";
const NAMED: &str = "Gemini API, because it was asked for by name";

/// Numeric addresses of pages, because the CLI looks up names before it reads a page.
const ASKED: &str = "When did the first one run? [[rounds key=k turns=draft pages=numeric]]";

/// For somebody who has no key of ours.
const NO_KEY: (&str, &str) = ("GEMINI_API_KEY", "");
const PATH: (&str, &str) = ("PATH", "/usr/local/bin:/usr/bin:/bin");

fn run(world: &World, arguments: &[&str], variables: &[(&str, &str)]) -> CommandOutput {
    let mut command = world.command(arguments);
    finish(command.envs(variables.iter().copied()).spawn().unwrap())
}

/// The engine and the reason as a tool's answer, its text, the command line and its JSON say them.
#[track_caller]
fn check_faces(world: &World, variables: &[(&str, &str)], question: &str, engine: &str, reason: &str) {
    let mut client = Client::open(world, Era::Old, variables);
    let answer = client.call("search", json!({ "query": question }));
    let metadata = &answer["structuredContent"]["metadata"];
    assert_eq!(
        (&metadata["engine"], &metadata["engine_reason"]),
        (&json!(engine), &json!(reason)),
        "{answer}"
    );
    let text = answer["content"][0]["text"].as_str().unwrap();
    assert_eq!(text.matches(reason).count(), 1, "{text}");
    client.leave();
    let told = document(&run(world, &["runs", "show", "--json"], variables));
    assert_eq!((&told["engine"], &told["engine_reason"]), (&json!(engine), &json!(reason)), "{told}");
    let shown = run(world, &["runs", "show"], variables);
    assert_eq!(format!("{}{}", shown.out, shown.err).matches(reason).count(), 1, "{shown:?}");
    let planned = run(world, &["ask", "--plan", question], variables);
    assert_eq!(planned.err.matches(reason).count(), 1, "{planned:?}");
}

#[test]
fn with_a_key_the_api_answers_although_the_gemini_cli_has_one_too() {
    let world = World::new();
    world.write(".gemini/.env", "GEMINI_API_KEY=another-key-0001\n");
    let program = scripted_cli::install(world.home.path()).display().to_string();
    let variables = [("PROBITY_GEMINI_CLI__PROGRAM", program.as_str()), PATH];
    check_faces(&world, &variables, "When did it run? [[rounds key=k turns=draft]]", "gemini-api", API);
    assert!(world.ledger().turns_of("k").any(|turn| turn.face == TurnApi::Interactions));
}

#[test]
fn without_a_key_of_ours_the_real_gemini_cli_answers_with_its_own() {
    let Some(program) = gemini_cli() else { return };
    let world = World::new();
    world.write(".gemini/.env", &format!("# the CLI's own\nexport GEMINI_API_KEY=\"{KEY}\"\n"));
    let program = program.display().to_string();
    let variables = [NO_KEY, ("PROBITY_GEMINI_CLI__PROGRAM", program.as_str()), PATH];
    check_faces(&world, &variables, ASKED, "gemini-cli", CLI);
    let ledger = world.ledger();
    assert!(ledger.turns_of("k").count() > 0);
    assert!(ledger.turns_of("k").all(|turn| turn.face == TurnApi::GenerateContent), "the API was asked");
}

#[test]
fn a_gemini_cli_without_any_key_is_not_started_and_the_web_engine_answers() {
    let stage = Stage::new(Hands::Nothing);
    let program = scripted_cli::install(stage.world.home.path()).display().to_string();
    let own = stage.variables();
    let mut variables: Vec<(&str, &str)> = own.iter().map(|(name, value)| (*name, value.as_str())).collect();
    variables.extend([("PROBITY_GEMINI_CLI__PROGRAM", program.as_str()), PATH]);
    check_faces(&stage.world, &variables, QUESTION, "web", CLI_WITHOUT_KEY);
    assert_eq!(stage.world.ledger().turns().len(), 0);
}

#[test]
fn without_a_key_and_without_the_gemini_cli_the_web_engine_says_so() {
    let stage = Stage::new(Hands::Nothing);
    let own = stage.variables();
    let mut variables: Vec<(&str, &str)> = own.iter().map(|(name, value)| (*name, value.as_str())).collect();
    variables.push(("PATH", "/nonexistent"));
    check_faces(&stage.world, &variables, QUESTION, "web", NEITHER);
}

#[test]
fn an_engine_that_was_named_is_taken_and_a_missing_key_is_said() {
    let world = World::new();
    let named = ("PROBITY_RESEARCH__ENGINE", "gemini-api");
    let question = "When did it run? [[rounds key=k turns=draft]]";
    check_faces(&world, &[named], question, "gemini-api", NAMED);
    let refused = run(&world, &["ask", "--json", question], &[named, NO_KEY]);
    let told: Value = document(&refused);
    assert_eq!(told["problem"]["code"], "KEY_MISSING", "{refused:?}");
    let cli = ("PROBITY_RESEARCH__ENGINE", "gemini-cli");
    let refused = run(&world, &["ask", "--json", question], &[cli, NO_KEY]);
    assert_eq!(document(&refused)["problem"]["code"], "KEY_MISSING", "{refused:?}");
}

#[test]
fn the_doctor_says_which_engine_would_answer_and_whose_key_the_gemini_cli_has() {
    let world = World::new();
    let program = scripted_cli::install(world.home.path()).display().to_string();
    let cli = ("PROBITY_GEMINI_CLI__PROGRAM", program.as_str());
    let doctor = |variables: &[(&str, &str)]| run(&world, &["doctor"], variables).out;
    assert!(doctor(&[cli, PATH]).contains(API));
    assert!(doctor(&[cli, PATH, NO_KEY]).contains(CLI_WITHOUT_KEY));
    world.write(".gemini/.env", &format!("GEMINI_API_KEY={KEY}\n"));
    let own = doctor(&[cli, PATH, NO_KEY]);
    assert!(own.contains("Gemini CLI, because") && own.contains("it has a key of its own"), "{own}");
    assert!(!own.contains(KEY), "{own}");
}
