//! The same on the real Gemini CLI: the program is killed while the CLI starts and at moments spread over the
//! rounds. Nothing that it had started may outlive it.

use std::{
    collections::BTreeSet,
    fs,
    path::Path,
    process::Command,
    thread,
    time::{Duration, Instant},
};

use anyhow::Context as _;

use super::{
    RoundKillTally, begin,
    journal::rounds_states,
    judge::{self, ProviderCharges, SweepEngine, judge},
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
    output,
    rig::{self, ProcessGroup, SimulatorProcess},
    rounds::real_cli::{self, RealCli},
};

const NAME: &str = "on the Gemini CLI: lost, paid without a record, not gone on, or a process left over";
/// Each starts two processes of Node, which compute for a second each.
const SIDE_BY_SIDE: usize = 2;
/// How long what a killed program had started may take to end.
const LEAVING_MAX: Duration = Duration::from_secs(5);
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
    let mut told = RoundKillTally::default();
    trials.into_iter().for_each(|trial| told.add(trial));
    let control = control(&folder.join("left-over"))?;
    Ok(vec![figure(told, wanted, &goal, control)])
}

fn figure(mut told: RoundKillTally, wanted: usize, goal: &str, control: &str) -> Figure {
    let wrong: Vec<String> = told.judged.wrong().map(|line| line.clone()).collect();
    wrong.iter().for_each(|line| output::progress(line));
    let RoundKillTally { kills, not_reached, judged } = told;
    Figure::judged(
        NAME,
        kills >= wanted && wrong.is_empty(),
        format!("{} over {kills} kill points", wrong.len()),
        goal,
    )
    .with_note(format!(
        "{} searches completed with {} answered rounds for {} charged calls; {} recorded as \
         perhaps paid, {} of them never sent; {not_reached} planned points were \
         not reached; {control}",
        judged.completed, judged.answered, judged.charged, judged.perhaps_paid, judged.never_sent
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
) -> anyhow::Result<RoundKillTally> {
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
    let kills = usize::from(group.child.try_wait()?.is_none());
    // The program alone: what it had started must notice by itself.
    group.child.kill()?;
    group.child.wait()?;
    let survivors = survivors_of(place, rig::now() + LEAVING_MAX);
    let killed = rounds_states(program.data(), place)?;
    let mut resume = cli.known_to(program.command(&["runs", "resume", "--all"]));
    let second = rig::run(&mut resume, COMMAND_LIMIT)?;
    let ended = rounds_states(program.data(), place)?;
    let told = BTreeSet::from([id]);
    let story = judge::RoundKillStory {
        engine: SweepEngine::Cli,
        key: &key,
        told: &told,
        killed: &killed,
        ended: &ended,
    };
    let mut judged = judge(&program, simulator, &story)?;
    if !second.in_time || panicked(&second) {
        judged.untrue.push(format!("the program hung or panicked: {}", second.stderr));
    }
    judged.untrue.extend(survivors.map(|commands| format!("left over: {commands}")));
    judged.wrong().for_each(|line| *line = format!("killed {moment:?}: {line}"));
    Ok(RoundKillTally { kills, not_reached: 1 - kills, judged })
}

/// A process that stays behind must be seen, and one that has ended must not.
fn control(place: &Path) -> anyhow::Result<&'static str> {
    fs::create_dir_all(place)?;
    let mut sleeping = ProcessGroup::spawn(rig::command("sleep").arg("60").current_dir(place))?;
    // A process that was only just started has no command line yet.
    thread::sleep(LOOK_EVERY);
    let seen = running_in(place).len();
    sleeping.end()?;
    let after = running_in(place);
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

/// What still runs in this folder when its time to leave is over.
fn survivors_of(place: &Path, until: Instant) -> Option<String> {
    loop {
        let running = running_in(place);
        if running.is_empty() {
            return None;
        }
        if rig::now() >= until {
            return Some(running.join("; "));
        }
        thread::sleep(LOOK_EVERY);
    }
}

/// Commands of the processes that work in this folder or were told of it.
fn running_in(place: &Path) -> Vec<String> {
    let folder = place.to_string_lossy();
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let command = |process: fs::DirEntry| {
        // A process may end while it is looked at.
        let words = fs::read(process.path().join("cmdline")).unwrap_or_default();
        let words = String::from_utf8_lossy(&words).replace('\0', " ");
        let works_here = fs::read_link(process.path().join("cwd")).is_ok_and(|cwd| cwd.starts_with(place));
        (works_here || words.contains(&*folder)).then_some(words)
    };
    processes.filter_map(command).filter(|words| !words.is_empty()).collect()
}
