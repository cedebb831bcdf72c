//! One seed's story: researches are asked and cancelled, processes die and come back, the weather changes;
//! then it clears, and everything must come to rest with the ledger in order.
#![expect(clippy::disallowed_methods, reason = "simulated processes are tasks that die on purpose")]

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use probity_models::{ApiKey, DeepResearch, DeepResearchSettings};
use probity_research::{
    Code, CodedError, OwnerId, RunId, RunState,
    agent::AgentName,
    cost::Cost,
    engine_call::{EngineCall, EngineOutcome},
    plan::{Notify, Plan, RunLimits},
    ports::Clock,
    query::Query,
    report::Report,
    status::{RunStatus, RunSummary},
    stop::PartialResults,
};
use probity_runner::{LocalExecutor, RunService, RunnerSettings};
use probity_simulator::{World, WorldSettings};
use tokio_util::sync::CancellationToken;

use super::{
    clock::SimulatedClock,
    disk::{SimulatedDisk, SimulatedStore},
    network::{NetworkWeather, SharedProvider, SimulatedNetwork, WEATHERS},
    process_life::ProcessLife,
    simulation_random::SimulationRandom,
};

/// Chaos lasts this long in simulated time; then one healthy process gets as long as it needs.
const CHAOS: Duration = Duration::from_secs(40 * 60);
/// The longest deadline is 65 minutes of attention; nothing may be under way after this.
const PATIENCE: Duration = Duration::from_secs(4 * 3600);
const RESEARCHES: u64 = 6;

const SCENARIOS: &[&str] = &[
    "[[completed duration_ms=240000]]",
    "[[completed duration_ms=20000]]",
    "[[slow duration_ms=1500000]]",
    "[[queued duration_ms=200000]]",
    "[[partial duration_ms=300000]]",
    "[[drop-after events=6 duration_ms=120000]]",
    "[[no-event-id duration_ms=90000]]",
    "[[stuck]]",
    "[[early-404 for_ms=60000 duration_ms=200000]]",
    "[[early-403 for_ms=30000 duration_ms=200000]]",
    "[[gone-after-200]]",
    "[[cancel-lag duration_ms=900000]]",
    "[[cancel-400 duration_ms=900000]]",
    "[[usage-missing duration_ms=60000]]",
    "[[unknown-enums duration_ms=60000]]",
    "[[error-429-retry-after]]",
    "[[error-429-retry-info]]",
    "[[error-503-json]]",
    "[[create-lost duration_ms=60000]]",
    "[[create-cut-after-id duration_ms=60000]]",
    "[[create-html]]",
    "[[failed]]",
    "[[incomplete]]",
    "[[stream-error duration_ms=60000]]",
    "[[empty-report duration_ms=30000]]",
    "[[hang]]",
];

/// What one seed led to. Equal for equal seeds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SimulationOutcome {
    pub faults: Vec<String>,
    pub started: u64,
    pub completed: u64,
    pub unknown: u64,
    pub crashes: u64,
    pub simulated_seconds: u64,
    /// Everything that can be seen at the end, for comparing two runs of one seed.
    pub trace: Vec<String>,
}

/// How the client treats a create whose answer was lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CreateRetryPolicy {
    /// Probity's own: says that it does not know.
    Ours,
    /// The positive control: takes silence for refusal and tries again, as the official SDKs do.
    Careless,
}

struct SimulatedEngine {
    inner: DeepResearch<SimulatedNetwork>,
    client: CreateRetryPolicy,
}

impl probity_research::ports::Engine for SimulatedEngine {
    async fn perform(&self, research: &RunState, call: &EngineCall) -> EngineOutcome {
        match (self.client, self.inner.perform(research, call).await) {
            (CreateRetryPolicy::Careless, EngineOutcome::Uncertain(problem)) => {
                EngineOutcome::Refused(CodedError { code: Code::Network, ..problem })
            }
            (_, finding) => finding,
        }
    }

    fn release_run(&self, id: RunId) {
        self.inner.release_run(id);
    }
}

type SimulatedRunService = RunService<LocalExecutor<SimulatedStore, SimulatedEngine, SimulatedClock>>;

/// Plays one seed to its end.
pub fn run(seed: u64, client: CreateRetryPolicy) -> anyhow::Result<SimulationOutcome> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build()?;
    runtime.block_on(async {
        let mut story = SimulationStory::new(seed, client);
        story.run_faults().await;
        story.run_until_idle().await;
        Ok(story.judge())
    })
}

struct SimulatedProcess {
    life: ProcessLife,
    face: Arc<SimulatedRunService>,
    task: tokio::task::JoinHandle<()>,
}

struct SimulationStory {
    dice: SimulationRandom,
    clock: SimulatedClock,
    provider: SharedProvider,
    disk: Arc<Mutex<SimulatedDisk>>,
    processes: Vec<SimulatedProcess>,
    acknowledged: Arc<Mutex<Vec<RunId>>>,
    outcome: SimulationOutcome,
    client: CreateRetryPolicy,
}

impl SimulationStory {
    fn new(seed: u64, client: CreateRetryPolicy) -> Self {
        let world = World::new(WorldSettings { seed, ..WorldSettings::default() });
        let provider = SharedProvider {
            world: Arc::new(Mutex::new(world)),
            weather: Arc::new(Mutex::new(NetworkWeather::Clear)),
        };
        Self {
            dice: SimulationRandom::new(seed),
            clock: SimulatedClock::new(),
            provider,
            disk: Arc::default(),
            processes: Vec::new(),
            acknowledged: Arc::default(),
            outcome: SimulationOutcome::default(),
            client,
        }
    }

    /// A new process on the same disk.
    fn boot(&mut self) {
        let life = ProcessLife::default();
        let clock = self.clock.with_life(life.clone());
        let store = SimulatedStore {
            disk: Arc::clone(&self.disk),
            clock: clock.clone(),
            dice: self.dice.clone(),
            life: life.clone(),
            seen: Arc::default(),
        };
        let network = SimulatedNetwork {
            provider: self.provider.clone(),
            clock: clock.clone(),
            dice: self.dice.clone(),
            life: life.clone(),
        };
        let streams = self.dice.within(0..3) as usize;
        let Some(Ok(inner)) = settings(streams).map(|settings| DeepResearch::new(network, settings)) else {
            return;
        };
        let engine = SimulatedEngine { inner, client: self.client };
        let owner = OwnerId::from_random(self.dice.wide());
        let executor = LocalExecutor::new(store, engine, clock, owner, RunnerSettings::default());
        let runner = executor.clone();
        let task = tokio::spawn(async move { runner.run(CancellationToken::new()).await });
        self.processes.push(SimulatedProcess { life, face: Arc::new(RunService::new(executor)), task });
    }

    /// As `kill -9`: every await of the process is its last.
    fn crash(&mut self) {
        if self.processes.is_empty() {
            return;
        }
        let victim = self.dice.within(0..self.processes.len() as u64) as usize;
        let process = self.processes.swap_remove(victim);
        process.life.end();
        process.task.abort();
        self.outcome.crashes += 1;
    }

    async fn run_faults(&mut self) {
        self.boot();
        let mut asked = 0;
        while self.clock.monotonic() < CHAOS {
            self.advance(self.dice.within(500..45_000)).await;
            match self.dice.within(0..10) {
                0 | 1 if asked < RESEARCHES => {
                    asked += 1;
                    self.ask();
                }
                2 => self.cancel_one(),
                3 => self.crash(),
                4 if self.processes.len() < 2 => self.boot(),
                5 | 6 => self.change_weather(),
                7 => self.jump_clock(),
                _ if self.processes.is_empty() => self.boot(),
                _ => {}
            }
        }
    }

    async fn advance(&self, milliseconds: u64) {
        tokio::time::sleep(Duration::from_millis(milliseconds)).await;
    }

    fn ask(&mut self) {
        let Some(process) = self.processes.first() else { return };
        let face = Arc::clone(&process.face);
        let acknowledged = Arc::clone(&self.acknowledged);
        let id = RunId::from_random(self.dice.wide());
        let scenario = self.dice.pick(SCENARIOS).copied().unwrap_or_default();
        let Ok(query) = Query::parse(&format!("{scenario} what is research {id} about?")) else { return };
        tokio::spawn(async move {
            if face.start(id, query, plan()).await.is_ok() {
                acknowledged.lock().unwrap_or_else(PoisonError::into_inner).push(id);
            }
        });
    }

    fn cancel_one(&mut self) {
        let known = self.acknowledged.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let (Some(id), Some(process)) = (self.dice.pick(&known).copied(), self.processes.first()) else {
            return;
        };
        let face = Arc::clone(&process.face);
        let partial = if self.dice.chance(50) { PartialResults::Keep } else { PartialResults::Drop };
        tokio::spawn(async move {
            // Refused when it has ended already; that is an answer, not a fault.
            drop(face.cancel(id, partial).await);
        });
    }

    fn change_weather(&self) {
        let weather = self.dice.pick(&WEATHERS).copied().unwrap_or(NetworkWeather::Clear);
        *self.provider.weather.lock().unwrap_or_else(PoisonError::into_inner) = weather;
    }

    fn jump_clock(&self) {
        let day = 86_400_000;
        let jump = [0, 400 * day, -400 * day, 45_000, -45_000];
        self.clock.jump(self.dice.pick(&jump).copied().unwrap_or(0));
    }

    /// The weather clears, one process lives, and all work must come to rest.
    async fn run_until_idle(&mut self) {
        while !self.processes.is_empty() {
            self.crash();
        }
        self.clock.jump(0);
        *self.provider.weather.lock().unwrap_or_else(PoisonError::into_inner) = NetworkWeather::Clear;
        self.boot();
        let until = self.clock.monotonic() + PATIENCE;
        while self.clock.monotonic() < until
            && self.summaries().iter().any(|summary| !summary.status.is_final())
        {
            self.advance(10_000).await;
        }
    }

    fn store(&self) -> SimulatedStore {
        SimulatedStore {
            disk: Arc::clone(&self.disk),
            clock: self.clock.clone(),
            dice: self.dice.clone(),
            life: ProcessLife::default(),
            seen: Arc::default(),
        }
    }

    fn summaries(&self) -> Vec<RunSummary> {
        self.store().summaries()
    }

    fn judge(mut self) -> SimulationOutcome {
        let summaries = self.summaries();
        let acknowledged = self.acknowledged.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let mut faults = Vec::new();
        for id in &acknowledged {
            if !summaries.iter().any(|summary| summary.id == *id) {
                faults.push(format!("{id}: acknowledged but lost"));
            }
        }
        for summary in &summaries {
            faults.extend(self.faults_of(summary));
            self.outcome.trace.push(format!("{} {} {}", summary.id, summary.status.as_str(), summary.cost));
        }
        let count = |status| summaries.iter().filter(|summary| summary.status == status).count() as u64;
        self.outcome.started = summaries.len() as u64;
        self.outcome.completed = count(RunStatus::Completed);
        self.outcome.unknown = count(RunStatus::Unknown);
        self.outcome.simulated_seconds = self.clock.elapsed_ms() / 1000;
        self.outcome.faults = faults;
        self.outcome
    }

    fn faults_of(&self, summary: &RunSummary) -> Vec<String> {
        let world = self.provider.world.lock().unwrap_or_else(PoisonError::into_inner);
        let creates = world.ledger().creates_for(&summary.id.to_string());
        let mut faults = Vec::new();
        let mut fault = |what: String| faults.push(format!("{} ({}): {what}", summary.id, summary.query));
        if creates > 1 {
            fault(format!("paid {creates} times"));
        }
        if !summary.status.is_final() {
            fault(format!("stuck as {}: {}", summary.status.as_str(), summary.current_action));
        }
        if creates > 0 && summary.cost == Cost::Nothing {
            fault("paid, but shown as free".to_owned());
        }
        if creates > 0 && summary.status == RunStatus::Failed && summary.remote_id.is_none() {
            fault("paid, but its id was thrown away".to_owned());
        }
        if summary.status == RunStatus::Completed && !self.has_report(summary) {
            fault("completed without its report".to_owned());
        }
        faults
    }

    fn has_report(&self, summary: &RunSummary) -> bool {
        let bytes = summary.report.and_then(|digest| self.store().blob(digest)).unwrap_or_default();
        Report::decode(&bytes).is_ok_and(|report| !report.is_empty())
    }
}

fn settings(streams_open_max: usize) -> Option<DeepResearchSettings> {
    let key = ApiKey::parse("simulated-key").ok()?;
    let base_url = "http://127.0.0.1:9".to_owned();
    Some(DeepResearchSettings { base_url, streams_open_max, ..DeepResearchSettings::new(key) })
}

fn plan() -> Plan {
    Plan {
        notify: Notify::Never,
        ..Plan::new(AgentName::default(), RunLimits::new(Duration::from_secs(65 * 60), None))
    }
}
