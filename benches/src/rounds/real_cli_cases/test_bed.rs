//! An installation of the real program that answers through a CLI of our choice, and what its provider counted.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::Context as _;
use serde_json::{Value, json};

use crate::{
    foundation::kill_sweep::program::ProgramInstallation,
    mcp::session::{McpSession, ProtocolEra},
    rig::SimulatorProcess,
    rounds::supervision::processes::{self, LiveProcess},
};

/// Longer than any case here takes: three tries of a round with their pauses, on a crowded machine.
pub const CALL_LIMIT: Duration = Duration::from_secs(180);
/// The server waits as long before it hands over.
const CALL_WAIT: &str = "170s";

pub struct CliTestBed {
    pub program: ProgramInstallation,
    pub place: PathBuf,
    cli: PathBuf,
}

impl CliTestBed {
    pub fn new(base_url: &str, place: &Path, cli: &Path) -> anyhow::Result<Self> {
        let home = place.join("home");
        std::fs::create_dir_all(&home)?;
        let program = ProgramInstallation::new(base_url, &home, &place.join("data"))?;
        Ok(Self { program, place: place.to_owned(), cli: cli.to_owned() })
    }

    /// `probity mcp` with the CLI as its engine; `more` are further variables, the last one counts.
    pub fn server(&self, more: &[(&str, &str)]) -> anyhow::Result<McpSession> {
        let mut command = self.program.command(&["mcp"]);
        self.prepare(&mut command, more);
        McpSession::open(&mut command, ProtocolEra::Handshake)
    }

    pub fn prepare(&self, command: &mut std::process::Command, more: &[(&str, &str)]) {
        command
            .env("PROBITY_RESEARCH__ENGINE", "gemini-cli")
            .env("PROBITY_GEMINI_CLI__PROGRAM", &self.cli)
            .env("PROBITY_MCP__CALL_WAIT", CALL_WAIT)
            .envs(more.iter().copied());
    }

    /// What was started for this place and still lives, the server not counted.
    pub fn living(&self, server: &McpSession) -> Vec<LiveProcess> {
        processes::processes_of(&self.place, Some(server.pid()))
    }
}

/// Asks a tool one question and returns what it told.
pub fn ask(server: &mut McpSession, tool: &str, question: &str) -> anyhow::Result<Value> {
    server.call_structured(tool, &json!({ "query": question }), CALL_LIMIT)
}

/// The turns of one script as the provider counted them.
pub fn turns(simulator: &SimulatorProcess, key: &str) -> anyhow::Result<Vec<Value>> {
    let ledger = simulator.get("ledger")?;
    let turns = ledger.get("turns").and_then(Value::as_array).context("a ledger without turns")?;
    Ok(turns.iter().filter(|turn| turn.get("key").and_then(Value::as_str) == Some(key)).cloned().collect())
}
