//! The answer to "how is it going", computed once per event and stored beside the journal.
#![cfg_attr(not(test), warn(clippy::wildcard_enum_match_arm))]

use serde::{Deserialize, Serialize};

use crate::{
    checking,
    cost::{Cost, Usage},
    error::CodedError,
    estimate::Estimate,
    id::{Digest, RunId},
    plan::Notify,
    price,
    principal::Principal,
    progress::{PERCENT_BEFORE_END_MAX, ProgressLine},
    rounds::{Mode, RoundsPlan, RoundsState},
    state::{CancelAnswer, RunPhase, RunState},
    stop::RunStop,
    time::Moment,
    web::{plan::WebPlan, state::WebState},
};

/// The status names that clients see.
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

    /// Nothing more will happen unless the user asks for it.
    pub fn is_final(self) -> bool {
        match self {
            Self::Pending | Self::RunningAsync | Self::Cancelling => false,
            Self::Completed
            | Self::Incomplete
            | Self::Failed
            | Self::Cancelled
            | Self::Expired
            | Self::TimedOut
            | Self::OverBudget
            | Self::Unknown => true,
        }
    }

    pub fn of(research: &RunState) -> Self {
        match &research.phase {
            RunPhase::Ended(ending) => ending.stop.into(),
            RunPhase::Uncertain { .. } => Self::Unknown,
            _ if research.cancel.is_some() => Self::Cancelling,
            RunPhase::Gathered(_) => Self::RunningAsync,
            // Between two rounds it is still the same work.
            _ if research.rounds_state.as_ref().is_some_and(|course| course.calls > 0) => Self::RunningAsync,
            _ if research.web_state.as_ref().is_some_and(|gathering| gathering.has_begun()) => {
                Self::RunningAsync
            }
            RunPhase::Asked | RunPhase::Intended { .. } | RunPhase::Refused { .. } => Self::Pending,
            RunPhase::Running => Self::RunningAsync,
        }
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
    /// The provider's answer to a cancel, as text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cancel_answer: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimate: Option<Estimate>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked_by: Option<Principal>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub follows: Option<RunId>,
    #[serde(default)]
    pub notify: Notify,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rounds: Option<RoundsStatus>,
    /// The user's own text was checked.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub given: bool,
}

/// The progress of a run in rounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoundsStatus {
    pub manner: Mode,
    /// The round under way, or the last one.
    pub round: u32,
    pub rounds_max: u32,
    pub verified: bool,
    /// Paid calls, and those whose cost is unknown.
    pub calls: u32,
    pub calls_uncounted: u32,
}

impl RoundsStatus {
    fn of_research(research: &RunState) -> Option<Self> {
        let plan = research.plan.rounds.as_ref()?;
        match (&research.plan.web, &research.web_state, &research.rounds_state) {
            (Some(web), Some(gathering), _) => Some(Self::of_web(plan, web, gathering)),
            (_, _, Some(course)) => Some(Self::of(plan, course)),
            _ => None,
        }
    }

    /// Attempts of the web engine, shown as rounds.
    fn of_web(plan: &RoundsPlan, web: &WebPlan, gathering: &WebState) -> Self {
        Self {
            manner: plan.manner,
            round: gathering.attempt,
            rounds_max: web.strategy.max_attempts,
            verified: false,
            calls: gathering.spent.calls,
            calls_uncounted: gathering.spent.uncounted,
        }
    }

    fn of(plan: &RoundsPlan, course: &RoundsState) -> Self {
        Self {
            manner: plan.manner,
            round: match course.over {
                Some(_) => course.iterations(),
                None => course.position.round.min(plan.rounds_max),
            },
            rounds_max: plan.rounds_max,
            verified: course.best().is_some_and(|best| best.facts.verified),
            calls: course.calls,
            calls_uncounted: course.calls_uncounted,
        }
    }
}

impl RunSummary {
    pub fn of(research: &RunState) -> Self {
        let status = RunStatus::of(research);
        let ending = research.ending();
        let of_course = research.rounds_state.as_ref().map(|course| course.spent);
        let of_gathering = research.web_state.as_ref().map(|gathering| gathering.spent.usage);
        let of_rounds = of_course.or(of_gathering).filter(|spent| *spent != Usage::default());
        let usage = ending.and_then(|ending| ending.usage).or(of_rounds).or(research.progress.usage);
        let mut counts = research.rounds_state.as_ref().map(|course| course.before).unwrap_or_default();
        counts.add(&research.progress);
        let ended_well = matches!(status, RunStatus::Completed);
        Self {
            id: research.id,
            status,
            due: research.is_due(),
            query: research.query.as_str().to_owned(),
            engine: research.plan.engine.as_str().to_owned(),
            agent: worker(research),
            asked_at: research.asked_at,
            updated_at: research.updated_at,
            ended_at: ending.map(|ending| ending.at),
            remote_id: research.remote_id.clone(),
            progress_percent: if ended_well { 100 } else { percent(research) },
            progress_estimated: !ended_well,
            current_action: current_action(research, status),
            steps: counts.steps,
            searches: counts.searches,
            pages: counts.pages,
            news: if status.is_final() { Vec::new() } else { research.progress.news.clone() },
            attended_ms: research.attended_ms,
            usage,
            cost: cost_of(research, usage.as_ref()),
            problem: problem_of(research),
            report: research.report(),
            raw: ending.and_then(|ending| ending.raw),
            sources: ending.map_or(0, |ending| ending.sources),
            cancel_answer: cancel_answer(research),
            note: research.plan.limits.deadline_note(),
            estimate: research.plan.estimate,
            asked_by: research.plan.asked_by.clone(),
            follows: research.plan.follows,
            notify: research.plan.notify,
            rounds: RoundsStatus::of_research(research),
            given: research.plan.given.is_some(),
        }
    }
}

/// The model that answered, else the one that the plan names.
fn worker(research: &RunState) -> String {
    let seen = research.rounds_state.as_ref().and_then(|course| course.model_seen());
    seen.unwrap_or_else(|| research.plan.model_or_agent()).to_owned()
}

/// Rounds that are over, of all that there may be; else the share of the agent's typical searches.
fn percent(research: &RunState) -> u32 {
    if let (Some(web), Some(gathering)) = (&research.plan.web, &research.web_state) {
        return gathering.percent(web).min(PERCENT_BEFORE_END_MAX);
    }
    match (&research.plan.rounds, &research.rounds_state) {
        (Some(plan), Some(course)) => {
            (course.iterations().saturating_mul(100) / plan.rounds_max.max(1)).min(PERCENT_BEFORE_END_MAX)
        }
        _ => research.progress.percent_estimated(research.plan.agent.facts()),
    }
}

fn running_action(research: &RunState) -> String {
    if let (Some(_), Some(checking)) = (checking::step::subject(research), &research.check_state) {
        return checking.action();
    }
    let action = research.progress.action();
    let word = if research.web_state.is_some() { "attempt" } else { "round" };
    match RoundsStatus::of_research(research).filter(|shown| shown.rounds_max > 1) {
        Some(shown) => format!("{word} {}/{}: {action}", shown.round, shown.rounds_max),
        None => action,
    }
}

fn current_action(research: &RunState, status: RunStatus) -> String {
    match status {
        RunStatus::Pending => match &research.phase {
            RunPhase::Refused { problem, .. } => format!("trying again: {}", problem.message),
            RunPhase::Asked
            | RunPhase::Intended { .. }
            | RunPhase::Uncertain { .. }
            | RunPhase::Running
            | RunPhase::Gathered(_)
            | RunPhase::Ended(_) => "starting".to_owned(),
        },
        RunStatus::RunningAsync => running_action(research),
        RunStatus::Cancelling => "cancelling".to_owned(),
        RunStatus::Completed
        | RunStatus::Incomplete
        | RunStatus::Failed
        | RunStatus::Cancelled
        | RunStatus::Expired
        | RunStatus::TimedOut
        | RunStatus::OverBudget
        | RunStatus::Unknown => status.as_str().replace('_', " "),
    }
}

fn cost_of(research: &RunState, usage: Option<&Usage>) -> Cost {
    let checks = research.check_state.as_ref().map_or(Cost::Nothing, |checking| checking.spent.as_cost());
    match &research.phase {
        RunPhase::Ended(ending) => ending.cost,
        RunPhase::Gathered(ending) => ending.cost.plus(checks),
        RunPhase::Asked
        | RunPhase::Intended { .. }
        | RunPhase::Refused { .. }
        | RunPhase::Uncertain { .. }
        | RunPhase::Running => gathering_cost(research, usage).plus(checks),
    }
}

fn gathering_cost(research: &RunState, usage: Option<&Usage>) -> Cost {
    if let Some(gathering) = &research.web_state {
        return gathering.spent.as_cost();
    }
    if let (Some(plan), Some(course)) = (&research.plan.rounds, &research.rounds_state) {
        return course.cost(plan, &research.updated_at.date());
    }
    match (&research.phase, &research.remote_id) {
        (RunPhase::Asked | RunPhase::Refused { .. }, None) => Cost::Nothing,
        (RunPhase::Asked | RunPhase::Refused { .. }, Some(_))
        | (
            RunPhase::Intended { .. }
            | RunPhase::Uncertain { .. }
            | RunPhase::Running
            | RunPhase::Gathered(_)
            | RunPhase::Ended(_),
            _,
        ) => price::cost(usage, &research.updated_at.date()),
    }
}

fn problem_of(research: &RunState) -> Option<CodedError> {
    match &research.phase {
        RunPhase::Ended(ending) => ending.problem.clone(),
        RunPhase::Refused { problem, .. } | RunPhase::Uncertain { problem, .. } => Some(problem.clone()),
        RunPhase::Asked | RunPhase::Intended { .. } | RunPhase::Running | RunPhase::Gathered(_) => None,
    }
}

fn cancel_answer(research: &RunState) -> Option<String> {
    match &research.cancel.as_ref()?.answer {
        CancelAnswer::NotAsked => None,
        CancelAnswer::Accepted => Some("the provider accepted the cancel".to_owned()),
        CancelAnswer::Refused(problem) => {
            Some(format!("the provider refused the cancel: {}", problem.message))
        }
    }
}
