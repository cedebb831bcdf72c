//! Checking a report: fetch what it cites, examine every claim by rule, ask a judge about what rules leave open.
//!
//! The same for every engine: it begins when a text is stored, and ends with that text and its ledger. Every
//! page is fetched once per run, every paid question is on disk before it is asked, and an answer that was
//! bought is never bought again. A judge sits an exam before its `supported` counts, and is asked about claims of
//! which the truth is known among those of every report. A second one, if there is one, is asked in the same way about
//! what the first calls supported.

pub mod calls;
pub mod cited;
pub mod conclude;
pub mod controls;
pub mod course;
pub mod exam;
pub mod judge;
pub mod patching;
pub mod plan;
pub mod react;
pub mod standing;
pub mod state;
pub mod step;
#[cfg(test)]
mod tests;

pub use course::JudgeCourse;
pub use plan::{CheckPlan, ExamRule, JudgePlan};
pub use probity_types::checking::{
    CheckCall, CheckTask, CheckTaskOutcome, CheckTaskOutput, CheckTaskReply, task,
};
pub use state::{CheckState, VerificationSummary};
