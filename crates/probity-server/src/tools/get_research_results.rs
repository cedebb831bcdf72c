//! `get_research_results`: the report, its sources and what it cost. No token is spent.

use probity_research::{
    Code, CodedError, RunId,
    scope::KeyScope,
    status::{RunStatus, RunSummary},
    work_done::WorkDone,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    ToolCall, ToolEffect, ToolFacts, ToolName, ToolSchemas, ToolView, meanings, start_deep_research::yes,
};
use crate::{
    answer::ToolAnswer,
    caller::Caller,
    handover::WAIT_SECONDS_MAX,
    markdown::SourceListVisibility,
    mcp_server::McpServer,
    outline,
    resources::links,
    results::{REPORT_CHARACTERS, RunResults, clean_text},
};

/// Most characters that a client may ask for in one answer.
const CHARACTERS_MAX: usize = 200_000;
const CHARACTERS_MIN: usize = 500;

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "Input")]
pub struct GetResearchResultsInput {
    #[schemars(description = meanings::TASK_ID, example = meanings::TASK_ID_EXAMPLE)]
    pub task_id: String,
    #[schemars(description = meanings::INCLUDE_SOURCES)]
    #[serde(default = "yes")]
    pub include_sources: bool,
    #[schemars(description = meanings::WAIT_SECONDS, range(max = WAIT_SECONDS_MAX), example = 50)]
    #[schemars(extend("x-clamped" = true))]
    #[serde(default)]
    pub wait_seconds: u64,
    /// Page or section to read, from an earlier answer
    #[schemars(example = "at-30000", extend("x-also" = ["next_cursor"]))]
    pub cursor: Option<String>,
    /// Characters per page (500-200000)
    #[schemars(range(min = CHARACTERS_MIN, max = CHARACTERS_MAX), extend("x-clamped" = true))]
    #[serde(default = "characters")]
    pub max_chars: usize,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Output")]
pub struct GetResearchResultsOutput {
    /// A report was returned in full; a partial one is here too, with false.
    pub success: bool,
    pub task_id: String,
    pub status: &'static str,
    pub query: String,
    #[serde(flatten)]
    pub results: RunResults,
}

pub const FACTS: ToolFacts = ToolFacts {
    name: "get_research_results",
    description: "Read a finished research here: report or answer, sources, cost. Free, instant. Long reports come in \
         pages: pass next_cursor, or the cursor of a section in the outline.",
    effect: ToolEffect::Reads,
    scope: KeyScope::Read,
    view: ToolView::Progress,
    schemas: ToolSchemas::of::<GetResearchResultsInput, GetResearchResultsOutput>(),
};

pub async fn run(server: &McpServer, caller: &Caller, mut call: ToolCall) -> Result<ToolAnswer, CodedError> {
    let input: GetResearchResultsInput = call.input()?;
    let mut summary = server.find(caller, &input.task_id).await?;
    server.long_poll(caller, &mut summary, input.wait_seconds).await?;
    let Some(report) = server.backend().report(&summary).await? else {
        return Ok(without_report(server, &summary).await);
    };
    let sources =
        if input.include_sources { SourceListVisibility::Listed } else { SourceListVisibility::Omitted };
    let whole = clean_text(&report, sources);
    let from = outline::parse_cursor(input.cursor.as_deref(), &whole).map_err(|_| {
        let rules = ToolName::GetResearchResults.argument_rules();
        rules.refuse(
            "cursor",
            input.cursor.as_deref().unwrap_or_default(),
            "a cursor that this report's answers gave",
        )
    })?;
    let page = outline::page(&whole, from, input.max_chars);
    let results = RunResults::of(&summary, &report, (&whole, page), sources, server.backend().now());
    let text = results.text(&summary);
    let output = GetResearchResultsOutput {
        success: summary.status == RunStatus::Completed,
        task_id: summary.id.to_string(),
        status: summary.status.as_str(),
        query: summary.query.clone(),
        results,
    };
    Ok(ToolAnswer::new(&output, text).with_link(links::report(&summary)).with_link(links::sources(&summary)))
}

/// Why there is no report to read, what to do about it, and what was done all the same.
pub async fn without_report(server: &McpServer, summary: &RunSummary) -> ToolAnswer {
    let problem = summary.why_no_report().unwrap_or_else(|| not_finished(summary));
    let answer = ToolAnswer::of_run_problem(&problem, summary);
    // A second question to the store: its failure must not hide why there is no report.
    let done = server.backend().work_done(summary.id).await.ok().flatten();
    match done.filter(|done| summary.status.is_final() && !done.is_empty()) {
        Some(done) => with_work_done(answer, &done),
        None => answer,
    }
}

fn with_work_done(mut answer: ToolAnswer, done: &WorkDone) -> ToolAnswer {
    if let (Some(object), Ok(value)) = (answer.structured.as_object_mut(), serde_json::to_value(done)) {
        object.insert("work_done".to_owned(), value);
    }
    answer.text = format!("{}\n\n{}", answer.text, done.text());
    answer
}

pub fn not_finished(summary: &RunSummary) -> CodedError {
    let message = format!(
        "the research {} ({}%): {}",
        summary.status.predicate(),
        summary.progress_percent,
        summary.current_action
    );
    CodedError::new(Code::NotFinished, &message)
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
