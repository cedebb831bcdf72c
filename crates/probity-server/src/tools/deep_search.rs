//! `deep_search`: five perspectives, then rounds that verify and correct, until verified or at the limit.

use probity_research::{
    CodedError,
    rounds::{
        Mode,
        plan::{ROUNDS_MAX, ROUNDS_MIN},
    },
    scope::KeyScope,
    web::{
        StrategyHints,
        strategy::{WORDS_MAX, WORDS_MIN},
    },
};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    ToolCall, ToolEffect, ToolFacts, ToolName, ToolSchemas, ToolView,
    depth::{self, DepthInput},
    meanings, repeat_rule,
};
use crate::{
    answer::ToolReply,
    backend::PlanOptions,
    caller::Caller,
    mcp_server::McpServer,
    rounds::{self, RoundsCall, RoundsOutput},
};

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "Input")]
pub struct DeepSearchInput {
    #[schemars(description = meanings::QUESTION, example = meanings::QUESTION_EXAMPLE)]
    pub query: String,
    /// Most rounds (2-20); default from the settings
    #[schemars(range(min = ROUNDS_MIN, max = ROUNDS_MAX), example = 5, extend("x-raised" = true))]
    pub max_iterations: Option<i64>,
    /// How deep, where the web engine answers; default at least medium
    #[schemars(extend("x-also" = ["level"], "x-values" = ["quick", "standard"], "x-hidden" = true))]
    pub depth: Option<DepthInput>,
    #[schemars(description = meanings::WORDS, range(min = WORDS_MIN, max = WORDS_MAX), example = 1500, extend("x-hidden" = true))]
    pub words: Option<u32>,
    #[schemars(description = meanings::LANGUAGE, example = &"German", extend("x-hidden" = true))]
    pub language: Option<String>,
    #[schemars(description = meanings::CONFIRMED_COST, range(min = 0), example = 3.0)]
    pub confirmed_cost_usd: Option<f64>,
    #[schemars(description = meanings::AGAIN)]
    #[serde(default)]
    pub again: bool,
}

pub const FACTS: ToolFacts = ToolFacts {
    name: "deep_search",
    description: "Answer one question that must be right (disputed, high stakes): search from five perspectives, then \
         verify and correct in rounds until verified or max_iterations. Usually $0.6, 3 min. Returns the result with \
         its rounds, or a task_id.",
    effect: ToolEffect::Spends,
    scope: KeyScope::Start,
    view: ToolView::Progress,
    schemas: ToolSchemas::of::<DeepSearchInput, RoundsOutput>(),
};

pub async fn run(server: &McpServer, caller: &Caller, mut call: ToolCall) -> Result<ToolReply, CodedError> {
    let retried = call.retry_context(ToolName::DeepSearch, caller);
    let input: DeepSearchInput = call.input()?;
    let DeepSearchInput { query, max_iterations, depth, words, language, confirmed_cost_usd, again } = input;
    let hints = StrategyHints {
        level: depth.map(DepthInput::level),
        words,
        language: depth::language(ToolName::DeepSearch, language.as_deref())?,
        ..StrategyHints::default()
    };
    let rounds = max_iterations.map(rounds_asked);
    let wanted = PlanOptions { rounds, hints, ..PlanOptions::new(Mode::DeepSearch) };
    rounds::start(
        server,
        caller,
        RoundsCall { query, wanted, confirmed_cost_usd, repeat: repeat_rule(again), retried },
    )
    .await
}

/// Fewer than two count as two. More than the most was refused before: a mistyped number must not cost money.
fn rounds_asked(number: i64) -> u32 {
    u32::try_from(number.clamp(ROUNDS_MIN.into(), ROUNDS_MAX.into())).unwrap_or(ROUNDS_MAX)
}

#[cfg(test)]
mod tests {
    use super::rounds_asked;

    #[test]
    fn fewer_than_two_rounds_count_as_two() {
        let asked = [i64::MIN, -1, 0, 1, 2, 9, 20].map(rounds_asked);
        assert_eq!(asked, [2, 2, 2, 2, 2, 9, 20]);
    }
}
