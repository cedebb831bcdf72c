//! What the outcome of an engine's call means: the events to append, the bytes to keep, and what the driver should
//! remember.
#![cfg_attr(not(test), warn(clippy::wildcard_enum_match_arm))]

use std::time::Duration;

use crate::{
    checking,
    driver_state::{COLLECT_PAUSE, COLLECTS_MAX, DriverState, NOT_THERE_GRACE, NOT_THERE_POLLS_MIN},
    engine_call::{EngineOutcome, Poll, RemoteEnd, RemoteResult, StreamState, UnreadableAnswer},
    error::{Code, CodedError},
    event::Event,
    price,
    rounds::react::{RoundContext, RoundReaction},
    state::{RunPhase, RunState},
    step::cancel_error,
    stop::{PartialResults, RunStop},
    time::Moment,
    web,
};

pub use crate::instruction::{FinishAction, Reaction, RunFinish};

/// Said to the user, word for word, when the provider has forgotten a run.
pub const EXPIRED_MESSAGE: &str =
    "Research session expired on Gemini servers. Task was interrupted and cannot be recovered.";

/// Between two looks when all is well. The provider's own advice is 5 to 10 seconds.
pub const POLL_PAUSE: Duration = Duration::from_secs(5);
/// Polls per second of all runs that a process drives: a provider's run takes minutes, and polling each of
/// many runs every few seconds would spend most of a machine on hearing "not yet".
const POLLS_PER_SECOND: u32 = 400;
/// Longest pause between two polls, however many runs there are: a finished report is found within this.
pub const POLL_PAUSE_MAX: Duration = Duration::from_secs(300);
/// Longest pause after failures: an outage of an hour costs 60 calls per run.
pub const FAILURE_PAUSE_MAX: Duration = Duration::from_secs(60);
/// Polls closer together than this are shown but not written to disk.
pub const RECORD_PAUSE: Duration = Duration::from_secs(2);
/// A process that drives many writes the progress of each less often: about this many rows a second in all.
/// Only progress waits; ids, cancels and ends never do.
pub const RECORDS_PER_SECOND: u32 = 100;
/// So many of these pauses without anything new, and the time attended is written all the same: a minute where few
/// runs are driven.
const ATTENDED_PAUSES_MAX: u32 = 30;
/// Oldest progress that a status read may show.
pub const RECORD_PAUSE_MAX: Duration = Duration::from_secs(60);

pub fn react(
    research: &RunState,
    attention: &mut DriverState,
    finding: EngineOutcome,
    now: Moment,
) -> Reaction {
    let finding = match (&research.plan.checks, &research.check_state, finding) {
        (Some(plan), Some(checking), EngineOutcome::Check(found)) => {
            return checking::react::react(plan, checking, attention, *found);
        }
        (_, _, finding) => finding,
    };
    let finding = match (&research.plan.web, &research.web_state, finding) {
        (Some(plan), Some(gathering), EngineOutcome::Web(found)) => {
            return web::react::react(plan, gathering, attention, *found);
        }
        (_, _, finding) => finding,
    };
    let finding = match (&research.plan.rounds, &research.rounds_state) {
        (Some(plan), Some(course)) => {
            match (RoundContext { research, plan, rounds_state: course }).react(attention, finding) {
                RoundReaction::Decided(reaction) => return *reaction,
                RoundReaction::Unhandled(finding) => finding,
            }
        }
        _ => finding,
    };
    match finding {
        EngineOutcome::Started { remote_id, cursor } => {
            attention.intent_is_fresh = false;
            attention.failures_in_a_row = 0;
            Reaction::Append(Event::RemoteStarted { attempt: attempt(research), remote_id, cursor })
        }
        EngineOutcome::Refused(problem) => {
            attention.intent_is_fresh = false;
            attention.pause = problem
                .wait_before_retry()
                .map(|wait| wait.max(backoff(research, attempt(research))).min(FAILURE_PAUSE_MAX.max(wait)));
            Reaction::Append(Event::CreateRefused { attempt: attempt(research), problem })
        }
        EngineOutcome::Uncertain(problem) => {
            attention.intent_is_fresh = false;
            Reaction::Append(Event::CreateUncertain { attempt: attempt(research), problem })
        }
        EngineOutcome::Running(sighting) => record_poll(research, attention, *sighting),
        EngineOutcome::Finished(mut finished) => {
            finished.progress = attention.take_unrecorded(std::mem::take(&mut finished.progress));
            Reaction::Finish(Box::new(finish(research, *finished, now)))
        }
        // Rounds were handled above; any other outcome of a round says nothing about this run.
        EngineOutcome::Answered(_) | EngineOutcome::Web(_) | EngineOutcome::Check(_) => Reaction::Nothing,
        EngineOutcome::Lost(problem) | EngineOutcome::NotThere(problem) => {
            not_there(research, attention, problem, now)
        }
        EngineOutcome::Unreachable(problem) => {
            look_failed(research, attention, UnreadableAnswer { problem, raw: Vec::new() })
        }
        EngineOutcome::Unreadable(answer) => look_failed(research, attention, *answer),
        EngineOutcome::CancelAccepted => Reaction::Append(Event::CancelAnswered { refusal: None }),
        EngineOutcome::CancelRefused(problem) => {
            Reaction::Append(Event::CancelAnswered { refusal: Some(problem) })
        }
    }
}

fn attempt(research: &RunState) -> u32 {
    match research.phase {
        RunPhase::Intended { attempt }
        | RunPhase::Refused { attempt, .. }
        | RunPhase::Uncertain { attempt, .. } => attempt,
        RunPhase::Asked | RunPhase::Running | RunPhase::Gathered(_) | RunPhase::Ended(_) => 0,
    }
}

/// Doubles from two seconds, spread by up to a quarter so that many runs do not call at the same time.
pub fn backoff(research: &RunState, failures: u32) -> Duration {
    let doubled = 2_000_u64.saturating_mul(1_u64 << failures.saturating_sub(1).min(10));
    let capped = Duration::from_millis(doubled).min(FAILURE_PAUSE_MAX);
    capped.mul_f64(1.0 - 0.25 * research.id.spread(u64::from(failures)))
}

fn record_poll(research: &RunState, attention: &mut DriverState, sighting: Poll) -> Reaction {
    attention.looks = attention.looks.saturating_add(1);
    attention.failures_in_a_row = 0;
    attention.not_there_in_a_row = 0;
    attention.pause = (sighting.stream == StreamState::Closed).then(|| poll_pause(research, attention));
    if research.cancel.is_some() {
        attention.collects = attention.collects.saturating_add(1);
        attention.pause = (attention.collects < COLLECTS_MAX).then_some(COLLECT_PAUSE);
    }
    let due = attention
        .recorded_at
        .is_none_or(|at| attention.attended.saturating_sub(at) >= record_pause(attention.crowd));
    let progress = attention.take_unrecorded(sighting.progress);
    let worth_it = research.progress.differs(&progress);
    let kept_more = sighting.so_far.as_ref().is_some_and(|report| !report.is_empty());
    // Also without news: the time spent on looking counts after a restart too.
    let unrecorded =
        attention.attended.saturating_sub(attention.recorded_at.unwrap_or(attention.took_over_at));
    let overdue = unrecorded >= record_pause(attention.crowd) * ATTENDED_PAUSES_MAX;
    let recovered = research.failed_look.is_some();
    if !recovered && !overdue && (!worth_it || !(due || research.cancel.is_some())) {
        attention.unrecorded = worth_it.then(|| Box::new(progress));
        return Reaction::Nothing;
    }
    attention.recorded_at = Some(attention.attended);
    let observed = Event::Observed { progress, cursor: sighting.cursor };
    match sighting.so_far {
        Some(report) if kept_more => Reaction::KeepPartial { report, observed },
        _ => Reaction::Append(observed),
    }
}

/// Shortest time between two progress rows of one run.
pub fn record_pause(active_runs: usize) -> Duration {
    let active_runs = u32::try_from(active_runs).unwrap_or(u32::MAX);
    (Duration::from_secs(1) * active_runs / RECORDS_PER_SECOND).clamp(RECORD_PAUSE, RECORD_PAUSE_MAX)
}

/// Pause between two polls while `active_runs` runs poll the same provider.
pub fn poll_pause_for_load(active_runs: usize) -> Duration {
    let active_runs = u32::try_from(active_runs).unwrap_or(u32::MAX);
    (Duration::from_secs(1) * active_runs / POLLS_PER_SECOND).clamp(POLL_PAUSE, POLL_PAUSE_MAX)
}

/// Spread by a fifth, so that runs started together drift apart.
fn poll_pause(research: &RunState, attention: &DriverState) -> Duration {
    poll_pause_for_load(attention.crowd).mul_f64(0.9 + 0.2 * research.id.spread(u64::from(attention.looks)))
}

fn look_failed(research: &RunState, attention: &mut DriverState, answer: UnreadableAnswer) -> Reaction {
    attention.failures_in_a_row = attention.failures_in_a_row.saturating_add(1);
    let asked = Duration::from_millis(answer.problem.retry_after_ms.unwrap_or(0));
    attention.pause = Some(backoff(research, attention.failures_in_a_row).max(asked));
    match &research.cancel {
        // A cancel that cannot be delivered counts as refused, so that the end is not delayed.
        Some(command) if command.answer == crate::state::CancelAnswer::NotAsked => {
            attention.pause = None;
            Reaction::Append(Event::CancelAnswered { refusal: Some(answer.problem) })
        }
        Some(_) => {
            attention.collects = attention.collects.saturating_add(1);
            attention.pause = (attention.collects < COLLECTS_MAX).then(|| COLLECT_PAUSE.max(asked));
            record_failed_look(research, attention, answer)
        }
        None => record_failed_look(research, attention, answer),
    }
}

/// Recorded when there is something new to say, and at times in between, so that the time spent on looking counts
/// after a restart too.
fn record_failed_look(
    research: &RunState,
    attention: &mut DriverState,
    answer: UnreadableAnswer,
) -> Reaction {
    let before = research.failed_look.as_ref();
    let bytes = u64::try_from(answer.raw.len()).unwrap_or(u64::MAX);
    let kept_bytes = before.map_or(0, |look| look.raw_bytes);
    // Answers that differ each time must not fill the disk: while the run goes on only a much larger one is kept, and
    // at its end none that is smaller.
    let larger = if research.cancel.is_some() { bytes >= kept_bytes } else { bytes / 2 >= kept_bytes };
    let keep = bytes > 0 && larger;
    let is_new = before.is_none_or(|look| look.problem != answer.problem) || (keep && kept_bytes == 0);
    let pause = record_pause(attention.crowd);
    let due = attention.recorded_at.is_none_or(|at| attention.attended.saturating_sub(at) >= pause);
    if !is_new && !due && research.cancel.is_none() {
        return Reaction::Nothing;
    }
    attention.recorded_at = Some(attention.attended);
    if keep { Reaction::KeepUnreadable(Box::new(answer)) } else { Reaction::Append(answer.event(None)) }
}

fn not_there(research: &RunState, attention: &mut DriverState, problem: CodedError, now: Moment) -> Reaction {
    attention.not_there_in_a_row = attention.not_there_in_a_row.saturating_add(1);
    attention.looks = attention.looks.saturating_add(1);
    let since_start = attention.attended.saturating_sub(started(research));
    let lost = since_start >= NOT_THERE_GRACE && attention.not_there_in_a_row >= NOT_THERE_POLLS_MIN;
    if let Some(command) = &research.cancel {
        attention.collects = COLLECTS_MAX;
        attention.pause = None;
        return match command.answer {
            crate::state::CancelAnswer::NotAsked => {
                Reaction::Append(Event::CancelAnswered { refusal: Some(problem) })
            }
            crate::state::CancelAnswer::Accepted | crate::state::CancelAnswer::Refused(_) => {
                Reaction::Nothing
            }
        };
    }
    attention.pause = Some(backoff(research, attention.not_there_in_a_row).max(POLL_PAUSE));
    if !lost {
        let message = format!("the provider does not know this research: {}", problem.message);
        let problem = CodedError { message, ..problem };
        return record_failed_look(research, attention, UnreadableAnswer { problem, raw: Vec::new() });
    }
    let usage = research.progress.usage;
    Reaction::Append(Event::Ended {
        stop: RunStop::Expired,
        report: research.partial_report,
        raw: research.failed_look.as_ref().and_then(|look| look.raw),
        usage,
        cost: price::cost(usage.as_ref(), &now.date()),
        problem: Some(CodedError::new(Code::Expired, EXPIRED_MESSAGE)),
        sources: 0,
        progress: attention.unrecorded.take().map(|seen| *seen),
    })
}

fn started(research: &RunState) -> Duration {
    Duration::from_millis(research.started_attended_ms.unwrap_or(0))
}

/// Never calls an empty payload a success, and never throws away what a cancelled run had.
fn finish(research: &RunState, finished: RemoteResult, now: Moment) -> RunFinish {
    let usage = finished.usage.or(research.progress.usage);
    let empty = finished.report.is_empty();
    let (stop, problem) = match (&research.cancel, finished.end) {
        (_, RemoteEnd::Completed) if empty => (
            RunStop::Failed,
            Some(CodedError::new(Code::EmptyReport, "the provider says completed but sent no report text")),
        ),
        (_, RemoteEnd::Completed) => (RunStop::Completed, None),
        (Some(command), _) => (command.reason.stop(), cancel_error(command.reason)),
        (None, RemoteEnd::Cancelled) => (
            RunStop::Cancelled,
            Some(CodedError::new(Code::Cancelled, "the run was cancelled at the provider")),
        ),
        (None, RemoteEnd::Incomplete) => (RunStop::Incomplete, finished.problem),
        (None, RemoteEnd::Failed) => (RunStop::Failed, finished.problem),
    };
    let dropped = research.cancel.as_ref().is_some_and(|command| command.partial == PartialResults::Drop)
        && stop != RunStop::Completed;
    RunFinish {
        action: FinishAction::of(research, stop, !empty && !dropped),
        report: (!empty && !dropped).then_some(finished.report),
        raw: if dropped { Vec::new() } else { finished.raw },
        raw_kept: None,
        stop,
        usage,
        cost: price::cost(usage.as_ref(), &now.date()),
        problem,
        progress: finished.progress,
    }
}

#[cfg(test)]
mod tests;
