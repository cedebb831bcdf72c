//! An MCP client of the real binary over stdio, in either era.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    process::{Child, ChildStdin, Stdio},
    sync::{
        Arc, Mutex,
        mpsc::{Receiver, sync_channel},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use serde_json::{Value, json};

use crate::harness::World;

const MODERN: &str = "2026-07-28";
/// Longer than any answer takes, three tries with their pauses on a crowded machine; without one the server hangs.
const ANSWER_MAX: Duration = Duration::from_secs(300);
/// Lines that nobody has read yet; a server that says more waits.
const LINES_MAX: usize = 1_000;

/// What a client says of itself.
#[derive(Clone, Copy)]
pub enum Era {
    Old,
    New,
    NewWithTasks,
    /// A host that can show views beside the conversation.
    NewWithViews,
}

pub struct Client {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: Receiver<String>,
    era: Era,
    asked: u64,
    /// Everything that came without being an answer.
    pub notes: Vec<Value>,
    said: Arc<Mutex<String>>,
    listening: JoinHandle<()>,
}

impl Client {
    pub fn open(world: &World, era: Era, variables: &[(&str, &str)]) -> Self {
        let mut command = world.command(&["mcp"]);
        command.envs(variables.iter().copied()).stdin(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let stdin = child.stdin.take();
        let (heard, stdout) = sync_channel(LINES_MAX);
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        thread::spawn(move || lines.map_while(Result::ok).try_for_each(|line| heard.send(line)));
        let said = Arc::new(Mutex::new(String::new()));
        let (stderr, heard) = (BufReader::new(child.stderr.take().unwrap()), Arc::clone(&said));
        let listening = thread::spawn(move || {
            for line in stderr.lines().map_while(Result::ok) {
                heard.lock().unwrap().push_str(&format!("{line}\n"));
            }
        });
        let mut client = Self { child, stdin, stdout, era, asked: 0, notes: Vec::new(), said, listening };
        if let Era::Old = era {
            let hello = json!({
                "protocolVersion": "2025-11-25", "capabilities": {},
                "clientInfo": { "name": "test", "version": "1" },
            });
            client.ask("initialize", hello);
            client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        }
        client
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.stdin.as_mut().unwrap(), "{message}").unwrap();
    }

    /// The whole answer, error or not.
    pub fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.send_request(method, params);
        self.answer(id)
    }

    fn send_request(&mut self, method: &str, mut params: Value) -> u64 {
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
            params["_meta"]["io.modelcontextprotocol/clientCapabilities"] =
                json!({ "extensions": extensions });
        }
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    /// Waits for the answer to a call that was begun.
    pub fn answer(&mut self, id: u64) -> Value {
        loop {
            let line = self.stdout.recv_timeout(ANSWER_MAX).expect("the server left or hangs");
            let message: Value = serde_json::from_str(&line).unwrap();
            if message["id"] == id {
                return message;
            }
            self.notes.push(message);
        }
    }

    pub fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let id = self.begin(tool, arguments);
        self.answer(id)["result"].clone()
    }

    /// Calls a tool without waiting; the number of the call.
    pub fn begin(&mut self, tool: &str, arguments: Value) -> u64 {
        let params = json!({ "name": tool, "arguments": arguments, "_meta": { "progressToken": 1 } });
        self.send_request("tools/call", params)
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// As `kill -9`.
    pub fn kill(&mut self) {
        self.child.kill().unwrap();
    }

    pub fn close_input(&mut self) {
        self.stdin = None;
    }

    /// Whether the server ends within this time; then everything that it said on either pipe.
    pub fn end_within(mut self, limit: Duration) -> Option<String> {
        self.close_input();
        let until = limit.as_millis() / 20;
        if !(0..until).any(|_| {
            thread::sleep(Duration::from_millis(20));
            self.child.try_wait().unwrap().is_some()
        }) {
            self.child.kill().unwrap();
            return None;
        }
        self.listening.join().unwrap();
        let notes: String = self.notes.iter().map(ToString::to_string).chain(self.stdout.iter()).collect();
        Some(notes + &self.said.lock().unwrap())
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
    pub fn leave(mut self) -> String {
        self.close_input();
        assert_eq!(self.child.wait().unwrap().code(), Some(0));
        self.listening.join().unwrap();
        self.said.lock().unwrap().clone()
    }
}
