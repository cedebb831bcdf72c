//! What to do next, also after a refusal: whether a call is sent again, and when. Decides; performs nothing.
#![cfg_attr(not(test), warn(clippy::wildcard_enum_match_arm))]

use std::time::Duration;

use crate::{
    checking,
    cost::Cost,
    driver_state::DriverState,
    engine_call::EngineCall,
    error::{Code, CodedError},
    event::Event,
    price, rounds,
    state::{CancelAnswer, CancelCommand, RunPhase, RunState},
    stop::{CancelReason, PartialResults, RunStop},
    time_left::{ending_call, follow, is_late, time_left},
    web,
};

pub use crate::instruction::Step;

pub fn next_step(research: &RunState, attention: &DriverState) -> Step {
    if research.moved_away {
        return Step::Rest;
    }
    if let RunPhase::Uncertain { problem, .. } = &research.phase {
        return if research.cancel.is_some() { uncertain_end(problem) } else { Step::Rest };
    }
    if let Some(pause) = pause(research, attention) {
        return Step::Wait(pause);
    }
    if let Some(step) = checking::step::next(research, attention) {
        return step;
    }
    if let (Some(plan), Some(gathering)) = (&research.plan.web, &research.web_state) {
        return web::step::next(research, plan, gathering, attention);
    }
    if let (Some(plan), Some(course)) = (&research.plan.rounds, &research.rounds_state) {
        return rounds::step::next(research, plan, course, attention);
    }
    match &research.phase {
        RunPhase::Asked if research.cancel.is_some() => unpaid_end(research),
        RunPhase::Asked => record(Event::CreateIntended { attempt: 1 }),
        RunPhase::Intended { attempt } if attention.intent_is_fresh => {
            Step::Perform(EngineCall::Create { attempt: *attempt })
        }
        RunPhase::Intended { attempt } => record(interrupted(*attempt)),
        RunPhase::Refused { .. } if research.cancel.is_some() => unpaid_end(research),
        RunPhase::Refused { problem, .. } if refused_too_long(attention, research, problem) => {
            Step::cancel(CancelReason::Deadline)
        }
        RunPhase::Refused { attempt, problem } => after_refusal(research, *attempt, problem),
        RunPhase::Running => running(research, attention),
        RunPhase::Uncertain { .. } | RunPhase::Gathered(_) | RunPhase::Ended(_) => Step::Rest,
    }
}

fn record(event: Event) -> Step {
    Step::Record(Box::new(event))
}

/// The wait that was asked for, but none beyond the time in which the run must end.
fn pause(research: &RunState, attention: &DriverState) -> Option<Duration> {
    let pause = attention.pause.filter(|_| !skips_pause(research, attention))?;
    let pause = pause.min(time_left(research, attention).unwrap_or(pause));
    (!pause.is_zero()).then_some(pause)
}

/// A provider that goes on refusing to start does not outlast the deadline. A start that the user is ready to pay
/// for again is tried all the same.
fn refused_too_long(attention: &DriverState, research: &RunState, problem: &CodedError) -> bool {
    problem.code != Code::CreateUncertain && is_late(research, attention)
}

/// A new cancel command does not wait for the next poll.
fn skips_pause(research: &RunState, attention: &DriverState) -> bool {
    research.cancel.as_ref().is_some_and(|command| command.answer == CancelAnswer::NotAsked)
        && attention.collects == 0
}

/// A driver died between the intent and the provider's answer: it is unknown whether it was billed.
fn interrupted(attempt: u32) -> Event {
    let problem = CodedError::new(
        Code::CreateUncertain,
        "Probity stopped between asking the provider to start and hearing its answer",
    );
    Event::CreateUncertain { attempt, problem }
}

fn after_refusal(research: &RunState, attempt: u32, problem: &CodedError) -> Step {
    if research.is_tried_again(attempt, problem) {
        return record(Event::CreateIntended { attempt: attempt + 1 });
    }
    record(Event::Ended {
        stop: RunStop::Failed,
        report: None,
        raw: None,
        usage: None,
        cost: Cost::Nothing,
        problem: Some(problem.clone()),
        sources: 0,
        progress: None,
    })
}

fn running(research: &RunState, attention: &DriverState) -> Step {
    let Some(remote_id) = research.remote_id.clone() else {
        return record(interrupted(0));
    };
    let ends = research.cancel.is_some() || is_late(research, attention) || over_budget(research);
    if let Some(seen) = attention.unrecorded.as_ref().filter(|_| ends) {
        return record(Event::Observed { progress: seen.as_ref().clone(), cursor: None });
    }
    match &research.cancel {
        Some(command) => ending(research, attention, command, remote_id),
        None if is_late(research, attention) => Step::cancel(CancelReason::Deadline),
        None if over_budget(research) => Step::cancel(CancelReason::Budget),
        None => Step::Perform(follow(research, attention, remote_id)),
    }
}

/// Local first: the cancel command is on disk. Then the provider, then its last results, then the end.
fn ending(research: &RunState, attention: &DriverState, command: &CancelCommand, remote_id: String) -> Step {
    match ending_call(research, attention, command, remote_id) {
        Some(call) => Step::Perform(call),
        None => record(cancelled_event(research, command)),
    }
}

fn over_budget(research: &RunState) -> bool {
    let spent = price::cost(research.progress.usage.as_ref(), &research.updated_at.date()).known();
    matches!((spent, research.plan.limits.budget), (Some(spent), Some(budget)) if spent > budget)
}

/// The end of a cancelled run of which the provider returned nothing more.
pub fn cancelled_event(research: &RunState, command: &CancelCommand) -> Event {
    let usage = research.progress.usage;
    let look = research.failed_look.as_ref();
    Event::Ended {
        stop: command.reason.stop(),
        report: research.partial_report.filter(|_| command.partial == PartialResults::Keep),
        raw: look.and_then(|look| look.raw),
        usage,
        cost: price::cost(usage.as_ref(), &research.updated_at.date()),
        problem: match (cancel_error(command.reason), look) {
            (Some(problem), Some(look)) => {
                let words = format!("{}; the last look failed: {}", problem.message, look.problem.message);
                Some(CodedError::new(problem.code, &words))
            }
            (None, Some(look)) => Some(look.problem.clone()),
            (problem, None) => problem,
        },
        sources: 0,
        progress: None,
    }
}

/// The error for an end that the user did not ask for.
pub fn cancel_error(reason: CancelReason) -> Option<CodedError> {
    match reason {
        CancelReason::User => None,
        CancelReason::Deadline => {
            Some(CodedError::new(Code::Deadline, "the research did not finish before its deadline"))
        }
        CancelReason::Budget => Some(CodedError::new(Code::Budget, "the research cost more than its budget")),
    }
}

fn unpaid_end(research: &RunState) -> Step {
    let reason = research.cancel.as_ref().map_or(CancelReason::User, |command| command.reason);
    let problem = match (&research.phase, cancel_error(reason)) {
        (RunPhase::Refused { problem: refusal, .. }, Some(problem)) => {
            let words = format!("{}; it was not even started: {}", problem.clause(), refusal.message);
            Some(CodedError::new(problem.code, &words))
        }
        (_, problem) => problem,
    };
    record(Event::Ended {
        stop: reason.stop(),
        report: None,
        raw: None,
        usage: None,
        cost: Cost::Nothing,
        problem,
        sources: 0,
        progress: None,
    })
}

/// Cancelled without the provider's id: there is nothing to cancel there, and the price stays unknown.
fn uncertain_end(problem: &CodedError) -> Step {
    record(Event::Ended {
        stop: RunStop::Cancelled,
        report: None,
        raw: None,
        usage: None,
        cost: Cost::Unknown,
        problem: Some(problem.clone()),
        sources: 0,
        progress: None,
    })
}

#[cfg(test)]
mod tests;
