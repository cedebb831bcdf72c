//! The only test module that starts processes and reads the environment.
#![expect(
    clippy::disallowed_methods,
    reason = "this is the tests' one door to processes and the environment"
)]

use std::{
    io::{BufRead as _, BufReader},
    path::PathBuf,
    process::{Child, Command, Stdio},
};

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

/// Runs a check and gives its lines and whether it succeeded.
pub fn run(program: &std::path::Path, arguments: &[&str]) -> (String, bool) {
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
