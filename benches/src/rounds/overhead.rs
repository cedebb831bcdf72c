//! What a round on Google's API costs in Probity beyond a bare HTTP client that makes the same calls.
//!
//! Both run in this process against one simulator, in turns, one research at a time. What is started once is
//! started before: store, connections, executor. The simulator is a process of its own, so its work counts for
//! nobody.

mod bare_client;
mod disk;
mod test_bed;

use std::{path::Path, time::Duration};

use anyhow::ensure;
use rustix::time::{ClockId, clock_gettime};
use serde_json::Value;

use self::{
    bare_client::{BareRoundsClient, PlantedDelay},
    test_bed::RoundsTestBed,
};
use crate::{
    figure::{Figure, MeasurementSize},
    foundation::kill_sweep::memory_folder,
    output,
    rig::{self, SimulatorProcess},
};

/// CPU beyond the bare client's, as a share of the time that a round takes.
const CPU_SHARE_MAX: f64 = 0.05;
/// Wall time of one round beyond the bare client's.
const WALL_MAX: Duration = Duration::from_millis(10);
/// The shortest round that a real model takes: shares of longer ones are smaller.
const LASTING: Duration = Duration::from_secs(2);
/// Nearly nothing but our own work.
const AT_ONCE: Duration = Duration::from_millis(1);
/// What the controls plant: a tenth more than the goals allow.
const PLANTED_CPU: Duration = Duration::from_millis(110);
const PLANTED_WAIT: Duration = Duration::from_millis(11);
/// Enough for a median that a single slow search does not move.
const CONTROL_SEARCHES: usize = 9;

/// What is asked again and again: a search that uses all its rounds.
#[derive(Debug, Clone, Copy)]
pub struct OverheadScript {
    pub rounds: u32,
    pub takes: Duration,
}

impl OverheadScript {
    /// The question whose model takes every turn of this script; `key` tells one search from another.
    pub fn question(&self, key: &str) -> String {
        let verifications = ",unsure".repeat(self.rounds.saturating_sub(1) as usize);
        let takes = self.takes.as_millis();
        format!(
            "When did the first one run? [[rounds key={key} turns=draft{verifications} duration_ms={takes}]]"
        )
    }
}

/// One search, per round.
#[derive(Debug, Clone, Copy)]
struct RoundSample {
    wall: Duration,
    cpu: Duration,
}

/// Many searches of one side.
#[derive(Debug, Default)]
struct RoundSamples(Vec<RoundSample>);

impl RoundSamples {
    fn wall(&self) -> Duration {
        rig::percentile(&mut self.0.iter().map(|sample| sample.wall).collect::<Vec<_>>(), 0.5)
    }

    fn cpu(&self) -> Duration {
        let all: Duration = self.0.iter().map(|sample| sample.cpu).sum();
        all / u32::try_from(self.0.len()).unwrap_or(u32::MAX).max(1)
    }
}

pub fn measure(size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let simulator = SimulatorProcess::start(&[])?;
    let directory = tempfile::tempdir()?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(Box::pin(compared(size, &simulator, directory.path())))
}

async fn compared(
    size: MeasurementSize,
    simulator: &SimulatorProcess,
    directory: &Path,
) -> anyhow::Result<Vec<Figure>> {
    let ours = RoundsTestBed::open(&simulator.base_url, directory)?;
    let bare = BareRoundsClient::new(&simulator.base_url, PlantedDelay::None)?;
    let at_once = OverheadScript { rounds: 5, takes: AT_ONCE };
    let lasting = OverheadScript { rounds: size.pick(2, 5), takes: LASTING };
    // Both warm: connections, caches, code.
    for _ in 0..3 {
        Box::pin(search_ours(&ours, &at_once)).await?;
        Box::pin(search_bare(&bare, &at_once)).await?;
    }
    let quick = Box::pin(turns(&ours, &bare, &at_once, size.pick(20, 200), simulator)).await?;
    let slow = Box::pin(turns(&ours, &bare, &lasting, size.pick(2, 12), simulator)).await?;
    let control = Box::pin(controls(simulator, &bare, &at_once, &lasting)).await?;
    let undisturbed = Box::pin(in_memory(&bare, &at_once, size.pick(20, 100), simulator)).await?;
    let disk = DiskShare { free: undisturbed, append: disk::synced_append(directory)? };
    Ok(figures(&quick, &slow, &disk, &control))
}

/// The same on a disk that takes no time: what is left is Probity's own.
async fn in_memory(
    bare: &BareRoundsClient,
    script: &OverheadScript,
    searches: usize,
    simulator: &SimulatorProcess,
) -> anyhow::Result<Duration> {
    let memory = memory_folder()?;
    let ours = RoundsTestBed::open(&simulator.base_url, memory.path())?;
    Box::pin(search_ours(&ours, script)).await?;
    Ok(Box::pin(turns(&ours, bare, script, searches, simulator)).await?.wall_beyond())
}

/// Both sides of one script, and what each asked of the simulator.
struct OverheadComparison {
    ours: RoundSamples,
    bare: RoundSamples,
    rounds: u32,
    calls: String,
}

impl OverheadComparison {
    fn wall_beyond(&self) -> Duration {
        self.ours.wall().saturating_sub(self.bare.wall())
    }

    fn cpu_beyond(&self) -> Duration {
        self.ours.cpu().saturating_sub(self.bare.cpu())
    }

    fn cpu_share(&self, takes: Duration) -> f64 {
        self.cpu_beyond().as_secs_f64() / takes.as_secs_f64()
    }

    fn ratio(&self) -> f64 {
        self.ours.cpu().as_secs_f64() / self.bare.cpu().as_secs_f64().max(1e-9)
    }
}

/// In turns, so that a noisy moment hits both sides.
async fn turns(
    ours: &RoundsTestBed,
    bare: &BareRoundsClient,
    script: &OverheadScript,
    searches: usize,
    simulator: &SimulatorProcess,
) -> anyhow::Result<OverheadComparison> {
    let (mut of_ours, mut of_bare) = (RoundSamples::default(), RoundSamples::default());
    let (mut calls_ours, mut calls_bare) = (SimulatorCallCounts::default(), SimulatorCallCounts::default());
    for search in 0..searches {
        if search.is_multiple_of(10) {
            output::progress(&format!("search {search} of {searches}, rounds of {:?}", script.takes));
        }
        let before = SimulatorCallCounts::now(simulator)?;
        of_ours.0.push(Box::pin(search_ours(ours, script)).await?);
        let between = SimulatorCallCounts::now(simulator)?;
        of_bare.0.push(Box::pin(search_bare(bare, script)).await?);
        let after = SimulatorCallCounts::now(simulator)?;
        calls_ours.add(before, between);
        calls_bare.add(between, after);
    }
    ensure!(calls_ours == calls_bare, "not the same calls: {calls_ours:?} and {calls_bare:?}");
    let rounds = u32::try_from(searches)?.saturating_mul(script.rounds);
    let SimulatorCallCounts { creates, gets, others } = calls_bare;
    let calls = format!("{creates} creates, {gets} gets and {others} redirects each");
    Ok(OverheadComparison { ours: of_ours, bare: of_bare, rounds, calls })
}

/// Requests that the simulator has answered.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct SimulatorCallCounts {
    creates: u64,
    gets: u64,
    others: u64,
}

impl SimulatorCallCounts {
    fn now(simulator: &SimulatorProcess) -> anyhow::Result<Self> {
        let stats = simulator.get("stats")?;
        let total = |name: &str| {
            stats.pointer(&format!("/totals/{name}")).and_then(Value::as_u64).unwrap_or_default()
        };
        Ok(Self { creates: total("create"), gets: total("get") + total("stream"), others: total("other") })
    }

    fn add(&mut self, before: Self, after: Self) {
        self.creates += after.creates - before.creates;
        self.gets += after.gets - before.gets;
        self.others += after.others - before.others;
    }
}

async fn search_ours(ours: &RoundsTestBed, script: &OverheadScript) -> anyhow::Result<RoundSample> {
    // An executor that only waits is no part of a bare client's search.
    let running = ours.run().await;
    let sample = Box::pin(sampled(script, ours.search(script))).await;
    running.stop().await;
    sample
}

async fn search_bare(bare: &BareRoundsClient, script: &OverheadScript) -> anyhow::Result<RoundSample> {
    Box::pin(sampled(script, bare.search(script))).await
}

/// What one search took, per round.
async fn sampled(
    script: &OverheadScript,
    search: impl Future<Output = anyhow::Result<()>>,
) -> anyhow::Result<RoundSample> {
    let (cpu, began) = (process_cpu(), rig::now());
    search.await?;
    Ok(RoundSample {
        wall: began.elapsed() / script.rounds,
        cpu: process_cpu().saturating_sub(cpu) / script.rounds,
    })
}

/// CPU time of this process, all its threads together.
fn process_cpu() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    let nanoseconds = u32::try_from(time.tv_nsec).unwrap_or_default();
    Duration::new(u64::try_from(time.tv_sec).unwrap_or_default(), nanoseconds)
}

/// Whether clients that waste a little more than the goals allow are seen to do so. On a machine that is busy with
/// something else they may drown in its noise: then the figures beside them say nothing either.
struct OverheadControl {
    wall: Duration,
    share: f64,
}

impl OverheadControl {
    fn is_sensitive(&self) -> bool {
        self.wall >= WALL_MAX && self.share > CPU_SHARE_MAX
    }

    fn note(&self) -> String {
        format!(
            "control: a bare client that waits {} ms in each round is measured {:.1} ms late, one that computes for {} \
             ms of 2 s at {:.1} %: {}",
            PLANTED_WAIT.as_millis(),
            milliseconds(self.wall),
            PLANTED_CPU.as_millis(),
            self.share * 100.0,
            if self.is_sensitive() {
                "both beyond the goals"
            } else {
                "not seen, so this machine is too noisy to judge"
            }
        )
    }
}

/// In turns with a client that wastes nothing, so that a noisy moment hits both.
async fn controls(
    simulator: &SimulatorProcess,
    bare: &BareRoundsClient,
    at_once: &OverheadScript,
    lasting: &OverheadScript,
) -> anyhow::Result<OverheadControl> {
    let waiting = BareRoundsClient::new(&simulator.base_url, PlantedDelay::Waits(PLANTED_WAIT))?;
    let wasting = BareRoundsClient::new(&simulator.base_url, PlantedDelay::Computes(PLANTED_CPU))?;
    let (mut waited, mut prompt) = (RoundSamples::default(), RoundSamples::default());
    for _ in 0..CONTROL_SEARCHES {
        waited.0.push(Box::pin(search_bare(&waiting, at_once)).await?);
        prompt.0.push(Box::pin(search_bare(bare, at_once)).await?);
    }
    let wasted = RoundSamples(vec![Box::pin(search_bare(&wasting, lasting)).await?]);
    let thrifty = RoundSamples(vec![Box::pin(search_bare(bare, lasting)).await?]);
    Ok(OverheadControl {
        wall: waited.wall().saturating_sub(prompt.wall()),
        share: wasted.cpu().saturating_sub(thrifty.cpu()).as_secs_f64() / LASTING.as_secs_f64(),
    })
}

/// What of the wall time is the disk's.
struct DiskShare {
    /// Wall time beyond the bare client's where the disk takes none.
    free: Duration,
    /// One bare append that is on disk when it returns.
    append: Duration,
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn figures(
    quick: &OverheadComparison,
    slow: &OverheadComparison,
    disk: &DiskShare,
    control: &OverheadControl,
) -> Vec<Figure> {
    let share = slow.cpu_share(LASTING);
    let wall = |compared: &OverheadComparison| {
        format!(
            "{:.1} ms (medians {:.1} ms against {:.1} ms)",
            milliseconds(compared.wall_beyond()),
            milliseconds(compared.ours.wall()),
            milliseconds(compared.bare.wall())
        )
    };
    let conditions = |compared: &OverheadComparison| {
        format!("{} rounds each, in turns, warm, start-up excluded; {}", compared.rounds, compared.calls)
    };
    let wall_figure = |name: &str, compared: &OverheadComparison| {
        let reached = control.is_sensitive() && compared.wall_beyond() < WALL_MAX;
        Figure::judged(name, reached, wall(compared), "under 10 ms").timing().with_note(conditions(compared))
    };
    let cpu = Figure::judged(
        "a round of 2 s on Google's API: CPU beyond a bare HTTP client's, as a share of the round",
        control.is_sensitive() && share <= CPU_SHARE_MAX,
        format!("{:.2} %", share * 100.0),
        "at most 5 %",
    )
    .timing()
    .with_note(format!(
        "{:.1} ms against {:.1} ms, {:.1} times; for rounds that answer at once {:.1} ms against {:.1} ms, {:.1} times. \
         The share is judged because it is what a user's machine notices: the ratio compares milliseconds with \
         milliseconds, however rarely they are spent. {}",
        milliseconds(slow.ours.cpu()),
        milliseconds(slow.bare.cpu()),
        slow.ratio(),
        milliseconds(quick.ours.cpu()),
        milliseconds(quick.bare.cpu()),
        quick.ratio(),
        control.note()
    ));
    let at_once = wall_figure(
        "a round that Google's API answers at once: wall time beyond a bare HTTP client's",
        quick,
    );
    let floor = format!(
        "{}; with the store in memory {:.1} ms: the rest is the disk, which must have each intent before it is paid for \
         and each answer before the next question; one bare append that is on disk takes {:.1} ms here",
        at_once.note,
        milliseconds(disk.free),
        milliseconds(disk.append)
    );
    vec![
        cpu,
        wall_figure("a round of 2 s on Google's API: wall time beyond a bare HTTP client's", slow),
        at_once.with_note(floor),
    ]
}
