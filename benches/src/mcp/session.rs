//! A client of `probity mcp` on its stdin and stdout, in either protocol era. Judges nothing.
//!
//! Nothing is read before the first answer is asked for, so a client that does not read is one that never
//! asks. Every line that was read is kept.

use std::{
    collections::BTreeMap,
    io::{BufRead as _, BufReader, Read, Write as _},
    os::unix::process::CommandExt as _,
    process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio},
    sync::mpsc::{Receiver, RecvTimeoutError, sync_channel},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use anyhow::{Context as _, bail};
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::rig::{self, ProcessGroup};

/// Far above what an answer takes that waits for nothing; one that takes longer hangs.
pub const ANSWER_LIMIT: Duration = Duration::from_secs(30);
/// Lines between the reading thread and the client. The pipe itself holds the rest.
const LINES_WAITING_MAX: usize = 64;
/// Most that is kept of stderr: a trace of a whole session stays below it.
const STDERR_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// The two ways to speak MCP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProtocolEra {
    /// 2025-11-25: a handshake, then requests.
    Handshake,
    /// 2026-07-28: every request says who asks and what it understands.
    EachRequest,
}

impl ProtocolEra {
    pub const ALL: [Self; 2] = [Self::Handshake, Self::EachRequest];

    pub fn version(self) -> &'static str {
        match self {
            Self::Handshake => "2025-11-25",
            Self::EachRequest => "2026-07-28",
        }
    }
}

fn client() -> Value {
    json!({ "name": "figures", "version": "1" })
}

/// One request as a line of this era, without its line end. The client understands no tasks and asks no questions:
/// answers are then the same in both eras.
pub fn request(era: ProtocolEra, id: u64, method: &str, mut params: Value) -> Value {
    if era == ProtocolEra::EachRequest
        && let Some(members) = params.as_object_mut()
        && let Some(meta) = members.entry("_meta").or_insert_with(|| json!({})).as_object_mut()
    {
        meta.insert("io.modelcontextprotocol/protocolVersion".to_owned(), json!(era.version()));
        meta.insert("io.modelcontextprotocol/clientInfo".to_owned(), client());
        meta.insert("io.modelcontextprotocol/clientCapabilities".to_owned(), json!({}));
    }
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
}

/// How a server ended, and what it had said.
#[derive(Debug)]
pub struct ServerExit {
    pub status: ExitStatus,
    /// Whether it ended by itself within the limit.
    pub in_time: bool,
    pub took: Duration,
    pub stderr: String,
    /// Every line of stdout, also those that were never asked for.
    pub lines: Vec<Vec<u8>>,
}

impl ServerExit {
    /// With exit code 0, by itself and without a panic.
    pub fn cleanly(&self) -> bool {
        self.in_time && self.status.success() && !self.panicked()
    }

    pub fn panicked(&self) -> bool {
        self.stderr.contains("panicked at") || self.status.code() == Some(101)
    }
}

/// One client with one server.
pub struct McpSession {
    group: ProcessGroup,
    era: ProtocolEra,
    input: Option<ChildStdin>,
    /// Taken by the reading thread, when somebody asks for the first answer.
    unread: Option<ChildStdout>,
    lines: Option<Receiver<Vec<u8>>>,
    stderr: Option<JoinHandle<String>>,
    requests: u64,
    heard: Vec<Vec<u8>>,
    /// Answers that nobody has asked for yet.
    early: BTreeMap<u64, Value>,
}

impl McpSession {
    /// Starts `command`, such as `probity mcp`, and shakes hands where the era wants it.
    pub fn open(command: &mut Command, era: ProtocolEra) -> anyhow::Result<Self> {
        let mut session = Self::start(command, era)?;
        if era == ProtocolEra::Handshake {
            session.initialize()?;
        }
        Ok(session)
    }

    /// Starts it and says nothing yet.
    pub fn start(command: &mut Command, era: ProtocolEra) -> anyhow::Result<Self> {
        let mut child: Child = command
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .with_context(|| format!("{command:?}"))?;
        let input = child.stdin.take();
        let unread = child.stdout.take();
        let stderr = child.stderr.take().context("no stderr")?;
        let stderr = thread::spawn(move || {
            let mut bytes = Vec::new();
            // A pipe that breaks has told what it had to tell.
            stderr.take(STDERR_BYTES_MAX).read_to_end(&mut bytes).ok();
            String::from_utf8_lossy(&bytes).into_owned()
        });
        let (group, heard, early) = (ProcessGroup { child }, Vec::new(), BTreeMap::new());
        let (lines, stderr) = (None, Some(stderr));
        Ok(Self { group, era, input, unread, lines, stderr, requests: 0, heard, early })
    }

    pub fn initialize(&mut self) -> anyhow::Result<Value> {
        let params =
            json!({ "protocolVersion": self.era.version(), "capabilities": {}, "clientInfo": client() });
        let id = self.ask("initialize", params)?;
        let answer = self.answer(id, ANSWER_LIMIT)?;
        self.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))?;
        Ok(answer)
    }

    /// The process that was started; under strace that is strace.
    pub fn pid(&self) -> u32 {
        self.group.child.id()
    }

    pub fn signal(&self, signal: Signal) {
        self.group.signal(signal);
    }

    pub fn send(&mut self, message: &Value) -> anyhow::Result<()> {
        self.send_bytes(format!("{message}\n").as_bytes())
    }

    /// Bytes as they are; the line end is the caller's.
    pub fn send_bytes(&mut self, bytes: &[u8]) -> anyhow::Result<()> {
        let input = self.input.as_mut().context("stdin is closed")?;
        input.write_all(bytes).context("the server does not read")?;
        input.flush().context("the server does not read")
    }

    /// Sends a request and returns its id.
    pub fn ask(&mut self, method: &str, params: Value) -> anyhow::Result<u64> {
        self.requests += 1;
        let id = self.requests;
        self.send(&request(self.era, id, method, params))?;
        Ok(id)
    }

    pub fn ask_tool(&mut self, tool: &str, arguments: &Value) -> anyhow::Result<u64> {
        self.ask("tools/call", json!({ "name": tool, "arguments": arguments }))
    }

    /// Calls a tool and waits: the whole response, with `result` or `error`.
    pub fn call(&mut self, tool: &str, arguments: &Value, limit: Duration) -> anyhow::Result<Value> {
        let id = self.ask_tool(tool, arguments)?;
        self.answer(id, limit)
    }

    /// What a call gave as structured content.
    pub fn call_structured(
        &mut self,
        tool: &str,
        arguments: &Value,
        limit: Duration,
    ) -> anyhow::Result<Value> {
        let answer = self.call(tool, arguments, limit)?;
        answer.pointer("/result/structuredContent").cloned().with_context(|| format!("{tool} says: {answer}"))
    }

    /// The response with this id, also if it came while another was waited for. What is read on the way is
    /// kept.
    pub fn answer(&mut self, id: u64, limit: Duration) -> anyhow::Result<Value> {
        let until = rig::now() + limit;
        loop {
            if let Some(answer) = self.early.remove(&id) {
                return Ok(answer);
            }
            let Some(line) = self.line(until)? else { bail!("no answer to request {id} within {limit:?}") };
            let message: Value = serde_json::from_slice(&line).unwrap_or_default();
            if let Some(answered) = message.get("id").and_then(Value::as_u64)
                && message.get("method").is_none()
            {
                self.early.insert(answered, message);
            }
        }
    }

    /// The next line of stdout, without its end; `None` when none came in time.
    fn line(&mut self, until: Instant) -> anyhow::Result<Option<Vec<u8>>> {
        self.read();
        let lines = self.lines.as_ref().context("no stdout")?;
        match lines.recv_timeout(until.saturating_duration_since(rig::now())) {
            Ok(line) => {
                self.heard.push(line.clone());
                Ok(Some(line))
            }
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => bail!("the server ended its stdout"),
        }
    }

    /// What the client does when it leaves.
    pub fn close_input(&mut self) {
        self.input = None;
    }

    /// Leaves and waits for the server to end; after `limit` it is killed.
    pub fn end(mut self, limit: Duration) -> anyhow::Result<ServerExit> {
        let began = rig::now();
        self.close_input();
        self.wait(began, limit)
    }

    /// Waits for the end of a server that was told to end in another way.
    pub fn wait(mut self, began: Instant, limit: Duration) -> anyhow::Result<ServerExit> {
        self.read();
        let mut in_time = true;
        let status = loop {
            self.heard.extend(self.lines.iter().flat_map(Receiver::try_iter));
            if let Some(status) = self.group.child.try_wait()? {
                break status;
            }
            if began.elapsed() >= limit {
                in_time = false;
                break self.group.end()?;
            }
            thread::sleep(Duration::from_millis(2));
        };
        let took = began.elapsed();
        // Whatever held the pipes beside the process itself is gone with the group.
        self.group.signal(Signal::KILL);
        self.heard.extend(self.lines.iter().flat_map(Receiver::iter));
        let stderr = self.stderr.take().and_then(|reader| reader.join().ok()).unwrap_or_default();
        Ok(ServerExit { status, in_time, took, stderr, lines: std::mem::take(&mut self.heard) })
    }

    /// Begins to read stdout, if nobody has.
    fn read(&mut self) {
        let Some(output) = self.unread.take() else { return };
        let (said, lines) = sync_channel(LINES_WAITING_MAX);
        let output = BufReader::new(output).split(b'\n');
        thread::spawn(move || output.map_while(Result::ok).try_for_each(|line| said.send(line)));
        self.lines = Some(lines);
    }
}
