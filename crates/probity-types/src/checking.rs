//! Checking a report, as values: what is asked of whoever checks, and what comes back.

pub mod task;

pub use task::{CheckCall, CheckTask, CheckTaskOutcome, CheckTaskOutput, CheckTaskReply};
