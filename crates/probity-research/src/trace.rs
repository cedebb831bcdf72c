//! What a run did, step by step: how long each took, what it cost, how it ended.
//!
//! Pure: read from the journal alone, so that a running run and one of last year are shown alike.
//! Never decides anything, and never shows more than the journal has: a price that was not counted is
//! unknown.

mod build;
mod format;
mod totals;

use crate::{
    cost::{Cost, Usage},
    event::StoredEvent,
    id::RunId,
    state::{ReplayError, RunState},
    time::Moment,
};

pub use totals::TraceTotal;

/// Rows below one step. The longest runs make a few hundred calls; what is beyond is counted, not shown.
pub const CHILDREN_MAX: usize = 1_000;

/// What sort of work a step is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TraceStepKind {
    /// One attempt of the web engine, with everything that it did.
    Attempt,
    /// One round of a deep search, with its tries.
    Round,
    /// A run of a provider's agent.
    AgentRun,
    /// The checking of one text, claim by claim.
    Check,
    Plan,
    Search,
    /// A folder of the user's own was searched.
    Folder,
    Choose,
    Fetch,
    Read,
    Write,
    /// A thought that an agent reported on the way.
    Thought,
    /// One call to a model within a round.
    Call,
    Examine,
    Judge,
    Recall,
}

impl TraceStepKind {
    pub const ALL: [Self; 16] = [
        Self::Attempt,
        Self::Round,
        Self::AgentRun,
        Self::Check,
        Self::Plan,
        Self::Search,
        Self::Folder,
        Self::Choose,
        Self::Fetch,
        Self::Read,
        Self::Write,
        Self::Thought,
        Self::Call,
        Self::Examine,
        Self::Judge,
        Self::Recall,
    ];

    /// As people and style sheets name it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Attempt => "attempt",
            Self::Round => "round",
            Self::AgentRun => "agent-run",
            Self::Check => "check",
            Self::Plan => "plan",
            Self::Search => "search",
            Self::Folder => "folder",
            Self::Choose => "choose",
            Self::Fetch => "fetch",
            Self::Read => "read",
            Self::Write => "write",
            Self::Thought => "thought",
            Self::Call => "call",
            Self::Examine => "examine",
            Self::Judge => "judge",
            Self::Recall => "recall",
        }
    }
}

/// The status of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TraceStepStatus {
    Open,
    Done,
    Failed,
}

impl TraceStepStatus {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Done => "done",
            Self::Failed => "failed",
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct TraceStep {
    pub kind: TraceStepKind,
    /// One clean line.
    pub label: String,
    /// The provider that did it, where it was not Probity itself.
    pub provider: Option<String>,
    pub started: Moment,
    pub ended: Option<Moment>,
    pub outcome: TraceStepStatus,
    pub usage: Usage,
    pub cost: Cost,
    /// Tries that were refused or failed before, or within.
    pub refusals: u32,
    /// Its result, in one line; empty while it is open.
    pub result: String,
    pub children: Vec<TraceStep>,
    /// Children that are counted in the sums and not listed.
    pub children_left_out: u32,
}

impl TraceStep {
    /// The same where that is known: of what was told only once it was over, nobody knows when it began.
    pub fn known_elapsed_ms(&self, now: Moment) -> Option<u64> {
        (self.ended != Some(self.started)).then(|| self.elapsed_ms(now))
    }

    /// How long it took, or has taken until `now`.
    pub fn elapsed_ms(&self, now: Moment) -> u64 {
        self.ended.unwrap_or(now.max(self.started)).since_ms(self.started)
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Trace {
    pub started: Moment,
    /// None while it runs.
    pub ended: Option<Moment>,
    /// The last moment that the journal knows of.
    pub last: Moment,
    pub steps: Vec<TraceStep>,
    /// The cost that the run itself reports; the steps may know less.
    pub cost: Cost,
    pub by_kind: Vec<(TraceStepKind, TraceTotal)>,
    pub by_provider: Vec<(String, TraceTotal)>,
}

impl Trace {
    /// Read from a complete journal. Damage is an error, as everywhere.
    pub fn of(id: RunId, journal: &[StoredEvent]) -> Result<Self, ReplayError> {
        Self::with_run_state(id, journal).map(|(trace, _)| trace)
    }

    /// The same with the state it leads to: the journal is read once.
    pub fn with_run_state(id: RunId, journal: &[StoredEvent]) -> Result<(Self, RunState), ReplayError> {
        let (first, rest) = journal.split_first().ok_or(ReplayError::Empty)?;
        let mut research = RunState::replay(id, std::slice::from_ref(first))?;
        let mut builder = build::TraceBuilder::default();
        for recorded in rest {
            builder.take(&research, recorded);
            research.apply(recorded)?;
        }
        let by_kind = totals::by_kind(builder.rows());
        let by_provider = totals::by_provider(builder.rows());
        let steps = builder.finish();
        let summary = research.summary();
        let trace = Self {
            started: first.at,
            ended: summary.over_at(),
            last: research.updated_at,
            cost: summary.cost,
            by_kind,
            by_provider,
            steps,
        };
        Ok((trace, research))
    }

    /// How long the run has taken: to its end, or to `now`.
    pub fn elapsed_ms(&self, now: Moment) -> u64 {
        self.ended.unwrap_or(now.max(self.last)).since_ms(self.started)
    }
}

#[cfg(test)]
mod tests;
