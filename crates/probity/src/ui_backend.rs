//! The backend of the local page: the same store, rules and run service as the command line and MCP.

mod checks;
mod costs;
mod run_views;
mod settings;

use std::{
    collections::BTreeMap,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

use bytes::Bytes;
use probity_page::backend::{
    ChangedVerdict, CostOverview, KeyChange, LIBRARY_PAGE_MAX, LibraryCard, LibraryPage, LibraryQuery,
    PlanProposal, ReportDownload, RunView, RunViewStream, SettingsView, StartManner, SteeringView,
    TrialOutcome, UiBackend, UiCheck, UiFollowUp, UiFuture, UiSources, UiStartRequest,
};
use probity_report::{ReportDocument, ReportFormat};
use probity_research::{
    Code, CodedError, Digest, RunId, Sequence,
    approval::{Approval, ApprovalChannel},
    cost::MicroUsd,
    inquiry::SteeringNote,
    list::ListFilter,
    plan::{EngineName, Plan},
    ports::Journal as _,
    principal::RunAccess,
    query::Query,
    rounds::Mode,
    shelf::{ShelfEntry, TagEdit, Title},
    spending::{self, RepeatRule},
    status::RunSummary,
    stop::PartialResults,
    time::Moment,
    trace::Trace,
    web::{StrategyHints, plan_cut::PlanCut},
};
use probity_server::Backend as _;

use crate::{
    app_context::AppContext,
    command_error::CommandError,
    follow_up::{self, FollowUpRequest},
    library,
    local_backend::{LocalBackend, run_blocking, with_history},
    planning::{self, PlanningRequest},
    report_document,
    settings::{LoadedSettings, SettingLine, Settings, rounds::EngineChoice},
    source_arguments::SourceArguments,
};

/// Verdicts on whole reports that are cached: a few screens of the library.
const VERDICTS_MAX: usize = 2_000;
/// Documents that are cached: the one being read, and a few beside it. Each may take megabytes.
const DOCUMENTS_MAX: usize = 4;

/// What a cached value is about: two runs may have reports of the same bytes and differ in all else.
type RunVersion = (RunId, Moment, Digest);

fn version(summary: &RunSummary) -> Option<RunVersion> {
    Some((summary.id, summary.updated_at, summary.report?))
}

pub struct LocalUiBackend {
    app: Arc<AppContext>,
    backend: LocalBackend,
    settings: Settings,
    /// The settings that this process was started with.
    started: Arc<[SettingLine]>,
    verdicts: Mutex<BTreeMap<RunVersion, Option<bool>>>,
    documents: Mutex<Vec<(RunVersion, Arc<ReportDocument>)>>,
}

impl LocalUiBackend {
    pub fn new(app: Arc<AppContext>, loaded: LoadedSettings) -> Self {
        let backend = LocalBackend::new(Arc::clone(&app), &loaded.settings);
        Self {
            app,
            backend,
            settings: loaded.settings,
            started: loaded.shown.into(),
            verdicts: Mutex::default(),
            documents: Mutex::default(),
        }
    }

    async fn list_library(&self, shelf: LibraryQuery) -> Result<LibraryPage, CodedError> {
        let filter = ListFilter {
            status: shelf.status,
            part: shelf.part,
            limit: shelf.limit.min(LIBRARY_PAGE_MAX),
            offset: shelf.offset,
            ..ListFilter::default()
        };
        let filter = library::searched(shelf.text, shelf.tag, filter);
        let store = self.app.store.clone();
        let (listed, total, mut entries) = run_blocking(move || {
            let listed = store.list(&filter)?;
            let ids: Vec<RunId> = listed.iter().map(|summary| summary.id).collect();
            Ok((listed, store.total(&filter)?, store.shelf_entries(&ids)?))
        })
        .await?;
        let mut cards = Vec::with_capacity(listed.len());
        for summary in listed {
            let verified = self.verified(&summary).await;
            let shelf = entries.remove(&summary.id).unwrap_or_default();
            cards.push(LibraryCard { summary, verified, shelf });
        }
        Ok(LibraryPage { cards, total: usize::try_from(total).unwrap_or(usize::MAX) })
    }

    /// Whether it is verified; none for a report that cannot be read, and where nothing could verify it.
    async fn verified(&self, summary: &RunSummary) -> Option<bool> {
        let version = version(summary).filter(|_| summary.status.is_final())?;
        let remembered = || self.verdicts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = remembered().get(&version) {
            return *known;
        }
        let report = self.app.report(summary).await.ok().flatten()?;
        let outcome = report.verification();
        let verified = outcome.rule.map(|_| outcome.verified);
        let mut verdicts = remembered();
        if verdicts.len() >= VERDICTS_MAX {
            verdicts.clear();
        }
        verdicts.insert(version, verified);
        verified
    }

    async fn load_run_view(&self, id: RunId) -> Result<RunView, CodedError> {
        run_view(&self.app, id).await
    }

    async fn load_document(&self, id: RunId) -> Result<Option<Arc<ReportDocument>>, CodedError> {
        let summary = self.app.store.status(id)?.seen_at(self.app.now());
        let Some(version) = version(&summary) else { return Ok(None) };
        let remembered = || self.documents.lock().unwrap_or_else(PoisonError::into_inner);
        let known =
            remembered().iter().find(|(of, _)| *of == version).map(|(_, document)| Arc::clone(document));
        if known.is_some() {
            return Ok(known);
        }
        let Some(document) = report_document::load_document(&self.app, &summary).await.map_err(problem)?
        else {
            return Ok(None);
        };
        let document = Arc::new(document);
        let mut documents = remembered();
        if documents.len() >= DOCUMENTS_MAX {
            documents.remove(0);
        }
        documents.push((version, Arc::clone(&document)));
        Ok(Some(document))
    }

    async fn download_report(&self, id: RunId, format: ReportFormat) -> Result<ReportDownload, CodedError> {
        let document = self.load_document(id).await?;
        let document =
            document.ok_or_else(|| CodedError::new(Code::NotFinished, "this research has no report yet"))?;
        let made = tokio::task::spawn_blocking(move || report_document::render(&document, format)).await;
        let made = made.map_err(|_| CodedError::new(Code::OutputPath, "the file could not be made"))??;
        let filename = format!("probity-{id}.{}", format.extension());
        Ok(ReportDownload { filename, media_type: format.media_type(), bytes: Bytes::from(made.bytes) })
    }

    /// What would be started, with its price; a way for which there is no key is refused before anything is shown.
    async fn plan_start(&self, wanted: &UiStartRequest) -> Result<Plan, CodedError> {
        let plan = match &wanted.manner {
            StartManner::Rounds { mode, engine } => self.plan_rounds(wanted, *mode, *engine).await?,
            StartManner::Agent { name } => self.plan_agent(wanted, name.as_deref()).await?,
        };
        self.app.keys.check_engine(plan.engine).map_err(problem)?;
        Ok(plan)
    }

    async fn plan_rounds(
        &self,
        wanted: &UiStartRequest,
        mode: Mode,
        engine: Option<EngineName>,
    ) -> Result<Plan, CodedError> {
        let asking = PlanningRequest {
            hints: StrategyHints {
                level: wanted.depth,
                words: wanted.words,
                language: wanted.language.clone(),
                ..StrategyHints::default()
            },
            budget: wanted.budget,
            ..PlanningRequest::new(mode)
        };
        let asking = source_arguments(&wanted.sources).apply_to(asking).map_err(problem)?;
        let engine = engine.map_or(self.settings.engine, EngineChoice::Named);
        let settings = Settings { engine, ..self.settings.clone() };
        let plan = planning::plan(&settings, &self.app.keys, asking, &wanted.question)?;
        with_history(&self.app, &RunAccess::Everything, plan).await
    }

    async fn plan_agent(&self, wanted: &UiStartRequest, name: Option<&str>) -> Result<Plan, CodedError> {
        let rules = self.backend.run_settings();
        let agent = rules.agent_named(name)?;
        let price = self.backend.estimate(&RunAccess::Everything, &agent, &wanted.question).await?;
        let limits = rules.limits(None, wanted.budget.or(rules.budget));
        Ok(Plan { estimate: Some(price), ..Plan::new(agent, limits) })
    }

    async fn plan_follow_up(&self, wanted: &UiFollowUp) -> Result<Plan, CodedError> {
        let asking = PlanningRequest { budget: wanted.budget, ..PlanningRequest::new(Mode::DeepResearch) };
        let request = FollowUpRequest { parent: wanted.parent, kind: wanted.kind, asking };
        let (app, settings) = (&self.app, &self.settings);
        Box::pin(follow_up::plan(app, settings, &app.keys, request, &wanted.question)).await
    }

    async fn start_run(&self, wanted: UiStartRequest) -> Result<RunId, CodedError> {
        let plan = self.plan_start(&wanted).await?;
        self.start_planned(wanted.question, plan).await
    }

    /// The form shows the price before it can be sent. Sent twice, it leads to the run that is running.
    async fn start_planned(&self, question: Query, plan: Plan) -> Result<RunId, CodedError> {
        let up_to = plan.limits.budget.unwrap_or_else(|| spending::highest_price(&plan));
        let approval = Approval::new(ApprovalChannel::Page, Some(up_to));
        let plan = Plan { approval: Some(approval), handed_over: true, ..plan };
        Ok(self.backend.start(question, plan, RepeatRule::ReturnRunning).await?.summary.id)
    }
}

/// The state of a run, with all its steps.
async fn run_view(app: &AppContext, id: RunId) -> Result<RunView, CodedError> {
    let journal = app.store.load(id).await?;
    let damaged =
        |error: probity_research::state::ReplayError| CodedError::new(error.code(), &error.to_string());
    let (trace, research) = Trace::with_run_state(id, &journal).map_err(damaged)?;
    Ok(RunView {
        sequence: research.sequence,
        summary: research.summary(),
        trace,
        budget: research.budget(),
        budget_is_set: research.plan.limits.budget.is_some(),
        steering: SteeringView::of(&research),
    })
}

impl UiBackend for LocalUiBackend {
    fn now(&self) -> Moment {
        self.app.now()
    }

    fn library(&self, shelf: LibraryQuery) -> UiFuture<'_, LibraryPage> {
        Box::pin(self.list_library(shelf))
    }

    fn run_view(&self, id: RunId) -> UiFuture<'_, RunView> {
        Box::pin(self.load_run_view(id))
    }

    fn document(&self, id: RunId) -> UiFuture<'_, Option<Arc<ReportDocument>>> {
        Box::pin(self.load_document(id))
    }

    fn download(&self, id: RunId, format: ReportFormat) -> UiFuture<'_, ReportDownload> {
        Box::pin(self.download_report(id, format))
    }

    fn costs(&self) -> UiFuture<'_, CostOverview> {
        let (app, limit) = (Arc::clone(&self.app), self.settings.budget_per_day);
        Box::pin(run_blocking(move || costs::cost_overview(&app, limit)))
    }

    fn settings(&self) -> UiFuture<'_, SettingsView> {
        let started = Arc::clone(&self.started);
        Box::pin(run_blocking(move || settings::settings_view(&started)))
    }

    fn change_settings(&self, typed: BTreeMap<String, String>) -> UiFuture<'_, String> {
        Box::pin(run_blocking(move || settings::change_settings(&typed)))
    }

    fn change_key(&self, name: String, change: KeyChange) -> UiFuture<'_, String> {
        Box::pin(run_blocking(move || settings::change_key(&name, change)))
    }

    fn try_setting(&self, name: String) -> UiFuture<'_, TrialOutcome> {
        Box::pin(settings::trials::try_setting(name))
    }

    fn agents(&self) -> Vec<String> {
        let rules = self.backend.run_settings();
        let chosen = rules.agent.as_str();
        let others = rules.agent_names().into_iter().filter(|name| *name != chosen);
        std::iter::once(chosen).chain(others).map(str::to_owned).collect()
    }

    fn propose(&self, wanted: UiStartRequest) -> UiFuture<'_, PlanProposal> {
        Box::pin(async move { Ok(proposal(&self.plan_start(&wanted).await?)) })
    }

    fn propose_follow_up(&self, wanted: UiFollowUp) -> UiFuture<'_, PlanProposal> {
        Box::pin(async move { Ok(proposal(&self.plan_follow_up(&wanted).await?)) })
    }

    fn start_follow_up(&self, wanted: UiFollowUp) -> UiFuture<'_, RunId> {
        Box::pin(async move {
            let plan = self.plan_follow_up(&wanted).await?;
            self.start_planned(wanted.question, plan).await
        })
    }

    fn start(&self, wanted: UiStartRequest) -> UiFuture<'_, RunId> {
        Box::pin(self.start_run(wanted))
    }

    fn propose_check(&self, wanted: UiCheck) -> UiFuture<'_, PlanProposal> {
        Box::pin(self.propose_check(wanted))
    }

    fn start_check(&self, wanted: UiCheck) -> UiFuture<'_, RunId> {
        Box::pin(self.start_check(wanted))
    }

    fn changed_verdicts(&self, id: RunId) -> UiFuture<'_, Option<Vec<ChangedVerdict>>> {
        Box::pin(self.changed_verdicts(id))
    }

    fn cancel(&self, id: RunId) -> UiFuture<'_, ()> {
        Box::pin(
            async move { Box::pin(self.app.researches.cancel(id, PartialResults::Keep)).await.map(drop) },
        )
    }

    fn steer(&self, id: RunId, note: SteeringNote) -> UiFuture<'_, ()> {
        Box::pin(async move { Box::pin(self.app.researches.steer(id, note)).await.map(drop) })
    }

    fn shelf_entry(&self, id: RunId) -> UiFuture<'_, ShelfEntry> {
        let store = self.app.store.clone();
        Box::pin(run_blocking(move || Ok(store.shelf_entries(&[id])?.remove(&id).unwrap_or_default())))
    }

    fn rename(&self, id: RunId, title: Option<Title>) -> UiFuture<'_, ()> {
        Box::pin(self.app.store.set_title(id, title))
    }

    fn edit_tags(&self, id: RunId, edit: TagEdit) -> UiFuture<'_, ()> {
        Box::pin(async move { self.app.store.edit_tags(id, edit).await.map(drop) })
    }

    fn removal_notice(&self, id: RunId) -> UiFuture<'_, Vec<String>> {
        let app = Arc::clone(&self.app);
        Box::pin(run_blocking(move || library::removal_notice(&app, &[id])))
    }

    fn remove(&self, id: RunId) -> UiFuture<'_, ()> {
        Box::pin(self.app.store.remove_runs(vec![id]))
    }

    fn restore(&self, id: RunId) -> UiFuture<'_, ()> {
        Box::pin(self.app.store.restore_runs(vec![id]))
    }

    fn extend_budget(&self, id: RunId, to: MicroUsd) -> UiFuture<'_, ()> {
        Box::pin(async move { Box::pin(self.app.researches.raise_budget(id, to)).await.map(drop) })
    }

    fn watch_run(&self, id: RunId, after: Sequence) -> UiFuture<'_, RunViewStream> {
        Box::pin(std::future::ready(Ok(run_views::run_view_stream(Arc::clone(&self.app), id, after))))
    }
}

fn source_arguments(typed: &UiSources) -> SourceArguments {
    SourceArguments {
        pages: typed.pages.clone(),
        folders: typed.folders.iter().map(PathBuf::from).collect(),
        sites: typed.sites.clone(),
        without_sites: typed.without_sites.clone(),
        after: typed.after.clone(),
        before: typed.before.clone(),
        languages: Vec::new(),
        render: false,
    }
}

fn proposal(plan: &Plan) -> PlanProposal {
    PlanProposal {
        plan: plan_sentence(plan),
        cut: plan.web.as_ref().and_then(|web| web.cut.as_ref()).map(PlanCut::sentence),
        estimate: plan.estimate,
        budget: plan.limits.budget,
    }
}

/// `on the web engine, medium depth, model or agent: m`: before anything is paid.
fn plan_sentence(plan: &Plan) -> String {
    let depth = plan.web.as_ref().map(|web| {
        let words = web.words().map(|words| format!(", about {words} words"));
        let language = web.hints.language.as_ref().map(|language| format!(", in {language}"));
        let level = web.strategy.level.as_str();
        format!(", {level} depth{}{}", words.unwrap_or_default(), language.unwrap_or_default())
    });
    let why = plan.engine_sentence().map(|sentence| format!(" ({sentence})")).unwrap_or_default();
    let (engine, by) = (plan.engine.as_str(), plan.model_or_agent());
    format!("on {engine}{}, model or agent: {by}{why}", depth.unwrap_or_default())
}

fn problem(failure: CommandError) -> CodedError {
    failure.problem
}
