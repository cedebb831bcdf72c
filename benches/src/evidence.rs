//! The figures of the evidence ledger: which faults of a report it sees, and what it never says.

mod bundle;
mod cases;
mod documents;
mod faults;
mod frozen;
mod judge_calls;
mod kills;
mod light;
mod lying;
mod own_reports;
mod peers;
mod planted;
mod runs;
mod sentences;
mod small_judge;
pub mod stand;
mod stored;
mod verdicts;
mod web_cases;

use crate::area::{Measurement, Task};

/// Those that need processes, stores and a network, in the order of the table.
pub const MEASUREMENTS: &[Measurement] = &[
    ("planted", planted::measure),
    ("sentences", sentences::measure),
    ("own_reports", own_reports::measure),
    ("judge_calls", judge_calls::measure),
    ("lying", lying::measure),
    ("small_judge", small_judge::measure),
    ("documents", documents::measure),
    ("kills", kills::measure),
    ("bundle", bundle::measure),
];

/// Those that are pure functions on labelled data; they come first.
pub fn light() -> Vec<Task> {
    light::tasks()
}
