//! The HTTP face: what goes over the wire, what does not, and the routes for tests.

use std::time::Duration;

use probity_simulator::{Simulator, SimulatorOptions, TimeMode};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

use crate::driver::{AGENT, events};

async fn simulator() -> Simulator {
    Simulator::start(SimulatorOptions { time: TimeMode::Manual, ..SimulatorOptions::default() })
        .await
        .unwrap()
}

async fn send(simulator: &Simulator, method: &str, target: &str, body: &str) -> TcpStream {
    let address = simulator.base_url().strip_prefix("http://").unwrap();
    let mut stream = TcpStream::connect(address).await.unwrap();
    let head = format!(
        "{method} {target} HTTP/1.1\r\nhost: x\r\nx-goog-api-key: k\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    stream.write_all(body.as_bytes()).await.unwrap();
    stream
}

async fn exchange(simulator: &Simulator, method: &str, target: &str, body: &str) -> String {
    let mut text = Vec::new();
    send(simulator, method, target, body).await.read_to_end(&mut text).await.unwrap();
    String::from_utf8(text).unwrap()
}

async fn admin(simulator: &Simulator, method: &str, operation: &str) -> Value {
    let answer = exchange(simulator, method, &format!("/simulator/{operation}"), "").await;
    serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap()
}

fn create(input: &str, stream: bool) -> String {
    json!({"agent": AGENT, "input": input, "background": true, "stream": stream}).to_string()
}

#[tokio::test]
async fn a_lost_create_sends_no_byte_and_is_in_the_ledger() {
    let simulator = simulator().await;
    let answer = exchange(&simulator, "POST", "/v1/interactions", &create("[[create-lost]] x", false)).await;
    assert_eq!(answer, "");
    assert_eq!(admin(&simulator, "GET", "ledger").await["entries"].as_array().unwrap().len(), 1);
    assert_eq!(simulator.handle().ledger().entries().len(), 1);
}

#[tokio::test]
async fn a_cut_stream_sends_all_its_events_and_no_last_chunk() {
    let simulator = simulator().await;
    let body = create("[[drop-after events=5 duration_ms=0]] x", true);
    let answer = exchange(&simulator, "POST", "/v1/interactions", &body).await;
    assert_eq!(events(&answer).len(), 5);
    assert!(answer.starts_with("HTTP/1.1 200") && !answer.ends_with("0\r\n\r\n"));
    let whole =
        exchange(&simulator, "POST", "/v1/interactions", &create("[[slow duration_ms=0]] x", true)).await;
    assert!(whole.ends_with("0\r\n\r\n"));
}

#[tokio::test]
async fn a_stream_goes_on_when_time_does() {
    let simulator = simulator().await;
    let body = create("[[completed]] x", true);
    let mut stream = send(&simulator, "POST", "/v1/interactions", &body).await;
    let mut text = Vec::new();
    while !text.windows(8).any(|bytes| bytes == b"evt_0002") {
        stream.read_buf(&mut text).await.unwrap();
    }
    assert_eq!(admin(&simulator, "GET", "stats").await["streams"]["current"], 1);
    assert_eq!(admin(&simulator, "POST", "advance?ms=2000").await["now_ms"], 2_000);
    stream.read_to_end(&mut text).await.unwrap();
    assert!(String::from_utf8(text).unwrap().contains("[DONE]"));
    let stats = admin(&simulator, "GET", "stats").await;
    assert_eq!(stats["streams"], json!({"current": 0, "peak": 1}));
    assert_eq!(stats["totals"]["create"], 1);
}

#[tokio::test]
async fn a_hanging_create_stays_open_and_a_late_one_comes_when_time_does() {
    let simulator = simulator().await;
    let mut hanging = send(&simulator, "POST", "/v1/interactions", &create("[[hang]] x", false)).await;
    let mut late =
        send(&simulator, "POST", "/v1/interactions", &create("[[slow-first-byte]] x", false)).await;
    let mut byte = [0_u8; 1];
    let early = tokio::time::timeout(Duration::from_millis(50), late.read(&mut byte)).await;
    assert!(early.is_err(), "nothing may come before its time");
    simulator.handle().advance(1_000);
    assert_eq!(late.read(&mut byte).await.unwrap(), 1);
    let never = tokio::time::timeout(Duration::from_millis(50), hanging.read(&mut byte)).await;
    assert!(never.is_err(), "a hanging create never answers");
}

#[tokio::test]
async fn tests_can_order_faults_scenarios_and_a_new_beginning() {
    let simulator = simulator().await;
    admin(&simulator, "POST", "fault?kind=503&times=1").await;
    admin(&simulator, "POST", "fault?kind=retry-after-2&times=1").await;
    admin(&simulator, "POST", "default-scenario?name=failed&duration_ms=0").await;
    let first = exchange(&simulator, "POST", "/v1/interactions", &create("x", false)).await;
    let second = exchange(&simulator, "POST", "/v1/interactions", &create("x", false)).await;
    let third = exchange(&simulator, "POST", "/v1/interactions", &create("x", false)).await;
    assert!(first.starts_with("HTTP/1.1 503"), "{first}");
    assert!(second.starts_with("HTTP/1.1 429") && second.contains("retry-after: 2"), "{second}");
    assert!(third.contains("\"failed\""), "{third}");
    assert_eq!(admin(&simulator, "GET", "ledger").await["refused"], json!({"429": 1, "503": 1}));
    admin(&simulator, "POST", "reset").await;
    let ledger = admin(&simulator, "GET", "ledger").await;
    assert_eq!((&ledger["entries"], &ledger["refused_count"]), (&json!([]), &json!(0)));
    assert!(admin(&simulator, "POST", "fault?kind=nonsense").await["error"].is_string());
}

#[tokio::test]
async fn dropping_the_simulator_frees_the_port() {
    let simulator = simulator().await;
    let address = simulator.base_url().strip_prefix("http://").unwrap().to_owned();
    drop(simulator);
    let limit = tokio::time::timeout(Duration::from_secs(5), async {
        while TcpStream::connect(&address).await.is_ok() {
            tokio::task::yield_now().await;
        }
    });
    limit.await.unwrap();
}
