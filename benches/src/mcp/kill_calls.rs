//! Kills `probity mcp` at the Nth system call of each kind while a client calls its tools, starts it again
//! and compares what the client had been told with what is true.

mod client;

use std::{collections::BTreeMap, path::Path, thread, time::Duration};

use anyhow::Context as _;

use self::client::{ClientFacts, run_scenario, untrue_after};
use super::{
    malformed_input::finish,
    session::{McpSession, ProtocolEra},
};
use crate::{
    figure::{Figure, MeasurementSize},
    foundation::{
        kill_sweep::{
            installed,
            judge::{KillSweepJudgement, creates, judge},
            memory_folder,
            points::{self, KillPoint},
            program::{COMMAND_LIMIT, ForegroundRun, ProgramInstallation},
        },
        parallel_trials::run_in_parallel,
    },
    output,
    rig::{self, SimulatorProcess},
};

const UNTRUE: &str = "told to an MCP client and untrue after a kill inside a call";
const TWICE: &str = "paid twice after a kill inside a call";
/// Stories that run side by side; most of one is waiting.
const SIDE_BY_SIDE: usize = 4;
/// Threads do not make the same calls in every run, so some points are never reached.
const SLACK: f64 = 1.3;
/// Above what a session under strace takes.
const SESSION_LIMIT: Duration = COMMAND_LIMIT;

/// What the client does when the kill comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolCallScenario {
    Start,
    Cancel,
    Save,
}

impl ToolCallScenario {
    const ALL: [Self; 3] = [Self::Start, Self::Cancel, Self::Save];

    /// Share of all points: most happens in a start.
    fn share(self) -> f64 {
        match self {
            Self::Start => 0.5,
            Self::Cancel | Self::Save => 0.25,
        }
    }

    /// What is in the store before; the research that the story is about, if there is one.
    fn prelude(self, program: &ProgramInstallation) -> anyhow::Result<Option<String>> {
        match self {
            Self::Start | Self::Save => {
                let before = program.run(&["research", "[[completed duration_ms=1]] before?", "--json"])?;
                let id = before.json().get("task_id").and_then(|id| id.as_str()).map(str::to_owned);
                Ok(Some(id.context("the prelude gave no id")?))
            }
            Self::Cancel => {
                let mut running = ForegroundRun::start(program, "[[cancel-ok duration_ms=2500]] why?")?;
                thread::sleep(Duration::from_millis(250));
                running.group.end()?;
                Ok(Some(running.id.clone()))
            }
        }
    }
}

pub fn measure(size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    if !rig::has_program("strace") {
        let why = "strace is not installed";
        return Ok(vec![Figure::skipped(UNTRUE, "0", why), Figure::skipped(TWICE, "0", why)]);
    }
    let wanted = size.pick(25, 300);
    let simulator = SimulatorProcess::start(&[])?;
    let folder = memory_folder()?;
    let mut plan = Vec::new();
    for story in ToolCallScenario::ALL {
        let census = census(story, &simulator, &folder.path().join(format!("census-{story:?}")))?;
        let points = some(&census, (wanted as f64 * story.share() * SLACK).ceil() as usize);
        output::progress(&format!("{story:?}: {} kinds of call, {} points", census.len(), points.len()));
        plan.extend(points.into_iter().map(|point| (story, point)));
    }
    let before = creates(&simulator)?;
    let trials =
        run_in_parallel("kill point", SIDE_BY_SIDE, &plan, folder.path(), |(story, point), place| {
            one(*story, point, &simulator, place)
                .with_context(|| format!("{story:?} killed at {} {}", point.kind, point.when))
        })?;
    let mut total = KillCallsTally::default();
    trials.into_iter().for_each(|told| total.add(told));
    let paid = creates(&simulator)?.into_keys().filter(|id| !before.contains_key(id));
    let unknown_to_all = paid.filter(|id| !total.judged.stored.contains(id));
    let nowhere: Vec<String> =
        unknown_to_all.map(|id| format!("{id} was paid for and is in no store")).collect();
    total.judged.lost.extend(nowhere);
    let control = client::control(&simulator, &folder.path().join("control"))?;
    Ok(figures(&total, wanted, &control))
}

/// What one kill, or the whole sweep, left behind.
#[derive(Debug, Default)]
struct KillCallsTally {
    kills: usize,
    not_reached: usize,
    facts: usize,
    untrue: Vec<String>,
    judged: KillSweepJudgement,
}

impl KillCallsTally {
    fn add(&mut self, other: Self) {
        self.kills += other.kills;
        self.not_reached += other.not_reached;
        self.facts += other.facts;
        self.untrue.extend(other.untrue);
        self.judged.add(other.judged);
    }
}

fn figures(total: &KillCallsTally, wanted: usize, control: &str) -> Vec<Figure> {
    let KillCallsTally { kills, not_reached, facts, untrue, judged } = total;
    let wrong: Vec<&String> = untrue.iter().chain(&judged.lost).chain(&judged.untrue).collect();
    wrong.iter().copied().chain(&judged.duplicates).for_each(|line| output::progress(line));
    let enough = *kills >= wanted;
    let story = format!("{facts} facts told; {not_reached} planned points were not reached; {control}");
    let goal = format!("0, at least {wanted} points");
    let measured = format!("{} of {kills} kill points", wrong.len());
    let twice =
        format!("{} of {kills} kill points, unknown shown = {}", judged.duplicates.len(), judged.unknown);
    vec![
        Figure::judged(UNTRUE, enough && wrong.is_empty(), measured, &goal).with_note(story),
        Figure::judged(TWICE, enough && judged.duplicates.is_empty(), twice, "0"),
    ]
}

/// Which calls an undisturbed session makes, and how often.
fn census(
    story: ToolCallScenario,
    simulator: &SimulatorProcess,
    place: &Path,
) -> anyhow::Result<BTreeMap<String, u32>> {
    let program = installed(simulator, place)?;
    let about = story.prelude(&program)?;
    let trace = place.join("census.trace");
    let options = ["-o".to_owned(), trace.display().to_string()];
    let session = McpSession::start(&mut program.traced(&options, &["mcp"]), ProtocolEra::Handshake)?;
    let facts = run_scenario(story, session, about.as_deref())?;
    anyhow::ensure!(!facts.killed, "an undisturbed session did not end by itself");
    let text = std::fs::read(&trace).with_context(|| format!("reading {}", trace.display()))?;
    let counts = points::count(&String::from_utf8_lossy(&text));
    anyhow::ensure!(!counts.is_empty(), "strace saw nothing");
    Ok(counts)
}

/// About `wanted` points. Every kind of call has at least one to choose; a quick run takes some of them.
fn some(census: &BTreeMap<String, u32>, wanted: usize) -> Vec<KillPoint> {
    let points = points::choose(census, wanted);
    let step = (points.len() / wanted.max(1)).max(1);
    points.into_iter().step_by(step).collect()
}

/// One story with one kill: what was told must be true afterwards.
fn one(
    story: ToolCallScenario,
    point: &KillPoint,
    simulator: &SimulatorProcess,
    place: &Path,
) -> anyhow::Result<KillCallsTally> {
    let program = installed(simulator, place)?;
    let about = story.prelude(&program)?;
    let session = McpSession::start(&mut program.traced(&point.options(), &["mcp"]), ProtocolEra::Handshake)?;
    let mut facts: ClientFacts = run_scenario(story, session, about.as_deref())?;
    facts.ids.extend(about);
    finish(&program)?;
    let mut judged = judge(&program, simulator, &facts.ids)?;
    let mut untrue = untrue_after(&facts, &program)?;
    untrue.extend(facts.panicked.clone());
    let name = format!("{story:?} at {} {}", point.kind, point.when);
    let lines = judged.lost.iter_mut().chain(&mut judged.duplicates).chain(&mut judged.untrue);
    lines.chain(&mut untrue).for_each(|line| *line = format!("{name}: {line}"));
    Ok(KillCallsTally {
        kills: usize::from(facts.killed),
        not_reached: usize::from(!facts.killed),
        facts: facts.count(),
        untrue,
        judged,
    })
}
