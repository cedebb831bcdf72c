//! How deep a research on the web went and what it found, as fields of its answer.

use probity_research::web::{
    providers::SearchDepth,
    record::{ResearchQuality, WebRecord},
};
use schemars::JsonSchema;
use serde::Serialize;

/// What the research was allowed to do.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Strategy")]
pub struct StrategyBody {
    pub level: &'static str,
    pub max_attempts: u32,
    pub max_results: u32,
    pub top_pages: u32,
    pub search_depth: &'static str,
    pub reason: String,
}

/// What was found, counted.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Quality")]
pub struct QualityBody {
    pub questions: u32,
    pub questions_answered: u32,
    pub independent_origins: u32,
    pub facts: u32,
    pub facts_of_last_attempt: u32,
}

impl StrategyBody {
    pub fn of(record: &WebRecord) -> Self {
        let strategy = &record.strategy;
        Self {
            level: strategy.level.as_str(),
            max_attempts: strategy.max_attempts,
            max_results: strategy.max_results,
            top_pages: strategy.top_pages,
            search_depth: match strategy.search_depth {
                SearchDepth::Basic => "basic",
                SearchDepth::Advanced => "advanced",
            },
            reason: strategy.reason.clone(),
        }
    }
}

impl QualityBody {
    pub fn of(quality: &ResearchQuality) -> Self {
        let ResearchQuality {
            questions,
            questions_answered,
            independent_origins,
            facts,
            facts_of_last_attempt,
        } = *quality;
        Self { questions, questions_answered, independent_origins, facts, facts_of_last_attempt }
    }
}
