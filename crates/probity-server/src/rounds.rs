//! What `search`, `deep_search` and `deep_research` share: the way to a started run, and the shape of its
//! end. The rules of rounds are not here.

mod output;
pub mod strategy;

use probity_research::{
    CodedError, estimate,
    plan::{EngineName, Notify, Plan},
    query::Query,
    rounds::Mode,
    spending::RepeatRule,
};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    answer::ToolReply,
    backend::PlanOptions,
    caller::Caller,
    confirm::{self, ConfirmationOutcome, RetryContext, SpendingQuestion},
    handover::wait_or_hand_over,
    mcp_server::McpServer,
    tools::{depth, meanings, start_deep_research::lower},
};

pub use output::{RoundsOutput, rounds_answer};

/// All that a single round is told.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "Input")]
pub struct SearchInput {
    #[schemars(description = meanings::QUESTION, example = meanings::QUESTION_EXAMPLE)]
    pub query: String,
    #[schemars(description = meanings::CONFIRMED_COST, range(min = 0), example = 3.0)]
    pub confirmed_cost_usd: Option<f64>,
    #[schemars(description = meanings::AGAIN)]
    #[serde(default)]
    pub again: bool,
}

/// A call that was parsed.
pub struct RoundsCall {
    pub query: String,
    pub wanted: PlanOptions,
    pub confirmed_cost_usd: Option<f64>,
    pub repeat: RepeatRule,
    pub retried: RetryContext,
}

pub async fn start(server: &McpServer, caller: &Caller, asked: RoundsCall) -> Result<ToolReply, CodedError> {
    let rules = server.backend().run_settings();
    let query = Query::parse(&asked.query)?;
    let manner = asked.wanted.mode;
    let hints = asked.wanted.hints.clone();
    // Kept while the user is asked: a plan has some three kilobytes.
    let planned = Box::new(server.backend().plan(&caller.reach, asked.wanted, &query).await?);
    let remark = depth::remark(&hints, &planned);
    let price = planned.estimate.unwrap_or_else(estimate::follow_up);
    let command = match manner {
        Mode::Search => "probity ask",
        Mode::DeepSearch => "probity research --rounds",
        Mode::DeepResearch if planned.engine == EngineName::Web => "probity research --web",
        Mode::DeepResearch => "probity research --rounds",
    };
    let spending = SpendingQuestion { subject: query.as_str(), price: &price, command: Some(command) };
    let confirming = confirm::confirm(server, caller, spending, asked.confirmed_cost_usd, asked.retried);
    let approval = match confirming.await? {
        ConfirmationOutcome::Yes(approval) => approval,
        ConfirmationOutcome::Not(reply) => return Ok(reply),
    };
    // A user who asks for an answer within seconds is at the screen.
    let notify = if manner == Mode::Search { Notify::Never } else { Notify::WhenDone };
    let limits = rules.limits(None, lower(rules.budget, approval.up_to));
    let asked_by = caller.reach.principal().cloned();
    let plan = Plan { asked_by, notify, limits, approval: Some(approval), ..*planned };
    if caller.is_gone() {
        return Err(confirm::call_cancelled_error());
    }
    let started = server.backend().start(query, plan, asked.repeat).await?;
    // The longest wait of the call, and most of its memory.
    let reply = Box::pin(wait_or_hand_over(server, caller, started, rules.call_wait)).await?;
    Ok(match remark {
        Some(remark) => reply.with_remark(&remark),
        None => reply,
    })
}
