//! `search`: one round. Searches once, reads the promising pages, answers.

use probity_research::{Problem, rounds::Manner};
use rmcp::model::Tool;

use super::{Call, Effect, ToolName, defined};
use crate::{
    answer::Reply,
    caller::Caller,
    desk::Wanted,
    face::Face,
    rounds::{self, Asked, Input, Output},
};

pub fn definition() -> Tool {
    defined::<Input, Output>(
        ToolName::Search,
        "Answer a question from one round of web search, with sources. Paid: cents and seconds. Returns the \
         answer, or a task_id if it takes longer.",
        Effect::Spends,
    )
}

pub async fn run(face: &Face, caller: &Caller, mut call: Call) -> Result<Reply, Problem> {
    let retried = call.retried(ToolName::Search, caller);
    let Input { query, confirmed_cost_usd } = call.input()?;
    let wanted = Wanted::new(Manner::Search);
    rounds::start(face, caller, Asked { query, wanted, confirmed_cost_usd, retried }).await
}
