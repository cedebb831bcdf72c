//! What comes next in a research of rounds.
#![cfg_attr(not(test), warn(clippy::wildcard_enum_match_arm))]

use std::time::Duration;

use super::{
    RoundHints, RoundsPlan, RoundsStop,
    agreement::is_same_text,
    conclude, parse_answer,
    state::{CallBilling, CallWork, RoundStage, RoundsState},
};
use crate::{
    driver_state::DriverState,
    engine_call::{EngineCall, RoundCall},
    error::{Code, CodedError},
    event::Event,
    id::Digest,
    instruction::Step,
    state::{RunPhase, RunState},
    stop::CancelReason,
    time_left::{ending_call, follow, is_late, time_left},
};

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
    let (billed, work) = (CallBilling::Unknown, CallWork::default());
    record(Event::RoundStumbled { problem, kept: None, billed, raw: None, model: None, work })
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
    } else if course.is_out_of_reach() {
        Some(RoundsStop::Uncheckable)
    } else if repeats_a_text(course, attention) {
        Some(RoundsStop::Saturated)
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

/// Whether the newest answer has the text of an earlier one: nothing new would be bought with another round.
fn repeats_a_text(course: &RoundsState, attention: &DriverState) -> bool {
    let answers = parse_answer::answers(course, attention);
    let Some(((_, newest), earlier)) = answers.split_last() else { return false };
    earlier.iter().any(|(_, known)| is_same_text(&known.report.text, &newest.report.text))
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
        hints: RoundHints::of(
            parse_answer::ledger(course, attention).as_ref(),
            best.map(|best| best.unresolved.as_slice()).unwrap_or_default(),
        ),
        invalid: parse_answer::invalid(course, attention).map(|invalid| invalid.text),
    }
}

fn running(research: &RunState, plan: &RoundsPlan, attention: &DriverState) -> Step {
    let Some(remote_id) = research.remote_id.clone() else {
        return record_lost_call(CodedError::new(Code::RoundLost, "the round has no id to follow"));
    };
    if let Some(command) = &research.cancel {
        return match ending_call(research, attention, command, remote_id) {
            Some(call) => Step::Perform(call),
            None => record_lost_call(stopped_round_error(command.reason)),
        };
    }
    let looked = attention.looks > 0 || attention.failures_in_a_row > 0;
    let started = Duration::from_millis(research.started_attended_ms.unwrap_or(0));
    let took = attention.attended.saturating_sub(started);
    if is_late(research, attention) {
        return Step::cancel(CancelReason::Deadline);
    }
    if looked && took >= plan.round_deadline() + ABANDON_GRACE {
        return record_lost_call(round_timeout_error(plan));
    }
    if looked && took >= plan.round_deadline() {
        let within = time_left(research, attention).unwrap_or_default();
        return Step::Perform(EngineCall::Cancel { remote_id, within });
    }
    Step::Perform(follow(research, attention, remote_id))
}

/// A round that was under way when the run was stopped: the reason is ours, not the provider's.
pub fn stopped_round_error(reason: CancelReason) -> CodedError {
    match reason {
        CancelReason::User => {
            CodedError::new(Code::Cancelled, "the research was cancelled during this round")
        }
        CancelReason::Deadline => {
            CodedError::new(Code::Deadline, "the deadline was reached during this round")
        }
        CancelReason::Budget => CodedError::new(Code::Budget, "the budget was used up during this round"),
    }
}

/// A round that took too long; its cost is unknown.
pub fn round_timeout_error(plan: &RoundsPlan) -> CodedError {
    let seconds = plan.round_deadline().as_secs();
    CodedError::new(Code::Timeout, &format!("the round did not end within {seconds} s"))
}
