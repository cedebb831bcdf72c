//! The end of `search`, `deep_search` and `deep_research`, field by field as their clients know it.

use probity_research::{
    report::Report,
    status::{RunStatus, RunSummary},
    time::Moment,
};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    answer::ToolAnswer,
    outline::OutlineHeading,
    resources::links,
    results::{ResultsMetadata, RunResults},
    wire::SourceBody,
};

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Output")]
pub struct RoundsOutput {
    pub success: bool,
    pub task_id: String,
    pub status: &'static str,
    /// The report as Markdown.
    pub result: String,
    pub verified: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_says_verified: Option<bool>,
    pub verification_basis: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    // Described by get_research_results' own schema, as are the outline and the metadata.
    #[schemars(with = "Vec<serde_json::Map<String, serde_json::Value>>")]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<SourceBody>,
    #[schemars(with = "serde_json::Map<String, serde_json::Value>")]
    pub metadata: ResultsMetadata,
    #[schemars(skip)]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub outline: Vec<OutlineHeading>,
    /// Where the rest of a long report is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// The answer of a run in rounds that is at rest and has a report.
pub fn rounds_answer(summary: &RunSummary, report: &Report, now: Moment) -> ToolAnswer {
    let completed = summary.status == RunStatus::Completed;
    let results = RunResults::first_page(summary, report, now);
    let text = results.text(summary);
    let output = RoundsOutput {
        success: completed,
        task_id: summary.id.to_string(),
        status: summary.status.as_str(),
        result: results.report,
        verified: results.verified,
        model_says_verified: results.model_says_verified,
        verification_basis: results.verification_basis,
        note: results.note,
        sources: results.sources,
        metadata: results.metadata,
        outline: results.outline,
        next_cursor: results.next_cursor,
    };
    // A partial report is an answer: only one with nothing to return is an error.
    ToolAnswer::new(&output, text).with_link(links::report(summary)).with_link(links::sources(summary))
}

#[cfg(test)]
mod tests;
