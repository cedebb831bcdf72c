//! What `search`, `deep_search` and `deep_research` share: the way to a started run, and the shape of its
//! end. The rules of rounds are not here.

mod output;

use probity_research::{
    CodedError, estimate,
    plan::{Notify, Plan, RunLimits},
    query::Query,
    rounds::Mode,
};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    answer::ToolReply,
    backend::PlanOptions,
    caller::Caller,
    confirm::{self, ConfirmationOutcome, RetryContext},
    handover::wait_or_hand_over,
    mcp_server::McpServer,
    tools::start_deep_research::lower,
};

pub use output::{RoundEntry, RoundsOutput, rounds_answer};

/// All that a single round is told.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Input")]
pub struct SearchInput {
    pub query: String,
    pub confirmed_cost_usd: Option<f64>,
}

/// A call that was parsed.
pub struct RoundsCall {
    pub query: String,
    pub wanted: PlanOptions,
    pub confirmed_cost_usd: Option<f64>,
    pub retried: RetryContext,
}

pub async fn start(server: &McpServer, caller: &Caller, asked: RoundsCall) -> Result<ToolReply, CodedError> {
    let rules = server.backend().run_settings();
    let query = Query::parse(&asked.query)?;
    let manner = asked.wanted.mode;
    let planned = server.backend().plan(asked.wanted, &query)?;
    let price = planned.estimate.unwrap_or_else(estimate::follow_up);
    let confirming = confirm::confirm(server, caller, &price, asked.confirmed_cost_usd, asked.retried);
    let accepted = match confirming.await? {
        ConfirmationOutcome::Yes(accepted) => accepted,
        ConfirmationOutcome::Not(reply) => return Ok(reply),
    };
    // A user who asks for an answer within seconds is at the screen.
    let notify = if manner == Mode::Search { Notify::Never } else { Notify::WhenDone };
    let limits = RunLimits::new(rules.deadline, lower(rules.budget, accepted));
    let plan = Plan { asked_by: caller.reach.principal().cloned(), notify, limits, ..planned };
    if caller.is_gone() {
        return Err(confirm::call_cancelled_error());
    }
    let started = server.backend().start(query, plan).await?;
    wait_or_hand_over(server, caller, started, rules.call_wait).await
}
