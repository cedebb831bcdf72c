//! The loop under weather: crashes, partitions, 429/5xx, lost answers, forgotten runs, jumping clocks.
//!
//! One seed decides everything: which process dies when, what the network does, what the provider says. The
//! real rules, the real runner and the real client run in it, on simulated time, so an hour takes
//! milliseconds and a failing seed replays.

mod clock;
pub mod dice;
mod disk;
mod life;
mod network;
mod story;

pub use story::{Client, Outcome, run};
