//! The end of a run in rounds, field by field as its clients know it, and the same as text.

use probity_research::{
    report::Report,
    rounds::{Mode, RoundNote, RoundsRecord},
    status::{RunStatus, RunSummary},
    text,
};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    answer::ToolAnswer,
    outline,
    resources::links,
    results::{REPORT_CHARACTERS, SOURCES_MAX, clean},
    tools::get_research_results::{partial_note, results_command},
    wire::{cost_basis, usd},
};

/// Searches in one answer; a deep search of five rounds makes some thirty.
const QUERIES_MAX: usize = 100;
/// Sources and searches of one round in the same answer; the resource of the round has all.
const OF_ROUND_MAX: usize = 40;
const ADDRESS_CHARACTERS_MAX: usize = 2_000;
const QUERY_CHARACTERS_MAX: usize = 300;

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Output")]
pub struct RoundsOutput {
    pub success: bool,
    pub task_id: String,
    pub status: &'static str,
    /// The report as Markdown.
    pub result: String,
    pub verified: bool,
    pub model_says_verified: bool,
    pub verification_basis: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Where the rest of a long report is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    pub metadata: RoundsMetadata,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Metadata")]
pub struct RoundsMetadata {
    pub duration_ms: u64,
    pub query: String,
    pub model: String,
    pub timestamp: String,
    pub iterations: u32,
    pub sources_visited: Vec<String>,
    pub search_queries_used: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rounds: Vec<RoundEntry>,
    pub engine: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
    pub cost_basis: &'static str,
    /// Why there was no further round.
    pub stop: &'static str,
    /// Addresses that nothing but the model's word stands behind.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub model_only_sources: Vec<String>,
    /// How many there are, where more were visited than are listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sources_total: Option<usize>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Round")]
pub struct RoundEntry {
    pub round_number: u32,
    pub verified: bool,
    pub model_says_verified: bool,
    pub sources_visited: Vec<String>,
    pub search_queries: Vec<String>,
    pub pages_read: u32,
    pub intermediate_result_summary: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

impl RoundEntry {
    /// At most `most` of each list: an answer is bounded, a resource has all.
    pub fn of(note: &RoundNote, most: usize) -> Self {
        let problem = note.problem.as_ref();
        Self {
            round_number: note.round_number,
            verified: note.verified,
            model_says_verified: note.model_says_verified,
            sources_visited: lines(note.sources_visited.iter(), most, ADDRESS_CHARACTERS_MAX),
            search_queries: lines(note.search_queries.iter(), most, QUERY_CHARACTERS_MAX),
            pages_read: note.pages_read,
            intermediate_result_summary: note.intermediate_result_summary.clone(),
            problem: problem.map(|problem| format!("{}: {}", problem.code, problem.message)),
        }
    }
}

/// The answer of a run in rounds that is at rest and has a report.
pub fn rounds_answer(summary: &RunSummary, report: &Report, record: &RoundsRecord) -> ToolAnswer {
    let page = outline::page(&clean(report), 0, REPORT_CHARACTERS);
    let completed = summary.status == RunStatus::Completed;
    let output = RoundsOutput {
        success: completed,
        task_id: summary.id.to_string(),
        status: summary.status.as_str(),
        verified: record.verified,
        model_says_verified: record.model_says_verified,
        verification_basis: record.verification_basis.clone(),
        note: record.note.clone().or_else(|| (!completed).then(|| partial_note(summary))),
        next_cursor: page.next.map(outline::cursor),
        result: page.text,
        metadata: metadata(summary, report, record),
    };
    let text = prose(summary, &output);
    let answer =
        ToolAnswer::new(&output, text).with_link(links::report(summary)).with_link(links::sources(summary));
    if completed { answer } else { answer.failed() }
}

fn metadata(summary: &RunSummary, report: &Report, record: &RoundsRecord) -> RoundsMetadata {
    let ended = summary.ended_at.unwrap_or(summary.updated_at);
    let visited = report.sources.iter().map(|source| &source.url);
    let rounds = match record.manner {
        Mode::DeepSearch => record.rounds.iter().map(|note| RoundEntry::of(note, OF_ROUND_MAX)).collect(),
        Mode::Search | Mode::DeepResearch => Vec::new(),
    };
    RoundsMetadata {
        duration_ms: ended.since_ms(summary.asked_at),
        query: summary.query.clone(),
        model: record.model.clone(),
        timestamp: ended.to_string(),
        iterations: record.iterations,
        sources_visited: lines(visited, SOURCES_MAX, ADDRESS_CHARACTERS_MAX),
        search_queries_used: lines(report.queries.iter(), QUERIES_MAX, QUERY_CHARACTERS_MAX),
        rounds,
        engine: summary.engine.clone(),
        cost_usd: usd(summary.cost),
        cost_basis: cost_basis(summary.cost),
        stop: record.stop.as_str(),
        model_only_sources: lines(record.unresolved.iter(), SOURCES_MAX, ADDRESS_CHARACTERS_MAX),
        sources_total: (report.sources.len() > SOURCES_MAX).then_some(report.sources.len()),
    }
}

/// The report, followed by its evidence.
fn prose(summary: &RunSummary, output: &RoundsOutput) -> String {
    let mut lines = output.result.trim_end().to_owned();
    if let Some(next) = &output.next_cursor {
        lines.push_str(&format!("\n\n[more: {}]", results_command(summary.id, next)));
    }
    let verified = if output.verified { "verified" } else { "not verified" };
    lines.push_str(&format!(
        "\n\n---\n{verified} ({}) · {} · {} · {} · {}",
        output.verification_basis,
        count(output.metadata.iterations as usize, "round"),
        count(output.metadata.sources_total.unwrap_or(output.metadata.sources_visited.len()), "source"),
        summary.cost,
        output.task_id
    ));
    if let Some(note) = &output.note {
        lines.push_str(&format!("\nnote: {note}"));
    }
    for (number, address) in output.metadata.sources_visited.iter().enumerate() {
        lines.push_str(&format!("\n{}. <{address}>", number + 1));
    }
    lines
}

fn count(number: usize, word: &str) -> String {
    format!("{number} {word}{}", if number == 1 { "" } else { "s" })
}

/// Foreign texts, each on one line, cut where it is longer than any genuine one.
fn lines<'a>(texts: impl Iterator<Item = &'a String>, most: usize, characters: usize) -> Vec<String> {
    texts.take(most).map(|text| text::line(text, characters)).collect()
}

#[cfg(test)]
mod tests;
