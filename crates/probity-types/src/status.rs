//! The answer to "how is it going", as it is stored beside the journal and told to clients.

use serde::{Deserialize, Serialize};

use crate::{
    approval::Approval,
    cost::{Cost, MicroUsd, Usage},
    error::{Code, CodedError},
    estimate::Estimate,
    id::{Digest, RunId},
    notify::Notify,
    principal::Principal,
    progress::{ProgressLine, percent_by_time},
    rounds::{Mode, RoundsRecord},
    stop::RunStop,
    time::Moment,
};

/// The words that clients see.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunStatus {
    Pending,
    RunningAsync,
    Cancelling,
    Completed,
    Incomplete,
    Failed,
    Cancelled,
    Expired,
    TimedOut,
    OverBudget,
    /// The paid call may or may not have been accepted.
    Unknown,
}

impl RunStatus {
    pub const ALL: [Self; 11] = [
        Self::Pending,
        Self::RunningAsync,
        Self::Cancelling,
        Self::Completed,
        Self::Incomplete,
        Self::Failed,
        Self::Cancelled,
        Self::Expired,
        Self::TimedOut,
        Self::OverBudget,
        Self::Unknown,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::RunningAsync => "running_async",
            Self::Cancelling => "cancelling",
            Self::Completed => "completed",
            Self::Incomplete => "incomplete",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
            Self::Expired => "expired",
            Self::TimedOut => "timed_out",
            Self::OverBudget => "over_budget",
            Self::Unknown => "unknown",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == text)
    }

    /// What it says of a research, as the end of a sentence: `the research has failed`.
    pub fn predicate(self) -> &'static str {
        match self {
            Self::Pending => "is pending",
            Self::RunningAsync => "is running",
            Self::Cancelling => "is being cancelled",
            Self::Completed => "is completed",
            Self::Incomplete => "is incomplete",
            Self::Failed => "has failed",
            Self::Cancelled => "is cancelled",
            Self::Expired => "has expired",
            Self::TimedOut => "has timed out",
            Self::OverBudget => "was stopped at its budget",
            // Not `is unknown`, which reads as if there were no such research.
            Self::Unknown => "has an unknown outcome",
        }
    }

    /// Nothing more will happen unless the user asks for it.
    pub fn is_final(self) -> bool {
        !matches!(self, Self::Pending | Self::RunningAsync | Self::Cancelling)
    }
}

impl From<RunStop> for RunStatus {
    fn from(stop: RunStop) -> Self {
        match stop {
            RunStop::Completed => Self::Completed,
            RunStop::Incomplete => Self::Incomplete,
            RunStop::Failed => Self::Failed,
            RunStop::Cancelled => Self::Cancelled,
            RunStop::Expired => Self::Expired,
            RunStop::TimedOut => Self::TimedOut,
            RunStop::OverBudget => Self::OverBudget,
        }
    }
}

/// Everything a status answer needs, in one row; no replay, no provider call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunSummary {
    pub id: RunId,
    pub status: RunStatus,
    /// A driver has something to do.
    pub due: bool,
    pub query: String,
    pub engine: String,
    /// Which engine and why, in words; none where there was no choice, or in rows from before it was stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine_reason: Option<String>,
    pub agent: String,
    pub asked_at: Moment,
    pub updated_at: Moment,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Moment>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remote_id: Option<String>,
    pub progress_percent: u32,
    /// True until the provider says that it is done: the API reports no percentage.
    pub progress_estimated: bool,
    pub current_action: String,
    pub steps: u32,
    pub searches: u32,
    pub pages: u32,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub news: Vec<ProgressLine>,
    pub attended_ms: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    pub cost: Cost,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<CodedError>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report: Option<Digest>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw: Option<Digest>,
    pub sources: u32,
    /// What the provider answered to a cancel, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cancel_answer: Option<String>,
    /// It was cancelled here and not there: it may go on at the provider.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cancel_refused: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimate: Option<Estimate>,
    /// The most that it may cost, set aside until the counted cost is known; none in rows from before it was
    /// stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reserved: Option<MicroUsd>,
    /// How its start was approved; none: before approvals were stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval: Option<Approval>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked_by: Option<Principal>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub follows: Option<RunId>,
    #[serde(default)]
    pub notify: Notify,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rounds: Option<RoundsStatus>,
    /// Somebody's own text was checked.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub given: bool,
    /// Its caller got its id instead of its end.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub handed_over: bool,
    /// What goes wrong while it goes on, once for each cause and in the order in which it became known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// The time that drivers may attend to it, while it goes on; none in rows from before it was stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline_ms: Option<u64>,
    /// It is completed with what there was at its deadline.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_cut_short: bool,
    /// How it was asked beside its question, as flags of the command line; what a time or a sum was asked for is left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub asked_flags: Vec<String>,
    /// Why its model could not be used, where it is completed without one although one was planned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model_problem: Option<CodedError>,
}

impl RunSummary {
    /// The same as of this moment: a run that goes on is further than when its last event was written.
    pub fn seen_at(mut self, now: Moment) -> Self {
        let until = self.over_at().unwrap_or(now);
        let goes_by_time = self.status != RunStatus::Completed && self.status != RunStatus::Unknown;
        if goes_by_time && !self.is_unbegun() {
            let likely_minutes = self.estimate.map_or(0, |estimate| estimate.minutes_likely);
            let by_time = percent_by_time(until.since_ms(self.asked_at), likely_minutes);
            self.progress_percent = self.progress_percent.max(by_time);
        }
        self
    }

    /// When it came to rest: its end, or the last that is known of a start which nobody is sure of.
    pub fn over_at(&self) -> Option<Moment> {
        self.ended_at.or_else(|| self.status.is_final().then_some(self.updated_at))
    }

    /// Nobody has taken it on: no provider gave it an id, no round was made and nothing was paid.
    pub fn is_unbegun(&self) -> bool {
        self.remote_id.is_none() && self.rounds.is_none() && !self.given && self.cost == Cost::Nothing
    }

    /// What is left at this moment of the time in which it must end.
    pub fn time_left_ms(&self, now: Moment) -> Option<u64> {
        let attended = self.attended_ms.saturating_add(now.since_ms(self.updated_at));
        Some(self.deadline_ms?.saturating_sub(attended))
    }

    /// A start was sent, and no answer is known yet: nobody can say whether the provider has taken it.
    pub fn is_start_unanswered(&self) -> bool {
        self.status == RunStatus::Pending && self.remote_id.is_none() && self.cost == Cost::Unknown
    }

    /// Nobody knows whether its start was taken and billed. A cancel does not change that.
    pub fn is_start_uncertain(&self) -> bool {
        let uncertain = |problem: &CodedError| problem.code == Code::CreateUncertain;
        self.status == RunStatus::Unknown
            || self.status == RunStatus::Cancelled && self.problem.as_ref().is_some_and(uncertain)
    }

    /// What a reader of its report should know beside the text, the same on every face: that it is partial and why, how
    /// its rounds ended, what was cut, and which addresses nothing but the model's word stands behind.
    pub fn reader_note(&self, record: Option<&RoundsRecord>) -> Option<String> {
        let partial = (self.status != RunStatus::Completed).then(|| {
            let why = self.problem.as_ref().map(|problem| format!(": {}", problem.clause()));
            format!("partial: the research {}{}.", self.status.predicate(), why.unwrap_or_default())
        });
        let of_rounds = record.and_then(|record| record.note.clone());
        let unproven = record.and_then(RoundsRecord::unproven).map(|words| format!("unproven: {words}."));
        let notes = [partial, of_rounds, self.note.clone(), unproven].into_iter().flatten();
        notes.reduce(|before, next| format!("{}. {next}", before.trim_end_matches('.')))
    }

    /// Why a run at rest left no report, by what happened to it; none while it goes on.
    pub fn why_no_report(&self) -> Option<CodedError> {
        let (code, message) = match self.status {
            RunStatus::Pending | RunStatus::RunningAsync | RunStatus::Cancelling => return None,
            RunStatus::Completed => (Code::EmptyReport, "the research is completed without a report"),
            RunStatus::Incomplete => (Code::Incomplete, "the research ended early, without a report"),
            RunStatus::Failed => (Code::ProviderFailed, "the research has failed and has no report"),
            RunStatus::Cancelled => (Code::Cancelled, "the research was cancelled and has no report"),
            RunStatus::Expired => (Code::Expired, "the research has expired and has no report"),
            RunStatus::TimedOut => (Code::Deadline, "the research ran out of time and has no report"),
            RunStatus::OverBudget => {
                (Code::Budget, "the research was stopped at its budget and has no report")
            }
            RunStatus::Unknown => {
                (Code::CreateUncertain, "nobody knows whether the provider took the research")
            }
        };
        Some(self.problem.clone().unwrap_or_else(|| CodedError::new(code, message)))
    }

    /// How its caller got the end: in the call that started it, or later by its id. What is asked of a run that goes on
    /// is asked by its id.
    pub fn answer_mode(&self) -> &'static str {
        if self.handed_over || !self.status.is_final() { "async" } else { "sync" }
    }
}

/// How far a research in rounds is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoundsStatus {
    pub manner: Mode,
    /// The round under way, or the last one.
    pub round: u32,
    pub rounds_max: u32,
    pub verified: bool,
    /// Paid calls, and those of which nobody knows what they cost.
    pub calls: u32,
    pub calls_uncounted: u32,
}

#[cfg(test)]
mod tests;
