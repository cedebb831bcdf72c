//! The Nth sync or write fails, once or from then on: what was told is there after a restart.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    time::Duration,
};

use anyhow::Context;

use super::{FAILING, FAILING_GOAL};
use crate::{
    figure::{Figure, MeasurementSize},
    foundation::{
        kill_sweep::{
            installed,
            judge::{KillSweepJudgement, judge},
            memory_folder,
            points::census,
            program::{ProgramInstallation, ids_in, panicked},
        },
        parallel_trials::run_in_parallel,
    },
    output,
    rig::{self, SimulatorProcess},
};

const QUESTION: &str = "[[completed duration_ms=200]] why is the sky blue?";
/// Nearly all of it is waiting: a driver leaves a research alone for half a minute after a failed read.
const SIDE_BY_SIDE: usize = 10;
/// After one failure the program must end, with the report or with an error.
const LIMIT_ONCE: Duration = Duration::from_secs(50);
/// A program whose disk never works again goes on trying; it is left alone for so long, then killed.
const LIMIT_FROM_THEN_ON: Duration = Duration::from_secs(5);

/// The call, how it fails, and how often.
const FAULTS: &[(&str, &str, FaultDuration)] = &[
    ("fsync", "EIO", FaultDuration::Once),
    ("fdatasync", "EIO", FaultDuration::Once),
    ("fsync", "EIO", FaultDuration::FromThenOn),
    ("pwrite64", "ENOSPC", FaultDuration::Once),
    ("pwrite64", "ENOSPC", FaultDuration::FromThenOn),
    ("pwrite64", "EIO", FaultDuration::Once),
    ("pread64", "EIO", FaultDuration::Once),
    ("ftruncate", "EIO", FaultDuration::Once),
    ("fallocate", "ENOSPC", FaultDuration::Once),
    ("rename", "EIO", FaultDuration::Once),
    ("mkdir", "ENOSPC", FaultDuration::Once),
    ("flock", "EIO", FaultDuration::Once),
    ("unlink", "EIO", FaultDuration::Once),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FaultDuration {
    Once,
    FromThenOn,
}

/// Whether the store is made under the failing disk, or was there: strace counts per thread, and the
/// thread that makes the store would hide the writer's calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StoreSetup {
    New,
    There,
}

/// One place where the disk fails.
struct DiskFault {
    store: StoreSetup,
    call: &'static str,
    error: &'static str,
    lasting: FaultDuration,
    when: u32,
}

impl DiskFault {
    fn options(&self) -> Vec<String> {
        let Self { call, error, lasting, when, .. } = self;
        let plus = if *lasting == FaultDuration::FromThenOn { "+" } else { "" };
        let inject = format!("inject={call}:error={error}:when={when}{plus}");
        ["-o", "/dev/null", "-e", &format!("trace={call}"), "-e", &inject].map(str::to_owned).to_vec()
    }
}

#[derive(Debug, Default)]
struct FailingCallsTally {
    points: usize,
    acked: usize,
    /// Found in the store although the user was told that the start failed.
    untold: usize,
    panics: Vec<String>,
    judged: KillSweepJudgement,
}

pub fn measure(size: MeasurementSize, simulator: &SimulatorProcess) -> anyhow::Result<Figure> {
    let folder = memory_folder()?;
    let plan = plan(size, simulator, folder.path())?;
    let told = sweep(&plan, simulator, folder.path())?;
    let FailingCallsTally { points, acked, untold, panics, judged } = &told;
    for line in judged.lost.iter().chain(&judged.duplicates).chain(&judged.untrue).chain(panics) {
        output::progress(line);
    }
    Ok(Figure::judged(
        FAILING,
        judged.lost.is_empty() && judged.duplicates.is_empty() && judged.untrue.is_empty() && panics.is_empty(),
        format!(
            "{} lost, {} duplicates, {} panics, {points} failing calls",
            judged.lost.len(),
            judged.duplicates.len(),
            panics.len()
        ),
        FAILING_GOAL,
    )
    .with_note(format!(
        "{acked} ids told; {} completed, {} shown as unknown, {} untrue; {untold} stored although the start was refused",
        judged.completed,
        judged.unknown,
        judged.untrue.len()
    )))
}

fn plan(
    size: MeasurementSize,
    simulator: &SimulatorProcess,
    folder: &Path,
) -> anyhow::Result<Vec<DiskFault>> {
    let mut plan = Vec::new();
    for store in [StoreSetup::New, StoreSetup::There] {
        let place = folder.join(format!("census-{store:?}"));
        let program = installed(simulator, &place)?;
        prelude(store, &program)?;
        let census = census(&program, &["research", QUESTION, "--json"], &place)?;
        plan.extend(places(store, &census, size.pick(4, 16)));
    }
    if size == MeasurementSize::Quick {
        // A failed read makes a driver rest for half a minute, which CI does not have.
        plan.retain(|fault| fault.call != "pread64");
    }
    Ok(plan)
}

/// What was there before, and its ids.
fn prelude(store: StoreSetup, program: &ProgramInstallation) -> anyhow::Result<BTreeSet<String>> {
    match store {
        StoreSetup::New => Ok(BTreeSet::new()),
        StoreSetup::There => {
            let before = program.run(&["research", "[[completed duration_ms=1]] why?", "--json"])?;
            Ok(ids_in(&before.stderr).into_iter().collect())
        }
    }
}

fn places(store: StoreSetup, census: &BTreeMap<String, u32>, most: u32) -> Vec<DiskFault> {
    let mut plan = Vec::new();
    for (call, error, lasting) in FAULTS {
        let calls = census.get(*call).copied().unwrap_or(0);
        let places = calls.min(most);
        let spread: BTreeSet<u32> =
            (0..places).map(|place| 1 + place * (calls - 1) / (places - 1).max(1)).collect();
        plan.extend(spread.into_iter().map(|when| DiskFault { store, call, error, lasting: *lasting, when }));
    }
    plan
}

fn sweep(
    plan: &[DiskFault],
    simulator: &SimulatorProcess,
    folder: &Path,
) -> anyhow::Result<FailingCallsTally> {
    let trials = run_in_parallel("failing call", SIDE_BY_SIDE, plan, folder, |fault, place| {
        one(fault, simulator, place)
            .with_context(|| format!("{} {} at call {}", fault.call, fault.error, fault.when))
    })?;
    let mut total = FailingCallsTally::default();
    trials.into_iter().for_each(|told| total.add(told));
    Ok(total)
}

impl FailingCallsTally {
    fn add(&mut self, other: Self) {
        self.points += other.points;
        self.acked += other.acked;
        self.untold += other.untold;
        self.panics.extend(other.panics);
        self.judged.add(other.judged);
    }
}

fn one(fault: &DiskFault, simulator: &SimulatorProcess, folder: &Path) -> anyhow::Result<FailingCallsTally> {
    let program = installed(simulator, folder)?;
    let mut told = prelude(fault.store, &program)?;
    let limit = match fault.lasting {
        FaultDuration::Once => LIMIT_ONCE,
        FaultDuration::FromThenOn => LIMIT_FROM_THEN_ON,
    };
    let first = rig::run(&mut program.traced(&fault.options(), &["research", QUESTION, "--json"]), limit)?;
    told.extend(ids_in(&(first.stderr.clone() + &first.stdout)));
    let second = program.resume_all()?;
    let mut judged = judge(&program, simulator, &told)?;
    let place = format!("{} {} {:?} at call {}", fault.call, fault.error, fault.lasting, fault.when);
    for line in judged.lost.iter_mut().chain(&mut judged.duplicates).chain(&mut judged.untrue) {
        *line = format!("{place}: {line}: {}", first.stderr);
    }
    if !first.in_time && fault.lasting == FaultDuration::Once {
        judged.untrue.push(format!("{place}: the program did not end: {}", first.stderr));
    }
    let panics = [&first, &second]
        .into_iter()
        .filter(|finished| panicked(finished))
        .map(|finished| format!("{place}: {}", finished.stderr))
        .collect();
    let untold = judged.stored.difference(&told).count();
    Ok(FailingCallsTally { points: 1, acked: told.len(), untold, panics, judged })
}
