//! Ten thousand researches in flight in one process, beside a bare loop of tokio and the same HTTP client.
//!
//! Both run as processes of their own against the same simulator, so that neither the simulator's nor the
//! measuring program's work is counted.

use std::{
    io::{BufRead, BufReader},
    process::Stdio,
    sync::Arc,
    time::Duration,
};

use anyhow::{Context, ensure};
use probity_research::{RunId, react::POLL_PAUSE};
use serde::{Deserialize, Serialize};

use crate::{
    figure::{Figure, MeasurementSize},
    foundation::laptop::LaptopTestBed,
    output, rig,
};

/// How long a research takes at the provider. Five minutes is a short one: most take up to twenty.
const DURATION_SECONDS: u64 = 300;
/// CI has no five minutes for each side; the fixed cost of durability weighs five times as much there.
const DURATION_SECONDS_QUICK: u64 = 60;
/// Started per second, by both, so that all are in flight before the first one ends.
const STARTS_PER_SECOND: u64 = 400;
/// Memory of one research in flight.
const KIB_GOAL: f64 = 32.0;
/// CPU against the bare loop.
const CPU_GOAL: f64 = 1.5;

/// What a worker tells about itself.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct InFlightReport {
    idle_bytes: u64,
    in_flight_bytes: u64,
    in_flight: usize,
    completed: usize,
    cpu_ms: u64,
    wall_ms: u64,
}

pub fn measure(size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let count: usize = size.pick(1_000, 10_000);
    let seconds = size.pick(DURATION_SECONDS_QUICK, DURATION_SECONDS);
    let bare = side("bare", count, seconds)?;
    let ours = side("ours", count, seconds)?;
    output::progress(&format!("bare {bare:?}"));
    output::progress(&format!("ours {ours:?}"));
    let kib =
        (ours.in_flight_bytes.saturating_sub(ours.idle_bytes)) as f64 / 1024.0 / ours.in_flight.max(1) as f64;
    let per_research = |report: &InFlightReport| report.cpu_ms as f64 / report.completed.max(1) as f64;
    let ratio = per_research(&ours) / per_research(&bare).max(0.001);
    let name = |what: &str| format!("{count} researches in flight in one process: {what}");
    Ok(vec![
        Figure::judged(
            &name("completed"),
            ours.completed == count && ours.in_flight == count,
            format!("{} in flight at once, {} completed", ours.in_flight, ours.completed),
            "all",
        ),
        Figure::judged(
            &name("memory per research above idle"),
            kib <= KIB_GOAL,
            format!("{kib:.1} KiB"),
            "at most 32 KiB",
        ),
        Figure::judged(
            &name("CPU per research against a bare polling loop"),
            ratio <= CPU_GOAL,
            format!("{ratio:.2} times ({:.2} ms against {:.2} ms)", per_research(&ours), per_research(&bare)),
            "at most 1.5 times",
        )
        .timing()
        .with_note(format!("researches of {seconds} s, both looking every 5 s with the same spread")),
    ])
}

fn side(which: &str, count: usize, seconds: u64) -> anyhow::Result<InFlightReport> {
    let scenario = format!("completed duration_ms={} steps=4", seconds * 1000);
    let simulator = rig::SimulatorProcess::start(&["--scenario", &scenario])?;
    let directory = tempfile::tempdir()?;
    let mut child = rig::command(rig::built("figures")?)
        .args(["worker", "full", "--", "in-flight", which, &simulator.base_url, &count.to_string()])
        .arg(directory.path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()?;
    let stdout = child.stdout.take().context("the worker has no stdout")?;
    let mut line = String::new();
    BufReader::new(stdout).read_line(&mut line)?;
    ensure!(child.wait()?.success(), "the {which} worker failed");
    serde_json::from_str(&line).with_context(|| format!("the {which} worker said: {line}"))
}

/// `in-flight ours|bare BASE_URL COUNT DIRECTORY`
pub fn worker(arguments: &[String]) -> anyhow::Result<()> {
    let [which, base_url, count, directory] = arguments else { anyhow::bail!("in-flight needs four words") };
    let count: usize = count.parse()?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let report = match which.as_str() {
        "ours" => runtime.block_on(ours(base_url, count, directory))?,
        _ => runtime.block_on(bare(base_url, count))?,
    };
    output::line(&serde_json::to_string(&report)?);
    Ok(())
}

async fn ours(base_url: &str, count: usize, directory: &str) -> anyhow::Result<InFlightReport> {
    let laptop = Arc::new(LaptopTestBed::open(base_url, directory.as_ref(), STARTS_PER_SECOND as f64)?);
    let running = laptop.run();
    // One research to its end first, so that pools, caches and code are warm and count as idle.
    let first = laptop.ask("[[completed duration_ms=500]] warm up").await?;
    laptop.wait(first).await?;
    let pid = std::process::id();
    let (idle, began) = (rig::used(pid)?, rig::now());
    let mut asks = tokio::task::JoinSet::new();
    for number in 0..count {
        let laptop = Arc::clone(&laptop);
        asks.spawn(async move { laptop.ask(&format!("what is question {number} about?")).await });
        pace(number).await;
    }
    let ids = asks.join_all().await.into_iter().collect::<anyhow::Result<Vec<_>>>()?;
    let mut in_flight = 0;
    let mut in_flight_bytes = 0;
    while began.elapsed() < Duration::from_secs(DURATION_SECONDS_QUICK) && in_flight < count {
        tokio::time::sleep(Duration::from_millis(500)).await;
        if laptop.driven_count() >= in_flight {
            in_flight = laptop.driven_count();
            in_flight_bytes = rig::used(pid)?.resident_bytes;
        }
    }
    // A while later buffers have grown to what waiting really takes.
    tokio::time::sleep(Duration::from_secs(12)).await;
    in_flight_bytes = in_flight_bytes.max(rig::used(pid)?.resident_bytes);
    let mut completed = 0;
    for id in ids {
        completed +=
            usize::from(laptop.wait(id).await?.status == probity_research::status::RunStatus::Completed);
    }
    let used = rig::used(pid)?;
    let report = InFlightReport {
        idle_bytes: idle.resident_bytes,
        in_flight_bytes,
        in_flight,
        completed,
        cpu_ms: u64::try_from((used.cpu.saturating_sub(idle.cpu)).as_millis())?,
        wall_ms: u64::try_from(began.elapsed().as_millis())?,
    };
    running.stop().await;
    Ok(report)
}

/// The least that could be called a client: create, look every five seconds, parse, count.
async fn bare(base_url: &str, count: usize) -> anyhow::Result<InFlightReport> {
    let client = rig::bare_client()?;
    let pid = std::process::id();
    let (idle, began) = (rig::used(pid)?, rig::now());
    let mut tasks = tokio::task::JoinSet::new();
    for number in 0..count {
        let (client, base_url) = (client.clone(), base_url.to_owned());
        tasks.spawn(async move { bare_research(&client, &base_url, number).await });
        pace(number).await;
    }
    let in_flight_bytes = rig::used(pid)?.resident_bytes;
    let mut completed = 0;
    while let Some(done) = tasks.join_next().await {
        done??;
        completed += 1;
    }
    let used = rig::used(pid)?;
    Ok(InFlightReport {
        idle_bytes: idle.resident_bytes,
        in_flight_bytes,
        in_flight: count,
        completed,
        cpu_ms: u64::try_from((used.cpu.saturating_sub(idle.cpu)).as_millis())?,
        wall_ms: u64::try_from(began.elapsed().as_millis())?,
    })
}

async fn bare_research(client: &reqwest::Client, base_url: &str, number: usize) -> anyhow::Result<()> {
    let body = serde_json::json!({
        "agent": "deep-research-preview-04-2026",
        "input": format!("what is question {number} about?"),
        "background": true,
        "store": true,
        "labels": {"task": format!("bare-{number}")},
    });
    let request = client.post(format!("{base_url}/v1/interactions")).header("x-goog-api-key", "test-key");
    let answer = request.header("content-type", "application/json").body(body.to_string()).send().await?;
    let created: serde_json::Value = serde_json::from_slice(&answer.bytes().await?)?;
    let id = created.get("id").and_then(|id| id.as_str()).context("no id")?.to_owned();
    let id_bits = RunId::from_random(number as u128 * 0x9E37_79B9_7F4A_7C15);
    for look in 0.. {
        // The same schedule as ours, spread included: calls that come in step are cheaper than any real client's.
        tokio::time::sleep(POLL_PAUSE.mul_f64(0.9 + 0.2 * id_bits.spread(look))).await;
        let request = client.get(format!("{base_url}/v1/interactions/{id}?stream=false"));
        let answer = request.header("x-goog-api-key", "test-key").send().await?;
        let seen: serde_json::Value = serde_json::from_slice(&answer.bytes().await?)?;
        if seen.get("status").and_then(|status| status.as_str()) == Some("completed") {
            break;
        }
    }
    Ok(())
}

async fn pace(number: usize) {
    if number % 20 == 19 {
        tokio::time::sleep(Duration::from_millis(20_000 / STARTS_PER_SECOND)).await;
    }
}
