//! What is set for checking claims: whether it is done, and who judges.

use crate::{failure::Failure, settings::Reader};

/// Who is asked whether a page says what a claim says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JudgeChoice {
    /// The chat model, if there is one.
    Auto,
    None,
}

#[derive(Debug, Clone)]
pub struct CheckSettings {
    pub enabled: bool,
    pub judge: JudgeChoice,
    /// None: the chat model's own name. Another model than the writer is the better judge.
    pub judge_model: Option<String>,
}

pub(super) fn resolve(read: &Reader<'_>) -> Result<CheckSettings, Failure> {
    Ok(CheckSettings {
        enabled: read.switch("checks.enabled")?,
        judge: read.value("checks.judge", judge)?,
        judge_model: Some(read.text("checks.judge_model")).filter(|text| !text.is_empty()),
    })
}

fn judge(text: &str) -> Option<JudgeChoice> {
    match text {
        "auto" => Some(JudgeChoice::Auto),
        "none" => Some(JudgeChoice::None),
        _ => None,
    }
}
