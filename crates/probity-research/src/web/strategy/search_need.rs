//! Whether a question needs anything from outside at all.
//!
//! "Nothing" is the answer only where the goal itself, or the text that came with it, has all that is needed.

use super::{
    StrategyHints, TaskType, cues,
    wording::{QuestionWording, is_number},
};

/// Words that must follow a colon before a request to summarise has its text: fewer are a topic.
const SUMMARISED_WORDS_MIN: usize = 25;
/// For other work on text a short phrase is a text too.
const WORKED_WORDS_MIN: usize = 2;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SearchNeed {
    /// With the reason.
    Nothing(&'static str),
    /// What was true once may not be now: only a search tells.
    Changing,
    Unknown,
}

impl SearchNeed {
    pub fn of(wording: &QuestionWording, hints: &StrategyHints) -> Self {
        if wording.all.consists_of(cues::SMALL_TALK) {
            return Self::Nothing("no search: this is small talk, which asks for no fact");
        }
        if is_arithmetic(wording) {
            return Self::Nothing("no search: this is arithmetic, which needs no source");
        }
        if is_conversion(wording) {
            return Self::Nothing("no search: units are converted by fixed rules");
        }
        let changes_now = wording.asked.contains_any_cue(cues::NOW);
        if !wording.has_address && !changes_now {
            if is_work_on_given_text(wording) {
                return Self::Nothing("no search: all that is needed is the text that came with the request");
            }
            if is_edit_of_own_code(wording) {
                return Self::Nothing(
                    "no search: this changes code of your own, which no page on the web knows",
                );
            }
        }
        if wording.changes() {
            return Self::Changing;
        }
        if !wording.has_address
            && hints.task_type_hint != Some(TaskType::Research)
            && is_about_given_text(wording)
        {
            return Self::Nothing("no search: the question is about the text that came with it");
        }
        Self::Unknown
    }
}

/// Numbers, operators, and words for them; nothing else may stand there.
fn is_arithmetic(wording: &QuestionWording) -> bool {
    let numbers = wording.all.iter().filter(|word| is_number(word)).count();
    let known = wording.all.iter().all(|word| is_number(word) || cues::SUM_WORDS.contains(&word));
    let operators = wording.all.iter().filter(|word| cues::OPERATORS.contains(word)).count() + wording.signs;
    let roots = wording.all.contains_any_cue(cues::ROOTS);
    known && ((numbers >= 2 && operators >= 1) || (numbers >= 1 && roots))
}

/// Two different units, and otherwise only numbers and small words. Currencies are no units: their rates move.
fn is_conversion(wording: &QuestionWording) -> bool {
    // The number may stand close: `10km`.
    let unit = |word: &&str| {
        cues::UNITS.iter().find(|unit| **unit == word.trim_start_matches(|c: char| c.is_ascii_digit()))
    };
    let known =
        |word: &str| is_number(word) || unit(&word).is_some() || cues::CONVERSION_WORDS.contains(&word);
    let mut units: Vec<&&str> = wording.all.iter().filter_map(|word| unit(&word)).collect();
    units.dedup();
    units.len() >= 2 && wording.all.iter().all(known)
}

fn is_work_on_given_text(wording: &QuestionWording) -> bool {
    let begins = |verbs: &[&str]| wording.asked.starts_with_cue(cues::POLITE, verbs);
    let pointed = wording.context.count() > 0 && points(wording);
    if begins(cues::SUMMARISE) {
        return pointed || wording.quoted.max(wording.following) >= SUMMARISED_WORDS_MIN;
    }
    begins(cues::TEXT_WORK) && (pointed || wording.quoted > 0 || wording.following >= WORKED_WORDS_MIN)
}

fn is_edit_of_own_code(wording: &QuestionWording) -> bool {
    let marked = wording.has_code || wording.asked.contains_any_cue(cues::CODE_NOUNS);
    marked && wording.asked.starts_with_cue(cues::POLITE, cues::EDITS)
}

/// The goal points at the text, and the text is there. Errors, and questions about what is good or common
/// elsewhere, cannot be answered from the text alone.
fn is_about_given_text(wording: &QuestionWording) -> bool {
    let is_there =
        wording.context.count() > 0 || wording.quoted.max(wording.following) >= SUMMARISED_WORDS_MIN;
    let elsewhere = wording.all.contains_any_cue(cues::FAILURE)
        || wording.context.contains_any_cue(cues::FAILURE)
        || wording.all.contains_any_cue(cues::BROAD)
        || wording.all.contains_any_cue(cues::THOROUGH);
    is_there && !elsewhere && points_at_text(wording)
}

fn points(wording: &QuestionWording) -> bool {
    wording.asked.contains_any_cue(cues::DEMONSTRATIVES) || points_at_text(wording)
}

/// "this email", "my function"; with a mere article only "the text" and the like.
fn points_at_text(wording: &QuestionWording) -> bool {
    let words: Vec<&str> = wording.asked.iter().collect();
    words.windows(2).any(|pair| match pair {
        [first, second] => {
            (cues::DEMONSTRATIVES.contains(first) && cues::GIVEN_NOUNS.contains(second))
                || (cues::ARTICLES.contains(first) && cues::TEXT_NOUNS.contains(second))
        }
        _ => false,
    })
}
