//! Kills the real program at the Nth system call of each kind, starts it again and compares what it shows
//! with what it had told and with the provider's ledger.

pub mod judge;
pub mod program;

use std::{collections::BTreeSet, path::Path, thread, time::Duration};

use anyhow::Context;

use self::{
    judge::{DUPLICATE, LOST, UNTRUE, judge},
    program::{COMMAND_LIMIT, ForegroundRun, ProgramInstallation, ids_in, panicked},
};
use crate::{
    figure::{Figure, MeasurementSize},
    kill_harness::{
        KillTally,
        system_calls::{self, KillCount, KillPoint, KindCoverage},
        with_strace,
    },
    rig::{self, SimulatorProcess},
};

const LOST_NAME: &str = "acked-but-lost researches over every kill point";
const TWICE_NAME: &str = "automatic duplicate creates over every kill point";
const UNTRUE_NAME: &str = "untrue or stuck statuses over every kill point";
const PANIC: &str = "panic";
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
    /// With its share of all points: most happens in a start.
    const ALL: [(Self, f64); 4] =
        [(Self::First, 0.15), (Self::Start, 0.45), (Self::Resume, 0.2), (Self::Cancel, 0.2)];

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
    with_strace(&[LOST_NAME, TWICE_NAME, UNTRUE_NAME], size, |size| {
        let wanted = size.pick(60, 600);
        let simulator = SimulatorProcess::start(&[])?;
        let folder = memory_folder()?;
        let count = KillCount { wanted, slack: SLACK, kinds: KindCoverage::All };
        let trial = |story, point: Option<&KillPoint>, place: &Path| one(story, point, &simulator, place);
        let mut told = system_calls::sweep(&KillScenario::ALL, count, folder.path(), trial)?;
        judge::find_unstored(&simulator, &mut told)?;
        let control = controls(&simulator, &folder.path().join("control"))?;
        Ok(figures(&told, wanted, &control))
    })
}

fn figures(told: &KillTally, wanted: usize, control: &str) -> Vec<Figure> {
    let kills = told.kills;
    let [lost, twice, untrue, panics] = [LOST, DUPLICATE, UNTRUE, PANIC].map(|kind| told.wrong(kind));
    let enough = kills >= wanted;
    let [acked, completed, cancelled, unknown, unsent] =
        ["told", "completed", "cancelled", "unknown", "unknown unsent"].map(|what| told.get(what));
    let story = format!(
        "{acked} ids told, {completed} completed, {cancelled} cancelled, {unknown} shown as unknown; {} planned points were not reached",
        told.not_reached
    );
    let goal = format!("0 lost, at least {wanted} points");
    let of_lost = format!("{lost} lost, {kills} kill points");
    let of_twice = format!(
        "{twice} duplicates, {kills} kill points, unknown shown = {unknown} ({unsent} of them never sent)"
    );
    let of_untrue = format!("{untrue} untrue, {panics} panics, {kills} kill points");
    vec![
        Figure::judged(LOST_NAME, enough && lost == 0, of_lost, &goal)
            .with_note(format!("{story}; {control}")),
        Figure::judged(TWICE_NAME, enough && twice == 0, of_twice, "0 duplicates"),
        Figure::judged(UNTRUE_NAME, enough && untrue + panics == 0, of_untrue, "0 and 0"),
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

/// One story with one kill: what was told must be true afterwards.
fn one(
    story: KillScenario,
    point: Option<&KillPoint>,
    simulator: &SimulatorProcess,
    folder: &Path,
) -> anyhow::Result<KillTally> {
    let program = installed(simulator, folder)?;
    let mut told = prelude(story, &program)?;
    let options = system_calls::options(point, folder);
    let first = rig::run(&mut program.traced(&options, &arguments(story, &told)), COMMAND_LIMIT)?;
    told.extend(ids_in(&first.stderr));
    told.extend(ids_in(&first.stdout));
    let second = program.resume_all()?;
    let mut tally = judge(&program, simulator, &told)?.into_tally();
    tally.count("told", told.len());
    if !first.in_time || !second.in_time {
        tally.fault(UNTRUE, format!("the program did not end: {}{}", first.stderr, second.stderr));
    }
    for finished in [&first, &second].into_iter().filter(|finished| panicked(finished)) {
        tally.fault(PANIC, finished.stderr.clone());
    }
    let place = point.map(ToString::to_string).unwrap_or_default();
    Ok(tally.at(&format!("{story:?} at {place}"), first.killed()))
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
