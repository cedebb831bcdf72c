//! The key and the question stay where they belong.

use std::{
    io::Write,
    sync::{Arc, Mutex},
};

use probity_models::{ApiKey, DeepResearchSettings};
use probity_research::engine_call::EngineOutcome;
use probity_simulator::{Fault, FaultKind, FaultRoute};

use crate::driver::{CANARY, DeepResearchHarness, FollowMethod};

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn the_key_is_in_no_finding_no_debug_text_and_no_log() {
    let log = Log::default();
    let sink = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing_subscriber::filter::LevelFilter::TRACE)
        .with_ansi(false)
        .with_writer(move || sink.clone())
        .finish();
    let guard = tracing::subscriber::set_default(subscriber);
    let mut findings: Vec<EngineOutcome> = Vec::new();
    for scenario in [
        "completed",
        "error-401",
        "create-lost",
        "create-html",
        "error-500-html",
        "error-429-daily",
        "error-503-json",
    ] {
        let mut driver =
            DeepResearchHarness::new(FollowMethod::Stream, &format!("[[{scenario}]] secretquestion")).await;
        findings.push(driver.create().await);
        if driver.research.remote_id.is_some() {
            for kind in [FaultKind::Status(401), FaultKind::Drop, FaultKind::Html] {
                driver.simulator.handle().add_fault(Fault { route: FaultRoute::Get, kind, times: 1 });
                findings.push(driver.collect().await);
            }
            driver.pass(10_000);
            findings.push(driver.follow().await);
        }
    }
    drop(guard);
    let settings = DeepResearchSettings::new(ApiKey::parse(CANARY).unwrap());
    let shown = format!("{findings:?} {settings:?}");
    assert!(!shown.contains(CANARY), "the key is in {shown}");
    let logged = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    assert!(logged.contains("research started"), "{logged}");
    assert!(!logged.contains(CANARY), "the key is in {logged}");
    let ours: Vec<&str> = logged.lines().filter(|line| line.contains("probity_models")).collect();
    assert!(!ours.is_empty());
    assert!(!ours.join("\n").contains("secretquestion"), "the question is in {ours:?}");
}
