//! How deep to go for one question, as values: what the caller says of it, and what a run may do at most.

use serde::{Deserialize, Serialize};

use super::search::SearchDepth;
use crate::cost::MicroUsd;

/// Longest context that is taken: a page or two of a specification. It is written into the journal.
pub const CONTEXT_BYTES_MAX: usize = 16 * 1024;

/// Most attempts that a caller may ask for; the money of the level bounds them as well.
pub const ATTEMPTS_MAX: u32 = 10;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StrategyLevel {
    None,
    Shallow,
    Medium,
    Deep,
}

impl StrategyLevel {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Shallow => "shallow",
            Self::Medium => "medium",
            Self::Deep => "deep",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TaskScope {
    Tiny,
    #[default]
    Normal,
    Large,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TaskType {
    Reference,
    Debug,
    Architecture,
    Research,
}

/// What the caller says about the question.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct StrategyHints {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_scope: Option<TaskScope>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_type_hint: Option<TaskType>,
    /// Private by default: it never reaches a search provider unless `context_may_leave`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_snippet: Option<String>,
    #[serde(default)]
    pub context_may_leave: bool,
    /// The caller's own choice, which wins over everything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<StrategyLevel>,
    /// At most so many attempts, instead of those of the level.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_attempts: Option<u32>,
}

/// What one research may do at most. Written into its plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Strategy {
    pub level: StrategyLevel,
    /// At least 1.
    pub max_attempts: u32,
    /// Results asked of one search.
    pub max_results: u32,
    /// Pages read in one attempt.
    pub top_pages: u32,
    pub search_depth: SearchDepth,
    /// Queries in one attempt.
    pub queries: u32,
    pub budget: MicroUsd,
    pub minutes: u32,
    /// Why this level, in a sentence for the user.
    pub reason: String,
}

impl Strategy {
    /// The numbers of a level.
    pub fn of(level: StrategyLevel, reason: &str) -> Self {
        let (max_attempts, max_results, top_pages, search_depth, queries, budget, minutes) = match level {
            StrategyLevel::None => (1, 0, 0, SearchDepth::Basic, 0, 20_000, 1),
            StrategyLevel::Shallow => (2, 5, 3, SearchDepth::Basic, 2, 100_000, 2),
            StrategyLevel::Medium => (3, 8, 5, SearchDepth::Basic, 3, 200_000, 6),
            StrategyLevel::Deep => (5, 10, 8, SearchDepth::Advanced, 5, 1_000_000, 20),
        };
        Self {
            level,
            max_attempts,
            max_results,
            top_pages,
            search_depth,
            queries,
            budget: MicroUsd(budget),
            minutes,
            reason: reason.to_owned(),
        }
    }
}
