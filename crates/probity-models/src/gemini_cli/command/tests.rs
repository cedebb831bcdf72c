use std::{collections::BTreeSet, ffi::OsString};

use probity_research::model::ModelName;
use proptest::prelude::*;

use super::{CliMode, ENVIRONMENT, arguments, supervised_command};
use crate::{
    gemini_cli::{
        CliMcpServers, CliProcessReuse, CliSettings, installation::CliInstallation,
        process_folder::ProcessFolder,
    },
    secret::ApiKey,
};

const KEY: &str = "AIza-canary-0123456789";

fn settings(directory: &std::path::Path, base: &str) -> CliSettings {
    CliSettings {
        program: None,
        path: "/usr/bin".into(),
        supervisor: vec!["/bin/probity".into(), "keep".into()],
        directory: directory.to_owned(),
        key: ApiKey::parse(KEY).unwrap(),
        base_url: base.parse().unwrap(),
        system_prompt: "answer".to_owned(),
        reuse: CliProcessReuse::Spawn,
        mcp: CliMcpServers::default(),
    }
}

fn words(directory: &std::path::Path, base: &str) -> (Vec<String>, BTreeSet<String>) {
    let folder = ProcessFolder::make(directory, "", &CliMcpServers::default()).unwrap();
    let found =
        CliInstallation { program: "/opt/gemini".into(), reads: vec!["/opt/gemini".into()], packaged: None };
    let model = ModelName::parse("gemini-3.8-flash").unwrap();
    let command =
        supervised_command(&settings(directory, base), &found, &folder, CliMode::Question, Some(&model));
    let command = command.as_std();
    let own = folder.path().display().to_string();
    let shown = |word: &std::ffi::OsStr| word.to_string_lossy().replace(&own, "OWN");
    let environment = command.get_envs().map(|(name, _)| name.to_string_lossy().into_owned()).collect();
    (command.get_args().map(shown).collect(), environment)
}

#[test]
fn the_command_line_is_fixed_and_has_neither_key_nor_prompt() {
    let directory = tempfile::tempdir().unwrap();
    let (words, _) = words(directory.path(), "http://127.0.0.1:8080");
    expect_test::expect!["keep --own OWN --read /opt/gemini --port 443 --port 8080 -- /opt/gemini -o stream-json -e none --policy OWN/policy.toml --include-directories OWN/attached --model gemini-3.8-flash"].assert_eq(&words.join(" "));
}

#[test]
fn the_environment_is_the_list_and_another_service_is_named_only_where_one_was_chosen() {
    let directory = tempfile::tempdir().unwrap();
    let listed: BTreeSet<String> = ENVIRONMENT.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(words(directory.path(), "http://127.0.0.1:8080").1, listed);
    let (words, environment) = words(directory.path(), "https://generativelanguage.googleapis.com");
    assert_eq!(listed.difference(&environment).collect::<Vec<_>>(), ["GOOGLE_GEMINI_BASE_URL"]);
    assert_eq!(words.iter().filter(|word| *word == "--port").count(), 1);
}

#[test]
fn no_file_of_a_folder_holds_the_key() {
    let directory = tempfile::tempdir().unwrap();
    let folder = ProcessFolder::make(directory.path(), "answer", &CliMcpServers::default()).unwrap();
    for file in [folder.policy(), folder.system_prompt(), folder.home().join(".gemini/settings.json")] {
        assert!(!std::fs::read_to_string(file).unwrap().contains(KEY));
    }
}

proptest! {
    #[test]
    fn no_name_of_a_model_adds_a_word_or_a_flag(name in any::<String>()) {
        let directory = tempfile::tempdir().unwrap();
        let folder = ProcessFolder::make(directory.path(), "", &CliMcpServers::default()).unwrap();
        let without = arguments(&folder, CliMode::Question, None, &CliMcpServers::default());
        if let Ok(model) = ModelName::parse(&name) {
            let with = arguments(&folder, CliMode::Question, Some(&model), &CliMcpServers::default());
            let added: Vec<OsString> = with.into_iter().skip(without.len()).collect();
            prop_assert_eq!(added, [OsString::from("--model"), OsString::from(&name)]);
            prop_assert!(!name.starts_with('-'));
        }
    }
}
