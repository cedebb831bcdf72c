use std::{
    fs::{self, File},
    os::unix::fs::PermissionsExt as _,
};

use probity_research::error::Code;

use super::{ALLOWED_TOOLS, POLICY, ProcessFolder, SETTINGS, lock_folder, sweep};
use crate::gemini_cli::{CliMcpServers, prompt};

const LONG: usize = 5_000;

#[test]
fn the_policy_allows_three_tools_and_denies_the_rest() {
    // The CLI only warns about a policy that it cannot read and goes on with its defaults.
    let policy: toml::Table = POLICY.parse().unwrap();
    let rules = policy["rule"].as_array().unwrap();
    let shown: Vec<String> = rules
        .iter()
        .map(|rule| format!("{} {} {}", rule["priority"], rule["decision"], rule["toolName"]))
        .collect();
    assert_eq!(
        shown,
        [r#"900 "allow" ["google_web_search", "web_fetch", "read_file"]"#, r#"100 "deny" "*""#]
    );
    assert_eq!(policy.len(), 1);
    let allowed: Vec<&str> =
        rules[0]["toolName"].as_array().unwrap().iter().filter_map(|name| name.as_str()).collect();
    assert_eq!(allowed, ALLOWED_TOOLS);
}

#[test]
fn the_settings_are_json_that_asks_for_the_key_and_does_not_hold_one() {
    let settings: serde_json::Value = serde_json::from_str(SETTINGS).unwrap();
    assert_eq!(settings["security"]["auth"]["selectedType"], "gemini-api-key");
    assert_eq!(settings["general"]["maxAttempts"], 1);
}

#[test]
fn a_folder_is_private_and_goes_with_its_owner() {
    let directory = tempfile::tempdir().unwrap();
    let folder =
        ProcessFolder::make(&directory.path().join("cli"), "answer", &CliMcpServers::default()).unwrap();
    for inner in
        [folder.path().to_owned(), folder.work(), folder.home(), folder.temporary(), folder.attached()]
    {
        assert_eq!(fs::metadata(inner).unwrap().permissions().mode() & 0o777, 0o700);
    }
    assert_eq!(fs::read_dir(folder.work()).unwrap().count(), 0);
    assert!(fs::read_to_string(folder.system_prompt()).unwrap().starts_with("answer\n"));
    let path = folder.path().to_owned();
    drop(folder);
    assert!(!path.exists());
}

#[test]
fn an_attached_text_is_wrapped_named_as_promised_and_deleted() {
    let directory = tempfile::tempdir().unwrap();
    let folder = ProcessFolder::make(directory.path(), "", &CliMcpServers::default()).unwrap();
    let text = "x".repeat(LONG);
    let attached = folder.attach(&text).unwrap();
    let name = attached.path().file_name().unwrap().to_string_lossy().into_owned();
    let middle = name.strip_prefix("temp-invalid-output-").unwrap().strip_suffix(".txt").unwrap();
    let (seconds, random) = middle.split_once('-').unwrap();
    assert!(seconds.parse::<u64>().unwrap() > 1_700_000_000, "{name}");
    assert_eq!(random.len(), 16, "{name}");
    assert_eq!(prompt::rejoin_lines(&fs::read_to_string(attached.path()).unwrap()), text);
    let path = attached.path().to_owned();
    drop(attached);
    assert!(!path.exists());
}

/// A directory in its place cannot be removed as a file.
#[test]
fn an_attached_text_that_cannot_be_deleted_is_an_error_in_the_log() {
    let directory = tempfile::tempdir().unwrap();
    let folder = ProcessFolder::make(directory.path(), "", &CliMcpServers::default()).unwrap();
    let attached = folder.attach("left").unwrap();
    let path = attached.path().to_owned();
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    let log = directory.path().join("log");
    let writer = File::create(&log).unwrap();
    let subscriber = tracing_subscriber::fmt().with_ansi(false).with_writer(writer).finish();
    tracing::subscriber::with_default(subscriber, || drop(attached));
    let log = fs::read_to_string(&log).unwrap();
    assert!(log.contains("ERROR") && log.contains("the attached text was not deleted"), "{log}");
    assert!(log.contains(&path.display().to_string()), "{log}");
}

#[test]
fn a_sweep_takes_what_dead_owners_left_and_nothing_that_is_held() {
    let directory = tempfile::tempdir().unwrap();
    let living = ProcessFolder::make(directory.path(), "", &CliMcpServers::default()).unwrap();
    let kept = living.attach("kept").unwrap();
    let dead = directory.path().join("run-dead");
    fs::create_dir_all(dead.join("attached")).unwrap();
    fs::write(dead.join("attached/temp-invalid-output-1-a.txt"), "left").unwrap();
    fs::write(directory.path().join("temp-invalid-output-2.txt"), "left").unwrap();
    let kept_alive = directory.path().join("run-keeper");
    fs::create_dir_all(kept_alive.join("attached")).unwrap();
    fs::write(kept_alive.join("attached/temp-invalid-output-3-c.txt"), "held").unwrap();
    let keeper = lock_folder(&kept_alive).unwrap();
    assert_eq!(sweep(directory.path()), Ok(2));
    assert!(kept.path().exists() && !dead.exists() && kept_alive.exists());
    drop(keeper);
    assert_eq!(sweep(directory.path()), Ok(1));
    assert_eq!(sweep(directory.path()), Ok(0));
    assert!(kept.path().exists());
}

#[test]
fn a_directory_that_is_not_there_has_nothing_to_sweep_and_one_that_is_a_file_is_an_error() {
    let directory = tempfile::tempdir().unwrap();
    assert_eq!(sweep(&directory.path().join("absent")), Ok(0));
    let file = directory.path().join("file");
    fs::write(&file, "").unwrap();
    assert_eq!(sweep(&file).unwrap_err().code, Code::StoreFailed);
    assert!(ProcessFolder::make(&file, "", &CliMcpServers::default()).is_err());
}
