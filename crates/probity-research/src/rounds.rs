//! Research in rounds: a first answer, then rounds that verify and correct it, until it is verified or a
//! limit is reached. Each round is one paid call with its intent on disk; a failed round does not fail the
//! search; the best answer so far is never lost.

pub mod agree;
pub mod answer;
pub mod conclude;
pub mod course;
pub mod hear;
pub mod links;
pub mod plan;
pub mod react;
pub mod record;
pub mod say;
pub mod step;
pub mod verify;

pub use answer::{Evidence, RoundAnswer};
pub use course::{Course, Place, Stage};
pub use plan::{Manner, RoundsPlan, Verification};
pub use record::{RoundNote, RoundsRecord, RoundsStop};

#[cfg(test)]
mod tests;
