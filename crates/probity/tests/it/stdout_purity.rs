//! Every tool through its good and bad paths with the log at its loudest: each line of stdout is a JSON-RPC message, and
//! every request is answered. A panic inside a tool is provoked by the unit tests of `probity-server`.
#![expect(clippy::disallowed_methods, reason = "mounts a disk")]

use std::{fs, path::Path, process::Command};

use probity_server::tools::ToolName;
use serde_json::{Value, json};

use crate::{
    client::{Client, Era},
    harness::{WAIT_MAX, World, figure},
};

const NOBODY: &str = "res_00000000000000000000000000000000";

/// Ways in which the provider misbehaves, and the good one.
#[rustfmt::skip]
const SCENARIOS: &[&str] = &[
    "completed duration_ms=200", "partial duration_ms=500", "failed", "incomplete", "expired", "budget-exceeded",
    "empty-report", "unknown-enums", "usage-missing", "huge bytes=300000", "garbage-get", "stream-error", "create-lost",
    "create-html", "create-cut-after-id", "error-400", "error-401", "error-403", "error-404-array", "error-429-daily",
    "error-500-html", "error-503-json", "cancel-ok duration_ms=60000", "cancel-400 duration_ms=60000",
    "cancel-404-array duration_ms=60000",
];
/// Every method, well and badly asked. `NOBODY` stands for an id that was never given.
#[rustfmt::skip]
const METHODS: &[(&str, &str)] = &[
    ("ping", "{}"), ("tools/list", "{}"), ("prompts/list", "{}"), ("resources/list", "{}"),
    ("resources/templates/list", "{}"), ("server/discover", "{}"), ("logging/setLevel", r#"{"level":"debug"}"#),
    ("nobody/knows", "{}"), ("", "{}"), ("tasks/get", r#"{"taskId":"NOBODY"}"#), ("tasks/cancel", r#"{"taskId":"NOBODY"}"#),
    ("resources/read", r#"{"uri":"research://NOBODY/report"}"#), ("resources/read", r#"{"uri":"file:///etc/passwd"}"#),
    ("resources/subscribe", r#"{"uri":"research://NOBODY/report"}"#), ("prompts/get", r#"{"name":"nobody"}"#),
    ("completion/complete", r#"{"ref":7}"#), ("tools/call", r#"{"name":"no_such_tool","arguments":{}}"#),
    ("tools/call", r#"{"name":7}"#), ("tools/call", r#"{"name":"list_research","arguments":"text"}"#),
];
const BAD_ARGUMENTS: &[&str] = &[
    "{}",
    r#"{"task_id":7,"query":7}"#,
    r#"{"task_id":"nonsense\u001b[31m\n","query":""}"#,
    r#"{"task_id":"NOBODY","question":"why?"}"#,
    r#"{"task_id":"NOBODY","nobody_knows":true}"#,
    r#"{"query":"LONG"}"#,
    r#"{"query":"why?","model":"no-such-model"}"#,
    r#"{"status":"no-such-status","cursor":"x","limit":-1}"#,
];

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

/// A disk in memory, which can be made read-only for root too.
struct MemoryDisk<'a>(&'a Path);

impl<'a> MemoryDisk<'a> {
    fn mount(at: &'a Path) -> Self {
        fs::create_dir_all(at).unwrap();
        let disk = Self(at);
        disk.run("mount", &["-t", "tmpfs", "-o", "size=64m", "tmpfs"]);
        disk
    }

    fn run(&self, program: &str, arguments: &[&str]) {
        assert!(Command::new(program).args(arguments).arg(self.0).status().unwrap().success(), "{program}");
    }
}

impl Drop for MemoryDisk<'_> {
    fn drop(&mut self) {
        self.run("umount", &["--lazy"]);
    }
}

/// One JSON-RPC 2.0 message: a request, a notification or a response. MCP leaves out the id of an error whose request
/// could not be read.
fn is_message(line: &[u8]) -> bool {
    let Ok(Value::Object(message)) = serde_json::from_slice::<Value>(line) else { return false };
    let has = |name: &str| message.contains_key(name);
    let id_is_right = message.get("id").is_none_or(|id| id.is_string() || id.is_i64() || id.is_u64());
    let is_call = message.get("method").is_some_and(Value::is_string) && !has("result") && !has("error");
    let is_result = has("result") && has("id") && !has("error") && !has("method");
    let code = message.get("error").and_then(|error| error.get("code"));
    let is_error = code.is_some_and(Value::is_i64) && !has("result") && !has("method");
    message.get("jsonrpc") == Some(&json!("2.0")) && id_is_right && (is_call || is_result || is_error)
}

/// The judge must tell what is a message from what is not.
fn planted() -> usize {
    let bad = [
        "INFO probity: ready",
        "",
        "{}",
        "[]",
        r#"{"jsonrpc":"2.0","id":1}"#,
        r#"{"jsonrpc":"1.0","id":1,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{}} {}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{"te"#,
    ];
    let good = [
        r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
        r#"{"jsonrpc":"2.0","error":{"code":-32600,"message":""}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{}}"#,
    ];
    assert!(good.iter().all(|line| is_message(line.as_bytes())));
    assert!(!bad.iter().any(|line| is_message(line.as_bytes())));
    bad.len()
}

/// Every path in one session, and how many requests that were.
fn walk(client: &mut Client) -> usize {
    let filled = |text: &str| -> Value {
        let text = text.replace("NOBODY", NOBODY).replace("LONG", &"x".repeat(40_000));
        serde_json::from_str(&text).unwrap()
    };
    let mut requests = 0;
    let mut ask = |client: &mut Client, method: &str, params: Value| {
        requests += 1;
        client.ask(method, params)
    };
    let call = |tool: &str, arguments: Value| json!({ "name": tool, "arguments": arguments, "_meta": { "progressToken": 1 } });
    for (method, params) in METHODS {
        ask(client, method, filled(params));
    }
    for tool in ToolName::ALL {
        for arguments in BAD_ARGUMENTS {
            ask(client, "tools/call", call(tool.as_str(), filled(arguments)));
        }
    }
    // All at once.
    let begun: Vec<u64> = SCENARIOS
        .iter()
        .map(|scenario| json!({ "query": format!("[[{scenario}]] why?"), "enable_notifications": false }))
        .map(|arguments| client.begin("tools/call", call("start_deep_research", arguments)))
        .collect();
    let answers = begun.into_iter().map(|id| client.answer(id)).collect::<Vec<_>>();
    ask(client, "tools/call", call("list_research", json!({ "text": "why", "limit": 3 })));
    ask(client, "tools/call", call("estimate_research_cost", json!({ "query": "why is the sky blue?" })));
    for (scenario, answer) in SCENARIOS.iter().zip(answers) {
        let Some(id) = answer["result"]["structuredContent"]["task_id"].as_str() else { continue };
        let status = json!({ "task_id": id, "wait_seconds": 1 });
        ask(client, "tools/call", call("check_research_status", status));
        let results = json!({ "task_id": id, "include_sources": false });
        ask(client, "tools/call", call("get_research_results", results));
        ask(client, "tools/call", call("save_research_to_markdown", json!({ "task_id": id })));
        if scenario.starts_with("cancel") || scenario.starts_with("huge") {
            ask(client, "tools/call", call("cancel_research", json!({ "task_id": id })));
        }
        ask(client, "resources/read", json!({ "uri": format!("research://{id}/report") }));
        ask(client, "resources/subscribe", json!({ "uri": format!("research://{id}/status") }));
        ask(client, "tasks/get", json!({ "taskId": id }));
        if scenario.starts_with("completed") {
            let outside = json!({ "task_id": id, "output_dir": "../../outside" });
            ask(client, "tools/call", call("save_research_to_markdown", outside));
            let question = json!({ "task_id": id, "question": "[[follow-up]] and then?" });
            ask(client, "tools/call", call("follow_up_research", question));
            let argument = json!({ "name": "id", "value": "res" });
            let template = json!({ "type": "ref/resource", "uri": "research://{id}/report" });
            ask(client, "completion/complete", json!({ "ref": template, "argument": argument }));
        }
    }
    // A line that nobody could read, and then one that must be answered all the same.
    client.say(b"this is not JSON\n{\"jsonrpc\":\"2.0\",\"id\":[]}\n");
    ask(client, "tools/list", json!({}));
    requests + SCENARIOS.len()
}

#[test]
fn every_line_on_stdout_is_a_message() {
    let is_root = rustix::process::geteuid().is_root();
    let (mut lines, mut requests, mut sessions, mut log_bytes) = (0, 0, 0, 0);
    let all = [
        ServerSurroundings::Nothing,
        ServerSurroundings::NoKey,
        ServerSurroundings::NoProvider,
        ServerSurroundings::ReadOnlyStore,
        ServerSurroundings::BrokenTemplate,
        ServerSurroundings::NoStore,
    ];
    let possible = all.into_iter().filter(|around| is_root || *around != ServerSurroundings::ReadOnlyStore);
    for (around, era) in possible.flat_map(|around| [(around, Era::Old), (around, Era::New)]) {
        let world = World::new();
        let disk = world.home.path().join("data");
        let mounted = (around == ServerSurroundings::ReadOnlyStore).then(|| MemoryDisk::mount(&disk));
        if around == ServerSurroundings::NoStore {
            world.write("data/probity", "in the way");
        } else {
            world.run(&["research", "[[completed duration_ms=100]] before?", "--json"]);
        }
        if let Some(disk) = &mounted {
            disk.run("mount", &["-o", "remount,ro"]);
        }
        let mut command = world.command(&["-vv", "mcp"]);
        command.env("PROBITY_LOG", "trace");
        command.env("PROBITY_MCP__START_WAIT", "2s").env("PROBITY_MCP__CALL_WAIT", "2s");
        match around {
            ServerSurroundings::NoKey => {
                command.env_remove("GEMINI_API_KEY");
            }
            ServerSurroundings::NoProvider => {
                command.env("GOOGLE_GEMINI_BASE_URL", "http://127.0.0.1:1");
            }
            ServerSurroundings::BrokenTemplate => {
                world.write("broken.jinja", "{% for source in %}{{ nothing");
                command.env("PROBITY_REPORTS__TEMPLATE", world.home.path().join("broken.jinja"));
            }
            ServerSurroundings::Nothing | ServerSurroundings::ReadOnlyStore | ServerSurroundings::NoStore => {
            }
        }
        let mut client = Client::start(command, era);
        // A server that cannot start at all says so on stderr and answers nobody.
        let starts = ![ServerSurroundings::NoStore, ServerSurroundings::BrokenTemplate].contains(&around);
        if starts {
            client.greet();
            requests += walk(&mut client) + usize::from(matches!(era, Era::Old));
        }
        let ended = client.end(WAIT_MAX);
        assert_eq!(
            (ended.is_clean(), ended.lines.is_empty()),
            (starts, !starts),
            "{around:?}: {}",
            ended.said
        );
        let impure = ended.lines.iter().find(|line| !is_message(line));
        assert_eq!(impure.map(|line| String::from_utf8_lossy(line)), None, "{around:?}");
        (lines, log_bytes, sessions) =
            (lines + ended.lines.len(), log_bytes + ended.said.len(), sessions + 1);
    }
    let left_out = if is_root { "" } else { "; the read-only store was left out: it needs root" };
    figure("stdout", &format!("0 of {lines}; 0 of {requests} requests unanswered"));
    figure(
        "stdout.note",
        &format!(
            "{} kB of log went to stderr in {sessions} sessions; control: {planted} of {planted} \
         planted bad lines were seen{left_out}",
            log_bytes / 1024,
            planted = planted()
        ),
    );
}
