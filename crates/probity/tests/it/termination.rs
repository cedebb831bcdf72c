//! SIGTERM in the middle of every kind of work: the process is gone within five seconds, what it knew is on
//! disk, and nothing is paid for twice.
#![expect(clippy::disallowed_methods, reason = "measures real time")]

use std::{
    fs,
    io::Write as _,
    net::TcpStream,
    process::{Child, Stdio},
    sync::Mutex,
    thread,
    time::{Duration, Instant},
};

use probity_testing::stolen_time::measured_seconds;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use crate::{
    client::{Client, Era},
    harness::{World, id_in, send_signal, wait_until},
    serve::TestServer,
};

/// What service managers and containers are told.
const GONE_MAX: Duration = Duration::from_secs(5);
/// A start that is accepted and never answered.
const UNANSWERED: &str = "[[hang accepted=true]] who answers";
/// One that is answered after two seconds, as world time runs ten times faster than ours.
const ANSWERED_LATE: &str = "[[slow-first-byte for_ms=20000 duration_ms=600000]] how late";
const SLOW: &str = "[[slow duration_ms=600000]] how slow";

/// The longest of all.
static WORST: Mutex<(Duration, String)> = Mutex::new((Duration::ZERO, String::new()));

fn record(what: &str, took: Duration) {
    {
        let mut worst = WORST.lock().unwrap();
        if took > worst.0 {
            *worst = (took, what.to_owned());
        }
    }
    assert!(took < GONE_MAX, "{what}: {took:?}");
}

/// One test, because its figure is the longest of all.
#[test]
fn every_kind_of_work_is_left_in_time() {
    measured_seconds("sigterm.worst", || {
        *WORST.lock().unwrap() = (Duration::ZERO, String::new());
        a_research_that_is_followed_goes_on_later();
        a_paid_start_that_is_answered_in_time_keeps_its_id();
        a_paid_start_that_is_never_answered_is_unknown_and_not_paid_again();
        servers_leave_a_start_that_is_never_answered();
        the_page_closes_under_open_connections();
        a_check_that_computes_is_left();
        the_background_process_is_left_too();
        let worst = WORST.lock().unwrap();
        eprintln!("figure: sigterm.worst {:.1} s ({})", worst.0.as_secs_f64(), worst.1);
    });
}

/// Sends SIGTERM and waits; returns exit code and what was said.
fn terminate(what: &str, mut child: Child) -> (Option<i32>, String) {
    let asked = Instant::now();
    send_signal(&child, Signal::TERM);
    while child.try_wait().unwrap().is_none() {
        if asked.elapsed() > GONE_MAX * 2 {
            child.kill().unwrap();
        }
        thread::sleep(Duration::from_millis(10));
    }
    record(what, asked.elapsed());
    let done = child.wait_with_output().unwrap();
    (done.status.code(), String::from_utf8_lossy(&done.stderr).into_owned())
}

fn a_research_that_is_followed_goes_on_later() {
    let world = World::new();
    let child = world.start(&["research", SLOW]);
    let id = world.wait_for_status("running_async");
    let (code, said) = terminate("research, followed", child);
    assert_eq!(code, Some(130), "{said}");
    assert!(said.contains(&format!("to come back: probity runs watch {id}")), "{said}");
    assert_eq!(world.json(&["runs", "show", "--json", &id])["status"], "running_async");
}

fn a_paid_start_that_is_answered_in_time_keeps_its_id() {
    let world = World::new();
    let child = world.start(&["research", ANSWERED_LATE]);
    wait_until("the start", || world.ledger().entries().len() == 1);
    let (code, said) = terminate("research, start under way", child);
    assert_eq!(code, Some(130), "{said}");
    let id = id_in(&said);
    let shown = world.json(&["runs", "show", "--json", &id]);
    assert_eq!(shown["status"], "running_async", "{shown}");
    assert_eq!(world.ledger().creates_for(&id), 1);
}

fn a_paid_start_that_is_never_answered_is_unknown_and_not_paid_again() {
    let world = World::new();
    let child = world.start(&["research", UNANSWERED]);
    wait_until("the start", || world.ledger().entries().len() == 1);
    let (code, said) = terminate("research, start never answered", child);
    assert_eq!(code, Some(130), "{said}");
    let id = id_in(&said);
    let resumed = world.run(&["runs", "resume", &id, "--json"]);
    assert!(resumed.out.contains("\"unknown\""), "{} {}", resumed.out, resumed.err);
    assert_eq!(world.ledger().creates_for(&id), 1);
}

fn servers_leave_a_start_that_is_never_answered() {
    let world = World::new();
    let mut child = world.command(&["mcp"]).stdin(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}});
    let start = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": "start_deep_research", "arguments": { "query": UNANSWERED }}});
    let begun = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    write!(input, "{hello}\n{begun}\n{start}\n").unwrap();
    wait_until("the start", || world.ledger().entries().len() == 1);
    assert_eq!(terminate("mcp, start never answered", child).0, Some(0));
    let world = World::new();
    let mut served = TestServer::start(&world);
    let mut client = Client::open(&world, Era::Old, &[("PROBITY_MCP__START_WAIT", "1s")]);
    client.done("start_deep_research", json!({ "query": UNANSWERED }));
    let asked = Instant::now();
    let done = served.signal(Signal::TERM);
    record("serve, start never answered", asked.elapsed());
    assert_eq!(done.code, 0, "{}", done.err);
    let id = world.json(&["runs", "list", "--json"])["researches"][0]["task_id"].as_str().unwrap().to_owned();
    let resumed = world.run(&["runs", "resume", &id, "--json"]);
    assert!(resumed.out.contains("\"unknown\""), "{} {}", resumed.out, resumed.err);
    assert_eq!(world.ledger().creates_for(&id), 1);
}

fn the_page_closes_under_open_connections() {
    let world = World::new();
    let mut child = world.start(&["ui"]);
    let mut line = String::new();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(child.stdout.as_mut().unwrap()), &mut line)
        .unwrap();
    let port = line.split([':', '/']).nth(4).unwrap().to_owned();
    let mut half = TcpStream::connect(format!("127.0.0.1:{port}")).unwrap();
    half.write_all(b"GET / HTTP/1.1\r\nhost: ").unwrap();
    assert_eq!(terminate("ui, half a request", child).0, Some(0));
}

/// Texts that take the checker long, and a page that takes the parser long.
fn a_check_that_computes_is_left() {
    let world = World::new();
    world.write("tags.md", &"<a href=\"x\" ".repeat(200_000));
    world.write("links.md", &"[a](http://127.0.0.1:9/b \"c\") says that 3 is 4. ".repeat(20_000));
    world.write("ticks.md", &(1..2_500).map(|length| "`".repeat(length) + " ").collect::<String>());
    world.write("deep.html", &"<div><p>it is 3".repeat(400_000));
    for name in ["tags.md", "links.md", "ticks.md", "deep.html"] {
        let mut command = world.command(&["verify", name, "--no-judge"]);
        let child = command.spawn().unwrap();
        thread::sleep(Duration::from_secs(1));
        let (code, said) = terminate(&format!("verify {name}"), child);
        // A process that had not begun to listen for signals ends by the signal itself; a check that
        // was through in the first second ends by what it found.
        assert!(matches!(code, Some(130 | 0 | 1 | 4 | 5) | None), "{name}: {code:?} {said}");
        assert_eq!(world.run(&["runs", "list", "--json"]).code, 0);
    }
}

fn the_background_process_is_left_too() {
    let world = World::new();
    let done = world.run(&["research", "--detach", UNANSWERED]);
    assert_eq!(done.code, 0, "{}", done.err);
    wait_until("the start", || world.ledger().entries().len() == 1);
    let home = world.home.path().display().to_string();
    let pids: Vec<i32> = fs::read_dir("/proc")
        .unwrap()
        .flatten()
        .filter_map(|entry| {
            let read = |name: &str| fs::read(entry.path().join(name)).unwrap_or_default();
            let ours = String::from_utf8_lossy(&read("environ")).contains(&home);
            (ours && read("cmdline").ends_with(b"\0drive\0"))
                .then(|| entry.file_name().to_str()?.parse().ok())?
        })
        .collect();
    assert_eq!(pids.len(), 1, "{pids:?}");
    let asked = Instant::now();
    kill_process(Pid::from_raw(pids[0]).unwrap(), Signal::TERM).unwrap();
    // Its parent is the system's first process, which may take its time to notice: then it is there as a zombie.
    let status = || fs::read_to_string(format!("/proc/{}/status", pids[0])).unwrap_or_default();
    wait_until("the background to end", || status().is_empty() || status().contains("State:\tZ"));
    record("drive, start never answered", asked.elapsed());
}
