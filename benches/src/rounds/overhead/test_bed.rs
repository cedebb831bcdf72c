//! Searches in rounds as a laptop runs them, without the program around them: real store, client and runner.

use std::{path::Path, sync::Arc, time::Duration};

use anyhow::ensure;
use probity_engines::{ApiRounds, EngineDispatcher, GoogleEngines, Prompts};
use probity_models::{
    ApiKey, DeepResearch, DeepResearchSettings, HttpTransport, gemini::redirects::RedirectResolver,
};
use probity_research::{
    Code, CodedError, RunId,
    plan::{EngineName, Notify, Plan, RunLimits},
    query::Query,
    rounds::{Mode, RoundsPlan},
    status::RunStatus,
};
use probity_runner::{LocalExecutor, RunService, RunnerSettings, SystemClock};
use probity_store::{Clocks, Store, StoreOptions};

use super::OverheadScript;
use crate::foundation::laptop::{ExecutorTask, random};

type RoundsEngines = EngineDispatcher<Arc<HttpTransport>>;
type RoundsExecutor = LocalExecutor<Store, RoundsEngines, SystemClock>;

/// Beats and first looks of an executor that was just started.
const SETTLING: Duration = Duration::from_millis(20);
/// No search here takes nearly as long.
const DEADLINE: Duration = Duration::from_secs(600);
/// More than is ever asked for at once.
const STARTS_PER_SECOND: f64 = 1_000.0;

pub struct RoundsTestBed {
    executor: RoundsExecutor,
    face: RunService<LocalExecutor<Store, RoundsEngines, SystemClock>>,
}

impl RoundsTestBed {
    pub fn open(base_url: &str, directory: &Path) -> anyhow::Result<Self> {
        let clock = SystemClock::default();
        let options = StoreOptions::new(random(), Clocks::of(Arc::new(clock)), directory.join("rescue"));
        let store = Store::open(&directory.join("store"), options)?;
        let owner = store.owner();
        let settings = RunnerSettings { starts_per_second: STARTS_PER_SECOND, ..RunnerSettings::default() };
        let executor = LocalExecutor::new(store, engines(base_url)?, clock, owner, settings);
        Ok(Self { face: RunService::new(executor.clone()), executor })
    }

    /// The executor at work, its first look behind it.
    pub async fn run(&self) -> ExecutorTask {
        let running = ExecutorTask::start(self.executor.clone());
        tokio::time::sleep(SETTLING).await;
        running
    }

    /// From the question to the report, all on disk.
    pub async fn search(&self, script: &OverheadScript) -> anyhow::Result<()> {
        let id = RunId::from_random(random());
        let question = script.question(&id.to_string());
        let rounds = RoundsPlan::new(Mode::DeepSearch, script.rounds);
        let plan = Plan {
            notify: Notify::Never,
            ..Plan::for_rounds(EngineName::GeminiApi, rounds, RunLimits::new(DEADLINE, None))
        };
        let mut news = self.face.subscribe(id)?;
        self.face.start(id, Query::parse(&question)?, plan).await?;
        loop {
            news.changed().await?;
            let Some(summary) = news.borrow_and_update().clone() else { continue };
            if summary.status.is_final() {
                ensure!(summary.status == RunStatus::Completed, "a search ended as {:?}", summary.status);
                return Ok(());
            }
        }
    }
}

fn engines(base_url: &str) -> anyhow::Result<RoundsEngines> {
    let network = Arc::new(HttpTransport::new(base_url)?);
    let key = ApiKey::parse("test-key")?;
    let settings = DeepResearchSettings { base_url: base_url.to_owned(), ..DeepResearchSettings::new(key) };
    let google = GoogleEngines {
        service: Ok(DeepResearch::new(Arc::clone(&network), settings)?),
        api: ApiRounds::new(RedirectResolver::new(network, base_url)),
        cli: Err(CodedError::new(Code::CliNotFound, "not measured here")),
    };
    let web = Err(CodedError::new(Code::UnknownEngine, "not measured here"));
    Ok(EngineDispatcher { google: Ok(google), web, prompts: Prompts::default() })
}
