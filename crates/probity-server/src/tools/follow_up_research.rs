//! `follow_up_research`: a further question on a finished run, with its context.

use probity_research::{
    CodedError,
    agent::AgentName,
    estimate::follow_up,
    plan::{Notify, Plan, TurnKind},
    principal::Principal,
    query::Query,
    scope::KeyScope,
    status::{RunStatus, RunSummary},
    web::parent::FollowUpKind,
};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    ToolCall, ToolEffect, ToolFacts, ToolName, ToolSchemas, ToolView, meanings, repeat_rule,
    start_deep_research::{StartDeepResearchOutput, lower},
};
use crate::{
    answer::ToolReply,
    backend::RunSettings,
    caller::Caller,
    confirm::{self, ConfirmationOutcome, SpendingQuestion},
    handover::wait_or_hand_over,
    mcp_server::McpServer,
    tools::get_research_results::not_finished,
};

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "Input")]
pub struct FollowUpResearchInput {
    /// Id of a completed report, res_…
    #[schemars(example = meanings::TASK_ID_EXAMPLE)]
    pub task_id: String,
    /// The further question
    #[schemars(example = "And what do they cost?")]
    pub question: String,
    /// Search too
    #[serde(default)]
    pub search: bool,
    #[schemars(description = meanings::CONFIRMED_COST, range(min = 0), example = 3.0)]
    pub confirmed_cost_usd: Option<f64>,
    #[schemars(description = meanings::AGAIN)]
    #[serde(default)]
    pub again: bool,
}

pub const FACTS: ToolFacts = ToolFacts {
    name: "follow_up_research",
    description: "Ask a further question about a completed report, from what it read, or with search. Usually $0.1, 1 min. \
         Returns the answer or a new task_id.",
    effect: ToolEffect::Spends,
    scope: KeyScope::Start,
    view: ToolView::Absent,
    schemas: ToolSchemas::of::<FollowUpResearchInput, StartDeepResearchOutput>(),
};

pub async fn run(server: &McpServer, caller: &Caller, mut call: ToolCall) -> Result<ToolReply, CodedError> {
    let retry = call.retry_context(ToolName::FollowUpResearch, caller);
    let input: FollowUpResearchInput = call.input()?;
    let query = Query::parse(&input.question)?;
    let before = server.find(caller, &input.task_id).await?;
    let rules = server.backend().run_settings();
    let asked_by = caller.reach.principal().cloned();
    let kind = if input.search { FollowUpKind::Search } else { FollowUpKind::Ask };
    let mut plan = match (kind, is_continued_by_provider(&before)) {
        (FollowUpKind::Ask, true) => plan(rules, &before, asked_by)?,
        (FollowUpKind::Ask, false) | (FollowUpKind::Search, _) => {
            let planned = server.backend().plan_follow_up(&before, &query, kind).await?;
            Plan { asked_by, notify: Notify::Never, ..planned }
        }
    };
    let price = plan.estimate.unwrap_or_else(follow_up);
    let asked = SpendingQuestion { subject: query.as_str(), price: &price, command: None };
    let approval = match confirm::confirm(server, caller, asked, input.confirmed_cost_usd, retry).await? {
        ConfirmationOutcome::Yes(approval) => approval,
        ConfirmationOutcome::Not(reply) => return Ok(reply),
    };
    plan.limits.budget = lower(rules.budget, approval.up_to);
    plan.approval = Some(approval);
    if caller.is_gone() {
        return Err(confirm::call_cancelled_error());
    }
    let started = server.backend().start(query, plan, repeat_rule(input.again)).await?;
    wait_or_hand_over(server, caller, started, rules.call_wait).await
}

/// An agent goes on where it ended; of runs with rounds or attempts there are the pages that are stored.
fn is_continued_by_provider(before: &RunSummary) -> bool {
    before.rounds.is_none()
}

/// What a further question on `before` is allowed to do.
pub fn plan(
    rules: &RunSettings,
    before: &RunSummary,
    asked_by: Option<Principal>,
) -> Result<Plan, CodedError> {
    let remote_id = remote_run_id(before)?;
    Ok(Plan {
        turn: TurnKind::FollowUp,
        continues: Some(remote_id),
        follows: Some(before.id),
        asked_by,
        notify: Notify::Never,
        estimate: Some(follow_up()),
        ..Plan::new(AgentName::parse(&before.agent, &rules.agents)?, rules.limits(None, rules.budget))
    })
}

/// The provider's id of the run to continue.
fn remote_run_id(before: &RunSummary) -> Result<String, CodedError> {
    let allowed = "the id of a completed start_deep_research report";
    if let Some(rounds) = before.rounds {
        let manner = rounds.manner.as_str();
        return Err(refusal(
            before,
            &format!("{allowed}; this is a {manner}, so ask the question with {manner}"),
        ));
    }
    if before.given {
        return Err(refusal(
            before,
            &format!("{allowed}; this is a check of a text, so ask with start_deep_research"),
        ));
    }
    match (before.status, &before.remote_id) {
        (RunStatus::Completed, Some(remote_id)) => Ok(remote_id.clone()),
        (status, _) if !status.is_final() => Err(not_finished(before)),
        (status, _) => Err(refusal(before, &format!("{allowed}; this one {}", status.predicate()))),
    }
}

/// As every argument is refused that does not fit.
fn refusal(before: &RunSummary, allowed: &str) -> CodedError {
    ToolName::FollowUpResearch.argument_rules().refuse("task_id", &before.id.to_string(), allowed)
}
