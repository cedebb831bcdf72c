//! Which passages of its pages a judge is shown with a claim.
//!
//! All of a short page, which the claims of a call share. Of a longer one few where it says it in the claim's own words, and
//! more where it does not, because then nobody but the judge can tell which sentence says it. A title takes no place: it is
//! told beside every passage.
//!
//! Of a report of our own it is known what its pages were quoted for: a sentence that was written from such a quotation is
//! shown with it and its neighbours alone.

use probity_types::ledger::PASSAGES_PER_CLAIM;

use super::{OpenPage, PASSAGE_BYTES_MAX, PASSAGES_SURE, tells_more};
use crate::{
    locate::LocatedPassage,
    locate_loosely::{ClaimSigns, locate_loosely},
    page::PageSentence,
    value::{self, Quantity, TextDate},
};

/// Bytes of all the claim's pages up to which they are shown whole: claims of one page then share them, and few sentences
/// of a long page with what stands next to them are hardly less.
const WHOLE_BYTES_MAX: usize = 1_000;
/// The same for a claim in other words than its page's.
const LOOSE_BYTES_MAX: usize = 1_500;
/// The most that is shown of longer pages, where no claim shares it with another; the best passages are shown in any case.
const LONG_BYTES_MAX: usize = 1_000;
/// Share of a claim's words that its best passages must have to be the ones it rests on.
const CLOSE_COVERAGE_MIN: f32 = 0.6;
/// Passages of a claim in other words than its page's, and how many of them at least are found by other signs than words.
const LOOSE_PASSAGES: usize = 6;
const LOOSE_PASSAGES_MORE: usize = 2;

/// Figures and dates of a claim that tell the sentence it was written from, whatever the language of either.
const TELLING_VALUES_MIN: usize = 2;

/// A sentence of one of a claim's pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ShownPassage {
    /// Place of the page among those of the claim.
    pub page: usize,
    pub start: usize,
    pub end: usize,
    /// It shares its words with the claim; others stand around it or were found by other signs.
    pub by_words: bool,
}

/// The passages of a claim, best first. `coverage` is the share of its words in the best passages, `witnesses` what the
/// rules hold against it.
pub(super) fn choose(
    claim: &str,
    coverage: f32,
    pages: &[&OpenPage<'_>],
    witnesses: &[String],
) -> Vec<ShownPassage> {
    let mut choice = PassageChoice { pages, chosen: Vec::new(), bytes: 0 };
    choice.by_words();
    let signs = ClaimSigns::of(claim);
    // What a rule noticed may be settled by any sentence of the page.
    if witnesses.is_empty()
        && let Some(quoted) = choice.written_from(&signs, coverage)
    {
        return quoted;
    }
    let is_computed = signs.has_share || !signs.numbers_stand(|number| choice.has_number(number));
    let is_loose =
        is_computed || coverage < CLOSE_COVERAGE_MIN || !signs.dates_stand(|date| choice.has_date(date));
    let whole = if is_loose { LOOSE_BYTES_MAX } else { WHOLE_BYTES_MAX };
    if pages.iter().map(|opened| opened.book.body().bytes).sum::<usize>() <= whole {
        choice.whole_pages();
        return choice.chosen;
    }
    if is_loose {
        choice.loosely(&signs, is_computed);
    }
    choice.beside_the_best();
    choice.chosen
}

struct PassageChoice<'c, 'p> {
    pages: &'c [&'c OpenPage<'p>],
    chosen: Vec<ShownPassage>,
    bytes: usize,
}

impl PassageChoice<'_, '_> {
    fn add(&mut self, page: usize, (start, end): (usize, usize), by_words: bool) {
        let is_known = |shown: &ShownPassage| shown.page == page && shown.start == start;
        if !self.chosen.iter().any(is_known) {
            self.chosen.push(ShownPassage { page, start, end, by_words });
            self.bytes += (end - start).min(PASSAGE_BYTES_MAX);
        }
    }

    /// The same for what is shown only where there is room.
    fn add_with_room(&mut self, page: usize, (start, end): (usize, usize)) {
        if self.bytes + (end - start).min(PASSAGE_BYTES_MAX) <= LONG_BYTES_MAX {
            self.add(page, (start, end), false);
        }
    }

    /// Every page gets one passage before any gets two.
    fn by_words(&mut self) {
        let pages = self.pages;
        let ranked: Vec<Vec<&LocatedPassage>> = pages.iter().map(|opened| ranked(opened)).collect();
        for rank in 0..PASSAGES_PER_CLAIM {
            for (page, list) in ranked.iter().enumerate() {
                if let Some(located) = list.get(rank)
                    && (rank < PASSAGES_SURE || tells_more(located, list.first().copied()))
                    && self.chosen.len() < PASSAGES_PER_CLAIM.max(pages.len())
                {
                    self.add(page, (located.start, located.end), true);
                }
            }
        }
    }

    /// The quotations that a claim of our own report was written from: the best passage of each of its pages, and others that
    /// a reader quoted until all figures and dates of the claim stand there. None where a best one was quoted for nothing, or
    /// where too little tells that it is the one.
    fn written_from(&self, signs: &ClaimSigns, coverage: f32) -> Option<Vec<ShownPassage>> {
        let is_told = coverage >= CLOSE_COVERAGE_MIN || signs.values_count() >= TELLING_VALUES_MIN;
        if signs.has_share || !is_told {
            return None;
        }
        let mut kept = PassageChoice { pages: self.pages, chosen: Vec::new(), bytes: 0 };
        for page in 0..self.pages.len() {
            let best = self.chosen.iter().find(|shown| shown.page == page)?;
            if !self.is_quoted(best) {
                return None;
            }
            kept.add(page, (best.start, best.end), true);
        }
        for shown in self.chosen.iter().filter(|shown| self.is_quoted(shown)) {
            if kept.has_values(signs) {
                break;
            }
            kept.add(shown.page, (shown.start, shown.end), true);
        }
        kept.has_values(signs).then_some(kept.chosen)
    }

    /// Whether a reader quoted this passage, or a part of it, for the report.
    fn is_quoted(&self, shown: &ShownPassage) -> bool {
        let overlaps = |(start, end): &(usize, usize)| *start < shown.end && shown.start < *end;
        self.pages.get(shown.page).is_some_and(|opened| opened.book.quoted.iter().any(overlaps))
    }

    fn has_values(&self, signs: &ClaimSigns) -> bool {
        signs.numbers_stand(|number| self.has_number(number))
            && signs.dates_stand(|date| self.has_date(date) || self.has_date_beside(date))
    }

    /// Whether a date stands where a judge reads it beside a passage: in the columns of its table, or as the page's own.
    fn has_date_beside(&self, claimed: &TextDate) -> bool {
        self.chosen.iter().any(|shown| {
            let Some(opened) = self.pages.get(shown.page) else { return false };
            let context = opened.book.context(shown.start, shown.end);
            let beside = format!("{}\n{}", context.columns, context.published.unwrap_or_default());
            value::values(&beside).dates.iter().any(|date| claimed.agrees(date))
        })
    }

    fn has_number(&self, claimed: &Quantity) -> bool {
        self.chosen.iter().any(|shown| {
            let Some(opened) = self.pages.get(shown.page) else { return false };
            let numbers = &opened.book.facts.values().numbers;
            let first = numbers.partition_point(|number| number.start < shown.start);
            let mut here = numbers.iter().skip(first).take_while(|number| number.start < shown.end);
            here.any(|number| claimed.agrees(number))
        })
    }

    fn has_date(&self, claimed: &TextDate) -> bool {
        self.chosen.iter().any(|shown| {
            let Some(opened) = self.pages.get(shown.page) else { return false };
            let dates = &opened.book.facts.values().dates;
            let first = dates.partition_point(|date| date.start < shown.start);
            let mut here = dates.iter().skip(first).take_while(|date| date.start < shown.end);
            here.any(|date| claimed.agrees(date))
        })
    }

    fn whole_pages(&mut self) {
        let pages = self.pages;
        for (page, opened) in pages.iter().enumerate() {
            for place in &opened.book.body().sentences {
                self.add(page, *place, false);
            }
        }
    }

    /// What the page may say in other words; where nothing tells, sentences from all over the page.
    fn loosely(&mut self, signs: &ClaimSigns, is_computed: bool) {
        let pages = self.pages;
        let most = LOOSE_PASSAGES.max(self.chosen.len() + LOOSE_PASSAGES_MORE);
        let signed = |(page, opened): (usize, &&OpenPage<'_>)| self.signed(signs, is_computed, page, opened);
        let found: Vec<Vec<(usize, usize)>> = pages.iter().enumerate().map(signed).collect();
        let even: Vec<Vec<(usize, usize)>> =
            pages.iter().map(|opened| spread(&opened.book.body().sentences)).collect();
        for lists in [found, even] {
            for rank in 0..most {
                for (page, list) in lists.iter().enumerate() {
                    if let Some(place) = list.get(rank)
                        && self.chosen.len() < most
                    {
                        self.add_with_room(page, *place);
                    }
                }
            }
        }
    }

    /// The sentences of one page that have something of the claim beside its words, best first.
    fn signed(
        &self,
        signs: &ClaimSigns,
        is_computed: bool,
        page: usize,
        opened: &OpenPage<'_>,
    ) -> Vec<(usize, usize)> {
        let book = opened.book;
        let sentences = book.page.sentences();
        let best = self.chosen.iter().find(|shown| shown.page == page).filter(|_| is_computed);
        let best = best.and_then(|best| sentences.get(place_of(sentences, best.start)?));
        let found = locate_loosely(signs, &book.page, &book.facts, book.loose(), best);
        let places = found.into_iter().filter_map(|place| sentences.get(place));
        let body = &book.body().sentences;
        let is_body = |start: usize| body.binary_search_by_key(&start, |(start, _)| *start).is_ok();
        let is_new =
            |start: usize| !self.chosen.iter().any(|shown| shown.page == page && shown.start == start);
        places
            .map(|sentence| (sentence.start, sentence.end))
            .filter(|(start, _)| is_body(*start) && is_new(*start))
            .take(LOOSE_PASSAGES)
            .collect()
    }

    /// The sentences before and behind each page's best passage: what they say may be quoted too.
    fn beside_the_best(&mut self) {
        let pages = self.pages;
        for (page, opened) in pages.iter().enumerate() {
            let Some(best) = self.chosen.iter().find(|shown| shown.page == page).copied() else { continue };
            let body = &opened.book.body().sentences;
            let place = body.partition_point(|(start, _)| *start < best.start);
            let is_best = body.get(place).is_some_and(|(start, _)| *start == best.start);
            let behind = if is_best { place + 1 } else { place };
            for beside in [place.checked_sub(1), Some(behind)].into_iter().flatten() {
                if let Some(place) = body.get(beside) {
                    self.add_with_room(page, *place);
                }
            }
        }
    }
}

/// A page's passages without its title, unless it has nothing else.
fn ranked<'o>(opened: &'o OpenPage<'_>) -> Vec<&'o LocatedPassage> {
    let is_title = |located: &&LocatedPassage| opened.book.is_title(located.start, located.end);
    let others: Vec<&LocatedPassage> = opened.passages.iter().filter(|located| !is_title(located)).collect();
    if others.is_empty() { opened.passages.iter().collect() } else { others }
}

fn place_of(sentences: &[PageSentence], start: usize) -> Option<usize> {
    sentences.partition_point(|sentence| sentence.start <= start).checked_sub(1)
}

/// A few places at even distances.
fn spread(places: &[(usize, usize)]) -> Vec<(usize, usize)> {
    let even = (0..LOOSE_PASSAGES).map(|step| step * places.len() / LOOSE_PASSAGES);
    even.filter_map(|place| places.get(place).copied()).collect()
}

#[cfg(test)]
mod tests;
