//! A quotation as parts between ellipses, each a list of words that know how strictly they must match the
//! page.

use super::spelling;
use crate::words::{self, LetterCase, WordKind};

/// What an ellipsis is replaced by before the words are read: a character that no text has.
const BREAK: char = '\u{E000}';
/// Around what the quotation has in square brackets.
const OPEN: char = '\u{E001}';
const CLOSE: char = '\u{E002}';
/// Characters of a reference mark: `[12]`, `[a]`.
const MARK_CHARACTERS_MAX: usize = 3;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuoteWord {
    pub folded: String,
    pub kind: WordKind,
    /// A number below zero.
    pub negative: bool,
    /// Must be on the page unchanged: a number, a negation, a name.
    pub hard: bool,
    /// The author's own word: it may be missing from the page.
    pub bracketed: bool,
}

impl QuoteWord {
    pub fn is_light(&self) -> bool {
        !self.hard && spelling::is_light(&self.folded)
    }

    /// Whether the quotation cannot match a page without this word. Accents of names may be lost.
    pub fn must_stand(&self) -> bool {
        self.hard && self.folded.is_ascii() && self.kind != WordKind::Plain
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct QuotePart {
    pub words: Vec<QuoteWord>,
}

impl QuotePart {
    /// Words that say what the part is about; two characters count as one where words are not spaced.
    pub fn content_words(&self) -> usize {
        let telling = self.words.iter().filter(|word| !word.bracketed && !words::is_stop_word(&word.folded));
        telling.map(|word| if word.kind == WordKind::Dense { 1 } else { 2 }).sum::<usize>() / 2
    }
}

pub fn parts(quote: &str) -> Vec<QuotePart> {
    let marked = marked(quote);
    let read = |text: &str| QuotePart { words: quote_words(text) };
    marked.split(BREAK).map(read).filter(|part| !part.words.is_empty()).collect()
}

/// The quotation with its ellipses, brackets and reference marks separated.
fn marked(quote: &str) -> String {
    let mut text = String::with_capacity(quote.len());
    let mut rest = quote;
    while let Some(character) = rest.chars().next() {
        let after = rest.get(character.len_utf8()..).unwrap_or_default();
        if let Some(length) = ellipsis(rest) {
            text.push(BREAK);
            rest = rest.get(length..).unwrap_or_default();
        } else if let Some(inside) = bracketed(rest) {
            let beyond = after.get(inside.len() + 1..).unwrap_or_default();
            put_bracket(&mut text, inside, beyond);
            rest = beyond;
        } else {
            // Characters of our own in the quotation are only that: characters without a meaning.
            text.push(if (BREAK..=CLOSE).contains(&character) { ' ' } else { character });
            rest = after;
        }
    }
    text
}

fn put_bracket(text: &mut String, inside: &str, beyond: &str) {
    let attached = text.chars().next_back().is_some_and(|c| !c.is_whitespace());
    if attached && is_mark(inside) {
        text.push(' ');
    } else if beyond.starts_with(char::is_alphabetic) && inside.chars().all(char::is_alphabetic) {
        // `[h]e`: a letter changed to fit the sentence.
        text.push_str(inside);
    } else {
        text.push(OPEN);
        text.push_str(inside);
        text.push(CLOSE);
    }
}

/// Bytes of the ellipsis that the text begins with: `…`, `...`, `. . .`, `[…]`, `(...)`.
fn ellipsis(text: &str) -> Option<usize> {
    let inner = text.strip_prefix(['[', '(']).unwrap_or(text);
    let mut points = 0_usize;
    let mut end = 0_usize;
    for (at, character) in inner.char_indices() {
        match character {
            '…' => points += 3,
            '.' => points += 1,
            ' ' if points > 0 => continue,
            _ => break,
        }
        end = at + character.len_utf8();
    }
    let opened = text.len() - inner.len();
    let closed = inner.get(end..).is_some_and(|rest| rest.starts_with([']', ')']));
    match (points >= 3, opened > 0) {
        (true, true) if closed => Some(opened + end + 1),
        (true, false) => Some(end),
        _ => None,
    }
}

/// The text in the square brackets that the text begins with.
fn bracketed(text: &str) -> Option<&str> {
    let inner = text.strip_prefix('[')?;
    let (inside, _) = inner.split_once(']')?;
    (!inside.contains('[')).then_some(inside)
}

/// `[12]`, `[a]`: put there by the page, not by the author.
pub fn is_mark(inside: &str) -> bool {
    let short = inside.chars().count() <= MARK_CHARACTERS_MAX;
    let number = short && !inside.is_empty() && inside.bytes().all(|byte| byte.is_ascii_digit());
    let letter = inside.len() == 1 && inside.bytes().all(|byte| byte.is_ascii_lowercase());
    number || letter
}

fn quote_words(text: &str) -> Vec<QuoteWord> {
    let mut found = Vec::new();
    let mut end = 0_usize;
    let mut inside_brackets = false;
    let mut first = true;
    words::each_word(text, |seen| {
        let between = text.get(end..seen.start).unwrap_or_default();
        for character in between.chars() {
            inside_brackets = character == OPEN || (inside_brackets && character != CLOSE);
        }
        // A word that begins a sentence has its capital from its position.
        let begins = first || between.contains(['.', '!', '?', '“', '"', ':']);
        let named = seen.case != LetterCase::Lower && !begins && !words::is_stop_word(seen.folded);
        let kind = seen.kind;
        let hard = named || spelling::is_hard(seen.folded, kind);
        let negative = kind == WordKind::Number && spelling::is_negative(text, seen.start);
        found.push(QuoteWord {
            folded: seen.folded.to_owned(),
            kind,
            negative,
            hard,
            bracketed: inside_brackets,
        });
        end = seen.end;
        first = false;
    });
    found
}
