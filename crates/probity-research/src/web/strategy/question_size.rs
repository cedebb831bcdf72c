//! How much a question asks for.

use super::{StrategyHints, TaskType, cues, wording::QuestionWording};

/// Longest question, in words, that asks for one fact.
const FACT_WORDS_MAX: usize = 14;
/// Longest phrase without a verb that asks for one thing that changes: "bitcoin price today".
const PHRASE_WORDS_MAX: usize = 5;
/// A request of this many words, without the text that came with it, asks for several things.
const LONG_WORDS_MIN: usize = 60;
const MANY_QUESTIONS: usize = 3;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum QuestionSize {
    Fact,
    Question,
    Broad,
    Thorough,
}

impl QuestionSize {
    pub fn of(wording: &QuestionWording, hints: &StrategyHints) -> Self {
        let size = Self::from_words(wording);
        let fails =
            wording.all.contains_any_cue(cues::FAILURE) || wording.context.contains_any_cue(cues::FAILURE);
        let guessed = if fails && size == Self::Fact { Some(TaskType::Debug) } else { None };
        match (hints.task_type_hint.or(guessed), size) {
            (_, Self::Thorough) => Self::Thorough,
            (Some(TaskType::Reference), _) => Self::Fact,
            (Some(TaskType::Debug), _) => Self::Question,
            (Some(TaskType::Architecture | TaskType::Research), Self::Question) => Self::Broad,
            (_, size) => size,
        }
    }

    fn from_words(wording: &QuestionWording) -> Self {
        let words = wording.all.count();
        let phrase = words <= PHRASE_WORDS_MAX && wording.changes();
        let asks_fact =
            words <= FACT_WORDS_MAX && wording.asked.starts_with_cue(cues::POLITE, cues::FACT_BEGINNINGS);
        let one_page = wording.has_address && wording.asked.starts_with_cue(cues::POLITE, cues::TEXT_WORK);
        if wording.all.contains_any_cue(cues::THOROUGH) {
            Self::Thorough
        } else if wording.all.contains_any_cue(cues::BRIEF) {
            Self::Fact
        } else if wording.all.contains_any_cue(cues::BROAD)
            || wording.asked.count() >= LONG_WORDS_MIN
            || wording.questions >= MANY_QUESTIONS
        {
            Self::Broad
        } else if phrase || asks_fact || one_page {
            Self::Fact
        } else {
            Self::Question
        }
    }

    /// For the reason.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::Fact => "one small thing is asked for",
            Self::Question => "a question of ordinary size",
            Self::Broad => "several things have to be compared or put together",
            Self::Thorough => "thoroughness is asked for",
        }
    }
}
