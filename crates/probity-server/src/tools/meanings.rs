//! What arguments mean that several tools have: said once, read by models on every turn, so as short as it can be.

pub const TASK_ID: &str = "Id of the research, res_…";
pub const QUESTION: &str = "The question";
pub const WAIT_SECONDS: &str = "Wait up to this long for the end (0-50)";
pub const INCLUDE_SOURCES: &str = "List the sources";
pub const CONFIRMED_COST: &str = "Only as needs_confirmation says";
pub const AGAIN: &str = "Start though the same runs";
pub const WORDS: &str = "Of the report (100-12000)";
pub const LANGUAGE: &str = "Of the report";
pub const MODEL: &str = "Deep Research agent";

/// An id of the right form, for examples.
pub const TASK_ID_EXAMPLE: &str = "res_0198f3c2a1b47d06b3a1d2e4f5061728";
pub const QUESTION_EXAMPLE: &str = "Which heat pumps work below -20 °C?";
