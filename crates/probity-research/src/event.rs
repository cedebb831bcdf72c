//! What happened, in order: the only thing that is stored of a run's history.
//!
//! Versioned. A field is added with a default; a meaning is changed only with a new version and an upgrade
//! in `decode`. Each release keeps a fixture that must still replay (`fixtures/journal-v*.jsonl`).
#![cfg_attr(not(test), warn(clippy::wildcard_enum_match_arm))]

use probity_types::inquiry::SteeringNote;
use serde::{Deserialize, Serialize};

use crate::{
    checking::{CheckTask, CheckTaskOutcome, VerificationSummary, task::JudgeSeat},
    cost::{Cost, MicroUsd, Usage},
    error::CodedError,
    id::{Digest, Sequence},
    inquiry::patched::SentencePatch,
    plan::Plan,
    progress::Progress,
    query::Query,
    rounds::state::{AnswerFacts, CallBilling, CallWork},
    serde_helpers::is_zero,
    stop::{CancelReason, PartialResults, RunStop},
    time::Moment,
    web::{
        bill::Bill,
        record::WebStop,
        task::{WebTask, WebTaskOutcome},
    },
};

/// Newest version written. An event has the lowest version that can read it, so that what an older Probity
/// understands stays readable to it.
pub const EVENT_VERSION: u32 = 10;
/// Rounds came with this version: an older Probity must not take such a run for a Deep Research run.
const VERSION_OF_ROUNDS: u32 = 2;
/// Our own web engine came with this one.
const VERSION_OF_WEB: u32 = 3;
/// Checking every claim came with this one.
const VERSION_OF_CHECKS: u32 = 4;
/// Moving from one store to another came with this one.
const VERSION_OF_MOVES: u32 = 5;
/// Raising the budget of a run under way came with this one.
const VERSION_OF_RAISES: u32 = 6;
/// Looks that failed came with this one.
const VERSION_OF_FAILED_LOOKS: u32 = 7;
/// Whether a call waited for the end came with this one.
const VERSION_OF_HANDOVERS: u32 = 8;
/// Exams of judges came with this one.
const VERSION_OF_EXAMS: u32 = 9;
/// Notes of the user to a research under way came with this one.
const VERSION_OF_STEERING: u32 = 10;
/// So did follow-ups that are answered from stored pages: an older Probity would search where nobody asked for it.
const VERSION_OF_FOLLOW_UPS: u32 = 10;
/// And second judges.
const VERSION_OF_SECOND_JUDGES: u32 = 10;
/// And sentences that are changed after the check.
const VERSION_OF_PATCHES: u32 = 10;

/// One event with its sequence, its time and how long the run had been attended to by then.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredEvent {
    pub sequence: Sequence,
    pub at: Moment,
    /// Monotonic time that drivers have spent on this run: what deadlines are measured in.
    pub attended_ms: u64,
    pub event: Event,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum Event {
    /// First event: question and plan. A task id is handed out only after this is on disk.
    Asked {
        query: Query,
        plan: Plan,
    },
    /// On disk before the paid call is made.
    CreateIntended {
        attempt: u32,
    },
    /// Provably not accepted: nothing was billed.
    CreateRefused {
        attempt: u32,
        problem: CodedError,
    },
    /// The call may have been accepted and billed; it is never repeated unless the user says so.
    CreateUncertain {
        attempt: u32,
        problem: CodedError,
    },
    /// The user accepted that an uncertain start may be paid for again.
    PayAgainAccepted,
    /// The provider's id, recorded at the first byte that contained it.
    RemoteStarted {
        attempt: u32,
        remote_id: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cursor: Option<String>,
    },
    /// The remote run was polled and is working; counts only grow.
    Observed {
        progress: Progress,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cursor: Option<String>,
    },
    /// The remote run was polled and nothing was learned of it. Whatever came instead of an answer is stored.
    LookFailed {
        problem: CodedError,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        raw: Option<Digest>,
        #[serde(default)]
        raw_bytes: u64,
    },
    /// What exists so far was stored, so that a run lost later still shows something.
    PartialKept {
        report: Digest,
        /// As many as its readers see listed.
        #[serde(default, skip_serializing_if = "is_zero")]
        sources: u32,
    },
    CancelRequested {
        reason: CancelReason,
        partial: PartialResults,
    },
    /// The provider's answer to the cancel; `None` means it accepted.
    CancelAnswered {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        refusal: Option<CodedError>,
    },
    Ended {
        stop: RunStop,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        report: Option<Digest>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        raw: Option<Digest>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        usage: Option<Usage>,
        cost: Cost,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        problem: Option<CodedError>,
        #[serde(default)]
        sources: u32,
        /// The last counts, where the provider's final answer had them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        progress: Option<Progress>,
    },
    /// The user asked to poll an ended run once more.
    Reopened,
    /// A round returned an answer; it is stored under this digest.
    RoundAnswered {
        answer: Digest,
        facts: AnswerFacts,
        billed: CallBilling,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        raw: Option<Digest>,
    },
    /// A call of a round failed; its text is stored where there is something to correct.
    RoundStumbled {
        problem: CodedError,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        kept: Option<Digest>,
        billed: CallBilling,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        raw: Option<Digest>,
        /// The model that answered, by whose prices it is billed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        model: Option<String>,
        /// What it had searched and read, where its end told that.
        #[serde(default, skip_serializing_if = "CallWork::is_empty")]
        work: CallWork,
    },
    /// On disk before any of these calls of the web engine is made.
    GatherIntended {
        tasks: Vec<WebTask>,
    },
    /// One of them is over; its output is here or stored under the digests that it names.
    GatherDone {
        task: WebTask,
        outcome: WebTaskOutcome,
        bill: Bill,
    },
    /// Nothing more is gathered: the report is written from what there is.
    GatherStopped {
        why: WebStop,
    },
    /// The text is complete and stored; its claims are checked before the run ends.
    Gathered(Box<RunEnding>),
    /// The checking of this stored text begins.
    CheckBegun {
        subject: Digest,
    },
    /// On disk before any of these calls is made.
    CheckIntended {
        tasks: Vec<CheckTask>,
    },
    CheckDone {
        task: CheckTask,
        outcome: CheckTaskOutcome,
        bill: Bill,
    },
    /// Sentences of this checked text that their sources do not bear out are changed; the text is composed again, gathered
    /// again and checked again.
    Patched {
        subject: Digest,
        patches: Vec<SentencePatch>,
    },
    /// The answer of a round was checked; with its ledger it is stored as `report`.
    Checked {
        subject: Digest,
        report: Digest,
        standing: VerificationSummary,
    },
    /// The run moved to another store: no process drives it here any more.
    Left,
    /// The run was moved here and goes on.
    Arrived,
    /// The user gives the run more money than it began with.
    BudgetRaised {
        to: MicroUsd,
    },
    /// The caller that started it got its id instead of its end: from here on nobody waits for it.
    HandedOver,
    /// The user tells a research under way what to do otherwise; calls under way are finished and count.
    Steered {
        note: SteeringNote,
    },
}

/// How a run ended, or will have ended once its text is checked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunEnding {
    pub stop: RunStop,
    pub at: Moment,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report: Option<Digest>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw: Option<Digest>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    pub cost: Cost,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<CodedError>,
    pub sources: u32,
    /// See `Progress`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report_bytes_sent: Option<u64>,
    /// The last counts, where the provider's final answer had them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub progress: Option<Box<Progress>>,
}

impl RunEnding {
    /// Somebody's own text: it is there from the beginning and cost nothing.
    pub fn of_given(text: Digest, at: Moment) -> Self {
        Self {
            stop: RunStop::Completed,
            at,
            report: Some(text),
            raw: None,
            usage: None,
            cost: Cost::Nothing,
            problem: None,
            sources: 0,
            report_bytes_sent: None,
            progress: None,
        }
    }
}

#[derive(Debug, thiserror::Error)]
pub enum DecodeError {
    #[error("event version {0} was written by a newer Probity")]
    Newer(u32),
    #[error("event is not readable")]
    Unreadable(#[source] serde_json::Error),
}

impl Event {
    /// Whether a paid call may follow it: a driver that finds it without its outcome must assume that money
    /// was spent.
    pub fn is_intent(&self) -> bool {
        match self {
            Self::CreateIntended { .. } | Self::GatherIntended { .. } | Self::CheckIntended { .. } => true,
            Self::Asked { .. }
            | Self::CreateRefused { .. }
            | Self::CreateUncertain { .. }
            | Self::PayAgainAccepted
            | Self::RemoteStarted { .. }
            | Self::Observed { .. }
            | Self::LookFailed { .. }
            | Self::PartialKept { .. }
            | Self::CancelRequested { .. }
            | Self::CancelAnswered { .. }
            | Self::Ended { .. }
            | Self::Reopened
            | Self::RoundAnswered { .. }
            | Self::RoundStumbled { .. }
            | Self::GatherDone { .. }
            | Self::GatherStopped { .. }
            | Self::Gathered(_)
            | Self::CheckBegun { .. }
            | Self::CheckDone { .. }
            | Self::Patched { .. }
            | Self::Checked { .. }
            | Self::Left
            | Self::Arrived
            | Self::BudgetRaised { .. }
            | Self::HandedOver
            | Self::Steered { .. } => false,
        }
    }

    /// The version to write with it.
    pub fn version(&self) -> u32 {
        match self {
            Self::RoundAnswered { .. } | Self::RoundStumbled { .. } => VERSION_OF_ROUNDS,
            Self::GatherIntended { .. } | Self::GatherDone { .. } | Self::GatherStopped { .. } => {
                VERSION_OF_WEB
            }
            Self::CheckIntended { tasks } if tasks.iter().any(is_for_second) => VERSION_OF_SECOND_JUDGES,
            Self::CheckDone { task, .. } if is_for_second(task) => VERSION_OF_SECOND_JUDGES,
            Self::CheckIntended { tasks } if tasks.iter().any(is_exam) => VERSION_OF_EXAMS,
            Self::CheckDone { task, .. } if is_exam(task) => VERSION_OF_EXAMS,
            Self::Gathered(_)
            | Self::CheckBegun { .. }
            | Self::CheckIntended { .. }
            | Self::CheckDone { .. }
            | Self::Checked { .. } => VERSION_OF_CHECKS,
            Self::Left | Self::Arrived => VERSION_OF_MOVES,
            Self::BudgetRaised { .. } => VERSION_OF_RAISES,
            Self::LookFailed { .. } => VERSION_OF_FAILED_LOOKS,
            Self::HandedOver => VERSION_OF_HANDOVERS,
            Self::Steered { .. } => VERSION_OF_STEERING,
            Self::Patched { .. } => VERSION_OF_PATCHES,
            Self::Asked { plan, .. } if plan.web.as_ref().is_some_and(|web| web.parent.is_some()) => {
                VERSION_OF_FOLLOW_UPS
            }
            Self::Asked { plan, .. }
                if plan.checks.as_ref().is_some_and(|checks| checks.second.is_some()) =>
            {
                VERSION_OF_SECOND_JUDGES
            }
            // An older Probity would not look into what the user wants.
            Self::Asked { plan, .. } if has_wanted_facets(plan) => VERSION_OF_STEERING,
            Self::Asked { plan, .. } if plan.checks.is_some() => VERSION_OF_CHECKS,
            Self::Asked { plan, .. } if plan.web.is_some() => VERSION_OF_WEB,
            Self::Asked { plan, .. } if plan.rounds.is_some() => VERSION_OF_ROUNDS,
            Self::Asked { .. }
            | Self::CreateIntended { .. }
            | Self::CreateRefused { .. }
            | Self::CreateUncertain { .. }
            | Self::PayAgainAccepted
            | Self::RemoteStarted { .. }
            | Self::Observed { .. }
            | Self::PartialKept { .. }
            | Self::CancelRequested { .. }
            | Self::CancelAnswered { .. }
            | Self::Ended { .. }
            | Self::Reopened => 1,
        }
    }

    pub fn encode(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string(self)
    }

    pub fn decode(version: u32, text: &str) -> Result<Self, DecodeError> {
        match version {
            1..=EVENT_VERSION => serde_json::from_str(text).map_err(DecodeError::Unreadable),
            newer => Err(DecodeError::Newer(newer)),
        }
    }
}

fn has_wanted_facets(plan: &Plan) -> bool {
    let inquiry = plan.web.as_ref().and_then(|web| web.inquiry.as_ref());
    inquiry.is_some_and(|inquiry| !inquiry.facets.is_empty())
}

fn is_exam(task: &CheckTask) -> bool {
    match task {
        CheckTask::Exam { .. } => true,
        CheckTask::Page { .. }
        | CheckTask::Examine
        | CheckTask::Judge { .. }
        | CheckTask::Recall
        | CheckTask::Second { .. } => false,
    }
}

fn is_for_second(task: &CheckTask) -> bool {
    match task.seat().0 {
        JudgeSeat::First => false,
        JudgeSeat::Second => true,
    }
}
