//! How deep to go for one question, as values: what the caller says of it, and what a run may do at most.

use serde::{Deserialize, Serialize};

use super::search::SearchDepth;
use crate::cost::MicroUsd;

/// Longest context that is taken: a page or two of a specification. It is written into the journal.
pub const CONTEXT_BYTES_MAX: usize = 16 * 1024;

/// Most attempts that a caller may ask for; the budget of the plan bounds them as well.
pub const ATTEMPTS_MAX: u32 = 10;

/// Words of a report that a caller may ask for: a paragraph, or a long report.
pub const WORDS_MIN: u32 = 100;
pub const WORDS_MAX: u32 = 12_000;

/// Longest name of a language; `Brazilian Portuguese` has half as many.
pub const LANGUAGE_CHARACTERS_MAX: usize = 40;

/// What a research may cost for which nobody stated a budget, unless the settings say otherwise.
pub const GUARD_DEFAULT: MicroUsd = MicroUsd(1_000_000);

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StrategyLevel {
    None,
    Shallow,
    Medium,
    Deep,
    /// Only where the caller asks for it by name: no wording of a question chooses it.
    Exhaustive,
}

impl StrategyLevel {
    pub const ALL: [Self; 5] = [Self::None, Self::Shallow, Self::Medium, Self::Deep, Self::Exhaustive];
    /// Every word that `parse` takes, for messages.
    pub const WORDS: &str = "none, shallow (or quick), medium (or standard), deep, exhaustive";

    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Shallow => "shallow",
            Self::Medium => "medium",
            Self::Deep => "deep",
            Self::Exhaustive => "exhaustive",
        }
    }

    /// Its name, or the plain one that people use.
    pub fn parse(text: &str) -> Option<Self> {
        match text.trim().to_ascii_lowercase().as_str() {
            "quick" => Some(Self::Shallow),
            "standard" => Some(Self::Medium),
            name => Self::ALL.into_iter().find(|level| level.as_str() == name),
        }
    }
}

/// A language as a caller names it: `German`, `简体中文`, `pt-BR`. It stands in a prompt, so nothing that acts there is
/// taken.
pub fn parse_language(text: &str) -> Option<String> {
    let name = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let fits = |letter: char| match letter.is_ascii() {
        true => letter.is_ascii_alphanumeric() || matches!(letter, ' ' | '-' | '(' | ')' | '\''),
        // Marks that join letters of many scripts are no letters themselves.
        false => !letter.is_control() && !letter.is_whitespace(),
    };
    let speaks = name.chars().any(char::is_alphabetic) && name.chars().all(fits);
    (speaks && name.chars().count() <= LANGUAGE_CHARACTERS_MAX).then_some(name)
}

/// Whether a report of so many words can be asked for.
pub fn fits_words(words: u32) -> bool {
    (WORDS_MIN..=WORDS_MAX).contains(&words)
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
    /// About so many words in the report, instead of what the level has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub words: Option<u32>,
    /// The language of the report; otherwise that of the question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
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
    /// The numbers of a level. The budget is what an unpriced plan may cost: a plan with prices computes its own.
    pub fn of(level: StrategyLevel, reason: &str) -> Self {
        let (max_attempts, max_results, top_pages, search_depth, queries, minutes) = match level {
            StrategyLevel::None => (1, 0, 0, SearchDepth::Basic, 0, 1),
            StrategyLevel::Shallow => (2, 5, 4, SearchDepth::Basic, 2, 2),
            StrategyLevel::Medium => (3, 8, 10, SearchDepth::Basic, 5, 8),
            StrategyLevel::Deep => (5, 10, 18, SearchDepth::Advanced, 9, 25),
            StrategyLevel::Exhaustive => (ATTEMPTS_MAX, 10, 25, SearchDepth::Advanced, 15, 90),
        };
        Self {
            level,
            max_attempts,
            max_results,
            top_pages,
            search_depth,
            queries,
            budget: GUARD_DEFAULT,
            minutes,
            reason: reason.to_owned(),
        }
    }

    /// Pages that all attempts together may read.
    pub fn pages_max(&self) -> u32 {
        self.max_attempts.saturating_mul(self.top_pages)
    }
}
