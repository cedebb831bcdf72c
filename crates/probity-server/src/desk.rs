//! What the face asks of the program behind it: the same questions on a laptop and on a fleet.

use std::time::Duration;

use probity_research::{
    Problem, ResearchId, agent::AgentName, cost::MicroUsd, estimate::Estimate, list::ListFilter, plan::Plan,
    query::Query, report::Report, status::Summary, stop::Partial, time::Moment,
};

/// What the user's settings say about researches that clients start.
#[derive(Debug, Clone)]
pub struct Rules {
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

/// What a caller waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Until {
    Rests,
    /// The research changed after this moment, or rests.
    ChangedAfter(Moment),
}

/// A report on its way into a file.
#[derive(Debug, Clone, Copy)]
pub struct Export<'a> {
    pub output_dir: &'a str,
    pub filename_prefix: &'a str,
    pub id: ResearchId,
    pub at: Moment,
    pub markdown: &'a str,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exported {
    pub path: String,
    pub filename: String,
    pub bytes: u64,
}

pub trait Desk: Send + Sync + 'static {
    fn rules(&self) -> &Rules;
    fn now(&self) -> Moment;
    /// For budgets of time; starts anywhere, never goes back.
    fn monotonic(&self) -> Duration;
    /// What this question will likely cost. Local.
    fn expected(
        &self,
        agent: &AgentName,
        query: &Query,
    ) -> impl Future<Output = Result<Estimate, Problem>> + Send;
    /// When this returns, the research is on disk and its id may be told.
    fn start(&self, query: Query, plan: Plan) -> impl Future<Output = Result<Summary, Problem>> + Send;
    fn status(&self, id: ResearchId) -> impl Future<Output = Result<Summary, Problem>> + Send;
    /// How the research stands when `until` is reached or `limit` has passed.
    fn watch(
        &self,
        id: ResearchId,
        until: Until,
        limit: Duration,
    ) -> impl Future<Output = Result<Summary, Problem>> + Send;
    fn cancel(
        &self,
        id: ResearchId,
        partial: Partial,
    ) -> impl Future<Output = Result<Summary, Problem>> + Send;
    fn list(&self, filter: ListFilter) -> impl Future<Output = Result<Vec<Summary>, Problem>> + Send;
    /// The final report, or what was kept on the way.
    fn report(&self, summary: &Summary) -> impl Future<Output = Result<Option<Report>, Problem>> + Send;
    /// Writes below the configured roots only, and never over an existing file.
    fn export(&self, export: Export<'_>) -> impl Future<Output = Result<Exported, Problem>> + Send;
}
