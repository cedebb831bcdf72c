//! Kills at the Nth request: the program has a simulated world of its own, and between the two stands a proxy that
//! says when to kill.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
    time::Duration,
};

use anyhow::{Context as _, ensure};
use serde_json::Value;

use super::kill_proxy::{KillProxy, RequestKillPoint};
use crate::rig::{self, ProcessGroup, SimulatorProcess};

/// Between two looks at the process.
const LOOK_EVERY: Duration = Duration::from_millis(2);

/// Where the process that asks is killed, and perhaps the one that takes up what it left.
#[derive(Debug, Clone, Copy)]
pub struct RequestKillPlan {
    pub first: RequestKillPoint,
    pub second: Option<RequestKillPoint>,
}

/// A world with the proxy before it.
pub struct RequestKillTestBed {
    pub simulator: SimulatorProcess,
    pub proxy: KillProxy,
    pub place: PathBuf,
}

/// How a process ended.
pub struct ProcessEnd {
    pub killed: bool,
    pub stderr: String,
}

/// Which process of a story is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoryStep {
    Begin,
    Resume,
}

/// What the processes of one story said, and what was seen after each kill.
pub struct KilledStory<S> {
    pub ends: Vec<ProcessEnd>,
    pub kills: Vec<S>,
    pub not_reached: usize,
}

impl RequestKillTestBed {
    pub fn open(place: &Path, pages: &[Value]) -> anyhow::Result<Self> {
        fs::create_dir_all(place)?;
        let web = place.join("web.json");
        fs::write(&web, serde_json::json!({ "pages": pages }).to_string())?;
        let simulator = SimulatorProcess::start(&["--web", &web.to_string_lossy()])?;
        let proxy = KillProxy::before(simulator.base_url.trim_start_matches("http://"))?;
        Ok(Self { simulator, proxy, place: place.to_owned() })
    }

    /// Runs a command to its end, or to the kill.
    pub fn run(
        &self,
        command: &mut Command,
        point: Option<RequestKillPoint>,
        limit: Duration,
    ) -> anyhow::Result<ProcessEnd> {
        self.proxy.arm(point);
        let said = self.place.join("stderr.txt");
        let command = command.stdout(Stdio::null()).stderr(Stdio::from(File::create(&said)?));
        let mut group = ProcessGroup::spawn(command)?;
        let until = rig::now() + limit;
        let mut killed = false;
        while group.child.try_wait()?.is_none() {
            if self.proxy.is_kill_due() {
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
}

/// Begins, is killed, is taken up, perhaps killed again, and taken up to the end; `look` sees what each kill left.
pub fn kill_and_resume<S>(
    plan: &RequestKillPlan,
    run: impl Fn(StoryStep, Option<RequestKillPoint>) -> anyhow::Result<ProcessEnd>,
    look: impl Fn() -> anyhow::Result<S>,
) -> anyhow::Result<KilledStory<S>> {
    let mut story = KilledStory { ends: Vec::new(), kills: Vec::new(), not_reached: 0 };
    let mut step = StoryStep::Begin;
    for point in [Some(plan.first), plan.second].into_iter().flatten() {
        let end = run(step, Some(point))?;
        let killed = end.killed;
        story.ends.push(end);
        if !killed {
            story.not_reached += 1;
            return Ok(story);
        }
        story.kills.push(look()?);
        step = StoryStep::Resume;
    }
    story.ends.push(run(StoryStep::Resume, None)?);
    Ok(story)
}

/// How often each page was asked for, as the world counted.
pub fn page_fetches(simulator: &SimulatorProcess) -> anyhow::Result<BTreeMap<String, u64>> {
    let ledger = simulator.get("web/ledger")?;
    let fetches = ledger.get("fetches").and_then(Value::as_object).context("the ledger has no fetches")?;
    let pages = fetches.iter().filter(|(address, _)| !address.ends_with("/robots.txt"));
    Ok(pages.map(|(address, count)| (address.clone(), count.as_u64().unwrap_or(0))).collect())
}
