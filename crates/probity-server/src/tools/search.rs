//! `search`: one round. Searches once, reads the promising pages, answers.

use probity_research::{CodedError, rounds::Mode, scope::KeyScope};

use super::{ToolCall, ToolEffect, ToolFacts, ToolName, ToolSchemas, ToolView};
use crate::{
    answer::ToolReply,
    backend::PlanOptions,
    caller::Caller,
    mcp_server::McpServer,
    rounds::{self, RoundsCall, RoundsOutput, SearchInput},
};

pub const FACTS: ToolFacts = ToolFacts {
    name: "search",
    description: "Answer a question from one round of web search, with sources. Paid: cents and seconds. Returns the \
         answer, or a task_id if it takes longer.",
    effect: ToolEffect::Spends,
    scope: KeyScope::Start,
    view: ToolView::Absent,
    schemas: ToolSchemas::of::<SearchInput, RoundsOutput>(),
};

pub async fn run(server: &McpServer, caller: &Caller, mut call: ToolCall) -> Result<ToolReply, CodedError> {
    let retried = call.retry_context(ToolName::Search, caller);
    let SearchInput { query, confirmed_cost_usd } = call.input()?;
    let wanted = PlanOptions::new(Mode::Search);
    rounds::start(server, caller, RoundsCall { query, wanted, confirmed_cost_usd, retried }).await
}
