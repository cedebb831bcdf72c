use std::{fs, path::Path};

use expect_test::{Expect, expect};
use probity_research::error::Code;

use super::{CliFailureContext, is_empty_answer, problem};
use crate::secret::ApiKey;

fn key() -> ApiKey {
    ApiKey::parse("AIza-canary").unwrap()
}

/// A recorded run of the real CLI: its exit code, what it said in its result, and its stderr.
#[track_caller]
fn check(case: &str, expected: Expect) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/cli").join(case);
    let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
    let result: Option<serde_json::Value> =
        read("stdout.txt").lines().last().and_then(|line| serde_json::from_str(line).ok());
    let said = result.as_ref().and_then(|result| result["error"]["message"].as_str());
    let exit = read("exit_code.txt").trim().parse().ok();
    let found = problem(&CliFailureContext { exit, status: None, said, errors: &read("stderr.txt") }, &key());
    let wait = found.retry_after_ms.map(|wait| format!(" after {wait} ms")).unwrap_or_default();
    expected.assert_eq(&format!("{}{wait}: {}\n", found.code, found.message));
}

#[test]
fn recorded_failures_have_their_names() {
    check(
        "no_key",
        expect![[r#"
        CLI_AUTH: the Gemini CLI ended with 0: When using Gemini API, you must specify the GEMINI_API_KEY environment variable. Update your environment and try again (no reload needed if using .env)!
    "#]],
    );
    check(
        "trust_unset",
        expect![[r#"
        CLI_UNTRUSTED: the Gemini CLI ended with 55: Gemini CLI is not running in a trusted directory. To proceed, either use `--skip-trust`, set the `GEMINI_CLI_TRUST_WORKSPACE=true` environment variable, or trust this directory in interactive mode. For more details, see https://geminicli.com/docs/cli/trusted-folders/#headless-and-automated-environments
    "#]],
    );
    check(
        "empty_input",
        expect![[r#"
        CLI_INPUT: the Gemini CLI ended with 42: No input provided via stdin. Input can be provided by piping data into gemini or using the --prompt option.
    "#]],
    );
    check(
        "bad_flag",
        expect![[r#"
        CLI_FAILED: the Gemini CLI ended with 1: -h, --help Show help [boolean]
    "#]],
    );
    check(
        "max_turns_json",
        expect![[r#"
        CLI_TURN_LIMIT: the Gemini CLI ended with 53: Reached max session turns for this session. Increase the number of turns by specifying maxSessionTurns in settings.json.
    "#]],
    );
    check(
        "max_turns_stream",
        expect![[r#"
        CLI_TURN_LIMIT: the Gemini CLI ended with 53: Reached max session turns for this session. Increase the number of turns by specifying maxSessionTurns in settings.json.
    "#]],
    );
}

#[test]
fn recorded_answers_of_the_provider_have_their_names() {
    check(
        "err_400_json",
        expect![[r#"
        BAD_REQUEST: the provider answered the Gemini CLI with 400: fake INVALID_ARGUMENT
    "#]],
    );
    check(
        "err_400key_stream",
        expect![[r#"
        KEY_REFUSED: the provider answered the Gemini CLI with 400: API key not valid. Please pass a valid API key.
    "#]],
    );
    check(
        "err_401_json",
        expect![[r#"
        KEY_REFUSED: the provider answered the Gemini CLI with 401: fake UNAUTHENTICATED
    "#]],
    );
    check(
        "err_403_json",
        expect![[r#"
        PERMISSION_DENIED: the provider answered the Gemini CLI with 403: fake PERMISSION_DENIED
    "#]],
    );
    check(
        "err_404_json",
        expect![[r#"
        UNKNOWN_MODEL: the Gemini CLI ended with 1: fake NOT_FOUND
    "#]],
    );
    check(
        "err_429_json",
        expect![[r#"
        RATE_LIMITED after 2000 ms: the provider answered the Gemini CLI with 429: You exceeded your current quota. Please retry in 2s. Suggested retry after 2s.
    "#]],
    );
    check(
        "err_429day_stream",
        expect![[r#"
        QUOTA_EXHAUSTED: the provider answered the Gemini CLI with 429: [API Error: You have exhausted your daily quota on this model.] Please wait and try again later. To increase your limits, request a quota increase through AI Studio, or switch to another /auth method
    "#]],
    );
    check(
        "err_503_max2",
        expect![[r#"
        PROVIDER_UNAVAILABLE: the provider answered the Gemini CLI with 503: fake UNAVAILABLE
    "#]],
    );
}

#[test]
fn every_exit_code_has_its_code() {
    let code = |exit| problem(&CliFailureContext { exit, ..CliFailureContext::default() }, &key()).code;
    let table = [
        (Some(0), Code::CliNoResult),
        (Some(1), Code::CliFailed),
        (Some(41), Code::CliAuth),
        (Some(42), Code::CliInput),
        (Some(44), Code::CliConfiguration),
        (Some(52), Code::CliConfiguration),
        (Some(53), Code::CliTurnLimit),
        (Some(54), Code::CliToolFailed),
        (Some(55), Code::CliUntrusted),
        (Some(125), Code::CliFailed),
        (Some(130), Code::CliNoResult),
        (Some(137), Code::CliNoResult),
        (Some(144), Code::BadRequest),
        (Some(145), Code::KeyRefused),
        (Some(147), Code::PermissionDenied),
        (Some(148), Code::UnknownModel),
        (Some(152), Code::Timeout),
        (Some(173), Code::RateLimited),
        (Some(244), Code::ProviderUnavailable),
        (Some(247), Code::ProviderUnavailable),
        (None, Code::CliNoResult),
        (Some(-1), Code::CliFailed),
    ];
    let wrong: Vec<_> = table.into_iter().filter(|(exit, expected)| code(*exit) != *expected).collect();
    assert_eq!(wrong, []);
}

#[test]
fn a_policy_that_was_not_read_is_a_failure_whatever_else_happened() {
    let errors = "[USER] Policy file error in policy.toml:\n  TOML parsing failed\n";
    let found = problem(&CliFailureContext { exit: Some(0), errors, ..CliFailureContext::default() }, &key());
    assert_eq!(found.code, Code::CliConfiguration);
}

#[test]
fn no_connection_is_said_to_be_the_network() {
    let said = Some("[API Error: exception TypeError: fetch failed sending request]");
    assert_eq!(
        problem(&CliFailureContext { exit: Some(1), said, ..CliFailureContext::default() }, &key()).code,
        Code::Network
    );
}

/// Over the protocol everything without a status of its own comes with 500, as the real CLI was seen to do.
#[test]
fn a_stand_in_for_a_status_hides_neither_an_unknown_model_nor_the_network() {
    let code = |status, said, errors| {
        let evidence = CliFailureContext { exit: Some(1), status: Some(status), said: Some(said), errors };
        problem(&evidence, &key()).code
    };
    let (missing, trace) =
        ("The model is not found.", "ModelNotFoundError: The model is not found.\n    at x\n");
    let lost = "exception TypeError: fetch failed sending request";
    assert_eq!(code(500, missing, trace), Code::UnknownModel);
    assert_eq!(code(500, lost, "Attempt 1 failed.\n"), Code::Network);
    assert_eq!(code(500, "An internal error has occurred.", ""), Code::ProviderUnavailable);
    let earlier = "Attempt 1 failed. Error: exception TypeError: fetch failed\n";
    assert_eq!(code(500, "An internal error has occurred.", earlier), Code::ProviderUnavailable);
    assert_eq!(code(401, "no", trace), Code::KeyRefused);
}

#[test]
fn an_answer_without_a_word_is_no_failure_of_the_cli() {
    let said = "The model returned an empty response with no text or thoughts. This may be a transient API issue; please try again.";
    assert!(is_empty_answer(Some(0), said));
    assert!(!is_empty_answer(Some(1), said) && !is_empty_answer(None, said));
    assert!(!is_empty_answer(Some(0), "the answer was cut off"));
}

#[test]
fn a_wait_that_the_cli_only_names_in_words_is_kept() {
    let said = Some("Quota exceeded. Please retry in 3s. Suggested retry after 3s.");
    let found = problem(&CliFailureContext { exit: Some(1), status: Some(429), said, errors: "" }, &key());
    assert_eq!((found.code, found.retry_after_ms), (Code::RateLimited, Some(3_000)));
}

#[test]
fn the_key_is_in_no_message() {
    let said = Some("API key AIza-canary not valid");
    let errors = "key AIza-canary\n";
    for exit in [Some(1), Some(41), Some(144)] {
        for said in [said, None] {
            let found = problem(&CliFailureContext { exit, status: None, said, errors }, &key());
            assert!(!found.message.contains("canary"), "{}", found.message);
        }
    }
}
