//! The figures of the fleet: many workers, machines that die, networks that break, tenants that flood; beside the
//! bare engine, on real servers started here.

mod carry;
mod flood;
mod in_flight;
mod interop;
pub mod judge;
mod kills;
mod laptop;
mod matrix;
mod outage;
mod partitions;
mod rolling;
mod scale;
pub mod stand;
mod throughput;

use crate::area::Measurement;

pub const MEASUREMENTS: &[Measurement] = &[
    ("throughput", throughput::measure),
    ("in_flight", in_flight::measure),
    ("kills", kills::measure),
    ("partitions", partitions::measure),
    ("flood", flood::measure),
    ("matrix", matrix::measure),
    ("outage", outage::measure),
    ("rolling", rolling::measure),
    ("laptop", laptop::measure),
    ("carry", carry::measure),
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
