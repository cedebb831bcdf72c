//! `search`: one round. Searches once, reads the promising pages, answers.

use probity_research::{CodedError, rounds::Mode, scope::KeyScope};

use super::{ToolCall, ToolEffect, ToolFacts, ToolName, ToolSchemas, ToolView, repeat_rule};
use crate::{
    answer::ToolReply,
    backend::PlanOptions,
    caller::Caller,
    mcp_server::McpServer,
    rounds::{self, RoundsCall, RoundsOutput, SearchInput},
};

pub const FACTS: ToolFacts = ToolFacts {
    name: "search",
    description: "Look up one thing on the web, in one round, with sources: a fact, a number, a date, news. Usually $0.2, \
         1 min. If it must be right take deep_search. Returns the answer, or a task_id if it takes longer.",
    effect: ToolEffect::Spends,
    scope: KeyScope::Start,
    view: ToolView::Absent,
    schemas: ToolSchemas::of::<SearchInput, RoundsOutput>(),
};

pub async fn run(server: &McpServer, caller: &Caller, mut call: ToolCall) -> Result<ToolReply, CodedError> {
    let retried = call.retry_context(ToolName::Search, caller);
    let SearchInput { query, confirmed_cost_usd, again } = call.input()?;
    let wanted = PlanOptions::new(Mode::Search);
    rounds::start(
        server,
        caller,
        RoundsCall { query, wanted, confirmed_cost_usd, repeat: repeat_rule(again), retried },
    )
    .await
}
