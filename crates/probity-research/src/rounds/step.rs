//! What comes next in a research of rounds.
#![cfg_attr(not(test), warn(clippy::wildcard_enum_match_arm))]

use std::time::Duration;

use super::{
    RoundsPlan, RoundsStop, conclude, parse_answer,
    state::{CallBilling, RoundStage, RoundsState},
};
use crate::{
    driver_state::{COLLECTS_MAX, DriverState},
    engine_call::{EngineCall, RoundCall},
    error::{Code, CodedError},
    event::Event,
    id::Digest,
    instruction::Step,
    ledger::{ClaimId, Ledger},
    state::{CancelAnswer, RunPhase, RunState},
    stop::CancelReason,
    text,
};

/// Failing claims given to a next round: more than it can check.
const FAILING_MAX: usize = 25;
const FAILING_CHARACTERS_MAX: usize = 400;
/// How long the provider may take to answer that a late round is cancelled.
const ABANDON_GRACE: Duration = Duration::from_secs(30);

pub fn next(research: &RunState, plan: &RoundsPlan, course: &RoundsState, attention: &DriverState) -> Step {
    if matches!(research.phase, RunPhase::Ended(_) | RunPhase::Gathered(_)) {
        return Step::Rest;
    }
    if let Some(digest) = missing(course, attention) {
        return Step::Fetch(digest);
    }
    match &research.phase {
        RunPhase::Asked => match over(research, plan, course, attention) {
            Some(stop) => Step::Finish(Box::new(conclude::conclude(research, plan, course, attention, stop))),
            None => record(Event::CreateIntended { attempt: course.calls.saturating_add(1) }),
        },
        RunPhase::Intended { .. } if attention.intent_is_fresh => {
            Step::Perform(EngineCall::Ask(Box::new(call(plan, course, attention))))
        }
        RunPhase::Intended { .. } => record_lost_call(CodedError::new(
            Code::CreateUncertain,
            "Probity stopped between asking for a round and hearing its answer",
        )),
        RunPhase::Running => running(research, plan, attention),
        RunPhase::Refused { .. }
        | RunPhase::Uncertain { .. }
        | RunPhase::Gathered(_)
        | RunPhase::Ended(_) => Step::Rest,
    }
}

fn record(event: Event) -> Step {
    Step::Record(Box::new(event))
}

/// A call whose outcome will never be known; its cost is unknown.
fn record_lost_call(problem: CodedError) -> Step {
    record(Event::RoundStumbled { problem, kept: None, billed: CallBilling::Unknown, raw: None })
}

/// Bytes that must be loaded before anything is decided: earlier answers, and the one to be corrected.
fn missing(course: &RoundsState, attention: &DriverState) -> Option<Digest> {
    let answers = course.answered.iter().map(|answered| answered.answer);
    let checked = course.best().and_then(|best| best.checked).map(|checked| checked.report);
    answers.chain(course.position.invalid).chain(checked).find(|digest| attention.blob(*digest).is_none())
}

/// Why no further call is made, if none is.
fn over(
    research: &RunState,
    plan: &RoundsPlan,
    course: &RoundsState,
    attention: &DriverState,
) -> Option<RoundsStop> {
    if let Some(command) = &research.cancel {
        return Some(match command.reason {
            CancelReason::User => RoundsStop::Cancelled,
            CancelReason::Deadline => RoundsStop::Deadline,
            CancelReason::Budget => RoundsStop::Budget,
        });
    }
    let date = research.updated_at.date();
    if course.over.is_some() {
        course.over
    } else if course.position.round > plan.rounds_max {
        Some(RoundsStop::Limit)
    } else if course.calls > 0 && attention.attended >= research.plan.limits.deadline() {
        Some(RoundsStop::Deadline)
    } else if course.exceeds_budget(research.plan.limits.budget, plan, &date) {
        Some(RoundsStop::Budget)
    } else {
        None
    }
}

fn call(plan: &RoundsPlan, course: &RoundsState, attention: &DriverState) -> RoundCall {
    let answers = parse_answer::answers(course, attention);
    let best = parse_answer::best(course, &answers);
    let correction = course.position.stage == RoundStage::Correction;
    RoundCall {
        round: course.position.round,
        rounds_max: plan.rounds_max,
        model: if correction { plan.correction_model.clone() } else { plan.model.clone() },
        current: best.map(|best| best.report.text.clone()),
        failing: parse_answer::ledger(course, attention).map(|ledger| failing(&ledger)).unwrap_or_default(),
        untraced: best.map(|best| best.unresolved.clone()).unwrap_or_default(),
        invalid: parse_answer::invalid(course, attention).map(|invalid| invalid.text),
    }
}

/// Claims that a next round should check: those that failed, then those that rest on one origin.
fn failing(ledger: &Ledger) -> Vec<String> {
    let Some(verification) = &ledger.verification else { return Vec::new() };
    let describe = |id: &ClaimId| {
        let (claim, settled) = (ledger.claim(*id)?, ledger.verdict(*id)?);
        let reason = if settled.reason.is_empty() { String::new() } else { format!(" ({})", settled.reason) };
        let line = format!("{} [{}{reason}]", claim.words, settled.verdict);
        Some(text::line(&line, FAILING_CHARACTERS_MAX))
    };
    let alone = verification.single_origin.iter();
    verification.failing.iter().chain(alone).take(FAILING_MAX).filter_map(describe).collect()
}

fn running(research: &RunState, plan: &RoundsPlan, attention: &DriverState) -> Step {
    let Some(remote_id) = research.remote_id.clone() else {
        return record_lost_call(CodedError::new(Code::RoundLost, "the round has no id to follow"));
    };
    if let Some(command) = &research.cancel {
        return match command.answer {
            CancelAnswer::NotAsked => Step::Perform(EngineCall::Cancel { remote_id }),
            CancelAnswer::Accepted | CancelAnswer::Refused(_) if attention.collects < COLLECTS_MAX => {
                Step::Perform(EngineCall::Collect { remote_id })
            }
            CancelAnswer::Accepted | CancelAnswer::Refused(_) => {
                record_lost_call(CodedError::new(Code::Cancelled, "the round was cancelled"))
            }
        };
    }
    let looked = attention.looks > 0 || attention.failures_in_a_row > 0;
    let started = Duration::from_millis(research.started_attended_ms.unwrap_or(0));
    let took = attention.attended.saturating_sub(started);
    if looked && attention.attended >= research.plan.limits.deadline() {
        return Step::cancel(CancelReason::Deadline);
    }
    if looked && took >= plan.round_deadline() + ABANDON_GRACE {
        return record_lost_call(round_timeout_error(plan));
    }
    if looked && took >= plan.round_deadline() {
        return Step::Perform(EngineCall::Cancel { remote_id });
    }
    Step::Perform(EngineCall::Follow { remote_id, cursor: research.cursor.clone() })
}

/// A round that took too long; its cost is unknown.
pub fn round_timeout_error(plan: &RoundsPlan) -> CodedError {
    let seconds = plan.round_deadline().as_secs();
    CodedError::new(Code::Timeout, &format!("the round did not end within {seconds} s"))
}
