//! A disk that is full, read-only or failing: nothing that was told is lost, nothing is paid for that
//! cannot be recorded, and the program says what is wrong instead of dying. Damage is in `corruption`.
//!
//! No control runs along. All three figures fall short when a first append's error is ignored and the
//! fall-back to reading without locks is taken out.

mod failing_calls;
mod full_disk;
mod read_only_disk;

use crate::{
    figure::{Figure, MeasurementSize},
    rig::{self, SimulatorProcess},
};

const FULL: &str = "a full disk: acked-but-lost, creates without a record";
const FULL_GOAL: &str = "0 and 0; new work refused with STORE_FULL, path and bytes; running work completes";
const READ_ONLY: &str = "a read-only disk: list and show work, research refuses";
const READ_ONLY_GOAL: &str = "all";
const FAILING: &str = "acked-but-lost over failing disk calls (EIO, ENOSPC)";
const FAILING_GOAL: &str = "0 lost, 0 duplicates, 0 panics";

pub fn measure(size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let simulator = SimulatorProcess::start(&[])?;
    let mut figures = Vec::new();
    if rig::is_root() && rig::has_program("mount") {
        figures.push(full_disk::measure(size, &simulator)?);
        figures.push(read_only_disk::measure(&simulator)?);
    } else {
        let why = "needs root to mount a small file system";
        figures.push(Figure::skipped(FULL, FULL_GOAL, why));
        figures.push(Figure::skipped(READ_ONLY, READ_ONLY_GOAL, why));
    }
    if rig::has_program("strace") {
        figures.push(failing_calls::measure(size, &simulator)?);
    } else {
        figures.push(Figure::skipped(FAILING, FAILING_GOAL, "strace is not installed"));
    }
    Ok(figures)
}
