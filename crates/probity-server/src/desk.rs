//! What the face asks of the program behind it: the same questions on a laptop and on a fleet.

pub mod fleet;

use std::{pin::Pin, time::Duration};

use probity_research::{
    Code, Problem, ResearchId,
    agent::AgentName,
    cost::MicroUsd,
    estimate::Estimate,
    list::ListFilter,
    plan::Plan,
    principal::{Principal, Reach},
    query::Query,
    report::Report,
    rounds::Manner,
    status::Summary,
    stop::Partial,
    time::Moment,
    web::Hints,
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

/// A question that is to be answered by `search`, `deep_search` or `deep_research`.
#[derive(Debug, Clone)]
pub struct Wanted {
    pub manner: Manner,
    /// Rounds of a deep search, if the caller named a number.
    pub rounds: Option<u32>,
    pub hints: Hints,
}

/// A text of somebody's own whose claims are to be checked.
#[derive(Debug, Clone)]
pub struct ToCheck {
    pub text: String,
    /// None is the machine's own user.
    pub asked_by: Option<Principal>,
}

impl Wanted {
    pub fn new(manner: Manner) -> Self {
        Self { manner, rounds: None, hints: Hints::default() }
    }
}

impl Rules {
    /// The agent that a client named, or the user's own choice.
    pub fn agent_named(&self, name: Option<&str>) -> Result<AgentName, Problem> {
        name.map_or_else(|| Ok(self.agent.clone()), |name| AgentName::parse(name, &self.agents))
    }
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

/// Something that was done on someone's behalf, for the audit log of a fleet. Never holds contents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// None is the operator.
    pub tenant: Option<Principal>,
    /// Key id, or subject of a token.
    pub actor: String,
    /// A tool or a route.
    pub action: String,
    pub research: Option<ResearchId>,
    /// None: it was done.
    pub refused: Option<Code>,
}

/// An answer on its way. Boxed, so that everything that serves is built once, in this crate, whatever desk
/// stands behind it.
pub type Answered<'a, T> = Pin<Box<dyn Future<Output = Result<T, Problem>> + Send + 'a>>;

pub trait Desk: Send + Sync + 'static {
    fn rules(&self) -> &Rules;
    fn now(&self) -> Moment;
    /// For budgets of time; starts anywhere, never goes back.
    fn monotonic(&self) -> Duration;
    /// What this question will likely cost, judged by finished researches within `reach` only. Local.
    fn expected<'a>(
        &'a self,
        reach: &'a Reach,
        agent: &'a AgentName,
        query: &'a Query,
    ) -> Answered<'a, Estimate>;
    /// Which engine, how deep and at what price. Local.
    fn planned(&self, wanted: Wanted, query: &Query) -> Result<Plan, Problem>;
    /// When this returns, the research is on disk and its id may be told.
    fn start(&self, query: Query, plan: Plan) -> Answered<'_, Summary>;
    /// Checks a text of somebody's own, claim by claim.
    fn check(&self, wanted: ToCheck) -> Answered<'_, Summary>;
    fn status(&self, id: ResearchId) -> Answered<'_, Summary>;
    /// How the research stands when `until` is reached or `limit` has passed.
    fn watch(&self, id: ResearchId, until: Until, limit: Duration) -> Answered<'_, Summary>;
    fn cancel(&self, id: ResearchId, partial: Partial) -> Answered<'_, Summary>;
    fn list(&self, filter: ListFilter) -> Answered<'_, Vec<Summary>>;
    /// The final report, or what was kept on the way.
    fn report<'a>(&'a self, summary: &'a Summary) -> Answered<'a, Option<Report>>;
    /// Writes below the configured roots only, and never over an existing file.
    fn export<'a>(&'a self, export: Export<'a>) -> Answered<'a, Exported>;
    /// Writes down that something was started, cancelled or administered, before it is answered. A laptop
    /// keeps no such log.
    fn note(&self, note: Note) -> Answered<'_, ()> {
        tracing::debug!(action = note.action, "done");
        Box::pin(std::future::ready(Ok(())))
    }
}
