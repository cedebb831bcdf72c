//! Who gets into `probity serve`: every combination of host, origin, token and size, and clients that drip. Over plain
//! sockets, which write exactly what they are given. Yields figures.
#![expect(clippy::disallowed_methods, reason = "reads the clock and waits in real time")]

use std::{
    io::{ErrorKind, Read as _, Write as _},
    net::TcpStream,
    thread,
    time::{Duration, Instant},
};

use crate::{
    harness::{WAIT_MAX, World, figure},
    serve::TestServer,
};

/// A client that drips must be gone by then: the limits are 15 s each.
const DRIP_MAX: Duration = Duration::from_secs(25);
const DRIP_EVERY: Duration = Duration::from_millis(500);
/// Clients that drip at the same time, and that must not keep others out.
const DRIPPING: usize = 64;
/// How long honest clients call beside them, and how long each may wait.
const HONEST: Duration = Duration::from_secs(5);
/// Beyond the largest body that is taken, which is 4 MiB.
const PADDING: usize = 5 * 1024 * 1024;
const LIST: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":null,"_meta":{
    "io.modelcontextprotocol/protocolVersion":"2026-07-28",
    "io.modelcontextprotocol/clientInfo":{"name":"test","version":"1"},
    "io.modelcontextprotocol/clientCapabilities":{}}}}"#;

fn connect(server: &TestServer<'_>) -> TcpStream {
    let stream = TcpStream::connect(&server.host).unwrap();
    stream.set_read_timeout(Some(WAIT_MAX)).unwrap();
    stream
}

/// Status and body of a call of `tools/list`, `more` being further lines of its head; 0 if there was no answer.
fn list_tools(server: &TestServer<'_>, host: &str, more: &str, body: &str) -> (u16, String) {
    let mut stream = connect(server);
    let request = format!(
        "POST /mcp HTTP/1.1\r\nhost: {host}\r\naccept: application/json, text/event-stream\r\n\
         content-type: application/json\r\nconnection: close\r\nmcp-protocol-version: 2026-07-28\r\n\
         mcp-method: tools/list\r\n{more}content-length: {}\r\n\r\n{body}",
        body.len()
    );
    // The server may refuse before everything is written, and cut the rest off.
    stream.write_all(request.as_bytes()).ok();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).ok();
    let answer = String::from_utf8_lossy(&answer).into_owned();
    let status = answer.split(' ').nth(1).map_or(0, |status| status.parse().unwrap());
    (status, answer.split_once("\r\n\r\n").map(|(_, body)| body.to_owned()).unwrap_or_default())
}

fn serve(world: &World) -> TestServer<'_> {
    world.write("config/probity/config.toml", "[serve]\ncalls_per_second = 100000\n");
    TestServer::start(world)
}

#[test]
fn only_an_own_host_an_own_origin_a_known_token_and_a_body_of_some_size_get_in() {
    let world = World::new();
    let server = serve(&world);
    let (own_host, owner) = (&server.host, server.token());
    let port = own_host.rsplit(':').next().unwrap();
    let hosts = [
        (own_host.clone(), true),
        (format!("localhost:{port}"), true),
        (format!("[::1]:{port}"), true),
        ("LOCALHOST".to_owned(), true),
        (format!("evil.example:{port}"), false),
        (format!("localhost.evil.example:{port}"), false),
        ("127.0.0.2".to_owned(), false),
        (format!("u@localhost:{port}"), false),
    ];
    let origins = [
        ("", true),
        ("origin: http://localhost:6274\r\n", true),
        ("origin: http://[::1]:1\r\n", true),
        ("origin: http://evil.example\r\n", false),
        ("origin: https://localhost.evil.example\r\n", false),
        ("origin: null\r\n", false),
    ];
    let tokens = [
        (format!("authorization: Bearer {owner}\r\n"), true),
        (String::new(), false),
        (format!("authorization: Bearer {}\r\n", "0".repeat(owner.len())), false),
        (format!("authorization: Bearer {}\r\n", &owner[..owner.len() - 8]), false),
        ("authorization: Bearer\r\n".to_owned(), false),
        ("authorization: Basic cHJvYml0eTo=\r\n".to_owned(), false),
        (format!("authorization: Bearer {owner}, Bearer {owner}\r\n"), false),
    ];
    let bodies = [(LIST.to_owned(), true), (format!("{LIST}{}", " ".repeat(PADDING)), false)];
    let (mut refused, mut allowed) = (0, 0);
    for (host, host_fits) in &hosts {
        for (origin, origin_fits) in origins {
            for (token, token_fits) in &tokens {
                for (body, body_fits) in &bodies {
                    let wanted = match (*host_fits && origin_fits, token_fits, body_fits) {
                        (false, _, _) => 403,
                        (true, false, _) => 401,
                        (true, true, false) => 413,
                        (true, true, true) => 200,
                    };
                    let (status, said) = list_tools(&server, host, &format!("{origin}{token}"), body);
                    // A large body may be cut off with a reset before the refusal is read.
                    let holds = status == wanted || (!body_fits && status == 0);
                    let what = format!("{host} {origin} {token} {} bytes: {status} {said}", body.len());
                    assert!(holds && said.contains("tools") == (wanted == 200), "{what}");
                    *(if wanted == 200 { &mut allowed } else { &mut refused }) += 1;
                }
            }
        }
    }
    figure("http.admission", &format!("0 of {refused}"));
    figure("http.admission.note", &format!("{allowed} allowed requests went through beside them"));
}

/// Sends a byte now and then until the server ends the connection; how long that took.
fn drip(mut stream: TcpStream, start: &str, began: Instant) -> Option<Duration> {
    stream.write_all(start.as_bytes()).unwrap();
    stream.set_nonblocking(true).unwrap();
    while began.elapsed() < DRIP_MAX * 2 {
        let ended = match stream.read(&mut [0; 256]) {
            Ok(read) => read == 0,
            Err(error) => error.kind() != ErrorKind::WouldBlock,
        };
        if ended || stream.write_all(b"x").is_err() {
            return Some(began.elapsed());
        }
        thread::sleep(DRIP_EVERY);
    }
    None
}

/// Half of them drip a header, half a body.
#[test]
#[ignore = "takes half a minute: run for its figure"]
fn many_that_drip_are_cut_off_and_keep_nobody_waiting() {
    let world = World::new();
    let server = serve(&world);
    let authorization = format!("authorization: Bearer {}\r\n", server.token());
    let body = format!(
        "POST /mcp HTTP/1.1\r\nhost: {}\r\n{authorization}content-type: application/json\r\n\
         content-length: 100000\r\n\r\n{{",
        server.host
    );
    let starts = ["POST /mcp HTTP/1.1\r\nx-slow: ", &body];
    let (began, mut honest) = (Instant::now(), 0);
    let held = thread::scope(|scope| {
        let dripping: Vec<_> = starts
            .iter()
            .cycle()
            .take(DRIPPING)
            .map(|start| {
                let stream = connect(&server);
                scope.spawn(move || drip(stream, start, began))
            })
            .collect();
        while began.elapsed() < HONEST {
            let asked = Instant::now();
            assert_eq!(list_tools(&server, &server.host, &authorization, LIST).0, 200);
            assert!(asked.elapsed() < HONEST, "an honest call waits for {:?}", asked.elapsed());
            honest += 1;
            thread::sleep(Duration::from_millis(200));
        }
        dripping.into_iter().map(|client| client.join().unwrap()).collect::<Vec<_>>()
    });
    let keep = held.iter().filter(|held| held.is_none_or(|held| held >= DRIP_MAX)).count();
    figure("http.drip", &format!("{keep} of {DRIPPING}"));
    figure("http.drip.note", &format!("{honest} allowed requests went through beside them"));
    assert_eq!(keep, 0, "{held:?}");
}
