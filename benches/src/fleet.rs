//! The figures of the fleet: many workers, machines that die, networks that break, tenants that flood; beside the
//! bare engine, on real servers started here.

mod access_matrix;
mod flood;
mod in_flight;
pub mod judge;
mod kills;
mod laptop;
mod outage;
mod partitions;
mod rolling_upgrade;
mod scale;
pub mod test_bed;
mod throughput;
mod transfer;

use crate::{
    area::Measurement,
    figure::{Figure, MeasurementSize},
    tested::{self, TestedFigure},
};

pub const MEASUREMENTS: &[Measurement] = &[
    ("throughput", throughput::measure),
    ("in_flight", in_flight::measure),
    ("kills", kills::measure),
    ("partitions", partitions::measure),
    ("flood", flood::measure),
    ("matrix", access_matrix::measure),
    ("outage", outage::measure),
    ("rolling", rolling_upgrade::measure),
    ("laptop", laptop::measure),
    ("carry", transfer::measure),
    ("interop", interop),
    ("scale", scale::measure),
];

/// Parts of a measurement that need a process of their own.
pub fn worker(arguments: &[String]) -> anyhow::Result<()> {
    match arguments.first().map(String::as_str) {
        Some("partitions") => partitions::work(),
        _ => anyhow::bail!("no such worker: {arguments:?}"),
    }
}

/// OAuth and webhooks beside libraries of another language.
fn interop(size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let mut figures = vec![access_matrix::measure_oauth()?];
    figures.extend(tested::measure(&[WEBHOOKS], size)?);
    Ok(figures)
}

const WEBHOOKS: TestedFigure = TestedFigure {
    test: "webhooks::webhooks_are_verified_both_ways",
    key: "fleet.webhooks",
    name: "fleet: webhooks beside Python's standardwebhooks, both ways",
    goal: "every case",
};
