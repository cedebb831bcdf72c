//! The real keeper around a CLI that misbehaves: nothing survives, nothing hangs, nothing grows, nothing leaks.
#![cfg(target_os = "linux")]
#![expect(clippy::disallowed_methods, reason = "tests start processes and read the clock")]

mod answers;
mod confinement;
mod escapes;
mod pool;
mod real;
mod served;
mod survivors;
mod wire;

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, Instant},
};

use probity_models::{
    ApiKey,
    gemini_cli::{
        CliCall, CliEvent, CliMcpServers, CliProcessReuse, CliReply, CliRequest, CliSettings, GeminiCli,
    },
};
use tempfile::TempDir;

use crate::harness::{KEY, WAIT_MAX};

/// After this long nothing may be left of a child.
pub const GONE_MAX: Duration = Duration::from_secs(5);

/// A directory of its own and a CLI in it.
pub struct Lab {
    pub directory: TempDir,
    pub cli: GeminiCli,
}

impl Lab {
    pub fn new(reuse: CliProcessReuse) -> Self {
        Self::with_program(&fake_cli(), reuse)
    }

    pub fn with_program(program: &Path, reuse: CliProcessReuse) -> Self {
        let directory = TempDir::new().unwrap();
        let cli = GeminiCli::new(settings(directory.path(), program, "http://127.0.0.1:9", reuse));
        Self { directory, cli }
    }

    pub async fn begin(&self, prompt: &str) -> CliCall {
        self.cli.begin(ask(prompt)).await.unwrap()
    }

    /// Asks and listens to the end.
    pub async fn ended(&self, prompt: &str) -> CliReply {
        ended(self.begin(prompt).await).await
    }

    /// Processes that were given this directory, with what they are.
    pub fn living(&self) -> Vec<String> {
        living(self.directory.path())
    }

    #[track_caller]
    pub fn nothing_is_left(&self, what: &str) {
        gone(self.directory.path(), what);
    }
}

#[track_caller]
pub fn gone(directory: &Path, what: &str) {
    let started = Instant::now();
    loop {
        let (living, folders) = (living(directory), folders(directory));
        if living.is_empty() && folders.is_empty() {
            return;
        }
        assert!(started.elapsed() < GONE_MAX, "{what}: left are {living:?} and {folders:?}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

pub fn settings(directory: &Path, program: &Path, base_url: &str, reuse: CliProcessReuse) -> CliSettings {
    CliSettings {
        program: Some(program.to_owned()),
        path: std::env::var_os("PATH").unwrap(),
        supervisor: vec![env!("CARGO_BIN_EXE_probity").into(), "keep".into()],
        directory: directory.join("cli"),
        key: ApiKey::parse(KEY).unwrap(),
        base_url: base_url.parse().unwrap(),
        system_prompt: "You are a careful researcher.".to_owned(),
        reuse,
        mcp: CliMcpServers::default(),
    }
}

pub fn ask(prompt: &str) -> CliRequest {
    CliRequest { session: "res_1".to_owned(), prompt: prompt.to_owned(), model: None, attachment: None }
}

pub async fn ended(mut running: CliCall) -> CliReply {
    let listening = async {
        loop {
            if let CliEvent::Ended(ended) = running.next().await {
                return *ended;
            }
        }
    };
    tokio::time::timeout(WAIT_MAX, listening).await.expect("the reader returned")
}

/// The misbehaving CLI. Built with the workspace's tests; built here where only this crate's were asked for.
pub fn fake_cli() -> PathBuf {
    let program = Path::new(env!("CARGO_BIN_EXE_probity")).with_file_name("fake-cli");
    if !program.exists() {
        let mut build = Command::new(env!("CARGO"));
        build.args(["build", "--locked", "--quiet", "-p", "probity-simulator", "--bin", "fake-cli"]);
        assert!(build.status().unwrap().success());
    }
    program
}

/// What was started for this directory and lives.
fn living(directory: &Path) -> Vec<String> {
    processes_of(&directory.join("cli"), None)
}

/// Number and command line of every living process with this path, or one below it, in its environment: everything
/// that was started for it has it there, whatever group, session or parent it moved to.
pub fn processes_of(path: &Path, except: Option<u32>) -> Vec<String> {
    let needle = path.as_os_str().as_encoded_bytes();
    let left_out = [Some(std::process::id()), except].map(|pid| pid.unwrap_or_default().to_string());
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let pid = entry.file_name().to_string_lossy().into_owned();
        let environment = fs::read(entry.path().join("environ")).unwrap_or_default();
        if left_out.contains(&pid) || !environment.windows(needle.len()).any(|part| part == needle) {
            continue;
        }
        let words = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let words = String::from_utf8_lossy(&words).replace('\0', " ");
        found.push(format!("{pid} {}", words.trim()));
    }
    found
}

fn folders(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory.join("cli")).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect()
}

/// All files below a directory that may be going away meanwhile.
pub fn files(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let mut found = Vec::new();
    for path in entries.map(|entry| entry.path()) {
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found
}
