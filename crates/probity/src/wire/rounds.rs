//! A run in rounds as `--json` prints it.

use probity_research::rounds::{RoundNote, RoundsRecord};
use schemars::JsonSchema;
use serde::Serialize;

#[derive(Debug, Serialize, JsonSchema)]
pub struct RoundsDocument {
    pub manner: &'static str,
    pub iterations: u32,
    pub rounds_max: u32,
    pub model: String,
    pub model_says_verified: Option<bool>,
    #[schemars(with = "String")]
    pub stop: probity_research::rounds::RoundsStop,
    pub note: Option<String>,
    /// Addresses that nothing but the model's word stands behind.
    pub model_only_sources: Vec<String>,
    /// Paid calls, and those of which nobody knows what they cost.
    pub calls: u32,
    pub calls_uncounted: u32,
    pub rounds: Vec<RoundDocument>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct RoundDocument {
    pub round_number: u32,
    pub verified: bool,
    /// Left out where the round brought no text of which the model could say it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_says_verified: Option<bool>,
    pub sources_visited: Vec<String>,
    pub search_queries: Vec<String>,
    pub pages_read: u32,
    pub intermediate_result_summary: String,
    pub problem: Option<String>,
}

impl RoundsDocument {
    pub fn of(record: &RoundsRecord) -> Self {
        Self {
            manner: record.manner.as_str(),
            iterations: record.iterations,
            rounds_max: record.rounds_max,
            model: record.model.clone(),
            model_says_verified: record.model_says(),
            stop: record.stop,
            note: record.note.clone(),
            model_only_sources: record.unresolved.clone(),
            calls: record.calls,
            calls_uncounted: record.calls_uncounted,
            rounds: record.rounds.iter().map(round).collect(),
        }
    }
}

fn round(note: &RoundNote) -> RoundDocument {
    let problem = note.problem.as_ref();
    RoundDocument {
        round_number: note.round_number,
        verified: note.verified,
        model_says_verified: note.model_says(),
        sources_visited: note.sources_visited.clone(),
        search_queries: note.search_queries.clone(),
        pages_read: note.pages_read,
        intermediate_result_summary: note.intermediate_result_summary.clone(),
        problem: problem.map(|problem| format!("{}: {}", problem.code, problem.message)),
    }
}
