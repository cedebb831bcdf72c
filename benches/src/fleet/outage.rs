//! The provider is away for ten minutes while thousands wait, and comes back: no more calls are made than without
//! the outage, never more at once than the limit, and everything ends.

pub mod provider_gate;

use std::time::Duration;

use anyhow::ensure;
use serde_json::Value;

use self::provider_gate::ProviderGate;
use super::{
    judge,
    test_bed::{FleetTestBed, FleetTestBedOptions, plain_http},
};
use crate::{
    figure::{Figure, MeasurementSize},
    output, rig,
};

/// Calls at the provider at the same time, of all workers together.
const CALLS_MAX: u64 = 32;
/// Calls made against those that the same time without an outage takes.
const AMPLIFICATION_GOAL: f64 = 1.1;
const TAKEN_UP_MAX: Duration = Duration::from_secs(900);
const REST_MAX: Duration = Duration::from_secs(1_200);

pub fn measure(size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    // Not in CI: a short outage is over before anything adapts.
    if size == MeasurementSize::Quick {
        return Ok(Vec::new());
    }
    let count: usize = size.pick(150, 5_000);
    let away = size.pick(Duration::from_secs(20), Duration::from_secs(600));
    let normal = size.pick(Duration::from_secs(12), Duration::from_secs(60));
    // They end some time after the provider is back.
    let duration_ms = (away + normal + Duration::from_secs(size.pick(20, 240))).as_millis();
    let mut plan =
        FleetTestBedOptions::of(1, 2, 1).simulated(&format!("completed duration_ms={duration_ms} steps=2"));
    plan.settings.retain(|(name, _)| name != "PROBITY_FLEET__PROVIDER_CALLS_MAX");
    plan.settings.push(("PROBITY_FLEET__PROVIDER_CALLS_MAX".to_owned(), CALLS_MAX.to_string()));
    let (stand, gate) = gated(&plan)?;
    let caller = judge::caller(&stand)?;
    let told = caller.start_each(0..count, Duration::from_secs(300))?;
    let at_provider = || {
        stand
            .simulator
            .get("ledger")
            .map(|ledger| ledger.get("entries").and_then(Value::as_array).map_or(0, Vec::len))
            .unwrap_or(0)
    };
    ensure!(
        plain_http::until(TAKEN_UP_MAX, || at_provider() == count),
        "{} of {count} at the provider",
        at_provider()
    );

    let before = calls(&stand)?;
    std::thread::sleep(normal);
    let usual = (calls(&stand)? - before) as f64 / normal.as_secs_f64();
    let (passed, began) = (calls(&stand)?, rig::now());
    let refused = gate.close_for(away);
    let busiest = busiest_second(&stand, size.pick(Duration::from_secs(15), Duration::from_secs(120)))?;
    let made = refused + calls(&stand)? - passed;
    let amplification = made as f64 / (usual * began.elapsed().as_secs_f64()).max(1.0);
    judge::wait_until_idle(&stand, REST_MAX)?;
    let judged = judge::judge(&stand, &caller, &told)?;
    let peak = stand
        .simulator
        .get("stats")?
        .pointer("/short_requests/peak")
        .and_then(Value::as_u64)
        .unwrap_or(u64::MAX);
    output::progress(&format!(
        "usually {usual:.1} calls a second; {refused} refused, {made} in all, busiest {busiest}"
    ));
    let name = |what: &str| format!("provider away for {} s with {count} waiting: {what}", away.as_secs());
    Ok(vec![
        Figure::judged(
            &name("calls at once"),
            peak <= CALLS_MAX,
            format!("at most {peak}"),
            &format!("at most {CALLS_MAX}, the limit"),
        ),
        Figure::judged(
            &name("calls against the same time without an outage"),
            amplification <= AMPLIFICATION_GOAL,
            format!(
                "{amplification:.2} times ({refused} refused in the outage; busiest second after it {busiest}, usually {usual:.0})"
            ),
            "at most 1.1 times",
        ),
        Figure::judged(
            &name("all complete"),
            judged.is_clean() && judged.completed == count,
            judged.words(),
            "0 lost, 0 paid twice",
        )
        .with_note(judged.examples()),
    ])
}

/// A stand whose provider is behind a gate. The gate stands before the program's settings are made.
fn gated(plan: &FleetTestBedOptions) -> anyhow::Result<(FleetTestBed, ProviderGate)> {
    let mut gate = None;
    let stand = FleetTestBed::start_behind(plan, |provider| {
        let opened = ProviderGate::open(provider)?;
        let base_url = opened.base_url.clone();
        gate = Some(opened);
        Ok(base_url)
    })?;
    let gate = gate.ok_or_else(|| anyhow::anyhow!("the gate was not asked for"))?;
    Ok((stand, gate))
}

/// Requests that reached the provider.
fn calls(stand: &FleetTestBed) -> anyhow::Result<u64> {
    let stats = stand.simulator.get("stats")?;
    let totals = stats.get("totals").and_then(Value::as_object).cloned().unwrap_or_default();
    Ok(["create", "get", "stream", "cancel"].iter().filter_map(|kind| totals.get(*kind)?.as_u64()).sum())
}

/// Most requests in one second.
fn busiest_second(stand: &FleetTestBed, over: Duration) -> anyhow::Result<u64> {
    let began = rig::now();
    let mut most = 0;
    let mut last = calls(stand)?;
    while began.elapsed() < over {
        std::thread::sleep(Duration::from_secs(1));
        let now = calls(stand)?;
        most = most.max(now - last);
        last = now;
    }
    Ok(most)
}
