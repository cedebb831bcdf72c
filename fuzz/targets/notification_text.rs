//! Questions and provider's words as bytes come: a notification stays short, inert, and silent on the question.
#![no_main]

use libfuzzer_sys::fuzz_target;
use probity_research::{
    RunId,
    cost::{Cost, MicroUsd},
    error::{Code, CodedError},
    status::{RunStatus, RunSummary},
    time::Moment,
};

#[path = "../../crates/probity/src/notify/tests/promise.rs"]
mod promise;
#[allow(dead_code, reason = "the program also shows several at once")]
#[path = "../../crates/probity/src/notify/words.rs"]
mod words;

fn summary() -> RunSummary {
    serde_json::from_value(serde_json::json!({
        "id": RunId::from_random(7), "status": "completed", "due": false, "query": "", "engine": "gemini-api",
        "agent": "deep-research-preview-04-2026", "asked_at": 0, "updated_at": 0, "progress_percent": 100,
        "progress_estimated": false, "current_action": "", "steps": 0, "searches": 0, "pages": 0,
        "attended_ms": 0, "cost": { "basis": "unknown" }, "sources": 0,
    }))
    .expect("a summary")
}

fuzz_target!(|bytes: &[u8]| {
    let Some((head, text)) = bytes.split_at_checked(12) else { return };
    let number =
        |at: usize| head.iter().skip(at).take(4).fold(0_u32, |sum, byte| (sum << 8) | u32::from(*byte));
    let text = String::from_utf8_lossy(text);
    let mut told = summary();
    told.query = text.to_string();
    told.status = RunStatus::ALL[number(0) as usize % RunStatus::ALL.len()];
    told.sources = number(4);
    told.ended_at = Some(Moment(i64::from(number(8)) << (number(0) % 32)));
    told.cost = Cost::FromUsage(MicroUsd(u64::from(number(4)) << (number(8) % 32)));
    told.problem = Some(CodedError::new(Code::ALL[number(8) as usize % Code::ALL.len()], &text));
    if let Err(broken) = promise::check(&told) {
        panic!("{broken}");
    }
});
