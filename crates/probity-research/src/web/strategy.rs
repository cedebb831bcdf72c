//! How deep to search for one question: the depth that fits it, and never more than it is worth.
//!
//! Words decide, from short tables (`cues`). Where they say nothing, for instance in a language that the tables do
//! not know, the answer is the ordinary depth: a search too many costs cents, a missing one costs the answer.

mod cues;
mod question_size;
mod search_need;
mod wording;

use crate::query::Query;
use question_size::QuestionSize;
use search_need::SearchNeed;
use wording::QuestionWording;

pub use probity_types::web::strategy::{
    ATTEMPTS_MAX, CONTEXT_BYTES_MAX, GUARD_DEFAULT, Strategy, StrategyHints, StrategyLevel, TaskScope,
    TaskType, WORDS_MAX, WORDS_MIN, fits_words, parse_language,
};

/// Chooses the level from the question and the hints; conservative where nothing speaks for more.
pub fn choose_strategy(goal: &Query, hints: &StrategyHints) -> Strategy {
    if let Some(level) = hints.level {
        return Strategy::of(level, &format!("the level `{}` was asked for", level.as_str()));
    }
    let wording = QuestionWording::of(goal.as_str(), hints.context_snippet.as_deref().unwrap_or_default());
    let need = SearchNeed::of(&wording, hints);
    if let SearchNeed::Nothing(why) = need {
        return Strategy::of(StrategyLevel::None, why);
    }
    let size = QuestionSize::of(&wording, hints);
    let scope = hints.task_scope.unwrap_or_default();
    let changes = if need == SearchNeed::Changing { "; the answer changes with time" } else { "" };
    let reason = format!("{}{}{}{changes}", size.sentence(), kind_words(hints), scope_words(scope));
    Strategy::of(deeper(level(scope, size), scope, hints), &reason)
}

/// Whether the caller says that it is a matter of architecture or research: such questions are worth more than their
/// words show.
fn is_weighty(hints: &StrategyHints) -> bool {
    match hints.task_type_hint {
        Some(TaskType::Architecture | TaskType::Research) => true,
        Some(TaskType::Reference | TaskType::Debug) | None => false,
    }
}

/// One level more for a weighty question, unless the task around it is tiny.
fn deeper(level: StrategyLevel, scope: TaskScope, hints: &StrategyHints) -> StrategyLevel {
    match level {
        _ if scope == TaskScope::Tiny || !is_weighty(hints) => level,
        StrategyLevel::Shallow => StrategyLevel::Medium,
        StrategyLevel::Medium | StrategyLevel::Deep => StrategyLevel::Deep,
        StrategyLevel::Exhaustive => StrategyLevel::Exhaustive,
        StrategyLevel::None => StrategyLevel::None,
    }
}

fn kind_words(hints: &StrategyHints) -> &'static str {
    match hints.task_type_hint {
        Some(TaskType::Architecture) => ", for a matter of architecture",
        Some(TaskType::Research) => ", for a matter of research",
        Some(TaskType::Reference | TaskType::Debug) | None => "",
    }
}

fn scope_words(scope: TaskScope) -> &'static str {
    match scope {
        TaskScope::Tiny => ", in a tiny task",
        TaskScope::Normal => "",
        TaskScope::Large => ", in a large task",
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
