//! `get_research_results`: the report, its sources and what it cost. No token is spent.

use probity_research::{Code, Problem, ResearchId, status::Summary};
use rmcp::model::Tool;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Effect, ToolName, defined, start_deep_research::yes};
use crate::{
    answer::Answer,
    caller::Caller,
    face::Face,
    markdown::Sources,
    outline,
    resources::links,
    results::{REPORT_CHARACTERS, Results, clean, is_partial},
};

/// Most characters that a client may ask for in one answer.
const CHARACTERS_MAX: usize = 200_000;
const CHARACTERS_MIN: usize = 500;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
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
pub struct Output {
    pub success: bool,
    pub task_id: String,
    pub status: &'static str,
    pub query: String,
    #[serde(flatten)]
    pub results: Results,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

pub fn definition() -> Tool {
    defined::<Input, Output>(
        ToolName::GetResearchResults,
        "The report of a finished research with sources and cost. Free. Long reports come in pages: pass \
         next_cursor, or the cursor of a section in the outline.",
        Effect::Reads,
    )
}

pub async fn run(face: &Face, caller: &Caller, input: Input) -> Result<Answer, Problem> {
    let mut summary = face.find(caller, &input.task_id).await?;
    face.long_poll(caller, &mut summary, input.wait_seconds).await?;
    let Some(report) = face.desk().report(&summary).await? else { return Ok(without_report(&summary)) };
    let whole = clean(&report);
    let from = outline::parse(input.cursor.as_deref(), &whole)?;
    let page = outline::page(&whole, from, input.max_chars.clamp(CHARACTERS_MIN, CHARACTERS_MAX));
    let sources = if input.include_sources { Sources::Listed } else { Sources::Omitted };
    let results = Results::of(&summary, &report, (&whole, page), sources, face.desk().now());
    let text = results.text(&summary);
    let output = Output {
        success: true,
        task_id: summary.id.to_string(),
        status: summary.status.as_str(),
        query: summary.query.clone(),
        results,
        note: is_partial(&summary).then(|| partial_note(&summary)),
    };
    Ok(Answer::new(&output, text).with_link(links::report(&summary)).with_link(links::sources(&summary)))
}

/// Why there is nothing to read, and what to do about it.
pub fn without_report(summary: &Summary) -> Answer {
    let problem = match &summary.problem {
        Some(problem) if summary.status.is_final() => problem.clone(),
        _ if summary.status.is_final() => Problem::new(
            Code::EmptyReport,
            &format!("the research is {} without a report", summary.status.as_str()),
        ),
        _ => not_finished(summary),
    };
    let mut answer = Answer::of_problem(&problem, Some(summary.id));
    if let Some(object) = answer.structured.as_object_mut() {
        object.insert("status".to_owned(), summary.status.as_str().into());
    }
    answer
}

pub fn not_finished(summary: &Summary) -> Problem {
    let message = format!(
        "the research is {} ({}%): {}",
        summary.status.as_str(),
        summary.progress_percent,
        summary.current_action
    );
    Problem::new(Code::NotFinished, &message)
}

pub fn partial_note(summary: &Summary) -> String {
    let why = summary.problem.as_ref().map_or("", |problem| problem.message.as_str());
    format!("partial: the research is {}. {why}", summary.status.as_str()).trim_end().to_owned()
}

fn characters() -> usize {
    REPORT_CHARACTERS
}

/// The command that reads on where an answer ended.
pub fn results_command(id: ResearchId, cursor: &str) -> String {
    format!("get_research_results(task_id='{id}', cursor='{cursor}')")
}

/// The command that a handle names.
pub fn check_command(id: ResearchId) -> String {
    format!("check_research_status(task_id='{id}')")
}
