//! Kills the real program inside and between the rounds of a search, starts it again and compares the journal
//! with what had been told, with what it held at the kill and with what the provider charged.
//!
//! On Google's API the kill comes at the Nth system call of each kind. On the Gemini CLI it comes at moments
//! spread over the whole search, because there most calls are made by the children.

mod cli;
mod judge;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    thread,
    time::Duration,
};

use anyhow::{Context as _, ensure};

use self::judge::{LOST, RoundKillStory, SweepEngine, UNRECORDED, UNTRUE, judge, rounds_states};
use crate::{
    figure::{Figure, MeasurementSize},
    foundation::kill_sweep::{
        installed, memory_folder,
        program::{COMMAND_LIMIT, ProgramInstallation, ids_in, panicked},
    },
    kill_harness::{
        KillTally,
        system_calls::{self, KillCount, KillPoint, KindCoverage},
        with_strace,
    },
    rig::{self, ProcessGroup, SimulatorProcess},
};

const LOST_NAME: &str = "searches and answered rounds lost over every kill point";
const UNRECORDED_NAME: &str = "rounds paid twice without a record over every kill point";
const UNTRUE_NAME: &str =
    "searches that did not go on where they stood, or did not complete, over every kill point";
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
    /// With its share of all points: the rounds are what this is about.
    const ALL: [(Self, f64); 3] = [(Self::First, 0.1), (Self::Search, 0.55), (Self::Resume, 0.35)];
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
    with_strace(&[LOST_NAME, UNRECORDED_NAME, UNTRUE_NAME], size, |size| {
        let wanted = size.pick(20, 200);
        let simulator = SimulatorProcess::start(&[])?;
        let folder = memory_folder()?;
        let count = KillCount { wanted, slack: SLACK, kinds: KindCoverage::Some };
        let trial = |going, point: Option<&KillPoint>, place: &Path| one(going, point, &simulator, place);
        let told = system_calls::sweep(&RoundKillScenario::ALL, count, folder.path(), trial)?;
        let control = controls(&simulator, &folder.path().join("control"))?;
        let mut figures = figures(&told, wanted, &control);
        figures.extend(cli::measure(size, folder.path())?);
        Ok(figures)
    })
}

fn figures(told: &KillTally, wanted: usize, control: &str) -> Vec<Figure> {
    let figure = |name: &str, kind: &str, goal: &str| told.figure(name, kind, wanted, "kill points", goal);
    let [completed, answered, charged, perhaps, unsent] =
        ["completed", "answered", "charged", "perhaps paid", "never sent"].map(|what| told.get(what));
    vec![
        figure(LOST_NAME, LOST, &format!("0, at least {wanted} points")).with_note(format!(
            "{completed} searches completed with {answered} answered rounds; {} planned points were not reached; {control}",
            told.not_reached
        )),
        figure(UNRECORDED_NAME, UNRECORDED, "0").with_note(format!(
            "{charged} calls charged for {answered} answered rounds; {perhaps} recorded as perhaps paid, {unsent} of them never sent"
        )),
        figure(UNTRUE_NAME, UNTRUE, "0").with_note(
            "a call whose id was on disk is found again, one that was only intended is given up and recorded",
        ),
    ]
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
    point: Option<&KillPoint>,
    simulator: &SimulatorProcess,
    place: &Path,
) -> anyhow::Result<KillTally> {
    let program = installed(simulator, place)?;
    let key = key_of(place);
    let asked = question(&key);
    // Spread over the rounds: another moment for every point.
    let pause = point.map_or(SEARCH_MS / 3, |point| point.when.wrapping_mul(37) % SEARCH_MS);
    let mut told = prelude(going, &program, &asked, Duration::from_millis(u64::from(pause)))?;
    let options = system_calls::options(point, place);
    let first = rig::run(&mut program.traced(&options, &arguments(going, &asked)), COMMAND_LIMIT)?;
    told.extend(ids_in(&first.stderr));
    let killed = rounds_states(program.data(), place)?;
    let second = program.resume_all()?;
    let ended = rounds_states(program.data(), place)?;
    let story =
        RoundKillStory { engine: SweepEngine::Api, key: &key, told: &told, killed: &killed, ended: &ended };
    let mut tally = judge(&program, simulator, &story)?;
    for finished in [&first, &second] {
        if !finished.in_time || panicked(finished) {
            tally.fault(UNTRUE, format!("the program hung or panicked: {}", finished.stderr));
        }
    }
    let name = format!("{going:?} at {}", point.map(ToString::to_string).unwrap_or_default());
    Ok(tally.at(&name, first.killed()))
}

/// The judge must see a loss and an unrecorded payment when there is one: a store that is thrown away after an
/// id was told, and rounds that somebody else paid for under the same key.
fn controls(simulator: &SimulatorProcess, place: &Path) -> anyhow::Result<String> {
    let judged = |program: &ProgramInstallation, key: &str, told: &BTreeSet<String>| {
        let ended = rounds_states(program.data(), place)?;
        let killed = BTreeMap::new();
        let story = RoundKillStory { engine: SweepEngine::Api, key, told, killed: &killed, ended: &ended };
        judge(program, simulator, &story)
    };
    let losing = installed(simulator, &place.join("losing"))?;
    let (mut group, id) =
        begin(&mut losing.command(&arguments(RoundKillScenario::Search, &question("control-losing"))))?;
    group.end()?;
    std::fs::remove_dir_all(losing.data()).context("throwing the store away")?;
    losing.resume_all()?;
    let lost = judged(&losing, "control-losing", &BTreeSet::from([id]))?.wrong(LOST);

    let paying = installed(simulator, &place.join("paying"))?;
    let other = installed(simulator, &place.join("other"))?;
    let asked = question("control-paying");
    paying.run(&arguments(RoundKillScenario::Search, &asked))?;
    let honest = judged(&paying, "control-paying", &BTreeSet::new())?;
    other.run(&arguments(RoundKillScenario::Search, &asked))?;
    let dishonest = judged(&paying, "control-paying", &BTreeSet::new())?;
    ensure!(honest.wrong(UNRECORDED) == 0, "the judge sees ghosts: {:?}", honest.faults);
    ensure!(lost == 1, "the judge is blind: it saw {lost} of 1 loss");
    ensure!(dishonest.wrong(UNRECORDED) > 0, "the judge is blind for payments that no journal tells of");
    Ok("control: 1 of 1 planted loss and 1 of 1 planted payment without a record were seen".to_owned())
}
