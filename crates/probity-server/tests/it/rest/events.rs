//! Server-sent events: everything once and in order, also for whoever comes back, until the research rests.

use std::time::Duration;

use probity_research::{Event, progress::Progress};
use serde_json::Value;
use tokio::io::AsyncReadExt as _;

use super::{
    memory_fleet::{ended, key, running},
    server::Server,
};

/// `(id, kind, data)` of each event.
fn parsed(body: &str) -> Vec<(u64, String, Value)> {
    let field = |block: &str, name: &str| {
        let line = block.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
        line.map(str::to_owned)
    };
    body.split("\n\n")
        .filter(|block| !block.trim().is_empty() && !block.starts_with(':'))
        .map(|block| {
            let data = serde_json::from_str(&field(block, "data").unwrap()).unwrap();
            (field(block, "id").unwrap().parse().unwrap(), field(block, "event").unwrap(), data)
        })
        .collect()
}

fn path(id: probity_research::RunId) -> String {
    format!("/v1/researches/{id}/events")
}

#[tokio::test]
async fn whoever_comes_back_misses_nothing_and_sees_nothing_twice() {
    let server = Server::start().await;
    let token = key("anna", "read");
    let whole = server.get(&path(ended("anna")), &token).await;
    assert_eq!(whole.header("content-type"), Some("text/event-stream"));
    let events = parsed(&whole.body);
    let told: Vec<(u64, &str)> = events.iter().map(|(id, kind, _)| (*id, kind.as_str())).collect();
    assert_eq!(told, [(1, "asked"), (2, "starting"), (3, "started"), (4, "ended")]);
    let statuses: Vec<&str> = events.iter().map(|(_, _, data)| data["status"].as_str().unwrap()).collect();
    assert_eq!(statuses, ["pending", "pending", "running_async", "completed"]);
    assert_eq!(events[3].2["rests"], true);
    assert!(!whole.body.contains("remote-of") && !whole.body.contains("private"), "no bodies: {whole:?}");
    for seen in 0..4_u64 {
        let seen_text = seen.to_string();
        let more = [("last-event-id", seen_text.as_str())];
        let answer = server.send("GET", &path(ended("anna")), Some(&token), &more, None).await;
        assert_eq!(parsed(&answer.body), events[seen as usize..], "after {seen}");
    }
    for (seen, status) in [("4", 204), ("99", 204), ("-1", 400), ("x", 400)] {
        let answer =
            server.send("GET", &path(ended("anna")), Some(&token), &[("last-event-id", seen)], None).await;
        assert_eq!(answer.status, status, "{seen}");
    }
    server.stop().await;
}

#[tokio::test]
async fn what_happens_is_told_when_it_happens_and_the_stream_ends_at_rest() {
    let server = Server::start().await;
    let id = running("anna");
    let mut stream =
        server.open("GET", &path(id), Some(&key("anna", "read")), &[("last-event-id", "3")], None).await;
    let progress = Progress { searches: 3, steps: 3, ..Progress::default() };
    let mut text = String::new();
    let mut buffer = [0_u8; 4_096];
    let mut ended = false;
    server.fleet.append(id, Event::Observed { progress, cursor: None });
    loop {
        let reading = stream.read(&mut buffer);
        let read = tokio::time::timeout(Duration::from_secs(20), reading).await.unwrap().unwrap();
        if read == 0 {
            break;
        }
        text.push_str(&String::from_utf8_lossy(&buffer[..read]));
        if !ended && text.contains("event: progress") {
            server.fleet.end(id);
            ended = true;
        }
    }
    let (_, body) = text.split_once("\r\n\r\n").unwrap();
    let events = parsed(&super::server::unchunked(body));
    let told: Vec<(u64, &str)> = events.iter().map(|(id, kind, _)| (*id, kind.as_str())).collect();
    assert_eq!(told, [(4, "progress"), (5, "ended")], "{text}");
    server.stop().await;
}

#[tokio::test]
async fn streams_are_counted_and_end_with_the_server() {
    let server = Server::start().await;
    let token = key("anna", "read");
    let mut open = Vec::new();
    for _ in 0..32 {
        let mut stream = server.open("GET", &path(running("anna")), Some(&token), &[], None).await;
        let mut first = [0_u8; 16];
        stream.read_exact(&mut first).await.unwrap();
        assert!(first.starts_with(b"HTTP/1.1 200"), "{first:?}");
        open.push(stream);
    }
    let more = server.get(&path(running("anna")), &token).await;
    assert_eq!((more.status, more.header("retry-after").is_some()), (429, true));
    let of_ben = server.get(&path(ended("ben")), &key("ben", "read")).await;
    assert_eq!(of_ben.status, 200, "another tenant has streams of its own");
    drop(open.pop());
    let mut freed = 429;
    for _ in 0..100 {
        freed = server.get(&path(ended("anna")), &token).await.status;
        if freed == 200 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert_eq!(freed, 200, "a place that was left is free again");
    server.stop().await;
}
