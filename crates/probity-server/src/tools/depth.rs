//! What callers say of a research on the web engine: how deep, how long, in which language. The same for every tool.

use probity_research::{
    CodedError,
    plan::Plan,
    web::{StrategyHints, StrategyLevel, strategy::parse_language},
};
use schemars::JsonSchema;
use serde::Deserialize;

use super::ToolName;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "Depth")]
pub enum DepthInput {
    None,
    #[serde(alias = "quick")]
    Shallow,
    #[serde(alias = "standard")]
    Medium,
    Deep,
    Exhaustive,
}

impl DepthInput {
    pub fn level(self) -> StrategyLevel {
        match self {
            Self::None => StrategyLevel::None,
            Self::Shallow => StrategyLevel::Shallow,
            Self::Medium => StrategyLevel::Medium,
            Self::Deep => StrategyLevel::Deep,
            Self::Exhaustive => StrategyLevel::Exhaustive,
        }
    }
}

/// A language that a caller names, or a refusal that says what one looks like.
pub fn language(tool: ToolName, written: Option<&str>) -> Result<Option<String>, CodedError> {
    let Some(written) = written.filter(|written| !written.trim().is_empty()) else { return Ok(None) };
    let refused = || tool.argument_rules().refuse("language", written, "the name or code of a language");
    parse_language(written).map(Some).ok_or_else(refused)
}

/// What is said where another engine answers, which works by none of these: an agent must not believe that they were
/// heeded.
pub fn remark(hints: &StrategyHints, plan: &Plan) -> Option<String> {
    let given = [
        ("task_scope", hints.task_scope.is_some()),
        ("task_type_hint", hints.task_type_hint.is_some()),
        ("context_snippet", hints.context_snippet.is_some()),
        ("max_attempts", hints.max_attempts.is_some()),
        ("depth", hints.level.is_some()),
        ("words", hints.words.is_some()),
        ("language", hints.language.is_some()),
    ];
    let names: Vec<&str> =
        given.into_iter().filter(|(_, is_given)| *is_given).map(|(name, _)| name).collect();
    let (verb, pronoun) = if names.len() == 1 { ("has", "it") } else { ("have", "them") };
    (plan.web.is_none() && !names.is_empty()).then(|| {
        format!(
            "{} {verb} no effect here: this run is one prompt on {}, which is not told {pronoun}. Only the web engine \
             heeds {pronoun} (research.engine = web).",
            names.join(", "),
            plan.engine.title()
        )
    })
}
