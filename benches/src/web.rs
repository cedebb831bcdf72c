//! The figures of our own web engine: nobody talks it into an internal address, a bomb or a leak; it goes as deep as
//! a question needs; and it reads pages at the speed of the bare parts.

mod bombs;
mod browser;
mod extraction;
mod gather_kills;
mod injection;
mod providers;
mod small_model;
mod ssrf;
mod strategy;
mod throughput;

use crate::area::Measurement;

pub use browser::worker;

pub const MEASUREMENTS: &[Measurement] = &[
    ("ssrf", ssrf::measure),
    ("injection", injection::measure),
    ("bombs", bombs::measure),
    ("strategy", strategy::measure),
    ("providers", providers::measure),
    ("small_model", small_model::measure),
    ("browser", browser::measure),
    ("extraction", extraction::measure),
    ("throughput", throughput::measure),
    ("gather_kills", gather_kills::measure),
];
