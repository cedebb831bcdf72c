//! How deep to search for one question: the depth that fits it, and never more than it is worth.
//!
//! Words decide, from short tables (`cues`). Where they say nothing, for instance in a language that the tables do
//! not know, the answer is the ordinary depth: a search too many costs cents, a missing one costs the answer.

mod cues;
mod question_size;
mod search_need;
mod wording;

use serde::{Deserialize, Serialize};

use super::search::SearchDepth;
use crate::{cost::MicroUsd, query::Query};
use question_size::QuestionSize;
use search_need::SearchNeed;
use wording::QuestionWording;

/// Longest context that is taken: a page or two of a specification. It is written into the journal.
pub const CONTEXT_BYTES_MAX: usize = 16 * 1024;

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

impl TaskScope {
    fn words(self) -> &'static str {
        match self {
            Self::Tiny => ", in a tiny task",
            Self::Normal => "",
            Self::Large => ", in a large task",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TaskType {
    Reference,
    Debug,
    Architecture,
    Research,
}

/// The caller's hints about the question.
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
}

/// What one run may do at most. Written into its plan.
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
    /// Chooses the level from the question and the hints; conservative where nothing speaks for more.
    pub fn choose(goal: &Query, hints: &StrategyHints) -> Self {
        if let Some(level) = hints.level {
            return Self::of(level, &format!("the level `{}` was asked for", level.as_str()));
        }
        let wording =
            QuestionWording::of(goal.as_str(), hints.context_snippet.as_deref().unwrap_or_default());
        let need = SearchNeed::of(&wording, hints);
        if let SearchNeed::Nothing(why) = need {
            return Self::of(StrategyLevel::None, why);
        }
        let size = QuestionSize::of(&wording, hints);
        let scope = hints.task_scope.unwrap_or_default();
        let changes = if need == SearchNeed::Changing { "; the answer changes with time" } else { "" };
        Self::of(level(scope, size), &format!("{}{}{changes}", size.sentence(), scope.words()))
    }

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

/// One fact is never dug for deeply, however large the task around it; and a tiny task buys little.
fn level(scope: TaskScope, size: QuestionSize) -> StrategyLevel {
    match (scope, size) {
        (TaskScope::Tiny, QuestionSize::Thorough) => StrategyLevel::Medium,
        (TaskScope::Tiny, _) | (TaskScope::Normal, QuestionSize::Fact) => StrategyLevel::Shallow,
        (TaskScope::Normal, QuestionSize::Question | QuestionSize::Broad) => StrategyLevel::Medium,
        (TaskScope::Large, QuestionSize::Fact | QuestionSize::Question) => StrategyLevel::Medium,
        (TaskScope::Large, QuestionSize::Broad)
        | (TaskScope::Normal | TaskScope::Large, QuestionSize::Thorough) => StrategyLevel::Deep,
    }
}

#[cfg(test)]
mod tests;
