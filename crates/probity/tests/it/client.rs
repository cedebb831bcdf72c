//! An MCP client of the real binary over stdio, in either era.

#![expect(clippy::disallowed_methods, reason = "waits in real time")]

use std::{
    io::{BufRead as _, BufReader, Write as _},
    path::Path,
    process::{Child, ChildStdin, Command, Stdio},
    sync::{
        Arc, Mutex,
        mpsc::{Receiver, sync_channel},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::harness::{WAIT_MAX, World};

const MODERN: &str = "2026-07-28";
/// Ids of requests count from here: answers to what a test says by hand are never taken for theirs.
const FIRST_ID: u64 = 1 << 40;
/// Lines between the reading thread and the client; no test says more.
const LINES_MAX: usize = 100_000;

/// What a client says of itself.
#[derive(Clone, Copy)]
pub enum Era {
    Old,
    New,
    NewWithTasks,
    /// A host that can show views beside the conversation.
    NewWithViews,
}

/// What the user of a client answers when the client asks.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum UserAnswer {
    Yes,
    No,
}

pub struct Client {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: Receiver<Vec<u8>>,
    era: Era,
    asked: u64,
    /// None: a client that cannot ask its user.
    user: Option<UserAnswer>,
    /// Its roots, as addresses; none: a client that has no such thing.
    roots: Vec<String>,
    /// How often its user was asked.
    pub questions: u32,
    /// Everything that came without being an answer to what was waited for.
    pub notes: Vec<Value>,
    /// Every line of stdout so far.
    pub lines: Vec<Vec<u8>>,
    said: Arc<Mutex<String>>,
    listening: JoinHandle<()>,
}

/// How a server ended, and what it had said.
#[derive(Debug)]
pub struct ServerExit {
    /// None for one that a signal ended.
    pub code: Option<i32>,
    /// Whether it ended in time, not because waiting for it was over.
    pub in_time: bool,
    pub said: String,
    pub lines: Vec<Vec<u8>>,
}

impl ServerExit {
    pub fn is_clean(&self) -> bool {
        self.code == Some(0) && !self.said.contains("panicked at")
    }

    /// Everything that it said on either pipe.
    pub fn everything_said(&self) -> String {
        format!("{}\n{}", String::from_utf8_lossy(&self.lines.join(&b'\n')), self.said)
    }
}

impl Client {
    pub fn open(world: &World, era: Era, variables: &[(&str, &str)]) -> Self {
        Self::open_with(world, era, variables, None)
    }

    /// A client that can ask its user.
    pub fn that_asks(world: &World, era: Era, variables: &[(&str, &str)], user: UserAnswer) -> Self {
        Self::open_with(world, era, variables, Some(user))
    }

    fn open_with(world: &World, era: Era, variables: &[(&str, &str)], user: Option<UserAnswer>) -> Self {
        let mut command = world.command(&["mcp"]);
        command.envs(variables.iter().copied());
        let mut client = Self { user, ..Self::start(command, era) };
        client.greet();
        client
    }

    /// A client that works in a directory and has roots.
    pub fn in_directory(world: &World, era: Era, directory: &Path, roots: &[&str]) -> Self {
        let mut command = world.command(&["mcp"]);
        command.current_dir(directory);
        let roots = roots.iter().map(|root| (*root).to_owned()).collect();
        let mut client = Self { roots, ..Self::start(command, era) };
        client.greet();
        client
    }

    /// Starts it and says nothing yet.
    pub fn start(mut command: Command, era: Era) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let said = Arc::new(Mutex::new(String::new()));
        let (stderr, heard) = (BufReader::new(child.stderr.take().unwrap()), Arc::clone(&said));
        let listening = thread::spawn(move || {
            for line in stderr.lines().map_while(Result::ok) {
                heard.lock().unwrap().push_str(&format!("{line}\n"));
            }
        });
        let (lines, stdout) = sync_channel(LINES_MAX);
        let output = BufReader::new(child.stdout.take().unwrap());
        thread::spawn(move || {
            output.split(b'\n').map_while(Result::ok).try_for_each(|line| lines.send(line))
        });
        let stdin = child.stdin.take();
        let (notes, lines, user, roots, questions) = (Vec::new(), Vec::new(), None, Vec::new(), 0);
        let asked = FIRST_ID;
        Self { child, stdin, stdout, era, asked, user, roots, questions, notes, lines, said, listening }
    }

    /// What the era says before anything else.
    pub fn greet(&mut self) {
        if let Era::Old = self.era {
            let hello = json!({
                "protocolVersion": "2025-11-25", "capabilities": self.capabilities(),
                "clientInfo": { "name": "test", "version": "1" },
            });
            self.ask("initialize", hello);
            self.say(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n");
        }
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    fn capabilities(&self) -> Value {
        let mut capabilities = if self.user.is_some() { json!({ "elicitation": {} }) } else { json!({}) };
        if !self.roots.is_empty() {
            capabilities["roots"] = json!({});
        }
        capabilities
    }

    /// The user answers a question that came during a call.
    fn answer_question(&mut self, question: &Value) {
        self.questions += 1;
        let answer = match self.user {
            Some(UserAnswer::Yes) => json!({ "action": "accept", "content": { "start": true } }),
            Some(UserAnswer::No) | None => json!({ "action": "decline" }),
        };
        let message = json!({ "jsonrpc": "2.0", "id": question["id"], "result": answer });
        self.say(format!("{message}\n").as_bytes());
    }

    pub fn listed_roots(&self) -> Value {
        let roots: Vec<Value> = self.roots.iter().map(|root| json!({ "uri": root })).collect();
        json!({ "roots": roots })
    }

    /// Bytes as they are; the line end is the caller's.
    #[track_caller]
    pub fn say(&mut self, bytes: &[u8]) {
        self.stdin.as_mut().unwrap().write_all(bytes).unwrap();
    }

    /// The whole answer, error or not.
    #[track_caller]
    pub fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.begin(method, params);
        self.answer(id)
    }

    /// Asks without waiting; what it is answered with has this id.
    #[track_caller]
    pub fn begin(&mut self, method: &str, mut params: Value) -> u64 {
        self.asked += 1;
        let id = self.asked;
        let extensions = match self.era {
            Era::NewWithTasks => json!({ "io.modelcontextprotocol/tasks": {} }),
            Era::NewWithViews => {
                json!({ "io.modelcontextprotocol/ui": { "mimeTypes": ["text/html;profile=mcp-app"] } })
            }
            Era::Old | Era::New => json!({}),
        };
        if !matches!(self.era, Era::Old) {
            params["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!(MODERN);
            params["_meta"]["io.modelcontextprotocol/clientInfo"] = json!({ "name": "test", "version": "1" });
            let mut capabilities = self.capabilities();
            capabilities["extensions"] = extensions;
            params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = capabilities;
        }
        let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.say(format!("{message}\n").as_bytes());
        id
    }

    #[track_caller]
    pub fn answer(&mut self, id: u64) -> Value {
        self.answer_within(id, WAIT_MAX).expect("no answer")
    }

    /// Nothing if the server was silent for so long, or left.
    #[track_caller]
    pub fn answer_within(&mut self, id: u64, silence_max: Duration) -> Option<Value> {
        let answers = |message: &Value| message["id"] == id && message["method"].is_null();
        if let Some(early) = self.notes.iter().position(answers) {
            return Some(self.notes.remove(early));
        }
        while let Ok(line) = self.stdout.recv_timeout(silence_max) {
            let message: Value = serde_json::from_slice(&line).unwrap();
            self.lines.push(line);
            if self.user.is_some() && message["method"] == "elicitation/create" {
                self.answer_question(&message);
                continue;
            }
            if message["method"] == "roots/list" {
                let reply = json!({ "jsonrpc": "2.0", "id": message["id"], "result": self.listed_roots() });
                self.say(format!("{reply}\n").as_bytes());
                continue;
            }
            if answers(&message) {
                return Some(message);
            }
            self.notes.push(message);
        }
        None
    }

    pub fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let id = self.begin_call(tool, arguments);
        self.answer(id)["result"].clone()
    }

    /// Calls a tool without waiting; what it is answered with has this id.
    #[track_caller]
    pub fn begin_call(&mut self, tool: &str, arguments: Value) -> u64 {
        let params = json!({ "name": tool, "arguments": arguments, "_meta": { "progressToken": 1 } });
        self.begin("tools/call", params)
    }

    /// As `kill -9`.
    pub fn kill(&mut self) {
        self.child.kill().unwrap();
    }

    pub fn close_input(&mut self) {
        self.stdin = None;
    }

    /// The structured answer of a call that must work.
    #[track_caller]
    pub fn done(&mut self, tool: &str, arguments: Value) -> Value {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], false, "{result}");
        result["structuredContent"].clone()
    }

    /// The code of a call that must fail.
    #[track_caller]
    pub fn refused(&mut self, tool: &str, arguments: Value) -> String {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], true, "{result}");
        result["structuredContent"]["error"]["code"].as_str().unwrap().to_owned()
    }

    /// What the server said on stderr so far.
    pub fn said(&self) -> String {
        self.said.lock().unwrap().clone()
    }

    /// Closes stdin; the server goes by itself. Everything it said on stderr.
    #[track_caller]
    pub fn leave(self) -> String {
        let ended = self.end(WAIT_MAX);
        assert_eq!(ended.code, Some(0));
        ended.said
    }

    /// Closes stdin and waits for the end, for so long.
    pub fn end(mut self, limit: Duration) -> ServerExit {
        self.close_input();
        let began = Instant::now();
        let (code, in_time) = loop {
            match self.child.try_wait().unwrap() {
                Some(status) => break (status.code(), true),
                None if began.elapsed() > limit => {
                    self.child.kill().unwrap();
                    self.child.wait().unwrap();
                    break (None, false);
                }
                None => thread::sleep(Duration::from_millis(2)),
            }
        };
        self.lines.extend(self.stdout.iter());
        self.listening.join().unwrap();
        let said = self.said.lock().unwrap().clone();
        ServerExit { code, in_time, said, lines: self.lines }
    }
}
