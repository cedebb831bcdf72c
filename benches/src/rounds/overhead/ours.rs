//! Searches in rounds as a laptop runs them, without the program around them: real store, client and runner.

use std::{path::Path, sync::Arc, time::Duration};

use anyhow::ensure;
use probity_engines::{ApiRounds, Engines, Google, Prompts};
use probity_models::{
    ApiKey, DeepResearch, DeepResearchSettings, HttpTransport, gemini::redirects::Redirects,
};
use probity_research::{
    Code, Problem, ResearchId,
    plan::{EngineName, Limits, Notify, Plan},
    query::Query,
    rounds::{Manner, RoundsPlan},
    status::Status,
};
use probity_runner::{LocalExecutor, Researches, RunnerSettings, SystemClock};
use probity_store::{Clocks, OpenOptions, Store};

use super::Script;
use crate::foundation::laptop::{Running, random};

type Rounds = Engines<Arc<HttpTransport>>;
type Executor = LocalExecutor<Store, Rounds, SystemClock>;

/// Beats and first looks of an executor that was just started.
const SETTLING: Duration = Duration::from_millis(20);
/// No search here takes nearly as long.
const DEADLINE: Duration = Duration::from_secs(600);
/// More than is ever asked for at once.
const STARTS_PER_SECOND: f64 = 1_000.0;

pub struct Ours {
    executor: Executor,
    face: Researches<LocalExecutor<Store, Rounds, SystemClock>>,
}

impl Ours {
    pub fn open(base_url: &str, directory: &Path) -> anyhow::Result<Self> {
        let clock = SystemClock::default();
        let options = OpenOptions::new(random(), Clocks::of(Arc::new(clock)), directory.join("rescue"));
        let store = Store::open(&directory.join("store"), options)?;
        let owner = store.owner();
        let settings = RunnerSettings { starts_per_second: STARTS_PER_SECOND, ..RunnerSettings::default() };
        let executor = LocalExecutor::new(store, engines(base_url)?, clock, owner, settings);
        Ok(Self { face: Researches::new(executor.clone()), executor })
    }

    /// The executor at work, its first look behind it.
    pub async fn run(&self) -> Running {
        let running = Running::start(self.executor.clone());
        tokio::time::sleep(SETTLING).await;
        running
    }

    /// From the question to the report, all on disk.
    pub async fn search(&self, script: &Script) -> anyhow::Result<()> {
        let id = ResearchId::from_random(random());
        let question = script.question(&id.to_string());
        let rounds = RoundsPlan::new(Manner::DeepSearch, script.rounds);
        let plan = Plan {
            notify: Notify::Never,
            ..Plan::in_rounds(EngineName::GeminiApi, rounds, Limits::new(DEADLINE, None))
        };
        let mut news = self.face.listen(id)?;
        self.face.start(id, Query::parse(&question)?, plan).await?;
        loop {
            news.changed().await?;
            let Some(summary) = news.borrow_and_update().clone() else { continue };
            if summary.status.is_final() {
                ensure!(summary.status == Status::Completed, "a search ended as {:?}", summary.status);
                return Ok(());
            }
        }
    }
}

fn engines(base_url: &str) -> anyhow::Result<Rounds> {
    let network = Arc::new(HttpTransport::new(base_url)?);
    let key = ApiKey::parse("test-key")?;
    let settings = DeepResearchSettings { base_url: base_url.to_owned(), ..DeepResearchSettings::new(key) };
    let google = Google {
        service: DeepResearch::new(Arc::clone(&network), settings)?,
        api: ApiRounds::new(Redirects::new(network, base_url)),
        cli: Err(Problem::new(Code::CliNotFound, "not measured here")),
    };
    let web = Err(Problem::new(Code::UnknownEngine, "not measured here"));
    Ok(Engines { google: Ok(google), web, prompts: Prompts::default() })
}
