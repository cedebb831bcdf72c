//! One part of a quotation beside the words of a page, from a word that both have, to both sides.

use super::{QuoteEdit, QuotePart, QuoteWord, spelling};
use crate::{
    page::{IndexedPage, PageWord},
    words::{LetterCase, WordKind},
};

/// How far the two may drift apart by words left out or put in.
const DRIFT_MAX: usize = 12;

/// Where a part matches: places in `IndexedPage::words`, both included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartAlignment {
    pub first: usize,
    pub last: usize,
    pub edits: Vec<QuoteEdit>,
}

/// The part with its word `pivot` at the page's word `place`, if everything around fits with at most `budget` edits.
pub fn align(
    part: &QuotePart,
    pivot: usize,
    page: &IndexedPage,
    place: usize,
    budget: usize,
) -> Option<PartAlignment> {
    let wanted = part.words.get(pivot)?;
    if !same(wanted, page, page.words().get(place)?) {
        return None;
    }
    let (before, after) = (part.words.get(..pivot)?, part.words.get(pivot + 1..)?);
    let after: Vec<&QuoteWord> = after.iter().collect();
    let before: Vec<&QuoteWord> = before.iter().rev().collect();
    let right = side(&after, page, place, AlignDirection::Right, budget)?;
    let left = side(&before, page, place, AlignDirection::Left, budget - right.edits.len())?;
    let mut edits: Vec<QuoteEdit> = left.edits;
    edits.reverse();
    edits.extend(right.edits);
    Some(PartAlignment { first: left.end, last: right.end, edits })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AlignDirection {
    Left,
    Right,
}

impl AlignDirection {
    fn step(self, from: usize, by: usize) -> Option<usize> {
        match self {
            Self::Left => from.checked_sub(by),
            Self::Right => from.checked_add(by),
        }
    }
}

struct SideAlignment {
    /// The last word of the page that belongs to the quotation on this side.
    end: usize,
    edits: Vec<QuoteEdit>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AlignMove {
    Match,
    Spelling,
    Missing,
    Extra,
}

/// A partial match that has consumed some of the quotation's words and some of the page's.
#[derive(Debug, Clone)]
struct AlignPath {
    /// Words of the page taken.
    taken: usize,
    /// Words of the page up to and with the last that matched.
    matched: usize,
    last: AlignMove,
    edits: Vec<QuoteEdit>,
}

fn side(
    wanted: &[&QuoteWord],
    page: &IndexedPage,
    pivot: usize,
    way: AlignDirection,
    budget: usize,
) -> Option<SideAlignment> {
    let mut paths = vec![AlignPath { taken: 0, matched: 0, last: AlignMove::Match, edits: Vec::new() }];
    for word in wanted {
        let mut next: Vec<AlignPath> = Vec::new();
        for path in paths {
            step(word, path, page, pivot, way, budget, &mut next);
        }
        paths = best_of(next);
        if paths.is_empty() {
            return None;
        }
    }
    // The author's own word at the end is not part of the quotation: `Do expect` is not in `Don't expect`.
    let open = wanted.last().is_some_and(|word| !word.bracketed);
    let paths = paths.into_iter().filter(|path| !open || path.last != AlignMove::Extra);
    let best = paths.min_by_key(|path| path.edits.len())?;
    Some(SideAlignment { end: way.step(pivot, best.matched)?, edits: best.edits })
}

/// All partial matches with one more word of the quotation.
fn step(
    word: &QuoteWord,
    path: AlignPath,
    page: &IndexedPage,
    pivot: usize,
    way: AlignDirection,
    budget: usize,
    next: &mut Vec<AlignPath>,
) {
    let placed = |taken: usize| way.step(pivot, taken + 1).and_then(|place| page.words().get(place));
    let left = budget - path.edits.len();
    // Words of the page that the quotation leaves out before this one.
    let mut skipped = path.clone();
    for missing in 0..=left.min(DRIFT_MAX) {
        let Some(here) = placed(skipped.taken) else { break };
        if same(word, page, here) {
            let taken = skipped.taken + 1;
            next.push(AlignPath {
                taken,
                matched: taken,
                last: AlignMove::Match,
                edits: skipped.edits.clone(),
            });
            break;
        }
        if skipped.edits.len() < budget && is_same_word(word, page, here) {
            let mut edits = skipped.edits.clone();
            edits.push(QuoteEdit::Spelling { start: here.start, end: here.end, quoted: word.folded.clone() });
            let taken = skipped.taken + 1;
            next.push(AlignPath { taken, matched: taken, last: AlignMove::Spelling, edits });
        }
        // Leaving out and inserting at once is a replacement, and replacing small words changes the meaning.
        if missing == left || skipped.last == AlignMove::Extra || !is_light(page, here) {
            break;
        }
        skipped.taken += 1;
        skipped.last = AlignMove::Missing;
        skipped.edits.push(QuoteEdit::Missing { start: here.start, end: here.end });
    }
    if left > 0 && path.last != AlignMove::Missing && (word.is_light() || (word.bracketed && !word.hard)) {
        let mut edits = path.edits;
        edits.push(QuoteEdit::Extra { quoted: word.folded.clone() });
        next.push(AlignPath { taken: path.taken, matched: path.matched, last: AlignMove::Extra, edits });
    }
}

/// The cheapest path to each place: its cost is all that matters from there.
fn best_of(mut paths: Vec<AlignPath>) -> Vec<AlignPath> {
    paths.sort_by_key(|path| (path.taken, path.last as u8, path.edits.len()));
    paths.dedup_by_key(|path| (path.taken, path.last));
    paths
}

fn same(word: &QuoteWord, page: &IndexedPage, here: &PageWord) -> bool {
    page.folded(here.term) == word.folded
        && (word.kind != WordKind::Number || word.negative == spelling::is_negative(page.text(), here.start))
}

/// Whether the quoted word is this one, spelt in another way.
fn is_same_word(word: &QuoteWord, page: &IndexedPage, here: &PageWord) -> bool {
    if word.kind != WordKind::Plain || here.kind != WordKind::Plain {
        return false;
    }
    let there = page.folded(here.term);
    if spelling::same_without_marks(&word.folded, there) {
        return true;
    }
    // A word that the page has elsewhere is that word, not a typo for this one; small words are everywhere.
    let small = word.is_light() || spelling::is_article(there) || word.folded.len() == 1;
    let elsewhere = page.has_word(&word.folded) && !small;
    // A capital inside the sentence is a name's; a small word of the page is none.
    let named = word.hard && page.is_stop_word(here.term);
    let differs = elsewhere || named || spelling::is_hard(&word.folded, word.kind) || is_hard(page, here);
    !differs && spelling::is_slip(&word.folded, there)
}

fn is_light(page: &IndexedPage, here: &PageWord) -> bool {
    here.kind != WordKind::Symbol && spelling::is_light(page.folded(here.term))
}

/// Numbers, negations and names of the page.
fn is_hard(page: &IndexedPage, here: &PageWord) -> bool {
    spelling::is_hard(page.folded(here.term), here.kind) || is_name(page, here)
}

/// A word with a capital that is not due to its position. One that begins a sentence is a name if another
/// follows it, or if the page has it again and never in lower case.
fn is_name(page: &IndexedPage, here: &PageWord) -> bool {
    if here.case == LetterCase::Lower || page.is_stop_word(here.term) {
        return false;
    }
    let sentence = page.sentences().get(here.sentence as usize);
    let words = sentence.map(|sentence| page.words_of(sentence)).unwrap_or_default();
    match words {
        [first, rest @ ..] if first == here => {
            let named = rest
                .first()
                .is_some_and(|next| next.case != LetterCase::Lower && !page.is_stop_word(next.term));
            named || (!page.seen_lower(here.term) && page.occurrences(here.term).len() > 1)
        }
        _ => true,
    }
}
