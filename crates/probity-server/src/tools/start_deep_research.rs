//! `start_deep_research`: starts a long run; answers with the report if it comes soon, else with a handle.

use std::time::Duration;

use probity_research::{
    CodedError,
    cost::MicroUsd,
    plan::{Notify, Plan, RunLimits},
    query::Query,
    scope::KeyScope,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ToolCall, ToolEffect, ToolFacts, ToolName, ToolSchemas, ToolView};
use crate::{
    answer::ToolReply,
    backend::RunSettings,
    caller::Caller,
    confirm::{self, ConfirmationOutcome},
    handover::wait_or_hand_over,
    mcp_server::McpServer,
    results::RunResults,
};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Input")]
pub struct StartDeepResearchInput {
    /// The research question
    pub query: String,
    /// Desktop notification at the end
    #[serde(default = "yes")]
    pub enable_notifications: bool,
    #[serde(default = "eight")]
    pub max_wait_hours: u32,
    /// Deep Research agent; default from the settings
    pub model: Option<String>,
    /// Only after needs_confirmation: the amount the user accepted
    pub confirmed_cost_usd: Option<f64>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Output")]
pub struct StartDeepResearchOutput {
    pub success: bool,
    pub task_id: String,
    /// completed, running_async, needs_confirmation, …
    pub status: &'static str,
    pub mode: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check_status_command: Option<String>,
    // Described by get_research_results' own schema; here it would be counted twice.
    #[schemars(with = "serde_json::Map<String, serde_json::Value>")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub results: Option<RunResults>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
}

pub const FACTS: ToolFacts = ToolFacts {
    name: "start_deep_research",
    description: "Start a multi-source deep research on the web. Paid: typically $1-3 and 5-20 minutes. Returns the \
         report if it is ready within 25 s, else a task_id that stays valid for good, also after a crash: \
         then call check_research_status and get_research_results. Never start the same question twice.",
    effect: ToolEffect::Spends,
    scope: KeyScope::Start,
    view: ToolView::Progress,
    schemas: ToolSchemas::of::<StartDeepResearchInput, StartDeepResearchOutput>(),
};

pub async fn run(server: &McpServer, caller: &Caller, mut call: ToolCall) -> Result<ToolReply, CodedError> {
    let retry = call.retry_context(ToolName::StartDeepResearch, caller);
    let input: StartDeepResearchInput = call.input()?;
    let rules = server.backend().run_settings();
    let query = Query::parse(&input.query)?;
    let agent = rules.agent_named(input.model.as_deref())?;
    let price = server.backend().estimate(&caller.reach, &agent, &query).await?;
    let accepted = match confirm::confirm(server, caller, &price, input.confirmed_cost_usd, retry).await? {
        ConfirmationOutcome::Yes(accepted) => accepted,
        ConfirmationOutcome::Not(reply) => return Ok(reply),
    };
    let plan = Plan {
        asked_by: caller.reach.principal().cloned(),
        notify: if input.enable_notifications { Notify::WhenDone } else { Notify::Never },
        estimate: Some(price),
        ..Plan::new(
            agent,
            RunLimits::new(deadline(input.max_wait_hours, rules), lower(rules.budget, accepted)),
        )
    };
    if caller.is_gone() {
        return Err(confirm::call_cancelled_error());
    }
    let started = server.backend().start(query, plan).await?;
    wait_or_hand_over(server, caller, started, rules.start_wait).await
}

/// The settings' deadline unless the caller asks for something else; the rules clamp what is too long.
fn deadline(hours: u32, rules: &RunSettings) -> Duration {
    if hours == eight() { rules.deadline } else { Duration::from_secs(u64::from(hours) * 3600) }
}

/// The lower of two limits.
pub fn lower(budget: Option<MicroUsd>, accepted: Option<MicroUsd>) -> Option<MicroUsd> {
    match (budget, accepted) {
        (Some(budget), Some(accepted)) => Some(budget.min(accepted)),
        (budget, accepted) => budget.or(accepted),
    }
}

pub fn yes() -> bool {
    true
}

fn eight() -> u32 {
    8
}
