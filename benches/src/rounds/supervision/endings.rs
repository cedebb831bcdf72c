//! The ways a question ends, each carried out on one behaviour, and what is left then.

use std::{path::Path, time::Duration};

use anyhow::{Context as _, ensure};
use probity_models::{
    ApiKey,
    gemini_cli::{CliCall, CliProcessReuse, CliRequest, CliSettings, GeminiCli},
};
use rustix::process::Signal;
use serde_json::{Value, json};

use super::{
    SupervisionTrial,
    processes::{self, within},
};
use crate::{
    foundation::kill_sweep::program::ids_in, mcp::session::McpSession, rig,
    rounds::real_cli_cases::test_bed::CliTestBed,
};

/// Nobody listens there; the misbehaving CLI asks nobody.
const NOWHERE: &str = "http://127.0.0.1:9";
/// Until all processes of a behaviour are there, on a crowded machine.
const STARTED_MAX: Duration = Duration::from_secs(60);
/// Three tries of a round that ends by itself, with their pauses.
const ITSELF_MAX: Duration = Duration::from_secs(90);
/// While somebody waits for a start, for a piece of this time.
const LISTEN: Duration = Duration::from_millis(20);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrialEnding {
    /// `cancel_research`.
    Cancel,
    /// Whoever listens lets go of the question.
    Drop,
    /// `kill -9` of the server.
    Kill,
    /// The client leaves, and the server with it.
    Leave,
    /// Nobody ends it: it floods, answers or dies.
    Itself,
}

impl TrialEnding {
    pub const ALL: [Self; 5] = [Self::Cancel, Self::Drop, Self::Kill, Self::Leave, Self::Itself];
}

#[derive(Debug, Default)]
pub struct SupervisionTally {
    pub left: Vec<String>,
    pub hung: Vec<String>,
    /// Processes at once.
    pub most: usize,
    pub gone_after: Duration,
    /// How much the server's memory rose, where the CLI printed without end.
    pub grown_bytes: Option<u64>,
}

impl SupervisionTrial {
    pub fn run(&self, cli: &Path, place: &Path) -> anyhow::Result<SupervisionTally> {
        let mut told = match self.ending {
            TrialEnding::Drop => self.dropped(cli, place)?,
            _ => self.served(cli, place)?,
        };
        let name = format!("{} {:?} {}", self.behaviour.script_name(), self.ending, self.reuse);
        told.left.iter_mut().chain(&mut told.hung).for_each(|line| *line = format!("{name}: {line}"));
        Ok(told)
    }

    fn served(&self, cli: &Path, place: &Path) -> anyhow::Result<SupervisionTally> {
        let lab = CliTestBed::new(NOWHERE, place, cli)?;
        let mut server = lab.server(&[("PROBITY_GEMINI_CLI__REUSE", self.reuse)])?;
        let before = peak_bytes(server.pid())?;
        let query = format!("why? [[fake {}]]", self.behaviour.script_name());
        let call = server.ask_tool("search", &json!({ "query": query }))?;
        let mut told = SupervisionTally::default();
        if self.ending != TrialEnding::Itself {
            let there = within(STARTED_MAX, || lab.living(&server).len() >= self.behaviour.processes());
            ensure!(there, "it did not begin: {:?}", words(&lab.living(&server)));
            told.most = lab.living(&server).len();
        }
        let mut began = rig::now();
        match self.ending {
            TrialEnding::Cancel => cancel(&mut server)?,
            TrialEnding::Kill => server.signal(Signal::KILL),
            TrialEnding::Leave => server.close_input(),
            TrialEnding::Itself | TrialEnding::Drop => {
                if let Err(error) = server.answer(call, ITSELF_MAX) {
                    told.hung.push(format!("{error:#}"));
                }
                began = rig::now();
                told.grown_bytes = self
                    .behaviour
                    .floods()
                    .then(|| peak_bytes(server.pid()))
                    .transpose()?
                    .map(|peak| peak.saturating_sub(before));
            }
        }
        let alive = matches!(self.ending, TrialEnding::Cancel | TrialEnding::Itself).then(|| server.pid());
        // A process may wait for the next question of its research only as long as there can be one.
        told.left = words(&processes::wait_until_gone(place, alive.or(Some(server.pid()))));
        told.gone_after = began.elapsed();
        if alive.is_some() {
            server.close_input();
        }
        let ended = server.wait(rig::now(), ITSELF_MAX)?;
        if !ended.in_time {
            told.hung.push("the server did not end".to_owned());
        }
        processes::end_all(&processes::processes_of(place, None));
        Ok(told)
    }

    fn dropped(&self, cli: &Path, place: &Path) -> anyhow::Result<SupervisionTally> {
        std::fs::create_dir_all(place)?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let (cli, prompt) = (GeminiCli::new(self.settings(cli, place)?), self.behaviour.script_name());
        let (most, began) = runtime.block_on(Box::pin(async {
            let ask = CliRequest {
                session: "res_1".to_owned(),
                prompt: format!("[[fake {prompt}]]"),
                model: None,
                attachment: None,
            };
            let mut running: CliCall = cli.begin(ask).await?;
            let until = rig::now() + STARTED_MAX;
            while processes::processes_of(place, None).len() < self.behaviour.processes() {
                ensure!(rig::now() < until, "it did not begin");
                // Nothing is written to the child while nobody listens.
                tokio::time::timeout(LISTEN, running.next()).await.ok();
            }
            let most = processes::processes_of(place, None).len();
            let began = rig::now();
            drop(running);
            anyhow::Ok((most, began))
        }))?;
        let left = processes::wait_until_gone(place, None);
        let told = SupervisionTally {
            left: words(&left),
            most,
            gone_after: began.elapsed(),
            ..SupervisionTally::default()
        };
        processes::end_all(&left);
        Ok(told)
    }

    fn settings(&self, cli: &Path, place: &Path) -> anyhow::Result<CliSettings> {
        Ok(CliSettings {
            program: Some(cli.to_owned()),
            path: "/usr/bin:/bin".into(),
            supervisor: vec![rig::built("probity")?.into(), "keep".into()],
            directory: place.join("cli"),
            key: ApiKey::parse("simulated-key")?,
            base_url: NOWHERE.parse().context("an address")?,
            system_prompt: "You are a careful researcher.".to_owned(),
            reuse: if self.reuse == "pool" { CliProcessReuse::Pool } else { CliProcessReuse::Spawn },
        })
    }
}

fn cancel(server: &mut McpSession) -> anyhow::Result<()> {
    let limit = crate::mcp::session::ANSWER_LIMIT;
    let listed = server.call_structured("list_research", &json!({}), limit)?;
    let id = ids_in(&listed.to_string()).into_iter().next().context("no research is listed")?;
    let told = server.call_structured("cancel_research", &json!({ "task_id": id }), limit)?;
    let status = told.get("status").and_then(Value::as_str);
    ensure!(status == Some("cancelled"), "the cancel says {told}");
    Ok(())
}

fn words(living: &[processes::LiveProcess]) -> Vec<String> {
    living.iter().map(|process| format!("{} {}", process.pid, process.words)).collect()
}

/// The most memory that a process ever had.
fn peak_bytes(pid: u32) -> anyhow::Result<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).context("no peak")?;
    let kib: u64 = line.split_whitespace().next().context("no number")?.parse()?;
    Ok(kib * 1024)
}
