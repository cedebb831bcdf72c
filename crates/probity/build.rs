//! What a built program knows of itself: the commit and its date, the target, and the addresses and key of its releases.
//!
//! A development build names no commit: its files change without one.

use std::{path::Path, process::Command};

const RELEASE_FILE: &str = "../../packaging/release.toml";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={RELEASE_FILE}");
    tell("BUILD_TARGET", &variable("TARGET"));
    tell("BUILD_SOURCE", &source());
    // Read line by line: the file has one key a line, and a parser would be built for this alone.
    let release = std::fs::read_to_string(RELEASE_FILE).unwrap_or_default();
    for (name, key) in
        [("RELEASE_KEY", "public_key"), ("RELEASE_LATEST", "latest"), ("RELEASE_DOWNLOADS", "downloads")]
    {
        tell(name, &value(&release, key));
    }
}

fn tell(name: &str, value: &str) {
    println!("cargo::rustc-env=PROBITY_{name}={value}");
}

#[expect(clippy::disallowed_methods, reason = "cargo speaks to build scripts by the environment")]
fn variable(name: &str) -> String {
    println!("cargo::rerun-if-env-changed={name}");
    std::env::var(name).unwrap_or_default()
}

/// `commit 0123456789ab of 2026-11-19`, or why it is not known. Whoever builds from an archive sets the two variables.
fn source() -> String {
    let (commit, date) = (variable("PROBITY_COMMIT"), variable("PROBITY_COMMIT_DATE"));
    if !commit.is_empty() && !date.is_empty() {
        return format!("commit {commit} of {date}");
    }
    if variable("PROFILE") != "release" {
        return "development build".to_owned();
    }
    let Some(head) = git(&["log", "-1", "--abbrev=12", "--format=commit %h of %cs"]) else {
        return "built from an unknown commit".to_owned();
    };
    for watched in ["HEAD", "logs/HEAD", "index"] {
        if let Some(path) = git(&["rev-parse", "--git-path", watched]).filter(|path| Path::new(path).exists())
        {
            println!("cargo::rerun-if-changed={path}");
        }
    }
    println!("cargo::rerun-if-changed=../../crates");
    match git(&["status", "--porcelain", "--untracked-files=no"]) {
        Some(changes) if changes.is_empty() => head,
        _ => format!("{head}, changed since"),
    }
}

#[expect(clippy::disallowed_methods, reason = "a build script has no other way to ask git")]
fn git(arguments: &[&str]) -> Option<String> {
    let asked = Command::new("git").args(arguments).output().ok()?;
    let answer = String::from_utf8(asked.stdout).ok()?;
    asked.status.success().then(|| answer.trim().to_owned())
}

/// The text behind `key = `, without its quotes.
fn value(toml: &str, key: &str) -> String {
    let line = toml.lines().find_map(|line| line.strip_prefix(key)?.trim_start().strip_prefix('='));
    line.map(|value| value.trim().trim_matches('"').to_owned()).unwrap_or_default()
}
