//! The figures of research in rounds: what a round costs beside a bare client, that no kill loses or hides one,
//! and that both engines answer alike.

mod both_engines;
mod kill_sweep;
mod overhead;
mod pool;
mod real_cli;

use crate::area::Measurement;

pub const MEASUREMENTS: &[Measurement] = &[
    ("overhead", overhead::measure),
    ("kill_sweep", kill_sweep::measure),
    ("both_engines", both_engines::measure),
    ("pool", pool::measure),
];
