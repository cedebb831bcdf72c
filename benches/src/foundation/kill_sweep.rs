//! Kills the real program at the Nth system call of each kind, starts it again and compares what it shows
//! with what it had told and with the provider's ledger.
//!
//! The kill comes before the call is made, so "after a call" is the kill at the next one. A signal cannot
//! lose what the kernel already has: power cuts are measured in `power_cuts`.

pub mod judge;
pub mod points;
pub mod program;

use std::{collections::BTreeSet, path::Path, thread, time::Duration};

use anyhow::Context;

use self::{
    judge::{KillSweepJudgement, creates, judge},
    points::KillPoint,
    program::{COMMAND_LIMIT, ForegroundRun, ProgramInstallation, ids_in, panicked},
};
use crate::{
    figure::{Figure, MeasurementSize},
    foundation::parallel_trials::run_in_parallel,
    output,
    rig::{self, SimulatorProcess},
};

const LOST: &str = "acked-but-lost researches over every kill point";
const TWICE: &str = "automatic duplicate creates over every kill point";
const UNTRUE: &str = "untrue or stuck statuses over every kill point";
/// Stories that run side by side; most of one is waiting.
const SIDE_BY_SIDE: usize = 4;
/// Threads do not make the same calls in every run, so some points are never reached.
const SLACK: f64 = 1.12;

/// What is going on when the kill comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum KillScenario {
    /// The very first research: the store is made too.
    First,
    /// One more research. strace counts calls per thread, so only here, where the main thread no longer
    /// makes the store, are all writes of the writer's thread within reach.
    Start,
    /// A research whose first process was killed half-way is taken up, and that process is killed too.
    Resume,
    /// A running research is being cancelled.
    Cancel,
}

impl KillScenario {
    const ALL: [Self; 4] = [Self::First, Self::Start, Self::Resume, Self::Cancel];

    /// Share of all points: most happens in a start.
    fn share(self) -> f64 {
        match self {
            Self::First => 0.15,
            Self::Start => 0.45,
            Self::Resume | Self::Cancel => 0.2,
        }
    }

    fn question(self) -> &'static str {
        match self {
            Self::First | Self::Start => "[[completed duration_ms=250]] why is the sky blue?",
            Self::Resume => "[[completed duration_ms=500]] why is the sky blue?",
            Self::Cancel => "[[cancel-ok duration_ms=1500]] why is the sky blue?",
        }
    }

    /// Half-way: the provider has answered with its id and the report is not there yet.
    fn killed_first_after(self) -> Option<Duration> {
        match self {
            Self::First | Self::Start => None,
            Self::Resume => Some(Duration::from_millis(120)),
            Self::Cancel => Some(Duration::from_millis(250)),
        }
    }
}

pub fn measure(size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    if !rig::has_program("strace") {
        let why = "strace is not installed";
        return Ok(vec![
            Figure::skipped(LOST, "0", why),
            Figure::skipped(TWICE, "0", why),
            Figure::skipped(UNTRUE, "0", why),
        ]);
    }
    let wanted = size.pick(60, 600);
    let simulator = SimulatorProcess::start(&[])?;
    let folder = memory_folder()?;
    let mut plan = Vec::new();
    for story in KillScenario::ALL {
        let census = census(story, &simulator, &folder.path().join(format!("census-{story:?}")))?;
        let points = points::choose(&census, (wanted as f64 * story.share() * SLACK).ceil() as usize);
        let calls: u32 = census.values().sum();
        output::progress(&format!(
            "{story:?}: {} kinds of call, {calls} calls by the busiest threads, {} points",
            census.len(),
            points.len()
        ));
        plan.extend(points.into_iter().map(|point| (story, point)));
    }
    let before = creates(&simulator)?;
    let mut told = sweep(&plan, &simulator, folder.path())?;
    let after = creates(&simulator)?;
    let unknown_to_all =
        after.keys().filter(|id| !before.contains_key(*id) && !told.judged.stored.contains(*id));
    told.judged.lost.extend(unknown_to_all.map(|id| format!("{id} was paid for and is in no store")));
    let control = controls(&simulator, &folder.path().join("control"))?;
    Ok(figures(&told, wanted, &control))
}

/// What the whole sweep found.
#[derive(Debug, Default)]
struct KillSweepTally {
    kills: usize,
    not_reached: usize,
    acked: usize,
    panics: Vec<String>,
    judged: KillSweepJudgement,
}

fn figures(told: &KillSweepTally, wanted: usize, control: &str) -> Vec<Figure> {
    let KillSweepTally { kills, not_reached, acked, panics, judged } = told;
    for line in judged.lost.iter().chain(&judged.duplicates).chain(&judged.untrue).chain(panics) {
        output::progress(line);
    }
    let enough = *kills >= wanted;
    let story = format!(
        "{acked} ids told, {} completed, {} cancelled, {} shown as unknown; {not_reached} planned points were not reached",
        judged.completed, judged.cancelled, judged.unknown
    );
    vec![
        Figure::judged(
            LOST,
            enough && judged.lost.is_empty(),
            format!("{} lost, {kills} kill points", judged.lost.len()),
            &format!("0 lost, at least {wanted} points"),
        )
        .with_note(format!("{story}; {control}")),
        Figure::judged(
            TWICE,
            enough && judged.duplicates.is_empty(),
            format!(
                "{} duplicates, {kills} kill points, unknown shown = {} ({} of them never sent)",
                judged.duplicates.len(),
                judged.unknown,
                judged.unknown_unsent
            ),
            "0 duplicates",
        ),
        Figure::judged(
            UNTRUE,
            enough && judged.untrue.is_empty() && panics.is_empty(),
            format!("{} untrue, {} panics, {kills} kill points", judged.untrue.len(), panics.len()),
            "0 and 0",
        ),
    ]
}

/// In memory where there is such a place: the kernel keeps what a killed process wrote either way.
pub fn memory_folder() -> anyhow::Result<tempfile::TempDir> {
    let memory = Path::new("/dev/shm");
    let mut builder = tempfile::Builder::new();
    builder.prefix("probity-figures-");
    if memory.is_dir() { builder.tempdir_in(memory) } else { builder.tempdir() }.context("making a folder")
}

/// A program on fresh directories below `folder`.
pub fn installed(simulator: &SimulatorProcess, folder: &Path) -> anyhow::Result<ProgramInstallation> {
    let home = folder.join("home");
    std::fs::create_dir_all(&home)?;
    ProgramInstallation::new(&simulator.base_url, &home, &folder.join("data"))
}

fn census(
    story: KillScenario,
    simulator: &SimulatorProcess,
    folder: &Path,
) -> anyhow::Result<std::collections::BTreeMap<String, u32>> {
    let program = installed(simulator, folder)?;
    let told = prelude(story, &program)?;
    points::census(&program, &arguments(story, &told), folder)
}

/// What happens before the process under the knife starts; the ids it told.
fn prelude(story: KillScenario, program: &ProgramInstallation) -> anyhow::Result<BTreeSet<String>> {
    if story == KillScenario::Start {
        let before = program.run(&["research", "[[completed duration_ms=1]] why?", "--json"])?;
        return Ok(ids_in(&before.stderr).into_iter().collect());
    }
    let Some(pause) = story.killed_first_after() else { return Ok(BTreeSet::new()) };
    let mut running = ForegroundRun::start(program, story.question())?;
    thread::sleep(pause);
    running.group.end()?;
    Ok(BTreeSet::from([running.id.clone()]))
}

fn arguments(story: KillScenario, told: &BTreeSet<String>) -> Vec<&str> {
    match story {
        KillScenario::First | KillScenario::Start => vec!["research", story.question(), "--json"],
        KillScenario::Resume => vec!["runs", "resume", "--all"],
        KillScenario::Cancel => {
            vec!["runs", "cancel", told.first().map_or("last", String::as_str), "--json"]
        }
    }
}

fn sweep(
    plan: &[(KillScenario, KillPoint)],
    simulator: &SimulatorProcess,
    folder: &Path,
) -> anyhow::Result<KillSweepTally> {
    let trials = run_in_parallel("kill point", SIDE_BY_SIDE, plan, folder, |(story, point), place| {
        one(*story, point, simulator, place)
            .with_context(|| format!("{story:?} killed at {} {}", point.kind, point.when))
    })?;
    let mut total = KillSweepTally::default();
    trials.into_iter().for_each(|told| total.add(told));
    Ok(total)
}

impl KillSweepTally {
    fn add(&mut self, other: Self) {
        self.kills += other.kills;
        self.not_reached += other.not_reached;
        self.acked += other.acked;
        self.panics.extend(other.panics);
        self.judged.add(other.judged);
    }
}

/// One story with one kill: what was told must be true afterwards.
fn one(
    story: KillScenario,
    point: &KillPoint,
    simulator: &SimulatorProcess,
    folder: &Path,
) -> anyhow::Result<KillSweepTally> {
    let program = installed(simulator, folder)?;
    let mut told = prelude(story, &program)?;
    let first = rig::run(&mut program.traced(&point.options(), &arguments(story, &told)), COMMAND_LIMIT)?;
    told.extend(ids_in(&first.stderr));
    told.extend(ids_in(&first.stdout));
    let second = program.resume_all()?;
    let mut judged = judge(&program, simulator, &told)?;
    let place = format!("{story:?} at {} {}", point.kind, point.when);
    for line in judged.lost.iter_mut().chain(&mut judged.duplicates).chain(&mut judged.untrue) {
        *line = format!("{place}: {line}");
    }
    if !first.in_time || !second.in_time {
        judged.untrue.push(format!("{place}: the program did not end: {}{}", first.stderr, second.stderr));
    }
    let panics = [&first, &second]
        .into_iter()
        .filter(|finished| panicked(finished))
        .map(|finished| format!("{place}: {}", finished.stderr))
        .collect();
    Ok(KillSweepTally {
        kills: usize::from(first.killed()),
        not_reached: usize::from(!first.killed()),
        acked: told.len(),
        panics,
        judged,
    })
}

/// The judge must see a loss and a double payment when there is one: a store that is thrown away after
/// its id was told, and an uncertain start that is paid for again on the user's word.
fn controls(simulator: &SimulatorProcess, folder: &Path) -> anyhow::Result<String> {
    let losing = installed(simulator, &folder.join("losing"))?;
    let mut running = ForegroundRun::start(&losing, KillScenario::Start.question())?;
    running.group.end()?;
    std::fs::remove_dir_all(losing.data()).context("throwing the store away")?;
    losing.resume_all()?;
    let lost = judge(&losing, simulator, &BTreeSet::from([running.id.clone()]))?.lost.len();

    let paying = installed(simulator, &folder.join("paying"))?;
    let uncertain =
        paying.run(&["research", "[[create-lost accepted=true duration_ms=200]] why?", "--json"])?;
    let id = ids_in(&uncertain.stderr).into_iter().next().context("no id was told")?;
    paying.run(&["runs", "resume", &id, "--pay-again"])?;
    let twice = judge(&paying, simulator, &BTreeSet::from([id]))?.duplicates.len();
    if lost != 1 || twice != 1 {
        anyhow::bail!("the judge is blind: it saw {lost} of 1 loss and {twice} of 1 double payment");
    }
    Ok("control: 1 of 1 planted loss and 1 of 1 planted double payment were seen".to_owned())
}
