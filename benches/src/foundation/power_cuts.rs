//! Cuts the power: stops the writing process at a random moment, takes what the disk holds without its
//! file system's cache, mounts that and looks for everything that was acknowledged.
//!
//! Models the loss of what the kernel had not written. Not modelled: torn sectors, drives that lie.

mod bare_sqlite;
pub mod image;
pub mod worker;

use std::{
    collections::{BTreeMap, BTreeSet},
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{ChildStdout, Stdio},
    str::FromStr,
    sync::{Arc, Mutex, PoisonError},
    thread,
    time::Duration,
};

use anyhow::{Context, bail};
use probity_research::{Digest, RunId, ports::Journal};
use probity_store::IntegrityDepth;
use rustix::process::Signal;

use self::image::MountedImage;
use super::kill_sweep::memory_folder;
use crate::{
    figure::{Figure, MeasurementSize},
    output,
    rig::{self, ProcessGroup},
};

const LOST: &str = "acked-but-lost events and reports over power cuts";
const GOAL: &str = "0 lost, every database whole";
/// Cuts of one writing process, before it starts anew on a fresh disk.
const CUTS_PER_DISK: usize = 10;
/// Room for what a process writes during its cuts, several times over.
const DISK_MEBIBYTES: u64 = 512;
/// Between two cuts at most: long enough for dozens of researches, so that a cut hits any of their steps.
const PAUSE_MS_MAX: u64 = 300;
/// How long the writing process gets to tell its first line.
const FIRST_LINE_LIMIT: Duration = Duration::from_secs(20);

pub fn measure(size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let missing = ["mount", "umount", "mkfs.ext4", "cp"].into_iter().find(|name| !rig::has_program(name));
    if !rig::is_root() || missing.is_some() || !Path::new("/dev/loop-control").exists() {
        let why = "needs root, loop devices and mkfs.ext4";
        return Ok(vec![Figure::skipped(LOST, GOAL, why)]);
    }
    let cuts: usize = size.pick(10, 200);
    let folder = memory_folder()?;
    let mut total = PowerCutTally::default();
    for disk in 0..cuts.div_ceil(CUTS_PER_DISK) {
        let seed = 1_000 + disk as u64;
        let here = CUTS_PER_DISK.min(cuts - disk * CUTS_PER_DISK);
        let found = on_one_disk(&folder.path().join(format!("disk-{disk}")), seed, here)?;
        total.add(found);
        output::progress(&format!("{} of {cuts} power cuts, {} events looked for", total.cuts, total.events));
    }
    let mut control = Vec::new();
    for synchronous in ["FULL", "NORMAL", "OFF"] {
        let place = folder.path().join(format!("bare-{synchronous}"));
        let (lost, told) = bare_loss(&place, synchronous, size.pick(4, 12))?;
        control.push((synchronous, lost, told));
    }
    Ok(vec![figure(&total, cuts, &control)])
}

fn figure(total: &PowerCutTally, cuts: usize, control: &[(&str, usize, usize)]) -> Figure {
    let PowerCutTally { cuts: made, events, reports, lost, damaged } = total;
    lost.iter().chain(damaged).for_each(|line| output::progress(line));
    // The rig must see that a commit is lost without a sync, and only then.
    let sees_losses = control.iter().all(|(synchronous, lost, _)| (*lost == 0) == (*synchronous == "FULL"));
    let shown: Vec<String> = control
        .iter()
        .map(|(synchronous, lost, told)| format!("{lost} of {told} with synchronous={synchronous}"))
        .collect();
    Figure::judged(
        LOST,
        *made == cuts && *events > 0 && lost.is_empty() && damaged.is_empty() && sees_losses,
        format!(
            "{} lost of {} looked for, {} damaged, {made} cuts",
            lost.len(),
            events + reports,
            damaged.len()
        ),
        GOAL,
    )
    .with_note(format!(
        "{events} events and {reports} kept reports, counted anew at every cut; control on the same disk: bare SQLite loses {}",
        shown.join(", ")
    ))
}

#[derive(Debug, Default)]
struct PowerCutTally {
    cuts: usize,
    /// Acknowledged events that were looked for, once per cut.
    events: usize,
    reports: usize,
    lost: Vec<String>,
    damaged: Vec<String>,
}

impl PowerCutTally {
    fn add(&mut self, other: Self) {
        self.cuts += other.cuts;
        self.events += other.events;
        self.reports += other.reports;
        self.lost.extend(other.lost);
        self.damaged.extend(other.damaged);
    }
}

/// One disk with one writing process on it.
struct PowerCutTestBed {
    // Fields are dropped in this order: the process must be gone before its disk is unmounted.
    writing: ProcessGroup,
    told: ProcessLines,
    mounted: MountedImage,
    image: PathBuf,
    folder: PathBuf,
}

impl PowerCutTestBed {
    fn start(folder: &Path, arguments: &[&str]) -> anyhow::Result<Self> {
        std::fs::create_dir_all(folder)?;
        let image = folder.join("disk.img");
        image::make(&image, DISK_MEBIBYTES)?;
        let mounted = MountedImage::image(&image, &folder.join("disk"))?;
        let data = folder.join("disk/data");
        std::fs::create_dir(&data)?;
        let mut command = rig::command(rig::built("figures")?);
        command.args(["worker", "full", "--"]).args(arguments).arg(&data).stdout(Stdio::piped());
        let mut writing = ProcessGroup::spawn(&mut command)?;
        let told = ProcessLines::listen(writing.child.stdout.take().context("no stdout")?)?;
        Ok(Self { writing, told, mounted, image, folder: folder.to_owned() })
    }

    /// What was told, and a mounted copy of the disk as it was at that moment.
    fn cut(&mut self, number: usize) -> anyhow::Result<(Vec<String>, MountedImage, PathBuf)> {
        if let Some(status) = self.writing.child.try_wait()? {
            bail!("the writing process ended by itself: {status}");
        }
        self.writing.signal(Signal::STOP);
        let told = self.told.so_far()?;
        let copy = self.folder.join(format!("cut-{number}.img"));
        let copied = image::copy_as_it_is(&self.mounted, &self.image, &copy);
        self.writing.signal(Signal::CONT);
        copied?;
        let place = self.folder.join(format!("cut-{number}"));
        let mounted = MountedImage::image(&copy, &place)?;
        // The mount holds the file; its name is not needed any more.
        std::fs::remove_file(&copy)?;
        Ok((told, mounted, place.join("data")))
    }
}

/// Lines that a process has told so far, read by a thread of their own.
struct ProcessLines {
    pipe: rustix::fd::OwnedFd,
    lines: Arc<Mutex<Vec<String>>>,
}

impl ProcessLines {
    fn listen(stdout: ChildStdout) -> anyhow::Result<Self> {
        let pipe = rustix::io::dup(&stdout)?;
        let lines = Arc::new(Mutex::new(Vec::new()));
        let heard = Arc::clone(&lines);
        // Ends with the process, whose end closes the pipe.
        thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                heard.lock().unwrap_or_else(PoisonError::into_inner).push(line);
            }
        });
        let told = Self { pipe, lines };
        let mut waited = Duration::ZERO;
        while told.count() == 0 {
            thread::sleep(Duration::from_millis(10));
            waited += Duration::from_millis(10);
            if waited > FIRST_LINE_LIMIT {
                bail!("the writing process says nothing");
            }
        }
        Ok(told)
    }

    fn count(&self) -> usize {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// Everything that is in the pipe of a stopped process.
    fn so_far(&self) -> anyhow::Result<Vec<String>> {
        // A stop reaches the threads of a process within a scheduler tick; then the pipe only empties.
        thread::sleep(Duration::from_millis(10));
        while rustix::io::ioctl_fionread(&self.pipe)? > 0 {
            thread::sleep(Duration::from_millis(1));
        }
        thread::sleep(Duration::from_millis(5));
        Ok(self.lines.lock().unwrap_or_else(PoisonError::into_inner).clone())
    }
}

fn on_one_disk(folder: &Path, seed: u64, cuts: usize) -> anyhow::Result<PowerCutTally> {
    let mut bench = PowerCutTestBed::start(folder, &["power_cuts", &seed.to_string()])?;
    let mut total = PowerCutTally::default();
    for cut in 0..cuts {
        thread::sleep(pause(seed, cut));
        let (told, mounted, data) = bench.cut(cut)?;
        let found = check_after_cut(&told, &data, seed + 500_000 + cut as u64);
        drop(mounted);
        total.add(found.with_context(|| format!("cut {cut} of disk {seed}"))?);
    }
    drop(bench);
    std::fs::remove_dir_all(folder).ok();
    Ok(total)
}

fn pause(seed: u64, cut: usize) -> Duration {
    Duration::from_millis(worker::scramble(seed ^ (cut as u64) << 32) % PAUSE_MS_MAX)
}

/// Opens what the cut left and looks for everything that was told.
fn check_after_cut(told: &[String], data: &Path, owner_seed: u64) -> anyhow::Result<PowerCutTally> {
    let mut found = PowerCutTally { cuts: 1, ..PowerCutTally::default() };
    let acknowledged = AcknowledgedWrites::parse(told)?;
    let opened = worker::open(data, owner_seed);
    let store = match opened {
        Ok(store) => store,
        Err(error) => {
            found.damaged.push(format!("{error:#}"));
            return Ok(found);
        }
    };
    if let Err(problem) = store.check_integrity(IntegrityDepth::Everything) {
        found.damaged.push(format!("the audit says: {problem}"));
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    for (id, events) in &acknowledged.events {
        found.events += events.len();
        let journal = runtime.block_on(store.load(*id)).unwrap_or_default();
        let stored: BTreeMap<u64, String> = journal
            .iter()
            .map(|recorded| (recorded.sequence.0, recorded.event.encode().unwrap_or_default()))
            .collect();
        let missing = events.iter().filter(|(sequence, event)| stored.get(sequence) != Some(event));
        found.lost.extend(missing.map(|(sequence, event)| format!("event {sequence} of {id}: {event}")));
    }
    for digest in &acknowledged.reports {
        found.reports += 1;
        if runtime.block_on(store.fetch_blob(*digest)).is_err() {
            found.lost.push(format!("the bytes of {digest}"));
        }
    }
    Ok(found)
}

#[derive(Default)]
struct AcknowledgedWrites {
    events: BTreeMap<RunId, BTreeMap<u64, String>>,
    reports: BTreeSet<Digest>,
}

impl AcknowledgedWrites {
    fn parse(lines: &[String]) -> anyhow::Result<Self> {
        let mut acknowledged = Self::default();
        for line in lines {
            let mut words = line.splitn(4, ' ');
            match (words.next(), words.next(), words.next(), words.next()) {
                (Some("event"), Some(id), Some(sequence), Some(event)) => {
                    let events = acknowledged.events.entry(RunId::from_str(id)?).or_default();
                    events.insert(sequence.parse()?, event.to_owned());
                }
                (Some("kept"), Some(digest), None, None) => {
                    acknowledged.reports.insert(Digest::from_str(digest)?);
                }
                _ => bail!("the writing process says: {line}"),
            }
        }
        Ok(acknowledged)
    }
}

/// Rows lost and rows told by SQLite alone, over all cuts.
fn bare_loss(folder: &Path, synchronous: &str, cuts: usize) -> anyhow::Result<(usize, usize)> {
    let mut bench = PowerCutTestBed::start(folder, &["power_cuts_bare", synchronous])?;
    let (mut lost, mut all) = (0, 0);
    for cut in 0..cuts {
        thread::sleep(pause(77, cut));
        let (told, mounted, data) = bench.cut(cut)?;
        lost += told.len() - bare_sqlite::count_kept_rows(&data, told.len()).min(told.len());
        all += told.len();
        drop(mounted);
    }
    drop(bench);
    std::fs::remove_dir_all(folder).ok();
    Ok((lost, all))
}

/// `power_cuts SEED DIRECTORY` and `power_cuts_bare SYNCHRONOUS DIRECTORY`.
pub fn work(arguments: &[&str]) -> anyhow::Result<()> {
    match arguments {
        ["power_cuts", seed, directory] => worker::work(Path::new(directory), seed.parse()?),
        ["power_cuts_bare", synchronous, directory] => bare_sqlite::work(Path::new(directory), synchronous),
        other => bail!("no such worker: {other:?}"),
    }
}
