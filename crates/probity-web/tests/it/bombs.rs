//! Bombs on the wire: answers made to take all memory or all time, as pages, as robots.txt and as API calls, all at
//! once. They are met in a process of its own, so that its memory is theirs; a plain client is the control.
#![cfg(target_os = "linux")]
#![expect(
    clippy::disallowed_methods,
    reason = "processes of their own, real time and a plain client are measured"
)]

use std::{
    io::{self, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    process::Command,
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use probity_testing::figure_size::sized;
use probity_types::{
    error::{Code, CodedError},
    time::Moment,
};
use probity_web::fetch::{ApiRequest, FetchLimits, Fetcher, FetcherSettings, ReachRules};
use tokio::task::JoinSet;

const MEMORY_MAX_KIB: u64 = 256 * 1024;
/// A busy machine is late by this much; a bomb that is not stopped is late by forever.
const LATE: Duration = Duration::from_secs(3);
/// What a robots.txt may take before its page begins.
const ROBOTS_MAX: Duration = Duration::from_secs(10);
/// Where the bombs are, for the process that meets them.
const SERVER_VARIABLE: &str = "PROBITY_BOMBS";

#[test]
fn bombs_on_the_wire_end_in_time_and_within_memory() {
    let address = serve_bombs();
    let (met, what) = meet("bombs::every_bomb_at_once", &address);
    let (plain, plain_peak) = meet("bombs::one_bomb_with_a_plain_client", &address);
    eprintln!("figure: bombs.wire {what}; a plain client: {plain_peak}");
    let peak: u64 = plain_peak.split(' ').nth(1).unwrap().parse().unwrap();
    assert!(met && plain && peak > MEMORY_MAX_KIB / 1024, "a plain client: {plain_peak}");
}

/// Whether a test of this program passes in a process of its own, and the line that it tells.
fn meet(test: &str, address: &str) -> (bool, String) {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", test, "--ignored", "--nocapture"]).env(SERVER_VARIABLE, address);
    let ended = command.output().unwrap();
    let told = String::from_utf8_lossy(&ended.stderr).into_owned();
    eprint!("{told}");
    let line = told.lines().find_map(|line| line.strip_prefix("told: ")).unwrap_or("nothing told");
    (ended.status.success(), line.to_owned())
}

fn server() -> String {
    std::env::var(SERVER_VARIABLE).expect("started by the test above")
}

/// The control: a client that believes what it is sent.
#[tokio::test]
#[ignore = "started by a test in a process of its own"]
async fn one_bomb_with_a_plain_client() {
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let answer = client.get(format!("http://{}/gzip", server())).send().await.unwrap();
    assert!(answer.bytes().await.unwrap().len() > 1);
    eprintln!("told: peak {} MiB", peak_kib() / 1024);
}

/// How a bomb is met.
#[derive(Debug, Clone, Copy)]
enum BombRequestKind {
    Page,
    Robots,
    Call,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "started by a test in a process of its own"]
async fn every_bomb_at_once() {
    let limits = limits();
    let mut settings = FetcherSettings::new(|| Moment(1_790_000_000_000));
    settings.reach = ReachRules::parse([format!("*:80={}", server())]).unwrap();
    settings.limits = limits;
    let fetcher = Arc::new(Fetcher::new(settings).unwrap());
    let mut running = JoinSet::new();
    for (name, code) in KINDS {
        for how in [BombRequestKind::Page, BombRequestKind::Robots, BombRequestKind::Call] {
            let fetcher = Arc::clone(&fetcher);
            running.spawn(async move {
                let began = Instant::now();
                let result = ask(&fetcher, name, how, limits.total).await;
                (name, code, how, result, began.elapsed())
            });
        }
    }
    let (mut slowest, mut wrong, mut bombs) = (Duration::ZERO, Vec::new(), 0);
    while let Some(done) = running.join_next().await {
        let (name, code, how, result, took) = done.unwrap();
        bombs += 1;
        slowest = slowest.max(took);
        if !is_right(code, how, &result) {
            wrong.push(format!("{name} as {how:?}: {result:?}"));
        }
        if took > limits.total + limits.total.min(ROBOTS_MAX) + LATE {
            wrong.push(format!("{name} as {how:?}: {} ms", took.as_millis()));
        }
    }
    let alive = Box::pin(fetcher.page("http://fine.example/fine")).await.is_ok();
    let (peak, slowest, total) = (peak_kib(), slowest.as_secs_f64(), limits.total.as_secs_f64());
    eprintln!(
        "told: {bombs} bombs at once: peak {} MiB, the slowest ended after {slowest:.1} s of {total:.0} s, works \
         afterwards: {alive}",
        peak / 1024
    );
    assert!(wrong.is_empty() && alive && peak < MEMORY_MAX_KIB, "{wrong:?}");
}

/// The real limits for whoever publishes figures, shorter ones for an ordinary test.
fn limits() -> FetchLimits {
    // All at once: nobody waits for a turn, and memory is at its worst.
    let kept =
        FetchLimits { pause: Duration::ZERO, in_flight_max: 3 * KINDS.len(), ..FetchLimits::default() };
    let short = FetchLimits { first_byte: Duration::from_secs(6), total: Duration::from_secs(8), ..kept };
    sized(short, kept)
}

async fn ask(fetcher: &Fetcher, name: &str, how: BombRequestKind, total: Duration) -> Result<(), CodedError> {
    let page = |address: String| async move { Box::pin(fetcher.page(&address)).await.map(drop) };
    match how {
        BombRequestKind::Page => page(format!("http://{name}.example/{name}")).await,
        // The page itself is fine; only its robots.txt is a bomb.
        BombRequestKind::Robots => page(format!("http://robots-{name}.example/fine")).await,
        BombRequestKind::Call => {
            let request = ApiRequest::get(&format!("http://api.example/{name}")).with_time_max(total);
            Box::pin(fetcher.call(request)).await.map(drop).map_err(CodedError::from)
        }
    }
}

/// A bomb is refused, with its name unless its time was up first. As a robots.txt it may also be cut, and the page
/// be read.
fn is_right(code: Code, how: BombRequestKind, result: &Result<(), CodedError>) -> bool {
    match (how, result) {
        (BombRequestKind::Page, Err(problem)) => {
            problem.code == code || problem.code == Code::PageUnreachable
        }
        (BombRequestKind::Page | BombRequestKind::Call, Ok(())) => false,
        (BombRequestKind::Robots, Err(problem)) => {
            matches!(problem.code, Code::PageUnreachable | Code::RobotsRefused)
        }
        (BombRequestKind::Robots, Ok(())) => true,
        (BombRequestKind::Call, Err(problem)) => {
            matches!(problem.code, Code::UnreadableAnswer | Code::Timeout | Code::Network)
        }
    }
}

fn peak_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.split_whitespace().next().unwrap().parse().unwrap()
}

/// 512 MiB of zeros in one gzip stream: its head, a block of one MiB, and its end with the sums.
const GZIP_HEAD: &[u8] = &[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3];
const GZIP_BLOCK: &[u8] = include_bytes!("bombs/zeros.deflate");
const GZIP_BLOCKS: usize = 512;
const GZIP_END: &[u8] = &[0x03, 0x00, 0x20, 0x83, 0xb8, 0x6d, 0x00, 0x00, 0x00, 0x20];
/// 512 MiB of zeros.
const BROTLI: &[u8] = include_bytes!("bombs/zeros.br");
/// Nobody is kept longer than this, whatever they do.
const SOCKET_MAX: Duration = Duration::from_secs(60);
const DRIP: Duration = Duration::from_millis(200);

/// Bombs by name, and how a page that is one may be refused.
const KINDS: [(&str, Code); 17] = [
    ("gzip", Code::PageTooLarge),
    ("brotli", Code::PageTooLarge),
    ("drip", Code::PageUnreachable),
    ("header-drip", Code::PageUnreachable),
    ("headers", Code::PageUnreachable),
    ("header-lines", Code::PageUnreachable),
    ("body", Code::PageTooLarge),
    ("chunks", Code::PageTooLarge),
    ("informational", Code::PageUnreachable),
    ("too-short", Code::PageUnreachable),
    ("too-long", Code::PageTooLarge),
    ("nested", Code::PageUnreadable),
    ("nested-lines", Code::PageUnreadable),
    ("unknown-encoding", Code::PageUnreadable),
    ("trailer", Code::PageUnreachable),
    ("chunk-extension", Code::PageUnreachable),
    ("silence", Code::PageUnreachable),
];

fn serve_bombs() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    thread::spawn(move || {
        for socket in listener.incoming().flatten() {
            thread::spawn(move || serve(socket));
        }
    });
    address
}

/// Whoever hangs up has had enough: that is not an error.
fn serve(mut socket: TcpStream) {
    socket.set_write_timeout(Some(SOCKET_MAX)).ok();
    socket.set_read_timeout(Some(SOCKET_MAX)).ok();
    let mut head = Vec::new();
    let mut buffer = [0; 2048];
    while !head.windows(4).any(|window| window == b"\r\n\r\n") {
        match socket.read(&mut buffer) {
            Ok(count) if count > 0 => head.extend_from_slice(&buffer[..count]),
            _ => return,
        }
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    let path = head.split(' ').nth(1).unwrap_or_default().trim_start_matches('/');
    let host = head.lines().find_map(|line| line.strip_prefix("host: ")).unwrap_or_default();
    let wanted = match (path, host.strip_prefix("robots-")) {
        ("robots.txt", Some(rest)) => rest.trim_end_matches(".example"),
        _ => path,
    };
    let is_bomb = KINDS.iter().any(|(name, _)| *name == wanted);
    let none = "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
    let fine = "HTTP/1.1 200 OK\r\ncontent-length: 10\r\nconnection: close\r\n\r\n<html>fine";
    let sent = match path {
        _ if is_bomb => send(&mut socket, wanted),
        "robots.txt" => socket.write_all(none.as_bytes()),
        _ => socket.write_all(fine.as_bytes()),
    };
    sent.ok();
}

fn send(socket: &mut TcpStream, bomb: &str) -> io::Result<()> {
    let encoded = |encoding: &str| format!("content-encoding: {encoding}\r\nconnection: close\r\n");
    let (chunked, endless) = ("transfer-encoding: chunked\r\n", "content-length: 1000000000000\r\n");
    let headers = match bomb {
        "gzip" => encoded("gzip"),
        "brotli" => encoded("br"),
        "nested" => encoded("gzip, gzip"),
        "nested-lines" => format!("content-encoding: gzip\r\n{}", encoded("br")),
        "unknown-encoding" => encoded("zstd"),
        "drip" => "content-length: 1000000\r\n".to_owned(),
        "body" => "connection: close\r\n".to_owned(),
        "chunks" | "chunk-extension" => chunked.to_owned(),
        "trailer" => format!("{chunked}trailer: x\r\n"),
        "too-short" | "too-long" => endless.to_owned(),
        _ => String::new(),
    };
    match bomb {
        "informational" | "silence" => {}
        "header-drip" | "headers" => socket.write_all(b"HTTP/1.1 200 OK\r\nx: ")?,
        "header-lines" => socket.write_all(b"HTTP/1.1 200 OK\r\n")?,
        _ => socket
            .write_all(format!("HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n{headers}\r\n").as_bytes())?,
    }
    match bomb {
        "gzip" => {
            socket.write_all(GZIP_HEAD)?;
            (0..GZIP_BLOCKS).try_for_each(|_| socket.write_all(GZIP_BLOCK))?;
            socket.write_all(GZIP_END)
        }
        "brotli" | "nested" | "nested-lines" | "unknown-encoding" => socket.write_all(BROTLI),
        "drip" | "header-drip" => forever(socket, b"a", DRIP),
        "headers" => forever(socket, &[b'a'; 16 * 1024], Duration::ZERO),
        "header-lines" => forever(socket, &b"x: y\r\n".repeat(1_000), Duration::ZERO),
        "body" | "too-long" => forever(socket, &[b'a'; 64 * 1024], Duration::ZERO),
        "chunks" => forever(socket, &[b"1000\r\n", &[b'a'; 0x1000][..], b"\r\n"].concat(), Duration::ZERO),
        "informational" => {
            forever(socket, &b"HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n".repeat(200), Duration::ZERO)
        }
        "too-short" => socket.write_all(b"<html>that was all"),
        "trailer" => {
            socket.write_all(b"4\r\nbody\r\n0\r\n")?;
            forever(socket, &b"x: yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy\r\n".repeat(200), Duration::ZERO)
        }
        "chunk-extension" => {
            socket.write_all(b"4;x=")?;
            forever(socket, &[b'a'; 1024], Duration::ZERO)
        }
        _ => socket.read(&mut [0]).map(drop),
    }
}

fn forever(socket: &mut TcpStream, piece: &[u8], pause: Duration) -> io::Result<()> {
    loop {
        socket.write_all(piece)?;
        if !pause.is_zero() {
            thread::sleep(pause);
        }
    }
}
