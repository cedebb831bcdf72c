//! The same on the real Gemini CLI: the program is killed while the CLI starts and at moments spread over the
//! rounds. Nothing that it had started may outlive it.

use std::{collections::BTreeSet, fs, path::Path, process::Command, thread, time::Duration};

use anyhow::Context as _;

use super::{
    begin,
    judge::{ProviderCharges, RoundKillStory, SweepEngine, UNTRUE, judge, rounds_states},
    key_of,
};
use crate::{
    figure::{Figure, MeasurementSize},
    foundation::{
        kill_sweep::{
            installed,
            program::{COMMAND_LIMIT, ProgramInstallation, panicked},
        },
        parallel_trials::run_in_parallel,
    },
    kill_harness::KillTally,
    output,
    rig::{self, ProcessGroup, SimulatorProcess},
    rounds::{
        real_cli::{self, RealCli},
        supervision::processes,
    },
};

const NAME: &str = "on the Gemini CLI: lost, paid without a record, not gone on, or a process left over";
/// Each starts two processes of Node, which compute for a second each.
const SIDE_BY_SIDE: usize = 2;
const LOOK_EVERY: Duration = Duration::from_millis(10);
/// About what a round takes in a process that is already there: kills are spread over this and a little more.
const ROUND_MS: u64 = 200;
/// Rounds of the search.
const ROUNDS: u32 = 3;

/// When to kill.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CliKillMoment {
    /// While the first process starts, most likely.
    AfterStart(Duration),
    /// This long after the provider was asked for this round.
    InRound(u32, Duration),
}

/// One in four while the CLI starts, the others spread over the rounds.
fn moments(count: u32, startup: Duration) -> Vec<CliKillMoment> {
    (0..count)
        .map(|number| match number % 4 {
            0 => CliKillMoment::AfterStart(startup * number / count.max(1)),
            round => CliKillMoment::InRound(
                round,
                Duration::from_millis(ROUND_MS * u64::from(number) / u64::from(count)),
            ),
        })
        .collect()
}

pub fn measure(size: MeasurementSize, folder: &Path) -> anyhow::Result<Vec<Figure>> {
    let wanted = size.pick(4, 40);
    let goal = format!("0, at least {wanted} points");
    let Some(cli) = real_cli::installed() else {
        return Ok(vec![Figure::skipped(NAME, &goal, real_cli::WHY_NOT)]);
    };
    let simulator = SimulatorProcess::start(&[])?;
    let took = undisturbed(&cli, &simulator, &folder.join("census-cli"))?;
    output::progress(&format!("an undisturbed search on the Gemini CLI takes {took:?}"));
    let planned = u32::try_from(wanted + wanted / 2 + 1)?;
    let moments = moments(planned, took);
    let folder = folder.join("cli");
    let trials = run_in_parallel("kill moment", SIDE_BY_SIDE, &moments, &folder, |moment, place| {
        one(&cli, *moment, &simulator, place).with_context(|| format!("killed {moment:?}"))
    })?;
    let control = control(&folder.join("left-over"))?;
    Ok(vec![figure(&KillTally::sum(trials), wanted, &goal, control)])
}

fn figure(told: &KillTally, wanted: usize, goal: &str, control: &str) -> Figure {
    told.print_faults();
    let (kills, wrong) = (told.kills, told.all_wrong());
    let [completed, answered, charged, perhaps, unsent] =
        ["completed", "answered", "charged", "perhaps paid", "never sent"].map(|what| told.get(what));
    let measured = format!("{wrong} over {kills} kill points");
    Figure::judged(NAME, kills >= wanted && wrong == 0, measured, goal).with_note(format!(
        "{completed} searches completed with {answered} answered rounds for {charged} charged calls; {perhaps} recorded as \
         perhaps paid, {unsent} of them never sent; {} planned points were not reached; {control}",
        told.not_reached
    ))
}

fn question(key: &str) -> String {
    format!("[[rounds key={key} turns=draft,unsure,agreed pages=numeric]] why is the sky blue?")
}

fn search(cli: &RealCli, program: &ProgramInstallation, asked: &str) -> Command {
    let words = [
        "research",
        "--rounds",
        "--engine",
        "gemini-cli",
        "--max-iterations",
        &ROUNDS.to_string(),
        asked,
        "--json",
    ];
    cli.known_to(program.command(&words))
}

/// How long a whole search takes from its start.
fn undisturbed(cli: &RealCli, simulator: &SimulatorProcess, place: &Path) -> anyhow::Result<Duration> {
    let program = installed(simulator, place)?;
    let asked = question("census-cli");
    let (finished, took) = rig::timed(|| rig::run(&mut search(cli, &program, &asked), COMMAND_LIMIT));
    let finished = finished?;
    anyhow::ensure!(finished.status.success(), "an undisturbed search failed: {}", finished.stderr);
    Ok(took)
}

fn one(
    cli: &RealCli,
    moment: CliKillMoment,
    simulator: &SimulatorProcess,
    place: &Path,
) -> anyhow::Result<KillTally> {
    let program = installed(simulator, place)?;
    let key = format!("cli-{}", key_of(place));
    let (mut group, id) = begin(&mut search(cli, &program, &question(&key)))?;
    match moment {
        CliKillMoment::AfterStart(pause) => thread::sleep(pause),
        CliKillMoment::InRound(round, pause) => {
            await_round(round, &key, simulator, &mut group)?;
            thread::sleep(pause);
        }
    }
    let is_killed = group.child.try_wait()?.is_none();
    // The program alone: what it had started must notice by itself.
    group.child.kill()?;
    group.child.wait()?;
    let left = processes::wait_until_gone(place, None);
    let killed = rounds_states(program.data(), place)?;
    let mut resume = cli.known_to(program.command(&["runs", "resume", "--all"]));
    let second = rig::run(&mut resume, COMMAND_LIMIT)?;
    let ended = rounds_states(program.data(), place)?;
    let told = BTreeSet::from([id]);
    let story =
        RoundKillStory { engine: SweepEngine::Cli, key: &key, told: &told, killed: &killed, ended: &ended };
    let mut tally = judge(&program, simulator, &story)?;
    if !second.in_time || panicked(&second) {
        tally.fault(UNTRUE, format!("the program hung or panicked: {}", second.stderr));
    }
    for process in left {
        tally.fault(UNTRUE, format!("left over: {}", process.words));
    }
    Ok(tally.at(&format!("killed {moment:?}"), is_killed))
}

/// A process that stays behind must be seen, and one that has ended must not.
fn control(place: &Path) -> anyhow::Result<&'static str> {
    fs::create_dir_all(place)?;
    let mut sleeping = ProcessGroup::spawn(rig::command("sleep").arg("60").current_dir(place))?;
    // A process that was only just started has no command line yet.
    thread::sleep(LOOK_EVERY);
    let seen = processes::processes_of(place, None).len();
    sleeping.end()?;
    let after = processes::processes_of(place, None);
    anyhow::ensure!(seen == 1, "the judge is blind: it saw {seen} of 1 process left over");
    anyhow::ensure!(after.is_empty(), "the judge sees ghosts: {after:?}");
    Ok("control: 1 of 1 planted process was seen")
}

/// Until the provider was asked for this round, or the search is over.
fn await_round(
    round: u32,
    key: &str,
    simulator: &SimulatorProcess,
    group: &mut ProcessGroup,
) -> anyhow::Result<()> {
    let until = rig::now() + COMMAND_LIMIT;
    while ProviderCharges::charges_for(simulator, key)?.charged < round as usize
        && group.child.try_wait()?.is_none()
    {
        anyhow::ensure!(rig::now() < until, "round {round} was never asked for");
        thread::sleep(LOOK_EVERY);
    }
    Ok(())
}
