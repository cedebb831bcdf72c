//! `list_research`: the library, newest change first, filtered and in pages.

use probity_research::{
    Code, CodedError, list::ListFilter, scope::KeyScope, status::RunStatus, status::RunSummary, text,
    time::Moment,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ToolCall, ToolEffect, ToolFacts, ToolSchemas, ToolView};
use crate::{answer::ToolAnswer, caller::Caller, mcp_server::McpServer, paging, wire::usd};

/// Runs in one answer: a page that a model can still read.
const LIMIT_MAX: usize = 50;
const QUERY_CHARACTERS_MAX: usize = 160;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Input")]
pub struct ListResearchInput {
    /// Part of the question
    pub text: Option<String>,
    /// Such as completed, running_async, failed
    pub status: Option<String>,
    pub engine: Option<String>,
    /// Asked on or after this date (YYYY-MM-DD)
    pub since: Option<String>,
    #[serde(default = "limit")]
    pub limit: usize,
    pub cursor: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Row")]
pub struct ListResearchRow {
    pub task_id: String,
    pub status: &'static str,
    pub query: String,
    pub asked_at: String,
    pub progress: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Output")]
pub struct ListResearchOutput {
    pub researches: Vec<ListResearchRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

pub const FACTS: ToolFacts = ToolFacts {
    name: "list_research",
    description: "List past and running researches, newest first. Use it to find a lost task_id. Free.",
    effect: ToolEffect::Reads,
    scope: KeyScope::Read,
    view: ToolView::Absent,
    schemas: ToolSchemas::of::<ListResearchInput, ListResearchOutput>(),
};

pub async fn run(server: &McpServer, caller: &Caller, mut call: ToolCall) -> Result<ToolAnswer, CodedError> {
    let input: ListResearchInput = call.input()?;
    let limit = input.limit.clamp(1, LIMIT_MAX);
    let offset = offset(input.cursor.as_deref())?;
    let filter = ListFilter {
        text: input.text,
        status: input.status.as_deref().map(status).transpose()?,
        engine: input.engine,
        asked_after: input.since.as_deref().map(moment).transpose()?,
        limit: limit + 1,
        offset,
        ..ListFilter::default()
    };
    let mut found = server.list(caller, filter).await?;
    let next_cursor = paging::cut_to_page(&mut found, offset, limit);
    let output = ListResearchOutput { researches: found.iter().map(row).collect(), next_cursor };
    let text = rendered(&found, output.next_cursor.as_deref());
    Ok(ToolAnswer::new(&output, text))
}

fn row(summary: &RunSummary) -> ListResearchRow {
    ListResearchRow {
        task_id: summary.id.to_string(),
        status: summary.status.as_str(),
        query: text::line(&summary.query, QUERY_CHARACTERS_MAX),
        asked_at: summary.asked_at.to_string(),
        progress: summary.progress_percent,
        cost_usd: usd(summary.cost),
    }
}

fn rendered(found: &[RunSummary], next: Option<&str>) -> String {
    if found.is_empty() {
        return "no research fits; start one with start_deep_research".to_owned();
    }
    let mut lines: Vec<String> = found
        .iter()
        .map(|summary| {
            let query = text::line(&summary.query, QUERY_CHARACTERS_MAX);
            let date = summary.asked_at.date();
            format!("{} {} {date} {} {query}", summary.id, summary.status.as_str(), summary.cost)
        })
        .collect();
    lines.extend(next.map(|next| format!("more: cursor='{next}'")));
    lines.join("\n")
}

fn status(word: &str) -> Result<RunStatus, CodedError> {
    RunStatus::parse(word).ok_or_else(|| {
        let known: Vec<&str> = RunStatus::ALL.iter().map(|status| status.as_str()).collect();
        let message = format!("`{}` is not a status; known: {}", text::line(word, 40), known.join(", "));
        CodedError::new(Code::InvalidArguments, &message)
    })
}

fn moment(date: &str) -> Result<Moment, CodedError> {
    Moment::of_date(date).ok_or_else(|| {
        let message = format!("`{}` is not a date such as 2026-11-15", text::line(date, 40));
        CodedError::new(Code::InvalidArguments, &message)
    })
}

fn offset(cursor: Option<&str>) -> Result<usize, CodedError> {
    paging::offset(cursor).ok_or_else(|| {
        let shown = text::line(cursor.unwrap_or_default(), 40);
        CodedError::new(Code::InvalidArguments, &format!("`{shown}` is not a cursor of this list"))
    })
}

fn limit() -> usize {
    20
}
