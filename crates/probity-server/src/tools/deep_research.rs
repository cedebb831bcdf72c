//! `deep_research`: one long prompt in which the model searches, reads and iterates by itself.

use probity_research::{Problem, rounds::Manner};
use rmcp::model::Tool;

use super::{Call, Effect, ToolName, defined};
use crate::{
    answer::Reply,
    caller::Caller,
    face::Face,
    rounds::{self, Asked, Input, Output},
};

pub fn definition() -> Tool {
    defined::<Input, Output>(
        ToolName::DeepResearch,
        "Answer a question with one long prompt in which the model iterates by itself; prefer deep_search. \
         Paid. Returns like search.",
        Effect::Spends,
    )
}

pub async fn run(face: &Face, caller: &Caller, mut call: Call) -> Result<Reply, Problem> {
    let retried = call.retried(ToolName::DeepResearch, caller);
    let Input { query, confirmed_cost_usd } = call.input()?;
    let plan = face.desk().rules().in_rounds(Manner::DeepResearch, None);
    rounds::start(face, caller, Asked { query, plan, confirmed_cost_usd, retried }).await
}
