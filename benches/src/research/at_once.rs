//! Many researches of the second engine at once in one process: all complete, and each takes what one alone takes.
//!
//! They run in a process of their own, so that neither the simulator's nor the measuring program's work is counted.

use std::{fs, time::Duration};

use anyhow::{Context as _, ensure};
use probity_research::{status::RunStatus, web::strategy::StrategyLevel};
use probity_simulator::research::ResearchWorld;
use serde::{Deserialize, Serialize};

use super::inside;
use crate::{
    figure::{Figure, MeasurementSize},
    output,
    rig::{self, ProcessUsage, SimulatorProcess},
};

const SEED: u64 = 1;
/// Longer than any number of them takes: what is measured is work, not a deadline.
const MINUTES: u32 = 60;
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// CPU of one among many against one alone.
const CPU_GOAL: f64 = 1.5;

/// What a worker tells about itself and its parsers.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct AtOnceReport {
    count: usize,
    completed: usize,
    pages: usize,
    cpu_ms: u64,
    /// Beyond what the process had before the first of them.
    peak_bytes: u64,
    wall_ms: u64,
}

impl AtOnceReport {
    fn cpu_seconds(&self) -> f64 {
        self.cpu_ms as f64 / 1_000.0 / self.count.max(1) as f64
    }

    fn pages_each(&self) -> f64 {
        self.pages as f64 / self.count.max(1) as f64
    }

    fn words(&self) -> String {
        let megabytes = self.peak_bytes as f64 / 1e6 / self.count.max(1) as f64;
        let (cpu, pages) = (self.cpu_seconds(), self.pages_each().max(1.0));
        format!(
            "{}: {cpu:.2} s and {megabytes:.1} MB each, {:.0} ms and {:.2} MB per page read",
            self.count,
            cpu * 1_000.0 / pages,
            megabytes / pages
        )
    }
}

pub fn measure(size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let counts: &[usize] = size.pick(&[1, 10], &[1, 10, 50, 200]);
    let depth = size.pick(StrategyLevel::Shallow, StrategyLevel::Medium);
    let reports: anyhow::Result<Vec<AtOnceReport>> = counts.iter().map(|count| side(*count, depth)).collect();
    figures(&reports?, depth)
}

fn figures(reports: &[AtOnceReport], depth: StrategyLevel) -> anyhow::Result<Vec<Figure>> {
    let alone = reports.first().context("nothing was measured")?;
    let ratio = |report: &AtOnceReport| report.cpu_seconds() / alone.cpu_seconds().max(0.001);
    let worst = reports.iter().map(ratio).fold(0.0, f64::max);
    let fewest = reports.iter().map(AtOnceReport::pages_each).fold(f64::INFINITY, f64::min);
    let all = |told: fn(&AtOnceReport) -> String| reports.iter().map(told).collect::<Vec<_>>().join(", ");
    Ok(vec![
        Figure::judged(
            "researches at once in one process that complete",
            reports.iter().all(|report| report.completed == report.count),
            all(|report| format!("{} of {}", report.completed, report.count)),
            "all",
        )
        .with_note(format!(
            "{} depth; {} s in all",
            depth.as_str(),
            all(|report| format!("{:.0}", report.wall_ms as f64 / 1_000.0))
        )),
        Figure::judged(
            "researches at once: pages that each of them reads",
            fewest >= alone.pages_each() * 0.9,
            all(|report| format!("{:.1}", report.pages_each())),
            "at least nine tenths of what one alone reads",
        )
        .aim(),
        Figure::judged(
            "researches at once: CPU of one among many against one alone",
            worst <= CPU_GOAL,
            format!("at most {worst:.2} times; {}", all(AtOnceReport::words)),
            "at most 1.5 times",
        )
        .timing()
        .with_note("with the parsing processes, after one that warms up"),
    ])
}

fn side(count: usize, depth: StrategyLevel) -> anyhow::Result<AtOnceReport> {
    let simulator = SimulatorProcess::start(&["--research-world", &SEED.to_string()])?;
    let directory = tempfile::tempdir()?;
    let mut command = rig::command(rig::built("figures")?);
    command
        .args(["research-worker", "full", "--", "at-once", &simulator.base_url, &count.to_string()])
        .arg(depth.as_str())
        .arg(directory.path());
    let finished = rig::run(&mut command, inside::PATIENCE)?;
    ensure!(finished.in_time, "{count} researches at once do not end");
    let report: Result<AtOnceReport, _> = serde_json::from_value(finished.json());
    report.with_context(|| format!("the worker said: {}{}", finished.stdout, finished.stderr))
}

/// `at-once BASE_URL COUNT DEPTH DIRECTORY`
pub fn worker(arguments: &[String]) -> anyhow::Result<()> {
    let [base_url, count, depth, directory] = arguments else { anyhow::bail!("at-once needs four words") };
    let depth = StrategyLevel::parse(depth).context("an unknown depth")?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let report = runtime.block_on(Box::pin(run(base_url, count.parse()?, depth, directory)))?;
    output::line(&serde_json::to_string(&report)?);
    Ok(())
}

async fn run(
    base_url: &str,
    count: usize,
    depth: StrategyLevel,
    directory: &str,
) -> anyhow::Result<AtOnceReport> {
    let question = ResearchWorld::seeded(SEED).request.question;
    let bed = inside::open(base_url, inside::MODEL, directory.as_ref())?;
    let plan = || {
        let mut inquiry = inside::inquiry(depth);
        inquiry.caps.minutes = MINUTES;
        inside::plan(&question, inquiry)
    };
    // One to its end first, so that pools, parsers and code are warm and count as idle.
    bed.ended(bed.start(&question, plan()?).await?, inside::PATIENCE).await?;
    let (idle, began) = (used_with_parsers()?, rig::now());
    let mut waiting = Vec::new();
    for _ in 0..count {
        waiting.push(bed.start(&question, plan()?).await?);
    }
    let (mut completed, mut pages, mut peak) = (0, 0, idle.resident_bytes);
    while let Some(id) = waiting.last() {
        peak = peak.max(used_with_parsers()?.resident_bytes);
        if !bed.is_over(*id)? {
            tokio::time::sleep(LOOK_EVERY).await;
            continue;
        }
        match bed.ended(*id, inside::PATIENCE).await {
            Ok((summary, report)) => {
                completed += usize::from(summary.status == RunStatus::Completed);
                pages += report.web.map_or(0, |record| record.pages.len());
            }
            Err(error) => output::progress(&format!("{id}: {error:#}")),
        }
        waiting.pop();
    }
    let used = used_with_parsers()?;
    bed.stop().await;
    Ok(AtOnceReport {
        count,
        completed,
        pages,
        cpu_ms: u64::try_from(used.cpu.saturating_sub(idle.cpu).as_millis())?,
        peak_bytes: peak.saturating_sub(idle.resident_bytes),
        wall_ms: u64::try_from(began.elapsed().as_millis())?,
    })
}

/// This process and its children, which parse the pages.
fn used_with_parsers() -> anyhow::Result<ProcessUsage> {
    let own = std::process::id();
    let mut sum = rig::used(own)?;
    for entry in fs::read_dir("/proc")? {
        let name = entry?.file_name();
        let Some(pid) = name.to_str().and_then(|name| name.parse::<u32>().ok()) else { continue };
        // It may have ended meanwhile.
        let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
        let parent = status.lines().find_map(|line| line.strip_prefix("PPid:"));
        if parent.and_then(|parent| parent.trim().parse().ok()) == Some(own)
            && let Ok(child) = rig::used(pid)
        {
            sum.cpu += child.cpu;
            sum.resident_bytes += child.resident_bytes;
        }
    }
    Ok(sum)
}

#[cfg(test)]
mod tests {
    use super::{AtOnceReport, StrategyLevel, figures};
    use crate::figure::FigureVerdict;

    #[test]
    fn one_that_does_not_complete_reads_less_or_works_more_is_seen() {
        let report = |count, completed, pages, cpu_ms| AtOnceReport {
            count,
            completed,
            pages,
            cpu_ms,
            peak_bytes: 1_000_000,
            wall_ms: 1_000,
        };
        let verdicts = |many| {
            let figures = figures(&[report(1, 1, 8, 1_000), many], StrategyLevel::Shallow).unwrap();
            figures.iter().map(|figure| figure.verdict == FigureVerdict::Ok).collect::<Vec<_>>()
        };
        assert_eq!(verdicts(report(10, 10, 80, 10_000)), [true, true, true]);
        assert_eq!(verdicts(report(10, 9, 60, 20_000)), [false, false, false]);
    }
}
