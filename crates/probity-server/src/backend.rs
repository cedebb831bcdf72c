//! What the MCP server asks of the program behind it: the same questions on a laptop and on a fleet.

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

/// What the user's settings say about runs that clients start.
#[derive(Debug, Clone)]
pub struct RunSettings {
    /// Taken when a client names none.
    pub agent: AgentName,
    /// Names that are allowed besides the known ones.
    pub agents: Vec<String>,
    pub deadline: Duration,
    pub budget: Option<MicroUsd>,
    /// A run that may cost more than this is started only after the user confirmed.
    pub ask_above: MicroUsd,
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
}

/// A text of the user's own whose claims are to be checked.
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
    /// Which engine, how deep and at what price. Local.
    fn plan(&self, wanted: PlanOptions, query: &Query) -> Result<Plan, CodedError>;
    /// When this returns, the run is on disk and its id may be given out.
    fn start(&self, query: Query, plan: Plan) -> BackendFuture<'_, RunSummary>;
    /// Checks a text of the user's own, claim by claim.
    fn start_check(&self, wanted: TextCheckRequest) -> BackendFuture<'_, RunSummary>;
    fn status(&self, id: RunId) -> BackendFuture<'_, RunSummary>;
    /// The status of the run when `until` is reached or `limit` has passed.
    fn watch(&self, id: RunId, until: WatchCondition, limit: Duration) -> BackendFuture<'_, RunSummary>;
    fn cancel(&self, id: RunId, partial: PartialResults) -> BackendFuture<'_, RunSummary>;
    fn list(&self, filter: ListFilter) -> BackendFuture<'_, Vec<RunSummary>>;
    /// The final report, or the partial one.
    fn report<'a>(&'a self, summary: &'a RunSummary) -> BackendFuture<'a, Option<Report>>;
    /// Writes below the configured roots only, and never over an existing file.
    fn export<'a>(&'a self, export: ExportRequest<'a>) -> BackendFuture<'a, ExportOutcome>;
    /// Writes an audit line before a start, a cancel or an administrative call is answered. A laptop keeps no
    /// such log.
    fn record_audit(&self, note: AuditEntry) -> BackendFuture<'_, ()> {
        tracing::debug!(action = note.action, "audit");
        Box::pin(std::future::ready(Ok(())))
    }
}
