//! The seeded simulation of the poll, resume and cancel loop: a thousand stories, none with a bad end.

use crate::{
    figure::{Figure, MeasurementSize},
    output,
    simulation::{self, CreateRetryPolicy},
};

pub fn measure(size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let seeds: u64 = size.pick(50, 1_000);
    let mut total = simulation::SimulationOutcome::default();
    let mut failing = Vec::new();
    for seed in 0..seeds {
        let outcome = simulation::run(seed, CreateRetryPolicy::Ours)?;
        if !outcome.faults.is_empty() {
            output::progress(&format!("seed {seed}: {:?}", outcome.faults));
            failing.push(seed);
        }
        total.started += outcome.started;
        total.completed += outcome.completed;
        total.unknown += outcome.unknown;
        total.crashes += outcome.crashes;
        total.simulated_seconds += outcome.simulated_seconds;
    }
    let replays =
        simulation::run(3, CreateRetryPolicy::Ours)? == simulation::run(3, CreateRetryPolicy::Ours)?;
    let mut caught = 0;
    for seed in 0..seeds.min(100) {
        caught += u64::from(!simulation::run(seed, CreateRetryPolicy::Careless)?.faults.is_empty());
    }
    Ok(vec![
        Figure::judged(
            &format!("lost, paid twice or stuck over {seeds} seeded simulations of crashes, partitions and errors"),
            failing.is_empty() && replays && caught > 0,
            format!("{} bad seeds {failing:?}; one seed run twice gives {} outcome", failing.len(), if replays { "the same" } else { "another" }),
            "0, and a seed replays",
        )
        .with_note(format!(
            "{} researches, {} crashes, {} simulated hours; {} completed, {} shown as unknown; a client that repeats lost creates pays twice in {caught} of {} seeds",
            total.started,
            total.crashes,
            total.simulated_seconds / 3600,
            total.completed,
            total.unknown,
            seeds.min(100)
        )),
    ])
}
