//! `check_research_status`: the status of a run, from the store alone. No token is spent.

use probity_research::{
    CodedError,
    cost::Usage,
    scope::KeyScope,
    status::{RunStatus, RunSummary},
    time::Moment,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ToolCall, ToolEffect, ToolFacts, ToolSchemas, ToolView, meanings};
use crate::{
    answer::ToolAnswer,
    caller::Caller,
    handover::WAIT_SECONDS_MAX,
    mcp_server::McpServer,
    resources::links,
    wire::{TokensUsed, elapsed_minutes, remaining_minutes, usd},
};

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "Input")]
pub struct CheckResearchStatusInput {
    #[schemars(description = meanings::TASK_ID, example = meanings::TASK_ID_EXAMPLE)]
    pub task_id: String,
    #[schemars(description = meanings::WAIT_SECONDS, range(max = WAIT_SECONDS_MAX), example = 50)]
    #[schemars(extend("x-clamped" = true))]
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
    /// Null where nobody counted: unknown is not zero
    pub tokens_used: Option<TokensUsed>,
    pub tokens_basis: &'static str,
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
    description: "How far a running research is: status, progress, cost so far. Free, instant. Pass wait_seconds instead \
         of calling in a loop; when completed call get_research_results. No task_id: list_research.",
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
        tokens_basis: tokens_basis(summary),
        cost_so_far: usd(summary.cost),
        cost_basis: summary.cost.basis_in_words(),
        estimated_completion_minutes: remaining_minutes(summary, summary.estimate, now),
        searches: summary.searches,
        sources: summary.sources,
        problem: problem(summary),
    };
    let answer = ToolAnswer::new(&output, text(summary, &output));
    if summary.report.is_some() { answer.with_link(links::report(summary)) } else { answer }
}

/// What went wrong; of a cancelled run, what its reader must know beside that.
fn problem(summary: &RunSummary) -> Option<String> {
    let problem = summary.problem.as_ref().map(|problem| format!("{}: {}", problem.code, problem.message));
    let note = summary.note.clone().filter(|_| summary.status == RunStatus::Cancelled);
    match (problem, note) {
        (Some(problem), Some(note)) => Some(format!("{problem}; {note}")),
        (problem, note) => problem.or(note),
    }
}

/// Where the count comes from; `unknown` is not zero.
fn tokens_basis(summary: &RunSummary) -> &'static str {
    match (&summary.usage, summary.status.is_final()) {
        (Some(usage), true) if *usage == Usage::NONE => "no model was asked",
        (Some(_), true) => "provider usage",
        (Some(_), false) => "provider usage so far",
        (None, _) => "unknown",
    }
}

fn text(summary: &RunSummary, output: &CheckResearchStatusOutput) -> String {
    let estimated = if output.progress_is_estimated { " (estimated)" } else { "" };
    let (state, time) = match summary.status.is_final() {
        true => (String::new(), format!("took {} min", output.elapsed_minutes)),
        false => (
            format!(": {}%{estimated}, {}", output.progress, output.current_action),
            format!("{} min so far", output.elapsed_minutes),
        ),
    };
    let searches = if output.searches == 1 { "search" } else { "searches" };
    let mut lines = format!(
        "{} {}{state}\n{time}, {}, {} {searches}",
        output.task_id,
        summary.status.predicate(),
        summary.cost,
        output.searches
    );
    match &output.tokens_used {
        Some(tokens) => lines.push_str(&format!(", {}", tokens.line())),
        None if !summary.status.is_final() => lines.push_str(", tokens unknown until the provider says them"),
        None => lines.push_str(", tokens unknown"),
    }
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
