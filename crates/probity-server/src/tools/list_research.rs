//! `list_research`: the library, newest change first, filtered and in pages.

use std::collections::BTreeMap;

use probity_research::{
    CodedError, RunId, list::ListFilter, plan::EngineName, scope::KeyScope, status::RunStatus,
    status::RunSummary, text, time::Moment,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ToolCall, ToolEffect, ToolFacts, ToolName, ToolSchemas, ToolView, arguments::DATE};
use crate::{answer::ToolAnswer, caller::Caller, mcp_server::McpServer, paging, wire::usd};

/// Runs in one answer: a page that a model can still read.
const LIMIT_MAX: usize = 50;
const QUERY_CHARACTERS_MAX: usize = 160;

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "Input")]
pub struct ListResearchInput {
    /// Part of the question
    #[schemars(example = "heat pumps", extend("x-takes-numbers" = true))]
    pub text: Option<String>,
    /// Such as completed, running_async, failed
    #[schemars(example = RunStatus::Completed.as_str(), extend("x-values" = statuses()))]
    pub status: Option<String>,
    /// gemini-api, gemini-cli or web
    #[schemars(extend("x-values" = EngineName::ALL.map(EngineName::as_str)))]
    pub engine: Option<String>,
    /// Asked on or after this date (YYYY-MM-DD)
    #[schemars(example = "2026-11-15", extend("format" = DATE))]
    pub since: Option<String>,
    /// Rows in the answer (1-50)
    #[schemars(range(min = 1, max = LIMIT_MAX), extend("x-clamped" = true))]
    #[serde(default = "limit")]
    pub limit: usize,
    /// next_cursor of an earlier answer
    #[schemars(example = "after-20", extend("x-also" = ["next_cursor"]))]
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
    pub cost_usd: Option<f64>,
    pub cost_basis: &'static str,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Output")]
pub struct ListResearchOutput {
    pub researches: Vec<ListResearchRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// What to do where it is not known whether a run was started.
pub const LOOK_BEFORE_RETRY: &str = "call list_research before you try again";

pub const FACTS: ToolFacts = ToolFacts {
    name: "list_research",
    description: "Find past and running researches, newest change first, or a lost task_id. Free, instant.",
    effect: ToolEffect::Reads,
    scope: KeyScope::Read,
    view: ToolView::Absent,
    schemas: ToolSchemas::of::<ListResearchInput, ListResearchOutput>(),
};

pub async fn run(server: &McpServer, caller: &Caller, mut call: ToolCall) -> Result<ToolAnswer, CodedError> {
    let input: ListResearchInput = call.input()?;
    let limit = input.limit;
    let offset = paging::offset(input.cursor.as_deref()).ok_or_else(|| {
        let rules = ToolName::ListResearch.argument_rules();
        rules.refuse("cursor", input.cursor.as_deref().unwrap_or_default(), "a cursor that this list gave")
    })?;
    let filter = ListFilter {
        text: input.text,
        status: input.status.as_deref().and_then(RunStatus::parse),
        engine: input.engine,
        asked_after: input.since.as_deref().and_then(Moment::of_date),
        limit: limit + 1,
        offset,
        ..ListFilter::default()
    };
    let mut found = server.list(caller, filter).await?;
    let next_cursor = paging::cut_to_page(&mut found, offset, limit);
    let output = ListResearchOutput { researches: found.iter().map(row).collect(), next_cursor };
    let titles = server.titles(&found).await?;
    let text = rendered(&found, &titles, output.next_cursor.as_deref());
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
        cost_basis: summary.cost.basis_in_words(),
    }
}

fn rendered(found: &[RunSummary], titles: &BTreeMap<RunId, String>, next: Option<&str>) -> String {
    if found.is_empty() {
        return "no research fits; start one with start_deep_research".to_owned();
    }
    let mut lines: Vec<String> = found
        .iter()
        .map(|summary| {
            let query = text::line(&summary.query, QUERY_CHARACTERS_MAX);
            let query = match titles.get(&summary.id) {
                Some(title) => format!("{title}: {query}"),
                None => query,
            };
            let date = summary.asked_at.date();
            format!("{} {} {date} {} {query}", summary.id, summary.status.as_str(), summary.cost)
        })
        .collect();
    lines.extend(next.map(|next| format!("more: cursor='{next}'")));
    lines.join("\n")
}

fn statuses() -> Vec<&'static str> {
    RunStatus::ALL.iter().map(|status| status.as_str()).collect()
}

fn limit() -> usize {
    20
}

#[cfg(test)]
mod tests {
    use probity_research::{
        RunId,
        cost::{Cost, MicroUsd},
        status::RunSummary,
    };
    use serde_json::json;

    use super::{rendered, row};

    #[test]
    fn a_lower_bound_is_no_sum() {
        let summary = json!({
            "id": RunId::from_random(7), "status": "completed", "due": false, "query": "why?", "engine": "web",
            "agent": "a", "asked_at": 0, "updated_at": 0, "progress_percent": 100, "progress_estimated": false,
            "current_action": "", "steps": 3, "searches": 2, "pages": 1, "attended_ms": 0,
            "cost": Cost::AtLeast(MicroUsd(1_230_600)), "sources": 2, "owner": "local",
        });
        let summary: RunSummary = serde_json::from_value(summary).unwrap();
        let titles = [(summary.id, "Ice".to_owned())].into();
        let listed = rendered(std::slice::from_ref(&summary), &titles, None);
        assert!(listed.ends_with(" Ice: why?"), "{listed}");
        let told = row(&summary);
        assert_eq!(told.cost_usd, Some(1.2306));
        assert!(told.cost_basis.contains("at least"), "{}", told.cost_basis);
    }
}
