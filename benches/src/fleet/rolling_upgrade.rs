//! A rolling upgrade under load: workers and front ends are asked to end and replaced one after the other by another
//! build, and clients notice nothing.
//!
//! The older build is `target/previous/probity` when there is one. Without it the same build takes both parts, which
//! the figure says.

use std::{path::Path, time::Duration};

use super::{
    judge,
    kills::load::FleetLoad,
    test_bed::{FleetPart, FleetTestBed, FleetTestBedOptions},
};
use crate::{
    figure::{Figure, MeasurementSize},
    output, rig,
};

const WORKERS: usize = 3;
const FRONT_ENDS: usize = 2;
/// A part that was asked to end lets what is under way end first.
const LEAVING_MAX: Duration = Duration::from_secs(75);
const REST_MAX: Duration = Duration::from_secs(240);
/// Harsher than the runbook: a newer front end writes events, with what was added to them, for older workers.
const ORDER: [FleetPart; WORKERS + FRONT_ENDS] = [
    FleetPart::Worker(0),
    FleetPart::FrontEnd(0),
    FleetPart::Worker(1),
    FleetPart::Worker(2),
    FleetPart::FrontEnd(1),
];
/// Load between two replacements.
const CALM: Duration = Duration::from_secs(2);

pub fn measure(size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    // Not in CI: needs an older build to say anything.
    if size == MeasurementSize::Quick {
        return Ok(Vec::new());
    }
    let previous = rig::repository().join("target/previous/probity");
    let has_previous = previous.is_file();
    let mut plan =
        FleetTestBedOptions::of(1, WORKERS, FRONT_ENDS).simulated("completed duration_ms=3000 steps=3");
    plan.program = has_previous.then(|| previous.clone());
    let mut stand = FleetTestBed::start(&plan)?;
    let caller = judge::caller(&stand)?;
    let load = FleetLoad::begin(caller.clone(), size.pick(3, 8));
    std::thread::sleep(CALM * 2);
    let newer = rig::built("probity")?;
    let mut leaving = Vec::new();
    for round in 0..size.pick(1, 3) {
        // Newer tables first, as the runbook says.
        stand.program.binary = newer.clone();
        stand.program.prepare_database()?;
        for which in ORDER {
            leaving.push(replace(&mut stand, which, &newer)?);
            std::thread::sleep(CALM);
        }
        output::progress(&format!("round {round}: {leaving:?}"));
    }
    let (judged, seen) = load.judged(&stand, &caller, REST_MAX)?;
    let slowest = leaving.iter().max().copied().unwrap_or_default();
    let added = stand
        .database
        .count("SELECT count(*) FROM event WHERE sequence = 1 AND body LIKE '%\"asked_with\"%'")?;
    let builds = if has_previous { "the last release, then this build" } else { "the same build twice" };
    Ok(vec![
        Figure::judged(
            "fleet: rolling upgrade under load, one part after the other",
            judged.is_clean() && seen.failed == 0 && judged.unknown == 0 && !seen.told.is_empty(),
            format!(
                "{} parts replaced, {} starts, {} failures seen by clients; {}",
                leaving.len(),
                seen.told.len(),
                seen.failed,
                judged.words()
            ),
            "0 failures seen by clients",
        )
        .with_note(format!(
            "{builds}; {added} of them with a field in their first event that the older build does not know; a part takes at most {:.1} s to leave; {}",
            slowest.as_secs_f64(),
            judged.examples()
        )),
    ])
}

/// Asks a part to end, waits for it, and starts the newer build in its place.
fn replace(stand: &mut FleetTestBed, which: FleetPart, newer: &Path) -> anyhow::Result<Duration> {
    let part = stand.part(which)?;
    let took = part.stop(LEAVING_MAX)?;
    part.recipe.program = newer.to_owned();
    part.launch()?;
    stand.wait_until_ready()?;
    Ok(took)
}
