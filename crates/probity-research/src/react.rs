//! What a finding means: the events to append, the bytes to keep, and what the driver should remember.

use std::time::Duration;

use crate::{
    attention::Attention,
    checking::{self, Standing},
    cost::Cost,
    error::{Code, Problem},
    event::Event,
    finding::{Ear, Finding, Finished, RemoteEnd, Sighting},
    id::Digest,
    plan::Turn,
    price,
    progress::Progress,
    report::Report,
    rounds::{
        hear::Kept,
        react::{Heard, Round},
    },
    state::{Ending, Phase, Research},
    step::{COLLECT_PAUSE, why_cancelled},
    stop::{Partial, Stop},
    time::Moment,
    web::{self, react::PageToKeep},
};

/// Said to the user, word for word, when the provider has forgotten a run.
pub const EXPIRED_MESSAGE: &str =
    "Research session expired on Gemini servers. Task was interrupted and cannot be recovered.";

/// A fresh run may be invisible for a while (404 or 403 right after create were seen for up to a minute).
pub const NOT_THERE_GRACE: Duration = Duration::from_secs(120);
/// And one look is not enough to call it lost.
pub const NOT_THERE_LOOKS_MIN: u32 = 5;
/// Between two looks when all is well. The provider's own advice is 5 to 10 seconds.
pub const LOOK_PAUSE: Duration = Duration::from_secs(5);
/// Looks per second of everything that is driven together: a provider's run takes minutes, and a crowd that looked
/// at each every few seconds would spend most of a machine on hearing "not yet".
const LOOKS_PER_SECOND: u32 = 400;
/// Longest pause between two looks, however large the crowd: a finished report is found within this.
pub const LOOK_PAUSE_MAX: Duration = Duration::from_secs(300);
/// Longest pause after failures: an outage of an hour costs 60 calls per research.
pub const FAILURE_PAUSE_MAX: Duration = Duration::from_secs(60);
/// Observations closer together than this are shown but not written to disk.
pub const RECORD_PAUSE: Duration = Duration::from_secs(2);
/// A process that drives many writes the progress of each less often: about this many rows a second in all.
/// Only progress waits; ids, cancels and ends never do.
pub const RECORDS_PER_SECOND: u32 = 100;
/// Oldest progress that a status read may show.
pub const RECORD_PAUSE_MAX: Duration = Duration::from_secs(60);

/// What to append, in this order; bytes are stored first, so an event never names what is not there.
#[derive(Debug, Clone, PartialEq)]
pub enum Reaction {
    /// Nothing worth a row; show it if it is news.
    Nothing,
    Append(Event),
    /// Store this, then append.
    KeepPartial {
        report: Report,
        observed: Event,
    },
    Finish(Box<Finish>),
    /// A page was fetched: store its bytes and its text, then append the event that names them.
    KeepPage(Box<PageToKeep>),
    /// A round is over: store its bytes, then append the event made from their digests.
    KeepRound(Box<Kept>),
    /// A text was examined: store it with its ledger, then append the event that names it.
    KeepDraft(Box<Report>),
}

/// A finished run: store report and raw bytes, then append the event made from their digests.
#[derive(Debug, Clone, PartialEq)]
pub struct Finish {
    pub report: Option<Report>,
    pub raw: Vec<u8>,
    /// The raw answer, where it was stored before.
    pub raw_kept: Option<Digest>,
    pub stop: Stop,
    pub usage: Option<crate::cost::Usage>,
    pub cost: Cost,
    pub problem: Option<Problem>,
    pub progress: Progress,
    pub then: Then,
}

/// What becomes of a finished text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Then {
    /// Its claims are checked before the research ends.
    Check,
    /// It is the checked form of this stored answer of a round.
    Checked {
        subject: Digest,
        standing: Standing,
    },
    End,
}

impl Then {
    /// A text that came to its end is checked, if the plan says so; what was cut off is shown as it is.
    pub fn of(research: &Research, stop: Stop, has_report: bool) -> Self {
        let whole = has_report && matches!(stop, Stop::Completed | Stop::Incomplete);
        let is_text = research.plan.turn != Turn::Planning;
        if whole && is_text && research.plan.checks.is_some() { Self::Check } else { Self::End }
    }
}

impl Finish {
    pub fn event(&self, report: Option<Digest>, raw: Option<Digest>, at: Moment) -> Event {
        let raw = raw.or(self.raw_kept);
        let sources = self.report.as_ref().map_or(0, |report| report.sources.len());
        let sources = u32::try_from(sources).unwrap_or(u32::MAX);
        match (self.then, report) {
            (Then::Check, Some(_)) => Event::Gathered(Box::new(Ending {
                stop: self.stop,
                at,
                report,
                raw,
                usage: self.usage,
                cost: self.cost,
                problem: self.problem.clone(),
                sources,
            })),
            (Then::Checked { subject, standing }, Some(report)) => {
                Event::Checked { subject, report, standing }
            }
            _ => Event::Ended {
                stop: self.stop,
                report,
                raw,
                usage: self.usage,
                cost: self.cost,
                problem: self.problem.clone(),
                sources,
                progress: Some(self.progress.clone()),
            },
        }
    }
}

pub fn react(research: &Research, attention: &mut Attention, finding: Finding, now: Moment) -> Reaction {
    let finding = match (&research.plan.checks, &research.checking, finding) {
        (Some(plan), Some(checking), Finding::Check(found)) => {
            return checking::react::react(plan, checking, attention, *found);
        }
        (_, _, finding) => finding,
    };
    let finding = match (&research.plan.web, &research.gathering, finding) {
        (Some(plan), Some(gathering), Finding::Web(found)) => {
            return web::react::react(plan, gathering, attention, *found);
        }
        (_, _, finding) => finding,
    };
    let finding = match (&research.plan.rounds, &research.course) {
        (Some(plan), Some(course)) => match (Round { research, plan, course }).react(attention, finding) {
            Heard::Decided(reaction) => return *reaction,
            Heard::AsEver(finding) => finding,
        },
        _ => finding,
    };
    match finding {
        Finding::Started { remote_id, cursor } => {
            attention.intent_is_fresh = false;
            attention.failures_in_a_row = 0;
            Reaction::Append(Event::RemoteStarted { attempt: attempt(research), remote_id, cursor })
        }
        Finding::Refused(problem) => {
            attention.intent_is_fresh = false;
            attention.pause = problem
                .wait_before_retry()
                .map(|wait| wait.max(backoff(research, attempt(research))).min(FAILURE_PAUSE_MAX.max(wait)));
            Reaction::Append(Event::CreateRefused { attempt: attempt(research), problem })
        }
        Finding::Uncertain(problem) => {
            attention.intent_is_fresh = false;
            Reaction::Append(Event::CreateUncertain { attempt: attempt(research), problem })
        }
        Finding::Seen(sighting) => seen(research, attention, *sighting),
        Finding::Finished(finished) => Reaction::Finish(Box::new(finish(research, *finished, now))),
        // Rounds answered above; anything else that claims to be one tells nothing about this run.
        Finding::Answered(_) | Finding::Web(_) | Finding::Check(_) => Reaction::Nothing,
        Finding::Lost(problem) | Finding::NotThere(problem) => not_there(research, attention, problem, now),
        Finding::Unreachable(problem) => unreachable(research, attention, &problem),
        Finding::CancelAccepted => Reaction::Append(Event::CancelAnswered { refusal: None }),
        Finding::CancelRefused(problem) => Reaction::Append(Event::CancelAnswered { refusal: Some(problem) }),
    }
}

fn attempt(research: &Research) -> u32 {
    match research.phase {
        Phase::Intended { attempt } | Phase::Refused { attempt, .. } | Phase::Uncertain { attempt, .. } => {
            attempt
        }
        Phase::Asked | Phase::Running | Phase::Gathered(_) | Phase::Ended(_) => 0,
    }
}

/// Doubles from two seconds, spread by up to a quarter so that many researches do not call in step.
pub fn backoff(research: &Research, failures: u32) -> Duration {
    let doubled = 2_000_u64.saturating_mul(1_u64 << failures.saturating_sub(1).min(10));
    let capped = Duration::from_millis(doubled).min(FAILURE_PAUSE_MAX);
    capped.mul_f64(1.0 - 0.25 * research.id.spread(u64::from(failures)))
}

fn seen(research: &Research, attention: &mut Attention, sighting: Sighting) -> Reaction {
    attention.looks = attention.looks.saturating_add(1);
    attention.failures_in_a_row = 0;
    attention.not_there_in_a_row = 0;
    attention.pause = (sighting.ear == Ear::Closed).then(|| look_pause(research, attention));
    if research.cancel.is_some() {
        attention.collects = attention.collects.saturating_add(1);
        attention.pause = Some(COLLECT_PAUSE);
    }
    let due = attention
        .recorded_at
        .is_none_or(|at| attention.attended.saturating_sub(at) >= record_pause(attention.crowd));
    let worth_it = research.progress.differs(&sighting.progress);
    let kept_more = sighting.so_far.as_ref().is_some_and(|report| !report.is_empty());
    if !worth_it || !(due || research.cancel.is_some()) {
        return Reaction::Nothing;
    }
    attention.recorded_at = Some(attention.attended);
    let observed = Event::Observed { progress: sighting.progress, cursor: sighting.cursor };
    match sighting.so_far {
        Some(report) if kept_more => Reaction::KeepPartial { report, observed },
        _ => Reaction::Append(observed),
    }
}

/// Shortest time between two progress rows of one research.
pub fn record_pause(crowd: usize) -> Duration {
    let crowd = u32::try_from(crowd).unwrap_or(u32::MAX);
    (Duration::from_secs(1) * crowd / RECORDS_PER_SECOND).clamp(RECORD_PAUSE, RECORD_PAUSE_MAX)
}

/// Pause between two looks while `crowd` researches are looked at by the same provider's clients.
pub fn crowded_look_pause(crowd: usize) -> Duration {
    let crowd = u32::try_from(crowd).unwrap_or(u32::MAX);
    (Duration::from_secs(1) * crowd / LOOKS_PER_SECOND).clamp(LOOK_PAUSE, LOOK_PAUSE_MAX)
}

/// Spread by a fifth, so that researches started together drift apart.
fn look_pause(research: &Research, attention: &Attention) -> Duration {
    crowded_look_pause(attention.crowd).mul_f64(0.9 + 0.2 * research.id.spread(u64::from(attention.looks)))
}

fn unreachable(research: &Research, attention: &mut Attention, problem: &Problem) -> Reaction {
    attention.failures_in_a_row = attention.failures_in_a_row.saturating_add(1);
    let asked = Duration::from_millis(problem.retry_after_ms.unwrap_or(0));
    attention.pause = Some(backoff(research, attention.failures_in_a_row).max(asked));
    match &research.cancel {
        // A cancel that cannot be delivered is answered as refused, so that the end is not held up.
        Some(wish) if wish.answer == crate::state::CancelAnswer::NotAsked => {
            attention.pause = None;
            Reaction::Append(Event::CancelAnswered { refusal: Some(problem.clone()) })
        }
        Some(_) => {
            attention.collects = attention.collects.saturating_add(1);
            attention.pause = Some(COLLECT_PAUSE.max(asked));
            Reaction::Nothing
        }
        None => Reaction::Nothing,
    }
}

fn not_there(research: &Research, attention: &mut Attention, problem: Problem, now: Moment) -> Reaction {
    attention.not_there_in_a_row = attention.not_there_in_a_row.saturating_add(1);
    attention.looks = attention.looks.saturating_add(1);
    let since_start = attention.attended.saturating_sub(started(research));
    let lost = since_start >= NOT_THERE_GRACE && attention.not_there_in_a_row >= NOT_THERE_LOOKS_MIN;
    if let Some(wish) = &research.cancel {
        attention.collects = crate::step::COLLECTS_MAX;
        attention.pause = None;
        return match wish.answer {
            crate::state::CancelAnswer::NotAsked => {
                Reaction::Append(Event::CancelAnswered { refusal: Some(problem) })
            }
            _ => Reaction::Nothing,
        };
    }
    attention.pause = Some(backoff(research, attention.not_there_in_a_row).max(LOOK_PAUSE));
    if !lost {
        return Reaction::Nothing;
    }
    let usage = research.progress.usage;
    Reaction::Append(Event::Ended {
        stop: Stop::Expired,
        report: research.partial_report,
        raw: None,
        usage,
        cost: price::cost(usage.as_ref(), &now.date()),
        problem: Some(Problem::new(Code::Expired, EXPIRED_MESSAGE)),
        sources: 0,
        progress: None,
    })
}

fn started(research: &Research) -> Duration {
    Duration::from_millis(research.started_attended_ms.unwrap_or(0))
}

/// Never calls an empty payload a success, and never throws away what a cancelled run had.
fn finish(research: &Research, finished: Finished, now: Moment) -> Finish {
    let usage = finished.usage.or(research.progress.usage);
    let empty = finished.report.is_empty();
    let (stop, problem) = match (&research.cancel, finished.end) {
        (_, RemoteEnd::Completed) if empty => (
            Stop::Failed,
            Some(Problem::new(Code::EmptyReport, "the provider says completed but sent no report text")),
        ),
        (_, RemoteEnd::Completed) => (Stop::Completed, None),
        (Some(wish), _) => (wish.reason.stop(), why_cancelled(wish.reason)),
        (None, RemoteEnd::Cancelled) => {
            (Stop::Cancelled, Some(Problem::new(Code::Cancelled, "the run was cancelled at the provider")))
        }
        (None, RemoteEnd::Incomplete) => (Stop::Incomplete, finished.problem),
        (None, RemoteEnd::Failed) => (Stop::Failed, finished.problem),
    };
    let dropped =
        research.cancel.as_ref().is_some_and(|wish| wish.partial == Partial::Drop) && stop != Stop::Completed;
    Finish {
        then: Then::of(research, stop, !empty && !dropped),
        report: (!empty && !dropped).then_some(finished.report),
        raw: finished.raw,
        raw_kept: None,
        stop,
        usage,
        cost: price::cost(usage.as_ref(), &now.date()),
        problem,
        progress: Progress { news: Vec::new(), ..finished.progress },
    }
}

#[cfg(test)]
mod tests;
