use std::{ffi::OsString, fs, os::unix::fs::PermissionsExt as _, path::Path};

use probity_research::error::Code;

use super::{check_version, find, version_in};
use crate::gemini_cli::CliVersion;

fn program(path: &Path) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, "#!/bin/sh\n").unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn a_missing_cli_is_answered_with_how_to_install_it_and_that_a_key_is_needed() {
    for (configured, path) in [(None, "/nonexistent:relative:"), (Some(Path::new("/nonexistent/gemini")), "")]
    {
        let problem = find(configured, &OsString::from(path)).unwrap_err();
        assert_eq!(problem.code, Code::CliNotFound);
        assert!(problem.message.contains("npm install -g @google/gemini-cli"), "{}", problem.message);
        assert!(problem.message.contains("API key"), "{}", problem.message);
        let names_the_setting = problem.message.contains("`gemini_cli.program`");
        assert_eq!(names_the_setting, configured.is_some(), "{}", problem.message);
    }
}

#[test]
fn a_file_that_cannot_be_run_and_a_relative_entry_are_passed_over() {
    let directory = tempfile::tempdir().unwrap();
    let dull = directory.path().join("dull");
    fs::create_dir_all(&dull).unwrap();
    fs::write(dull.join("gemini"), "").unwrap();
    program(&directory.path().join("good/gemini"));
    let path = std::env::join_paths([Path::new("."), &dull, &directory.path().join("good")]).unwrap();
    assert_eq!(find(None, &path).unwrap().program, directory.path().join("good/gemini"));
}

#[test]
fn the_version_is_read_from_the_package_and_its_modules_can_be_read() {
    let directory = tempfile::tempdir().unwrap();
    let root = fs::canonicalize(directory.path()).unwrap();
    let package = root.join("lib/node_modules/@google/gemini-cli");
    program(&package.join("bundle/gemini.js"));
    fs::write(package.join("package.json"), r#"{"name":"@google/gemini-cli","version":"0.61.0"}"#).unwrap();
    fs::create_dir_all(root.join("bin")).unwrap();
    std::os::unix::fs::symlink(package.join("bundle/gemini.js"), root.join("bin/gemini")).unwrap();
    let found = find(None, root.join("bin").as_os_str()).unwrap();
    assert_eq!(found.packaged, Some(CliVersion { major: 0, minor: 61, patch: 0 }));
    assert!(found.reads.contains(&root.join("lib/node_modules")), "{:?}", found.reads);
}

#[test]
fn an_old_version_is_refused_and_says_which_is_needed() {
    let old = CliVersion { major: 0, minor: 39, patch: 0 };
    let problem = check_version(old).unwrap_err();
    assert_eq!(problem.code, Code::CliTooOld);
    assert!(problem.message.contains("0.39.0") && problem.message.contains("0.39.1"), "{}", problem.message);
    assert!(check_version(CliVersion { major: 0, minor: 39, patch: 1 }).is_ok());
}

#[test]
fn a_version_is_found_among_other_words() {
    let read = |text| version_in(text).map(|version| version.to_string());
    assert_eq!(read("0.61.0\n"), Some("0.61.0".to_owned()));
    assert_eq!(read("Gemini CLI v1.2.3-preview.1 (abc)"), Some("1.2.3".to_owned()));
    for none in ["", "gemini", "1.2", "1.2.3.4", "99999999999.0.0"] {
        assert_eq!(read(none), None, "{none}");
    }
}
