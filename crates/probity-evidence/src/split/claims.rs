//! A sentence as claims: cut where a citation in its middle ends one statement and another begins.
//!
//! "A is X [1], while B is Y [2]" is two claims. "Smith [1] showed that A is X" is one: nothing is said before the mark.

use super::script::is_dense;
use crate::citations::CitationMark;

/// A statement has at least this many words; less is a name or an item of a list.
const STATEMENT_WORDS_MIN: usize = 3;
/// The same for scripts without spaces, in characters.
const STATEMENT_CHARACTERS_MIN: usize = 6;
/// A statement shows within this many bytes that it is one.
const STATEMENT_BYTES_MAX: usize = 500;
/// Begin a statement of their own after a comma.
const CONJUNCTIONS: &[&str] = &[
    "and",
    "while",
    "whereas",
    "but",
    "although",
    "though",
    "however",
    "yet",
    "with",
    "und",
    "während",
    "aber",
    "wobei",
    "et",
    "mais",
    "tandis",
    "alors",
    "y",
    "mientras",
    "pero",
    "aunque",
    "e",
    "mentre",
    "ma",
    "enquanto",
    "mas",
    "en",
    "maar",
    "terwijl",
    "и",
    "а",
    "но",
    "тогда",
    "而",
    "但",
    "同时",
    "并",
    "且",
    "然而",
    "此外",
];
/// Begin a phrase that cannot stand alone: its citation speaks of what follows.
const INTRODUCTIONS: &[&str] = &[
    "according",
    "based",
    "in",
    "as",
    "per",
    "by",
    "using",
    "citing",
    "following",
    "laut",
    "gemäß",
    "nach",
    "selon",
    "d'après",
    "según",
    "secondo",
    "segundo",
    "согласно",
    "по",
    "根据",
    "据",
    "按照",
    "依据",
    "基于",
    "によると",
    "에",
];

/// Where one sentence is cut: each range with its words' marks.
pub fn claims(text: &str, start: usize, end: usize, marks: &[CitationMark]) -> Vec<(usize, usize)> {
    let own = super::marks_within(marks, start, end);
    let mut found = Vec::new();
    let mut open = start;
    for (index, mark) in own.iter().enumerate() {
        if mark.words.is_some() {
            continue;
        }
        let follows = own.get(index + 1);
        let rest = text.get(mark.end..end).unwrap_or_default();
        // Several marks together are cut after the last one.
        if follows
            .is_some_and(|next| text.get(mark.end..next.start).is_some_and(is_gap) && next.words.is_none())
        {
            continue;
        }
        let cited_later = follows.is_some();
        let said = text.get(open..mark.start).unwrap_or_default();
        if cuts(said, rest, cited_later) {
            found.push((open, mark.end));
            open = mark.end;
        }
    }
    found.push((open, end));
    found
}

fn is_gap(gap: &str) -> bool {
    gap.chars().all(|c| c.is_whitespace() || matches!(c, ',' | '，' | '、' | ';' | '；'))
}

/// Whether a statement ends before a mark and another begins after it.
fn cuts(said: &str, rest: &str, cited_later: bool) -> bool {
    let trimmed = rest.trim_start();
    let Some(border) = trimmed.chars().next() else { return false };
    let behind = beginning(trimmed.get(border.len_utf8()..).unwrap_or_default().trim_start());
    let said = beginning(said);
    let is_border = match border {
        ';' | '；' => true,
        ',' | '，' | '—' | '–' => cited_later || joins(behind),
        _ => cited_later && joins(trimmed),
    };
    is_border && is_statement(said) && is_statement(behind) && !introduces(said, border)
}

fn beginning(text: &str) -> &str {
    text.get(..text.floor_char_boundary(STATEMENT_BYTES_MAX.min(text.len()))).unwrap_or_default()
}

fn joins(text: &str) -> bool {
    let first = text.split(|c: char| !c.is_alphabetic()).next().unwrap_or_default().to_lowercase();
    CONJUNCTIONS
        .iter()
        .any(|word| first == *word || word.chars().next().is_some_and(is_dense) && first.starts_with(word))
}

fn introduces(said: &str, border: char) -> bool {
    if matches!(border, ';' | '；') {
        return false;
    }
    let first = said.trim_start_matches(|c: char| !c.is_alphabetic());
    let first =
        first.split(|c: char| !c.is_alphabetic() && c != '\'').next().unwrap_or_default().to_lowercase();
    // A comma before says that the phrase is over and something is said.
    let is_open = !said.contains([',', '，']);
    is_open
        && INTRODUCTIONS.iter().any(|word| {
            first == *word || word.chars().next().is_some_and(is_dense) && first.starts_with(word)
        })
}

fn is_statement(text: &str) -> bool {
    let words = text.split_whitespace().filter(|word| word.chars().any(char::is_alphabetic)).count();
    let is_counted = |c: &char| is_dense(*c) || c.is_ascii_digit();
    words >= STATEMENT_WORDS_MIN
        || text.chars().any(is_dense) && text.chars().filter(is_counted).count() >= STATEMENT_CHARACTERS_MIN
}
