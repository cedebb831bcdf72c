//! A hundred thousand researches that wait on the provider: what each costs while it waits, and whether the last
//! ones cost more than the first.

use std::time::Duration;

use anyhow::ensure;

use super::{
    judge,
    test_bed::{
        FleetTestBed, FleetTestBedOptions, client::FleetClient, plain_http, process::FleetProcessUsage,
    },
};
use crate::{
    figure::{Figure, MeasurementSize},
    output, rig,
};

/// Longer than the measurement: nothing ends meanwhile.
const DURATION_MS: u64 = 6 * 3_600_000;
/// Buffers and caches grow for a while after the last start.
const SETTLE: Duration = Duration::from_secs(30);
/// CPU of waiting is counted over this time.
const WATCHED: Duration = Duration::from_secs(30);
/// Growth per research from the first tenth to the whole.
const GROWTH_GOAL: f64 = 1.10;
const TAKEN_UP_MAX: Duration = Duration::from_secs(3_000);

/// What the stand used with so many in flight.
#[derive(Debug)]
struct InFlightLevel {
    count: usize,
    bytes: u64,
    database_disk: u64,
    parts: String,
    cpu_ms_per_minute: f64,
}

pub fn measure(size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    // Not in CI: a few hundred say nothing about growth.
    if size == MeasurementSize::Quick {
        return Ok(Vec::new());
    }
    let (small, large) = size.pick((100, 400), (10_000, 100_000));
    let plan = FleetTestBedOptions::of(1, 2, 1).simulated(&format!("slow duration_ms={DURATION_MS}"));
    let stand = FleetTestBed::start(&plan)?;
    let caller = judge::caller(&stand)?;
    // Pools, caches and code are warm with the first few; what they take is not the researches'.
    start(&stand, &caller, 0, 20)?;
    let idle = total(&stand.used());
    let disk = disk(&stand)?;
    start(&stand, &caller, 20, small)?;
    let first = level(&stand, small, size)?;
    start(&stand, &caller, small, large)?;
    let last = level(&stand, large, size)?;
    output::progress(&format!("{first:?}"));
    output::progress(&format!("{last:?}"));
    let each = |level: &InFlightLevel| level.bytes.saturating_sub(idle) as f64 / level.count as f64;
    let growth = each(&last) / each(&first).max(1.0);
    let memory = total_memory();
    let name = |what: &str| format!("{large} researches waiting on the provider: {what}");
    Ok(vec![
        Figure::judged(
            &name("held in memory"),
            last.bytes < memory,
            format!("{} MB for everything, {:.1} KB each", last.bytes / 1_000_000, each(&last) / 1000.0),
            "within the machine's memory",
        )
        .with_note(last.parts.clone()),
        Figure::judged(
            &name("growth of memory per research"),
            growth <= GROWTH_GOAL,
            format!(
                "{growth:.2} times ({:.1} KB each at {small}, {:.1} KB each at {large})",
                each(&first) / 1000.0,
                each(&last) / 1000.0
            ),
            "at most 1.10 times",
        )
        .timing(),
        Figure::judged(
            &name("CPU and disk while waiting"),
            true,
            format!(
                "{:.2} ms CPU per research and minute, {:.1} KB each in PostgreSQL",
                last.cpu_ms_per_minute,
                last.database_disk.saturating_sub(disk) as f64 / last.count as f64 / 1000.0
            ),
            "printed",
        ),
    ])
}

fn start(stand: &FleetTestBed, caller: &FleetClient, from: usize, to: usize) -> anyhow::Result<()> {
    caller.start_each(from..to, Duration::from_secs(300))?;
    // In flight is what the provider has.
    let taken = plain_http::until(TAKEN_UP_MAX, || {
        std::thread::sleep(Duration::from_secs(1));
        let stats = stand.simulator.get("stats").unwrap_or_default();
        stats.get("unfinished").and_then(serde_json::Value::as_u64) == Some(to as u64)
    });
    ensure!(taken, "not all were taken up: {}", stand.simulator.get("stats")?);
    Ok(())
}

fn level(stand: &FleetTestBed, count: usize, size: MeasurementSize) -> anyhow::Result<InFlightLevel> {
    std::thread::sleep(size.pick(Duration::from_secs(8), SETTLE));
    let before = cpu(&stand.used());
    let began = rig::now();
    std::thread::sleep(size.pick(Duration::from_secs(8), WATCHED));
    let used = stand.used();
    let minutes = began.elapsed().as_secs_f64() / 60.0;
    let parts = used.map(|(part, used)| format!("{part} {} MB", used.bytes / 1_000_000));
    Ok(InFlightLevel {
        count,
        bytes: total(&used),
        database_disk: disk(stand)?,
        parts: parts.join(", "),
        cpu_ms_per_minute: cpu(&used).saturating_sub(before).as_secs_f64() * 1000.0 / minutes / count as f64,
    })
}

fn disk(stand: &FleetTestBed) -> anyhow::Result<u64> {
    stand.database.count("SELECT pg_database_size(current_database())")
}

fn total(used: &[(&'static str, FleetProcessUsage)]) -> u64 {
    used.iter().map(|(_, used)| used.bytes).sum()
}

fn cpu(used: &[(&'static str, FleetProcessUsage)]) -> Duration {
    used.iter().map(|(_, used)| used.cpu).sum()
}

fn total_memory() -> u64 {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:")).unwrap_or_default();
    line.split_whitespace().next().and_then(|kib| kib.parse::<u64>().ok()).unwrap_or(0) * 1024
}
