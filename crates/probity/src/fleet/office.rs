//! The desk as a front end of a fleet asks it. Keeps nothing: another front end could answer the next question.

use std::time::Duration;

use probity_fleet::FleetExecutor;
use probity_research::{
    Code, Problem, ResearchId,
    agent::AgentName,
    estimate::{self, Estimate, Past, estimate},
    list::ListFilter,
    plan::Plan,
    principal::Reach,
    query::Query,
    report::Report,
    seams::{Clock as _, Journal as _},
    status::Summary,
    stop::Partial,
    time::Moment,
};
use probity_runner::{House as _, Researches, first_entry};
use probity_server::desk::{
    Answered, Export, Exported, Note, Rules, ToCheck, Until, Wanted,
    fleet::{Begin, Begun, Subject, Which},
};
use probity_store::postgres::{self, Postgres, Started};

use crate::{
    desk::new_id,
    keys::Keys,
    office,
    planning::{self, Asking},
    proofs::{self, Given},
    settings::Settings,
};

/// The board brings news; this is for the case that it is full, or that the database was away.
const LOOK_EVERY: Duration = Duration::from_secs(3);

pub struct FleetOffice {
    pub(super) researches: Researches<FleetExecutor>,
    pub(super) settings: Settings,
    keys: Keys,
    rules: Rules,
}

impl FleetOffice {
    pub fn new(executor: FleetExecutor, settings: &Settings, keys: Keys) -> Self {
        Self {
            researches: Researches::new(executor),
            settings: settings.clone(),
            keys,
            rules: office::rules(settings),
        }
    }

    pub(super) fn postgres(&self) -> &Postgres {
        self.researches.executor().postgres()
    }

    /// Stores a research if its tenant may have it. It waits for its turn; the id may be told.
    pub(super) async fn begin(&self, begin: Begin) -> Result<Begun, Problem> {
        let Begin { tenant, actor, subject, idempotency } = begin;
        let id = new_id().map_err(|failure| failure.problem)?;
        let (query, mut plan) = match subject {
            Subject::Question { query, plan } => (query, *plan),
            Subject::Text(text) => self.text_to_check(text).await?,
        };
        plan.asked_by = tenant;
        if plan.checks.is_none() {
            plan.checks = planning::checks(&self.settings, &self.keys, plan.worker())?;
        }
        let entry = first_entry(id, query, plan, self.now())?;
        let summary = entry.summary.clone();
        let started = Started {
            entry,
            idempotency: idempotency.map(|one| postgres::Idempotency { key: one.key, request: one.request }),
            unknown: &self.settings.fleet.quota,
            actor: &actor,
        };
        match self.postgres().start(started).await? {
            postgres::Begun::New => {
                self.researches.executor().nudge();
                Ok(Begun { summary, which: Which::New })
            }
            postgres::Begun::Same(id) => {
                Ok(Begun { summary: self.postgres().status(id).await?, which: Which::Same })
            }
        }
    }

    /// The text is stored before the research that names it.
    async fn text_to_check(&self, text: String) -> Result<(Query, Plan), Problem> {
        let report = Report { text, ..Report::default() };
        let given = Given { report, title: None, follows: None, asked_by: None };
        let plan = proofs::plan(&self.settings, &self.keys, &given)?;
        let digest = self.postgres().keep(given.report.encode()).await?;
        Ok((proofs::query(&given)?, Plan { given: Some(digest), ..plan }))
    }

    async fn look(&self, id: ResearchId, until: Until, limit: Duration) -> Result<Summary, Problem> {
        let mut news = self.researches.listen(id).ok();
        let ends = self.monotonic_now() + limit;
        loop {
            let summary = self.postgres().status(id).await?;
            let changed = match until {
                Until::Rests => false,
                Until::ChangedAfter(seen) => summary.updated_at > seen,
            };
            let left = ends.saturating_sub(self.monotonic_now());
            if changed || summary.status.is_final() || left.is_zero() {
                return Ok(summary);
            }
            let heard = async {
                match &mut news {
                    Some(news) => drop(news.changed().await),
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = heard => {}
                () = self.researches.executor().clock().sleep(left.min(LOOK_EVERY)) => {}
            }
        }
    }

    async fn history(&self, reach: &Reach, agent: &AgentName) -> Result<Vec<Past>, Problem> {
        let Some(filter) = estimate::finished(reach) else { return Ok(Vec::new()) };
        Ok(estimate::history(&self.postgres().list(&filter).await?, agent))
    }

    async fn read(&self, summary: &Summary) -> Result<Option<Report>, Problem> {
        let Some(digest) = summary.report else { return Ok(None) };
        let bytes = self.postgres().fetch(digest).await?;
        let unreadable = |_| Problem::new(Code::StoreCorrupt, "the stored report is unreadable");
        Report::decode(&bytes).map(Some).map_err(unreadable)
    }

    pub(super) fn now(&self) -> Moment {
        self.researches.executor().clock().now()
    }

    fn monotonic_now(&self) -> Duration {
        self.researches.executor().clock().monotonic()
    }
}

impl probity_server::Desk for FleetOffice {
    fn rules(&self) -> &Rules {
        &self.rules
    }

    fn now(&self) -> Moment {
        Self::now(self)
    }

    fn monotonic(&self) -> Duration {
        self.monotonic_now()
    }

    fn expected<'a>(
        &'a self,
        reach: &'a Reach,
        agent: &'a AgentName,
        query: &'a Query,
    ) -> Answered<'a, Estimate> {
        Box::pin(async move { Ok(estimate(agent, query, &self.history(reach, agent).await?)) })
    }

    fn planned(&self, wanted: Wanted, query: &Query) -> Result<Plan, Problem> {
        let Wanted { manner, rounds, hints } = wanted;
        let asking = Asking { rounds, hints, ..Asking::new(manner) };
        planning::plan(&self.settings, &self.keys, asking, query)
    }

    fn start(&self, query: Query, plan: Plan) -> Answered<'_, Summary> {
        let tenant = plan.asked_by.clone();
        let subject = Subject::Question { query, plan: Box::new(plan) };
        let begin = Begin { tenant, actor: "mcp".to_owned(), subject, idempotency: None };
        Box::pin(async { self.begin(begin).await.map(|begun| begun.summary) })
    }

    fn check(&self, wanted: ToCheck) -> Answered<'_, Summary> {
        let subject = Subject::Text(wanted.text);
        let begin = Begin { tenant: wanted.asked_by, actor: "mcp".to_owned(), subject, idempotency: None };
        Box::pin(async { self.begin(begin).await.map(|begun| begun.summary) })
    }

    fn status(&self, id: ResearchId) -> Answered<'_, Summary> {
        Box::pin(self.postgres().status(id))
    }

    fn watch(&self, id: ResearchId, until: Until, limit: Duration) -> Answered<'_, Summary> {
        Box::pin(self.look(id, until, limit))
    }

    fn cancel(&self, id: ResearchId, partial: Partial) -> Answered<'_, Summary> {
        Box::pin(self.researches.cancel(id, partial))
    }

    fn list(&self, filter: ListFilter) -> Answered<'_, Vec<Summary>> {
        Box::pin(async move { self.postgres().list(&filter).await })
    }

    fn report<'a>(&'a self, summary: &'a Summary) -> Answered<'a, Option<Report>> {
        Box::pin(self.read(summary))
    }

    fn note(&self, note: Note) -> Answered<'_, ()> {
        let Note { tenant, actor, action, research, refused } = note;
        let outcome = refused.map_or("done", Code::as_str).to_owned();
        let line = postgres::Audit { tenant, actor, action, research, outcome };
        Box::pin(self.postgres().audit(line))
    }

    fn export<'a>(&'a self, _export: Export<'a>) -> Answered<'a, Exported> {
        let message = "a fleet keeps reports in its store and writes no files; read this one as a resource";
        Box::pin(std::future::ready(Err(Problem::new(Code::OutputPath, message))))
    }
}
