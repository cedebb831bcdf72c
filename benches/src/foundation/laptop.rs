//! Probity as a laptop runs it, without the program around it: real store, real client, real runner.
#![expect(clippy::disallowed_methods, reason = "the executor is started here as the program starts it")]

use std::{path::Path, sync::Arc, time::Duration};

use anyhow::anyhow;
use probity_models::{ApiKey, DeepResearch, DeepResearchSettings, HttpTransport};
use probity_research::{
    OwnerId, RunId,
    agent::AgentName,
    plan::{Notify, Plan, RunLimits},
    ports::Engine,
    query::Query,
    status::RunSummary,
};
use probity_runner::{LocalExecutor, RunService, RunnerSettings, SystemClock};
use probity_store::{Clocks, Store, StoreOptions};
use tokio_util::sync::CancellationToken;

type LaptopExecutor = LocalExecutor<Store, DeepResearch<HttpTransport>, SystemClock>;

pub struct LaptopTestBed {
    pub store: Store,
    executor: LaptopExecutor,
    face: RunService<LocalExecutor<Store, DeepResearch<HttpTransport>, SystemClock>>,
}

/// A running executor; stop it before leaving.
pub struct ExecutorTask {
    stop: CancellationToken,
    task: tokio::task::JoinHandle<()>,
}

impl ExecutorTask {
    /// Lets an executor drive until it is stopped.
    pub fn start<E: Engine + 'static>(executor: LocalExecutor<Store, E, SystemClock>) -> Self {
        let stop = CancellationToken::new();
        let token = stop.clone();
        Self { stop, task: tokio::spawn(async move { executor.run(token).await }) }
    }

    pub async fn stop(self) {
        self.stop.cancel();
        if let Err(error) = self.task.await {
            crate::output::progress(&format!("the executor ended badly: {error}"));
        }
    }
}

impl LaptopTestBed {
    pub fn open(base_url: &str, directory: &Path, starts_per_second: f64) -> anyhow::Result<Self> {
        let clock = SystemClock::default();
        let options = StoreOptions::new(random(), Clocks::of(Arc::new(clock)), directory.join("rescue"));
        let store = Store::open(&directory.join("store"), options)?;
        let settings = DeepResearchSettings {
            base_url: base_url.to_owned(),
            ..DeepResearchSettings::new(ApiKey::parse("test-key")?)
        };
        let engine = DeepResearch::connect(settings)?;
        let owner: OwnerId = store.owner();
        let settings = RunnerSettings { starts_per_second, ..RunnerSettings::default() };
        let executor = LocalExecutor::new(store.clone(), engine, clock, owner, settings);
        Ok(Self { store, face: RunService::new(executor.clone()), executor })
    }

    pub fn run(&self) -> ExecutorTask {
        ExecutorTask::start(self.executor.clone())
    }

    /// Returns once the research is on disk.
    pub async fn ask(&self, question: &str) -> anyhow::Result<RunId> {
        let id = RunId::from_random(random());
        self.face.start(id, Query::parse(question)?, plan()).await?;
        Ok(id)
    }

    pub async fn wait(&self, id: RunId) -> anyhow::Result<RunSummary> {
        loop {
            let summary = self.store.status(id)?;
            if summary.status.is_final() {
                return Ok(summary);
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }

    pub fn driven_count(&self) -> usize {
        self.executor.driven_count()
    }
}

pub fn plan() -> Plan {
    Plan {
        notify: Notify::Never,
        ..Plan::new(AgentName::default(), RunLimits::new(Duration::from_secs(3600), None))
    }
}

/// 128 random bits from the system.
pub fn random() -> u128 {
    let mut bytes = [0_u8; 16];
    match getrandom::fill(&mut bytes) {
        Ok(()) => u128::from_le_bytes(bytes),
        Err(error) => {
            crate::output::progress(&format!("{}", anyhow!(error)));
            u128::from(std::process::id())
        }
    }
}
