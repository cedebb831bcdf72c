//! One research through the real rules, driver, store, fetcher, parser and prompts, with everything listened to.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
    sync::PoisonError,
    time::Duration,
};

use probity_engines::WebEngine;
use probity_models::{ApiKey, ChatClient, ChatKind, ChatSettings, HttpTransport};
use probity_research::{
    cost::MicroUsd,
    inquiry::InquiryPlan,
    plan::{Notify, Plan, RunLimits},
    report::Report,
    rounds::{Mode, RoundsPlan},
    status::{RunStatus, RunSummary},
    web::{
        plan::{RoleModels, WebCallPrices, WebModel, WebPlan},
        search::{ProviderName, SearchFilters},
        strategy::{Strategy, StrategyHints, StrategyLevel},
    },
};
use probity_runner::clock::wall_now;
use probity_server::markdown::{
    MarkdownPage as SavedPage, MetadataVisibility, ReportTemplates, SourceListVisibility,
};
use probity_simulator::{Simulator, SimulatorOptions, SmallWeb, SmallWebPage};
use probity_web::search::SearchSettings;
use serde_json::Value;

use super::{
    leak_detector::{PrivateData, TrafficAllowance, TrafficRecord},
    recording::{ForbiddenPort, RecordingProxy, RecordingTransport, ScriptedWriter},
};
use crate::web::in_process::{InProcessTestBed, web_engine};

/// No research here takes nearly as long.
const DEADLINE: Duration = Duration::from_secs(600);
const WAIT_MAX: Duration = Duration::from_secs(120);
/// Tokens that the second engine may show a model at once.
const WINDOW: u32 = 65_536;
/// Whose prices hold for the simulated model: without one it would count as a model on this machine.
const STANDS_FOR: &str = "openai";

/// Which engine researches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PipelineEngine {
    First,
    Second,
}

/// What is put before the pipeline.
pub struct PipelineInput {
    pub engine: PipelineEngine,
    /// In the canaries, so that a leak names its research.
    pub number: usize,
    pub question: String,
    pub pages: Vec<SmallWebPage>,
    /// Hosts of which every request is wanted in the ledger.
    pub hosts: Vec<String>,
    pub marks: Vec<String>,
    /// A script of the simulated model.
    pub script: &'static str,
    pub writer: ScriptedWriter,
    /// The design that must be seen as broken: the context is given to the planner.
    pub context_may_leave: bool,
    pub pages_read: u32,
    pub attempts: u32,
}

/// What came of it.
pub struct PipelineOutcome {
    pub evidence: TrafficRecord,
    pub allowed: TrafficAllowance,
    pub report: Report,
    pub status: RunStatus,
}

impl PipelineOutcome {
    /// Addresses of the pages that were read.
    pub fn read(&self) -> BTreeSet<&str> {
        let pages = self.report.web.iter().flat_map(|record| &record.pages);
        pages.map(|page| page.record.asked_url.as_str()).collect()
    }

    /// Most independent origins behind a sentence that has these words.
    pub fn origins_of(&self, words: &str) -> Option<u32> {
        let sentences = self.report.web.iter().flat_map(|record| &record.sentences);
        let told = |start: usize, end: usize| self.report.text.get(start..end).unwrap_or_default();
        sentences.filter(|one| told(one.start, one.end).contains(words)).map(|one| one.origins).max()
    }
}

fn private(number: usize) -> PrivateData {
    PrivateData {
        context: format!("CANARY-context-{number:05}-q7w3"),
        chat_key: format!("sk-canary-chat-{number:05}-k9d2"),
        search_key: format!("tvly-canary-search-{number:05}-m4x8"),
        file: format!("CANARY-file-{number:05}-z1v6"),
    }
}

pub async fn run_pipeline(
    scene: PipelineInput,
    door: &ForbiddenPort,
    baited: &Path,
    place: &Path,
) -> anyhow::Result<PipelineOutcome> {
    let private = private(scene.number);
    fs::create_dir_all(place)?;
    let folder = own_folder(place, &scene.question, &private)?;
    let simulator = Simulator::start(SimulatorOptions::default()).await?;
    simulator.handle().set_web(web(&scene)?);
    let target = simulator.base_url().trim_start_matches("http://").parse()?;
    let (pages, searches) = (RecordingProxy::start(target).await?, RecordingProxy::start(target).await?);
    let network = HttpTransport::new(simulator.base_url())?;
    let (mouth, said) = RecordingTransport::new(network, scene.writer.clone());
    let engine = engine(&scene, &private, &simulator, &pages, &searches, mouth)?;
    let plan = plan(&scene, &private, &folder);
    let (summary, report) = Box::pin(research(engine, &scene.question, plan, place)).await?;

    let ledger = simulator.handle().web_ledger();
    let mut shown = Vec::new();
    texts(&serde_json::to_value(&report)?, &mut shown);
    texts(&serde_json::to_value(&summary)?, &mut shown);
    let evidence = TrafficRecord {
        page_bytes: pages.heard(),
        search_bytes: searches.heard(),
        queries: ledger.searches().iter().map(|search| search.query.clone()).collect(),
        requests: ledger.fetches().keys().cloned().collect(),
        prompts: said.lock().unwrap_or_else(PoisonError::into_inner).clone(),
        rendered: rendered(&summary, &report)?,
        report: report.text.clone(),
        shown,
        sources: report.sources.iter().map(|source| source.url.clone()).collect(),
        says_verified: says_verified(&report),
        files: files_out_of_place(baited, place)?,
        knocks: door.connection_count(),
    };
    let allowed = TrafficAllowance { private, addresses: addresses(&scene), marks: scene.marks };
    Ok(PipelineOutcome { evidence, allowed, report, status: summary.status })
}

/// A folder of the user's own with a file that answers the question.
fn own_folder(place: &Path, question: &str, private: &PrivateData) -> anyhow::Result<std::path::PathBuf> {
    let folder = place.join("own");
    fs::create_dir_all(&folder)?;
    let text = format!(
        "My own notes on: {question}\nThe inspector's remark on how long the bridge is: {}.\n",
        private.file
    );
    fs::write(folder.join("notes.txt"), text)?;
    Ok(folder)
}

fn web(scene: &PipelineInput) -> anyhow::Result<SmallWeb> {
    let mut web = SmallWeb::new();
    for page in &scene.pages {
        web.add(page.clone())?;
    }
    // A host with a robots file has a name: whatever is asked of it stands in the ledger.
    Ok(scene.hosts.iter().fold(web, |web, host| web.with_robots(host, "")))
}

fn engine(
    scene: &PipelineInput,
    private: &PrivateData,
    simulator: &Simulator,
    pages: &RecordingProxy,
    searches: &RecordingProxy,
    mouth: RecordingTransport,
) -> anyhow::Result<WebEngine<RecordingTransport>> {
    let (page_port, search) = (pages.address, searches.address);
    let rules = [format!("*:80={page_port}"), format!("*:443={page_port}"), format!("{search}={search}")];
    let base = |path: &str| format!("http://{search}/search-api/{path}");
    let search = SearchSettings {
        keys: BTreeMap::from([(ProviderName::Tavily, private.search_key.clone().into())]),
        bases: BTreeMap::from([
            (ProviderName::Tavily, base("tavily")),
            (ProviderName::Wikipedia, base("wikipedia/{language}")),
        ]),
        contact: None,
    };
    let settings = ChatSettings {
        base_url: format!("{}/v1", simulator.base_url()),
        key: Some(ApiKey::parse(&private.chat_key)?),
        stands_for: Some(STANDS_FOR.to_owned()),
        ..ChatSettings::new(ChatKind::OpenAi, scene.script)
    };
    web_engine(&rules, search, ChatClient::new(mouth, settings, wall_now)?)
}

fn plan(scene: &PipelineInput, private: &PrivateData, folder: &Path) -> Plan {
    let strategy = Strategy {
        max_attempts: scene.attempts,
        top_pages: scene.pages_read,
        max_results: 10,
        budget: MicroUsd(100_000_000),
        minutes: 10,
        ..Strategy::of(StrategyLevel::Medium, "measured")
    };
    let web = WebPlan {
        strategy,
        hints: StrategyHints {
            context_snippet: Some(format!("For my client, file {}. Nobody may know.", private.context)),
            context_may_leave: scene.context_may_leave,
            ..StrategyHints::default()
        },
        providers: vec![ProviderName::Tavily, ProviderName::Wikipedia],
        filters: SearchFilters::default(),
        model: Some(WebModel { name: scene.script.to_owned(), local: false }),
        prices: WebCallPrices {
            searches: vec![(ProviderName::Tavily, MicroUsd(8_000))],
            ..WebCallPrices::default()
        },
        pages: Vec::new(),
        folders: vec![folder.to_string_lossy().into_owned()],
        render: false,
        page_service: None,
        roles: RoleModels::default(),
        cut: None,
        inquiry: None,
        parent: None,
    };
    let web = match scene.engine {
        PipelineEngine::First => web,
        PipelineEngine::Second => web.with_inquiry(InquiryPlan::new(StrategyLevel::Deep, None, None, WINDOW)),
    };
    let limits = RunLimits::new(DEADLINE, None);
    Plan { notify: Notify::Never, ..Plan::for_web(RoundsPlan::new(Mode::DeepResearch, 1), web, limits) }
}

/// From the question to the report, all on disk.
async fn research(
    web: WebEngine<RecordingTransport>,
    question: &str,
    plan: Plan,
    place: &Path,
) -> anyhow::Result<(RunSummary, Report)> {
    let bed = InProcessTestBed::open(web, place)?;
    let id = bed.start(question, plan).await?;
    let ended = bed.ended(id, WAIT_MAX).await;
    bed.stop().await;
    ended
}

fn rendered(summary: &RunSummary, report: &Report) -> anyhow::Result<String> {
    let page = SavedPage {
        summary,
        report,
        metadata: MetadataVisibility::Shown,
        sources: SourceListVisibility::Listed,
        written_at: wall_now(),
    };
    Ok(ReportTemplates::new(None)?.render(&page)?)
}

fn says_verified(report: &Report) -> bool {
    let rounds = report.rounds.as_deref();
    rounds.is_some_and(|rounds| {
        rounds.verified
            || rounds.model_says_verified
            || rounds.rounds.iter().any(|round| round.verified || round.model_says_verified)
    })
}

/// What lies where nothing should: in the folder that attacks name, beside the store, and where the model points.
fn files_out_of_place(baited: &Path, place: &Path) -> anyhow::Result<Vec<String>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(baited)? {
        found.push(entry?.path().display().to_string());
    }
    for entry in fs::read_dir(place)? {
        let entry = entry?;
        if !["own", "store"].iter().any(|known| entry.file_name() == *known) {
            found.push(entry.path().display().to_string());
        }
    }
    if Path::new("/tmp/owned").exists() {
        found.push("/tmp/owned".to_owned());
    }
    Ok(found)
}

/// Pages, those that are only linked to among them, and the robots files of all their hosts.
fn addresses(scene: &PipelineInput) -> BTreeSet<String> {
    let mut all: BTreeSet<String> = scene.pages.iter().map(|page| page.url.clone()).collect();
    let host = |address: &String| Some(address.strip_prefix("http://")?.split('/').next()?.to_owned());
    let robots: Vec<String> =
        all.iter().filter_map(host).map(|host| format!("http://{host}/robots.txt")).collect();
    all.extend(robots);
    all
}

fn texts(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) => found.push(text.clone()),
        Value::Array(values) => values.iter().for_each(|value| texts(value, found)),
        Value::Object(fields) => fields.values().for_each(|value| texts(value, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
