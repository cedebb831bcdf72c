//! One MCP session with a server that is started as a client starts it: initialize, list of tools, end.
#![expect(clippy::disallowed_methods, reason = "starts the servers that are probed")]

use std::{ffi::OsString, process::Stdio, time::Duration};

use probity_research::{ports::Clock as _, text};
use probity_runner::SystemClock;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader},
    process::{Child, ChildStdout, Command},
};

/// A server that has not answered by then does not answer a client either: the timeout of the handshake.
const LIMIT: Duration = Duration::from_secs(10);
/// Our tools take some 30 kB; more than this is no list of tools.
const ANSWER_BYTES_MAX: u64 = 1024 * 1024;
/// What is kept of a failing server's stderr.
const WORDS_BYTES_MAX: u64 = 16 * 1024;
/// How long the end of stderr is waited for when the server has ended.
const WORDS_WAIT: Duration = Duration::from_millis(300);
const PROTOCOL: &str = "2025-11-25";

/// The command that is started.
pub struct ServerLaunch {
    pub command: String,
    pub args: Vec<String>,
    /// What the settings file sets.
    pub set: Vec<(String, String)>,
    /// The whole environment; `None` inherits ours.
    pub only: Option<Vec<(String, OsString)>>,
}

/// What a server said of itself in the handshake.
#[derive(Debug, PartialEq, Eq)]
pub struct HandshakeReply {
    pub server: String,
    pub version: String,
    pub tools: usize,
    pub took: Duration,
}

/// What went wrong, as a sentence about the server.
#[derive(Debug)]
pub struct HandshakeError {
    pub why: String,
}

impl HandshakeError {
    fn because(why: impl Into<String>) -> Self {
        Self { why: why.into() }
    }
}

pub async fn run_handshake(start: &ServerLaunch) -> Result<HandshakeReply, HandshakeError> {
    let clock = SystemClock::default();
    let begun = clock.monotonic();
    let mut child = spawn(start)?;
    let heard = tokio::time::timeout(LIMIT, exchange(&mut child)).await;
    let took = clock.monotonic().saturating_sub(begun);
    let words = match &heard {
        Ok(Ok(_)) => String::new(),
        _ => stderr_tail(&mut child).await,
    };
    end(child).await;
    match heard {
        Ok(Ok((hello, tools))) => Ok(handshake_reply(&hello, &tools, took)),
        Ok(Err(silent)) => Err(join(silent.why, &words)),
        Err(_) => Err(join(format!("it did not answer within {} s", LIMIT.as_secs()), &words)),
    }
}

fn spawn(start: &ServerLaunch) -> Result<Child, HandshakeError> {
    let mut command = Command::new(&start.command);
    if let Some(only) = &start.only {
        command.env_clear().envs(only.iter().cloned());
    }
    command
        .args(&start.args)
        .envs(start.set.iter().cloned())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .kill_on_drop(true);
    command.spawn().map_err(|error| {
        let program = text::line(&start.command, 200);
        HandshakeError::because(format!("`{program}` could not be started: {error}"))
    })
}

async fn exchange(child: &mut Child) -> Result<(Value, Value), HandshakeError> {
    let (Some(mut input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(HandshakeError::because("it has no pipes"));
    };
    let mut output = BufReader::new(output.take(ANSWER_BYTES_MAX));
    let hello = json!({
        "protocolVersion": PROTOCOL, "capabilities": {},
        "clientInfo": { "name": "probity-status", "version": env!("CARGO_PKG_VERSION") },
    });
    let gone = |error: std::io::Error| HandshakeError::because(format!("it went away: {error}"));
    let ask = |id: u64, method: &str, params: Value| {
        format!("{}\n", json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))
    };
    input.write_all(ask(1, "initialize", hello).as_bytes()).await.map_err(gone)?;
    let hello = read_reply(&mut output, 1).await?;
    let ready = format!("{}\n", json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    input.write_all(ready.as_bytes()).await.map_err(gone)?;
    input.write_all(ask(2, "tools/list", json!({})).as_bytes()).await.map_err(gone)?;
    let tools = read_reply(&mut output, 2).await?;
    Ok((hello, tools))
}

/// The answer with this id; messages in between are not for us.
async fn read_reply(
    output: &mut BufReader<tokio::io::Take<ChildStdout>>,
    id: u64,
) -> Result<Value, HandshakeError> {
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = output.read_until(b'\n', &mut line).await;
        let read = read.map_err(|error| HandshakeError::because(format!("it went away: {error}")))?;
        if read == 0 {
            return Err(HandshakeError::because("it ended without an answer"));
        }
        let message: Value = serde_json::from_slice(&line)
            .map_err(|_| HandshakeError::because("it wrote something to stdout that is not MCP"))?;
        if message.get("id").and_then(Value::as_u64) != Some(id) {
            continue;
        }
        return match message.get("result") {
            Some(result) => Ok(result.clone()),
            None => {
                let why =
                    message.pointer("/error/message").and_then(Value::as_str).unwrap_or("no reason given");
                Err(HandshakeError::because(format!("it refused: {}", text::line(why, 200))))
            }
        };
    }
}

fn handshake_reply(hello: &Value, tools: &Value, took: Duration) -> HandshakeReply {
    let word = |place| {
        let text = hello.pointer(place).and_then(Value::as_str).unwrap_or("?");
        text::line(text, 60)
    };
    let tools = tools.get("tools").and_then(Value::as_array).map_or(0, Vec::len);
    HandshakeReply { server: word("/serverInfo/name"), version: word("/serverInfo/version"), tools, took }
}

async fn stderr_tail(child: &mut Child) -> String {
    let Some(pipe) = child.stderr.take() else { return String::new() };
    let mut bytes = Vec::new();
    let mut pipe = pipe.take(WORDS_BYTES_MAX);
    // A server that is still running keeps its pipe open; what it wrote so far is enough.
    let read = tokio::time::timeout(WORDS_WAIT, pipe.read_to_end(&mut bytes)).await;
    tracing::debug!(?read, "stderr of the server was read");
    let said = String::from_utf8_lossy(&bytes);
    let first = said.lines().find(|line| line.contains("error")).or_else(|| said.lines().next());
    text::line(first.unwrap_or_default(), 200)
}

fn join(why: String, words: &str) -> HandshakeError {
    HandshakeError { why: if words.is_empty() { why } else { format!("{why}; it said: {words}") } }
}

/// Kills the whole group: a launcher may have started other processes.
async fn end(mut child: Child) {
    drop(child.stdin.take());
    let leader = child.id().and_then(|id| rustix::process::Pid::from_raw(id.cast_signed()));
    if tokio::time::timeout(Duration::from_secs(1), child.wait()).await.is_ok() {
        return;
    }
    if let Some(leader) = leader
        && let Err(error) = rustix::process::kill_process_group(leader, rustix::process::Signal::KILL)
    {
        tracing::debug!(%error, "process group had already ended");
    }
    if let Err(error) = child.wait().await {
        tracing::debug!(%error, "no child process to wait for");
    }
}
