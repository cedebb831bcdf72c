//! The figures of the foundation: nothing lost, nothing paid twice, and what it costs beside the bare parts.

mod clean_ci;
mod corruption;
mod disk_faults;
mod in_flight;
pub mod kill_sweep;
pub mod laptop;
mod many_processes;
pub mod parallel_trials;
pub mod power_cuts;
mod scenarios;
mod simulation_seeds;
mod status_read;
mod thundering_herd;

use crate::area::Measurement;

pub const MEASUREMENTS: &[Measurement] = &[
    ("kill_sweep", kill_sweep::measure),
    ("power_cuts", power_cuts::measure),
    ("disk_faults", disk_faults::measure),
    ("corruption", corruption::measure),
    ("many_processes", many_processes::measure),
    ("weather", simulation_seeds::measure),
    ("status_read", status_read::measure),
    ("herd", thundering_herd::measure),
    ("in_flight", in_flight::measure),
    ("scenarios", scenarios::measure),
    ("clean_ci", clean_ci::measure),
];

/// Work that a measurement runs in a process of its own.
pub fn worker(arguments: &[String]) -> anyhow::Result<()> {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.first() {
        Some(name) if name.starts_with("power_cuts") => return power_cuts::work(&words),
        _ => {}
    }
    match arguments.split_first() {
        Some((name, rest)) if name == "in-flight" => in_flight::worker(rest),
        _ => anyhow::bail!("no such worker: {arguments:?}"),
    }
}
