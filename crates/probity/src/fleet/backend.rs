//! The backend of a fleet's front ends. Keeps no state: another front end can answer the next request.

use std::time::Duration;

use probity_fleet::FleetExecutor;
use probity_research::{
    Code, CodedError, RunId,
    agent::AgentName,
    approval::{Approval, ApprovalChannel},
    estimate::{self, Estimate, PastRun, estimate},
    list::ListFilter,
    notify::NotificationChannel,
    plan::Plan,
    ports::{Clock as _, Journal as _},
    principal::{Principal, RunAccess},
    query::Query,
    report::Report,
    spending::RepeatRule,
    status::RunSummary,
    stop::PartialResults,
    time::Moment,
    trace::Trace,
    work_done::WorkDone,
};
use probity_runner::{ExecutorContext as _, RunService, first_entry};
use probity_server::backend::{
    AuditEntry, BackendFuture, ExportOutcome, ExportRequest, PlanOptions, RunSettings, TextCheckRequest,
    WatchCondition,
    admin::{StartKind, StartOutcome, StartRequest, StartSubject},
};
use probity_server::webhooks::SealingKeys;
use probity_store::postgres::{self, Postgres, RunStartRequest};

use crate::{
    app_context::new_id,
    checks::{self, CheckInput},
    keys::ProviderKeys,
    local_backend,
    planning::{self, PlanningRequest},
    settings::Settings,
};

/// The event bus brings changes; this poll is for the case that the bus is full, or that the database was
/// unreachable.
const LOOK_EVERY: Duration = Duration::from_secs(3);

/// Who acts, in the audit log, when a start comes through MCP.
const MCP: &str = "mcp";

pub struct FleetBackend {
    pub(super) researches: RunService<FleetExecutor>,
    pub(super) settings: Settings,
    keys: ProviderKeys,
    pub(super) sealing: Option<SealingKeys>,
    rules: RunSettings,
}

impl FleetBackend {
    pub fn new(
        executor: FleetExecutor,
        settings: &Settings,
        keys: ProviderKeys,
        sealing: Option<SealingKeys>,
    ) -> Self {
        Self {
            researches: RunService::new(executor),
            settings: settings.clone(),
            keys,
            sealing,
            // No user has a screen on a machine of the fleet.
            rules: RunSettings {
                notifications: NotificationChannel::SwitchedOff,
                ..local_backend::rules(settings)
            },
        }
    }

    pub(super) fn postgres(&self) -> &Postgres {
        self.researches.executor().postgres()
    }

    /// Stores a run if its tenant's quota admits it. The run waits for its turn; the id may be returned.
    pub(super) async fn begin(&self, begin: StartRequest) -> Result<StartOutcome, CodedError> {
        let StartRequest { tenant, actor, subject, idempotency, approval, repeat } = begin;
        let id = new_id().map_err(|failure| failure.problem)?;
        let (query, mut plan) = match subject {
            StartSubject::Question { query, plan } => (query, *plan),
            StartSubject::Text { text, handed_over } => {
                let (query, plan) = self.text_to_check(text).await?;
                (query, Plan { handed_over, ..plan })
            }
        };
        plan.asked_by = tenant;
        plan.approval = plan.approval.or(Some(approval));
        if plan.checks.is_none() {
            plan.checks = planning::check_plan(&self.settings, &self.keys, plan.model_or_agent())?;
        }
        let entry = first_entry(id, query, plan, self.now())?;
        let summary = entry.summary.clone();
        let started = RunStartRequest {
            entry,
            idempotency: idempotency
                .map(|one| postgres::IdempotencyKey { key: one.key, request: one.request }),
            repeat,
            unknown: &self.settings.fleet.quota,
            actor: &actor,
        };
        match self.postgres().start(started).await? {
            postgres::RunStartOutcome::New => {
                self.researches.executor().nudge();
                Ok(StartOutcome { summary, which: StartKind::New })
            }
            postgres::RunStartOutcome::Same(id) => {
                Ok(StartOutcome { summary: self.postgres().status(id).await?, which: StartKind::Same })
            }
        }
    }

    /// The text is stored before the run that names it.
    async fn text_to_check(&self, text: String) -> Result<(Query, Plan), CodedError> {
        let report = Report { text, ..Report::default() };
        let given = CheckInput { report, title: None, follows: None, asked_by: None };
        let plan = checks::plan(&self.settings, &self.keys, &given)?;
        let digest = self.postgres().store_blob(given.report.encode()).await?;
        Ok((checks::query(&given)?, Plan { given: Some(digest), ..plan }))
    }

    async fn wait_for_change(
        &self,
        id: RunId,
        until: WatchCondition,
        limit: Duration,
    ) -> Result<RunSummary, CodedError> {
        let mut news = self.researches.subscribe(id).ok();
        let ends = self.monotonic_now() + limit;
        loop {
            let summary = self.postgres().status(id).await?.seen_at(self.now());
            let changed = match until {
                WatchCondition::Rests => false,
                WatchCondition::ChangedAfter(seen) => summary.updated_at > seen,
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

    async fn history(&self, reach: &RunAccess, agent: &AgentName) -> Result<Vec<PastRun>, CodedError> {
        Ok(estimate::past_runs(&self.finished(reach).await?, agent))
    }

    async fn finished(&self, reach: &RunAccess) -> Result<Vec<RunSummary>, CodedError> {
        let Some(filter) = estimate::finished_runs_filter(reach) else { return Ok(Vec::new()) };
        self.postgres().list(&filter).await
    }

    async fn read_report(&self, summary: &RunSummary) -> Result<Option<Report>, CodedError> {
        let Some(digest) = summary.report else { return Ok(None) };
        let bytes = self.postgres().fetch_blob(digest).await?;
        let unreadable = |_| CodedError::new(Code::StoreCorrupt, "the stored report is unreadable");
        let report = Report::decode(&bytes).map_err(unreadable)?;
        Ok(Some(report.of_run(summary.status)))
    }

    pub(super) fn now(&self) -> Moment {
        self.researches.executor().clock().now()
    }

    fn monotonic_now(&self) -> Duration {
        self.researches.executor().clock().monotonic()
    }
}

impl probity_server::Backend for FleetBackend {
    fn run_settings(&self) -> &RunSettings {
        &self.rules
    }

    fn now(&self) -> Moment {
        Self::now(self)
    }

    fn monotonic(&self) -> Duration {
        self.monotonic_now()
    }

    fn estimate<'a>(
        &'a self,
        reach: &'a RunAccess,
        agent: &'a AgentName,
        query: &'a Query,
    ) -> BackendFuture<'a, Estimate> {
        Box::pin(async move { Ok(estimate(agent, query, &self.history(reach, agent).await?)) })
    }

    fn plan<'a>(
        &'a self,
        reach: &'a RunAccess,
        wanted: PlanOptions,
        query: &'a Query,
    ) -> BackendFuture<'a, Plan> {
        let PlanOptions { mode: manner, rounds, hints, budget } = wanted;
        let asking = PlanningRequest { rounds, hints, budget, ..PlanningRequest::new(manner) };
        let planned = planning::plan(&self.settings, &self.keys, asking, query);
        Box::pin(async move { Ok(estimate::with_history(planned?, &self.finished(reach).await?)) })
    }

    fn estimate_check(&self, text: &str) -> Result<Estimate, CodedError> {
        checks::estimate(&self.settings, &self.keys, text)
    }

    fn start(&self, query: Query, plan: Plan, repeat: RepeatRule) -> BackendFuture<'_, StartOutcome> {
        let (tenant, approval) = (plan.asked_by.clone(), plan.approval);
        let subject = StartSubject::Question { query, plan: Box::new(plan) };
        let approval = approval.unwrap_or(Approval::new(ApprovalChannel::Setting, None));
        Box::pin(self.begin(start_request(tenant, subject, approval, repeat)))
    }

    fn start_check(&self, wanted: TextCheckRequest) -> BackendFuture<'_, StartOutcome> {
        let TextCheckRequest { text, asked_by, approval, repeat } = wanted;
        let (tenant, subject) = (asked_by, StartSubject::Text { text, handed_over: false });
        Box::pin(self.begin(start_request(tenant, subject, approval, repeat)))
    }

    fn status(&self, id: RunId) -> BackendFuture<'_, RunSummary> {
        Box::pin(async move { Ok(self.postgres().status(id).await?.seen_at(self.now())) })
    }

    fn watch(&self, id: RunId, until: WatchCondition, limit: Duration) -> BackendFuture<'_, RunSummary> {
        Box::pin(self.wait_for_change(id, until, limit))
    }

    fn cancel(&self, id: RunId, partial: PartialResults) -> BackendFuture<'_, RunSummary> {
        Box::pin(self.researches.cancel(id, partial))
    }

    fn hand_over(&self, id: RunId) -> BackendFuture<'_, RunSummary> {
        Box::pin(self.researches.hand_over(id))
    }

    fn list(&self, filter: ListFilter) -> BackendFuture<'_, Vec<RunSummary>> {
        Box::pin(async move {
            let listed = self.postgres().list(&filter).await?;
            Ok(listed.into_iter().map(|summary| summary.seen_at(self.now())).collect())
        })
    }

    fn report<'a>(&'a self, summary: &'a RunSummary) -> BackendFuture<'a, Option<Report>> {
        Box::pin(self.read_report(summary))
    }

    fn work_done(&self, id: RunId) -> BackendFuture<'_, Option<WorkDone>> {
        Box::pin(async move {
            let journal = self.postgres().load(id).await?;
            // A journal that cannot be rebuilt step by step is shown by its summary alone.
            Ok(Trace::of(id, &journal).ok().as_ref().map(WorkDone::of))
        })
    }

    fn record_audit(&self, note: AuditEntry) -> BackendFuture<'_, ()> {
        let AuditEntry { tenant, actor, action, research, refused } = note;
        let outcome = refused.map_or("done", Code::as_str).to_owned();
        let line = postgres::NewAuditLine { tenant, actor, action, research, outcome };
        Box::pin(self.postgres().audit(line))
    }

    fn export<'a>(&'a self, _export: ExportRequest<'a>) -> BackendFuture<'a, ExportOutcome> {
        let message = "a fleet keeps reports in its store and writes no files; read this one as a resource";
        Box::pin(std::future::ready(Err(CodedError::new(Code::OutputPath, message))))
    }
}

/// A start that an MCP client asked for.
fn start_request(
    tenant: Option<Principal>,
    subject: StartSubject,
    approval: Approval,
    repeat: RepeatRule,
) -> StartRequest {
    StartRequest { tenant, actor: MCP.to_owned(), subject, idempotency: None, approval, repeat }
}
