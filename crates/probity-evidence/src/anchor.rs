//! Quotations: does the page contain what is quoted from it, and where?
//!
//! Every word of a quotation must be on the page, in its order and without a gap. What may differ is what
//! people change without changing the meaning: white space, case, quotation marks, reference marks, small
//! words left out, typos in ordinary words, and parts left out where the quotation says so. Numbers,
//! negations and names never differ. No similarity in percent is used anywhere: a changed number is one
//! character in a hundred.

mod align;
mod quote;
mod spelling;

use align::{PartAlignment, align};
use quote::{QuotePart, QuoteWord};

use crate::page::IndexedPage;

/// Words of a quotation; a longer one is a copy of the page.
const QUOTE_WORDS_MAX: usize = 600;
/// Parts between ellipses; more is a collage.
const PARTS_MAX: usize = 8;
/// Words of the page that one ellipsis may replace: about three sentences.
const GAP_WORDS_MAX: usize = 80;
/// An ellipsis over so few words that hides a negation reverses the sentence.
const GAP_WORDS_FEW: usize = 5;
/// One word in this many may differ.
const WORDS_PER_EDIT: usize = 4;
/// Quotations and parts of them with fewer content words must match word for word.
const CONTENT_WORDS_MIN: usize = 3;
/// Places tried for one part. A part whose rarest word occurs more often than this says too little.
const PLACES_MAX: usize = 256;

/// How well a quotation matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum QuoteFit {
    /// Byte for byte.
    Exact,
    /// Word for word: white space, case, quotation marks, punctuation and reference marks aside.
    Normalised,
    /// With the differences that `edits` lists, or with parts left out.
    Tolerant,
}

/// A difference between a quotation and its page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum QuoteEdit {
    /// The page has a small word that the quotation leaves out.
    Missing { start: usize, end: usize },
    /// The quotation has a small word, or one in square brackets, that the page has not.
    Extra { quoted: String },
    /// The same word, spelt in another way.
    Spelling { start: usize, end: usize, quoted: String },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuoteAnchor {
    /// Bytes of the page's text, one range for each part, ascending.
    pub spans: Vec<(usize, usize)>,
    pub fit: QuoteFit,
    pub edits: Vec<QuoteEdit>,
}

/// Where the quotation is on the page, or `None` if it is not.
pub fn anchor(quote: &str, page: &IndexedPage) -> Option<QuoteAnchor> {
    let parts = quote::parts(quote);
    let words: usize = parts.iter().map(|part| part.words.len()).sum();
    if parts.is_empty() || parts.len() > PARTS_MAX || words > QUOTE_WORDS_MAX {
        return None;
    }
    let content: usize = parts.iter().map(QuotePart::content_words).sum();
    let budget = if content < CONTENT_WORDS_MIN { 0 } else { (words / WORDS_PER_EDIT).max(1) };
    let mut places = Vec::with_capacity(parts.len());
    for part in &parts {
        let budget = if part.content_words() < CONTENT_WORDS_MIN { 0 } else { budget };
        let found = places_of(part, page, budget);
        if found.is_empty() {
            return None;
        }
        places.push(found);
    }
    let chain = best_chain(&places, page)
        .filter(|chain| chain.iter().map(|aligned| aligned.edits.len()).sum::<usize>() <= budget)?;
    Some(anchored(quote, page, &chain))
}

fn anchored(quote: &str, page: &IndexedPage, chain: &[&PartAlignment]) -> QuoteAnchor {
    let span = |aligned: &&PartAlignment| {
        let start = page.words().get(aligned.first).map_or(0, |word| word.start);
        let end = page.words().get(aligned.last).map_or(start, |word| word.end);
        (start, end)
    };
    let spans: Vec<(usize, usize)> = chain.iter().map(span).collect();
    let edits: Vec<QuoteEdit> = chain.iter().flat_map(|aligned| aligned.edits.iter().cloned()).collect();
    let bare = quote.trim_matches(|c: char| !c.is_alphanumeric());
    let same = |(start, end): &(usize, usize)| {
        page.text().get(*start..).is_some_and(|rest| rest.starts_with(bare)) && end - start <= bare.len()
    };
    let fit = match spans.as_slice() {
        [one] if edits.is_empty() && same(one) => QuoteFit::Exact,
        [_] if edits.is_empty() => QuoteFit::Normalised,
        _ => QuoteFit::Tolerant,
    };
    QuoteAnchor { spans, fit, edits }
}

/// Every place where one part matches, in the order of the page.
fn places_of(part: &QuotePart, page: &IndexedPage, budget: usize) -> Vec<PartAlignment> {
    let Some((pivot, occurrences)) = pivot(part, page) else { return Vec::new() };
    let mut found: Vec<PartAlignment> =
        occurrences.iter().filter_map(|place| align(part, pivot, page, *place as usize, budget)).collect();
    // The same place may be reached from two occurrences of the pivot.
    found.dedup_by_key(|aligned| (aligned.first, aligned.last));
    found
}

/// The content word of the part that the page has least often, and where; `None` if the page lacks a word
/// that must be there.
fn pivot<'a>(part: &QuotePart, page: &'a IndexedPage) -> Option<(usize, &'a [u32])> {
    let mut best: Option<(usize, &[u32])> = None;
    let mut best_is_light = true;
    for (place, word) in part.words.iter().enumerate() {
        let occurrences = page.term(&word.folded).map(|term| page.occurrences(term)).unwrap_or_default();
        if occurrences.is_empty() {
            if word.must_stand() {
                return None;
            }
            continue;
        }
        let light = word.is_light() || word.bracketed;
        let rarer = best.is_none_or(|(_, known)| occurrences.len() < known.len());
        if (best_is_light && !light) || (best_is_light == light && rarer) {
            best = Some((place, occurrences));
            best_is_light = light;
        }
    }
    best.filter(|(_, occurrences)| occurrences.len() <= PLACES_MAX)
}

/// One place for each part, in the order of the page and near each other, with the fewest edits.
fn best_chain<'a>(places: &'a [Vec<PartAlignment>], page: &IndexedPage) -> Option<Vec<&'a PartAlignment>> {
    let (firsts, rest) = places.split_first()?;
    let mut best: Option<(usize, Vec<&PartAlignment>)> = None;
    for first in firsts {
        let mut chain = vec![first];
        for options in rest {
            let before = chain.last().map_or(0, |aligned| aligned.last);
            let next = options
                .iter()
                .filter(|next| next.first > before)
                .find(|next| may_skip(page, before, next.first));
            chain.extend(next);
        }
        let edits = chain.iter().map(|aligned| aligned.edits.len()).sum();
        if chain.len() == places.len() && best.as_ref().is_none_or(|(fewest, _)| edits < *fewest) {
            best = Some((edits, chain));
        }
    }
    best.map(|(_, chain)| chain)
}

/// Whether an ellipsis may replace the words between two places.
fn may_skip(page: &IndexedPage, before: usize, after: usize) -> bool {
    let left_out = page.words().get(before + 1..after).unwrap_or_default();
    let negates = |word: &crate::page::PageWord| crate::words::is_negation(page.folded(word.term));
    left_out.len() <= GAP_WORDS_MAX
        && (left_out.len() > GAP_WORDS_FEW
            || !left_out.iter().any(negates)
            || is_clause(page, before, after, left_out.len()))
}

/// Words of a whole clause: with one left out, its negation goes with what it negates.
const CLAUSE_WORDS_MIN: usize = 3;

/// Whether punctuation stands on both sides of what is left out.
fn is_clause(page: &IndexedPage, before: usize, after: usize, words: usize) -> bool {
    let gap = |left: usize, right: usize| {
        let (left, right) = (page.words().get(left), page.words().get(right));
        left.zip(right).and_then(|(left, right)| page.text().get(left.end..right.start)).unwrap_or_default()
    };
    let ends = |between: &str| between.contains([',', ';', ':', '.', '–', '—', '，', '、', '；', '。', '،']);
    words >= CLAUSE_WORDS_MIN && ends(gap(before, before + 1)) && ends(gap(after.saturating_sub(1), after))
}

#[cfg(test)]
mod tests;
