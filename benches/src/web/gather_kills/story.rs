//! One research of the real program on the web engine: the world it asks, how it is started, killed and taken up.

use std::{collections::BTreeSet, fs, ops::Deref, path::Path, process::Command};

use anyhow::{Context as _, ensure};
use serde_json::{Value, json};

use super::judge::{GatherJournals, KillRecord, OutsideCounts, gather_states};
use crate::{
    foundation::kill_sweep::{
        installed,
        program::{COMMAND_LIMIT, ProgramInstallation, field, ids_in},
    },
    kill_harness::{
        kill_proxy::RequestKillPoint,
        requests::{ProcessEnd, RequestKillTestBed, StoryStep},
    },
};

const QUESTION: &str = "How long is the harbour bridge of Norwick, when did it open and who built it?";

/// Which engine gathers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KilledEngine {
    First,
    Second,
}

impl KilledEngine {
    fn arguments(self) -> &'static [&'static str] {
        match self {
            Self::First => &["research", "--rounds", "--engine", "web", QUESTION, "--json"],
            Self::Second => &["research", "--web", "--depth", "deep", QUESTION, "--json"],
        }
    }
}

/// A program with a world of its own.
pub struct GatherKillTestBed {
    engine: KilledEngine,
    program: ProgramInstallation,
    world: RequestKillTestBed,
}

impl Deref for GatherKillTestBed {
    type Target = RequestKillTestBed;

    fn deref(&self) -> &RequestKillTestBed {
        &self.world
    }
}

impl GatherKillTestBed {
    pub fn open(engine: KilledEngine, place: &Path) -> anyhow::Result<Self> {
        let world = RequestKillTestBed::open(place, &pages())?;
        Ok(Self { engine, program: installed(&world.simulator, place)?, world })
    }

    /// Asks, or takes up whatever is unfinished; killed where the proxy says so.
    pub fn step(&self, step: StoryStep, point: Option<RequestKillPoint>) -> anyhow::Result<ProcessEnd> {
        let mut command = match step {
            StoryStep::Begin => self.program.command(self.engine.arguments()),
            StoryStep::Resume => self.program.command(&["runs", "resume", "--all"]),
        };
        self.settings(&mut command);
        self.world.run(&mut command, point, COMMAND_LIMIT)
    }

    /// The world stands behind the proxy; the model's prices hold as if it were far away.
    fn settings(&self, command: &mut Command) {
        let here = self.proxy.address;
        command
            .env("TAVILY_API_KEY", "tvly-simulated")
            .env("OPENAI_API_KEY", "sk-simulated")
            .env("PROBITY_SEARCH__PROVIDERS", "tavily,wikipedia")
            .env(
                "PROBITY_SEARCH__BASES",
                format!("tavily=http://{here}/search-api/tavily,wikipedia=http://{here}/search-api/wikipedia/{{language}}"),
            )
            .env("PROBITY_WEB__REACH", format!("*:80={here},{here}={here}"))
            .env("PROBITY_WEB__ARCHIVE", "false")
            .env("PROBITY_WEB__BROWSER", "off")
            .env("PROBITY_CHAT__KIND", "openai")
            .env("PROBITY_CHAT__BASE_URL", format!("http://{here}/v1"))
            .env("PROBITY_CHAT__MODEL", "gpt-5")
            .env("PROBITY_CHAT__STANDS_FOR", "openai");
    }

    pub fn journals(&self) -> anyhow::Result<GatherJournals> {
        gather_states(self.program.data(), &self.place)
    }

    pub fn kill(&self) -> anyhow::Result<KillRecord> {
        Ok(KillRecord { journals: self.journals()?, world: OutsideCounts::of(&self.simulator)? })
    }

    /// Whether a person is shown a finished report for each of them.
    pub fn shows_reports(&self, journals: &GatherJournals) -> anyhow::Result<bool> {
        for id in journals.keys() {
            let document = self.program.run(&["runs", "show", &id.to_string(), "--json"])?.json();
            if field(&document, "status") != "completed" || field(&document, "report").is_empty() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    pub fn forget_everything(&self) -> anyhow::Result<()> {
        fs::remove_dir_all(self.program.data()).context("throwing the store away")
    }

    /// Sends a request of our own to the world, as a program with a fault would.
    pub fn plant(&self, head: &str, body: &str) -> anyhow::Result<()> {
        use std::io::{Read as _, Write as _};
        let mut socket = std::net::TcpStream::connect(self.proxy.address)?;
        socket.set_read_timeout(Some(COMMAND_LIMIT))?;
        write!(socket, "{head}\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}", body.len())?;
        let mut answer = String::new();
        socket.read_to_string(&mut answer)?;
        ensure!(answer.starts_with("HTTP/1.1 200"), "a planted request was refused: {answer}");
        Ok(())
    }
}

pub fn ids(ran: &[ProcessEnd]) -> BTreeSet<String> {
    ran.iter().flat_map(|ran| ids_in(&ran.stderr)).collect()
}

/// Pages of sites that do not copy each other; more than are read, so that one has to choose.
fn pages() -> Vec<Value> {
    let subjects =
        ["ferries", "lamps", "gulls", "painters", "tolls", "storms", "parades", "anglers", "photographs"];
    let page = |(place, subject): (usize, &&str)| {
        let year = 1921 + place;
        json!({
            "url": format!("http://{subject}-of-norwick.example/bridge"),
            "title": format!("The harbour bridge of Norwick and its {subject}"),
            "text": format!(
                "The harbour bridge of Norwick is {} metres long if one counts the {subject} as well.\n\n\
                 It did open in {year}, and whoever built it thought of {subject} first; letters of number {place} say so.\n\n\
                 Old people in street {place} remember {subject} better than the bridge, which they find natural.",
                800 + place
            ),
            "delay_ms": 10,
        })
    };
    subjects.iter().enumerate().map(page).collect()
}
