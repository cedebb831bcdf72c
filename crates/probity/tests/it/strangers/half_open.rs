//! Connections that are opened and say nothing, or half of something.

use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
    time::{Duration, Instant},
};

use super::{Page, ask, head};
use crate::{
    harness::{World, sized, wait_until},
    serve::TestServer,
};

/// More than there are places.
const HALF_OPEN: usize = 400;
/// The owner's slowest request meanwhile.
const OWNER_WAIT_MAX: Duration = Duration::from_secs(1);

fn half_open(port: u16) -> Vec<TcpStream> {
    let connections = (0..HALF_OPEN).map(|_| {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        stream.write_all(b"GET / HTTP/1.1\r\nhost: ").unwrap();
        stream
    });
    connections.collect()
}

/// The longest of the owner's requests, each on a connection of its own, while strangers come back.
fn slowest(port: u16, request: &str) -> Duration {
    let requests = sized(40, 200);
    let mut held = half_open(port);
    let mut took: Vec<Duration> = (0..requests)
        .map(|number| {
            let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
            stream.write_all(b"GET / HTTP/1.1\r\n").unwrap();
            let again = number % held.len();
            held[again] = stream;
            let asked = Instant::now();
            let (status, answer) = ask(port, request);
            assert_eq!(status, 200, "{answer}");
            asked.elapsed()
        })
        .collect();
    took.sort();
    took.pop().unwrap()
}

#[test]
fn the_owner_does_not_wait_for_half_open_connections() {
    let world = World::new();
    let page = Page::open(&world, &[]);
    let cookie = page.log_in();
    let request = head("GET", "/costs", &[("host", &page.host), ("cookie", &cookie)], "");
    let at_page = slowest(page.port, &request);
    let served = TestServer::start(&world);
    let port = served.host.rsplit(':').next().unwrap().parse().unwrap();
    let post = |session: &str, body: &str| {
        format!(
            "POST /mcp HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {}\r\nconnection: close\r\n{session}\
             content-type: application/json\r\naccept: application/json, text/event-stream\r\n\
             content-length: {}\r\n\r\n{body}",
            served.host,
            served.token(),
            body.len()
        )
    };
    let hello = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#;
    // One session for all: there is a most of those as well.
    let (status, opened) = ask(port, &post("", hello));
    assert_eq!(status, 200, "{opened}");
    let session = opened.lines().find(|line| line.to_lowercase().starts_with("mcp-session-id:"));
    let session = format!("{}\r\n", session.expect("a session").trim());
    let request = post(&session, r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#);
    let at_server = slowest(port, &request);
    let worst = at_page.max(at_server);
    eprintln!("figure: halfopen.wait {:.2} s", worst.as_secs_f64());
    eprintln!(
        "figure: halfopen.wait.note {at_page:.2?} at the page, {at_server:.2?} at the server, {HALF_OPEN} half open"
    );
    assert!(worst <= OWNER_WAIT_MAX, "{at_page:?} {at_server:?}");
}

#[test]
fn idle_and_half_open_connections_of_the_page_end_by_themselves() {
    let world = World::new();
    let page = Page::open(&world, &[]);
    let cookie = page.log_in();
    let mut silent = TcpStream::connect(("127.0.0.1", page.port)).unwrap();
    let mut half = TcpStream::connect(("127.0.0.1", page.port)).unwrap();
    half.write_all(b"GET / HTTP/1.1\r\nhost: ").unwrap();
    let mut idle = TcpStream::connect(("127.0.0.1", page.port)).unwrap();
    let request = format!("GET /new HTTP/1.1\r\nhost: {}\r\ncookie: {cookie}\r\n\r\n", page.host);
    idle.write_all(request.as_bytes()).unwrap();
    for stream in [&mut silent, &mut half, &mut idle] {
        stream.set_read_timeout(Some(Duration::from_millis(100))).unwrap();
        let mut buffer = [0; 16 * 1024];
        wait_until("the end of the connection", || matches!(stream.read(&mut buffer), Ok(0)));
    }
}
