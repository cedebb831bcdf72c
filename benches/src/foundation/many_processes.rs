//! Four processes, one database: each research is claimed once and ends once, and nobody is told "busy".

mod bare_sqlite;

use std::{collections::BTreeMap, path::Path, thread, time::Duration};

use anyhow::bail;
use probity_research::{
    Event,
    cost::Cost,
    ports::{Journal, JournalError, JournalWriter, LeaseClaim, Leases},
    status::RunStatus,
    stop::RunStop,
};
use probity_runner::{
    SystemClock,
    recorder::{AppendKind, DriveError, Recorder},
};
use probity_store::{IntegrityDepth, ListFilter, Store};

use super::power_cuts::worker::{bits, open, researches, start};
use crate::{
    figure::{Figure, MeasurementSize},
    output,
    rig::{self, ChildProcessOutput},
};

const CLAIMED: &str = "double claims, 4 processes on one database";
const BUSY: &str = "busy errors and lost claims, 4 processes on one database";
const PROCESSES: u64 = 4;
/// In CI too: they take a second.
const TASKS: u64 = 1_500;
/// Claims taken at a time: few, so that the processes keep meeting.
const ROOM: usize = 4;
/// Far above the time that 1,500 tasks take on a slow disk.
const LIMIT: Duration = Duration::from_secs(180);
/// Pause of a process that found nothing to claim while others still work.
const IDLE_PAUSE: Duration = Duration::from_millis(5);

/// How long a process waits for the others before it begins.
const GATHER_LIMIT: Duration = Duration::from_secs(30);

pub fn measure(_size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let folder = tempfile::Builder::new().prefix("probity-figures-").tempdir()?;
    let data = folder.path().join("data");
    let tasks = TASKS;
    ask(&data, tasks)?;
    let (finished, took) = rig::timed(|| run_processes("many_processes", &data));
    let seen = ManyProcessesTally::of(&finished?);
    let bad = check(&data, tasks, &seen)?;
    bad.iter().for_each(|line| output::progress(line));
    seen.refused.iter().chain(&seen.died).for_each(|line| output::progress(line));

    let bare = folder.path().join("bare");
    bare_sqlite::prepare(&bare, tasks)?;
    let control = ManyProcessesTally::of(&run_processes("many_processes_bare", &bare)?);
    let rate = f64::from(u32::try_from(tasks).unwrap_or(u32::MAX)) / took.as_secs_f64();
    let twice = seen.twice();
    Ok(vec![
        Figure::judged(
            CLAIMED,
            twice == 0 && bad.is_empty() && seen.died.is_empty() && control.twice() > 0,
            format!("{twice} double claims, {} wrong endings of {tasks} tasks, {rate:.0} tasks/s", bad.len()),
            "0 and 0",
        )
        .with_note(format!(
            "each with one claim, one load and one final event; control: select-then-update on bare SQLite claims {} twice",
            control.twice()
        )),
        Figure::judged(BUSY, seen.refused.is_empty(), format!("{} of {tasks} tasks", seen.refused.len()), "0"),
    ])
}

/// Puts the tasks into the store; nobody drives them yet.
fn ask(data: &Path, tasks: u64) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let researches = researches(open(data, 1)?, 1);
    runtime.block_on(async {
        for number in 0..tasks {
            start(&researches, 1, number).await?;
        }
        anyhow::Ok(())
    })
}

fn run_processes(name: &str, data: &Path) -> anyhow::Result<Vec<ChildProcessOutput>> {
    let figures = rig::built("figures")?;
    let run = |index: u64| {
        let mut command = rig::command(&figures);
        command.args(["worker", "full", "--", name, &index.to_string()]).arg(data);
        rig::run(&mut command, LIMIT)
    };
    thread::scope(|scope| {
        let running: Vec<_> = (0..PROCESSES).map(|index| scope.spawn(move || run(index))).collect();
        running
            .into_iter()
            .map(|process| process.join().unwrap_or_else(|_| bail!("a measuring thread failed")))
            .collect()
    })
}

/// What the processes told.
#[derive(Debug, Default)]
struct ManyProcessesTally {
    claims: BTreeMap<String, usize>,
    ended: BTreeMap<String, usize>,
    refused: Vec<String>,
    died: Vec<String>,
}

impl ManyProcessesTally {
    fn of(finished: &[ChildProcessOutput]) -> Self {
        let mut seen = Self::default();
        for process in finished {
            let before = seen.claims.len();
            for line in process.stdout.lines() {
                match line.split_once(' ') {
                    Some(("claim", task)) => *seen.claims.entry(task.to_owned()).or_default() += 1,
                    Some(("ended", task)) => *seen.ended.entry(task.to_owned()).or_default() += 1,
                    _ => seen.refused.push(line.to_owned()),
                }
            }
            if !process.status.success() || !process.in_time {
                seen.died.push(format!("a process ended with {}: {}", process.status, process.stderr));
            }
            if seen.claims.len() == before {
                seen.died.push("a process claimed nothing at all".to_owned());
            }
        }
        seen
    }

    fn twice(&self) -> usize {
        self.claims.values().filter(|claims| **claims > 1).count()
    }
}

/// Compares what was told with what is stored.
fn check(data: &Path, tasks: u64, seen: &ManyProcessesTally) -> anyhow::Result<Vec<String>> {
    let mut bad = Vec::new();
    let store = open(data, 2)?;
    let audited = store.check_integrity(IntegrityDepth::Everything)?;
    if audited.researches != tasks {
        bad.push(format!("{} researches are stored, {tasks} were asked", audited.researches));
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    for number in 0..tasks {
        let id = probity_research::RunId::from_random(bits(1, number));
        let journal = runtime.block_on(store.load(id))?;
        let endings = journal.iter().filter(|recorded| matches!(recorded.event, Event::Ended { .. })).count();
        let told = seen.ended.get(&id.to_string()).copied().unwrap_or(0);
        let claims = seen.claims.get(&id.to_string()).copied().unwrap_or(0);
        if (endings, told, journal.len()) != (1, 1, 2) || claims == 0 {
            bad.push(format!(
                "{id}: {endings} endings, {told} told, {claims} claims, {} events",
                journal.len()
            ));
        }
    }
    Ok(bad)
}

/// `many_processes INDEX DIRECTORY` and `many_processes_bare INDEX DIRECTORY`.
pub fn work(arguments: &[&str]) -> anyhow::Result<()> {
    if let [_, index, directory] = arguments {
        gather(Path::new(directory), index)?;
    }
    match arguments {
        ["many_processes", index, directory] => claim_all(Path::new(directory), index.parse()?),
        ["many_processes_bare", index, directory] => {
            bare_sqlite::claim_all(Path::new(directory), index.parse()?)
        }
        other => bail!("no such worker: {other:?}"),
    }
}

/// Waits until every process is there, so that all of them compete from the first task on.
fn gather(directory: &Path, index: &str) -> anyhow::Result<()> {
    std::fs::write(directory.join(format!("here-{index}")), "")?;
    let until = rig::now() + GATHER_LIMIT;
    while !(0..PROCESSES).all(|other| directory.join(format!("here-{other}")).exists()) {
        if rig::now() > until {
            bail!("the other processes did not come");
        }
        thread::sleep(Duration::from_millis(1));
    }
    Ok(())
}

fn claim_all(directory: &Path, index: u64) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let store = open(directory, 100 + index)?;
    let waiting = ListFilter { status: Some(RunStatus::Pending), limit: 1, ..ListFilter::default() };
    runtime.block_on(async {
        print_refusal(store.heartbeat(store.owner()).await);
        loop {
            let claims = print_refusal(store.claim_due(store.owner(), ROOM).await).unwrap_or_default();
            for claim in &claims {
                output::line(&format!("claim {}", claim.id));
                end(&store, *claim).await?;
            }
            if claims.is_empty() {
                if store.list(&waiting)?.is_empty() {
                    return Ok(());
                }
                tokio::time::sleep(IDLE_PAUSE).await;
            }
        }
    })
}

async fn end(store: &Store, claim: LeaseClaim) -> anyhow::Result<()> {
    let clock = SystemClock::default();
    let writer = JournalWriter::Driver(store.owner(), claim.fence);
    let Some(mut recorder) = print_refusal(Recorder::load(store, &clock, claim.id, writer).await) else {
        return Ok(());
    };
    let event = Event::Ended {
        stop: RunStop::Completed,
        report: None,
        raw: None,
        usage: None,
        cost: Cost::Unknown,
        problem: None,
        sources: 0,
        progress: None,
    };
    match recorder.append(event, AppendKind::Fact, Duration::ZERO).await {
        Ok(_) => output::line(&format!("ended {}", claim.id)),
        Err(DriveError::LostLease) => output::line(&format!("lost {}", claim.id)),
        Err(DriveError::Journal(problem)) => output::line(&format!("refused {}", problem.code)),
    }
    Ok(())
}

/// Any refusal is told: the goal is that there is none.
fn print_refusal<T>(result: Result<T, JournalError>) -> Option<T> {
    result.inspect_err(|error| output::line(&format!("refused {} {error}", error.code()))).ok()
}
