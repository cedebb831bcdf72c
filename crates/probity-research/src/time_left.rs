//! The time in which a run must end, and what of it a call may take: whatever the provider does, its answer is waited
//! for no longer.

use std::time::Duration;

use crate::{
    checking::{CheckTask, CheckTaskReply},
    driver_state::{COLLECTS_MAX, DriverState},
    engine_call::{EngineCall, EngineOutcome},
    error::{Code, CodedError},
    ledger::source::NO_TIME_TO_FETCH,
    state::{CancelAnswer, CancelCommand, RunPhase, RunState},
    web::{
        bill::Bill,
        task::{WebTask, WebTaskReply},
    },
};

/// Longest time from a cancel to the end: the cancel call, the looks after it and their pauses together. With it a
/// run ends within five seconds of its deadline.
const ENDING_TIME: Duration = Duration::from_secs(4);
/// The part of it that the cancel call may take, so that there is time left for a look.
const CANCEL_TIME: Duration = Duration::from_secs(2);
/// A driver that takes over a run past its deadline may look this long first: the remote run may have finished
/// while no driver attended to it.
const LATE_LOOK_TIME: Duration = Duration::from_secs(5);
/// The part of the time for gathering that a planner may take before anything is searched: one over this. Without its
/// answer the question's own words are searched.
const PLANNING_PART: u32 = 3;
/// The same for a search: what it finds must still be fetched.
const SEARCHING_PART: u32 = 2;
/// A search may take this long in any case: it may be paid.
const SEARCH_TIME_MIN: Duration = Duration::from_secs(2);

/// Tells the driver's memory how long drivers have attended to the run by now, and since when it is ending: a driver
/// that takes over an ending goes on with it and does not begin it anew.
pub fn attend(attention: &mut DriverState, research: &RunState, attended: Duration) {
    attention.attended = attended;
    let Some(command) = &research.cancel else {
        attention.ending_since = None;
        return;
    };
    let began = command.answered_attended_ms.map_or(attended, Duration::from_millis);
    attention.ending_since.get_or_insert(began);
    attention.collects = attention.collects.max(command.failed_looks);
}

/// What is left of the time in which the run must end; `None` where the end waits for no provider's run.
pub fn time_left(research: &RunState, attention: &DriverState) -> Option<Duration> {
    let running = matches!(research.phase, RunPhase::Running);
    let deadline = research.plan.limits.deadline();
    let until = match &research.cancel {
        Some(_) if !running => return None,
        Some(_) => attention.ending_since.unwrap_or(attention.attended) + ENDING_TIME,
        None if running && attention.looks == 0 && !attention.took_over_at.is_zero() => {
            deadline.max(attention.took_over_at + LATE_LOOK_TIME)
        }
        None => deadline,
    };
    Some(until.saturating_sub(attention.attended))
}

/// The attended time at which a run has ended, whatever it waits for.
pub fn latest_end(research: &RunState) -> Duration {
    research.plan.limits.deadline() + ENDING_TIME
}

/// Whether no time is left.
pub fn is_late(research: &RunState, attention: &DriverState) -> bool {
    time_left(research, attention).is_some_and(|left| left.is_zero())
}

/// How long a task of the web engine or of checking may take, and what counts as its outcome then. A task that begins
/// after the deadline is part of the ending, and an examination watches the clock itself: both have limits of their own.
pub fn task_limit(
    research: &RunState,
    attention: &DriverState,
    call: &EngineCall,
) -> Option<(Duration, EngineOutcome)> {
    let left = research.plan.limits.deadline().saturating_sub(attention.attended);
    if left.is_zero() {
        return None;
    }
    let untold = || CodedError::new(Code::Deadline, NO_TIME_TO_FETCH);
    let unheard = || {
        let words = "no answer came in the time that there was for it; it may have been billed";
        CodedError::new(Code::Deadline, words)
    };
    let unanswered = || CodedError::new(Code::Deadline, "no answer came in the time that there was for it");
    match call {
        EngineCall::Check(call) if call.task == CheckTask::Examine => None,
        EngineCall::Check(call) if call.paid => {
            let reply = CheckTaskReply { bill: Bill::UNKNOWN, ..call.refused(unheard()) };
            Some((left + ENDING_TIME, reply.into()))
        }
        EngineCall::Check(call) => Some((left, call.refused(untold()).into())),
        EngineCall::Web(call) if call.paid => {
            let reply = WebTaskReply { bill: Bill::UNKNOWN, ..call.refused(unheard()) };
            let within = gathering_time(research, attention, call.task).unwrap_or(left + ENDING_TIME);
            Some((within, reply.into()))
        }
        EngineCall::Web(call) => {
            let within = gathering_time(research, attention, call.task).unwrap_or(left);
            let problem = match call.task {
                WebTask::Search { .. } | WebTask::Folder { .. } | WebTask::Page { .. } => untold(),
                WebTask::Plan { .. }
                | WebTask::Choose { .. }
                | WebTask::Read { .. }
                | WebTask::Write
                | WebTask::Brief
                | WebTask::Line { .. }
                | WebTask::Survey { .. }
                | WebTask::Outline { .. }
                | WebTask::Section { .. }
                | WebTask::Synthesis
                | WebTask::Front => unanswered(),
            };
            Some((within, call.refused(problem).into()))
        }
        EngineCall::Create { .. }
        | EngineCall::Ask(_)
        | EngineCall::Follow { .. }
        | EngineCall::Cancel { .. }
        | EngineCall::Collect { .. } => None,
    }
}

/// What a task of gathering may take, so that time is left for those that come after it: a planner that does not answer
/// leaves time to search, a search to fetch, a reader to write. `None` for writing, and where that time is over.
fn gathering_time(research: &RunState, attention: &DriverState, task: WebTask) -> Option<Duration> {
    let (plan, limits) = (research.plan.web.as_ref()?, &research.plan.limits);
    let gather_until = plan.gather_until(limits);
    let gathering = gather_until.saturating_sub(attention.attended);
    // A reading or a page that is under way when gathering ends is worth half of the time that is kept for writing.
    let kept = limits.deadline().saturating_sub(gather_until) / 2;
    let with_kept = (gather_until + kept).saturating_sub(attention.attended);
    let time = match task {
        WebTask::Plan { .. } | WebTask::Brief if !gathering.is_zero() => gathering / PLANNING_PART,
        WebTask::Search { .. } if !gathering.is_zero() => {
            (gathering / SEARCHING_PART).max(SEARCH_TIME_MIN).min(with_kept)
        }
        WebTask::Plan { .. }
        | WebTask::Brief
        | WebTask::Search { .. }
        | WebTask::Folder { .. }
        | WebTask::Choose { .. }
        | WebTask::Page { .. }
        | WebTask::Read { .. }
        | WebTask::Line { .. }
        | WebTask::Survey { .. }
        | WebTask::Outline { .. } => with_kept,
        WebTask::Write | WebTask::Section { .. } | WebTask::Synthesis | WebTask::Front => return None,
    };
    (!time.is_zero()).then_some(time)
}

/// How long the answer to a paid start is waited for, and what counts as its outcome then: it may have been taken. A
/// start that its user pays for again after the deadline has the provider's own limit.
pub fn start_limit(research: &RunState, attention: &DriverState) -> Option<(Duration, EngineOutcome)> {
    let left = research.plan.limits.deadline().saturating_sub(attention.attended);
    let words = "the provider did not say before the deadline whether it started; it may have been billed";
    let unheard = EngineOutcome::Uncertain(CodedError::new(Code::CreateUncertain, words));
    (!left.is_zero()).then_some((left + ENDING_TIME, unheard))
}

/// The next look at a running remote run.
pub fn follow(research: &RunState, attention: &DriverState, remote_id: String) -> EngineCall {
    let within = time_left(research, attention).unwrap_or_default();
    EngineCall::Follow { remote_id, cursor: research.cursor.clone(), within }
}

/// The next call on the way to the end, while there is time for one.
pub fn ending_call(
    research: &RunState,
    attention: &DriverState,
    command: &CancelCommand,
    remote_id: String,
) -> Option<EngineCall> {
    let within = time_left(research, attention).unwrap_or_default();
    match command.answer {
        CancelAnswer::NotAsked => Some(EngineCall::Cancel { remote_id, within: within.min(CANCEL_TIME) }),
        CancelAnswer::Accepted | CancelAnswer::Refused(_) => {
            let due = attention.collects < COLLECTS_MAX && !within.is_zero();
            due.then_some(EngineCall::Collect { remote_id, within })
        }
    }
}

#[cfg(test)]
mod tests;
