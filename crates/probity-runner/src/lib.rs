//! Drives researches to their end: the loop, the local executor, reconcile, waiting and watching.
//!
//! Decides nothing about research itself (that is `probity-research`) and knows no database and no provider.

pub mod admission;
pub mod board;
pub mod clock;
pub mod drive;
pub mod executor;
pub mod recorder;
pub mod researches;
pub mod tasks;

pub use board::Board;
pub use clock::SystemClock;
pub use executor::{LocalExecutor, RunnerSettings};
pub use researches::{House, PayAgain, Researches, first_entry};
