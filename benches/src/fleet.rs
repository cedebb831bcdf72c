//! The figures of the fleet: many workers, machines that die, networks that break, tenants that flood; beside the
//! bare engine, on real servers started here.

mod access_matrix;
mod flood;
mod in_flight;
mod interop;
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

use crate::area::Measurement;

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
    ("interop", interop::measure),
    ("scale", scale::measure),
];

/// Parts of a measurement that need a process of their own.
pub fn worker(arguments: &[String]) -> anyhow::Result<()> {
    match arguments.first().map(String::as_str) {
        Some("partitions") => partitions::work(arguments.get(1..).unwrap_or_default()),
        _ => anyhow::bail!("no such worker: {arguments:?}"),
    }
}
