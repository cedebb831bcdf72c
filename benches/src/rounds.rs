//! The figures of research in rounds: what a round costs beside a bare client, that no kill loses or hides one,
//! that both engines answer alike, and that nothing survives, escapes or tells the key.

mod both_engines;
mod escapes;
mod kill_sweep;
mod overhead;
mod pool;
pub(crate) mod real_cli;
mod real_cli_cases;
mod scenarios;
mod secrets;
pub(crate) mod supervision;

use crate::area::Measurement;

pub const MEASUREMENTS: &[Measurement] = &[
    ("overhead", overhead::measure),
    ("kill_sweep", kill_sweep::measure),
    ("both_engines", both_engines::measure),
    ("pool", pool::measure),
    ("real_cli", real_cli_cases::measure),
    ("supervision", supervision::measure),
    ("escapes", escapes::measure),
    ("secrets", secrets::measure),
    ("scenarios", scenarios::measure),
];
