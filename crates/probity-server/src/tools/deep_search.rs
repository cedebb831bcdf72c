//! `deep_search`: five perspectives, then rounds that verify and correct, until verified or at the limit.

use probity_research::{
    Code, CodedError,
    rounds::{
        Mode,
        plan::{ROUNDS_MAX, ROUNDS_MIN},
    },
    scope::KeyScope,
};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{ToolCall, ToolEffect, ToolFacts, ToolName, ToolSchemas, ToolView};
use crate::{
    answer::ToolReply,
    backend::PlanOptions,
    caller::Caller,
    mcp_server::McpServer,
    rounds::{self, RoundsCall, RoundsOutput},
};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Input")]
pub struct DeepSearchInput {
    pub query: String,
    /// 2-20; default from the settings
    pub max_iterations: Option<i64>,
    pub confirmed_cost_usd: Option<f64>,
}

pub const FACTS: ToolFacts = ToolFacts {
    name: "deep_search",
    description: "Answer a question in rounds: search from five perspectives, then verify and correct until verified \
         or max_iterations. Paid: typically under $1 and a few minutes. Returns the result with its rounds, \
         or a task_id: then call check_research_status and get_research_results.",
    effect: ToolEffect::Spends,
    scope: KeyScope::Start,
    view: ToolView::Progress,
    schemas: ToolSchemas::of::<DeepSearchInput, RoundsOutput>(),
};

pub async fn run(server: &McpServer, caller: &Caller, mut call: ToolCall) -> Result<ToolReply, CodedError> {
    let retried = call.retry_context(ToolName::DeepSearch, caller);
    let DeepSearchInput { query, max_iterations, confirmed_cost_usd } = call.input()?;
    let rounds = max_iterations.map(rounds_asked).transpose()?;
    let wanted = PlanOptions { rounds, ..PlanOptions::new(Mode::DeepSearch) };
    rounds::start(server, caller, RoundsCall { query, wanted, confirmed_cost_usd, retried }).await
}

/// Fewer than two count as two. More than the most is refused: a mistyped number must not cost money.
fn rounds_asked(number: i64) -> Result<u32, CodedError> {
    match u32::try_from(number.max(i64::from(ROUNDS_MIN))) {
        Ok(rounds) if rounds <= ROUNDS_MAX => Ok(rounds),
        _ => {
            let message = format!("max_iterations is {number}; at most {ROUNDS_MAX} are possible");
            Err(CodedError::new(Code::InvalidArguments, &message))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::rounds_asked;

    #[test]
    fn fewer_than_two_rounds_count_as_two_and_more_than_twenty_are_refused() {
        let asked = [i64::MIN, -1, 0, 1, 2, 9, 20].map(|number| rounds_asked(number).unwrap());
        assert_eq!(asked, [2, 2, 2, 2, 2, 9, 20]);
        assert!(rounds_asked(21).is_err());
        assert!(rounds_asked(i64::MAX).is_err());
    }
}
