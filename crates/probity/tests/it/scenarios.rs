//! Which test shows which promised scenario. The page in `docs/generated/` is made from this table, and a
//! scenario whose test is gone fails here.
#![expect(clippy::disallowed_methods, reason = "tests read UPDATE; the program does not")]

use std::{fs, path::PathBuf};

/// A document's title, a requirement in it, and its scenarios with the file and the test of each.
type Requirement = (&'static str, &'static [(&'static str, &'static str, &'static str)]);

const DEEP_SEARCH: &[Requirement] = &[
    (
        "Multi-round deep search tool",
        &[
            ("Successful multi-round deep search", "rounds", "scenario_successful_multi_round_deep_search"),
            ("Early termination on verification", "rounds", "scenario_early_termination_on_verification"),
            ("Maximum iterations reached", "rounds", "scenario_maximum_iterations_reached"),
        ],
    ),
    (
        "Deep search result format",
        &[
            ("Successful response format", "rounds", "scenario_successful_response_format"),
            ("Per-round metadata", "rounds", "scenario_per_round_metadata"),
        ],
    ),
    (
        "Deep search prompt templates",
        &[
            ("Initial deep search prompt", "rounds_cli", "scenario_initial_deep_search_prompt"),
            ("Verification prompt", "rounds_cli", "scenario_verification_prompt"),
        ],
    ),
    (
        "Progress logging",
        &[
            ("Round progress logging", "rounds", "scenario_round_progress_logging"),
            ("Final result logging", "rounds", "scenario_final_result_logging"),
        ],
    ),
    (
        "Configurable iteration limit",
        &[
            ("Default iteration count", "rounds", "scenario_default_iteration_count"),
            ("Custom iteration count", "rounds", "scenario_custom_iteration_count"),
            ("Minimum iteration count", "rounds", "scenario_minimum_iteration_count"),
        ],
    ),
    (
        "Graceful degradation",
        &[
            ("Single round failure, going on", "rounds", "scenario_single_round_failure"),
            ("Single round failure, at the limit", "rounds", "scenario_single_round_failure_at_the_limit"),
            ("Gemini CLI unavailable", "rounds", "scenario_gemini_cli_unavailable"),
        ],
    ),
];

const MODELS_AND_CORRECTIONS: &[Requirement] = &[
    (
        "Model selection for search rounds and correction",
        &[
            (
                "No model specified: auto-selection",
                "rounds_cli",
                "scenario_no_model_specified_auto_selection",
            ),
            ("Main search model specified", "rounds_cli", "scenario_main_search_model_specified"),
            ("Correction model specified", "rounds_cli", "scenario_correction_model_specified"),
            ("Both models specified", "rounds_cli", "scenario_both_models_specified"),
        ],
    ),
    (
        "JSON retry logic with correction fallback",
        &[
            (
                "Initial attempt: main search prompt",
                "rounds_cli",
                "scenario_initial_attempt_main_search_prompt",
            ),
            (
                "JSON parsing failure: correction attempt",
                "rounds_cli",
                "scenario_json_parsing_failure_correction_attempt",
            ),
            ("Correction success", "rounds_cli", "scenario_correction_success"),
            ("Correction failure: retry cycle", "rounds_cli", "scenario_correction_failure_retry_cycle"),
            ("All attempts exhausted", "rounds_cli", "scenario_all_attempts_exhausted"),
        ],
    ),
    (
        "JSON correction prompt",
        &[
            ("Correction prompt content", "rounds_cli", "scenario_correction_prompt_content"),
            (
                "Correction prompt with invalid output file",
                "rounds_cli",
                "scenario_correction_prompt_with_invalid_output_file",
            ),
            ("Temporary file cleanup", "rounds_cli", "scenario_temporary_file_cleanup"),
        ],
    ),
    (
        "Startup cleanup of orphaned temp files",
        &[
            ("With orphaned files", "rounds_cli", "scenario_startup_cleanup_with_orphaned_files"),
            ("With no orphaned files", "rounds_cli", "scenario_startup_cleanup_with_no_orphaned_files"),
            (
                "With inaccessible config directory",
                "rounds_cli",
                "scenario_startup_cleanup_with_inaccessible_config_directory",
            ),
        ],
    ),
    (
        "Metadata model field detection",
        &[
            ("Model explicitly configured", "rounds_cli", "scenario_model_explicitly_configured"),
            (
                "Model auto-selected with successful detection",
                "rounds_cli",
                "scenario_model_auto_selected_with_successful_detection",
            ),
            (
                "Model auto-selected with failed detection",
                "rounds_cli",
                "scenario_model_auto_selected_with_failed_detection",
            ),
        ],
    ),
];

const DECISIONS: &[Requirement] = &[
    (
        "Decisions",
        &[
            ("Single-round search", "rounds", "decision_search_is_one_round"),
            ("Multi-round deep search", "rounds", "scenario_successful_multi_round_deep_search"),
            ("A verification prompt of its own", "rounds_cli", "scenario_verification_prompt"),
            ("Completion: the limit", "rounds", "scenario_maximum_iterations_reached"),
            ("Completion: the model's word", "rounds", "decision_completion_on_the_models_word"),
            ("deep_research stays as it was", "rounds", "decision_deep_research_is_one_prompt"),
        ],
    ),
    (
        "Questions that were open",
        &[
            ("Final result and sources per round", "rounds", "scenario_per_round_metadata"),
            ("The round is told during execution", "rounds", "scenario_round_progress_logging"),
            (
                "A round that does not improve the result",
                "rounds",
                "scenario_single_round_failure_at_the_limit",
            ),
        ],
    ),
];

const DOCUMENTS: &[(&str, &[Requirement])] = &[
    ("Deep search", DEEP_SEARCH),
    ("Models and corrections", MODELS_AND_CORRECTIONS),
    ("Design of search and deep search", DECISIONS),
];

#[test]
fn every_scenario_has_a_test_that_exists() {
    for (_, requirements) in DOCUMENTS {
        for (scenario, file, test) in requirements.iter().flat_map(|(_, scenarios)| scenarios.iter()) {
            let path = here().join(format!("tests/it/{file}.rs"));
            let source = fs::read_to_string(&path).unwrap();
            let exists = source.contains(&format!("#[test]\nfn {test}() {{"));
            assert!(exists, "`{scenario}` is shown by `{file}::{test}`, which is not there");
        }
    }
}

#[test]
fn the_page_of_scenarios_is_current() {
    let mut text = "<!-- Made from the code by a test of the `probity` crate. Do not edit. -->\n\n# Scenarios\n\n\
        Each promised scenario and the test that runs it with the real binary: over MCP on stdio, against the \
        simulator, and on a Gemini CLI where the scenario is about one.\n"
        .to_owned();
    for (document, requirements) in DOCUMENTS {
        text.push_str(&format!("\n## {document}\n"));
        for (requirement, scenarios) in *requirements {
            text.push_str(&format!("\n### {requirement}\n\n| scenario | test |\n| --- | --- |\n"));
            for (scenario, file, test) in *scenarios {
                text.push_str(&format!("| {scenario} | `{file}::{test}` |\n"));
            }
        }
    }
    let page = here().join("../../docs/generated/scenarios.md");
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&page, text).unwrap();
        return;
    }
    let found = fs::read_to_string(&page).unwrap_or_default();
    assert_eq!(found, text, "out of date: run `UPDATE=1 cargo test -p probity the_page_of_scenarios`");
}

fn here() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}
