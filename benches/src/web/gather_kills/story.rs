//! One research of the real program on the web engine: the world it asks, how it is started, killed and taken up.

use std::{
    collections::BTreeSet,
    fs::{self, File},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
    time::Duration,
};

use anyhow::{Context as _, ensure};
use serde_json::{Value, json};

use super::{
    journal::gather_states,
    judge::{GatherJournals, KillRecord, OutsideCounts},
    kill_proxy::{KillProxy, RequestKillPoint},
};
use crate::{
    foundation::kill_sweep::{
        installed,
        program::{COMMAND_LIMIT, ProgramInstallation, ids_in},
    },
    rig::{self, ProcessGroup, SimulatorProcess},
};

/// Sites that answer the question; more than are read, so that one has to choose.
const SITES: usize = 9;
const QUESTION: &str = "How long is the harbour bridge of Norwick, when did it open and who built it?";
/// Between two looks at the process.
const LOOK_EVERY: Duration = Duration::from_millis(2);

/// A program with a world of its own.
pub struct GatherKillTestBed {
    program: ProgramInstallation,
    pub simulator: SimulatorProcess,
    pub guillotine: KillProxy,
    place: PathBuf,
}

/// How a process ended.
pub struct ProcessEnd {
    pub killed: bool,
    pub stderr: String,
}

impl GatherKillTestBed {
    pub fn open(place: &Path) -> anyhow::Result<Self> {
        fs::create_dir_all(place)?;
        let web = place.join("web.json");
        fs::write(&web, pages().to_string())?;
        let simulator = SimulatorProcess::start(&["--web", &web.to_string_lossy()])?;
        let guillotine = KillProxy::before(simulator.base_url.trim_start_matches("http://"))?;
        Ok(Self { program: installed(&simulator, place)?, simulator, guillotine, place: place.to_owned() })
    }

    /// Asks; killed where the guillotine falls.
    pub fn ask(&self, cut: Option<RequestKillPoint>) -> anyhow::Result<ProcessEnd> {
        self.run(&["research", "--rounds", "--engine", "web", QUESTION, "--json"], cut)
    }

    /// Takes up whatever is unfinished.
    pub fn resume(&self, cut: Option<RequestKillPoint>) -> anyhow::Result<ProcessEnd> {
        self.run(&["runs", "resume", "--all"], cut)
    }

    fn run(&self, arguments: &[&str], cut: Option<RequestKillPoint>) -> anyhow::Result<ProcessEnd> {
        self.guillotine.arm(cut);
        let said = self.place.join("stderr.txt");
        let mut command = self.program.command(arguments);
        self.settings(&mut command);
        let mut group =
            ProcessGroup::spawn(command.stdout(Stdio::null()).stderr(Stdio::from(File::create(&said)?)))?;
        let until = rig::now() + COMMAND_LIMIT;
        let mut killed = false;
        while group.child.try_wait()?.is_none() {
            if self.guillotine.is_kill_due() {
                group.end()?;
                killed = true;
                break;
            }
            ensure!(rig::now() < until, "the program hangs: {}", fs::read_to_string(&said)?);
            thread::sleep(LOOK_EVERY);
        }
        let stderr = fs::read_to_string(&said).context("reading what the program said")?;
        ensure!(!stderr.contains("panicked at"), "the program panicked: {stderr}");
        Ok(ProcessEnd { killed, stderr })
    }

    /// The world stands behind the guillotine; the model's prices hold as if it were far away.
    fn settings(&self, command: &mut Command) {
        let here = self.guillotine.address;
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
            let has = |name: &str, wanted: fn(&str) -> bool| {
                document.get(name).and_then(Value::as_str).is_some_and(wanted)
            };
            if !has("status", |status| status == "completed") || !has("report", |report| !report.is_empty()) {
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
        let mut socket = std::net::TcpStream::connect(self.guillotine.address)?;
        socket.set_read_timeout(Some(COMMAND_LIMIT))?;
        write!(socket, "{head}\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}", body.len())?;
        let mut answer = String::new();
        socket.read_to_string(&mut answer)?;
        ensure!(answer.starts_with("HTTP/1.1 200"), "a planted request was refused: {answer}");
        Ok(())
    }
}

pub fn ids(ran: &[&ProcessEnd]) -> BTreeSet<String> {
    ran.iter().flat_map(|ran| ids_in(&ran.stderr)).collect()
}

/// Pages of sites that do not copy each other.
fn pages() -> Value {
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
    json!({"pages": subjects.iter().take(SITES).enumerate().map(page).collect::<Vec<_>>()})
}
