//! Lines that no client should send. Each on a server of its own, before and after the handshake; then all of them in
//! one session, and many lines made by seeded mutation. A valid request afterwards must be answered, and the server ends
//! by itself.
#![expect(clippy::disallowed_methods, reason = "starts shells")]

use std::{
    cmp::max,
    fs,
    process::Command,
    sync::atomic::{AtomicUsize, Ordering},
    thread,
    time::Duration,
};

use serde_json::json;

use crate::{
    client::{Client, Era},
    harness::{World, figure, sized},
    seeded_random::SeededRandom,
};

/// A client that closed stdin waits about this long before it sends a signal.
const LEAVES_WITHIN: Duration = Duration::from_secs(5);
/// A server at rest has a tenth of this; a line of 16 MiB must not be kept.
const RESIDENT_MIB_MAX: usize = 256;
/// Deeper than any parser's stack, if it had no limit.
const DEPTH: usize = 100_000;
/// Lines between two looks whether the server still answers. Small enough that no pipe fills up.
const LINES_AT_ONCE: usize = 25;
/// Any seed will do; a fixed one makes a failure repeatable.
const SEED: u64 = 20_261_115;
const SIDE_BY_SIDE: usize = 4;

/// Names and bytes; without a line end the input ends inside a line, and there is nobody to answer.
fn cases() -> Vec<(String, Vec<u8>)> {
    let mebibytes = |count: usize, byte: u8| vec![byte; count << 20];
    let call = br#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"list_research","arguments":{"text":""#;
    let nested = [b"[".repeat(DEPTH), b"]".repeat(DEPTH)].concat();
    let deep =
        [br#"{"jsonrpc":"2.0","id":7,"method":"ping","params":{"a":"#.to_vec(), nested, b"}}".to_vec()];
    let mut cases: Vec<(String, Vec<u8>)> = include_str!("malformed.txt")
        .lines()
        .map(|line| line.split_once('\t').unwrap())
        .map(|(name, text)| (name.to_owned(), text.as_bytes().to_vec()))
        .collect();
    cases.extend(
        [
            ("an HTTP request", b"POST /mcp HTTP/1.1\r\nhost: localhost\r\n\r".to_vec()),
            ("a header of another framing", b"Content-Length: 40\r\n\r".to_vec()),
            ("a line of 5 MiB", mebibytes(5, b'x')),
            ("a line of 16 MiB", mebibytes(16, b'x')),
            ("a call of 5 MiB", [call.to_vec(), mebibytes(5, b'x'), b"\"}}}".to_vec()].concat()),
            ("deep arrays", b"[".repeat(DEPTH)),
            ("deep objects", b"{\"a\":".repeat(DEPTH)),
            ("deep parameters", deep.concat()),
            ("invalid UTF-8", b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"\xff\xfe\"}".to_vec()),
            ("only invalid UTF-8", b"\xff\xfe\xfd".to_vec()),
            ("NUL bytes", b"\0\0{\"jsonrpc\":\"2.0\",\0\"id\":7}\0".to_vec()),
            ("a byte order mark", b"\xef\xbb\xbf{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\"}".to_vec()),
            (
                "a valid line that ends with CRLF",
                b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\"}\r".to_vec(),
            ),
            ("empty lines", b"\n\r\n\n   \n\t".to_vec()),
        ]
        .map(|(name, bytes)| (name.to_owned(), bytes)),
    );
    cases.iter_mut().for_each(|(_, bytes)| bytes.push(b'\n'));
    let cut = [
        ("the end inside a line", b"{\"jsonrpc\":\"2.0\",\"id\":7,\"meth".to_vec()),
        ("the end inside a character", b"{\"jsonrpc\":\"2.0\",\"id\":\"\xe2\x82".to_vec()),
        ("the end inside 5 MiB", mebibytes(5, b'[')),
        ("the end at once", Vec::new()),
    ];
    cases.extend(cut.map(|(name, bytes)| (name.to_owned(), bytes)));
    cases
}

#[track_caller]
fn answers(client: &mut Client) {
    client.done("list_research", json!({}));
}

/// Ends as it should; the memory it had before, in MiB.
#[track_caller]
fn leaves(client: Client, after: &str) -> usize {
    let status = fs::read_to_string(format!("/proc/{}/status", client.pid())).unwrap_or_default();
    let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:")?.split_whitespace().next());
    let mebibytes = resident.map_or(0, |kib| kib.parse::<usize>().unwrap() / 1024);
    let ended = client.end(LEAVES_WITHIN);
    assert!(ended.is_clean() && mebibytes <= RESIDENT_MIB_MAX, "{after}: {mebibytes} MiB, {ended:?}");
    mebibytes
}

fn one(world: &World, name: &str, bytes: &[u8], is_greeted: bool) -> usize {
    let mut client = Client::start(world.command(&["mcp"]), Era::Old);
    if is_greeted {
        client.greet();
    }
    client.say(bytes);
    if bytes.last() == Some(&b'\n') {
        if !is_greeted {
            client.greet();
        }
        answers(&mut client);
    }
    leaves(client, name)
}

fn all_in_one(world: &World, cases: &[(String, Vec<u8>)]) -> usize {
    let mut client = Client::open(world, Era::Old, &[]);
    for (_, bytes) in cases.iter().filter(|(_, bytes)| bytes.last() == Some(&b'\n')) {
        client.say(bytes);
        answers(&mut client);
    }
    leaves(client, "all in one session")
}

/// Lines that were valid before some of their bytes were changed.
fn mutated(world: &World, lines: usize) -> usize {
    let mut client = Client::open(world, Era::Old, &[]);
    let mut dice = SeededRandom(SEED);
    for _ in 0..lines / LINES_AT_ONCE {
        for _ in 0..LINES_AT_ONCE {
            client.say(&dice.line());
        }
        answers(&mut client);
    }
    leaves(client, &format!("{lines} lines of seed {SEED}"))
}

impl SeededRandom {
    /// A valid message that costs nothing, with some of its bytes changed; now and then the line end is among them.
    fn line(&mut self) -> Vec<u8> {
        let id = 1_000_000 + self.below(1_000_000);
        let task = format!("res_{:032x}", self.below(usize::MAX));
        let call = |name: &str, arguments: &str| {
            format!(r#""tools/call","params":{{"name":"{name}","arguments":{arguments},META}}"#)
        };
        let of_task = format!(r#"{{"task_id":"{task}","wait_seconds":0,"save_partial":true}}"#);
        let method = match self.below(9) {
            0 => r#""ping","params":{META}"#.to_owned(),
            1 => r#""tools/list","params":{"cursor":"x",META}"#.to_owned(),
            2 => format!(r#""resources/read","params":{{"uri":"research://{task}/report",META}}"#),
            3 => format!(r#""prompts/get","params":{{"name":"x","arguments":{{"id":"{task}"}},META}}"#),
            4 => format!(r#""notifications/cancelled","params":{{"requestId":{id},META}}"#),
            5 => call("check_research_status", &of_task),
            6 => call("list_research", r#"{"text":"sky","limit":3,"since":"2026-01-01"}"#),
            7 => call("cancel_research", &of_task),
            _ => call("estimate_research_cost", r#"{"query":"why is the sky blue?"}"#),
        };
        let meta = if self.below(2) == 0 { r#""_meta":{}"# } else { MODERN };
        let text = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":{}}}"#, method.replace("META", meta));
        let answer = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"tools":[]}}}}"#);
        let mut bytes = if self.below(10) == 0 { answer } else { text }.into_bytes();
        for _ in 0..=self.below(5) {
            self.change(&mut bytes);
        }
        bytes.push(b'\n');
        bytes
    }

    fn change(&mut self, bytes: &mut Vec<u8>) {
        let at = self.below(bytes.len() + 1);
        let end = (at + 1 + self.below(23)).min(bytes.len());
        let words: [&[u8]; 8] = [b"null", b"-1", b"1e999", b"{}", b"[[[[", b"\"\"", b"\\ud800", b"\n"];
        let any = self.below(usize::MAX).to_le_bytes();
        match self.below(6) {
            0 => drop(bytes.splice(at..end.min(at + 1), [any[0]])),
            1 => drop(bytes.splice(at..end, [])),
            2 => drop(bytes.splice(at..at, bytes[at..end].to_vec())),
            3 => drop(bytes.splice(at..at, any)),
            4 => drop(bytes.splice(at..end, words[self.below(words.len())].iter().copied())),
            _ => bytes.truncate(at),
        }
    }
}

/// What every request of the newer era says.
const MODERN: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"test","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}"#;

/// The judge must see a server that hangs, one that dies and one that panics.
fn planted() -> usize {
    let scripts =
        ["while :; do sleep 1; done", "exit 3", "cat >/dev/null; echo \"thread 'main' panicked at x\" >&2"];
    for script in scripts {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        assert!(!Client::start(command, Era::Old).end(Duration::from_secs(1)).is_clean(), "{script}");
    }
    scripts.len()
}

#[test]
fn malformed_input_never_hangs_crashes_or_fills_the_memory() {
    let (world, cases, next) = (World::new(), cases(), AtomicUsize::new(0));
    let work = || {
        let mut most = 0;
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some((name, bytes)) = cases.get(number / 2) else { return most };
            most = max(most, one(&world, name, bytes, number % 2 == 1));
        }
    };
    let most = thread::scope(|scope| {
        let workers = [(); SIDE_BY_SIDE].map(|()| scope.spawn(work));
        workers.map(|worker| worker.join().unwrap()).into_iter().max().unwrap()
    });
    let lines = sized(500, 5_000);
    let most = max(most, max(all_in_one(&world, &cases), mutated(&world, lines)));
    figure("malformed", &format!("0 of {} cases", cases.len() * 2 + 2));
    figure(
        "malformed.note",
        &format!(
            "one of them {lines} mutated lines; most memory {most} MiB; control: {planted} of \
         {planted} planted failures were seen",
            planted = planted()
        ),
    );
}
