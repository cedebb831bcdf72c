//! `probity mcp install` on real clients, as their makers publish them, each in an empty home: does the client's own
//! command list the server afterwards, does the server answer it, and is the home as it was after `uninstall`?

use std::{
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use anyhow::{Context, ensure};
use serde_json::Value;

use crate::{
    figure::{Figure, MeasurementSize},
    rig,
};

const NAME: &str =
    "people: real clients list Probity after `mcp install`, and no longer after `mcp uninstall`";
const BYTES: &str = "people: settings of ten clients are byte-equal after `mcp install` and `mcp uninstall`";
const INSTALL: &str = "benches/checks/clients/install";
/// A client that starts a runtime and a server on a loaded machine.
const LIMIT: Duration = Duration::from_secs(120);

/// A client, its program below `.tools`, and what its list says of a server that is there.
struct RealClient {
    id: &'static str,
    program: &'static str,
    listed: &'static str,
}

const REAL: [RealClient; 3] = [
    RealClient {
        id: "codex",
        program: "clients/node_modules/@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex",
        listed: "enabled",
    },
    RealClient {
        id: "claude-code",
        program: "clients/node_modules/@anthropic-ai/claude-code-linux-x64/claude",
        listed: "Connected",
    },
    RealClient { id: "gemini-cli", program: "gemini-cli/node_modules/.bin/gemini", listed: "Connected" },
];

/// Files as people have them, below the home: with comments, another server and its token.
const FILES: [(&str, &str, &str); 10] = [
    (
        "claude-code",
        ".claude.json",
        "{\"numStartups\":3,\"mcpServers\":{\"a\":{\"command\":\"a\",\"env\":{\"K\":\"v\"}}}}",
    ),
    ("claude-desktop", ".config/Claude/claude_desktop_config.json", "{\n\t\"mcpServers\": {}\n}"),
    ("codex", ".codex/config.toml", "# mine\nmodel = \"x\" # good\n\n[mcp_servers.a]\ncommand = \"a\"\n"),
    ("gemini-cli", ".gemini/settings.json", "{\r\n  // look\r\n  \"ui\": { \"theme\": \"ANSI\", },\r\n}\r\n"),
    ("cursor", ".cursor/mcp.json", "{ \"mcpServers\": { \"a\": { \"url\": \"https://a.example\" } } }\n"),
    ("vscode", ".config/Code/User/mcp.json", "{\n  \"inputs\": [], // none\n}\n"),
    (
        "zed",
        ".config/zed/settings.json",
        "// Zed\n{\n  \"context_servers\": {\n    \"a\": { \"enabled\": false },\n  },\n}\n",
    ),
    ("goose", ".config/goose/config.yaml", "GOOSE_MODE: auto # x\nextensions:\n  a:\n    type: builtin\n"),
    ("windsurf", ".codeium/windsurf/mcp_config.json", "\u{feff}{\"mcpServers\":{}}"),
    (
        "opencode",
        ".config/opencode/opencode.json",
        "{\n  \"mcp\": { \"a\": { \"type\": \"local\", \"command\": [\"a\"] } }\n}\n",
    ),
];

pub fn measure(_: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    Ok(vec![real()?, bytes()?])
}

fn real() -> anyhow::Result<Figure> {
    let goal = "each of them";
    let tools = rig::repository().join(".tools");
    let (there, absent): (Vec<&RealClient>, Vec<&RealClient>) =
        REAL.iter().partition(|client| tools.join(client.program).exists());
    if there.is_empty() {
        return Ok(Figure::skipped(NAME, goal, &format!("no client is installed; run {INSTALL}")));
    }
    let mut wrong = Vec::new();
    for client in &there {
        if let Err(error) = tried(client, &tools) {
            wrong.push(format!("{}: {error:#}", client.id));
        }
    }
    let right = there.len() - wrong.len();
    let measured = format!("{right} of {} ({})", there.len(), names(&there));
    let note = match (wrong.is_empty(), absent.is_empty()) {
        (false, _) => wrong.join(" | "),
        (true, false) => format!("not installed and not tried: {}", names(&absent)),
        (true, true) => String::new(),
    };
    Ok(Figure::judged(NAME, wrong.is_empty(), measured, goal).with_note(note))
}

fn names(clients: &[&RealClient]) -> String {
    clients.iter().map(|client| client.id).collect::<Vec<&str>>().join(", ")
}

fn tried(client: &RealClient, tools: &Path) -> anyhow::Result<()> {
    let home = EmptyHome::new()?;
    home.probity(&["mcp", "install", "--client", client.id, "--yes"])?;
    let program = tools.join(client.program);
    let listed = home.list(&program)?;
    ensure!(listed.contains("probity") && listed.contains(client.listed), "after install it says: {listed}");
    let status = home.probity(&["mcp", "status", "--client", client.id, "--json"])?;
    let status: Value = serde_json::from_str(&status).context("the status")?;
    let state = status.pointer("/clients/0/state").and_then(Value::as_str).unwrap_or_default();
    ensure!(state == "answers", "status says `{state}`");
    home.probity(&["mcp", "uninstall", "--client", client.id, "--yes"])?;
    let listed = home.list(&program)?;
    ensure!(!listed.contains("probity mcp"), "after uninstall it still says: {listed}");
    Ok(())
}

fn bytes() -> anyhow::Result<Figure> {
    let home = EmptyHome::new()?;
    for (_, file, text) in FILES {
        home.write(file, text)?;
    }
    home.probity(&["mcp", "install", "--yes"])?;
    let has_us = |file: &str| home.read(file).is_ok_and(|text| text.contains("probity"));
    let installed = FILES.iter().filter(|(_, file, _)| has_us(file)).count();
    home.probity(&["mcp", "uninstall", "--yes"])?;
    let differ: Vec<&str> = FILES
        .iter()
        .filter(|(_, file, text)| home.read(file).ok().as_deref() != Some(*text))
        .map(|(client, ..)| *client)
        .collect();
    let reached = installed == FILES.len() && differ.is_empty();
    let measured = format!("{} of {} ({installed} had the entry)", FILES.len() - differ.len(), FILES.len());
    Ok(Figure::judged(BYTES, reached, measured, "10 of 10").with_note(differ.join(", ")))
}

/// An empty home, gone when dropped.
struct EmptyHome {
    folder: tempfile::TempDir,
}

impl EmptyHome {
    fn new() -> anyhow::Result<Self> {
        Ok(Self { folder: tempfile::tempdir()? })
    }

    fn path(&self, file: &str) -> PathBuf {
        self.folder.path().join(file)
    }

    fn read(&self, file: &str) -> std::io::Result<String> {
        std::fs::read_to_string(self.path(file))
    }

    fn write(&self, file: &str, text: &str) -> anyhow::Result<()> {
        let path = self.path(file);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)?;
        }
        Ok(std::fs::write(path, text)?)
    }

    fn probity(&self, words: &[&str]) -> anyhow::Result<String> {
        self.said(rig::command(rig::built("probity")?).args(words))
    }

    fn list(&self, program: &Path) -> anyhow::Result<String> {
        self.said(rig::command(program).args(["mcp", "list"]))
    }

    fn said(&self, command: &mut Command) -> anyhow::Result<String> {
        command
            .env_clear()
            .env("HOME", self.folder.path())
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("TERM", "dumb")
            // The Gemini CLI lists servers as disabled in folders that nobody called trusted.
            .env("GEMINI_CLI_TRUST_WORKSPACE", "true")
            .env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
            .env("DISABLE_AUTOUPDATER", "1")
            .current_dir(self.folder.path());
        let done = rig::run(command, LIMIT)?;
        ensure!(done.in_time, "it did not end within {LIMIT:?}");
        ensure!(done.status.success(), "it ended with {}: {}{}", done.status, done.stdout, done.stderr);
        // The Gemini CLI tells its list to stderr.
        let quiet = done.stdout.trim().is_empty();
        Ok(if quiet { done.stderr } else { done.stdout })
    }
}
