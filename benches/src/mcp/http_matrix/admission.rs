//! Host, origin, token, body and slowness: every combination of the first four, and clients that drip.

use std::{io::Write as _, thread, time::Duration};

use crate::{figure::Figure, rig};

use super::{
    HttpMatrixTally,
    http_server::{HttpEra, HttpServerResponse, HttpServerTestBed, bearer, post, request},
};

/// A client that drips must be gone by then: the limits are 15 s each.
const DRIP_MAX: Duration = Duration::from_secs(25);
const DRIP_EVERY: Duration = Duration::from_millis(500);
/// Clients that drip at the same time, and that must not keep others out.
const DRIPPING: usize = 64;

pub fn measure(served: &HttpServerTestBed) -> anyhow::Result<Vec<Figure>> {
    Ok(vec![matrix(served)?, slow(served)?])
}

fn matrix(served: &HttpServerTestBed) -> anyhow::Result<Figure> {
    let port = served.host.rsplit(':').next().unwrap_or_default();
    let own_hosts =
        [served.host.clone(), format!("localhost:{port}"), format!("[::1]:{port}"), "LOCALHOST".into()];
    let foreign_hosts = [
        format!("evil.example:{port}"),
        format!("localhost.evil.example:{port}"),
        "127.0.0.2".into(),
        format!("u@localhost:{port}"),
    ];
    let hosts =
        own_hosts.iter().map(|host| (host, true)).chain(foreign_hosts.iter().map(|host| (host, false)));
    let origins = [
        (None, true),
        (Some("http://localhost:6274"), true),
        (Some("http://[::1]:1"), true),
        (Some("http://evil.example"), false),
        (Some("https://localhost.evil.example"), false),
        (Some("null"), false),
    ];
    let (own, guess, short) =
        (bearer(&served.owner), bearer(&"0".repeat(68)), bearer(served.owner.get(..60).unwrap_or_default()));
    let doubled = format!("{own}, {own}");
    let tokens = [
        (Some(own.as_str()), true),
        (None, false),
        (Some(guess.as_str()), false),
        (Some(short.as_str()), false),
        (Some("Bearer"), false),
        (Some("Basic cHJvYml0eTo="), false),
        (Some(doubled.as_str()), false),
    ];
    let mut count = HttpMatrixTally::default();
    let small = call_body(served, 0);
    let large = call_body(served, 5 * 1024 * 1024);
    for (host, host_fits) in hosts {
        for (origin, origin_fits) in origins {
            for (token, token_fits) in tokens {
                for (body, body_fits) in [(&small, true), (&large, false)] {
                    let mut headers = vec![("host", host.as_str())];
                    headers.extend(MODERN_HEADERS);
                    headers.extend(origin.map(|origin| ("origin", origin)));
                    headers.extend(token.map(|token| ("authorization", token)));
                    let answer = served.send(&post(host, &headers, body))?;
                    let wanted = match (host_fits && origin_fits, token_fits, body_fits) {
                        (false, _, _) => 403,
                        (true, false, _) => 401,
                        (true, true, false) => 413,
                        (true, true, true) => 200,
                    };
                    let got = got(&answer);
                    // A large body may be cut off with a reset before the refusal is read.
                    let holds = answer.status == wanted || (!body_fits && answer.status == 0);
                    let what = || format!("{host} {origin:?} {token:?} {} bytes: {got}", body.len());
                    if wanted == 200 {
                        count.works(holds && answer.body.contains("tools"), what);
                    } else {
                        count.refused(holds && !answer.body.contains("tools"), what);
                    }
                }
            }
        }
    }
    Ok(count.figure("HTTP requests that got in with a wrong host, origin, token or size"))
}

const MODERN_HEADERS: [(&str, &str); 2] =
    [("mcp-protocol-version", "2026-07-28"), ("mcp-method", "tools/list")];

fn call_body(served: &HttpServerTestBed, padding: usize) -> String {
    let whole =
        request(&served.host, HttpEra::Modern, "", None, "tools/list", serde_json::json!({"cursor": null}));
    let text = String::from_utf8_lossy(&whole).into_owned();
    let body = text.split_once("\r\n\r\n").map(|(_, body)| body.to_owned()).unwrap_or_default();
    format!("{body}{}", " ".repeat(padding))
}

fn got(answer: &HttpServerResponse) -> String {
    format!("{} {}", answer.status, answer.body.chars().take(80).collect::<String>())
}

/// Clients that send a byte now and then: each must be cut off, and none may keep an honest one waiting.
fn slow(served: &HttpServerTestBed) -> anyhow::Result<Figure> {
    let own = bearer(&served.owner);
    let head = "POST /mcp HTTP/1.1\r\nx-slow: ".to_owned();
    let body = format!(
        "POST /mcp HTTP/1.1\r\nhost: {}\r\nauthorization: {own}\r\ncontent-type: application/json\r\n\
         content-length: 100000\r\n\r\n{{",
        served.host
    );
    let began = rig::now();
    let dripping: Vec<_> = (0..DRIPPING)
        .map(|number| {
            let (mut stream, start) =
                (served.connect(), if number % 2 == 0 { head.clone() } else { body.clone() });
            thread::spawn(move || -> Option<Duration> {
                let stream = stream.as_mut().ok()?;
                stream.write_all(start.as_bytes()).ok()?;
                stream.set_nonblocking(true).ok()?;
                while began.elapsed() < DRIP_MAX * 2 {
                    let mut byte = [0_u8; 256];
                    let ended = match std::io::Read::read(stream, &mut byte) {
                        Ok(0) => true,
                        Ok(_) => false,
                        Err(error) => error.kind() != std::io::ErrorKind::WouldBlock,
                    };
                    if ended || stream.write_all(b"x").is_err() {
                        return Some(began.elapsed());
                    }
                    thread::sleep(DRIP_EVERY);
                }
                None
            })
        })
        .collect();
    let mut count = HttpMatrixTally::default();
    while began.elapsed() < Duration::from_secs(5) {
        let (answer, took) = rig::timed(|| {
            served.call(HttpEra::Modern, &served.owner, None, "tools/list", serde_json::json!({}))
        });
        let answer = answer?;
        count.works(answer.status == 200 && took < Duration::from_secs(5), || {
            format!("an honest call: {took:?} {}", got(&answer))
        });
        thread::sleep(Duration::from_millis(200));
    }
    for client in dripping {
        let held = client.join().ok().flatten();
        count.refused(held.is_some_and(|held| held < DRIP_MAX), || {
            format!("held its connection for {held:?}")
        });
    }
    Ok(count.figure("Clients that drip headers or bodies and keep their connection"))
}
