//! A claim read once: its content words, values and names.

use crate::{
    names::{self, NameMention},
    value::{self, Measure, TextValues, scan::fold},
    words::{self, TextWord, WordKind},
};

/// A claim made ready for comparing with any number of pages.
#[derive(Debug, Clone)]
pub struct ClaimFacts<'a> {
    pub text: &'a str,
    pub(super) words: Vec<TextWord>,
    pub(super) content: Vec<ClaimContent>,
    pub(super) values: TextValues,
    pub(super) names: Vec<NameMention>,
}

/// Something of the claim that its page should have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ClaimContent {
    pub start: usize,
    pub end: usize,
    pub form: ClaimContentForm,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ClaimContentForm {
    /// A word, its stem and its spelling without diacritics.
    Word { folded: String, stem: String, plain: String },
    /// Two neighbouring characters of a script without spaces.
    Pair(String),
}

impl<'a> ClaimFacts<'a> {
    pub fn of(text: &'a str) -> Self {
        let words = words::words(text);
        let values = value::values(text);
        let mut names = names::names(text, &words);
        // "Sechs Tage" is counted, whatever its capitals say.
        let is_counted = |name: &NameMention| {
            values.numbers.iter().any(|number| {
                number.unit.measure != Measure::Count && number.start <= name.start && name.end <= number.end
            })
        };
        names.retain(|name| !is_counted(name));
        let content = content(text, &words, &values);
        Self { text, words, content, values, names }
    }
}

/// Negations are compared by what they negate, not by their presence.
fn is_content_word(folded: &str) -> bool {
    !words::is_stop_word(folded) && !words::is_negation(folded)
}

fn content(text: &str, words: &[TextWord], values: &TextValues) -> Vec<ClaimContent> {
    let valued = |word: &TextWord| {
        values.numbers.iter().any(|number| number.start <= word.start && word.end <= number.end)
            || values.dates.iter().any(|date| date.start <= word.start && word.end <= date.end)
    };
    let mut found: Vec<ClaimContent> = Vec::with_capacity(words.len());
    for (place, word) in words.iter().enumerate() {
        let form = match word.kind {
            WordKind::Plain if is_content_word(&word.folded) && !valued(word) => ClaimContentForm::Word {
                folded: word.folded.clone(),
                stem: words::stem(&word.folded).to_owned(),
                plain: fold(&word.folded),
            },
            WordKind::Dense => {
                let next = words
                    .get(place + 1)
                    .filter(|next| next.kind == WordKind::Dense && next.start == word.end);
                let Some(pair) = next.and_then(|next| text.get(word.start..next.end)) else { continue };
                // Two hiragana are grammar far more often than content.
                if pair.chars().all(|letter| ('\u{3040}'..='\u{309f}').contains(&letter)) || valued(word) {
                    continue;
                }
                ClaimContentForm::Pair(pair.to_owned())
            }
            WordKind::Plain | WordKind::Number | WordKind::Symbol => continue,
        };
        if !found.iter().any(|known| known.form == form) {
            found.push(ClaimContent { start: word.start, end: word.end, form });
        }
    }
    found
}
