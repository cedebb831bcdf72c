//! A whole fleet on this machine: engine, database, simulator, workers and front ends, each a process of its own.
//!
//! Everything is killed when the stand is dropped, also by a panic. Ports are free ones, files are in a folder that
//! goes with the stand.

pub mod client;
pub mod database;
pub mod engine;
pub mod network;
pub mod plain_http;
pub mod process;
pub mod program;

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::{Context, bail};

use self::{
    database::TestDatabase,
    engine::EngineNode,
    network::BridgedNetwork,
    process::{FleetProcess, FleetProcessUsage, FreePorts, ProcessNetwork},
    program::{FleetAddresses, FleetProgram},
};
use crate::rig;

/// A program answers within a second of its start on an idle machine.
const UP_MAX: Duration = Duration::from_secs(60);

/// How large a stand is.
#[derive(Debug, Clone)]
pub struct FleetTestBedOptions {
    /// One, or three that replicate.
    pub nodes: usize,
    pub workers: usize,
    pub front_ends: usize,
    /// Arguments of the simulator.
    pub simulator: Vec<String>,
    /// Settings of workers and front ends by their environment names, over the stand's own.
    pub settings: Vec<(String, String)>,
    /// Another build of the program, for upgrades.
    pub program: Option<PathBuf>,
}

/// Quotas as wide as a measurement needs them.
const UNLIMITED: [(&str, &str); 6] = [
    ("PROBITY_FLEET__IN_FLIGHT_MAX", "200000"),
    ("PROBITY_FLEET__TENANT_IN_FLIGHT_MAX", "200000"),
    ("PROBITY_FLEET__TENANT_WAITING_MAX", "200000"),
    ("PROBITY_FLEET__TENANT_REQUESTS_PER_SECOND", "100000"),
    ("PROBITY_FLEET__PROVIDER_CALLS_MAX", "512"),
    ("PROBITY_FLEET__PROVIDER_CALLS_PER_SECOND", "10000"),
];

impl FleetTestBedOptions {
    pub fn of(nodes: usize, workers: usize, front_ends: usize) -> Self {
        let settings = UNLIMITED.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
        Self { nodes, workers, front_ends, simulator: Vec::new(), settings, program: None }
    }

    pub fn simulated(mut self, scenario: &str) -> Self {
        self.simulator.extend(["--scenario".to_owned(), scenario.to_owned()]);
        self
    }
}

/// Which part of the stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FleetPart {
    Node(usize),
    Database,
    Worker(usize),
    FrontEnd(usize),
}

/// A front end with its address.
pub struct FrontEndProcess {
    pub part: FleetProcess,
    pub base: String,
    /// Where it says how it is doing.
    pub operations: String,
}

impl FrontEndProcess {
    /// Answers, and reaches everything that it needs.
    pub fn is_ready(&self) -> bool {
        is_ready(&self.operations) && plain_http::get(&self.base).is_ok()
    }
}

fn is_ready(operations: &str) -> bool {
    plain_http::get(&format!("{operations}/ready")).is_ok_and(|(status, _)| status == 200)
}

/// Fields are dropped in this order: those who ask before those who answer.
pub struct FleetTestBed {
    pub front_ends: Vec<FrontEndProcess>,
    pub workers: Vec<FleetProcess>,
    /// Where each worker says how it is doing.
    pub watched: Vec<String>,
    pub nodes: Vec<EngineNode>,
    pub simulator: FleetSimulator,
    pub database: TestDatabase,
    pub program: FleetProgram,
    pub folder: tempfile::TempDir,
}

/// The provider of the stand.
pub struct FleetSimulator {
    pub part: FleetProcess,
    pub base_url: String,
}

impl FleetSimulator {
    fn start(folder: &Path, place: ProcessNetwork, port: u16, arguments: &[String]) -> anyhow::Result<Self> {
        let address = format!("{}:{port}", place.address());
        let mut words: Vec<std::ffi::OsString> = vec!["--listen".into(), address.clone().into()];
        words.extend(arguments.iter().map(Into::into));
        let recipe = process::ProcessRecipe {
            name: "simulator".to_owned(),
            program: rig::built("probity-simulator")?,
            arguments: words,
            environment: Vec::new(),
            folder: folder.to_owned(),
            place,
        };
        let simulator = Self { part: FleetProcess::start(recipe)?, base_url: format!("http://{address}") };
        if plain_http::until(UP_MAX, || simulator.get("stats").is_ok()) {
            return Ok(simulator);
        }
        bail!("the simulator did not come up: {}", simulator.part.log_tail())
    }

    /// Asks an admin route, such as `ledger` or `stats`.
    pub fn get(&self, route: &str) -> anyhow::Result<serde_json::Value> {
        let (status, body) = plain_http::get(&format!("{}/simulator/{route}", self.base_url))?;
        serde_json::from_str(&body).with_context(|| format!("{route} answers {status}: {body}"))
    }
}

impl FleetTestBed {
    /// Everything on loopback.
    pub fn start(plan: &FleetTestBedOptions) -> anyhow::Result<Self> {
        Self::build(plan, |_| Ok(ProcessNetwork::Loopback), |provider| Ok(provider.to_owned()))
    }

    /// The same, with something between the program and its provider; it is told where the provider is.
    pub fn start_behind(
        plan: &FleetTestBedOptions,
        between: impl FnOnce(&str) -> anyhow::Result<String>,
    ) -> anyhow::Result<Self> {
        Self::build(plan, |_| Ok(ProcessNetwork::Loopback), between)
    }

    /// Every part in a network of its own: database, simulator, nodes, workers and front ends, in this order.
    pub fn start_in(plan: &FleetTestBedOptions, network: &BridgedNetwork) -> anyhow::Result<Self> {
        let places = |from: usize, count: usize| {
            (from..from + count).map(|number| network.place(number)).collect::<anyhow::Result<Vec<_>>>()
        };
        let nodes = places(2, plan.nodes)?;
        let workers = places(2 + plan.nodes, plan.workers)?;
        network.share(&nodes, &workers)?;
        let simulator = network.place(1)?;
        let program = places(2 + plan.nodes, plan.workers + plan.front_ends)?;
        Self::build(
            plan,
            |number| network.place(number),
            |provider| {
                let port = provider.rsplit_once(':').map_or("", |(_, port)| port);
                network.as_own(&program, port, &simulator)?;
                Ok(format!("http://127.0.0.1:{port}"))
            },
        )
    }

    /// Networks that a plan needs.
    pub fn places_of(plan: &FleetTestBedOptions) -> usize {
        2 + plan.nodes + plan.workers + plan.front_ends
    }

    fn build(
        plan: &FleetTestBedOptions,
        place: impl Fn(usize) -> anyhow::Result<ProcessNetwork>,
        between: impl FnOnce(&str) -> anyhow::Result<String>,
    ) -> anyhow::Result<Self> {
        let folder = tempfile::Builder::new().prefix("probity-fleet-").tempdir()?;
        let mut ports = FreePorts::default();
        let database = TestDatabase::start(folder.path(), place(0)?, &mut ports)?;
        let simulator = FleetSimulator::start(folder.path(), place(1)?, ports.free()?, &plan.simulator)?;
        let places: Vec<ProcessNetwork> =
            (0..plan.nodes).map(|node| place(2 + node)).collect::<anyhow::Result<_>>()?;
        let nodes = engine::start(folder.path(), &places, &mut ports)?;
        let first = nodes.first().context("a stand has at least one node")?;
        let worker_places: Vec<ProcessNetwork> =
            (0..plan.workers).map(|worker| place(2 + plan.nodes + worker)).collect::<anyhow::Result<_>>()?;
        let addresses = FleetAddresses {
            database: database.url.clone(),
            objects: format!("dir:{}", folder.path().join("objects").display()),
            ingress: nodes.iter().map(|node| node.ingress.clone()).collect(),
            admin: first.admin.clone(),
            provider: between(&simulator.base_url)?,
            worker_port: ports.free()?,
        };
        std::fs::create_dir_all(folder.path().join("objects"))?;
        let program = FleetProgram::new(plan, folder.path(), addresses)?;
        program.prepare_database()?;
        let mut workers = Vec::new();
        let mut watched = Vec::new();
        for (number, place) in worker_places.iter().enumerate() {
            let operations = ports.free()?;
            workers.push(FleetProcess::start(program.worker(number, place, operations))?);
            watched.push(format!("http://{}:{operations}", place.address()));
        }
        let mut stand =
            Self { front_ends: Vec::new(), workers, watched, nodes, simulator, database, program, folder };
        for number in 0..plan.front_ends {
            let place = place(2 + plan.nodes + plan.workers + number)?;
            let operations = ports.free()?;
            let (recipe, base) = stand.program.front_end(number, &place, ports.free()?, operations);
            let operations = format!("http://{}:{operations}", place.address());
            stand.front_ends.push(FrontEndProcess { part: FleetProcess::start(recipe)?, base, operations });
        }
        stand.wait_until_ready()?;
        Ok(stand)
    }

    /// All workers and front ends say that they are ready, which includes database and engine.
    pub fn wait_until_ready(&mut self) -> anyhow::Result<()> {
        let workers = self.workers.iter().zip(&self.watched);
        let front_ends = self.front_ends.iter().map(|front_end| (&front_end.part, &front_end.operations));
        for (part, operations) in workers.chain(front_ends) {
            if !plain_http::until(UP_MAX, || is_ready(operations)) {
                let said = plain_http::get(&format!("{operations}/ready"));
                let workers: Vec<String> = self.workers.iter().map(FleetProcess::log_tail).collect();
                bail!("{} is not ready: {said:?}\n{}\nworkers: {workers:?}", part.name(), part.log_tail());
            }
        }
        Ok(())
    }

    pub fn part(&mut self, which: FleetPart) -> anyhow::Result<&mut FleetProcess> {
        let part = match which {
            FleetPart::Node(number) => self.nodes.get_mut(number).map(|node| &mut node.part),
            FleetPart::Database => Some(&mut self.database.part),
            FleetPart::Worker(number) => self.workers.get_mut(number),
            FleetPart::FrontEnd(number) => {
                self.front_ends.get_mut(number).map(|front_end| &mut front_end.part)
            }
        };
        part.with_context(|| format!("the stand has no {which:?}"))
    }

    /// What each kind of part uses: engine, database, workers, front ends.
    pub fn used(&self) -> [(&'static str, FleetProcessUsage); 4] {
        let sum = |parts: &mut dyn Iterator<Item = FleetProcessUsage>| {
            parts.fold(FleetProcessUsage::default(), |sum, one| sum + one)
        };
        [
            ("engine", sum(&mut self.nodes.iter().map(|node| node.part.used()))),
            ("database", self.database.part.used()),
            ("workers", sum(&mut self.workers.iter().map(FleetProcess::used))),
            ("front ends", sum(&mut self.front_ends.iter().map(|front_end| front_end.part.used()))),
        ]
    }

    /// Lines that no part may ever write.
    pub fn panics(&self) -> Vec<String> {
        let parts = self.workers.iter().chain(self.front_ends.iter().map(|front_end| &front_end.part));
        parts.flat_map(|part| part.lines_with(&["panicked at"])).collect()
    }
}
