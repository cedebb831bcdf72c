//! Journals written as a line of text, for the tests of the rules.

use std::time::Duration;

use crate::{
    Event, RunId, RunState, Sequence, StoredEvent,
    agent::AgentName,
    cost::{Cost, MicroUsd, Usage},
    error::{Code, CodedError},
    plan::{Plan, RunLimits},
    progress::{Progress, ProgressLine},
    query::Query,
    stop::{CancelReason, PartialResults, RunStop},
    time::Moment,
};

pub const ID: u128 = 7;

pub fn plan() -> Plan {
    Plan::new(AgentName::default(), RunLimits::new(Duration::from_secs(3600), Some(MicroUsd(5_000_000))))
}

pub fn problem(code: Code) -> CodedError {
    CodedError::new(code, "in the provider's words")
}

/// `asked intended refused:RATE_LIMITED intended started seen:3 cancel answered ended:completed`
pub fn events(words: &str) -> Vec<Event> {
    words.split_whitespace().scan(0, |attempt, word| Some(event(word, attempt))).collect()
}

fn event(word: &str, attempt: &mut u32) -> Event {
    let (name, value) = word.split_once(':').unwrap_or((word, ""));
    let code = |fallback| Code::ALL.iter().copied().find(|code| code.as_str() == value).unwrap_or(fallback);
    match name {
        "asked" => Event::Asked { query: Query::parse("why is the sky blue?").unwrap(), plan: plan() },
        "intended" => {
            *attempt += 1;
            Event::CreateIntended { attempt: *attempt }
        }
        "refused" => Event::CreateRefused { attempt: *attempt, problem: problem(code(Code::RateLimited)) },
        "uncertain" => Event::CreateUncertain { attempt: *attempt, problem: problem(Code::CreateUncertain) },
        "pay-again" => Event::PayAgainAccepted,
        "left" => Event::Left,
        "arrived" => Event::Arrived,
        "handed-over" => Event::HandedOver,
        "raised" => Event::BudgetRaised { to: MicroUsd(50_000_000) },
        "started" => Event::RemoteStarted {
            attempt: *attempt,
            remote_id: "v1_a".to_owned(),
            cursor: Some("evt_1".to_owned()),
        },
        "seen" => Event::Observed {
            progress: progress(value.parse().unwrap_or(1)),
            cursor: Some("evt_9".to_owned()),
        },
        "dear" => {
            let usage = Usage { output_tokens: 1_000_000, ..Usage::default() };
            Event::Observed { progress: Progress { usage: Some(usage), ..progress(1) }, cursor: None }
        }
        "look-failed" => Event::LookFailed {
            problem: problem(Code::UnreadableAnswer),
            raw: Some(crate::Digest([4; 32])),
            raw_bytes: 100,
        },
        "kept" => {
            Event::PartialKept { report: crate::Digest([1; 32]), sources: value.parse().unwrap_or_default() }
        }
        "cancel" => Event::CancelRequested { reason: CancelReason::User, partial: PartialResults::Keep },
        "drop" => Event::CancelRequested { reason: CancelReason::User, partial: PartialResults::Drop },
        "late" => Event::CancelRequested { reason: CancelReason::Deadline, partial: PartialResults::Keep },
        "answered" => Event::CancelAnswered { refusal: None },
        "cancel-refused" => Event::CancelAnswered { refusal: Some(problem(Code::BadRequest)) },
        "ended" => ended(match value {
            "failed" => RunStop::Failed,
            "timed-out" => RunStop::TimedOut,
            "cancelled" => RunStop::Cancelled,
            _ => RunStop::Completed,
        }),
        "reopened" => Event::Reopened,
        other => panic!("no such event word: {other}"),
    }
}

pub fn progress(searches: u32) -> Progress {
    Progress {
        report_bytes_sent: None,
        remote_status: "in_progress".to_owned(),
        steps: searches,
        searches,
        pages: 0,
        usage: None,
        news: vec![ProgressLine::Search("rayleigh scattering".to_owned())],
    }
}

fn ended(stop: RunStop) -> Event {
    Event::Ended {
        stop,
        report: Some(crate::Digest([2; 32])),
        raw: Some(crate::Digest([3; 32])),
        usage: None,
        cost: Cost::Unknown,
        problem: None,
        sources: 2,
        progress: None,
    }
}

/// One second of attention and of wall time passes between two events.
pub fn recorded(events: Vec<Event>) -> Vec<StoredEvent> {
    let stamp = |index: usize, event| StoredEvent {
        sequence: Sequence(index as u64 + 1),
        at: Moment(1_794_700_000_000 + index as i64 * 1000),
        attended_ms: index as u64 * 1000,
        event,
    };
    events.into_iter().enumerate().map(|(index, event)| stamp(index, event)).collect()
}

pub fn replay(words: &str) -> RunState {
    RunState::replay(RunId::from_random(ID), &recorded(events(words))).unwrap()
}
