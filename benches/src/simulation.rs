//! The loop under weather: crashes, partitions, 429/5xx, lost answers, forgotten runs, jumping clocks.
//!
//! One seed decides everything: which process dies when, what the network does, what the provider says. The
//! real rules, the real runner and the real client run in it, on simulated time, so an hour takes
//! milliseconds and a failing seed replays.

mod clock;
mod disk;
mod network;
mod process_life;
pub mod simulation_random;
mod story;

pub use story::{CreateRetryPolicy, SimulationOutcome, run};
