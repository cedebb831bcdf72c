//! Ten thousand researches in flight on a three-node engine, four workers and two front ends; beside the bare engine
//! doing the same number of durable steps with the same waits, on nodes of the same settings, in the same run.

use std::time::Duration;

use anyhow::Context;
use serde::Deserialize;

use super::{
    judge::{self, TENANT},
    test_bed::{
        FleetTestBed, FleetTestBedOptions, engine,
        process::{FleetProcess, FreePorts, ProcessNetwork, ProcessRecipe},
    },
};
use crate::{
    figure::{Figure, MeasurementSize},
    output, rig,
};

const NODES: usize = 3;
const WORKERS: usize = 4;
const FRONT_ENDS: usize = 2;
/// Share of the bare engine's throughput.
const SHARE_GOAL: f64 = 0.7;
/// How long a research takes at the provider: long enough that all of them are in flight at once (starting ten
/// thousand takes a minute or two), short enough that steps and not waits decide.
const DURATION_MS: (u64, u64) = (9_000, 180_000);
/// Of those that were started, as many must have been in flight at once at full size.
const AT_ONCE_GOAL: f64 = 0.95;
const REST_MAX: Duration = Duration::from_secs(1_500);

/// The part of the bare engine's report that is used.
#[derive(Debug, Deserialize)]
struct BareEngineFigures {
    done: u64,
    seconds: f64,
    steps_per_second: f64,
}

/// One side of the comparison.
#[derive(Debug)]
struct FleetThroughput {
    seconds: f64,
    turns: u64,
    judged: judge::FleetJudgement,
    told: usize,
    in_flight_most: u64,
    used: String,
    panics: Vec<String>,
}

pub fn measure(size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    // Not in CI: a small one says nothing: waits decide.
    if size == MeasurementSize::Quick {
        return Ok(Vec::new());
    }
    let count: usize = size.pick(200, 10_000);
    let duration_ms = size.pick(DURATION_MS.0, DURATION_MS.1);
    let ours = ours(count, duration_ms)?;
    let steps = (ours.turns as f64 / count.max(1) as f64).round().max(2.0) as u64;
    let bare = bare(count, steps, duration_ms)?;
    output::progress(&format!("ours {ours:?}"));
    output::progress(&format!("bare {bare:?}"));
    let our_steps = ours.turns as f64 / ours.seconds.max(0.001);
    let share = our_steps / bare.steps_per_second.max(0.001);
    let name = |what: &str| {
        format!(
            "{count} researches on {NODES} engine nodes, {WORKERS} workers, {FRONT_ENDS} front ends: {what}"
        )
    };
    let complete = ours.judged.is_clean()
        && ours.judged.completed == count
        && ours.told == count
        && ours.panics.is_empty()
        && (size == MeasurementSize::Quick || ours.in_flight_most as f64 >= count as f64 * AT_ONCE_GOAL);
    Ok(vec![
        Figure::judged(
            &name("all complete once"),
            complete,
            format!("{}; at most {} in flight", ours.judged.words(), ours.in_flight_most),
            "all completed, 0 lost, 0 paid twice",
        )
        .with_note(ours.judged.examples()),
        Figure::judged(
            &name("durable steps against the bare engine"),
            share >= SHARE_GOAL && bare.done == count as u64,
            format!(
                "{:.0} % ({our_steps:.0} against {:.0} steps a second; {:.0} s against {:.0} s)",
                share * 100.0,
                bare.steps_per_second,
                ours.seconds,
                bare.seconds
            ),
            "at least 70 %",
        )
        .timing()
        .with_note(format!("{steps} steps each, waits as the rules make them; {}", ours.used)),
    ])
}

fn ours(count: usize, duration_ms: u64) -> anyhow::Result<FleetThroughput> {
    let plan = FleetTestBedOptions::of(NODES, WORKERS, FRONT_ENDS)
        .simulated(&format!("completed duration_ms={duration_ms} steps=4"));
    let stand = FleetTestBed::start(&plan)?;
    let caller = judge::caller(&stand)?;
    let before = stand.used();
    let began = rig::now();
    let watching = InFlightWatch::begin(&stand);
    let told = caller.start_each(0..count, Duration::from_secs(120))?;
    judge::wait_until_idle(&stand, REST_MAX)?;
    let seconds = began.elapsed().as_secs_f64();
    let after = stand.used();
    let used = after.iter().zip(&before).map(|((part, after), (_, before))| {
        let cpu = after.cpu.saturating_sub(before.cpu).as_secs_f64() * 1000.0 / count.max(1) as f64;
        format!("{part} {cpu:.1} ms CPU each, {} MB", after.bytes / 1_000_000)
    });
    let used = used.collect::<Vec<_>>().join("; ");
    Ok(FleetThroughput {
        seconds,
        turns: steps_taken(&stand)?,
        judged: judge::judge(&stand, &caller, &told)?,
        told: told.len(),
        in_flight_most: watching.most(),
        used,
        panics: stand.panics(),
    })
}

/// Steps that did something: calls that reached the provider. Turns that only looked at the journal are not counted,
/// to our disadvantage.
fn steps_taken(stand: &FleetTestBed) -> anyhow::Result<u64> {
    let stats = stand.simulator.get("stats")?;
    let count = |kind: &str| {
        stats.pointer(&format!("/totals/{kind}")).and_then(serde_json::Value::as_u64).unwrap_or(0)
    };
    Ok(count("create") + count("get") + count("stream"))
}

/// Looks every second how many researches are in flight.
struct InFlightWatch {
    stop: std::sync::Arc<std::sync::atomic::AtomicBool>,
    most: std::sync::Arc<std::sync::atomic::AtomicU64>,
}

impl InFlightWatch {
    fn begin(stand: &FleetTestBed) -> Self {
        use std::sync::atomic::Ordering::Relaxed;
        let watching = Self { stop: std::sync::Arc::default(), most: std::sync::Arc::default() };
        let (stop, most, asked) = (watching.stop.clone(), watching.most.clone(), stand.database.reader());
        std::thread::spawn(move || {
            while !stop.load(Relaxed) {
                let sql =
                    format!("SELECT count(*) FROM research WHERE due AND admitted AND tenant = '{TENANT}'");
                if let Ok(count) = asked.count(&sql) {
                    most.fetch_max(count, Relaxed);
                }
                std::thread::sleep(Duration::from_secs(1));
            }
        });
        watching
    }

    fn most(self) -> u64 {
        self.stop.store(true, std::sync::atomic::Ordering::Relaxed);
        self.most.load(std::sync::atomic::Ordering::Relaxed)
    }
}

/// The same nodes with bare workers, the same number of invocations and steps, the same waits.
fn bare(count: usize, steps: u64, duration_ms: u64) -> anyhow::Result<BareEngineFigures> {
    let folder = tempfile::tempdir()?;
    let mut ports = FreePorts::default();
    let nodes = engine::start(folder.path(), &vec![ProcessNetwork::Loopback; NODES], &mut ports)?;
    let port = ports.free()?;
    let recipe = |number: usize| ProcessRecipe {
        name: format!("bare-{number}"),
        program: rig::built("bare-engine").unwrap_or_default(),
        arguments: ["worker", "--listen", &format!("127.0.0.1:{port}"), "--inactivity-ms", "35000"]
            .map(Into::into)
            .to_vec(),
        environment: Vec::new(),
        folder: folder.path().to_owned(),
        place: ProcessNetwork::Loopback,
    };
    let workers =
        (0..WORKERS).map(|number| FleetProcess::start(recipe(number))).collect::<anyhow::Result<Vec<_>>>()?;
    let first = nodes.first().context("no node")?;
    engine::register(&first.admin, &format!("http://127.0.0.1:{port}/"))?;
    let ingress: Vec<&str> = nodes.iter().map(|node| node.ingress.as_str()).collect();
    let wait_ms = duration_ms / (steps.saturating_sub(1)).max(1);
    let mut command = rig::command(rig::built("bare-engine")?);
    command.args(["drive", "--ingress", &ingress.join(","), "--count", &count.to_string()]);
    command.args(["--steps", &steps.to_string(), "--wait-ms", &wait_ms.to_string()]);
    let finished = rig::run(command.args(["--limit-s", "1500"]), REST_MAX)?;
    drop(workers);
    serde_json::from_str(&finished.stdout).with_context(|| format!("{}{}", finished.stdout, finished.stderr))
}
