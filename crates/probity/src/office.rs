//! The desk as the MCP face asks it: the same store, rules and executor as the command line, shared by many
//! callers at once.

use std::{path::PathBuf, sync::Arc, time::Duration};

use probity_research::{
    Code, Problem, ResearchId,
    agent::AgentName,
    cost::MicroUsd,
    estimate::{Estimate, estimate, spent_or_reserved},
    list::{LIST_MAX, ListFilter},
    plan::Plan,
    principal::{Principal, Reach},
    query::Query,
    report::Report,
    seams::Clock as _,
    status::Summary,
    stop::Partial,
    time::Moment,
};
use probity_server::desk::{Answered, Export, Exported, Rules, ToCheck, Until, Wanted};
use probity_store::Exports;
use tokio::sync::Mutex;

use crate::{
    desk::{self, Desk},
    planning::{self, Asking},
    proofs::{self, Given},
    settings::Settings,
};

/// How often the store is looked at while waiting: another process may be the driver.
const LOOK_EVERY: Duration = Duration::from_millis(500);
const DAY_MS: i64 = 24 * 3_600_000;

pub struct Office {
    desk: Arc<Desk>,
    settings: Settings,
    rules: Rules,
    exports: Arc<Exports>,
    budget_per_day: Option<MicroUsd>,
    /// One start at a time: two that look at the day's money together would both find it untouched.
    starting: Mutex<()>,
}

impl Office {
    pub fn new(desk: Arc<Desk>, settings: &Settings) -> Self {
        let mut roots: Vec<PathBuf> = vec![settings.reports_directory.clone()];
        roots.extend(settings.reports_roots.iter().cloned());
        Self {
            desk,
            settings: settings.clone(),
            rules: rules(settings),
            exports: Arc::new(Exports::new(roots)),
            budget_per_day: settings.budget_per_day,
            starting: Mutex::new(()),
        }
    }

    /// Whether the day's money carries this research too. It is everybody's, so only the machine's own user is
    /// told how much of it is left.
    async fn within_the_day(
        &self,
        asked_by: Option<&Principal>,
        price: Option<Estimate>,
    ) -> Result<(), Problem> {
        let Some(limit) = self.budget_per_day else { return Ok(()) };
        let since = self.desk.now().plus_ms(-DAY_MS);
        let mut spent = MicroUsd(0);
        let mut offset = 0;
        loop {
            let filter =
                ListFilter { asked_after: Some(since), limit: LIST_MAX, offset, ..ListFilter::default() };
            let page = self.listed(filter).await?;
            spent = spent.plus(spent_or_reserved(&page));
            if page.len() < LIST_MAX {
                break;
            }
            offset += LIST_MAX;
        }
        let wanted = price.map_or(MicroUsd(0), |price| price.cost_max);
        if spent.plus(wanted) > limit {
            let message = match asked_by {
                None => format!(
                    "the day's limit is {limit}; {spent} is spent or reserved, and this may cost {wanted} more"
                ),
                Some(_) => format!("what this server may spend today does not carry {wanted} more"),
            };
            return Err(Problem::new(Code::Budget, &message));
        }
        Ok(())
    }

    async fn begin(&self, query: Query, mut plan: Plan) -> Result<Summary, Problem> {
        if plan.checks.is_none() {
            plan.checks = planning::checks(&self.settings, &self.desk.keys, plan.worker())?;
        }
        if !self.desk.drives.can(plan.engine) {
            return Err(Problem::new(Code::KeyMissing, "there is no API key"));
        }
        let _one_at_a_time = self.starting.lock().await;
        self.within_the_day(plan.asked_by.as_ref(), plan.estimate).await?;
        let id = desk::new_id().map_err(|failure| failure.problem)?;
        self.desk.researches.executor().engine().prepare_for(&plan);
        self.desk.researches.start(id, query, plan).await
    }

    async fn begin_check(&self, wanted: ToCheck) -> Result<Summary, Problem> {
        let report = Report { text: wanted.text, ..Report::default() };
        let given = Given { report, title: None, follows: None, asked_by: wanted.asked_by };
        let plan = proofs::plan(&self.settings, &self.desk.keys, &given)?;
        let _one_at_a_time = self.starting.lock().await;
        self.within_the_day(plan.asked_by.as_ref(), plan.estimate).await?;
        proofs::start(&self.desk, &given, plan).await
    }

    async fn look(&self, id: ResearchId, until: Until, limit: Duration) -> Result<Summary, Problem> {
        // Beyond the number that can be listened to, looking now and then must do.
        let mut news = self.desk.researches.listen(id).ok();
        let ends = self.desk.clock().monotonic() + limit;
        loop {
            let summary = self.desk.store.status(id)?;
            let changed = match until {
                Until::Rests => false,
                Until::ChangedAfter(seen) => summary.updated_at > seen,
            };
            let left = ends.saturating_sub(self.desk.clock().monotonic());
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
                () = self.desk.clock().sleep(left.min(LOOK_EVERY)) => {}
            }
        }
    }

    async fn save(&self, export: Export<'_>) -> Result<Exported, Problem> {
        let exports = Arc::clone(&self.exports);
        let (output_dir, filename_prefix) = (export.output_dir.to_owned(), export.filename_prefix.to_owned());
        let (id, at, markdown) = (export.id, export.at, export.markdown.to_owned());
        elsewhere(move || {
            let saved = exports.save(&probity_store::Export {
                output_dir: &output_dir,
                filename_prefix: &filename_prefix,
                id,
                at,
                markdown: markdown.as_bytes(),
            })?;
            let path = saved.path.to_string_lossy().into_owned();
            Ok(Exported { path, filename: saved.filename, bytes: saved.bytes })
        })
        .await
    }

    /// Lists take milliseconds, the first one longer: not on the threads that answer.
    async fn listed(&self, filter: ListFilter) -> Result<Vec<Summary>, Problem> {
        let store = self.desk.store.clone();
        elsewhere(move || store.list(&filter)).await
    }
}

/// What the settings say about researches that clients start.
pub fn rules(settings: &Settings) -> Rules {
    Rules {
        agent: settings.agent.clone(),
        agents: settings.agents.clone(),
        deadline: settings.deadline,
        budget: settings.budget,
        ask_above: settings.ask_above,
        start_wait: settings.start_wait,
        call_wait: settings.call_wait,
    }
}

impl probity_server::Desk for Office {
    fn rules(&self) -> &Rules {
        &self.rules
    }

    fn now(&self) -> Moment {
        self.desk.now()
    }

    fn monotonic(&self) -> Duration {
        self.desk.clock().monotonic()
    }

    fn expected<'a>(
        &'a self,
        reach: &'a Reach,
        agent: &'a AgentName,
        query: &'a Query,
    ) -> Answered<'a, Estimate> {
        Box::pin(async move {
            let desk = Arc::clone(&self.desk);
            let (within, of) = (reach.clone(), agent.clone());
            let history = elsewhere(move || desk.history(&within, &of)).await?;
            Ok(estimate(agent, query, &history))
        })
    }

    fn planned(&self, wanted: Wanted, query: &Query) -> Result<Plan, Problem> {
        let Wanted { manner, rounds, hints } = wanted;
        let asking = Asking { rounds, hints, ..Asking::new(manner) };
        planning::plan(&self.settings, &self.desk.keys, asking, query)
    }

    fn start(&self, query: Query, plan: Plan) -> Answered<'_, Summary> {
        Box::pin(self.begin(query, plan))
    }

    fn check(&self, wanted: ToCheck) -> Answered<'_, Summary> {
        Box::pin(self.begin_check(wanted))
    }

    fn status(&self, id: ResearchId) -> Answered<'_, Summary> {
        // Microseconds: not worth another thread.
        Box::pin(std::future::ready(self.desk.store.status(id)))
    }

    fn watch(&self, id: ResearchId, until: Until, limit: Duration) -> Answered<'_, Summary> {
        Box::pin(self.look(id, until, limit))
    }

    fn cancel(&self, id: ResearchId, partial: Partial) -> Answered<'_, Summary> {
        Box::pin(self.desk.researches.cancel(id, partial))
    }

    fn list(&self, filter: ListFilter) -> Answered<'_, Vec<Summary>> {
        Box::pin(self.listed(filter))
    }

    fn report<'a>(&'a self, summary: &'a Summary) -> Answered<'a, Option<Report>> {
        Box::pin(async { self.desk.report(summary).await.map_err(|failure| failure.problem) })
    }

    fn export<'a>(&'a self, export: Export<'a>) -> Answered<'a, Exported> {
        Box::pin(self.save(export))
    }
}

/// Runs blocking work on a thread that may block.
pub async fn elsewhere<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(error) => Err(Problem::new(Code::StoreFailed, &format!("reading the store broke off: {error}"))),
    }
}
