//! Settings for checking claims: whether it is done, and which judge does it.

use probity_models::entailment::EntailmentSettings;
use probity_research::checking::ExamRule;

use crate::{
    command_error::CommandError,
    settings::{SettingsReader, directory},
};

/// The judge that is asked whether a page supports a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JudgeChoice {
    /// The program, if there is one, else the chat model, if there is one.
    Auto,
    Chat,
    Program,
    None,
}

#[derive(Debug, Clone)]
pub struct CheckSettings {
    pub enabled: bool,
    /// Cited pages that are fetched for one text.
    pub pages_max: u32,
    /// Claims of one text that are examined.
    pub claims_max: u32,
    pub judge: JudgeChoice,
    /// None: the chat model's own name. Another model than the writer is the better judge.
    pub judge_model: Option<String>,
    /// A model that is asked about what the judge calls supported; none: nobody is.
    pub second_judge: Option<String>,
    /// Whether the judge is examined before its word counts.
    pub exam: ExamRule,
    /// A local entailment model, if program, weights and hash are set.
    pub entailment: Option<EntailmentSettings>,
}

pub(super) fn resolve(read: &SettingsReader<'_>) -> Result<CheckSettings, CommandError> {
    let entailment = match (
        read.optional("checks.judge_program", directory)?,
        read.optional("checks.judge_weights", directory)?,
        read.text("checks.judge_hash"),
    ) {
        (Some(program), Some(weights), hash) => Some(EntailmentSettings { program, weights, hash }),
        _ => None,
    };
    Ok(CheckSettings {
        entailment,
        enabled: read.switch("checks.enabled")?,
        pages_max: u32::try_from(read.count("checks.pages_max")?).unwrap_or(u32::MAX),
        claims_max: u32::try_from(read.count("checks.claims_max")?).unwrap_or(u32::MAX),
        judge: read.value("checks.judge", judge)?,
        exam: read.value("checks.exam", exam)?,
        judge_model: Some(read.text("checks.judge_model")).filter(|text| !text.is_empty()),
        second_judge: Some(read.text("checks.second_judge")).filter(|text| !text.is_empty()),
    })
}

fn judge(text: &str) -> Option<JudgeChoice> {
    match text {
        "auto" => Some(JudgeChoice::Auto),
        "chat" => Some(JudgeChoice::Chat),
        "program" => Some(JudgeChoice::Program),
        "none" => Some(JudgeChoice::None),
        _ => None,
    }
}

fn exam(text: &str) -> Option<ExamRule> {
    match text {
        "required" => Some(ExamRule::Required),
        "trusted" => Some(ExamRule::Trusted),
        _ => None,
    }
}
