//! `start_deep_research`: starts a long run; answers with the report if it comes soon, else with a handle.

use std::time::Duration;

use probity_research::{
    CodedError,
    agent::{AgentName, DEFAULT_AGENT},
    cost::MicroUsd,
    plan::{Notify, Plan},
    query::Query,
    scope::KeyScope,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ToolCall, ToolEffect, ToolFacts, ToolName, ToolSchemas, ToolView, meanings, repeat_rule};
use crate::{
    answer::ToolReply,
    backend::RunSettings,
    caller::Caller,
    confirm::{self, ConfirmationOutcome, SpendingQuestion},
    handover::wait_or_hand_over,
    mcp_server::McpServer,
    results::RunResults,
};

/// A year: more hours were mistyped.
const WAIT_HOURS_MAX: u32 = 8_760;

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "Input")]
pub struct StartDeepResearchInput {
    /// Topic or question
    #[schemars(example = meanings::QUESTION_EXAMPLE)]
    pub query: String,
    /// Desktop notification at the end
    #[serde(default = "yes")]
    pub enable_notifications: bool,
    /// Give up after this many hours
    #[schemars(range(min = 1, max = WAIT_HOURS_MAX))]
    #[serde(default = "eight")]
    pub max_wait_hours: u32,
    #[schemars(description = meanings::MODEL, example = DEFAULT_AGENT)]
    pub model: Option<String>,
    #[schemars(description = meanings::CONFIRMED_COST, range(min = 0), example = 3.0)]
    pub confirmed_cost_usd: Option<f64>,
    #[schemars(description = meanings::AGAIN)]
    #[serde(default)]
    pub again: bool,
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
    description: "Write a long report with sources on a broad topic: survey, comparison, market, literature. Usually $2 \
         ($1-3), 15 min (5-60). Returns the report if ready within 25 s, else a task_id that never expires: then \
         check_research_status and get_research_results. For one question take search, deep_search or deep_research. \
         A question that is running is not started twice.",
    effect: ToolEffect::Spends,
    scope: KeyScope::Start,
    view: ToolView::Progress,
    schemas: ToolSchemas::of::<StartDeepResearchInput, StartDeepResearchOutput>(),
};

pub async fn run(server: &McpServer, caller: &Caller, mut call: ToolCall) -> Result<ToolReply, CodedError> {
    let retry = call.retry_context(ToolName::StartDeepResearch, caller);
    let names_hours = call.arguments.contains_key("max_wait_hours");
    let input: StartDeepResearchInput = call.input()?;
    let rules = server.backend().run_settings();
    let query = Query::parse(&input.query)?;
    let agent = agent(rules, ToolName::StartDeepResearch, input.model.as_deref())?;
    let price = server.backend().estimate(&caller.reach, &agent, &query).await?;
    let asked =
        SpendingQuestion { subject: query.as_str(), price: &price, command: Some("probity research") };
    let approval = match confirm::confirm(server, caller, asked, input.confirmed_cost_usd, retry).await? {
        ConfirmationOutcome::Yes(approval) => approval,
        ConfirmationOutcome::Not(reply) => return Ok(reply),
    };
    // Who names no hours gets the settings' deadline; the rules clamp what is too long, and say so.
    let wanted = names_hours.then(|| Duration::from_secs(u64::from(input.max_wait_hours) * 3600));
    let plan = Plan {
        asked_by: caller.reach.principal().cloned(),
        notify: if input.enable_notifications { Notify::WhenDone } else { Notify::Never },
        estimate: Some(price),
        approval: Some(approval),
        ..Plan::new(agent, rules.limits(wanted, lower(rules.budget, approval.up_to)))
    };
    if caller.is_gone() {
        return Err(confirm::call_cancelled_error());
    }
    let started = server.backend().start(query, plan, repeat_rule(input.again)).await?;
    wait_or_hand_over(server, caller, started, rules.start_wait).await
}

/// The agent that `model` names. A refusal says so in the form of all argument problems, with its own code.
pub fn agent(rules: &RunSettings, tool: ToolName, model: Option<&str>) -> Result<AgentName, CodedError> {
    rules.agent_named(model).map_err(|problem| {
        let allowed = rules.agent_names().join(", ");
        let refusal = tool.argument_rules().refuse("model", model.unwrap_or_default(), &allowed);
        CodedError { message: refusal.message, ..problem }
    })
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
