//! Passages of stored pages with their context.

use std::collections::BTreeMap;

use probity_types::{
    Digest,
    ledger::{Ledger, Passage},
    text,
};

/// Context before and after a passage: about two sentences.
const CONTEXT_CHARACTERS: usize = 300;
/// Longest passage shown; a judge names a sentence or two.
const PASSAGE_CHARACTERS_MAX: usize = 1_500;

/// The stored texts, as far as they are available.
pub struct StoredTexts<'a> {
    pub ledger: &'a Ledger,
    pub texts: &'a BTreeMap<Digest, String>,
}

/// A passage, cleaned. Spaces at the seams stay, so that the three parts join.
#[derive(Debug, PartialEq, Eq)]
pub struct PassageContext {
    pub before: String,
    pub passage: String,
    pub after: String,
}

impl StoredTexts<'_> {
    pub fn passage(&self, place: u32) -> Option<&Passage> {
        self.ledger.passages.get(usize::try_from(place).ok()?)
    }

    /// These bytes of a source's text. Without the text: as much as the ledger itself has of it.
    pub fn around(&self, place: u32, (start, end): (usize, usize)) -> Option<PassageContext> {
        match self.text(place) {
            Some(whole) => cut(whole, start, end),
            None => self.kept(place, start, end),
        }
    }

    fn text(&self, place: u32) -> Option<&str> {
        let source = self.ledger.sources.get(usize::try_from(place).ok()?)?;
        self.texts.get(&source.state.extract()?).map(String::as_str)
    }

    fn kept(&self, place: u32, start: usize, end: usize) -> Option<PassageContext> {
        let holds =
            |passage: &&Passage| passage.source == place && passage.start <= start && end <= passage.end;
        let passage = self.ledger.passages.iter().find(holds)?;
        cut(&passage.text, start.checked_sub(passage.start)?, end.checked_sub(passage.start)?)
    }
}

fn cut(whole: &str, start: usize, end: usize) -> Option<PassageContext> {
    let start = whole.floor_char_boundary(start.min(whole.len()));
    let end = whole.ceil_char_boundary(end.min(whole.len()));
    let passage = squeezed(whole.get(start..end)?);
    if passage.trim().is_empty() {
        return None;
    }
    Some(PassageContext {
        before: before(whole.get(..start).unwrap_or_default()),
        passage: text::short(&passage, PASSAGE_CHARACTERS_MAX),
        after: after(whole.get(end..).unwrap_or_default()),
    })
}

/// The end of the context before, from the beginning of a word.
fn before(text: &str) -> String {
    let Some((cut, _)) = text.char_indices().rev().nth(CONTEXT_CHARACTERS) else { return squeezed(text) };
    let tail = text.get(cut..).unwrap_or_default();
    let (_, words) = tail.split_once(char::is_whitespace).unwrap_or(("", tail));
    format!("… {}", squeezed(words))
}

fn after(text: &str) -> String {
    let Some((cut, _)) = text.char_indices().nth(CONTEXT_CHARACTERS) else { return squeezed(text) };
    let head = text.get(..cut).unwrap_or_default();
    let (words, _) = head.rsplit_once(char::is_whitespace).unwrap_or((head, ""));
    format!("{} …", squeezed(words))
}

/// Without control characters; whitespace of any kind and length becomes one space.
fn squeezed(foreign: &str) -> String {
    let clean = text::block(foreign);
    let mut kept = String::with_capacity(clean.len());
    for character in clean.chars() {
        match character.is_whitespace() {
            true if kept.ends_with(' ') => {}
            true => kept.push(' '),
            false => kept.push(character),
        }
    }
    kept
}
