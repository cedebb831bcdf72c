//! Clients that write as fast as they can and never read an answer: what they may take of the memory, what
//! other clients notice, and that the process still ends.
#![expect(clippy::disallowed_methods, reason = "measures memory and waiting in real time")]

use std::{
    fs,
    io::{BufRead as _, BufReader, ErrorKind, Read as _, Write},
    net::TcpStream,
    os::{fd::AsFd, unix::net::UnixStream},
    process::{Child, Stdio},
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

use probity_testing::stolen_time::measured_seconds;
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use serde_json::{Value, json};

use crate::{
    harness::{World, id_in, sized, wait_until},
    serve::TestServer,
};

/// What such a client may take of the memory.
const MEMORY_MB_MAX: f64 = 32.0;
/// How much slower others may be answered meanwhile: their slowest call in a hundred.
const OTHERS_RATIO_MAX: f64 = 2.0;
/// The same in an unoptimised build, where decoding the attacker's reports takes most of two processors for a while.
const OTHERS_RATIO_UNOPTIMISED_MAX: f64 = 20.0;
/// From the end of input to the end of the process; answers are waited for, this machine is loaded.
const EXIT_MAX: Duration = Duration::from_secs(8);
/// Between two looks at the memory.
const LOOK_EVERY: Duration = Duration::from_millis(2);
/// Connections of one HTTP client.
const CONNECTIONS: usize = 64;
/// Calls of the other client in one round, and rounds with and without the attacker.
const CALLS: usize = 200;
const ROUNDS: usize = 5;

fn attack_time() -> Duration {
    Duration::from_secs(sized(2, 12))
}

/// What the attacker asks for: short answers, whole reports, and answers to long requests.
#[derive(Debug, Clone, Copy)]
enum Flood<'a> {
    Lists,
    Reports(&'a str),
    LongRequests,
}

impl Flood<'_> {
    fn request(self, number: usize) -> Value {
        let (method, params) = match self {
            Self::Lists if number.is_multiple_of(2) => ("tools/list", json!({})),
            Self::Lists => ("resources/list", json!({})),
            Self::Reports(id) => ("resources/read", json!({ "uri": format!("research://{id}/report") })),
            Self::LongRequests => {
                let arguments = json!({ "text": "x".repeat(1024 * 1024) });
                ("tools/call", json!({ "name": "list_research", "arguments": arguments }))
            }
        };
        json!({ "jsonrpc": "2.0", "id": number, "method": method, "params": params })
    }
}

fn hello() -> String {
    let hello = json!({"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}});
    format!("{hello}\n{}\n", json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))
}

/// Writes until `until`, or `stop`; never reads. Returns how many requests were taken.
fn flood(pipe: &mut (impl Write + AsFd), flood: Flood<'_>, until: Instant, stop: &AtomicBool) -> usize {
    let flags = fcntl_getfl(&*pipe).unwrap();
    fcntl_setfl(&*pipe, flags | OFlags::NONBLOCK).unwrap();
    let (mut taken, mut rest) = (0, Vec::new());
    while Instant::now() < until && !stop.load(Ordering::Relaxed) {
        if rest.is_empty() {
            rest = format!("{}\n", flood.request(taken)).into_bytes();
            taken += 1;
        }
        match pipe.write(&rest) {
            Ok(written) => drop(rest.drain(..written)),
            Err(error) if error.kind() == ErrorKind::WouldBlock => thread::sleep(Duration::from_millis(5)),
            Err(_) => break,
        }
    }
    taken
}

/// Of a process, in MB, without the parts of the program's file that happen to be in memory.
fn memory(pid: u32) -> f64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<f64>().unwrap() / 1024.0
}

/// The most that a process has, looked at all the time while something is done to it.
fn most_memory(pid: u32, attack: impl FnOnce()) -> f64 {
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        let watching = scope.spawn(|| {
            let mut most = memory(pid);
            while !is_over.load(Ordering::Relaxed) {
                thread::sleep(LOOK_EVERY);
                most = most.max(memory(pid));
            }
            most
        });
        attack();
        is_over.store(true, Ordering::Relaxed);
        watching.join().unwrap()
    })
}

fn wait_for_exit(child: &mut Child) -> Duration {
    let left = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if left.elapsed() > EXIT_MAX {
            child.kill().unwrap();
            child.wait().unwrap();
            panic!("the process was still there {EXIT_MAX:?} after the end of its input");
        }
        thread::sleep(Duration::from_millis(20));
    }
    left.elapsed()
}

/// A store with one report of two megabytes.
fn world_with_report() -> (World, String) {
    let world = World::new();
    let id = id_in(&world.run(&["research", "[[huge]] how much"]).err);
    (world, id)
}

/// The most that `probity mcp` took above what it has when idle.
fn over_stdio(world: &World, kind: Flood<'_>) -> f64 {
    let mut child = world.command(&["mcp"]).stdin(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let (mut input, mut output) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
    input.write_all(hello().as_bytes()).unwrap();
    for number in 0..3 {
        writeln!(input, "{}", Flood::Lists.request(number)).unwrap();
    }
    for _ in 0..4 {
        output.read_line(&mut String::new()).unwrap();
    }
    let idle = memory(child.id());
    let most = most_memory(child.id(), || {
        flood(&mut input, kind, Instant::now() + attack_time(), &AtomicBool::new(false));
    });
    drop(input);
    wait_for_exit(&mut child);
    most - idle
}

fn attach(world: &World) -> UnixStream {
    let mut stream = UnixStream::connect(world.data().join("serve.sock")).unwrap();
    stream.write_all(hello().as_bytes()).unwrap();
    stream
}

fn over_socket(world: &World, served: &TestServer<'_>, kind: Flood<'_>) -> f64 {
    let mut stream = attach(world);
    BufReader::new(&stream).read_line(&mut String::new()).unwrap();
    let idle = memory(served.pid());
    let most = most_memory(served.pid(), || {
        flood(&mut stream, kind, Instant::now() + attack_time(), &AtomicBool::new(false));
    });
    most - idle
}

fn post(served: &TestServer<'_>, session: &str, body: &Value) -> String {
    let body = body.to_string();
    format!(
        "POST /mcp HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {}\r\ncontent-type: application/json\r\n\
         accept: application/json, text/event-stream\r\n{session}content-length: {}\r\n\r\n{body}",
        served.host,
        served.token(),
        body.len()
    )
}

/// One caller with a token on many connections, each of which asks and asks.
fn over_http(served: &TestServer<'_>, kind: Flood<'_>) -> f64 {
    let mut first = TcpStream::connect(&served.host).unwrap();
    let hello: Value = serde_json::from_str(hello().lines().next().unwrap()).unwrap();
    first.write_all(post(served, "", &hello).as_bytes()).unwrap();
    let mut head = [0; 4096];
    let read = first.read(&mut head).unwrap();
    let head = String::from_utf8_lossy(&head[..read]).to_lowercase();
    let session = head.lines().find(|line| line.starts_with("mcp-session-id: ")).expect(&head).to_owned();
    let idle = memory(served.pid());
    let until = Instant::now() + attack_time();
    let attack = || {
        thread::scope(|scope| {
            for _ in 0..CONNECTIONS / 16 {
                scope.spawn(|| {
                    let requests: Vec<String> = (0..4)
                        .map(|number| post(served, &format!("{session}\r\n"), &kind.request(number)))
                        .collect();
                    let mut streams: Vec<(TcpStream, usize, usize)> =
                        (0..16).map(|_| (TcpStream::connect(&served.host).unwrap(), 0, 0)).collect();
                    streams.iter().for_each(|(stream, ..)| stream.set_nonblocking(true).unwrap());
                    while Instant::now() < until {
                        let mut stuck = true;
                        for (stream, number, written) in &mut streams {
                            let bytes = &requests[*number % requests.len()].as_bytes()[*written..];
                            match stream.write(bytes) {
                                Ok(more) if more == bytes.len() => {
                                    (*number, *written, stuck) = (*number + 1, 0, false)
                                }
                                Ok(more) => *written += more,
                                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                                Err(_) => {
                                    *stream = TcpStream::connect(&served.host).unwrap();
                                    stream.set_nonblocking(true).unwrap();
                                    *written = 0;
                                }
                            }
                        }
                        if stuck {
                            thread::sleep(Duration::from_millis(5));
                        }
                    }
                });
            }
        })
    };
    most_memory(served.pid(), attack) - idle
}

#[test]
fn a_client_that_never_reads_takes_little_memory() {
    measured_seconds("client.memory", || {
        let (world, report) = world_with_report();
        let floods = [Flood::Lists, Flood::Reports(&report), Flood::LongRequests];
        let mut worst = (0.0, String::new());
        let mut note = |over: &str, kind: Flood<'_>, took: f64| {
            eprintln!("{over}, {kind:?}: {took:.1} MB above idle");
            if took > worst.0 {
                worst = (took, over.to_owned());
            }
        };
        for kind in floods {
            note("stdio", kind, over_stdio(&world, kind));
        }
        for kind in floods {
            let served = TestServer::start(&world);
            note("socket", kind, over_socket(&world, &served, kind));
        }
        for kind in floods {
            let served = TestServer::start(&world);
            note("HTTP", kind, over_http(&served, kind));
        }
        let seconds = attack_time().as_secs();
        eprintln!("figure: client.memory {:.1} MB above idle ({}) after {seconds} s", worst.0, worst.1);
        assert!(worst.0 <= MEMORY_MB_MAX, "{worst:?}");
    });
}

/// The slowest call in a hundred.
fn p99(client: &mut UnixStream) -> Duration {
    let mut answers = BufReader::new(client.try_clone().unwrap());
    let mut took: Vec<Duration> = (0..CALLS)
        .map(|number| {
            let asked = Instant::now();
            writeln!(client, "{}", Flood::Lists.request(number)).unwrap();
            answers.read_line(&mut String::new()).unwrap();
            asked.elapsed()
        })
        .collect();
    took.sort();
    took[CALLS * 99 / 100 - 1]
}

#[test]
fn other_clients_of_the_server_do_not_wait_for_one_that_never_reads() {
    measured_seconds("client.others", || {
        let (world, report) = world_with_report();
        let _served = TestServer::start(&world);
        let mut client = attach(&world);
        BufReader::new(&client).read_line(&mut String::new()).unwrap();
        p99(&mut client);
        // In turns, and the best of each: what else runs on this machine slows single rounds.
        let (mut alone, mut beside) = (Duration::MAX, Duration::MAX);
        let far = Instant::now() + Duration::from_secs(600);
        for round in 0..ROUNDS {
            alone = alone.min(p99(&mut client));
            let kind = if round % 2 == 0 { Flood::Lists } else { Flood::Reports(&report) };
            let stop = AtomicBool::new(false);
            thread::scope(|scope| {
                let mut attacker = attach(&world);
                let stop = &stop;
                scope.spawn(move || flood(&mut attacker, kind, far, stop));
                beside = beside.min(p99(&mut client));
                stop.store(true, Ordering::Relaxed);
            });
        }
        let ratio = beside.as_secs_f64() / alone.as_secs_f64();
        let note = format!("p99 {alone:.2?} alone, {beside:.2?} beside a client that never reads");
        if cfg!(debug_assertions) {
            eprintln!("figure: client.others skipped: an unoptimised build says little ({note})");
            assert!(ratio <= OTHERS_RATIO_UNOPTIMISED_MAX, "{note}");
        } else {
            eprintln!("figure: client.others {ratio:.2}x");
            eprintln!("figure: client.others.note {note}");
            assert!(ratio <= OTHERS_RATIO_MAX, "{note}");
        }
    });
}

#[test]
fn an_attached_client_that_never_reads_ends_with_its_input_and_the_server_goes_on() {
    let world = World::new();
    let _served = TestServer::start(&world);
    let mut child = world.command(&["mcp"]).stdin(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(hello().as_bytes()).unwrap();
    let until = Instant::now() + Duration::from_secs(1);
    let taken = flood(&mut input, Flood::Lists, until, &AtomicBool::new(false));
    assert!(taken > 10, "{taken}");
    drop(input);
    wait_for_exit(&mut child);
    let mut client = attach(&world);
    BufReader::new(&client).read_line(&mut String::new()).unwrap();
    wait_until("an answer for another client", || p99(&mut client) < Duration::from_secs(1));
}

/// A client may write everything before it reads anything, as long as it reads then.
#[test]
fn every_request_of_a_burst_is_answered_once_its_client_reads() {
    const REQUESTS: usize = 1_000;
    let world = World::new();
    let mut child = world.command(&["mcp"]).stdin(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let (mut input, output) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
    let writing = thread::spawn(move || {
        input.write_all(hello().as_bytes()).unwrap();
        for number in 0..REQUESTS {
            writeln!(input, "{}", Flood::Lists.request(number)).unwrap();
        }
    });
    // Late enough for every bound to be reached.
    thread::sleep(Duration::from_millis(500));
    let answered = output.lines().map_while(Result::ok).filter(|line| line.contains("\"result\"")).count();
    writing.join().unwrap();
    assert_eq!(answered, REQUESTS + 1);
    assert!(child.wait().unwrap().success());
}
