//! The figures of the evidence ledger: which faults of a report it sees, and what it never says.

mod light;

use crate::area::{Measurement, Task};

/// Those that need processes, stores and a network, in the order of the table.
pub const MEASUREMENTS: &[Measurement] = &[];

/// Those that are pure functions on labelled data; they come first.
pub fn light() -> Vec<Task> {
    light::tasks()
}
