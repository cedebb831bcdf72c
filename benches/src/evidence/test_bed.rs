//! The real program with checking on, before a simulated world: how it is started and what its ledger says.

use std::{path::Path, process::Command, time::Duration};

use anyhow::{Context as _, ensure};
use probity_research::ledger::Ledger;
use serde_json::{Value, json};

use crate::{
    foundation::kill_sweep::program::ProgramInstallation,
    rig::{self, ChildProcessOutput, SimulatorProcess},
};

/// A long report with a judge on a busy machine; one that takes longer hangs.
pub const CHECK_LIMIT: Duration = Duration::from_secs(240);
/// The judge where nothing else is said: priced like a model far away, answered on this machine.
pub const JUDGE_MODEL: &str = "gpt-5-mini";

/// Who is asked about what rules leave open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum JudgeSetup {
    Nobody,
    Simulated,
}

/// A world with these pages, and with a writer that is given these reports by the name in the question.
pub fn simulated_world(
    folder: &Path,
    pages: &[Value],
    reports: Option<&Value>,
) -> anyhow::Result<SimulatorProcess> {
    let (web, given) = (folder.join("web.json"), folder.join("reports.json"));
    std::fs::write(&web, json!({ "pages": pages }).to_string())?;
    let (web_path, given_path) = (web.to_string_lossy(), given.to_string_lossy());
    let mut arguments = vec!["--web", &*web_path];
    if let Some(reports) = reports {
        std::fs::write(&given, reports.to_string())?;
        arguments.extend(["--reports", &*given_path, "--speed", "20"]);
    }
    SimulatorProcess::start(&arguments)
}

/// One person's installation before one world.
pub struct EvidenceTestBed<'a> {
    pub simulator: &'a SimulatorProcess,
    pub program: ProgramInstallation,
    judge: JudgeSetup,
}

/// What a run told: its document, and the ledger in it.
#[derive(Debug)]
pub struct CheckOutput {
    pub document: Value,
    pub ledger: Ledger,
    /// The text that was checked; of a given one the program tells only the ledger.
    pub text: String,
}

impl<'a> EvidenceTestBed<'a> {
    pub fn open(simulator: &'a SimulatorProcess, place: &Path, judge: JudgeSetup) -> anyhow::Result<Self> {
        let home = place.join("home");
        std::fs::create_dir_all(&home)?;
        let program = ProgramInstallation::new(&simulator.base_url, &home, &place.join("data"))?;
        Ok(Self { simulator, program, judge })
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let here = self.simulator.base_url.trim_start_matches("http://");
        let mut command = self.program.command(arguments);
        let judge = match self.judge {
            JudgeSetup::Nobody => "none",
            JudgeSetup::Simulated => "auto",
        };
        command
            .env("PROBITY_CHECKS__ENABLED", "true")
            .env("PROBITY_CHECKS__JUDGE", judge)
            .env("TAVILY_API_KEY", "tvly-simulated")
            .env("OPENAI_API_KEY", "sk-simulated")
            .env("PROBITY_SEARCH__PROVIDERS", "tavily")
            .env("PROBITY_SEARCH__BASES", format!("tavily=http://{here}/search-api/tavily"))
            .env("PROBITY_WEB__REACH", format!("*:80={here},*:443={here},{here}={here}"))
            .env("PROBITY_WEB__ARCHIVE", "false")
            .env("PROBITY_WEB__BROWSER", "off")
            .env("PROBITY_CHAT__KIND", "openai")
            .env("PROBITY_CHAT__BASE_URL", format!("http://{here}/v1"))
            .env("PROBITY_CHAT__MODEL", JUDGE_MODEL)
            .env("PROBITY_CHAT__STANDS_FOR", "openai");
        command
    }

    pub fn run(&self, command: &mut Command) -> anyhow::Result<ChildProcessOutput> {
        let finished = rig::run(command, CHECK_LIMIT)?;
        ensure!(finished.in_time, "the program hangs: {}", finished.stderr);
        ensure!(!finished.stderr.contains("panicked at"), "the program panicked: {}", finished.stderr);
        Ok(finished)
    }

    /// `probity verify` of a file.
    pub fn verify(&self, file: &Path) -> anyhow::Result<CheckOutput> {
        let path = file.to_string_lossy();
        let finished = self.run(&mut self.command(&["verify", &path, "--json"]))?;
        checked(&finished)
    }

    /// `probity research` on one of the engines.
    pub fn research(&self, question: &str, flags: &[&str]) -> anyhow::Result<CheckOutput> {
        let arguments: Vec<&str> =
            ["research", question, "--json"].into_iter().chain(flags.iter().copied()).collect();
        let finished = self.run(&mut self.command(&arguments))?;
        checked(&finished)
    }
}

/// Reads what the program printed.
pub fn checked(finished: &ChildProcessOutput) -> anyhow::Result<CheckOutput> {
    let document = finished.json();
    let told = || {
        format!(
            "the program said: {} {}",
            finished.stdout.chars().take(2_000).collect::<String>(),
            finished.stderr
        )
    };
    let evidence = document.get("evidence").filter(|evidence| !evidence.is_null()).with_context(told)?;
    let ledger: Ledger = serde_json::from_value(evidence.clone()).with_context(told)?;
    ensure!(ledger.settled.len() == ledger.claims.len(), "claims without a verdict: {}", told());
    let text = document.get("report").and_then(Value::as_str).unwrap_or_default().to_owned();
    Ok(CheckOutput { document, ledger, text })
}
