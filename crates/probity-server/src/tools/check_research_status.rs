//! `check_research_status`: the status of a run, from the store alone. No token is spent.

use probity_research::{CodedError, scope::KeyScope, status::RunSummary, time::Moment};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ToolCall, ToolEffect, ToolFacts, ToolSchemas, ToolView};
use crate::{
    answer::ToolAnswer,
    caller::Caller,
    mcp_server::McpServer,
    resources::links,
    wire::{TokensUsed, cost_basis, elapsed_minutes, remaining_minutes, usd},
};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Input")]
pub struct CheckResearchStatusInput {
    pub task_id: String,
    /// Wait up to this long for the end (0-50)
    #[serde(default)]
    pub wait_seconds: u64,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Output")]
pub struct CheckResearchStatusOutput {
    pub task_id: String,
    pub status: &'static str,
    /// Percent.
    pub progress: u32,
    pub progress_is_estimated: bool,
    pub current_action: String,
    pub elapsed_minutes: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens_used: Option<TokensUsed>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_so_far: Option<f64>,
    pub cost_basis: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub estimated_completion_minutes: Option<f64>,
    pub searches: u32,
    pub sources: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

pub const FACTS: ToolFacts = ToolFacts {
    name: "check_research_status",
    description: "How a research is going: status, progress, cost so far. Free and instant. Long-poll with \
         wait_seconds instead of calling in a loop; when status is completed call get_research_results.",
    effect: ToolEffect::Reads,
    scope: KeyScope::Read,
    view: ToolView::Progress,
    schemas: ToolSchemas::of::<CheckResearchStatusInput, CheckResearchStatusOutput>(),
};

pub async fn run(server: &McpServer, caller: &Caller, mut call: ToolCall) -> Result<ToolAnswer, CodedError> {
    let input: CheckResearchStatusInput = call.input()?;
    let mut summary = server.find(caller, &input.task_id).await?;
    server.long_poll(caller, &mut summary, input.wait_seconds).await?;
    Ok(answer(&summary, server.backend().now()))
}

fn answer(summary: &RunSummary, now: Moment) -> ToolAnswer {
    let output = CheckResearchStatusOutput {
        task_id: summary.id.to_string(),
        status: summary.status.as_str(),
        progress: summary.progress_percent,
        progress_is_estimated: summary.progress_estimated,
        current_action: summary.current_action.clone(),
        elapsed_minutes: elapsed_minutes(summary, now),
        tokens_used: summary.usage.as_ref().map(TokensUsed::of),
        cost_so_far: usd(summary.cost),
        cost_basis: cost_basis(summary.cost),
        estimated_completion_minutes: remaining_minutes(summary, summary.estimate, now),
        searches: summary.searches,
        sources: summary.sources,
        problem: summary.problem.as_ref().map(|problem| format!("{}: {}", problem.code, problem.message)),
    };
    let answer = ToolAnswer::new(&output, text(summary, &output));
    if summary.report.is_some() { answer.with_link(links::report(summary)) } else { answer }
}

fn text(summary: &RunSummary, output: &CheckResearchStatusOutput) -> String {
    let estimated = if output.progress_is_estimated { " (estimated)" } else { "" };
    let mut lines = format!(
        "{} is {}: {}%{estimated}, {}\n{} min so far, {}, {} searches",
        output.task_id,
        output.status,
        output.progress,
        output.current_action,
        output.elapsed_minutes,
        summary.cost,
        output.searches
    );
    if let Some(left) = output.estimated_completion_minutes {
        lines.push_str(&format!(", about {left} min left"));
    }
    if let Some(problem) = &output.problem {
        lines.push_str(&format!("\n{problem}"));
    }
    if summary.status.is_final() && summary.report.is_some() {
        lines.push_str(&format!("\nread it: get_research_results(task_id='{}')", output.task_id));
    }
    lines
}
