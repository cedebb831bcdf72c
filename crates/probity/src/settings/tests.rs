use std::{fs, path::PathBuf};

use expect_test::{Expect, expect};
use tempfile::TempDir;

use super::{SettingsSources, load, raw::RawSettings};
use crate::{
    environment::{Environment, UserDirectories},
    settings::raw::{RawValue, SettingOrigin},
};

/// Files in a place of their own, variables, and flags; what of it is in force is compared.
struct Case<'a> {
    system: &'a str,
    user: &'a str,
    project: &'a str,
    variables: &'a [(&'a str, &'a str)],
    budget_flag: Option<&'a str>,
}

const NOTHING: Case<'static> = Case { system: "", user: "", project: "", variables: &[], budget_flag: None };

#[track_caller]
fn check(case: &Case<'_>, key: &str, expected: Expect) {
    expected.assert_eq(&outcome(case, key));
}

fn outcome(case: &Case<'_>, key: &str) -> String {
    let directory = TempDir::new().unwrap();
    let at = |name: &str| directory.path().join(name);
    for (name, text) in
        [("etc.toml", case.system), ("config/config.toml", case.user), ("project/probity.toml", case.project)]
    {
        if !text.is_empty() {
            fs::create_dir_all(at(name).parent().unwrap()).unwrap();
            fs::write(at(name), text).unwrap();
        }
    }
    fs::create_dir_all(at("project/deep/inside")).unwrap();
    let mut flags = RawSettings::default();
    if let Some(text) = case.budget_flag {
        flags.values.insert("budget.max_usd", RawValue::one(text, SettingOrigin::Flag("--budget")));
    }
    let loaded = load(SettingsSources {
        environment: &Environment::from_pairs(case.variables),
        homes: Some(UserDirectories { config: at("config"), data: PathBuf::from("/home/me/data") }),
        system_file: at("etc.toml"),
        working_directory: Some(at("project/deep/inside")),
        flags,
    });
    let actual = match loaded {
        Ok(loaded) => {
            let shown = loaded.shown.iter().find(|shown| shown.key == key).unwrap();
            let notes: String = loaded.notes.iter().map(|note| format!("\nnote: {note}")).collect();
            format!("{} <- {}{notes}", shown.value, shown.origin)
        }
        Err(failure) => {
            format!("{}: {}\nhint: {}", failure.problem.code, failure.problem.message, failure.hint)
        }
    };
    actual.replace(&directory.path().display().to_string(), "")
}

#[test]
fn each_layer_goes_before_the_one_below() {
    let budget = "budget.max_usd";
    check(&NOTHING, budget, expect![" <- default"]);
    let system = Case { system: "[budget]\nmax_usd = 9\n", ..NOTHING };
    check(&system, budget, expect!["9 <- /etc.toml:2"]);
    let user = Case { user: "# mine\n[budget]\nmax_usd = 8.50\n", ..system };
    check(&user, budget, expect!["8.50 <- /config/config.toml:3"]);
    let project = Case { project: "[budget]\nmax_usd = \"7\"\n", ..user };
    check(&project, budget, expect!["7 <- /project/probity.toml:2"]);
    let variable = Case { variables: &[("PROBITY_BUDGET__MAX_USD", "6")], ..project };
    check(&variable, budget, expect!["6 <- PROBITY_BUDGET__MAX_USD"]);
    let flag = Case { budget_flag: Some("5"), ..variable };
    check(&flag, budget, expect!["5 <- --budget"]);
}

#[test]
fn a_project_cannot_loosen() {
    let case = Case { user: "[budget]\nmax_usd = 2\n", project: "[budget]\nmax_usd = 50\n", ..NOTHING };
    check(
        &case,
        "budget.max_usd",
        expect![[r#"
            2 <- /config/config.toml:2
            note: /project/probity.toml:2: `budget.max_usd = 50` is looser than what is set already and was not taken"#]],
    );
    let dearer = Case { project: "[research]\nagent = \"deep-research-max-preview-04-2026\"\n", ..NOTHING };
    check(
        &dearer,
        "research.agent",
        expect![[r#"
            deep-research-preview-04-2026 <- default
            note: /project/probity.toml:2: `research.agent = deep-research-max-preview-04-2026` is looser than what is set already and was not taken"#]],
    );
}

#[test]
fn a_project_may_not_say_where_keys_or_data_go() {
    for line in ["[gemini]\nbase_url = \"https://evil.example\"\n", "[store]\ndirectory = \"/tmp/x\"\n"] {
        let directory_case = Case { project: line, ..NOTHING };
        let key = if line.contains("gemini") { "gemini.base_url" } else { "store.directory" };
        let expected = format!(
            "SETTINGS: /project/probity.toml:2: a project may not set `{key}`\nhint: move the line to your own file; \
             `probity config path` shows where it is"
        );
        assert_eq!(outcome(&directory_case, key), expected);
    }
}

#[test]
fn a_key_in_a_file_is_refused() {
    let case = Case { user: "[gemini]\napi_key = \"AIza\"\n", ..NOTHING };
    check(
        &case,
        "gemini.base_url",
        expect![[r#"
            SETTINGS: /config/config.toml:2: keys are not read from files
            hint: delete the line, change the key if the file was shared, and set GEMINI_API_KEY instead"#]],
    );
}

#[test]
fn a_misspelt_name_is_refused_with_the_right_one() {
    let file = Case { user: "[budget]\nmax_uds = 2\n", ..NOTHING };
    check(
        &file,
        "budget.max_usd",
        expect![[r#"
            SETTINGS: /config/config.toml:2: there is no setting `budget.max_uds` (did you mean `budget.max_usd`?)
            hint: run `probity config show --origin` to see where each value comes from"#]],
    );
    let variable = Case { variables: &[("PROBITY_BUDGET_MAX_USD", "2")], ..NOTHING };
    check(
        &variable,
        "budget.max_usd",
        expect![[r#"
            SETTINGS: `PROBITY_BUDGET_MAX_USD` is not a variable Probity knows (did you mean `PROBITY_BUDGET__MAX_USD`?)
            hint: run `probity config show --origin` to see where each value comes from"#]],
    );
}

#[test]
fn a_wrong_value_names_its_place_and_what_would_be_right() {
    let hint = "hint: run `probity config show --origin` to see where each value comes from";
    for (variable, value, message) in [
        ("PROBITY_BUDGET__MAX_USD", "-2", "an amount in US dollars, such as 2 or 2.50"),
        ("PROBITY_RESEARCH__DEADLINE", "20", "a span of time above zero with its unit, such as 20m or 1h30m"),
        ("PROBITY_LIMITS__STREAMS_OPEN", "999", "a whole number from 0 to 256"),
        ("PROBITY_STORE__DIRECTORY", "here", "an absolute path of a directory"),
        (
            "PROBITY_GEMINI__BASE_URL",
            "http://example.com",
            "an address that starts with https:// (http:// only for this machine)",
        ),
    ] {
        let key = variable.trim_start_matches("PROBITY_").replace("__", ".").to_lowercase();
        let expected = format!("SETTINGS: {variable}: `{key}` is `{value}`, which is not {message}\n{hint}");
        let pairs = [(variable, value)];
        assert_eq!(outcome(&Case { variables: &pairs, ..NOTHING }, "budget.max_usd"), expected);
    }
}

#[test]
fn our_variable_goes_before_the_general_one() {
    let variables =
        [("GOOGLE_GEMINI_BASE_URL", "https://a.example"), ("PROBITY_GEMINI__BASE_URL", "https://b.example")];
    let case = Case { variables: &variables, ..NOTHING };
    check(&case, "gemini.base_url", expect!["https://b.example <- PROBITY_GEMINI__BASE_URL"]);
}

#[test]
fn broken_toml_names_the_line() {
    let case = Case { user: "[budget]\nmax_usd = = 2\n", ..NOTHING };
    check(
        &case,
        "budget.max_usd",
        expect![[r#"
        SETTINGS: /config/config.toml:2: extra `=`, expected nothing
        hint: run `probity config show --origin` to see where each value comes from"#]],
    );
}

#[test]
fn rounds_are_set_by_the_variables_that_users_know_and_ours_goes_first() {
    let rounds = "rounds.max_iterations";
    check(&NOTHING, rounds, expect!["5 <- default"]);
    let known = Case { variables: &[("DEEP_SEARCH_MAX_ITERATIONS", "1")], ..NOTHING };
    check(&known, rounds, expect!["1 <- DEEP_SEARCH_MAX_ITERATIONS"]);
    let both = [("DEEP_SEARCH_MAX_ITERATIONS", "3"), ("PROBITY_ROUNDS__MAX_ITERATIONS", "4")];
    check(&Case { variables: &both, ..NOTHING }, rounds, expect!["4 <- PROBITY_ROUNDS__MAX_ITERATIONS"]);
    check(
        &Case { variables: &[("DEEP_SEARCH_MAX_ITERATIONS", "many")], ..NOTHING },
        rounds,
        expect![[r#"
            SETTINGS: DEEP_SEARCH_MAX_ITERATIONS: `rounds.max_iterations` is `many`, which is not a whole number; below 2 counts as 2, above 20 as 20
            hint: run `probity config show --origin` to see where each value comes from"#]],
    );
}

#[test]
fn models_come_from_their_variables_and_a_flag_is_no_model() {
    let variables =
        [("GEMINI_MODEL", "gemini-3.8-flash"), ("GEMINI_CORRECTION_MODEL", "gemini-3.1-flash-lite")];
    let case = Case { variables: &variables, ..NOTHING };
    check(&case, "rounds.model", expect!["gemini-3.8-flash <- GEMINI_MODEL"]);
    check(&case, "rounds.correction_model", expect!["gemini-3.1-flash-lite <- GEMINI_CORRECTION_MODEL"]);
    check(
        &Case { variables: &[("GEMINI_MODEL", "--yolo")], ..NOTHING },
        "rounds.model",
        expect![[r#"
            UNKNOWN_MODEL: GEMINI_MODEL: `--yolo` cannot be the name of a model
            hint: name a model such as `gemini-3.8-flash` in GEMINI_MODEL, or unset it; `probity doctor` lists the known ones"#]],
    );
}

#[test]
fn a_project_chooses_neither_the_engine_nor_the_program_that_is_run() {
    for (line, key) in [
        ("[research]\nengine = \"gemini-cli\"\n", "research.engine"),
        ("[gemini_cli]\nprogram = \"/tmp/evil\"\n", "gemini_cli.program"),
        ("[rounds]\nverification = \"model\"\n", "rounds.verification"),
    ] {
        let refused = outcome(&Case { project: line, ..NOTHING }, key);
        assert!(refused.contains(&format!("a project may not set `{key}`")), "{refused}");
    }
    let more = Case { project: "[rounds]\nmax_iterations = 9\n", ..NOTHING };
    check(
        &more,
        "rounds.max_iterations",
        expect![[r#"
            5 <- default
            note: /project/probity.toml:2: `rounds.max_iterations = 9` is looser than what is set already and was not taken"#]],
    );
}

#[test]
fn the_bar_of_the_exam_is_told_as_it_is_in_force() {
    use probity_research::checking::standing::{
        FALSE_SUPPORT_PERCENT_MAX, RIGHT_PERCENT_MIN, RIGHT_PERCENT_MIN_OWN_TEXT,
    };
    let meaning = super::definitions::find("checks.exam").unwrap().meaning;
    let bar = format!("{RIGHT_PERCENT_MIN} % right and at most {FALSE_SUPPORT_PERCENT_MAX} % of the wrong");
    assert!(meaning.contains(&bar), "{meaning}");
    let of_own_text = format!("{RIGHT_PERCENT_MIN_OWN_TEXT} % right for a judge that wrote");
    assert!(meaning.contains(&of_own_text), "{meaning}");
}
