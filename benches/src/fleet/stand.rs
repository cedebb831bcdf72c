//! A whole fleet on this machine: engine, database, simulator, workers and front ends, each a process of its own.
//!
//! Everything is killed when the stand is dropped, also by a panic. Ports are free ones, files are in a folder that
//! goes with the stand.

pub mod caller;
pub mod database;
pub mod engine;
pub mod network;
pub mod part;
pub mod ports;
pub mod program;
pub mod session;
pub mod wire;

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::{Context, bail};

use self::{
    database::Database,
    engine::{EngineSettings, Node},
    network::Network,
    part::{Part, Place, Used},
    ports::Ports,
    program::{Addresses, Program},
};
use crate::rig;

/// A program answers within a second of its start on an idle machine.
const UP_MAX: Duration = Duration::from_secs(60);

/// How large a stand is.
#[derive(Debug, Clone)]
pub struct Plan {
    /// One, or three that replicate.
    pub nodes: usize,
    pub workers: usize,
    pub front_ends: usize,
    /// Arguments of the simulator.
    pub simulator: Vec<String>,
    /// Settings of workers and front ends by their environment names, over the stand's own.
    pub settings: Vec<(String, String)>,
    pub engine: EngineSettings,
    /// Another build of the program, for upgrades.
    pub program: Option<PathBuf>,
}

impl Default for Plan {
    fn default() -> Self {
        Self {
            nodes: 1,
            workers: 1,
            front_ends: 1,
            simulator: Vec::new(),
            settings: Vec::new(),
            engine: EngineSettings::default(),
            program: None,
        }
    }
}

impl Plan {
    pub fn of(nodes: usize, workers: usize, front_ends: usize) -> Self {
        Self { nodes, workers, front_ends, ..Self::default() }
    }

    pub fn simulated(mut self, scenario: &str) -> Self {
        self.simulator.extend(["--scenario".to_owned(), scenario.to_owned()]);
        self
    }

    pub fn set(mut self, name: &str, value: impl Into<String>) -> Self {
        self.settings.push((name.to_owned(), value.into()));
        self
    }
}

/// Which part of the stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    Node(usize),
    Database,
    Worker(usize),
    FrontEnd(usize),
}

/// A front end with its address.
pub struct FrontEnd {
    pub part: Part,
    pub base: String,
    /// Where it says how it is doing.
    pub operations: String,
}

impl FrontEnd {
    /// Answers, and reaches everything that it needs.
    pub fn is_ready(&self) -> bool {
        is_ready(&self.operations) && wire::get(&self.base).is_ok()
    }
}

fn is_ready(operations: &str) -> bool {
    wire::get(&format!("{operations}/ready")).is_ok_and(|(status, _)| status == 200)
}

/// Fields are dropped in this order: those who ask before those who answer.
pub struct Stand {
    pub front_ends: Vec<FrontEnd>,
    pub workers: Vec<Part>,
    /// Where each worker says how it is doing.
    pub watched: Vec<String>,
    pub nodes: Vec<Node>,
    pub simulator: Simulator,
    pub database: Database,
    pub program: Program,
    pub folder: tempfile::TempDir,
}

/// The provider of the stand.
pub struct Simulator {
    pub part: Part,
    pub base_url: String,
}

impl Simulator {
    fn start(folder: &Path, place: Place, port: u16, arguments: &[String]) -> anyhow::Result<Self> {
        let address = format!("{}:{port}", place.address());
        let mut words: Vec<std::ffi::OsString> = vec!["--listen".into(), address.clone().into()];
        words.extend(arguments.iter().map(Into::into));
        let recipe = part::Recipe {
            name: "simulator".to_owned(),
            program: rig::built("probity-simulator")?,
            arguments: words,
            environment: Vec::new(),
            folder: folder.to_owned(),
            place,
        };
        let simulator = Self { part: Part::start(recipe)?, base_url: format!("http://{address}") };
        if wire::until(UP_MAX, || simulator.get("stats").is_ok()) {
            return Ok(simulator);
        }
        bail!("the simulator did not come up: {}", simulator.part.last_words())
    }

    /// Asks an admin route, such as `ledger` or `stats`.
    pub fn get(&self, route: &str) -> anyhow::Result<serde_json::Value> {
        let (status, body) = wire::get(&format!("{}/simulator/{route}", self.base_url))?;
        serde_json::from_str(&body).with_context(|| format!("{route} answers {status}: {body}"))
    }

    pub fn post(&self, route: &str, body: &str) -> anyhow::Result<(u16, String)> {
        wire::post(&format!("{}/simulator/{route}", self.base_url), &[], body)
    }
}

impl Stand {
    /// Everything on loopback.
    pub fn start(plan: &Plan) -> anyhow::Result<Self> {
        Self::build(plan, |_| Ok(Place::Loopback), |provider| Ok(provider.to_owned()))
    }

    /// The same, with something between the program and its provider; it is told where the provider is.
    pub fn start_behind(
        plan: &Plan,
        between: impl FnOnce(&str) -> anyhow::Result<String>,
    ) -> anyhow::Result<Self> {
        Self::build(plan, |_| Ok(Place::Loopback), between)
    }

    /// Every part in a network of its own: database, simulator, nodes, workers and front ends, in this order.
    pub fn start_in(plan: &Plan, network: &Network) -> anyhow::Result<Self> {
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
    pub fn places_of(plan: &Plan) -> usize {
        2 + plan.nodes + plan.workers + plan.front_ends
    }

    fn build(
        plan: &Plan,
        place: impl Fn(usize) -> anyhow::Result<Place>,
        between: impl FnOnce(&str) -> anyhow::Result<String>,
    ) -> anyhow::Result<Self> {
        let folder = tempfile::Builder::new().prefix("probity-fleet-").tempdir()?;
        let mut ports = Ports::default();
        let database = Database::start(folder.path(), place(0)?, &mut ports)?;
        let simulator = Simulator::start(folder.path(), place(1)?, ports.free()?, &plan.simulator)?;
        let places: Vec<Place> =
            (0..plan.nodes).map(|node| place(2 + node)).collect::<anyhow::Result<_>>()?;
        let nodes = engine::start(folder.path(), &places, &mut ports, &plan.engine)?;
        let first = nodes.first().context("a stand has at least one node")?;
        let worker_places: Vec<Place> =
            (0..plan.workers).map(|worker| place(2 + plan.nodes + worker)).collect::<anyhow::Result<_>>()?;
        let addresses = Addresses {
            database: database.url.clone(),
            objects: format!("dir:{}", folder.path().join("objects").display()),
            ingress: nodes.iter().map(|node| node.ingress.clone()).collect(),
            admin: first.admin.clone(),
            provider: between(&simulator.base_url)?,
            worker_port: ports.free()?,
        };
        std::fs::create_dir_all(folder.path().join("objects"))?;
        let program = Program::new(plan, folder.path(), addresses)?;
        program.prepare_database()?;
        let mut workers = Vec::new();
        let mut watched = Vec::new();
        for (number, place) in worker_places.iter().enumerate() {
            let operations = ports.free()?;
            workers.push(Part::start(program.worker(number, place, operations))?);
            watched.push(format!("http://{}:{operations}", place.address()));
        }
        let mut stand =
            Self { front_ends: Vec::new(), workers, watched, nodes, simulator, database, program, folder };
        for number in 0..plan.front_ends {
            let place = place(2 + plan.nodes + plan.workers + number)?;
            let operations = ports.free()?;
            let (recipe, base) = stand.program.front_end(number, &place, ports.free()?, operations);
            let operations = format!("http://{}:{operations}", place.address());
            stand.front_ends.push(FrontEnd { part: Part::start(recipe)?, base, operations });
        }
        stand.wait_until_ready()?;
        Ok(stand)
    }

    /// All workers and front ends say that they are ready, which includes database and engine.
    pub fn wait_until_ready(&mut self) -> anyhow::Result<()> {
        for (worker, operations) in self.workers.iter().zip(&self.watched) {
            if !wire::until(UP_MAX, || is_ready(operations)) {
                let said = wire::get(&format!("{operations}/ready"));
                bail!("{} is not ready: {said:?}\n{}", worker.name(), worker.last_words());
            }
        }
        for front_end in &self.front_ends {
            let ready = || {
                wire::get(&format!("{}/ready", front_end.operations)).is_ok_and(|(status, _)| status == 200)
            };
            if !wire::until(UP_MAX, ready) {
                let words: Vec<String> = self.workers.iter().map(Part::last_words).collect();
                bail!(
                    "{} is not ready: {:?}\n{}\nworkers: {words:?}",
                    front_end.part.name(),
                    wire::get(&format!("{}/ready", front_end.operations)),
                    front_end.part.last_words()
                );
            }
        }
        Ok(())
    }

    pub fn part(&mut self, which: Which) -> anyhow::Result<&mut Part> {
        let part = match which {
            Which::Node(number) => self.nodes.get_mut(number).map(|node| &mut node.part),
            Which::Database => Some(&mut self.database.part),
            Which::Worker(number) => self.workers.get_mut(number),
            Which::FrontEnd(number) => self.front_ends.get_mut(number).map(|front_end| &mut front_end.part),
        };
        part.with_context(|| format!("the stand has no {which:?}"))
    }

    /// What each kind of part uses: engine, database, workers, front ends.
    pub fn used(&self) -> [(&'static str, Used); 4] {
        let sum = |parts: &mut dyn Iterator<Item = Used>| parts.fold(Used::default(), |sum, one| sum + one);
        [
            ("engine", sum(&mut self.nodes.iter().map(|node| node.part.used()))),
            ("database", self.database.part.used()),
            ("workers", sum(&mut self.workers.iter().map(Part::used))),
            ("front ends", sum(&mut self.front_ends.iter().map(|front_end| front_end.part.used()))),
        ]
    }

    /// Lines that no part may ever write.
    pub fn panics(&self) -> Vec<String> {
        let parts = self.workers.iter().chain(self.front_ends.iter().map(|front_end| &front_end.part));
        parts.flat_map(|part| part.lines_with(&["panicked at"])).collect()
    }
}
