//! `probity serve` and what attaches to it: one server per directory, tokens, and an end under a living client.

use std::{
    fs,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    os::unix::fs::PermissionsExt as _,
    process::{Child, ChildStdin, ChildStdout, Stdio},
};

use serde_json::{Value, json};

use crate::harness::{CommandOutput, World, finish, wait_until};

/// A server that is ended with the test.
pub struct TestServer<'a> {
    world: &'a World,
    child: Option<Child>,
    /// Address and port.
    pub host: String,
}

impl<'a> TestServer<'a> {
    pub fn start(world: &'a World) -> Self {
        let child = world.start(&["serve", "--listen", "127.0.0.1:0"]);
        let mut served = Self { world, child: Some(child), host: String::new() };
        wait_until("the server", || {
            let said = fs::read_to_string(world.data().join("serve.lock")).unwrap_or_default();
            let address = said.lines().next().unwrap_or_default();
            let host = address.strip_prefix("http://").and_then(|rest| rest.strip_suffix("/mcp"));
            served.host = host.unwrap_or_default().to_owned();
            host.is_some_and(|host| TcpStream::connect(host).is_ok())
        });
        served
    }

    pub fn pid(&self) -> u32 {
        self.child.as_ref().unwrap().id()
    }

    pub fn token(&self) -> String {
        fs::read_to_string(self.world.data().join("serve.token")).unwrap().trim().to_owned()
    }

    pub fn status_with(&self, token: &str) -> u16 {
        let mut stream = TcpStream::connect(&self.host).unwrap();
        let head = format!(
            "POST /mcp HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {token}\r\nconnection: close\r\n\
             content-type: application/json\r\naccept: application/json, text/event-stream\r\n\
             content-length: 2\r\n\r\n{{}}",
            self.host
        );
        stream.write_all(head.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer.split(' ').nth(1).unwrap().parse().unwrap()
    }

    pub fn signal(&mut self, signal: rustix::process::Signal) -> CommandOutput {
        let child = self.child.take().unwrap();
        let pid = rustix::process::Pid::from_child(&child);
        rustix::process::kill_process(pid, signal).unwrap();
        finish(child)
    }
}

impl Drop for TestServer<'_> {
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take() {
            child.kill().ok();
            child.wait().ok();
        }
    }
}

/// `probity mcp` with both ends in our hands.
struct Client {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Client {
    fn start(world: &World) -> Self {
        Self::start_with(world, &[])
    }

    fn start_with(world: &World, settings: &[(&str, &str)]) -> Self {
        let mut command = world.command(&["mcp"]);
        command.envs(settings.iter().copied());
        let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
        let (input, output) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        let mut client = Self { child, input, output };
        let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}});
        client.ask(&hello);
        client.say(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        client
    }

    fn say(&mut self, message: &Value) {
        writeln!(self.input.as_mut().unwrap(), "{message}").unwrap();
    }

    fn ask(&mut self, message: &Value) -> Value {
        self.say(message);
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap()
    }

    fn tools(&mut self) -> usize {
        let answer = self.ask(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}));
        answer["result"]["tools"].as_array().unwrap().len()
    }

    /// What was still said, and how it ended.
    fn end(mut self) -> CommandOutput {
        let mut rest = String::new();
        self.output.read_to_string(&mut rest).unwrap();
        let done = finish(self.child);
        CommandOutput { out: rest, ..done }
    }
}

const ALL_TOOLS: usize = probity_server::tools::ToolName::ALL.len();

fn owners(world: &World) -> usize {
    fs::read_dir(world.data().join("owners")).unwrap().count()
}

#[test]
fn a_client_attaches_to_the_server_that_runs_and_leaves_cleanly() {
    let world = World::new();
    let mut served = TestServer::start(&world);
    let before = owners(&world);
    let mut client = Client::start(&world);
    assert_eq!(client.tools(), ALL_TOOLS);
    assert_eq!(owners(&world), before, "it opens no store of its own");
    client.input = None;
    assert_eq!(client.end().code, 0);
    let done = served.signal(rustix::process::Signal::TERM);
    assert_eq!(done.code, 0, "{}", done.err);
    assert!(!world.data().join("serve.sock").exists());
    assert!(done.err.contains("claude mcp add probity -- probity mcp"), "{}", done.err);
    assert_eq!(done.out, "");
}

#[test]
fn a_client_with_settings_of_its_own_is_not_served_by_those_of_the_server() {
    let world = World::new();
    let _served = TestServer::start(&world);
    let mut client = Client::start_with(&world, &[("PROBITY_BUDGET__MAX_USD", "0.10")]);
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": "start_deep_research", "arguments": {"query": "[[completed]] within a budget"}}});
    let answer = client.ask(&call).to_string();
    assert!(answer.contains("above its budget of $0.10; nothing was started"), "{answer}");
    client.input = None;
    let done = client.end();
    assert_eq!(done.code, 0, "{}", done.err);
    assert!(
        done.err.contains("has other settings (budget.max_usd); this process serves its client itself"),
        "{}",
        done.err
    );
    assert_eq!(world.ledger().entries().len(), 0);
}

#[test]
fn a_client_that_leaves_ends_no_other() {
    let world = World::new();
    let _served = TestServer::start(&world);
    let (mut first, mut second) = (Client::start(&world), Client::start(&world));
    assert_eq!((first.tools(), second.tools()), (ALL_TOOLS, ALL_TOOLS));
    first.input = None;
    assert_eq!(first.end().code, 0);
    assert_eq!(second.tools(), ALL_TOOLS, "one that was there before");
    assert_eq!(Client::start(&world).tools(), ALL_TOOLS, "one that came after");
}

#[test]
fn a_client_whose_server_dies_says_so_and_ends() {
    let world = World::new();
    let mut served = TestServer::start(&world);
    let mut client = Client::start(&world);
    assert_eq!(client.tools(), ALL_TOOLS);
    served.signal(rustix::process::Signal::KILL);
    let done = client.end();
    assert_eq!((done.code, done.out.as_str()), (1, ""), "{}", done.err);
    assert!(done.err.contains("error[SERVER_GONE]"), "{}", done.err);

    // Nobody serves now: the next client serves itself, and a new server takes the dead one's place.
    let mut alone = Client::start(&world);
    assert_eq!(alone.tools(), ALL_TOOLS);
    alone.input = None;
    assert_eq!(alone.end().code, 0);
    let served = TestServer::start(&world);
    let mut client = Client::start(&world);
    assert_eq!((client.tools(), served.status_with("guess")), (ALL_TOOLS, 401));
    client.input = None;
    client.end();
}

#[test]
fn a_second_server_is_refused_and_told_where_the_first_is() {
    let world = World::new();
    let served = TestServer::start(&world);
    let done = world.run(&["serve", "--listen", "127.0.0.1:0"]);
    assert_eq!(done.code, 1);
    assert!(done.err.contains("error[ALREADY_SERVING]") && done.err.contains(&served.host), "{}", done.err);
    assert_eq!(served.status_with("guess"), 401, "the first goes on");
}

#[test]
fn an_address_that_is_taken_or_beyond_this_machine_is_refused() {
    let world = World::new();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let done = world.run(&["serve", "--listen", &taken.local_addr().unwrap().to_string()]);
    assert!(done.code == 1 && done.err.contains("error[LISTEN_FAILED]"), "{}", done.err);
    let done = world.run(&["serve", "--listen", "0.0.0.0:0"]);
    assert!(
        done.code == 2 && done.err.contains("--listen: other machines can reach `0.0.0.0:0`"),
        "{}",
        done.err
    );
    assert!(done.err.contains("serve.allow_beyond_loopback = true"), "{}", done.err);
}

#[test]
fn tokens_come_and_go_while_the_server_runs() {
    let world = World::new();
    let served = TestServer::start(&world);
    // An empty message is refused by what lies behind the door, not by the door.
    let inside = served.status_with(&served.token());
    assert!(inside != 401, "{inside}");
    let token = world.run(&["serve", "token", "add", "anna"]).out.trim().to_owned();
    assert_eq!(world.run(&["serve", "token", "list"]).out, "anna\n");
    wait_until("anna to get in", || served.status_with(&token) == inside);
    assert_eq!(world.run(&["serve", "token", "remove", "anna"]).code, 0);
    wait_until("anna to stay out", || served.status_with(&token) == 401);
    let refused = world.run(&["serve", "token", "add", "Anna B"]);
    assert!(refused.code == 2 && refused.err.contains("error[SETTINGS]"), "{}", refused.err);
}

#[test]
fn a_token_that_others_may_read_is_refused_with_the_command_that_mends_it() {
    let world = World::new();
    drop(TestServer::start(&world));
    let path = world.data().join("serve.token");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    let done = world.run(&["serve", "--listen", "127.0.0.1:0"]);
    assert_eq!(done.code, 2, "{}", done.err);
    assert!(done.err.contains("error[TOKEN_EXPOSED]"), "{}", done.err);
    assert!(done.err.contains(&format!("chmod 600 '{}'", path.display())), "{}", done.err);
}
