//! Kills the real program inside and between the rounds of a search, starts it again and compares the journal
//! with what had been told, with what it held at the kill and with what the provider charged.
//!
//! On Google's API the kill comes at the Nth system call of each kind. On the Gemini CLI it comes at moments
//! spread over the whole search, because there most calls are made by the children.

mod cli;
mod journal;
mod judge;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    thread,
    time::Duration,
};

use anyhow::{Context as _, ensure};

use self::{
    journal::rounds_states,
    judge::{RoundKillJudgement, SweepEngine, judge},
};
use crate::{
    figure::{Figure, MeasurementSize},
    foundation::{
        kill_sweep::{
            installed, memory_folder,
            points::{self, KillPoint},
            program::{COMMAND_LIMIT, ProgramInstallation, ids_in, panicked},
        },
        parallel_trials::run_in_parallel,
    },
    output,
    rig::{self, ProcessGroup, SimulatorProcess},
};

const LOST: &str = "searches and answered rounds lost over every kill point";
const UNRECORDED: &str = "rounds paid twice without a record over every kill point";
const UNTRUE: &str =
    "searches that did not go on where they stood, or did not complete, over every kill point";
const GOAL: &str = "0";
/// Stories that run side by side; most of one is waiting.
const SIDE_BY_SIDE: usize = 4;
/// Threads do not make the same calls in every run, so some points are never reached.
const SLACK: f64 = 1.3;
/// One round of the search: long enough for a kill inside it.
const ROUND_MS: u32 = 100;
/// Three rounds and what lies between them: the first process of `Resume` dies somewhere in there.
const SEARCH_MS: u32 = 4 * ROUND_MS;

/// What is going on when the kill comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RoundKillScenario {
    /// The very first search: the store is made too.
    First,
    /// One more search, in a store that is there.
    Search,
    /// A search whose first process was killed on the way is taken up, and that process is killed too.
    Resume,
}

impl RoundKillScenario {
    const ALL: [Self; 3] = [Self::First, Self::Search, Self::Resume];

    /// Share of all points: the rounds are what this is about.
    fn share(self) -> f64 {
        match self {
            Self::First => 0.1,
            Self::Search => 0.55,
            Self::Resume => 0.35,
        }
    }
}

/// The question of one story; the provider counts its turns under `key`.
fn question(key: &str) -> String {
    format!("[[rounds key={key} turns=draft,unsure,agreed duration_ms={ROUND_MS}]] why is the sky blue?")
}

/// The name of a story's folder is its key too.
fn key_of(place: &Path) -> String {
    place.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

pub fn measure(size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    if !rig::has_program("strace") {
        let why = "strace is not installed";
        return Ok([LOST, UNRECORDED, UNTRUE].map(|name| Figure::skipped(name, GOAL, why)).to_vec());
    }
    let wanted = size.pick(20, 200);
    let simulator = SimulatorProcess::start(&[])?;
    let folder = memory_folder()?;
    let mut plan = Vec::new();
    for going in RoundKillScenario::ALL {
        let census = census(going, &simulator, &folder.path().join(format!("census-{going:?}")))?;
        let points = some(&census, (wanted as f64 * going.share() * SLACK).ceil() as usize);
        output::progress(&format!("{going:?}: {} kinds of call, {} points", census.len(), points.len()));
        plan.extend(points.into_iter().map(|point| (going, point)));
    }
    let trials =
        run_in_parallel("kill point", SIDE_BY_SIDE, &plan, folder.path(), |(going, point), place| {
            one(*going, point, &simulator, place)
                .with_context(|| format!("{going:?} killed at {} {}", point.kind, point.when))
        })?;
    let mut told = RoundKillTally::default();
    trials.into_iter().for_each(|trial| told.add(trial));
    let control = controls(&simulator, &folder.path().join("control"))?;
    let mut figures = figures(&told, wanted, &control);
    figures.extend(cli::measure(size, folder.path())?);
    Ok(figures)
}

/// What one kill, or the whole sweep, left behind.
#[derive(Debug, Default)]
struct RoundKillTally {
    kills: usize,
    not_reached: usize,
    judged: RoundKillJudgement,
}

impl RoundKillTally {
    fn add(&mut self, other: Self) {
        self.kills += other.kills;
        self.not_reached += other.not_reached;
        self.judged.add(other.judged);
    }
}

fn figures(told: &RoundKillTally, wanted: usize, control: &str) -> Vec<Figure> {
    let RoundKillTally { kills, not_reached, judged } = told;
    judged
        .lost
        .iter()
        .chain(&judged.unrecorded)
        .chain(&judged.untrue)
        .for_each(|line| output::progress(line));
    let enough = *kills >= wanted;
    let goal = format!("0, at least {wanted} points");
    let count = |wrong: &[String]| format!("{} over {kills} kill points", wrong.len());
    let story = format!(
        "{} searches completed with {} answered rounds; {not_reached} planned points were not reached; {control}",
        judged.completed, judged.answered
    );
    let payments = format!(
        "{} calls charged for {} answered rounds; {} recorded as perhaps paid, {} of them never sent",
        judged.charged, judged.answered, judged.perhaps_paid, judged.never_sent
    );
    vec![
        Figure::judged(LOST, enough && judged.lost.is_empty(), count(&judged.lost), &goal).with_note(story),
        Figure::judged(UNRECORDED, enough && judged.unrecorded.is_empty(), count(&judged.unrecorded), GOAL)
            .with_note(payments),
        Figure::judged(UNTRUE, enough && judged.untrue.is_empty(), count(&judged.untrue), GOAL).with_note(
            "a call whose id was on disk is found again, one that was only intended is given up and recorded",
        ),
    ]
}

/// About `wanted` points. Every kind of call has at least one to choose; a quick run takes some of them.
fn some(census: &BTreeMap<String, u32>, wanted: usize) -> Vec<KillPoint> {
    let points = points::choose(census, wanted);
    let step = (points.len() / wanted.max(1)).max(1);
    points.into_iter().step_by(step).collect()
}

fn census(
    going: RoundKillScenario,
    simulator: &SimulatorProcess,
    place: &Path,
) -> anyhow::Result<BTreeMap<String, u32>> {
    let program = installed(simulator, place)?;
    let asked = question(&key_of(place));
    prelude(going, &program, &asked, Duration::from_millis(u64::from(SEARCH_MS / 3)))?;
    points::census(&program, &arguments(going, &asked), place)
}

/// What happens before the process under the knife starts; the ids it told.
fn prelude(
    going: RoundKillScenario,
    program: &ProgramInstallation,
    asked: &str,
    pause: Duration,
) -> anyhow::Result<BTreeSet<String>> {
    match going {
        RoundKillScenario::First => {}
        RoundKillScenario::Search => {
            program.run(&["research", "[[completed duration_ms=1]] before?", "--json"])?;
        }
        RoundKillScenario::Resume => {
            let (mut group, id) = begin(&mut program.command(&arguments(RoundKillScenario::Search, asked)))?;
            thread::sleep(pause);
            group.end()?;
            return Ok(BTreeSet::from([id]));
        }
    }
    Ok(BTreeSet::new())
}

fn arguments(going: RoundKillScenario, asked: &str) -> Vec<&str> {
    match going {
        RoundKillScenario::First | RoundKillScenario::Search => vec!["research", "--rounds", asked, "--json"],
        RoundKillScenario::Resume => vec!["runs", "resume", "--all"],
    }
}

/// Starts a search and waits until its id is told.
fn begin(command: &mut std::process::Command) -> anyhow::Result<(ProcessGroup, String)> {
    let command = command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::piped());
    let mut group = ProcessGroup::spawn(command)?;
    let line = rig::first_line_with(group.child.stderr.take().context("no stderr")?, "res_")?;
    let id = ids_in(&line).into_iter().next().context("no id was told")?;
    Ok((group, id))
}

/// One story with one kill: what was told and paid must be in the journal afterwards.
fn one(
    going: RoundKillScenario,
    point: &KillPoint,
    simulator: &SimulatorProcess,
    place: &Path,
) -> anyhow::Result<RoundKillTally> {
    let program = installed(simulator, place)?;
    let key = key_of(place);
    let asked = question(&key);
    // Spread over the rounds: another moment for every point.
    let pause = Duration::from_millis(u64::from(point.when.wrapping_mul(37) % SEARCH_MS));
    let mut told = prelude(going, &program, &asked, pause)?;
    let first = rig::run(&mut program.traced(&point.options(), &arguments(going, &asked)), COMMAND_LIMIT)?;
    told.extend(ids_in(&first.stderr));
    let killed = rounds_states(program.data(), place)?;
    let second = program.resume_all()?;
    let ended = rounds_states(program.data(), place)?;
    let story = judge::RoundKillStory {
        engine: SweepEngine::Api,
        key: &key,
        told: &told,
        killed: &killed,
        ended: &ended,
    };
    let mut judged = judge(&program, simulator, &story)?;
    for finished in [&first, &second] {
        if !finished.in_time || panicked(finished) {
            judged.untrue.push(format!("the program hung or panicked: {}", finished.stderr));
        }
    }
    let name = format!("{going:?} at {} {}", point.kind, point.when);
    judged.wrong().for_each(|line| *line = format!("{name}: {line}"));
    let kills = usize::from(first.killed());
    Ok(RoundKillTally { kills, not_reached: 1 - kills, judged })
}

/// The judge must see a loss and an unrecorded payment when there is one: a store that is thrown away after an
/// id was told, and rounds that somebody else paid for under the same key.
fn controls(simulator: &SimulatorProcess, place: &Path) -> anyhow::Result<String> {
    let judged = |program: &ProgramInstallation, key: &str, told: &BTreeSet<String>| {
        let ended = rounds_states(program.data(), place)?;
        let killed = BTreeMap::new();
        let story =
            judge::RoundKillStory { engine: SweepEngine::Api, key, told, killed: &killed, ended: &ended };
        judge(program, simulator, &story)
    };
    let losing = installed(simulator, &place.join("losing"))?;
    let (mut group, id) =
        begin(&mut losing.command(&arguments(RoundKillScenario::Search, &question("control-losing"))))?;
    group.end()?;
    std::fs::remove_dir_all(losing.data()).context("throwing the store away")?;
    losing.resume_all()?;
    let lost = judged(&losing, "control-losing", &BTreeSet::from([id]))?.lost.len();

    let paying = installed(simulator, &place.join("paying"))?;
    let other = installed(simulator, &place.join("other"))?;
    let asked = question("control-paying");
    paying.run(&arguments(RoundKillScenario::Search, &asked))?;
    let honest = judged(&paying, "control-paying", &BTreeSet::new())?;
    other.run(&arguments(RoundKillScenario::Search, &asked))?;
    let dishonest = judged(&paying, "control-paying", &BTreeSet::new())?;
    ensure!(honest.unrecorded.is_empty(), "the judge sees ghosts: {:?}", honest.unrecorded);
    ensure!(lost == 1, "the judge is blind: it saw {lost} of 1 loss");
    ensure!(!dishonest.unrecorded.is_empty(), "the judge is blind for payments that no journal tells of");
    Ok("control: 1 of 1 planted loss and 1 of 1 planted payment without a record were seen".to_owned())
}
