//! Research in rounds: a first answer, then rounds that verify and correct it, until it is verified or a
//! limit is reached. Each round is one paid call with its intent on disk; a failed round does not fail the
//! search; the best answer so far is never lost.

pub mod agreement;
pub mod answer;
pub mod conclude;
pub mod hints;
pub mod log_lines;
pub mod parse_answer;
pub mod plan;
pub mod react;
pub mod state;
pub mod step;
pub mod verify;

pub use answer::{RoundAnswer, ToolEvidence};
pub use hints::RoundHints;
pub use plan::{RoundsPlan, VerificationMode};
pub use probity_types::rounds::{Mode, RoundNote, RoundsRecord, RoundsStop, links, record};
pub use state::{RoundPosition, RoundStage, RoundsState};

#[cfg(test)]
mod tests;
