use serde_json::json;

use super::{RunStatus, RunSummary};
use crate::{
    error::{Code, CodedError},
    id::RunId,
};

fn ended(status: RunStatus, problem: Option<CodedError>) -> RunSummary {
    let summary: RunSummary = serde_json::from_value(json!({
        "id": RunId::from_random(7), "status": "completed", "due": false, "query": "why?",
        "engine": "gemini-api", "agent": "a", "asked_at": 0, "updated_at": 9, "ended_at": 9,
        "progress_percent": 100, "progress_estimated": false, "current_action": "", "steps": 0,
        "searches": 0, "pages": 0, "attended_ms": 0, "cost": { "basis": "unknown" }, "sources": 0,
    }))
    .unwrap();
    RunSummary { status, problem, ..summary }
}

#[test]
fn a_run_without_a_report_is_told_by_the_code_of_what_happened() {
    let code = |status| ended(status, None).why_no_report().map(|problem| problem.code);
    let codes: Vec<Option<Code>> = RunStatus::ALL.into_iter().map(code).collect();
    assert_eq!(
        codes,
        [
            None,
            None,
            None,
            Some(Code::EmptyReport),
            Some(Code::Incomplete),
            Some(Code::ProviderFailed),
            Some(Code::Cancelled),
            Some(Code::Expired),
            Some(Code::Deadline),
            Some(Code::Budget),
            Some(Code::CreateUncertain),
        ]
    );
    let network = CodedError::new(Code::Network, "no route");
    assert_eq!(ended(RunStatus::Failed, Some(network.clone())).why_no_report(), Some(network));
}

#[test]
fn a_note_is_made_of_whole_sentences() {
    let late = CodedError::new(Code::Deadline, "it did not finish before its deadline.");
    let told = |note: Option<&str>| {
        let note = note.map(str::to_owned);
        RunSummary { note, ..ended(RunStatus::TimedOut, Some(late.clone())) }.reader_note(None)
    };
    let partial = "partial: the research has timed out: it did not finish before its deadline.";
    assert_eq!(told(None).as_deref(), Some(partial));
    assert_eq!(told(Some("it cost more")), Some(format!("{partial} it cost more")));
    assert_eq!(ended(RunStatus::Completed, None).reader_note(None), None);
}
