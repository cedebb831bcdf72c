//! The backend of this machine: the same store, rules and executor as the command line, shared by many
//! callers at once.

use std::{path::PathBuf, sync::Arc, time::Duration};

use probity_research::{
    Code, CodedError, RunId,
    agent::AgentName,
    cost::MicroUsd,
    estimate::{Estimate, estimate, spent_or_reserved},
    list::{LIST_MAX, ListFilter},
    plan::Plan,
    ports::Clock as _,
    principal::{Principal, RunAccess},
    query::Query,
    report::Report,
    status::RunSummary,
    stop::PartialResults,
    time::Moment,
};
use probity_server::backend::{
    BackendFuture, ExportOutcome, ExportRequest, PlanOptions, RunSettings, TextCheckRequest, WatchCondition,
};
use probity_store::ReportExporter;
use tokio::sync::Mutex;

use crate::{
    app_context::{self, AppContext},
    checks::{self, CheckInput},
    planning::{self, PlanningRequest},
    settings::Settings,
};

/// How often the store is read while waiting: another process may be the driver.
const LOOK_EVERY: Duration = Duration::from_millis(500);
const DAY_MS: i64 = 24 * 3_600_000;

pub struct LocalBackend {
    app: Arc<AppContext>,
    settings: Settings,
    rules: RunSettings,
    exports: Arc<ReportExporter>,
    budget_per_day: Option<MicroUsd>,
    /// One start at a time: two that read the day's spending together would both find it untouched.
    starting: Mutex<()>,
}

impl LocalBackend {
    pub fn new(app: Arc<AppContext>, settings: &Settings) -> Self {
        let mut roots: Vec<PathBuf> = vec![settings.reports_directory.clone()];
        roots.extend(settings.reports_roots.iter().cloned());
        Self {
            app,
            settings: settings.clone(),
            rules: rules(settings),
            exports: Arc::new(ReportExporter::new(roots)),
            budget_per_day: settings.budget_per_day,
            starting: Mutex::new(()),
        }
    }

    /// Whether the daily budget admits this run too. The budget is shared, so only the machine's own user
    /// sees how much of it is left.
    async fn check_daily_budget(
        &self,
        asked_by: Option<&Principal>,
        price: Option<Estimate>,
    ) -> Result<(), CodedError> {
        let Some(limit) = self.budget_per_day else { return Ok(()) };
        let since = self.app.now().plus_ms(-DAY_MS);
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
            return Err(CodedError::new(Code::Budget, &message));
        }
        Ok(())
    }

    async fn start_run(&self, query: Query, mut plan: Plan) -> Result<RunSummary, CodedError> {
        if plan.checks.is_none() {
            plan.checks = planning::check_plan(&self.settings, &self.app.keys, plan.model_or_agent())?;
        }
        if !self.app.drives.can_drive(plan.engine) {
            return Err(CodedError::new(Code::KeyMissing, "there is no API key"));
        }
        let _one_at_a_time = self.starting.lock().await;
        self.check_daily_budget(plan.asked_by.as_ref(), plan.estimate).await?;
        let id = app_context::new_id().map_err(|failure| failure.problem)?;
        self.app.researches.executor().engine().prepare_for(&plan);
        self.app.researches.start(id, query, plan).await
    }

    async fn start_check(&self, wanted: TextCheckRequest) -> Result<RunSummary, CodedError> {
        let report = Report { text: wanted.text, ..Report::default() };
        let given = CheckInput { report, title: None, follows: None, asked_by: wanted.asked_by };
        let plan = checks::plan(&self.settings, &self.app.keys, &given)?;
        let _one_at_a_time = self.starting.lock().await;
        self.check_daily_budget(plan.asked_by.as_ref(), plan.estimate).await?;
        checks::start(&self.app, &given, plan).await
    }

    async fn wait_for_change(
        &self,
        id: RunId,
        until: WatchCondition,
        limit: Duration,
    ) -> Result<RunSummary, CodedError> {
        // Beyond the number of subscriptions, polling must do.
        let mut news = self.app.researches.subscribe(id).ok();
        let ends = self.app.clock().monotonic() + limit;
        loop {
            let summary = self.app.store.status(id)?;
            let changed = match until {
                WatchCondition::Rests => false,
                WatchCondition::ChangedAfter(seen) => summary.updated_at > seen,
            };
            let left = ends.saturating_sub(self.app.clock().monotonic());
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
                () = self.app.clock().sleep(left.min(LOOK_EVERY)) => {}
            }
        }
    }

    async fn save_export(&self, export: ExportRequest<'_>) -> Result<ExportOutcome, CodedError> {
        let exports = Arc::clone(&self.exports);
        let (output_dir, filename_prefix) = (export.output_dir.to_owned(), export.filename_prefix.to_owned());
        let (id, at, markdown) = (export.id, export.at, export.markdown.to_owned());
        run_blocking(move || {
            let saved = exports.save(&probity_store::FileExportRequest {
                output_dir: &output_dir,
                filename_prefix: &filename_prefix,
                id,
                at,
                markdown: markdown.as_bytes(),
            })?;
            let path = saved.path.to_string_lossy().into_owned();
            Ok(ExportOutcome { path, filename: saved.filename, bytes: saved.bytes })
        })
        .await
    }

    /// Lists take milliseconds, the first one longer: not on the threads that serve requests.
    async fn listed(&self, filter: ListFilter) -> Result<Vec<RunSummary>, CodedError> {
        let store = self.app.store.clone();
        run_blocking(move || store.list(&filter)).await
    }
}

/// What the settings say about runs that clients start.
pub fn rules(settings: &Settings) -> RunSettings {
    RunSettings {
        agent: settings.agent.clone(),
        agents: settings.agents.clone(),
        deadline: settings.deadline,
        budget: settings.budget,
        ask_above: settings.ask_above,
        start_wait: settings.start_wait,
        call_wait: settings.call_wait,
    }
}

impl probity_server::Backend for LocalBackend {
    fn run_settings(&self) -> &RunSettings {
        &self.rules
    }

    fn now(&self) -> Moment {
        self.app.now()
    }

    fn monotonic(&self) -> Duration {
        self.app.clock().monotonic()
    }

    fn estimate<'a>(
        &'a self,
        reach: &'a RunAccess,
        agent: &'a AgentName,
        query: &'a Query,
    ) -> BackendFuture<'a, Estimate> {
        Box::pin(async move {
            let app = Arc::clone(&self.app);
            let (within, of) = (reach.clone(), agent.clone());
            let history = run_blocking(move || app.history(&within, &of)).await?;
            Ok(estimate(agent, query, &history))
        })
    }

    fn plan(&self, wanted: PlanOptions, query: &Query) -> Result<Plan, CodedError> {
        let PlanOptions { mode: manner, rounds, hints } = wanted;
        let asking = PlanningRequest { rounds, hints, ..PlanningRequest::new(manner) };
        planning::plan(&self.settings, &self.app.keys, asking, query)
    }

    fn start(&self, query: Query, plan: Plan) -> BackendFuture<'_, RunSummary> {
        Box::pin(self.start_run(query, plan))
    }

    fn start_check(&self, wanted: TextCheckRequest) -> BackendFuture<'_, RunSummary> {
        Box::pin(self.start_check(wanted))
    }

    fn status(&self, id: RunId) -> BackendFuture<'_, RunSummary> {
        // Takes microseconds: not worth another thread.
        Box::pin(std::future::ready(self.app.store.status(id)))
    }

    fn watch(&self, id: RunId, until: WatchCondition, limit: Duration) -> BackendFuture<'_, RunSummary> {
        Box::pin(self.wait_for_change(id, until, limit))
    }

    fn cancel(&self, id: RunId, partial: PartialResults) -> BackendFuture<'_, RunSummary> {
        Box::pin(self.app.researches.cancel(id, partial))
    }

    fn list(&self, filter: ListFilter) -> BackendFuture<'_, Vec<RunSummary>> {
        Box::pin(self.listed(filter))
    }

    fn report<'a>(&'a self, summary: &'a RunSummary) -> BackendFuture<'a, Option<Report>> {
        Box::pin(async { self.app.report(summary).await.map_err(|failure| failure.problem) })
    }

    fn export<'a>(&'a self, export: ExportRequest<'a>) -> BackendFuture<'a, ExportOutcome> {
        Box::pin(self.save_export(export))
    }
}

/// Runs blocking work on a thread that may block.
pub async fn run_blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, CodedError> + Send + 'static,
) -> Result<T, CodedError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(error) => {
            Err(CodedError::new(Code::StoreFailed, &format!("reading the store broke off: {error}")))
        }
    }
}
