//! The figures of the foundation: nothing lost, nothing paid twice, and what it costs beside the bare parts.

mod clean_ci;
mod corruption;
mod disk_faults;
mod herd;
mod in_flight;
mod kill_sweep;
mod laptop;
mod many_processes;
mod power_cuts;
mod scenarios;
mod side_by_side;
mod status_read;
mod weather;

use crate::{
    figure::{Figure, Size},
    output,
};

/// A measurement: its name (for `--only`) and the function that yields its figures.
type Measurement = (&'static str, fn(Size) -> anyhow::Result<Vec<Figure>>);

const MEASUREMENTS: &[Measurement] = &[
    ("kill_sweep", kill_sweep::measure),
    ("power_cuts", power_cuts::measure),
    ("disk_faults", disk_faults::measure),
    ("corruption", corruption::measure),
    ("many_processes", many_processes::measure),
    ("weather", weather::measure),
    ("status_read", status_read::measure),
    ("herd", herd::measure),
    ("in_flight", in_flight::measure),
    ("scenarios", scenarios::measure),
    ("clean_ci", clean_ci::measure),
];

/// Names of the measurements, in the order of the tables.
pub fn names() -> Vec<&'static str> {
    MEASUREMENTS.iter().map(|(name, _)| *name).collect()
}

pub fn measure(size: Size, only: Option<&str>) -> anyhow::Result<Vec<Figure>> {
    let mut figures = Vec::new();
    for (name, run) in MEASUREMENTS {
        if only.is_some_and(|only| !name.contains(only)) {
            continue;
        }
        output::progress(name);
        for mut figure in run(size)? {
            figure.measurement = (*name).to_owned();
            figure.print();
            figures.push(figure);
        }
    }
    Ok(figures)
}

/// Work that a measurement runs in a process of its own.
pub fn worker(arguments: &[String]) -> anyhow::Result<()> {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.first() {
        Some(name) if name.starts_with("power_cuts") => return power_cuts::work(&words),
        Some(name) if name.starts_with("many_processes") => return many_processes::work(&words),
        _ => {}
    }
    match arguments.split_first() {
        Some((name, rest)) if name == "in-flight" => in_flight::worker(rest),
        _ => anyhow::bail!("no such worker: {arguments:?}"),
    }
}
