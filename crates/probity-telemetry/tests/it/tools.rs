//! The programs that judge. Who has not installed them sees a notice instead of a verdict.

use std::{
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

pub fn check(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("checks").join(name)
}

/// The Python with the packages of `checks/requirements.txt`.
pub fn python() -> Option<PathBuf> {
    let venv = root().join(".tools/venv");
    let found = venv.join("telemetry.txt").exists().then(|| venv.join("bin/python"));
    if found.is_none() {
        eprintln!("skipped: run crates/probity-telemetry/checks/install first");
    }
    found
}

/// Prometheus' own judge of metrics, rules and configurations.
pub fn promtool() -> Option<PathBuf> {
    let found = Some(root().join(".tools/bin/promtool")).filter(|path| path.exists());
    if found.is_none() {
        eprintln!("skipped: run crates/probity-telemetry/checks/install first");
    }
    found
}

/// Runs to the end with `input`, must succeed, gives what it printed.
#[track_caller]
pub fn run(program: &Path, arguments: &[&Path], input: &str) -> String {
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let Output { status, stdout, stderr } = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&stderr);
    let printed = String::from_utf8(stdout).unwrap();
    assert!(status.success(), "{} failed: {said}\n{printed}", program.display());
    printed
}
