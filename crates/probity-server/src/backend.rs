//! What the face asks of the program behind it: the same questions on a laptop and on a fleet.

pub mod admin;

use std::{pin::Pin, time::Duration};

use probity_research::{
    Code, CodedError, RunId,
    agent::AgentName,
    cost::MicroUsd,
    estimate::Estimate,
    list::ListFilter,
    plan::Plan,
    principal::{Principal, RunAccess},
    query::Query,
    report::Report,
    rounds::Mode,
    status::RunSummary,
    stop::PartialResults,
    time::Moment,
    web::StrategyHints,
};

/// What the user's settings say about researches that clients start.
#[derive(Debug, Clone)]
pub struct RunSettings {
    /// Taken when a client names none.
    pub agent: AgentName,
    /// Names that are allowed besides the known ones.
    pub agents: Vec<String>,
    pub deadline: Duration,
    pub budget: Option<MicroUsd>,
    /// A research that may cost more than this is started only after someone said yes.
    pub ask_above: MicroUsd,
    /// How long `start_deep_research` stays before it hands the id back.
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
}

/// A text of somebody's own whose claims are to be checked.
#[derive(Debug, Clone)]
pub struct TextCheckRequest {
    pub text: String,
    /// None is the machine's own user.
    pub asked_by: Option<Principal>,
}

impl PlanOptions {
    pub fn new(mode: Mode) -> Self {
        Self { mode, rounds: None, hints: StrategyHints::default() }
    }
}

impl RunSettings {
    /// The agent that a client named, or the user's own choice.
    pub fn agent_named(&self, name: Option<&str>) -> Result<AgentName, CodedError> {
        name.map_or_else(|| Ok(self.agent.clone()), |name| AgentName::parse(name, &self.agents))
    }
}

/// What a caller waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WatchCondition {
    Rests,
    /// The research changed after this moment, or rests.
    ChangedAfter(Moment),
}

/// A report on its way into a file.
#[derive(Debug, Clone, Copy)]
pub struct ExportRequest<'a> {
    pub output_dir: &'a str,
    pub filename_prefix: &'a str,
    pub id: RunId,
    pub at: Moment,
    pub markdown: &'a str,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportOutcome {
    pub path: String,
    pub filename: String,
    pub bytes: u64,
}

/// Something that was done on someone's behalf, for the audit log of a fleet. Never holds contents.
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

/// An answer on its way. Boxed, so that everything that serves is built once, in this crate, whatever desk
/// stands behind it.
pub type BackendFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, CodedError>> + Send + 'a>>;

pub trait Backend: Send + Sync + 'static {
    fn run_settings(&self) -> &RunSettings;
    fn now(&self) -> Moment;
    /// For budgets of time; starts anywhere, never goes back.
    fn monotonic(&self) -> Duration;
    /// What this question will likely cost, judged by finished researches within `reach` only. Local.
    fn estimate<'a>(
        &'a self,
        reach: &'a RunAccess,
        agent: &'a AgentName,
        query: &'a Query,
    ) -> BackendFuture<'a, Estimate>;
    /// Which engine, how deep and at what price. Local.
    fn plan(&self, wanted: PlanOptions, query: &Query) -> Result<Plan, CodedError>;
    /// When this returns, the research is on disk and its id may be told.
    fn start(&self, query: Query, plan: Plan) -> BackendFuture<'_, RunSummary>;
    /// Checks a text of somebody's own, claim by claim.
    fn start_check(&self, wanted: TextCheckRequest) -> BackendFuture<'_, RunSummary>;
    fn status(&self, id: RunId) -> BackendFuture<'_, RunSummary>;
    /// How the research stands when `until` is reached or `limit` has passed.
    fn watch(&self, id: RunId, until: WatchCondition, limit: Duration) -> BackendFuture<'_, RunSummary>;
    fn cancel(&self, id: RunId, partial: PartialResults) -> BackendFuture<'_, RunSummary>;
    fn list(&self, filter: ListFilter) -> BackendFuture<'_, Vec<RunSummary>>;
    /// The final report, or what was kept on the way.
    fn report<'a>(&'a self, summary: &'a RunSummary) -> BackendFuture<'a, Option<Report>>;
    /// Writes below the configured roots only, and never over an existing file.
    fn export<'a>(&'a self, export: ExportRequest<'a>) -> BackendFuture<'a, ExportOutcome>;
    /// Writes down that something was started, cancelled or administered, before it is answered. A laptop
    /// keeps no such log.
    fn record_audit(&self, note: AuditEntry) -> BackendFuture<'_, ()> {
        tracing::debug!(action = note.action, "done");
        Box::pin(std::future::ready(Ok(())))
    }
}
