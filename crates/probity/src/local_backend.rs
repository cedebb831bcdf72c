//! The backend of this machine: the same store, rules and executor as the command line, shared by many
//! callers at once.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use probity_research::{
    Code, CodedError, RunId,
    agent::AgentName,
    estimate::{Estimate, estimate},
    list::ListFilter,
    plan::Plan,
    ports::Clock as _,
    principal::{Principal, RunAccess},
    query::Query,
    report::Report,
    rounds::Mode,
    spending::RepeatRule,
    status::RunSummary,
    stop::PartialResults,
    time::Moment,
    web::parent::FollowUpKind,
    work_done::WorkDone,
};
use probity_runner::{RunStart, RunStartKind};
use probity_server::backend::{
    BackendFuture, ExportOutcome, ExportRequest, PlanOptions, RunSettings, StartKind, StartOutcome,
    TextCheckRequest, WatchCondition,
};
use probity_server::tools::start_deep_research::lower;
use probity_store::ReportExporter;

use crate::{
    app_context::{self, AppContext},
    checks::{self, CheckInput},
    follow_up::{self, FollowUpRequest},
    notify,
    planning::{self, PlanningRequest},
    report_roots::ReportRoots,
    settings::Settings,
};

/// How often the store is read while waiting: another process may be the driver.
const LOOK_EVERY: Duration = Duration::from_millis(500);

pub struct LocalBackend {
    app: Arc<AppContext>,
    settings: Settings,
    rules: RunSettings,
    roots: ReportRoots,
}

impl LocalBackend {
    pub fn new(app: Arc<AppContext>, settings: &Settings) -> Self {
        let roots = ReportRoots::of(settings);
        Self { app, settings: settings.clone(), rules: rules(settings), roots }
    }

    async fn start_run(
        &self,
        query: Query,
        mut plan: Plan,
        repeat: RepeatRule,
    ) -> Result<StartOutcome, CodedError> {
        if plan.checks.is_none() {
            plan.checks = planning::check_plan(&self.settings, &self.app.keys, plan.model_or_agent())?;
        }
        if !self.app.drives.can_drive(plan.engine) {
            return Err(CodedError::new(Code::KeyMissing, "there is no API key"));
        }
        let id = app_context::new_id().map_err(|failure| failure.problem)?;
        self.app.researches.executor().engine().prepare_for(&plan);
        self.app.researches.start_unless(id, query, plan, repeat).await.map(outcome)
    }

    async fn start_check(&self, wanted: TextCheckRequest) -> Result<StartOutcome, CodedError> {
        let given = check_input(wanted.text, wanted.asked_by);
        let mut plan = checks::plan(&self.settings, &self.app.keys, &given)?;
        plan.limits.budget = lower(plan.limits.budget, wanted.approval.up_to);
        plan.approval = Some(wanted.approval);
        Box::pin(checks::start(&self.app, &given, plan, wanted.repeat)).await.map(outcome)
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
            let summary = self.app.store.status(id)?.seen_at(self.app.now());
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
        let (roots, works_in) = (self.roots.clone(), export.client_directories.to_owned());
        let (output_dir, filename_prefix) = (export.output_dir.to_owned(), export.filename_prefix.to_owned());
        let (id, at, markdown) = (export.id, export.at, export.markdown.to_owned());
        run_blocking(move || {
            let saved =
                ReportExporter::new(roots.for_client(&works_in)).save(&probity_store::FileExportRequest {
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
        let (store, now) = (self.app.store.clone(), self.app.now());
        let listed = run_blocking(move || store.list(&filter)).await?;
        Ok(listed.into_iter().map(|summary| summary.seen_at(now)).collect())
    }
}

/// What the settings say about runs that clients start.
pub fn rules(settings: &Settings) -> RunSettings {
    RunSettings {
        agent: settings.agent.clone(),
        agents: settings.agents.clone(),
        deadline: settings.deadline,
        budget: settings.budget,
        set_by_project: settings.set_by_project.clone(),
        ask_above: settings.ask_above,
        unasked_max: settings.unasked_max,
        notifications: notify::channel(settings),
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

    fn plan<'a>(
        &'a self,
        reach: &'a RunAccess,
        wanted: PlanOptions,
        query: &'a Query,
    ) -> BackendFuture<'a, Plan> {
        let PlanOptions { mode: manner, rounds, hints, budget } = wanted;
        let asking = PlanningRequest { rounds, hints, budget, ..PlanningRequest::new(manner) };
        let planned = planning::plan(&self.settings, &self.app.keys, asking, query);
        Box::pin(async move { with_history(&self.app, reach, planned?).await })
    }

    fn plan_follow_up<'a>(
        &'a self,
        before: &'a RunSummary,
        query: &'a Query,
        kind: FollowUpKind,
    ) -> BackendFuture<'a, Plan> {
        let asking = PlanningRequest::new(Mode::DeepResearch);
        let wanted = FollowUpRequest { parent: before.id, kind, asking };
        Box::pin(follow_up::plan(&self.app, &self.settings, &self.app.keys, wanted, query))
    }

    fn estimate_check(&self, text: &str) -> Result<Estimate, CodedError> {
        checks::estimate(&self.settings, &self.app.keys, text)
    }

    fn start(&self, query: Query, plan: Plan, repeat: RepeatRule) -> BackendFuture<'_, StartOutcome> {
        Box::pin(self.start_run(query, plan, repeat))
    }

    fn start_check(&self, wanted: TextCheckRequest) -> BackendFuture<'_, StartOutcome> {
        Box::pin(self.start_check(wanted))
    }

    fn status(&self, id: RunId) -> BackendFuture<'_, RunSummary> {
        // Takes microseconds: not worth another thread.
        Box::pin(std::future::ready(self.app.store.status(id).map(|summary| summary.seen_at(self.app.now()))))
    }

    fn watch(&self, id: RunId, until: WatchCondition, limit: Duration) -> BackendFuture<'_, RunSummary> {
        Box::pin(self.wait_for_change(id, until, limit))
    }

    fn cancel(&self, id: RunId, partial: PartialResults) -> BackendFuture<'_, RunSummary> {
        Box::pin(self.app.researches.cancel(id, partial))
    }

    fn hand_over(&self, id: RunId) -> BackendFuture<'_, RunSummary> {
        Box::pin(self.app.researches.hand_over(id))
    }

    fn list(&self, filter: ListFilter) -> BackendFuture<'_, Vec<RunSummary>> {
        Box::pin(self.listed(filter))
    }

    fn titles(&self, ids: Vec<RunId>) -> BackendFuture<'_, BTreeMap<RunId, String>> {
        let store = self.app.store.clone();
        Box::pin(run_blocking(move || {
            let entries = store.shelf_entries(&ids)?.into_iter();
            let titled =
                entries.filter_map(|(id, entry)| entry.title.map(|title| (id, title.as_str().to_owned())));
            Ok(titled.collect::<BTreeMap<RunId, String>>())
        }))
    }

    fn report<'a>(&'a self, summary: &'a RunSummary) -> BackendFuture<'a, Option<Report>> {
        Box::pin(async { self.app.report(summary).await.map_err(|failure| failure.problem) })
    }

    fn work_done(&self, id: RunId) -> BackendFuture<'_, Option<WorkDone>> {
        Box::pin(async move {
            let trace = self.app.trace(id).await.map_err(|failure| failure.problem)?;
            Ok(trace.as_ref().map(WorkDone::of))
        })
    }

    fn export<'a>(&'a self, export: ExportRequest<'a>) -> BackendFuture<'a, ExportOutcome> {
        Box::pin(self.save_export(export))
    }
}

/// The plan with the price that finished runs of its kind had.
pub async fn with_history(app: &Arc<AppContext>, reach: &RunAccess, plan: Plan) -> Result<Plan, CodedError> {
    let (app, within) = (Arc::clone(app), reach.clone());
    run_blocking(move || app.with_history(&within, plan)).await
}

/// A text of a client's own, as `checks` takes it.
fn check_input(text: String, asked_by: Option<Principal>) -> CheckInput {
    CheckInput { report: Report { text, ..Report::default() }, title: None, follows: None, asked_by }
}

fn outcome(started: RunStart) -> StartOutcome {
    let which = match started.kind {
        RunStartKind::New => StartKind::New,
        RunStartKind::Running => StartKind::Same,
    };
    StartOutcome { summary: started.summary, which }
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
