//! The web engine inside this process: the real fetcher, parser, prompts, store and runner, without the program around
//! them. A plan is a value here, and one process carries as many researches as are asked for.

use std::{path::Path, sync::Arc, time::Duration};

use anyhow::{Context as _, ensure};
use probity_engines::{EngineDispatcher, Prompts, RoleClients, WebEngine};
use probity_extract::{ParserPool, ParserSettings};
use probity_models::{ChatClient, Transport};
use probity_research::{
    RunId,
    error::{Code, CodedError},
    plan::Plan,
    ports::Journal as _,
    query::Query,
    report::Report,
    status::RunSummary,
};
use probity_runner::{LocalExecutor, RunService, RunnerSettings, SystemClock, clock::wall_now};
use probity_store::{Clocks, Store, StoreOptions};
use probity_web::{
    fetch::{FetchLimits, Fetcher, FetcherSettings, ReachRules},
    search::{SearchClient, SearchSettings},
};

use crate::{
    foundation::laptop::{ExecutorTask, random},
    rig,
};

/// The engine before a simulated world, which needs no pause between two requests. `rules` lead there.
pub fn web_engine<T: Transport>(
    rules: &[String],
    search: SearchSettings,
    chat: ChatClient<T>,
) -> anyhow::Result<WebEngine<T>> {
    let fetcher = Arc::new(Fetcher::new(FetcherSettings {
        reach: ReachRules::parse(rules)?,
        limits: FetchLimits { pause: Duration::ZERO, ..FetchLimits::default() },
        ..FetcherSettings::new(wall_now)
    })?);
    let program = vec![rig::built("probity")?.into(), "parse".into()];
    Ok(WebEngine {
        search: SearchClient::new(Arc::clone(&fetcher), search),
        fetcher,
        parser: ParserPool::new(ParserSettings::new(program)),
        archive: None,
        page_service: None,
        browser: Err(CodedError::new(Code::PageUnreadable, "no page here needs a browser")),
        chat: Some(chat),
        roles: RoleClients::none(),
        judge: None,
        second_judge: None,
        now: Box::new(wall_now),
    })
}

/// A store with a running executor; stop it before leaving.
pub struct InProcessTestBed<T: Transport + 'static> {
    store: Store,
    face: RunService<LocalExecutor<Store, EngineDispatcher<T>, SystemClock>>,
    running: ExecutorTask,
}

impl<T: Transport + 'static> InProcessTestBed<T> {
    pub fn open(web: WebEngine<T>, place: &Path) -> anyhow::Result<Self> {
        std::fs::create_dir_all(place)?;
        let clock = SystemClock::default();
        let options = StoreOptions::new(random(), Clocks::of(Arc::new(clock)), place.join("rescue"));
        let store = Store::open(&place.join("store"), options)?;
        let engines = EngineDispatcher {
            google: Err(CodedError::new(Code::KeyMissing, "not measured here")),
            web: Ok(web),
            prompts: Prompts::default(),
        };
        let owner = store.owner();
        let executor = LocalExecutor::new(store.clone(), engines, clock, owner, RunnerSettings::default());
        let face = RunService::new(executor.clone());
        Ok(Self { store, face, running: ExecutorTask::start(executor) })
    }

    /// Returns once the research is on disk.
    pub async fn start(&self, question: &str, plan: Plan) -> anyhow::Result<RunId> {
        let id = RunId::from_random(random());
        Box::pin(self.face.start(id, Query::parse(question)?, plan)).await?;
        Ok(id)
    }

    pub fn is_over(&self, id: RunId) -> anyhow::Result<bool> {
        Ok(self.store.status(id)?.status.is_final())
    }

    /// How it ended, and its report.
    pub async fn ended(&self, id: RunId, limit: Duration) -> anyhow::Result<(RunSummary, Report)> {
        let summary = Box::pin(self.face.wait(id, Some(limit))).await?;
        ensure!(summary.status.is_final(), "a research did not end: {:?}", summary.status);
        let digest = summary.report.with_context(|| format!("no report: {:?}", summary.problem))?;
        let report = Report::decode(&self.store.fetch_blob(digest).await?)?;
        Ok((summary, report))
    }

    pub async fn stop(self) {
        self.running.stop().await;
    }
}
