//! Which quotations belong to a question: BM25 over the bank, weighed by facet, new origin and date.

use std::collections::{BTreeMap, BTreeSet};

use probity_types::inquiry::{FacetId, QuoteId};

use super::bank::{Bank, BankQuote, PageFacts};
use crate::web::passages;

/// The usual constants of the method.
const SATURATION: f64 = 1.2;
const LENGTH_WEIGHT: f64 = 0.75;
const FACET_WEIGHT: f64 = 1.5;
/// A quotation whose origin is already among the chosen.
const OLD_ORIGIN_WEIGHT: f64 = 0.7;
/// Each year before the newest page of the bank, down to a floor.
const YEAR_WEIGHT: f64 = 0.95;
const YEARS_MAX: i32 = 10;

/// Word statistics of a bank: made once, asked for many questions.
pub struct EvidenceIndex<'a> {
    bank: &'a Bank,
    words: Vec<BTreeSet<String>>,
    /// In how many quotations a word stands.
    frequency: BTreeMap<String, usize>,
    mean_length: f64,
    newest_year: i32,
}

/// The words of a quotation, and what its reader called its figures: in another language than the question's, those alone
/// tell what it is about.
fn words_of(quote: &BankQuote) -> BTreeSet<String> {
    let mut words = passages::words(&quote.text);
    words.extend(quote.facts.iter().flat_map(|fact| passages::words(&fact.attribute)));
    words
}

impl<'a> EvidenceIndex<'a> {
    pub fn of(bank: &'a Bank) -> Self {
        let words: Vec<BTreeSet<String>> = bank.quotes.iter().map(words_of).collect();
        let mut frequency: BTreeMap<String, usize> = BTreeMap::new();
        for word in words.iter().flatten() {
            *frequency.entry(word.clone()).or_default() += 1;
        }
        let total: usize = words.iter().map(BTreeSet::len).sum();
        let mean_length = total as f64 / (words.len().max(1)) as f64;
        let newest_year = bank.pages.iter().filter_map(PageFacts::year).max();
        Self { bank, words, frequency, mean_length, newest_year: newest_year.unwrap_or(0) }
    }

    /// How well a quotation fits these words.
    pub fn score(&self, wanted: &BTreeSet<String>, id: QuoteId) -> f64 {
        let Some(words) = id.index().and_then(|index| self.words.get(index)) else { return 0.0 };
        let count = self.words.len() as f64;
        let length = 1.0 - LENGTH_WEIGHT + LENGTH_WEIGHT * words.len() as f64 / self.mean_length.max(1.0);
        wanted
            .intersection(words)
            .map(|word| {
                let with = self.frequency.get(word).copied().unwrap_or(0) as f64;
                let rarity = (1.0 + (count - with + 0.5) / (with + 0.5)).ln();
                rarity * (SATURATION + 1.0) / (1.0 + SATURATION * length)
            })
            .sum()
    }

    /// The best first, at most `most`: each choice makes others of its origin worth less.
    pub fn rank(
        &self,
        question: &str,
        facets: &[FacetId],
        among: impl Iterator<Item = QuoteId>,
        most: usize,
    ) -> Vec<QuoteId> {
        let wanted = passages::words(question);
        let mut waiting: Vec<(f64, QuoteId)> = among
            .filter_map(|id| {
                let quote = self.bank.get(id)?;
                let weight = self.facet_weight(quote, facets) * self.date_weight(id);
                // One shared word less must not make a bound quotation worthless.
                Some(((self.score(&wanted, id) + 0.1) * weight, id))
            })
            .collect();
        let mut chosen: Vec<QuoteId> = Vec::new();
        let mut origins: BTreeSet<usize> = BTreeSet::new();
        while chosen.len() < most {
            let weighed = |(score, id): &(f64, QuoteId)| {
                if origins.contains(&self.bank.origin(*id)) { score * OLD_ORIGIN_WEIGHT } else { *score }
            };
            let best = waiting
                .iter()
                .enumerate()
                .max_by(|(_, left), (_, right)| {
                    weighed(left).total_cmp(&weighed(right)).then(right.1.cmp(&left.1))
                })
                .map(|(place, _)| place);
            let Some(place) = best else { break };
            let (_, id) = waiting.swap_remove(place);
            origins.insert(self.bank.origin(id));
            chosen.push(id);
        }
        chosen
    }

    fn facet_weight(&self, quote: &BankQuote, facets: &[FacetId]) -> f64 {
        if quote.facets.iter().any(|facet| facets.contains(facet)) { FACET_WEIGHT } else { 1.0 }
    }

    fn date_weight(&self, id: QuoteId) -> f64 {
        let year = self.bank.page(id).and_then(PageFacts::year);
        let years = year.map_or(1, |year| (self.newest_year - year).clamp(0, YEARS_MAX));
        YEAR_WEIGHT.powi(years)
    }
}
