//! `get_research_results`: the report, its sources and what it cost. No token is spent.

use probity_research::{Code, CodedError, RunId, scope::KeyScope, status::RunSummary};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ToolCall, ToolEffect, ToolFacts, ToolSchemas, ToolView, start_deep_research::yes};
use crate::{
    answer::ToolAnswer,
    caller::Caller,
    markdown::SourceListVisibility,
    mcp_server::McpServer,
    outline,
    resources::links,
    results::{REPORT_CHARACTERS, RunResults, clean, is_partial},
};

/// Most characters that a client may ask for in one answer.
const CHARACTERS_MAX: usize = 200_000;
const CHARACTERS_MIN: usize = 500;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Input")]
pub struct GetResearchResultsInput {
    pub task_id: String,
    #[serde(default = "yes")]
    pub include_sources: bool,
    /// Wait up to this long for the end (0-50)
    #[serde(default)]
    pub wait_seconds: u64,
    /// Page or section to read, from an earlier answer
    pub cursor: Option<String>,
    #[serde(default = "characters")]
    pub max_chars: usize,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Output")]
pub struct GetResearchResultsOutput {
    pub success: bool,
    pub task_id: String,
    pub status: &'static str,
    pub query: String,
    #[serde(flatten)]
    pub results: RunResults,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

pub const FACTS: ToolFacts = ToolFacts {
    name: "get_research_results",
    description: "The report of a finished research with sources and cost. Free. Long reports come in pages: pass \
         next_cursor, or the cursor of a section in the outline.",
    effect: ToolEffect::Reads,
    scope: KeyScope::Read,
    view: ToolView::Progress,
    schemas: ToolSchemas::of::<GetResearchResultsInput, GetResearchResultsOutput>(),
};

pub async fn run(server: &McpServer, caller: &Caller, mut call: ToolCall) -> Result<ToolAnswer, CodedError> {
    let input: GetResearchResultsInput = call.input()?;
    let mut summary = server.find(caller, &input.task_id).await?;
    server.long_poll(caller, &mut summary, input.wait_seconds).await?;
    let Some(report) = server.backend().report(&summary).await? else { return Ok(without_report(&summary)) };
    let whole = clean(&report);
    let from = outline::parse_cursor(input.cursor.as_deref(), &whole)?;
    let page = outline::page(&whole, from, input.max_chars.clamp(CHARACTERS_MIN, CHARACTERS_MAX));
    let sources =
        if input.include_sources { SourceListVisibility::Listed } else { SourceListVisibility::Omitted };
    let results = RunResults::of(&summary, &report, (&whole, page), sources, server.backend().now());
    let text = results.text(&summary);
    let output = GetResearchResultsOutput {
        success: true,
        task_id: summary.id.to_string(),
        status: summary.status.as_str(),
        query: summary.query.clone(),
        results,
        note: is_partial(&summary).then(|| partial_note(&summary)),
    };
    Ok(ToolAnswer::new(&output, text).with_link(links::report(&summary)).with_link(links::sources(&summary)))
}

/// Why there is nothing to read, and what to do about it.
pub fn without_report(summary: &RunSummary) -> ToolAnswer {
    let problem = match &summary.problem {
        Some(problem) if summary.status.is_final() => problem.clone(),
        _ if summary.status.is_final() => CodedError::new(
            Code::EmptyReport,
            &format!("the research is {} without a report", summary.status.as_str()),
        ),
        _ => not_finished(summary),
    };
    let mut answer = ToolAnswer::of_problem(&problem, Some(summary.id));
    if let Some(object) = answer.structured.as_object_mut() {
        object.insert("status".to_owned(), summary.status.as_str().into());
    }
    answer
}

pub fn not_finished(summary: &RunSummary) -> CodedError {
    let message = format!(
        "the research is {} ({}%): {}",
        summary.status.as_str(),
        summary.progress_percent,
        summary.current_action
    );
    CodedError::new(Code::NotFinished, &message)
}

pub fn partial_note(summary: &RunSummary) -> String {
    let why = summary.problem.as_ref().map_or("", |problem| problem.message.as_str());
    format!("partial: the research is {}. {why}", summary.status.as_str()).trim_end().to_owned()
}

fn characters() -> usize {
    REPORT_CHARACTERS
}

/// The command that reads on where an answer ended.
pub fn results_command(id: RunId, cursor: &str) -> String {
    format!("get_research_results(task_id='{id}', cursor='{cursor}')")
}

/// The command that a handle names.
pub fn check_command(id: RunId) -> String {
    format!("check_research_status(task_id='{id}')")
}
