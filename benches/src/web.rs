//! The figures of our own web engine: nobody talks it into an internal address, a bomb or a leak; it goes as deep as
//! a question needs; and it reads pages at the speed of the bare parts.

mod browser;
mod extraction;
pub mod gather_kills;
pub mod in_process;
pub mod injection;
mod promises;
pub mod small_model;
mod strategy;
mod throughput;

use crate::area::Measurement;

pub const MEASUREMENTS: &[Measurement] = &[
    ("ssrf", promises::ssrf),
    ("injection", injection::measure),
    ("bombs", promises::bombs),
    ("strategy", strategy::measure),
    ("providers", promises::providers),
    ("small_model", small_model::measure),
    ("browser", browser::measure),
    ("extraction", extraction::measure),
    ("throughput", throughput::measure),
    ("gather_kills", gather_kills::measure),
];

/// Parts of a measurement that need a process of their own.
pub fn worker(arguments: &[String]) -> anyhow::Result<()> {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.first() {
        Some(&"browser") => browser::worker(arguments.get(1..).unwrap_or_default()),
        Some(&"pages") => throughput::serve(),
        Some(&"parse") => throughput::parse(),
        _ => anyhow::bail!("no such worker: {arguments:?}"),
    }
}
