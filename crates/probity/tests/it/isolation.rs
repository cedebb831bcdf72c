//! Two people on one server: everything that takes an id, in both eras. What belongs to the one must look to the other
//! like something that never was.
#![expect(clippy::disallowed_methods, reason = "listens for a while")]

use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::{
    harness::{WAIT_MAX, World, figure, wait_until},
    serve::TestServer,
};

/// An id that nobody was ever given.
const NEVER: &str = "res_00000000000000000000000000000000";
/// How long a stranger listens for news of a research that changes meanwhile.
const LISTEN: Duration = Duration::from_secs(4);
/// Long enough to be found running, and to change while somebody listens: world time runs ten times faster than ours.
const SLOW: &str = "[[slow duration_ms=600000]] what anna is waiting for";
const SOON: &str = "[[completed duration_ms=300]] what anna knows";
/// Estimates follow finished researches from five on: somebody else's must not count.
const FINISHED: usize = 6;
/// What this test needs of the server.
const SETTINGS: &str =
    "[serve]\ncalls_per_second = 100000\n[mcp]\nstart_wait = \"1s\"\nask_above_usd = 1000\n";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum HttpEra {
    Modern,
    Legacy,
}

/// Whether the owner may try it too, without changing what the next request sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OwnerControl {
    Reads,
    /// There is something to read once it is finished.
    ReadsReport,
    Changes,
}
use OwnerControl::{Changes, Reads, ReadsReport};

/// Every request that takes an id: `ID` stands for it, `TYPED` for its first letters.
#[rustfmt::skip]
const REQUESTS: &[(&[HttpEra], &str, &str, OwnerControl)] = &[
    (BOTH, "tools/call", r#"{"name":"check_research_status","arguments":{"task_id":"ID"}}"#, Reads),
    (BOTH, "tools/call", r#"{"name":"get_research_results","arguments":{"task_id":"ID"}}"#, Reads),
    (BOTH, "tools/call", r#"{"name":"save_research_to_markdown","arguments":{"task_id":"ID"}}"#, Reads),
    (BOTH, "tools/call", r#"{"name":"cancel_research","arguments":{"task_id":"ID"}}"#, Changes),
    (BOTH, "tools/call", r#"{"name":"follow_up_research","arguments":{"task_id":"ID","question":"and then?"}}"#, Changes),
    (BOTH, "resources/read", r#"{"uri":"research://ID/report"}"#, ReadsReport),
    (BOTH, "resources/read", r#"{"uri":"research://ID/report/at-0"}"#, Changes),
    (BOTH, "resources/read", r#"{"uri":"research://ID/sources"}"#, ReadsReport),
    (BOTH, "resources/read", r#"{"uri":"research://ID/evidence"}"#, Changes),
    (BOTH, "resources/read", r#"{"uri":"research://ID/rounds/1"}"#, Changes),
    (BOTH, "prompts/get", r#"{"name":"verify_report","arguments":{"task_id":"ID"}}"#, Reads),
    (BOTH, "completion/complete", r#"{"ref":{"type":"ref/resource","uri":"research://{id}/report"},"argument":{"name":"id","value":"TYPED"}}"#, Reads),
    (BOTH, "completion/complete", r#"{"ref":{"type":"ref/prompt","name":"verify_report"},"argument":{"name":"task_id","value":"TYPED"}}"#, Reads),
    (&[HttpEra::Modern], "tasks/get", r#"{"taskId":"ID"}"#, Reads),
    (&[HttpEra::Modern], "tasks/update", r#"{"taskId":"ID","inputResponses":{}}"#, Changes),
    (&[HttpEra::Modern], "tasks/cancel", r#"{"taskId":"ID"}"#, Changes),
    (&[HttpEra::Legacy], "resources/subscribe", r#"{"uri":"research://ID/report"}"#, Reads),
];
const BOTH: &[HttpEra] = &[HttpEra::Modern, HttpEra::Legacy];

/// Requests without an id, whose answers must not change when somebody else works.
const GENERAL: &[(&str, &str)] = &[
    ("tools/call", r#"{"name":"list_research","arguments":{}}"#),
    ("tools/call", r#"{"name":"estimate_research_cost","arguments":{"query":"what anna knows"}}"#),
    ("tools/list", "{}"),
    ("resources/list", "{}"),
    ("resources/templates/list", "{}"),
    ("prompts/list", "{}"),
];

/// Someone with a token, in one era.
struct TokenHolder<'a> {
    host: &'a str,
    era: HttpEra,
    token: &'a str,
    session: Option<String>,
}

struct HttpReply {
    status: u16,
    head: String,
    body: String,
}

impl HttpReply {
    fn read(mut stream: TcpStream) -> Self {
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        Self { status: head[9..12].parse().unwrap(), head: head.to_owned(), body: body.to_owned() }
    }

    /// The answer to the request: the whole body, or the last message of a stream.
    fn message(&self) -> String {
        let streamed = self.body.lines().filter_map(|line| line.strip_prefix("data: ")).next_back();
        streamed.unwrap_or(&self.body).to_owned()
    }

    /// Status and answer, with this id taken out: what is left must not depend on whether the id exists.
    fn without(&self, id: &str) -> (u16, String) {
        (self.status, self.message().replace(id.trim_start_matches("res_"), "ID"))
    }
}

impl<'a> TokenHolder<'a> {
    fn new(server: &'a TestServer<'_>, era: HttpEra, token: &'a str) -> Self {
        let mut person = Self { host: &server.host, era, token, session: None };
        if era == HttpEra::Legacy {
            let hello = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" } });
            let answer = HttpReply::read(person.send("initialize", hello));
            let session = answer.head.lines().find_map(|line| line.strip_prefix("mcp-session-id: "));
            person.session = Some(session.unwrap().to_owned());
            HttpReply::read(person.write(
                "POST",
                "",
                r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
            ));
        }
        person
    }

    fn call(&self, method: &str, params: &str, id: &str) -> HttpReply {
        let params = params.replace("ID", id).replace("TYPED", &id[..12]);
        HttpReply::read(self.send(method, serde_json::from_str(&params).unwrap()))
    }

    fn tool(&self, name: &str, arguments: Value) -> HttpReply {
        HttpReply::read(self.send("tools/call", json!({ "name": name, "arguments": arguments })))
    }

    fn send(&self, method: &str, mut params: Value) -> TcpStream {
        let mut head = String::new();
        if self.era == HttpEra::Modern {
            head = format!("mcp-protocol-version: 2026-07-28\r\nmcp-method: {method}\r\n");
            let named = ["name", "uri", "taskId"].iter().find_map(|key| params[*key].as_str());
            head.extend(named.map(|name| format!("mcp-name: {name}\r\n")));
            params["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
                "io.modelcontextprotocol/clientCapabilities": { "extensions": { "io.modelcontextprotocol/tasks": {} } },
            });
        }
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        self.write("POST", &head, &body.to_string())
    }

    /// One request on a connection of its own, in the revision of HTTP whose bodies come in one piece.
    fn write(&self, verb: &str, head: &str, body: &str) -> TcpStream {
        let session = self.session.iter().map(|session| format!("mcp-session-id: {session}\r\n"));
        let head = session.chain([head.to_owned()]).collect::<String>();
        let mut stream = TcpStream::connect(self.host).unwrap();
        stream.set_read_timeout(Some(WAIT_MAX)).unwrap();
        write!(
            stream,
            "{verb} /mcp HTTP/1.0\r\nhost: {}\r\nauthorization: Bearer {}\r\ncontent-type: application/json\r\n\
             accept: application/json, text/event-stream\r\n{head}content-length: {}\r\n\r\n{body}",
            self.host,
            self.token,
            body.len()
        )
        .unwrap();
        stream
    }

    fn general(&self) -> Vec<String> {
        GENERAL.iter().map(|(method, params)| self.call(method, params, NEVER).message()).collect()
    }

    /// What comes while this research changes.
    fn heard(&self, id: &str) -> String {
        let uri = format!("research://{id}/report");
        let mut stream = match self.era {
            HttpEra::Modern => self
                .send("subscriptions/listen", json!({ "notifications": { "resourceSubscriptions": [uri] } })),
            HttpEra::Legacy => {
                let stream = self.write("GET", "", "");
                HttpReply::read(self.send("resources/subscribe", json!({ "uri": uri })));
                stream
            }
        };
        stream.set_read_timeout(Some(Duration::from_millis(100))).unwrap();
        let (began, mut heard, mut bytes) = (Instant::now(), String::new(), [0; 4096]);
        while began.elapsed() < LISTEN {
            let read = stream.read(&mut bytes).unwrap_or(0);
            heard.push_str(&String::from_utf8_lossy(&bytes[..read]));
        }
        heard
    }

    fn start(&self, question: &str) -> String {
        let answer =
            self.tool("start_deep_research", json!({ "query": question, "enable_notifications": false }));
        let message: Value = serde_json::from_str(&answer.message()).unwrap();
        message["result"]["structuredContent"]["task_id"].as_str().expect(&answer.body).to_owned()
    }
}

fn token(world: &World, server: &TestServer<'_>, name: &str) -> String {
    let token = world.run(&["serve", "token", "add", name]).out.trim().to_owned();
    wait_until("the token", || server.status_with(&token) != 401);
    token
}

#[test]
fn what_belongs_to_another_person_is_not_there() {
    let world = World::new();
    world.write("config/probity/config.toml", SETTINGS);
    let server = TestServer::start(&world);
    let (anna, ben) = (token(&world, &server, "anna"), token(&world, &server, "ben"));
    let (mut tried, mut controls) = (0, 0);
    // What a stranger sees before there is anything to see.
    let before: Vec<_> = BOTH.iter().map(|era| TokenHolder::new(&server, *era, &ben).general()).collect();
    let starter = TokenHolder::new(&server, HttpEra::Legacy, &anna);
    let mut done = String::new();
    for _ in 0..FINISHED {
        done = starter.start(SOON);
        let status = starter.tool("check_research_status", json!({ "task_id": done, "wait_seconds": 30 }));
        assert!(status.body.contains("completed"), "{}", status.body);
    }
    for (era, before) in BOTH.iter().copied().zip(before) {
        let running = starter.start(SLOW);
        let (own, stranger) = (TokenHolder::new(&server, era, &anna), TokenHolder::new(&server, era, &ben));
        for id in [&done, &running] {
            let asked = REQUESTS.iter().filter(|(eras, ..)| eras.contains(&era));
            for (_, method, params, control) in asked {
                let nothing = stranger.call(method, params, NEVER).without(NEVER);
                assert_eq!(stranger.call(method, params, id).without(id), nothing, "{era:?} {params}");
                tried += 1;
                if *control == Reads || (*control == ReadsReport && *id == done) {
                    let mine = own.call(method, params, id);
                    assert!(
                        mine.status == 200 && mine.without(id) != nothing,
                        "{era:?} {params} {}",
                        mine.body
                    );
                    controls += 1;
                }
            }
        }
        let theirs = stranger.heard(&running);
        assert!(!theirs.contains("resources/updated"), "{era:?} heard {theirs}");
        let mine = own.heard(&running);
        assert!(mine.contains("resources/updated"), "{era:?} listening: {mine}");
        // Somebody else's session, used in every way a session is used.
        for (verb, body) in
            [("POST", r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#), ("GET", ""), ("DELETE", "")]
        {
            let Some(session) = own.session.clone() else { break };
            let used = |session: &str| {
                let thief = TokenHolder {
                    session: Some(session.to_owned()),
                    ..TokenHolder::new(&server, HttpEra::Modern, &ben)
                };
                HttpReply::read(thief.write(verb, "", body)).without(session)
            };
            assert_eq!(used(&session), used("00000000-0000-4000-8000-000000000000"), "{verb}");
            tried += 1;
        }
        for (then, now) in before.into_iter().zip(stranger.general()) {
            assert!(then == now && !now.contains(&done) && !now.contains(&running), "{era:?} changed: {now}");
            tried += 1;
        }
        // After all that, it still runs: nobody but its owner can end it.
        for (tool, said) in [("check_research_status", "running_async"), ("cancel_research", "cancel")] {
            let status = own.tool(tool, json!({ "task_id": running }));
            assert!(status.body.contains(said), "{era:?} {}", status.body);
        }
        (tried, controls) = (tried + 1, controls + 3);
    }
    figure("http.isolation", &format!("0 of {tried}"));
    figure("http.isolation.note", &format!("{controls} allowed requests went through beside them"));
}
