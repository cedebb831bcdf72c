//! Which quotations stand behind a sentence, by what can be looked up in them: its numbers, its dates and its names.
//!
//! A writer that has many quotations before it names the wrong one now and then. What can be looked up is therefore looked
//! up, before anybody is asked: another quotation of the bank takes the place of one that does not say it, else the
//! quotation itself that of the sentence, else nothing does. Whether a quotation means what the sentence says is left to
//! the ledger: nothing here calls a sentence true.

use std::{cmp::Reverse, collections::BTreeSet};

use probity_types::inquiry::QuoteId;

use super::{
    bank::{Bank, BankQuote, normalized},
    facet,
    figures::{self, Figure},
    stated::{self, StatedNumber},
    written::WritingContext,
};
use crate::web::passages;

/// Citations of one sentence.
pub const QUOTES_PER_SENTENCE_MAX: usize = 5;
/// Figures from which another may have been computed; among more of them some pair fits anything.
const DERIVED_FROM_MAX: usize = 8;

/// What a sentence may keep.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Binding {
    /// These have all that can be looked up.
    Stands(Vec<QuoteId>),
    /// None has; this one is near enough to be told instead, word for word.
    Quote(QuoteId),
    Nothing,
}

/// The quotations of an inquiry, to be asked about single sentences.
pub struct Witnesses<'a> {
    bank: &'a Bank,
    /// Names that facts are given of.
    things: BTreeSet<&'a str>,
    /// Headings and questions in small letters: what they name need not be named again.
    about: String,
    nouns_are_capitals: bool,
}

/// What of a sentence can be looked up.
struct SentenceFacts<'a> {
    numbers: Vec<StatedNumber>,
    months: BTreeSet<u32>,
    names: BTreeSet<String>,
    things: Vec<&'a str>,
    /// All words that can be shared, and those of them that are neither names nor numbers.
    words: BTreeSet<String>,
    ordinary: BTreeSet<String>,
    lower: String,
}

impl SentenceFacts<'_> {
    fn is_bare(&self) -> bool {
        self.numbers.is_empty() && self.months.is_empty() && self.names.is_empty() && self.things.is_empty()
    }

    /// Numbers that tell one fact from another: years alone do not, where there are others.
    fn telling(&self) -> impl Iterator<Item = &StatedNumber> {
        let only_years = self.numbers.iter().all(|number| number.is_year);
        self.numbers.iter().filter(move |number| only_years || !number.is_year)
    }

    /// The part of a quotation that speaks of what the sentence names: its rows in a table, with the head.
    fn part_of(&self, text: &str) -> String {
        let names = |line: &str| {
            let lower = line.to_lowercase();
            match self.things.is_empty() {
                true => {
                    !self.names.is_empty() && self.names.iter().all(|name| stated::has_name(&lower, name))
                }
                false => self.things.iter().any(|thing| line.contains(thing)),
            }
        };
        let head = text.lines().next().unwrap_or_default();
        let rows: Vec<&str> = text.lines().skip(1).filter(|line| names(line)).collect();
        if rows.is_empty() || names(head) { text.to_owned() } else { format!("{head}\n{}", rows.join("\n")) }
    }

    fn shares_a_third(&self, text: &str) -> bool {
        !self.ordinary.is_empty() && passages::shared(&self.ordinary, text) * 3 >= self.ordinary.len()
    }
}

/// What one quotation says that can be looked up.
struct QuoteFacts {
    numbers: Vec<StatedNumber>,
    months: BTreeSet<u32>,
    /// Of the time that its page and its reader give.
    months_around: BTreeSet<u32>,
    words: String,
}

impl QuoteFacts {
    fn says(&self, number: &StatedNumber) -> bool {
        self.numbers.iter().any(|told| number.is_said_by(told)) || number.is_spelled_in(&self.words)
    }
}

impl<'a> Witnesses<'a> {
    pub fn of(context: WritingContext<'a>) -> Self {
        let facts = context.bank.quotes.iter().flat_map(|quote| &quote.facts);
        let entities = facts.map(|fact| fact.entity.as_str());
        let nodes = context.outline.in_order().into_iter().filter_map(|id| context.outline.get(id));
        let about: Vec<String> =
            nodes.map(|node| format!("{} {}", node.heading, node.question).to_lowercase()).collect();
        Self {
            bank: context.bank,
            things: entities.filter(|entity| facet::is_name(entity)).collect(),
            about: about.join(" "),
            nouns_are_capitals: context.nouns_are_capitals,
        }
    }

    /// The quotations that a sentence may cite. `bound` are those that its writer names, `own` those that it was shown.
    pub fn bind(&self, text: &str, bound: &[QuoteId], own: &[QuoteId]) -> Binding {
        let sentence = self.facts_of(text);
        if sentence.is_bare() && !bound.is_empty() {
            return Binding::Stands(bound.to_vec());
        }
        // Beside one that says everything, those that say less are no evidence for it.
        let whole: Vec<QuoteId> =
            bound.iter().copied().filter(|id| self.stand_behind(&sentence, &[*id])).collect();
        if !whole.is_empty() {
            return Binding::Stands(whole);
        }
        let together: Vec<QuoteId> =
            bound.iter().copied().filter(|id| !self.speaks_of_another(&sentence, *id)).collect();
        let kept: Vec<QuoteId> =
            together.iter().copied().filter(|id| self.contributes(&sentence, *id)).collect();
        if self.stand_behind(&sentence, &kept) {
            return Binding::Stands(kept);
        }
        if self.stand_behind(&sentence, &together) {
            return Binding::Stands(together);
        }
        let all: Vec<QuoteId> = self.bank.usable().map(|(id, _)| id).collect();
        let another = self.best(&sentence, own).or_else(|| self.best(&sentence, &all));
        if let Some(better) = another {
            return Binding::Stands(vec![better]);
        }
        if let Some(joined) = self.joined(&sentence, kept, own).filter(|_| !bound.is_empty()) {
            return Binding::Stands(joined);
        }
        let tellable = bound.iter().copied().filter(|id| all.contains(id));
        let near = tellable.filter_map(|id| Some((self.nearness(&sentence, id)?, id)));
        near.max_by_key(|(near, id)| (*near, Reverse(*id)))
            .map_or(Binding::Nothing, |(_, id)| Binding::Quote(id))
    }

    /// The quotations of a cell: those that name its row, where there are any.
    pub fn bind_cell(&self, row: &str, text: &str, bound: &[QuoteId], own: &[QuoteId]) -> Vec<QuoteId> {
        let mut cell = self.facts_of(text);
        if cell.numbers.is_empty() {
            return bound.to_vec();
        }
        cell.names = passages::words(row);
        cell.things = Vec::new();
        let says = |id: &QuoteId| {
            let named = self.bank.get(*id).map(|quote| self.named_by(*id, quote)).unwrap_or_default();
            !cell.names.is_empty()
                && cell.names.iter().all(|name| named.contains(name.as_str()))
                && self.unsaid(&cell, &[*id]).is_empty()
        };
        let kept: Vec<QuoteId> = bound.iter().copied().filter(says).collect();
        match own.iter().copied().find(says) {
            _ if !kept.is_empty() => kept,
            Some(better) => vec![better],
            None => bound.to_vec(),
        }
    }

    /// A quotation of another page that says what can be looked up in a sentence.
    pub fn another(&self, text: &str, bound: &[QuoteId]) -> Option<QuoteId> {
        let pages: BTreeSet<u32> = bound.iter().filter_map(|id| Some(self.bank.get(*id)?.page)).collect();
        let others = self.bank.usable().filter(|(_, quote)| !pages.contains(&quote.page));
        let others: Vec<QuoteId> = others.map(|(id, _)| id).collect();
        self.best(&self.facts_of(text), &others)
    }

    /// The quotation among those named that can be told in the place of a sentence: it says the same in its own words.
    pub fn carrier(&self, text: &str, bound: &[QuoteId]) -> Option<QuoteId> {
        let sentence = self.facts_of(text);
        let is_close = |quote: &BankQuote| sentence.shares_a_third(&quote.text);
        let usable = self.bank.usable().filter(|(id, quote)| bound.contains(id) && is_close(quote));
        let usable: Vec<QuoteId> = usable.map(|(id, _)| id).collect();
        self.best(&sentence, &usable)
    }

    fn facts_of(&self, text: &str) -> SentenceFacts<'a> {
        let names = stated::names(text, self.nouns_are_capitals);
        let things: Vec<&'a str> = self.things.iter().copied().filter(|thing| text.contains(thing)).collect();
        let words = passages::words(text);
        let of_names: BTreeSet<String> = things
            .iter()
            .copied()
            .chain(names.iter().map(String::as_str))
            .flat_map(passages::words)
            .collect();
        let is_ordinary = |word: &&String| !of_names.contains(*word) && !word.chars().any(char::is_numeric);
        SentenceFacts {
            numbers: stated::numbers(text),
            months: stated::months(text),
            ordinary: words.iter().filter(is_ordinary).cloned().collect(),
            lower: text.to_lowercase(),
            names,
            things,
            words,
        }
    }

    fn quote_facts(&self, sentence: &SentenceFacts<'_>, id: QuoteId) -> Option<QuoteFacts> {
        let quote = self.bank.get(id)?;
        let text = sentence.part_of(&quote.text);
        let page = self.bank.page(id);
        let published = page.and_then(|page| page.published.clone()).unwrap_or_default();
        let title = page.map(|page| page.title.clone()).unwrap_or_default();
        let periods: Vec<String> =
            quote.facts.iter().map(|fact| format!("{} {}", fact.period, fact.as_of)).collect();
        let around = format!("{title} {published} {}", periods.join(" "));
        let mut numbers = stated::numbers(&text);
        // What a page says of its time holds for its quotations; other figures of a title are of other things.
        numbers.extend(stated::numbers(&around).into_iter().filter(|number| number.is_year));
        Some(QuoteFacts {
            numbers,
            months: stated::months(&text),
            months_around: stated::months(&around),
            words: normalized(&text),
        })
    }

    /// The numbers that none of these has.
    fn unsaid<'s>(&self, sentence: &'s SentenceFacts<'_>, ids: &[QuoteId]) -> Vec<&'s StatedNumber> {
        let told: Vec<QuoteFacts> = ids.iter().filter_map(|id| self.quote_facts(sentence, *id)).collect();
        let figures = |years: bool| -> Vec<Figure> {
            let numbers = told.iter().flat_map(|told| &told.numbers);
            numbers.filter(|number| number.is_year == years).map(|number| number.figure).collect()
        };
        let (values, years) = (figures(false), figures(true));
        let is_said = |number: &&StatedNumber| {
            told.iter().any(|told| told.says(number))
                || is_computed(number, &values, false)
                || is_computed(number, &years, true)
        };
        sentence.numbers.iter().filter(|number| !is_said(number)).collect()
    }

    /// Whether these together have all that can be looked up, and none of them speaks of something else.
    fn stand_behind(&self, sentence: &SentenceFacts<'_>, ids: &[QuoteId]) -> bool {
        !ids.is_empty()
            && !ids.iter().any(|id| self.speaks_of_another(sentence, *id))
            && self.unsaid(sentence, ids).is_empty()
            && self.has_months(sentence, ids)
    }

    /// A month is missing only where others are given.
    fn has_months(&self, sentence: &SentenceFacts<'_>, ids: &[QuoteId]) -> bool {
        if sentence.months.is_empty() {
            return true;
        }
        let told: Vec<QuoteFacts> = ids.iter().filter_map(|id| self.quote_facts(sentence, *id)).collect();
        let given: BTreeSet<u32> = told.iter().flat_map(|told| &told.months).copied().collect();
        let around: BTreeSet<u32> = told.iter().flat_map(|told| &told.months_around).copied().collect();
        given.is_empty()
            || sentence.months.iter().all(|month| given.contains(month) || around.contains(month))
    }

    /// What a quotation, its page and its reader name, in small letters.
    fn named_by(&self, id: QuoteId, quote: &BankQuote) -> String {
        let page = self.bank.page(id).map(|page| format!("{} {}", page.title, page.site)).unwrap_or_default();
        let entities: Vec<&str> = quote.facts.iter().map(|fact| fact.entity.as_str()).collect();
        format!("{} {page} {}", quote.text, entities.join(" ")).to_lowercase()
    }

    /// Whether a quotation in the language of the sentence names something else in its place. One that only leaves the
    /// name out (`the company`) does not, and in another language a name may be spelled in another way.
    fn speaks_of_another(&self, sentence: &SentenceFacts<'_>, id: QuoteId) -> bool {
        let Some(quote) = self.bank.get(id) else { return true };
        if !sentence.shares_a_third(&quote.text) {
            return false;
        }
        let named = self.named_by(id, quote);
        let lacks_thing = sentence.things.iter().any(|thing| !stated::has_name(&named, &first_word(thing)));
        let mut others = self.things.iter().filter(|thing| quote.text.contains(**thing));
        if lacks_thing && others.any(|thing| !stated::has_name(&sentence.lower, &first_word(thing))) {
            return true;
        }
        let is_lacking =
            |name: &String| !stated::has_name(&named, name) && !self.about.contains(name.as_str());
        sentence.names.iter().any(is_lacking)
            && stated::names(&quote.text, figures::has_capital_nouns(&quote.text))
                .iter()
                .any(|name| !stated::has_name(&sentence.lower, name))
    }

    /// Whether a quotation that does not say everything says some of it.
    fn contributes(&self, sentence: &SentenceFacts<'_>, id: QuoteId) -> bool {
        let (Some(quote), Some(told)) = (self.bank.get(id), self.quote_facts(sentence, id)) else {
            return false;
        };
        sentence.telling().any(|number| told.says(number)) || sentence.shares_a_third(&quote.text)
    }

    /// Whether a quotation that nobody named may be cited: it is about the same, by its names or by most of its words.
    fn may_serve(&self, sentence: &SentenceFacts<'_>, id: QuoteId) -> bool {
        let Some(quote) = self.bank.get(id) else { return false };
        let named = self.named_by(id, quote);
        let has_things = sentence.things.iter().all(|thing| stated::has_name(&named, &first_word(thing)));
        if !has_things || self.speaks_of_another(sentence, id) {
            return false;
        }
        let half = sentence.words.len().div_ceil(2).max(1);
        if passages::shared(&sentence.words, &quote.text) >= half {
            return true;
        }
        // In another language names and figures are all that is the same.
        let is_named = !sentence.things.is_empty() || !sentence.names.is_empty();
        is_named
            && sentence.telling().next().is_some()
            && sentence.names.iter().all(|name| stated::has_name(&named, name))
    }

    /// The quotation among these that says everything, and that shares the most words.
    fn best(&self, sentence: &SentenceFacts<'_>, among: &[QuoteId]) -> Option<QuoteId> {
        let serves = |id: &QuoteId| self.may_serve(sentence, *id) && self.stand_behind(sentence, &[*id]);
        let shared =
            |id: QuoteId| self.bank.get(id).map_or(0, |quote| passages::shared(&sentence.words, &quote.text));
        among.iter().copied().filter(serves).max_by_key(|id| (shared(*id), Reverse(*id)))
    }

    /// Several that say everything together, those that were named and others that were shown: each side of a
    /// disagreement has its own source.
    fn joined(
        &self,
        sentence: &SentenceFacts<'_>,
        kept: Vec<QuoteId>,
        own: &[QuoteId],
    ) -> Option<Vec<QuoteId>> {
        let mut joined = kept;
        while !self.stand_behind(sentence, &joined) && joined.len() < QUOTES_PER_SENTENCE_MAX {
            let missing = self.unsaid(sentence, &joined);
            let missing: Vec<&StatedNumber> =
                sentence.telling().filter(|number| missing.contains(number)).collect();
            let says = |id: QuoteId| {
                let told = self.quote_facts(sentence, id)?;
                let said = missing.iter().filter(|number| told.says(number)).count();
                let years_agree = sentence
                    .numbers
                    .iter()
                    .filter(|number| number.is_year)
                    .all(|year| told.says(year) || !told.numbers.iter().any(|number| number.is_year));
                (said > 0 && years_agree && self.may_serve(sentence, id)).then_some(said)
            };
            let open = own.iter().copied().filter(|id| !joined.contains(id));
            let (_, next) =
                open.filter_map(|id| Some((says(id)?, id))).max_by_key(|(said, id)| (*said, Reverse(*id)))?;
            joined.push(next);
        }
        self.stand_behind(sentence, &joined).then_some(joined)
    }

    /// How near a quotation is to a sentence that it does not say; none if it is about something else.
    fn nearness(&self, sentence: &SentenceFacts<'_>, id: QuoteId) -> Option<usize> {
        let quote = self.bank.get(id)?;
        let lower = quote.text.to_lowercase();
        let is_named = match sentence.things.is_empty() {
            true => sentence.names.iter().any(|name| stated::has_name(&lower, name)),
            false => sentence.things.iter().any(|thing| quote.text.contains(thing)),
        };
        let is_near = is_named || sentence.shares_a_third(&quote.text);
        is_near.then(|| passages::shared(&sentence.words, &quote.text))
    }
}

/// What tells one name from others of its kind: `Orion` of `Orion Pier`.
fn first_word(name: &str) -> String {
    name.split(' ').next().unwrap_or_default().to_lowercase()
}

/// Whether a number is the sum, the difference, the ratio or the share of two others. Of years only the time between.
fn is_computed(number: &StatedNumber, from: &[Figure], are_years: bool) -> bool {
    if number.is_year || from.len() > DERIVED_FROM_MAX {
        return false;
    }
    let near =
        |value: f64| (number.figure.value - value).abs() <= number.figure.slack * (1.0 + 1e-9) && value > 0.0;
    let fits = |one: &Figure, other: &Figure| {
        let (large, small) = (one.value.max(other.value), one.value.min(other.value));
        let apart = large - small;
        if are_years {
            return near(apart);
        }
        let of_both = near(large + small) || near(apart);
        let parts = [large / small, 100.0 * small / large, 100.0 * apart / small, 100.0 * apart / large];
        of_both || (small > 0.0 && parts.into_iter().any(near))
    };
    from.iter().enumerate().any(|(place, one)| from.iter().skip(place + 1).any(|other| fits(one, other)))
}

#[cfg(test)]
mod tests;
