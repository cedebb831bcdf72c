//! The bad lines themselves, and how valid ones are spoilt.

use serde_json::{Value, json};

use crate::{
    mcp::session::{ProtocolEra, request},
    simulation::simulation_random::SimulationRandom,
};

/// Beyond the longest line that the server takes, which is 4 MiB.
const TOO_LONG: [(&str, usize); 2] = [("a line of 5 MiB", 5 << 20), ("a line of 16 MiB", 16 << 20)];
/// Deeper than any parser's stack, if it had no limit.
const DEPTH: usize = 100_000;
/// One line is changed at most so often.
const CHANGES_MAX: u64 = 6;
/// Longest piece that one change removes, repeats or inserts.
const PIECE_BYTES_MAX: u64 = 24;

#[derive(Debug, Clone)]
pub struct MalformedLine {
    pub name: &'static str,
    pub bytes: Vec<u8>,
}

impl MalformedLine {
    /// The input ends inside a line: there is nobody to answer.
    pub fn is_cut(&self) -> bool {
        self.bytes.last() != Some(&b'\n')
    }
}

pub fn cases() -> Vec<MalformedLine> {
    let mut cases: Vec<MalformedLine> =
        TEXTS.iter().map(|(name, text)| line(name, text.as_bytes())).collect();
    cases.extend(TOO_LONG.iter().map(|(name, length)| line(name, &vec![b'x'; *length])));
    let long = json!({ "name": "list_research", "arguments": { "text": "x".repeat(5 << 20) } });
    cases.push(line(
        "a call of 5 MiB",
        request(ProtocolEra::Handshake, 7, "tools/call", long).to_string().as_bytes(),
    ));
    cases.push(line("deep arrays", "[".repeat(DEPTH).as_bytes()));
    cases.push(line("deep objects", "{\"a\":".repeat(DEPTH).as_bytes()));
    let nested = format!("{}{}", "[".repeat(DEPTH), "]".repeat(DEPTH));
    let deep = format!(r#"{{"jsonrpc":"2.0","id":7,"method":"ping","params":{{"a":{nested}}}}}"#);
    cases.push(line("deep parameters", deep.as_bytes()));
    cases.push(line("invalid UTF-8", b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"\xff\xfe\"}"));
    cases.push(line("only invalid UTF-8", b"\xff\xfe\xfd"));
    cases.push(line("NUL bytes", b"\0\0{\"jsonrpc\":\"2.0\",\0\"id\":7}\0"));
    cases.push(line("a byte order mark", b"\xef\xbb\xbf{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\"}"));
    cases.push(line(
        "a valid line that ends with CRLF",
        b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\"}\r",
    ));
    cases.push(line("empty lines", b"\n\r\n\n   \n\t"));
    cases.push(cut("the end inside a line", b"{\"jsonrpc\":\"2.0\",\"id\":7,\"meth"));
    cases.push(cut("the end inside a character", b"{\"jsonrpc\":\"2.0\",\"id\":\"\xe2\x82"));
    cases.push(cut("the end inside 5 MiB", &vec![b'['; 5 << 20]));
    cases.push(cut("the end at once", b""));
    cases
}

const TEXTS: &[(&str, &str)] = &[
    ("no JSON", "hello"),
    ("half an object", r#"{"jsonrpc":"2.0","id":7,"method":"tools/li"#),
    ("an empty array", "[]"),
    ("a batch", r#"[{"jsonrpc":"2.0","id":7,"method":"ping"},{"jsonrpc":"2.0","id":8,"method":"ping"}]"#),
    ("a number", "42"),
    ("a string", r#""ping""#),
    ("null", "null"),
    ("an empty object", "{}"),
    ("two documents", r#"{"jsonrpc":"2.0","id":7,"method":"ping"}{"jsonrpc":"2.0","id":8,"method":"ping"}"#),
    ("duplicate keys", r#"{"jsonrpc":"2.0","id":7,"id":8,"method":"ping","method":"tools/list"}"#),
    (
        "duplicate parameters",
        r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"a","name":"b"}}"#,
    ),
    ("jsonrpc 1.0", r#"{"jsonrpc":"1.0","id":7,"method":"ping"}"#),
    ("jsonrpc as a number", r#"{"jsonrpc":2.0,"id":7,"method":"ping"}"#),
    ("no jsonrpc", r#"{"id":7,"method":"ping"}"#),
    ("a null id", r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#),
    ("an id that is an array", r#"{"jsonrpc":"2.0","id":[7],"method":"ping"}"#),
    ("an id that is an object", r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#),
    ("a fractional id", r#"{"jsonrpc":"2.0","id":7.5,"method":"ping"}"#),
    ("a negative id", r#"{"jsonrpc":"2.0","id":-7,"method":"ping"}"#),
    ("an id beyond 64 bits", r#"{"jsonrpc":"2.0","id":99999999999999999999999999,"method":"ping"}"#),
    ("an infinite id", r#"{"jsonrpc":"2.0","id":1e999,"method":"ping"}"#),
    ("no method", r#"{"jsonrpc":"2.0","id":7}"#),
    ("a method that is a number", r#"{"jsonrpc":"2.0","id":7,"method":7}"#),
    ("an empty method", r#"{"jsonrpc":"2.0","id":7,"method":""}"#),
    ("parameters that are an array", r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":[1]}"#),
    ("parameters that are text", r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":"x"}"#),
    ("a tool name that is null", r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":null}}"#),
    ("metadata that is a number", r#"{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"_meta":7}}"#),
    ("a handshake without parameters", r#"{"jsonrpc":"2.0","id":7,"method":"initialize"}"#),
    (
        "a handshake of no version",
        r#"{"jsonrpc":"2.0","id":7,"method":"initialize","params":{"protocolVersion":7}}"#,
    ),
    ("an answer nobody asked for", r#"{"jsonrpc":"2.0","id":7,"result":{}}"#),
    ("an error nobody asked for", r#"{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":"x"}}"#),
    ("an answer and an error", r#"{"jsonrpc":"2.0","id":7,"result":{},"error":{"code":1,"message":"x"}}"#),
    (
        "a cancel of nothing",
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":77}}"#,
    ),
    ("a cancel without parameters", r#"{"jsonrpc":"2.0","method":"notifications/cancelled"}"#),
    (
        "progress of nothing",
        r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1}}"#,
    ),
    ("an unknown notification", r#"{"jsonrpc":"2.0","method":"notifications/nobody"}"#),
    ("lone surrogates", r#"{"jsonrpc":"2.0","id":"\ud800","method":"\udfff"}"#),
    ("an HTTP request", "POST /mcp HTTP/1.1\r\nhost: localhost\r\n\r"),
    ("a header of another framing", "Content-Length: 40\r\n\r"),
];

fn line(name: &'static str, bytes: &[u8]) -> MalformedLine {
    MalformedLine { name, bytes: [bytes, b"\n"].concat() }
}

fn cut(name: &'static str, bytes: &[u8]) -> MalformedLine {
    MalformedLine { name, bytes: bytes.to_vec() }
}

/// A valid message that costs nothing, before it is spoilt.
fn valid(dice: &SimulationRandom) -> Value {
    let era = if dice.chance(50) { ProtocolEra::Handshake } else { ProtocolEra::EachRequest };
    let id = dice.within(1_000_000..2_000_000);
    let task = format!("res_{:032x}", dice.wide());
    let tool = |name: &str, arguments: Value| {
        request(era, id, "tools/call", json!({ "name": name, "arguments": arguments }))
    };
    match dice.within(0..10) {
        0 => request(era, id, "ping", json!({})),
        1 => request(era, id, "tools/list", json!({ "cursor": "x" })),
        2 => request(era, id, "resources/read", json!({ "uri": format!("research://{task}/report") })),
        3 => request(era, id, "prompts/get", json!({ "name": "x", "arguments": { "id": task } })),
        4 => json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id } }),
        5 => json!({ "jsonrpc": "2.0", "id": id, "result": { "tools": [] } }),
        6 => tool("check_research_status", json!({ "task_id": task, "wait_seconds": 0 })),
        7 => tool("list_research", json!({ "text": "sky", "limit": 3, "since": "2026-01-01" })),
        8 => tool("cancel_research", json!({ "task_id": task, "save_partial": true })),
        _ => tool("estimate_research_cost", json!({ "query": "why is the sky blue?" })),
    }
}

/// One line with some of its bytes changed; now and then the line end is among them.
pub fn mutated(dice: &SimulationRandom) -> Vec<u8> {
    let mut bytes = valid(dice).to_string().into_bytes();
    for _ in 0..dice.within(1..CHANGES_MAX) {
        change(&mut bytes, dice);
    }
    bytes.push(b'\n');
    bytes
}

fn change(bytes: &mut Vec<u8>, dice: &SimulationRandom) {
    let at = dice.within(0..bytes.len() as u64 + 1) as usize;
    let end = (at + dice.within(1..PIECE_BYTES_MAX) as usize).min(bytes.len());
    let piece = bytes.get(at..end).unwrap_or_default().to_vec();
    match dice.within(0..6) {
        0 => {
            if let Some(byte) = bytes.get_mut(at) {
                *byte = dice.bits().to_le_bytes().first().copied().unwrap_or_default();
            }
        }
        1 => drop(bytes.splice(at..end, [])),
        2 => drop(bytes.splice(at..at, piece)),
        3 => drop(bytes.splice(at..at, dice.bits().to_le_bytes())),
        4 => {
            let words: [&[u8]; 8] = [b"null", b"-1", b"1e999", b"{}", b"[[[[", b"\"\"", b"\\ud800", b"\n"];
            let word = dice.pick(&words).copied().unwrap_or_default();
            bytes.splice(at..end, word.iter().copied());
        }
        _ => bytes.truncate(at),
    }
}
