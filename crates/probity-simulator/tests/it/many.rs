//! Ten thousand interactions at once, and the same calls twice.

use probity_simulator::{CallMethod, Name, SimulatorAnswer, SimulatorCall, World, WorldSettings};
use serde_json::json;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

use crate::{
    driver::{AGENT, WorldDriver},
    program::Program,
};

const MANY: usize = 10_000;
/// What one waiting interaction may cost, its ledger entry included.
const BYTES_EACH_MAX: usize = 1_200;
/// What the real program may hold in memory with all of them: the above, doubled for the allocator, and
/// what it needs anyway.
const RESIDENT_MAX: usize = 2 * MANY * BYTES_EACH_MAX + 16 * 1_024 * 1_024;

#[test]
fn ten_thousand_wait_and_all_complete() {
    let mut driver = WorldDriver::new();
    let ids: Vec<String> = (0..MANY)
        .map(|number| {
            driver.now_ms = number as u64 / 10;
            let labels = json!({"labels": {"task": format!("task-{number}")}});
            driver.start_with("[[completed duration_ms=60000]] a question of usual length about TPUs", labels)
        })
        .collect();
    assert_eq!(driver.world.unfinished_count(driver.now_ms), MANY);
    let each = driver.world.memory_bytes() / MANY;
    assert!(each < BYTES_EACH_MAX, "{each} bytes per interaction");

    driver.now_ms = 120_000;
    for id in &ids {
        assert_eq!(driver.status(id), "completed");
    }
    assert_eq!(driver.world.unfinished_count(driver.now_ms), 0);
    assert_eq!(driver.world.ledger().duplicates(), Vec::<String>::new());
}

#[tokio::test]
async fn the_program_holds_ten_thousand() {
    let program = Program::start(&["--manual-time"]);
    let stream = TcpStream::connect(program.base_url.strip_prefix("http://").unwrap()).await.unwrap();
    let (mut answers, mut requests) = stream.into_split();
    let body =
        json!({"agent": AGENT, "background": true, "input": "[[slow]] a question", "labels": {"task": "t"}});
    let request = format!(
        "POST /v1/interactions HTTP/1.1\r\nhost: x\r\nx-goog-api-key: k\r\ncontent-length: {}\r\n\r\n{body}",
        body.to_string().len()
    );
    let sending = async {
        for _ in 0..MANY {
            requests.write_all(request.as_bytes()).await.unwrap();
        }
    };
    let reading = async {
        let mut text = Vec::new();
        let mut seen = 0;
        while seen < MANY {
            assert!(answers.read_buf(&mut text).await.unwrap() > 0, "the connection ended after {seen}");
            seen += text.windows(12).filter(|bytes| *bytes == b"HTTP/1.1 200").count();
            // Keeps what may be the beginning of the next answer.
            text.drain(..text.len().saturating_sub(11));
        }
    };
    tokio::join!(sending, reading);
    let resident = program.resident_bytes();
    assert!(resident < RESIDENT_MAX, "the program holds {resident} bytes");
}

#[test]
fn the_same_calls_get_the_same_answers() {
    let first = transcript(WorldSettings::default());
    assert_eq!(first, transcript(WorldSettings::default()));
    assert_ne!(first, transcript(WorldSettings { seed: 2, ..WorldSettings::default() }));
}

/// Every scenario created, polled, streamed and cancelled, written down.
fn transcript(settings: WorldSettings) -> String {
    let mut world = World::new(settings);
    let mut text = String::new();
    for name in Name::ALL {
        for stream in [false, true] {
            let body = json!({
                "agent": AGENT, "background": true, "stream": stream, "input": format!("[[{name} times=1]] x"),
                "labels": {"task": name.as_str()},
            });
            let create = SimulatorCall::new(CallMethod::Post, "/v1/interactions").with_body(body.to_string());
            note(&mut world, 0, &create, &mut text);
            if let Some(id) = world.ledger().entries().last().map(|entry| entry.interaction_id.clone()) {
                let path = format!("/v1/interactions/{id}");
                for at_ms in [0, 700, 5_000] {
                    note(&mut world, at_ms, &SimulatorCall::new(CallMethod::Get, path.clone()), &mut text);
                }
                note(
                    &mut world,
                    1_000,
                    &SimulatorCall::new(CallMethod::Post, format!("{path}/cancel")),
                    &mut text,
                );
                note(
                    &mut world,
                    5_000,
                    &SimulatorCall::new(CallMethod::Get, format!("{path}?stream=true")),
                    &mut text,
                );
            }
        }
    }
    world.settle(9_000);
    format!("{text}\n{:?}", world.ledger())
}

fn note(world: &mut World, now_ms: u64, call: &SimulatorCall, text: &mut String) {
    match world.handle(now_ms, call) {
        SimulatorAnswer::Stream { headers, mut cursor } => {
            let pulled = world.pull(now_ms + 300, &mut cursor);
            text.push_str(&format!("{headers:?} {pulled:?}\n"));
        }
        other => text.push_str(&format!("{other:?}\n")),
    }
}
