//! The real program on a data directory of its own: how it is called, and what it said.

use std::{
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use anyhow::Context;
use serde_json::Value;

use crate::rig::{self, ChildProcessOutput, ProcessGroup};

/// Far above what a command takes here; one that takes longer hangs.
pub const COMMAND_LIMIT: Duration = Duration::from_secs(40);

/// One person's installation: a home, a data directory and the address of the provider.
pub struct ProgramInstallation {
    binary: PathBuf,
    base_url: String,
    home: PathBuf,
    data: PathBuf,
}

impl ProgramInstallation {
    pub fn new(base_url: &str, home: &Path, data: &Path) -> anyhow::Result<Self> {
        Ok(Self {
            binary: rig::built("probity")?,
            base_url: base_url.to_owned(),
            home: home.to_owned(),
            data: data.to_owned(),
        })
    }

    pub fn data(&self) -> &Path {
        &self.data
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = rig::command(&self.binary);
        command.args(arguments);
        self.set_variables_unchecked_so_that_kills_hit_paid_calls(&mut command);
        command
    }

    /// The same under strace, with its options such as `-e inject=…`.
    pub fn traced(&self, options: &[String], arguments: &[&str]) -> Command {
        let mut command = rig::command("strace");
        command.args(["-f", "-qq"]).args(options).arg("--").arg(&self.binary).args(arguments);
        self.set_variables_unchecked_so_that_kills_hit_paid_calls(&mut command);
        command
    }

    pub fn run(&self, arguments: &[&str]) -> anyhow::Result<ChildProcessOutput> {
        rig::run(&mut self.command(arguments), COMMAND_LIMIT)
    }

    /// Drives everything that is due to its end.
    pub fn resume_all(&self) -> anyhow::Result<ChildProcessOutput> {
        self.run(&["runs", "resume", "--all"])
    }

    /// Every research in the store as `runs list` shows it.
    pub fn list(&self) -> anyhow::Result<Vec<Value>> {
        let listed = self.run(&["runs", "list", "--json"])?;
        let document = listed.json();
        let rows = document.get("researches").and_then(Value::as_array);
        rows.cloned().with_context(|| format!("`runs list` says: {}{}", listed.stdout, listed.stderr))
    }

    fn set_variables_unchecked_so_that_kills_hit_paid_calls(&self, command: &mut Command) {
        command
            .env("HOME", &self.home)
            .env("XDG_CONFIG_HOME", self.home.join("config"))
            .env("XDG_DATA_HOME", self.home.join("share"))
            .env("XDG_STATE_HOME", self.home.join("state"))
            .env("PROBITY_STORE__DIRECTORY", &self.data)
            .env("PROBITY_CHECKS__ENABLED", "false")
            .env("GEMINI_API_KEY", "simulated-key")
            .env("GOOGLE_GEMINI_BASE_URL", &self.base_url)
            .env("NO_COLOR", "1")
            .env("PROBITY_NOTIFICATIONS__ENABLED", "false")
            .env_remove("PROBITY_LOG")
            // Settings of the measurement, which the program would refuse.
            .env_remove("PROBITY_EVIDENCE_DATA")
            .env_remove("PROBITY_LOCAL_MODEL_URL")
            .env_remove("RUST_BACKTRACE")
            .current_dir(&self.home);
    }
}

/// A research that runs in the foreground, and whose id was told.
pub struct ForegroundRun {
    pub group: ProcessGroup,
    pub id: String,
}

impl ForegroundRun {
    /// Starts one and waits until its id is on stderr.
    pub fn start(program: &ProgramInstallation, question: &str) -> anyhow::Result<Self> {
        use std::io::BufRead as _;
        let mut command = program.command(&["research", question, "--json"]);
        command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::piped());
        let mut group = ProcessGroup::spawn(&mut command)?;
        let stderr = group.child.stderr.take().context("no stderr")?;
        let mut lines = std::io::BufReader::new(stderr).lines();
        let mut seen = String::new();
        // The pipe ends when the process does, so this ends too.
        for line in lines.by_ref() {
            let line = line?;
            if let Some(id) = ids_in(&line).into_iter().next() {
                std::thread::spawn(move || lines.for_each(drop));
                return Ok(Self { group, id });
            }
            seen.push_str(&line);
        }
        anyhow::bail!("no id was told: {seen}")
    }
}

/// Every research id in a text, each once.
pub fn ids_in(text: &str) -> Vec<String> {
    let mut ids: Vec<String> = text
        .match_indices("res_")
        .filter_map(|(at, _)| text.get(at..at + 36))
        .filter(|id| id.bytes().skip(4).all(|byte| byte.is_ascii_hexdigit()))
        .map(str::to_owned)
        .collect();
    ids.sort();
    ids.dedup();
    ids
}

/// A panic is never an answer; the hook's words are looked for because the exit code can be anything.
pub fn panicked(finished: &ChildProcessOutput) -> bool {
    finished.stderr.contains("panicked at") || finished.status.code() == Some(101)
}

/// The field of a JSON document as text; empty when it is missing or null.
pub fn field<'a>(document: &'a Value, name: &str) -> &'a str {
    document.get(name).and_then(Value::as_str).unwrap_or_default()
}
