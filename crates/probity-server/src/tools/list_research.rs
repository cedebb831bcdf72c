//! `list_research`: the library, newest change first, filtered and in pages.

use probity_research::{
    Code, Problem, list::ListFilter, status::Status, status::Summary, text, time::Moment,
};
use rmcp::model::Tool;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Effect, ToolName, defined};
use crate::{answer::Answer, caller::Caller, face::Face, paging, wire::usd};

/// Researches in one answer: a page that a model can still read.
const LIMIT_MAX: usize = 50;
const QUERY_CHARACTERS_MAX: usize = 160;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
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
pub struct Row {
    pub task_id: String,
    pub status: &'static str,
    pub query: String,
    pub asked_at: String,
    pub progress: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    pub researches: Vec<Row>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

pub fn definition() -> Tool {
    defined::<Input, Output>(
        ToolName::ListResearch,
        "List past and running researches, newest first. Use it to find a lost task_id. Free.",
        Effect::Reads,
    )
}

pub async fn run(face: &Face, caller: &Caller, input: Input) -> Result<Answer, Problem> {
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
    let mut found = face.list(caller, filter).await?;
    let next_cursor = paging::cut(&mut found, offset, limit);
    let output = Output { researches: found.iter().map(row).collect(), next_cursor };
    let text = rendered(&found, output.next_cursor.as_deref());
    Ok(Answer::new(&output, text))
}

fn row(summary: &Summary) -> Row {
    Row {
        task_id: summary.id.to_string(),
        status: summary.status.as_str(),
        query: text::line(&summary.query, QUERY_CHARACTERS_MAX),
        asked_at: summary.asked_at.to_string(),
        progress: summary.progress_percent,
        cost_usd: usd(summary.cost),
    }
}

fn rendered(found: &[Summary], next: Option<&str>) -> String {
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

fn status(word: &str) -> Result<Status, Problem> {
    Status::parse(word).ok_or_else(|| {
        let known: Vec<&str> = Status::ALL.iter().map(|status| status.as_str()).collect();
        let message = format!("`{}` is not a status; known: {}", text::line(word, 40), known.join(", "));
        Problem::new(Code::InvalidArguments, &message)
    })
}

fn moment(date: &str) -> Result<Moment, Problem> {
    Moment::of_date(date).ok_or_else(|| {
        let message = format!("`{}` is not a date such as 2026-11-15", text::line(date, 40));
        Problem::new(Code::InvalidArguments, &message)
    })
}

fn offset(cursor: Option<&str>) -> Result<usize, Problem> {
    paging::offset(cursor).ok_or_else(|| {
        let shown = text::line(cursor.unwrap_or_default(), 40);
        Problem::new(Code::InvalidArguments, &format!("`{shown}` is not a cursor of this list"))
    })
}

fn limit() -> usize {
    20
}
