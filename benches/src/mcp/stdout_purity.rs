//! Runs every tool through its good and bad paths with the log at its loudest, and reads each line of stdout.
//!
//! A panic inside a tool is not provoked here, because the program has no switch for it: the unit tests of
//! `probity-server` do that with a desk that panics.

mod tool_paths;

use std::path::Path;

use serde_json::Value;

use self::tool_paths::walk;
use super::session::{ANSWER_LIMIT, McpSession, ProtocolEra, ServerExit};
use crate::{
    figure::{Figure, MeasurementSize},
    foundation::{
        kill_sweep::{installed, memory_folder, program::ProgramInstallation},
        power_cuts::image::MountedImage,
    },
    output,
    rig::{self, SimulatorProcess},
};

const NAME: &str = "lines on stdout that are not JSON-RPC, log at its loudest";
const GOAL: &str = "0, and every request answered";

/// What is wrong around the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ServerSurroundings {
    Nothing,
    NoKey,
    /// Nobody listens at the provider's address.
    NoProvider,
    ReadOnlyStore,
    BrokenTemplate,
    /// A file where the data directory should be.
    NoStore,
}

impl ServerSurroundings {
    const ALL: [Self; 6] = [
        Self::Nothing,
        Self::NoKey,
        Self::NoProvider,
        Self::ReadOnlyStore,
        Self::BrokenTemplate,
        Self::NoStore,
    ];
}

/// The paths take seconds, so CI walks all of them.
pub fn measure(_size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let simulator = SimulatorProcess::start(&["--speed", "10"])?;
    let folder = memory_folder()?;
    let mut found = StdoutTally::default();
    let mut left_out = "";
    for around in ServerSurroundings::ALL {
        if around == ServerSurroundings::ReadOnlyStore && !rig::is_root() {
            left_out = "; the read-only store was left out: it needs root";
            continue;
        }
        for era in ProtocolEra::ALL {
            let place = folder.path().join(format!("{around:?}-{era:?}"));
            let (ended, unanswered) = session(around, era, &simulator, &place)?;
            found.add(&format!("{around:?} {era:?}"), &ended, unanswered);
        }
    }
    let control = control()?;
    for line in &found.wrong {
        output::progress(line);
    }
    let reached = found.wrong.is_empty() && found.lines > 0;
    let measured = format!(
        "{} of {}; {} of {} requests unanswered",
        found.impure, found.lines, found.unanswered, found.requests
    );
    let story = format!("{} kB of log went to stderr in {} sessions", found.log_bytes / 1024, found.sessions);
    Ok(vec![Figure::judged(NAME, reached, measured, GOAL).with_note(format!("{story}; {control}{left_out}"))])
}

#[derive(Debug, Default)]
struct StdoutTally {
    lines: usize,
    impure: usize,
    requests: usize,
    unanswered: usize,
    sessions: usize,
    log_bytes: usize,
    wrong: Vec<String>,
}

impl StdoutTally {
    fn add(&mut self, place: &str, ended: &ServerExit, (requests, unanswered): (usize, Vec<String>)) {
        self.sessions += 1;
        self.lines += ended.lines.len();
        self.log_bytes += ended.stderr.len();
        self.requests += requests;
        self.unanswered += unanswered.len();
        self.wrong.extend(unanswered.iter().map(|request| format!("{place}: unanswered: {request}")));
        for line in ended.lines.iter().filter(|line| !is_message(line)) {
            self.impure += 1;
            self.wrong.push(format!("{place}: {}", String::from_utf8_lossy(line)));
        }
        if ended.panicked() || !ended.in_time {
            self.wrong.push(format!("{place}: panicked or did not end: {:?}", ended.status));
        }
    }
}

/// One JSON-RPC 2.0 message: a request, a notification or a response. MCP leaves out the id of an error
/// whose request could not be read.
pub fn is_message(line: &[u8]) -> bool {
    let Ok(Value::Object(message)) = serde_json::from_slice::<Value>(line) else { return false };
    let has = |name: &str| message.contains_key(name);
    let id_is_right = message.get("id").is_none_or(|id| id.is_string() || id.is_i64() || id.is_u64());
    let is_call = message.get("method").is_some_and(Value::is_string) && !has("result") && !has("error");
    let is_result = has("result") && has("id") && !has("error") && !has("method");
    let code = message.get("error").and_then(|error| error.get("code"));
    let is_error = code.is_some_and(Value::is_i64) && !has("result") && !has("method");
    let is_version_two = message.get("jsonrpc").and_then(Value::as_str) == Some("2.0");
    is_version_two && id_is_right && (is_call || is_result || is_error)
}

/// The judge must tell what is a message from what is not.
fn control() -> anyhow::Result<String> {
    let bad: [&[u8]; 8] = [
        b"INFO probity: ready",
        b"",
        b"{}",
        b"[]",
        b"{\"jsonrpc\":\"2.0\",\"id\":1}",
        b"{\"jsonrpc\":\"1.0\",\"id\":1,\"result\":{}}",
        b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}} {}",
        b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"te",
    ];
    let good: [&[u8]; 3] = [
        b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}",
        b"{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32600,\"message\":\"\"}}",
        b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{}}",
    ];
    let seen = bad.iter().filter(|line| !is_message(line)).count();
    let passed = good.iter().filter(|line| is_message(line)).count();
    anyhow::ensure!(seen == bad.len() && passed == good.len(), "the judge is blind: {seen} and {passed}");
    Ok(format!("control: {seen} of {} planted bad lines were seen", bad.len()))
}

/// Walks every path in one session; how many requests there were, and which got no answer.
fn session(
    around: ServerSurroundings,
    era: ProtocolEra,
    simulator: &SimulatorProcess,
    place: &Path,
) -> anyhow::Result<(ServerExit, (usize, Vec<String>))> {
    let disk = place.join("disk");
    let mounted = match around {
        ServerSurroundings::ReadOnlyStore => Some(MountedImage::memory("size=64m", &disk)?),
        _ => None,
    };
    let program = match mounted {
        Some(_) => ProgramInstallation::new(&simulator.base_url, place, &disk.join("data"))?,
        None => installed(simulator, place)?,
    };
    if around != ServerSurroundings::NoStore {
        program.run(&["research", "[[completed duration_ms=100]] before?", "--json"])?;
    }
    if let Some(mounted) = &mounted {
        mounted.remount("ro")?;
    }
    let mut command = program.command(&["-vv", "mcp"]);
    command
        .env("PROBITY_LOG", "trace")
        .env("PROBITY_MCP__START_WAIT", "2s")
        .env("PROBITY_MCP__CALL_WAIT", "2s");
    match around {
        ServerSurroundings::Nothing | ServerSurroundings::ReadOnlyStore => {}
        ServerSurroundings::NoKey => drop(command.env_remove("GEMINI_API_KEY")),
        ServerSurroundings::NoProvider => drop(command.env("GOOGLE_GEMINI_BASE_URL", "http://127.0.0.1:1")),
        ServerSurroundings::BrokenTemplate => {
            let template = place.join("broken.jinja");
            std::fs::write(&template, "{% for source in %}{{ nothing")?;
            command.env("PROBITY_REPORTS__TEMPLATE", template);
        }
        ServerSurroundings::NoStore => std::fs::write(program.data(), "in the way")?,
    }
    let mut session = McpSession::start(&mut command, era)?;
    let walked = walk(&mut session, era);
    let ended = session.end(ANSWER_LIMIT)?;
    // A server that cannot start at all says so on stderr and answers nobody.
    let refused = !ended.status.success() && ended.lines.is_empty();
    Ok((ended, if refused { (0, Vec::new()) } else { walked }))
}
