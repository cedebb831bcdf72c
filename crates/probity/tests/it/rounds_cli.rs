//! Rounds on the Gemini CLI with the real binary: models, corrections, files left behind, and what is said of
//! the model. A scripted CLI says how it was called; the real one is used where it is installed.

use std::path::{Path, PathBuf};

use probity_simulator::TurnApi;
use serde_json::{Value, json};

use crate::{
    client::{Client, Era},
    harness::{World, finish, gemini_cli, wait_until},
    scripted_cli,
};

const QUESTION: &str = "when did the mill burn?";
const IN_PROSE: &str = "when did the mill burn? PROSE";

/// A client whose rounds run on this CLI, each question in a process of its own.
pub fn open(world: &World, program: &Path, variables: &[(&str, &str)]) -> Client {
    let program = program.display().to_string();
    let path = std::env::join_paths(["/usr/local/bin", "/usr/bin", "/bin"]).unwrap();
    let mut all = vec![
        ("PROBITY_RESEARCH__ENGINE", "gemini-cli"),
        ("PROBITY_GEMINI_CLI__REUSE", "spawn"),
        ("PROBITY_GEMINI_CLI__PROGRAM", program.as_str()),
        ("PATH", path.to_str().unwrap()),
    ];
    all.extend_from_slice(variables);
    Client::open(world, Era::Old, &all)
}

/// The rounds' summaries of a deep search on the scripted CLI, and the whole answer.
#[track_caller]
fn deep_search(query: &str, variables: &[(&str, &str)]) -> (Vec<String>, Value) {
    let world = World::new();
    let mut client = open(&world, &scripted_cli::install(world.home.path()), variables);
    let answer = client.done("deep_search", json!({ "query": query, "max_iterations": 2 }));
    client.leave();
    assert_eq!(answer["metadata"]["engine"], "gemini-cli");
    let rounds = answer["metadata"]["rounds"].as_array().unwrap().iter();
    let told = rounds.map(|round| round["intermediate_result_summary"].as_str().unwrap().to_owned());
    (told.collect(), answer)
}

#[test]
fn a_command_that_starts_the_cli_removes_what_a_killed_one_left() {
    let world = World::new();
    let program = scripted_cli::install(world.home.path());
    let left = world.data().join("cli/run-left");
    std::fs::create_dir_all(left.join("attached")).unwrap();
    std::fs::write(left.join("attached/temp-invalid-output-1-a.txt"), "x").unwrap();
    let mut command = world.command(&["ask", "--engine", "gemini-cli", QUESTION]);
    command.env("PROBITY_GEMINI_CLI__PROGRAM", &program).env("PROBITY_GEMINI_CLI__REUSE", "spawn");
    command.env("PATH", "/usr/local/bin:/usr/bin:/bin");
    let done = finish(command.spawn().unwrap());
    assert_eq!(done.code, 0, "{}", done.err);
    assert!(!left.exists(), "{}", done.err);
    wait_until("its own folder to go with the run", || {
        let mut entries = std::fs::read_dir(world.data().join("cli")).unwrap().flatten();
        !entries.any(|entry| entry.file_name().to_string_lossy().starts_with("run-"))
    });
}

#[test]
fn scenario_initial_deep_search_prompt() {
    let (rounds, _) = deep_search(QUESTION, &[]);
    assert!(rounds[0].contains("prompt=first query=yes schema=yes fenced=yes"), "{rounds:?}");
    let shipped = include_str!("../../../probity-engines/prompts/deep-search-prompt.md");
    for instruction in
        ["{{query}}", "5 different perspectives", "Search for each", "Fetch the content", "`false`"]
    {
        assert!(shipped.contains(instruction), "{instruction}");
    }
}

#[test]
fn scenario_verification_prompt() {
    let (rounds, _) = deep_search(QUESTION, &[]);
    assert!(rounds[1].contains("prompt=verify query=yes result=yes"), "{rounds:?}");
    let shipped = include_str!("../../../probity-engines/prompts/verify-prompt.md");
    for instruction in ["{{query}}", "{{current_result}}", "for accuracy", "verification searches", "`true`"]
    {
        assert!(shipped.contains(instruction), "{instruction}");
    }
}

#[test]
fn scenario_no_model_specified_auto_selection() {
    let (rounds, _) = deep_search(IN_PROSE, &[]);
    assert!(rounds[0].contains("main=none") && rounds[0].ends_with("model=none"), "{rounds:?}");
}

#[test]
fn scenario_main_search_model_specified() {
    let (rounds, _) = deep_search(QUESTION, &[("GEMINI_MODEL", "gemini-3.8-flash")]);
    assert!(rounds.iter().all(|told| told.ends_with("model=gemini-3.8-flash")), "{rounds:?}");
}

#[test]
fn scenario_correction_model_specified() {
    let (rounds, _) = deep_search(IN_PROSE, &[("GEMINI_CORRECTION_MODEL", "gemini-3.5-flash-lite")]);
    assert!(
        rounds[0].contains("main=none") && rounds[0].ends_with("model=gemini-3.5-flash-lite"),
        "{rounds:?}"
    );
}

#[test]
fn scenario_both_models_specified() {
    let models = [("GEMINI_MODEL", "gemini-3.8-flash"), ("GEMINI_CORRECTION_MODEL", "gemini-3.5-flash-lite")];
    let (rounds, answer) = deep_search(IN_PROSE, &models);
    let both =
        rounds[0].contains("main=gemini-3.8-flash") && rounds[0].ends_with("model=gemini-3.5-flash-lite");
    assert!(both, "{rounds:?}");
    assert_eq!(answer["metadata"]["model"], "gemini-3.8-flash");
}

#[test]
fn scenario_model_explicitly_configured() {
    let (_, answer) = deep_search(QUESTION, &[("GEMINI_MODEL", "gemini-3.8-flash")]);
    assert_eq!(answer["metadata"]["model"], "gemini-3.8-flash");
}

#[test]
fn scenario_model_auto_selected_with_failed_detection() {
    let (_, answer) = deep_search(QUESTION, &[]);
    assert_eq!(answer["metadata"]["model"], "auto-detected");
}

#[test]
fn scenario_json_parsing_failure_correction_attempt() {
    let (rounds, _) = deep_search(IN_PROSE, &[]);
    assert!(rounds[0].contains("prompt=correction") && rounds[0].contains("schema=yes"), "{rounds:?}");
    assert!(rounds[0].contains("file=readable"), "{rounds:?}");
}

#[test]
fn scenario_correction_prompt_content() {
    let (rounds, _) = deep_search(IN_PROSE, &[]);
    assert!(rounds[0].contains("prompt=correction query=yes schema=yes fenced=yes"), "{rounds:?}");
    let shipped = include_str!("../../../probity-engines/prompts/correction-prompt.md");
    for instruction in
        ["JSON formatter", "Read the invalid output", "Extract the research", "{{schema}}", "```json"]
    {
        assert!(shipped.contains(instruction), "{instruction}");
    }
}

#[test]
fn scenario_correction_prompt_with_invalid_output_file() {
    let (rounds, _) = deep_search(IN_PROSE, &[]);
    assert!(rounds.iter().all(|told| told.contains("file=readable")), "{rounds:?}");
}

/// Names of correction files anywhere below the home.
fn correction_files(world: &World) -> Vec<PathBuf> {
    let is_one = |path: &PathBuf| {
        path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("temp-invalid-output-"))
    };
    world.files().into_iter().filter(is_one).collect()
}

#[test]
fn scenario_temporary_file_cleanup() {
    let world = World::new();
    let mut client = open(&world, &scripted_cli::install(world.home.path()), &[]);
    let answer = client.done("search", json!({ "query": IN_PROSE }));
    assert!(answer["result"].as_str().unwrap().contains("file=readable"), "{answer}");
    assert_eq!(correction_files(&world), Vec::<PathBuf>::new());
    client.leave();
}

/// Starts a server and waits until it has said this; it serves all the same.
#[track_caller]
fn says_at_start(world: &World, words: &str) {
    let mut client = Client::open(world, Era::Old, &[]);
    wait_until(words, || client.said().contains(words));
    assert_eq!(client.done("list_research", json!({}))["researches"], json!([]));
    client.leave();
}

#[test]
fn scenario_startup_cleanup_with_orphaned_files() {
    let world = World::new();
    for number in 1..=3 {
        world.write(&format!("data/probity/cli/temp-invalid-output-{number}.txt"), "left behind");
    }
    world.write("data/probity/cli/notes.txt", "not ours to delete");
    says_at_start(&world, "[INFO] Cleaned up 3 orphaned temp-invalid-output files");
    assert_eq!(correction_files(&world), Vec::<PathBuf>::new());
    assert!(world.data().join("cli/notes.txt").exists());
}

#[test]
fn scenario_startup_cleanup_with_no_orphaned_files() {
    says_at_start(&World::new(), "[INFO] Cleaned up 0 orphaned temp-invalid-output files");
}

#[test]
fn scenario_startup_cleanup_with_inaccessible_config_directory() {
    let world = World::new();
    world.write("data/probity/cli", "a file where the directory should be");
    says_at_start(&world, "orphaned files stay");
}

#[test]
fn scenario_initial_attempt_main_search_prompt() {
    let world = World::new();
    let Some(mut client) = real(&world, &[]) else { return };
    let answer = client.done("search", scripted("draft"));
    assert!(answer["result"].as_str().unwrap().contains("5344 units"), "{answer}");
    assert_eq!(answer["metadata"]["engine"], "gemini-cli");
    let ledger = world.ledger();
    assert!(ledger.turns_of("k").all(|turn| turn.face == TurnApi::GenerateContent));
    assert_eq!(ledger.turns_charged("k"), 1);
    client.leave();
}

#[test]
fn scenario_correction_success() {
    let world = World::new();
    let Some(mut client) = real(&world, &[]) else { return };
    let answer = client.done("search", scripted("prose,corrected"));
    assert!(answer["result"].as_str().unwrap().contains("5344 units"), "{answer}");
    assert_eq!(world.ledger().turns_charged("k"), 2);
    let stderr = client.leave();
    assert!(!stderr.contains("JSON correction failed") && !stderr.contains("cycle 2"), "{stderr}");
}

#[test]
fn scenario_correction_failure_retry_cycle() {
    let world = World::new();
    let mut client = Client::open(&world, Era::Old, &[]);
    let answer = client.done("search", scripted("prose,prose,draft"));
    assert!(answer["result"].as_str().unwrap().contains("5344 units"), "{answer}");
    assert!(answer["metadata"]["duration_ms"].as_u64().unwrap() >= 1_000);
    assert_eq!(world.ledger().turns_charged("k"), 3);
    let stderr = client.leave();
    assert!(stderr.contains("[ERROR] JSON correction failed (cycle 1)"), "{stderr}");
}

#[test]
fn scenario_all_attempts_exhausted() {
    let world = World::new();
    let mut client = Client::open(&world, Era::Old, &[]);
    let result = client.call("deep_search", {
        let mut arguments = scripted("prose");
        arguments["max_iterations"] = json!(2);
        arguments
    });
    let answer = &result["structuredContent"];
    assert_eq!((&answer["success"], &answer["error"]["code"]), (&json!(false), &json!("EXECUTION_ERROR")));
    let message = answer["error"]["message"].as_str().unwrap();
    assert!(message.contains("all retry and correction attempts were exhausted"), "{message}");
    let stderr = client.leave();
    assert!(stderr.contains("(cycle 3)"), "{stderr}");
}

#[test]
fn scenario_model_auto_selected_with_successful_detection() {
    let world = World::new();
    let Some(mut client) = real(&world, &[]) else { return };
    let answer = client.done("search", scripted("draft"));
    let model = answer["metadata"]["model"].as_str().unwrap();
    assert!(model.starts_with("gemini-"), "{model}");
    assert!(world.ledger().turns_of("k").any(|turn| turn.model == model), "{model}");
    client.leave();
}

fn scripted(turns: &str) -> Value {
    json!({ "query": format!("when? [[rounds key=k topic=tpu pages=numeric turns={turns}]]") })
}

/// The real Gemini CLI; a notice where it is not installed.
fn real(world: &World, variables: &[(&str, &str)]) -> Option<Client> {
    Some(open(world, &gemini_cli()?, variables))
}
