//! The only test module that starts processes and reads the environment.
#![expect(
    clippy::disallowed_methods,
    reason = "this is the tests' one door to processes and the environment"
)]

use std::{
    io::{BufRead as _, BufReader, Write as _},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

/// A run takes two seconds; a loaded machine takes ten times as long.
const RUN_SECONDS_MAX: &str = "60";

/// The real simulator program, stopped on drop.
pub struct Program {
    child: Child,
    pub base_url: String,
}

impl Program {
    pub fn start(arguments: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_probity-simulator"))
            .args(arguments)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let ready: serde_json::Value = serde_json::from_str(&line).unwrap();
        Self { child, base_url: ready["base_url"].as_str().unwrap().to_owned() }
    }

    /// Memory it holds.
    pub fn resident_bytes(&self) -> usize {
        let pages = std::fs::read_to_string(format!("/proc/{}/statm", self.child.id())).unwrap();
        pages.split(' ').nth(1).unwrap().parse::<usize>().unwrap() * 4_096
    }

    /// Asks it to stop, as an init system would, and gives its exit code.
    pub fn terminate(mut self) -> Option<i32> {
        let asked = Command::new("kill").arg("-TERM").arg(self.child.id().to_string()).status().unwrap();
        assert!(asked.success());
        self.child.wait().unwrap().code()
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Where the SDKs are installed: `.tools/sdk` at the root of the repository.
pub fn sdk_folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../.tools/sdk")
}

pub fn is_ci() -> bool {
    std::env::var("CI").is_ok_and(|value| value == "true")
}

/// Where the real Gemini CLI is, if it is installed: `.tools/gemini-cli` at the root of the repository.
pub fn gemini_cli() -> Option<PathBuf> {
    let program =
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../.tools/gemini-cli/node_modules/.bin/gemini");
    program.exists().then_some(program)
}

/// Runs a program with this input and environment, and nothing else, until it ends or its time is up.
pub fn run_alone(
    program: &Path,
    arguments: &[&str],
    environment: &[(&str, &str)],
    folder: &Path,
    input: &str,
) -> std::process::Output {
    let path = std::env::var_os("PATH").unwrap();
    let mut child = Command::new("timeout")
        .args(["--kill-after=5", RUN_SECONDS_MAX])
        .arg(program)
        .args(arguments)
        .env_clear()
        .env("PATH", path)
        .envs(environment.iter().copied())
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

/// Runs a check and gives its lines and whether it succeeded.
pub fn run(program: &Path, arguments: &[&str]) -> (String, bool) {
    let output = Command::new(program).args(arguments).output().unwrap();
    let text =
        [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    (text, output.status.success())
}

#[test]
fn the_program_stops_when_asked() {
    let program = Program::start(&["--scenario", "slow duration_ms=5", "--speed", "2"]);
    assert!(program.base_url.starts_with("http://127.0.0.1:"));
    assert_eq!(program.terminate(), Some(0));
}
