//! What the MCP server asks of the program behind it: the same questions on a laptop and on a fleet.

pub mod admin;

use std::{collections::BTreeMap, path::PathBuf, pin::Pin, time::Duration};

use probity_research::{
    Code, CodedError, RunId,
    agent::{self, AgentName},
    approval::Approval,
    cost::MicroUsd,
    estimate::Estimate,
    list::ListFilter,
    notify::NotificationChannel,
    plan::{Plan, RunLimits},
    principal::{Principal, RunAccess},
    query::Query,
    report::Report,
    rounds::Mode,
    spending::RepeatRule,
    status::RunSummary,
    stop::PartialResults,
    time::Moment,
    web::{StrategyHints, parent::FollowUpKind},
    work_done::WorkDone,
};

/// What the user's settings say about runs that clients start.
#[derive(Debug, Clone)]
pub struct RunSettings {
    /// Taken when a client names none.
    pub agent: AgentName,
    /// Names that are allowed besides the known ones.
    pub agents: Vec<String>,
    pub deadline: Duration,
    pub budget: Option<MicroUsd>,
    /// Limits that a project's settings file made stricter, in words.
    pub set_by_project: Vec<String>,
    /// A run that may cost more than this is started only after the user confirmed.
    pub ask_above: MicroUsd,
    /// Where a client cannot ask its user: the most that an argument of the call may confirm.
    pub unasked_max: MicroUsd,
    /// How the end of a run is told.
    pub notifications: NotificationChannel,
    /// How long `start_deep_research` waits before it returns the id.
    pub start_wait: Duration,
    /// The same for the other long tools. Most clients cut a call after 60 seconds.
    pub call_wait: Duration,
}

/// A question that is to be answered by `search`, `deep_search` or `deep_research`.
#[derive(Debug, Clone)]
pub struct PlanOptions {
    pub mode: Mode,
    /// Rounds of a deep search, if the caller named a number.
    pub rounds: Option<u32>,
    pub hints: StrategyHints,
    /// What it may cost, where the caller says so; else what the settings say.
    pub budget: Option<MicroUsd>,
}

/// A text of the user's own whose claims are to be checked.
#[derive(Debug, Clone)]
pub struct TextCheckRequest {
    pub text: String,
    /// None is the machine's own user.
    pub asked_by: Option<Principal>,
    pub approval: Approval,
    pub repeat: RepeatRule,
}

/// A run that a caller asked to be started.
#[derive(Debug, Clone, PartialEq)]
pub struct StartOutcome {
    pub summary: RunSummary,
    pub which: StartKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StartKind {
    New,
    /// It was started before, with the same idempotency key or by an equal start that is still running.
    Same,
}

impl PlanOptions {
    pub fn new(mode: Mode) -> Self {
        Self { mode, rounds: None, hints: StrategyHints::default(), budget: None }
    }
}

impl RunSettings {
    /// The limits of one run, and who made them stricter. A caller may ask for a shorter time than the settings say, and
    /// for a longer one unless a project's file set them: what a user's project limits, no client loosens.
    pub fn limits(&self, asked: Option<Duration>, budget: Option<MicroUsd>) -> RunLimits {
        let deadline = match asked {
            Some(asked) if self.set_by_project.is_empty() => asked,
            Some(asked) => asked.min(self.deadline),
            None => self.deadline,
        };
        RunLimits { set_by_project: self.set_by_project.clone(), ..RunLimits::new(deadline, budget) }
    }

    /// The agent that a client named, or the user's own choice.
    pub fn agent_named(&self, name: Option<&str>) -> Result<AgentName, CodedError> {
        name.map_or_else(|| Ok(self.agent.clone()), |name| AgentName::parse(name, &self.agents))
    }

    /// Every name that `agent_named` takes.
    pub fn agent_names(&self) -> Vec<&str> {
        let known = agent::KNOWN.iter().map(|agent| agent.name);
        known.chain(self.agents.iter().map(String::as_str)).collect()
    }
}

/// What a caller waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WatchCondition {
    Rests,
    /// The run changed after this moment, or rests.
    ChangedAfter(Moment),
}

/// A report to be written to a file.
#[derive(Debug, Clone, Copy)]
pub struct ExportRequest<'a> {
    pub output_dir: &'a str,
    pub filename_prefix: &'a str,
    pub id: RunId,
    pub at: Moment,
    pub markdown: &'a str,
    /// Where the caller's client works, best first: relative folders lie there if it can be written.
    pub client_directories: &'a [PathBuf],
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportOutcome {
    pub path: String,
    pub filename: String,
    pub bytes: u64,
}

/// An action on behalf of a caller, for the audit log of a fleet. Never has contents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditEntry {
    /// None is the operator.
    pub tenant: Option<Principal>,
    /// Key id, or subject of a token.
    pub actor: String,
    /// A tool or a route.
    pub action: String,
    pub research: Option<RunId>,
    /// None: it was done.
    pub refused: Option<Code>,
}

/// A pending answer. Boxed, so that the whole server is compiled once, in this crate, for every backend.
pub type BackendFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, CodedError>> + Send + 'a>>;

pub trait Backend: Send + Sync + 'static {
    fn run_settings(&self) -> &RunSettings;
    fn now(&self) -> Moment;
    /// For time budgets; starts anywhere, never goes back.
    fn monotonic(&self) -> Duration;
    /// What this question will likely cost, estimated from finished runs within `reach` only. Local.
    fn estimate<'a>(
        &'a self,
        reach: &'a RunAccess,
        agent: &'a AgentName,
        query: &'a Query,
    ) -> BackendFuture<'a, Estimate>;
    /// Which engine, how deep and at what price: what finished runs of this tool within `reach` cost, once there are
    /// enough of them. Local.
    fn plan<'a>(
        &'a self,
        reach: &'a RunAccess,
        wanted: PlanOptions,
        query: &'a Query,
    ) -> BackendFuture<'a, Plan>;
    /// A further question on a run that no provider continues: answered from the pages that are stored with it, or by a
    /// search that begins with them. Local.
    fn plan_follow_up<'a>(
        &'a self,
        before: &'a RunSummary,
        _query: &'a Query,
        _kind: FollowUpKind,
    ) -> BackendFuture<'a, Plan> {
        let message = format!("this server answers no further question on {}: ask it anew", before.id);
        Box::pin(std::future::ready(Err(CodedError::new(Code::InvalidArguments, &message))))
    }
    /// What the check of this text will likely cost. Local.
    fn estimate_check(&self, text: &str) -> Result<Estimate, CodedError>;
    /// When this returns, the run is on disk and its id may be given out.
    fn start(&self, query: Query, plan: Plan, repeat: RepeatRule) -> BackendFuture<'_, StartOutcome>;
    /// Checks a text of the user's own, claim by claim.
    fn start_check(&self, wanted: TextCheckRequest) -> BackendFuture<'_, StartOutcome>;
    fn status(&self, id: RunId) -> BackendFuture<'_, RunSummary>;
    /// The status of the run when `until` is reached or `limit` has passed.
    fn watch(&self, id: RunId, until: WatchCondition, limit: Duration) -> BackendFuture<'_, RunSummary>;
    fn cancel(&self, id: RunId, partial: PartialResults) -> BackendFuture<'_, RunSummary>;
    /// Notes that the caller got the id of a run instead of its end.
    fn hand_over(&self, id: RunId) -> BackendFuture<'_, RunSummary>;
    fn list(&self, filter: ListFilter) -> BackendFuture<'_, Vec<RunSummary>>;
    /// The user's own names of these runs; those without one are left out. A fleet keeps none.
    fn titles(&self, _ids: Vec<RunId>) -> BackendFuture<'_, BTreeMap<RunId, String>> {
        Box::pin(std::future::ready(Ok(BTreeMap::new())))
    }
    /// The final report, or the partial one.
    fn report<'a>(&'a self, summary: &'a RunSummary) -> BackendFuture<'a, Option<Report>>;
    /// What a run has done so far or had done by its end; none where that cannot be read.
    fn work_done(&self, id: RunId) -> BackendFuture<'_, Option<WorkDone>>;
    /// Writes below the client's directories and the configured roots only, and never over an existing file.
    fn export<'a>(&'a self, export: ExportRequest<'a>) -> BackendFuture<'a, ExportOutcome>;
    /// Writes an audit line before a start, a cancel or an administrative call is answered. A laptop keeps no
    /// such log.
    fn record_audit(&self, note: AuditEntry) -> BackendFuture<'_, ()> {
        tracing::debug!(action = note.action, "audit");
        Box::pin(std::future::ready(Ok(())))
    }
}
