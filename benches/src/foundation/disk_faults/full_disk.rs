//! A full disk, before a research and in the middle of one.

use std::{
    collections::BTreeSet,
    io::Write,
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

use super::{FULL, FULL_GOAL};
use crate::{
    figure::{Figure, MeasurementSize},
    foundation::{
        kill_sweep::{
            judge::{LOST, creates, judge},
            memory_folder,
            program::{ProgramInstallation, ids_in, panicked},
        },
        power_cuts::image::MountedImage,
    },
    kill_harness::KillTally,
    rig::{self, ChildProcessOutput, SimulatorProcess},
};

/// Room for a few researches.
const SMALL: &str = "size=1m";
const ENLARGED: &str = "size=16m";
/// How long the disk stays full: the report arrives meanwhile.
const FULL_FOR: Duration = Duration::from_millis(2_500);
/// A driver that waits for room tries again after at most a minute; here it has waited for seconds.
const END_LIMIT: Duration = Duration::from_secs(30);
const QUESTION: &str = "[[completed duration_ms=900]] why is the sky blue?";

/// Anything that is wrong here; what is lost has a kind of its own.
const WRONG: &str = "wrong";

pub fn measure(size: MeasurementSize, simulator: &SimulatorProcess) -> anyhow::Result<Figure> {
    let mut told = refuse(simulator)?;
    let moments: &[u64] = size.pick(&[0, 400], &[0, 5, 20, 60, 120, 250, 400, 600, 800, 950]);
    // Side by side: most of it is waiting.
    let outcomes: Vec<anyhow::Result<KillTally>> = thread::scope(|scope| {
        let running: Vec<_> =
            moments.iter().map(|after_ms| scope.spawn(|| fill_during(simulator, *after_ms))).collect();
        running.into_iter().filter_map(|thread| thread.join().ok()).collect()
    });
    let finished = outcomes.len();
    for outcome in outcomes {
        told.add(outcome?);
    }
    told.print_faults();
    let [creates, refused, rescued, deaths, completed] =
        ["creates", "refused", "rescued", "deaths", "completed"].map(|what| told.get(what));
    Ok(Figure::judged(
        FULL,
        finished == moments.len() && told.all_wrong() == 0 && creates == 0,
        format!(
            "{} lost, {creates} creates, {deaths} deaths; of {} filled in mid-run {completed} completed, {refused} were refused before an id was told",
            told.wrong(LOST),
            moments.len(),
        ),
        FULL_GOAL,
    )
    .with_note(format!(
        "disk filled {moments:?} ms after the start and enlarged {} s later; {rescued} reports were also rescued as Markdown",
        FULL_FOR.as_secs_f64()
    )))
}

/// A research asked for on a full disk: refused, with the reason, and nobody is paid.
fn refuse(simulator: &SimulatorProcess) -> anyhow::Result<KillTally> {
    let mut told = KillTally::default();
    let bench = FullDiskTestBed::new(simulator)?;
    let first = bench.program.run(&["research", "[[completed duration_ms=100]] why?", "--json"])?;
    if !first.status.success() {
        told.fault(WRONG, format!("the disk is too small for one research: {}", first.stderr));
    }
    bench.fill()?;
    let before = creates(simulator)?.len();
    let refused = bench.program.run(&["research", QUESTION, "--json"])?;
    told.count("creates", creates(simulator)?.len() - before);
    let problem = refused.json().get("problem").cloned().unwrap_or_default();
    let text = problem.to_string() + &refused.stderr;
    let place = bench.program.data().display().to_string();
    if !["STORE_FULL", "bytes", &place].into_iter().all(|words| text.contains(words)) {
        told.fault(WRONG, format!("refused on a full disk with: {}{}", refused.stdout, refused.stderr));
    }
    watch(&mut told, &refused, "asked on a full disk");
    // What was there before can still be read.
    let shown = bench.program.run(&["runs", "show", "last", "--json"])?;
    if shown.json().get("report").is_none_or(serde_json::Value::is_null) {
        told.fault(WRONG, format!("shown on a full disk: {}{}", shown.stdout, shown.stderr));
    }
    Ok(told)
}

fn watch(told: &mut KillTally, finished: &ChildProcessOutput, when: &str) {
    if panicked(finished) || finished.killed() {
        told.count("deaths", 1);
        told.fault(WRONG, format!("{when}: died with {}: {}", finished.status, finished.stderr));
    }
}

/// The disk fills up while a research runs, and is enlarged later.
fn fill_during(simulator: &SimulatorProcess, after_ms: u64) -> anyhow::Result<KillTally> {
    let bench = FullDiskTestBed::new(simulator)?;
    // The store itself exists: this is not about its creation.
    bench.program.run(&["research", "[[completed duration_ms=50]] why?", "--json"])?;
    let mut command = bench.program.command(&["research", QUESTION, "--json"]);
    let waiting = thread::spawn(move || rig::run(&mut command, END_LIMIT));
    thread::sleep(Duration::from_millis(after_ms));
    bench.fill()?;
    thread::sleep(FULL_FOR);
    let rescued = rescued(&bench.home).len();
    bench.disk.remount(ENLARGED)?;
    let finished = waiting.join().unwrap_or_else(|_| anyhow::bail!("a measuring thread failed"))?;
    bench.program.resume_all()?;
    let ids: BTreeSet<String> = ids_in(&finished.stderr).into_iter().collect();
    let mut judged = judge(&bench.program, simulator, &ids)?;
    // The one that made the store.
    judged.completed = judged.completed.saturating_sub(1);
    let refused = ids.is_empty() && finished.stderr.contains("STORE_FULL");
    let ended = judged.completed == 1 || refused;
    let mut told = judged.into_tally();
    told.count("rescued", rescued);
    told.count("refused", usize::from(refused));
    if !finished.in_time || !ended {
        told.fault(WRONG, format!("filled after {after_ms} ms: {told:?}: {}", finished.stderr));
    }
    watch(&mut told, &finished, &format!("filled after {after_ms} ms"));
    Ok(told)
}

/// A data directory on a small file system; the home is elsewhere.
struct FullDiskTestBed {
    program: ProgramInstallation,
    disk: MountedImage,
    home: PathBuf,
    mount: PathBuf,
    // Dropped after the disk is unmounted.
    _folder: tempfile::TempDir,
}

impl FullDiskTestBed {
    fn new(simulator: &SimulatorProcess) -> anyhow::Result<Self> {
        let folder = memory_folder()?;
        let (home, mount) = (folder.path().join("home"), folder.path().join("small"));
        std::fs::create_dir_all(&home)?;
        let disk = MountedImage::memory(SMALL, &mount)?;
        let program = ProgramInstallation::new(&simulator.base_url, &home, &mount.join("data"))?;
        Ok(Self { program, disk, home, mount, _folder: folder })
    }

    /// Takes every byte that is left.
    fn fill(&self) -> anyhow::Result<()> {
        let mut filler = std::fs::File::create(self.mount.join("filler"))?;
        for size in [65_536, 4_096, 1] {
            let block = vec![0x5a; size];
            while filler.write(&block).is_ok_and(|written| written > 0) {}
        }
        Ok(())
    }
}

fn rescued(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut found = Vec::new();
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            found.extend(rescued(&path));
        } else if path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("probity-rescue-")) {
            found.push(path);
        }
    }
    found
}
