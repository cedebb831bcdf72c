//! The Nth sync or write fails, once or from then on: what was told is there after a restart.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    time::Duration,
};

use anyhow::{Context, ensure};

use super::{FAILING, FAILING_GOAL};
use crate::{
    figure::{Figure, MeasurementSize},
    foundation::{
        kill_sweep::{
            installed,
            judge::{DUPLICATE, LOST, UNTRUE, judge},
            memory_folder,
            program::{COMMAND_LIMIT, ProgramInstallation, ids_in, panicked},
        },
        parallel_trials::run_in_parallel,
    },
    kill_harness::{KillTally, system_calls},
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

const PANIC: &str = "panic";

pub fn measure(size: MeasurementSize, simulator: &SimulatorProcess) -> anyhow::Result<Figure> {
    let folder = memory_folder()?;
    let plan = plan(size, simulator, folder.path())?;
    let trials = run_in_parallel("failing call", SIDE_BY_SIDE, &plan, folder.path(), |fault, place| {
        one(fault, simulator, place)
            .with_context(|| format!("{} {} at call {}", fault.call, fault.error, fault.when))
    })?;
    let told = KillTally::sum(trials);
    told.print_faults();
    let [lost, duplicates, untrue, panics] = [LOST, DUPLICATE, UNTRUE, PANIC].map(|kind| told.wrong(kind));
    let [acked, completed, unknown, untold] =
        ["told", "completed", "unknown", "untold"].map(|what| told.get(what));
    Ok(Figure::judged(
        FAILING,
        told.all_wrong() == 0,
        format!("{lost} lost, {duplicates} duplicates, {panics} panics, {} failing calls", plan.len()),
        FAILING_GOAL,
    )
    .with_note(format!(
        "{acked} ids told; {completed} completed, {unknown} shown as unknown, {untrue} untrue; {untold} stored although the start was refused"
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
        let options = system_calls::options(None, &place);
        let finished =
            rig::run(&mut program.traced(&options, &["research", QUESTION, "--json"]), COMMAND_LIMIT)?;
        ensure!(finished.in_time, "an undisturbed run did not end: {}", finished.stderr);
        plan.extend(places(store, &system_calls::census(&place)?, size.pick(4, 16)));
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

fn one(fault: &DiskFault, simulator: &SimulatorProcess, folder: &Path) -> anyhow::Result<KillTally> {
    let program = installed(simulator, folder)?;
    let mut told = prelude(fault.store, &program)?;
    let limit = match fault.lasting {
        FaultDuration::Once => LIMIT_ONCE,
        FaultDuration::FromThenOn => LIMIT_FROM_THEN_ON,
    };
    let first = rig::run(&mut program.traced(&fault.options(), &["research", QUESTION, "--json"]), limit)?;
    told.extend(ids_in(&(first.stderr.clone() + &first.stdout)));
    let second = program.resume_all()?;
    let judged = judge(&program, simulator, &told)?;
    let untold = judged.stored.difference(&told).count();
    let mut tally = judged.into_tally();
    tally.count("told", told.len());
    // Found in the store although the user was told that the start failed.
    tally.count("untold", untold);
    if !first.in_time && fault.lasting == FaultDuration::Once {
        tally.fault(UNTRUE, "the program did not end".to_owned());
    }
    for finished in [&first, &second].into_iter().filter(|finished| panicked(finished)) {
        tally.fault(PANIC, finished.stderr.clone());
    }
    let place = format!("{} {} {:?} at call {}", fault.call, fault.error, fault.lasting, fault.when);
    tally.faults.values_mut().flatten().for_each(|line| line.push_str(&format!(": {}", first.stderr)));
    Ok(tally.at(&place, first.killed()))
}
