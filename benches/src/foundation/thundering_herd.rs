//! Five thousand researches due at once: calls in flight stay below the limit, and status reads stay quick.

use std::{
    sync::Arc,
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use probity_models::deep_research::{CALLS_IN_FLIGHT_MAX, STREAMS_OPEN_MAX};

use crate::{
    figure::{Figure, MeasurementSize},
    foundation::laptop::LaptopTestBed,
    output, rig,
};

const READ_P99_GOAL: Duration = Duration::from_millis(5);

pub fn measure(size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let count: usize = size.pick(1_000, 5_000);
    let simulator = rig::SimulatorProcess::start(&["--scenario", "completed duration_ms=30000 steps=4"])?;
    let directory = tempfile::tempdir()?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let (mut reads, admitted) = runtime.block_on(herd(&simulator.base_url, directory.path(), count))?;
    let stats = simulator.get("stats")?;
    output::progress(&format!("the simulator saw {stats}"));
    let peak = |name: &str| stats.pointer(name).and_then(serde_json::Value::as_u64).unwrap_or(u64::MAX);
    let in_flight = peak("/short_requests/peak").saturating_add(peak("/streams/peak"));
    let limit = (CALLS_IN_FLIGHT_MAX + STREAMS_OPEN_MAX) as u64;
    let p99 = rig::percentile(&mut reads, 0.99);
    Ok(vec![
        Figure::judged(
            &format!(
                "{count} due researches at start: calls and streams in flight, as the provider sees them"
            ),
            in_flight <= limit,
            format!("at most {in_flight}; all taken up in {:.0} s", admitted.as_secs_f64()),
            &format!("at most {limit}"),
        )
        .with_note(format!("limits: {CALLS_IN_FLIGHT_MAX} calls and {STREAMS_OPEN_MAX} streams")),
        Figure::judged(
            &format!("{count} due researches at start: status read p99 meanwhile"),
            p99 < READ_P99_GOAL,
            format!("{:.2} ms over {} reads", p99.as_secs_f64() * 1000.0, reads.len()),
            "under 5 ms",
        )
        .timing(),
    ])
}

async fn herd(
    base_url: &str,
    directory: &std::path::Path,
    count: usize,
) -> anyhow::Result<(Vec<Duration>, Duration)> {
    let laptop =
        Arc::new(LaptopTestBed::open(base_url, directory, probity_runner::admission::STARTS_PER_SECOND)?);
    let mut ids = Vec::with_capacity(count);
    let mut asks = tokio::task::JoinSet::new();
    for number in 0..count {
        let laptop = Arc::clone(&laptop);
        asks.spawn(async move { laptop.ask(&format!("what is question {number} about?")).await });
    }
    while let Some(asked) = asks.join_next().await {
        ids.push(asked??);
    }
    let done = Arc::new(AtomicBool::new(false));
    let (store, watched, flag) = (laptop.store.clone(), ids.clone(), Arc::clone(&done));
    let reader = std::thread::spawn(move || {
        let mut times = Vec::new();
        for id in watched.iter().cycle() {
            if flag.load(Ordering::Relaxed) {
                break;
            }
            let (read, time) = rig::timed(|| store.status(*id));
            if read.is_ok() {
                times.push(time);
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        times
    });
    let began = rig::now();
    let running = laptop.run();
    let mut admitted = Duration::ZERO;
    for id in &ids {
        while laptop.store.status(*id)?.remote_id.is_none() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        admitted = admitted.max(began.elapsed());
    }
    for id in ids {
        laptop.wait(id).await?;
    }
    done.store(true, Ordering::Relaxed);
    running.stop().await;
    let times = reader.join().map_err(|_| anyhow::anyhow!("the reader died"))?;
    Ok((times, admitted))
}
