//! Size, time and number: what each limit does to a client that goes past it, and that others go on.
#![allow(clippy::disallowed_methods, reason = "limits of time are measured in real time")]

use std::time::Duration;

use probity_server::http::{AuthPolicy, ConnectionLimits, HttpSettings, RateLimits};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    time::{Instant, timeout},
};

use super::harness::{
    ANNA, BEN, OWNER, Server, bearer, header, modern, modern_headers, post, read_to_end, settings, status,
};

const SHORT: Duration = Duration::from_millis(200);

fn limited(limits: ConnectionLimits) -> HttpSettings {
    HttpSettings { limits, ..settings() }
}

fn call(token: &str, tool: &str) -> Vec<u8> {
    let token = bearer(token);
    let mut headers = vec![("authorization", token.as_str())];
    headers.extend(modern_headers(tool));
    post(&headers, &modern(tool))
}

#[tokio::test]
async fn a_body_may_be_large_but_not_larger() {
    let server =
        Server::start(limited(ConnectionLimits { body_bytes_max: 2_000, ..ConnectionLimits::default() }))
            .await;
    let token = bearer(OWNER);
    let padded = |bytes: usize| {
        let mut body = modern("whoami");
        body["params"]["arguments"]["padding"] = "x".repeat(bytes).into();
        body
    };
    let mut headers = vec![("authorization", token.as_str())];
    headers.extend(modern_headers("whoami"));
    assert_eq!(status(&server.post(&headers, &padded(1_000)).await), 200);
    assert_eq!(status(&server.post(&headers, &padded(2_000)).await), 413);
    // Without an announced length it is counted as it comes.
    let mut head = format!(
        "POST /mcp HTTP/1.1\r\nhost: localhost\r\nauthorization: {token}\r\ntransfer-encoding: chunked\r\n\r\n"
    );
    for _ in 0..5 {
        head.push_str(&format!("1f4\r\n{}\r\n", "x".repeat(500)));
    }
    assert_eq!(status(&server.send(head.as_bytes()).await), 413);
    server.stop().await;
}

#[tokio::test]
async fn without_a_token_no_body_is_read() {
    let server = Server::usual().await;
    let head = "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1000000\r\n\r\n";
    let answer = timeout(Duration::from_secs(2), server.send(head.as_bytes())).await.unwrap();
    assert_eq!(status(&answer), 401);
    server.stop().await;
}

#[tokio::test]
async fn headers_that_drip_are_cut_off() {
    let server =
        Server::start(limited(ConnectionLimits { head_time_max: SHORT, ..ConnectionLimits::default() }))
            .await;
    let mut stream = server.connect().await;
    let begun = Instant::now();
    let dripping = async {
        for byte in b"GET /health HTTP/1.1\r\nhost: localhost\r\nx: ".iter().chain([b'x'; 500].iter()) {
            if stream.write_all(&[*byte]).await.is_err() {
                return;
            }
            tokio::time::sleep(SHORT / 10).await;
        }
    };
    dripping.await;
    assert!(begun.elapsed() < SHORT * 20, "{:?}", begun.elapsed());
    server.stop().await;
}

#[tokio::test]
async fn a_body_that_drips_is_cut_off() {
    let server =
        Server::start(limited(ConnectionLimits { body_time_max: SHORT, ..ConnectionLimits::default() }))
            .await;
    let mut stream = server.connect().await;
    let head = format!(
        "POST /mcp HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {OWNER}\r\ncontent-length: 1000\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    let (mut reader, mut writer) = stream.split();
    let dripping = async {
        while writer.write_all(b"x").await.is_ok() {
            tokio::time::sleep(SHORT / 10).await;
        }
    };
    let mut answer = [0; 32];
    let reading = async { reader.read(&mut answer).await.unwrap() };
    let begun = Instant::now();
    tokio::select! { () = dripping => {}, _ = reading => {} }
    assert_eq!(status(&String::from_utf8_lossy(&answer)), 408);
    assert!(begun.elapsed() < SHORT * 10, "{:?}", begun.elapsed());
    server.stop().await;
}

#[tokio::test]
async fn an_idle_connection_is_closed() {
    let server =
        Server::start(limited(ConnectionLimits { head_time_max: SHORT, ..ConnectionLimits::default() }))
            .await;
    let mut stream = server.connect().await;
    stream.write_all(b"GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n").await.unwrap();
    assert_eq!(status(&read_to_end(&mut stream).await), 200);
    server.stop().await;
}

#[tokio::test]
async fn too_many_or_too_large_headers_are_refused() {
    let server = Server::usual().await;
    let many: String = (0..100).map(|number| format!("x-{number}: y\r\n")).collect();
    let large = format!("x: {}\r\n", "y".repeat(40_000));
    for extra in [many, large] {
        let head = format!("GET /health HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n{extra}\r\n");
        assert_eq!(status(&server.send(head.as_bytes()).await), 431);
    }
    server.stop().await;
}

#[tokio::test]
async fn places_run_out_for_strangers_first_and_never_for_a_caller_with_a_token() {
    let limits = ConnectionLimits { connections_max: 2, ..ConnectionLimits::default() };
    let server = Server::start(limited(limits)).await;
    let mut trusted = server.connect().await;
    trusted.write_all(&call(ANNA, "wait")).await.unwrap();
    let health = b"GET /health HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
    // Once this is answered the call before it was admitted.
    assert_eq!(status(&server.send(health).await), 200);
    let silent = server.connect().await;
    let begun = Instant::now();
    for _ in 0..5 {
        assert_eq!(status(&server.send(health).await), 200);
    }
    assert!(begun.elapsed() < limits.head_time_max / 3, "{:?}", begun.elapsed());
    let mut byte = [0];
    for (mut stream, open) in [(silent, false), (trusted, true)] {
        let read = timeout(SHORT, stream.read(&mut byte)).await;
        assert_eq!(read.is_err(), open, "{read:?}");
    }
    server.stop().await;
}

#[tokio::test]
async fn a_reader_that_takes_nothing_is_let_go() {
    let limits =
        ConnectionLimits { write_time_max: SHORT, connections_max: 1, ..ConnectionLimits::default() };
    let server = Server::start(limited(limits)).await;
    let mut stream = server.connect().await;
    let health = b"GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n".repeat(1_000);
    // Pipelines requests and never reads an answer, until the server has had enough.
    let flooding = async { while stream.write_all(&health).await.is_ok() {} };
    timeout(Duration::from_secs(15), flooding).await.expect("the server went on writing to nobody");
    server.stop().await;
}

#[tokio::test]
async fn whoever_asks_too_fast_is_told_when_to_come_back() {
    let pace = RateLimits { per_second: 1, burst: 3, open_max: 10 };
    let server = Server::start(HttpSettings { pace, ..settings() }).await;
    for _ in 0..3 {
        assert_eq!(status(&server.send(&call(ANNA, "whoami")).await), 200);
    }
    let refused = server.send(&call(ANNA, "whoami")).await;
    assert_eq!((status(&refused), header(&refused, "retry-after")), (429, Some("1")));
    assert_eq!(status(&server.send(&call(BEN, "whoami")).await), 200, "others are not held up");
    server.stop().await;
}

#[tokio::test]
async fn only_so_many_calls_of_one_caller_are_open() {
    let pace = RateLimits { open_max: 2, ..RateLimits::default() };
    let server = Server::start(HttpSettings { pace, ..settings() }).await;
    let mut held = Vec::new();
    for _ in 0..2 {
        let mut stream = server.connect().await;
        stream.write_all(&call(ANNA, "wait")).await.unwrap();
        held.push(stream);
    }
    let eventually = async |wanted: u16| {
        while status(&server.send(&call(ANNA, "whoami")).await) != wanted {
            tokio::task::yield_now().await;
        }
    };
    timeout(Duration::from_secs(5), eventually(503)).await.unwrap();
    assert_eq!(status(&server.send(&call(BEN, "whoami")).await), 200, "others are not held up");
    // A client that leaves gives its place back.
    held.pop();
    timeout(Duration::from_secs(5), eventually(200)).await.unwrap();
    server.stop().await;
}

#[tokio::test]
async fn nobody_is_paced_where_nobody_is_known() {
    let pace = RateLimits { per_second: 1, burst: 1, open_max: 1 };
    let server = Server::start(HttpSettings { pace, ..HttpSettings::new(AuthPolicy::Off) }).await;
    for _ in 0..5 {
        assert_eq!(status(&server.post(&modern_headers("whoami"), &modern("whoami")).await), 200);
    }
    server.stop().await;
}

#[tokio::test]
async fn a_stop_lets_calls_end_and_cuts_what_does_not() {
    let server =
        Server::start(limited(ConnectionLimits { drain_time_max: SHORT * 4, ..ConnectionLimits::default() }))
            .await;
    let (mut ends, mut hangs) = (server.connect().await, server.connect().await);
    ends.write_all(&call(OWNER, "slow")).await.unwrap();
    hangs.write_all(&call(OWNER, "wait")).await.unwrap();
    // Both have reached their handler once a third call, sent later, is answered.
    assert_eq!(status(&server.send(&call(OWNER, "whoami")).await), 200);
    let begun = Instant::now();
    let (address, reading) =
        (server.address, async { (read_to_end(&mut ends).await, read_to_end(&mut hangs).await) });
    let ((), (ended, _cut)) = tokio::join!(server.stop(), reading);
    assert_eq!(status(&ended), 200, "{ended}");
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
    assert!(tokio::net::TcpStream::connect(address).await.is_err(), "nobody listens any more");
}
