//! What the rules tell a driver: the next step, and what to store and to append of what came back.
//!
//! Only the types: the rules of rounds, of the web engine and of checking make them, `step` and `react` choose among
//! those rules.

use std::time::Duration;

use crate::{
    checking::VerificationSummary,
    cost::{Cost, Usage},
    engine_call::{EngineCall, UnreadableAnswer},
    error::CodedError,
    event::{Event, RunEnding},
    id::Digest,
    plan::TurnKind,
    progress::Progress,
    report::Report,
    rounds::parse_answer::RoundToStore,
    state::RunState,
    stop::{CancelReason, PartialResults, RunStop},
    time::Moment,
    web::page_to_store::PageToStore,
};

#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// Append this; it needs nothing from outside.
    Record(Box<Event>),
    Perform(EngineCall),
    Wait(Duration),
    /// Read these stored bytes into the driver's memory.
    Fetch(Digest),
    /// Look these questions up among those that a judge has answered before.
    Recall(Vec<Digest>),
    /// Several at once, each with an event of its own; their intent is on disk.
    PerformAll(Vec<EngineCall>),
    /// Store what this holds, then append its event.
    Finish(Box<RunFinish>),
    /// Nothing to do until someone asks for more.
    Rest,
}

impl Step {
    /// Asks for the end of a run that has used up its time or its money.
    pub(crate) fn cancel(reason: CancelReason) -> Self {
        Self::Record(Box::new(Event::CancelRequested { reason, partial: PartialResults::Keep }))
    }
}

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
    /// An answer could not be read: store it, then append the event that names it.
    KeepUnreadable(Box<UnreadableAnswer>),
    Finish(Box<RunFinish>),
    /// A page was fetched: store its bytes and its text, then append the event that names them.
    KeepPage(Box<PageToStore>),
    /// A round is over: store its bytes, then append the event made from their digests.
    KeepRound(Box<RoundToStore>),
    /// A text was examined: store it with its ledger, then append the event that names it.
    KeepDraft(Box<Report>),
}

/// A finished run: store report and raw bytes, then append the event made from their digests.
#[derive(Debug, Clone, PartialEq)]
pub struct RunFinish {
    pub report: Option<Report>,
    pub raw: Vec<u8>,
    /// The raw answer, where it was stored before.
    pub raw_kept: Option<Digest>,
    pub stop: RunStop,
    pub usage: Option<Usage>,
    pub cost: Cost,
    pub problem: Option<CodedError>,
    pub progress: Progress,
    pub action: FinishAction,
}

/// What becomes of a finished text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FinishAction {
    /// Its claims are checked before the research ends.
    Check,
    /// It is the checked form of this stored answer of a round.
    Checked {
        subject: Digest,
        standing: VerificationSummary,
    },
    End,
}

impl FinishAction {
    /// A text that came to its end is checked, if the plan says so; what was cut off is shown as it is.
    pub fn of(research: &RunState, stop: RunStop, has_report: bool) -> Self {
        let whole = has_report && matches!(stop, RunStop::Completed | RunStop::Incomplete);
        let is_text = research.plan.turn != TurnKind::Planning;
        if whole && is_text && research.plan.checks.is_some() { Self::Check } else { Self::End }
    }
}

impl UnreadableAnswer {
    /// The event that names the stored bytes, if they were stored.
    pub fn event(&self, raw: Option<Digest>) -> Event {
        let raw_bytes = raw.map_or(0, |_| u64::try_from(self.raw.len()).unwrap_or(u64::MAX));
        Event::LookFailed { problem: self.problem.clone(), raw, raw_bytes }
    }
}

impl RunFinish {
    pub fn event(&self, report: Option<Digest>, raw: Option<Digest>, at: Moment) -> Event {
        let raw = raw.or(self.raw_kept);
        let sources = self.report.as_ref().map_or(0, Report::sources_listed);
        match (self.action, report) {
            (FinishAction::Check, Some(_)) => Event::Gathered(Box::new(RunEnding {
                stop: self.stop,
                at,
                report,
                raw,
                usage: self.usage,
                cost: self.cost,
                problem: self.problem.clone(),
                sources,
                report_bytes_sent: self.progress.report_bytes_sent,
                // Our own engines count in the journal itself.
                progress: (!self.progress.remote_status.is_empty()).then(|| Box::new(self.progress.clone())),
            })),
            (FinishAction::Checked { subject, standing }, Some(report)) => {
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
