//! `cancel_research`: the cancel command goes on disk first, then to the provider, whose answer is returned.

use std::time::Duration;

use probity_research::{
    Code, CodedError,
    scope::KeyScope,
    status::{RunStatus, RunSummary},
    stop::PartialResults,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ToolCall, ToolEffect, ToolFacts, ToolSchemas, ToolView, meanings, start_deep_research::yes};
use crate::{answer::ToolAnswer, backend::WatchCondition, caller::Caller, mcp_server::McpServer, wire::usd};

/// How long the call waits for the provider's answer; the cancel command itself is on disk before.
const SETTLES_WITHIN: Duration = Duration::from_secs(15);

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "Input")]
pub struct CancelResearchInput {
    #[schemars(description = meanings::TASK_ID, example = meanings::TASK_ID_EXAMPLE)]
    pub task_id: String,
    /// Keep what was found
    #[serde(default = "yes")]
    pub save_partial: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Output")]
pub struct CancelResearchOutput {
    pub success: bool,
    pub task_id: String,
    pub status: &'static str,
    pub message: String,
    pub partial_saved: bool,
    pub cost_usd: Option<f64>,
    pub cost_basis: &'static str,
}

pub const FACTS: ToolFacts = ToolFacts {
    name: "cancel_research",
    description: "Stop a running research here and at the provider. Keeps partial results, reports the final cost. Free.",
    effect: ToolEffect::Settles,
    scope: KeyScope::Cancel,
    view: ToolView::Absent,
    schemas: ToolSchemas::of::<CancelResearchInput, CancelResearchOutput>(),
};

pub async fn run(server: &McpServer, caller: &Caller, mut call: ToolCall) -> Result<ToolAnswer, CodedError> {
    let input: CancelResearchInput = call.input()?;
    let found = server.find(caller, &input.task_id).await?;
    let partial = if input.save_partial { PartialResults::Keep } else { PartialResults::Drop };
    match server.backend().cancel(found.id, partial).await {
        Ok(_) => {}
        Err(problem) if problem.code == Code::AlreadyEnded => {
            // It may have ended since it was found.
            let ended = server.backend().status(found.id).await?;
            return Ok(ToolAnswer::of_refusal(&problem, &ended));
        }
        Err(problem) => return Err(problem),
    }
    let settled = tokio::select! {
        biased;
        settled = server.backend().watch(found.id, WatchCondition::Rests, SETTLES_WITHIN) => settled?,
        // The client no longer waits for the provider's answer; the cancel command stays.
        _ = caller.wait_until_gone() => server.backend().status(found.id).await?,
    };
    Ok(answer(&settled, partial))
}

fn answer(summary: &RunSummary, partial: PartialResults) -> ToolAnswer {
    let message = match (&summary.cancel_answer, summary.status) {
        (Some(answer), _) => answer.clone(),
        (None, RunStatus::Cancelled) if summary.is_start_uncertain() => {
            "nobody knows whether the provider had taken it: it may be billed".to_owned()
        }
        (None, RunStatus::Cancelled) => "cancelled before the provider took it".to_owned(),
        (None, RunStatus::Cancelling) => {
            "the cancel is recorded; the provider has not answered yet".to_owned()
        }
        (None, other) => format!("it ended first: {}", other.as_str()),
    };
    let output = CancelResearchOutput {
        success: true,
        task_id: summary.id.to_string(),
        status: summary.status.as_str(),
        message,
        partial_saved: partial == PartialResults::Keep && summary.report.is_some(),
        cost_usd: usd(summary.cost),
        cost_basis: summary.cost.basis_in_words(),
    };
    let kept = match (output.partial_saved, summary.searches + summary.pages) {
        (true, _) => "partial results are kept",
        (false, 0) => "there was nothing to keep",
        (false, _) => "no text is kept; get_research_results lists what was searched and read",
    };
    let state = summary.status.predicate();
    let text = format!("{} {state}: {}; {kept}; {}", output.task_id, output.message, summary.cost);
    ToolAnswer::new(&output, text)
}
