//! A claim read once: its content words, values and names.

use crate::{
    names::{self, Name},
    value::{self, Values, scan::fold},
    words::{self, Kind, Word},
};

/// A claim made ready for comparing with any number of pages.
#[derive(Debug, Clone)]
pub struct ClaimFacts<'a> {
    pub text: &'a str,
    pub(super) words: Vec<Word>,
    pub(super) content: Vec<Content>,
    pub(super) values: Values,
    pub(super) names: Vec<Name>,
}

/// Something of the claim that its page should have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Content {
    pub start: usize,
    pub end: usize,
    pub form: ContentForm,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ContentForm {
    /// A word, its stem and its spelling without diacritics.
    Word { folded: String, stem: String, plain: String },
    /// Two neighbouring characters of a script without spaces.
    Pair(String),
}

impl<'a> ClaimFacts<'a> {
    pub fn of(text: &'a str) -> Self {
        let words = words::words(text);
        let values = value::values(text);
        let names = names::names(text, &words);
        let content = content(text, &words, &values);
        Self { text, words, content, values, names }
    }
}

/// Negations are compared by what they negate, not by their presence.
fn tells(folded: &str) -> bool {
    !words::is_stop_word(folded) && !words::is_negation(folded)
}

fn content(text: &str, words: &[Word], values: &Values) -> Vec<Content> {
    let valued = |word: &Word| {
        values.numbers.iter().any(|number| number.start <= word.start && word.end <= number.end)
            || values.dates.iter().any(|date| date.start <= word.start && word.end <= date.end)
    };
    let mut found: Vec<Content> = Vec::with_capacity(words.len());
    for (place, word) in words.iter().enumerate() {
        let form = match word.kind {
            Kind::Plain if tells(&word.folded) && !valued(word) => ContentForm::Word {
                folded: word.folded.clone(),
                stem: words::stem(&word.folded).to_owned(),
                plain: fold(&word.folded),
            },
            Kind::Dense => {
                let next =
                    words.get(place + 1).filter(|next| next.kind == Kind::Dense && next.start == word.end);
                let Some(pair) = next.and_then(|next| text.get(word.start..next.end)) else { continue };
                // Two hiragana are grammar far more often than content.
                if pair.chars().all(|letter| ('\u{3040}'..='\u{309f}').contains(&letter)) || valued(word) {
                    continue;
                }
                ContentForm::Pair(pair.to_owned())
            }
            Kind::Plain | Kind::Number | Kind::Symbol => continue,
        };
        if !found.iter().any(|known| known.form == form) {
            found.push(Content { start: word.start, end: word.end, form });
        }
    }
    found
}
