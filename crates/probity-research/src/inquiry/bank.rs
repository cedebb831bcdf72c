//! The bank: every quotation that was found on a stored page, once, with what it says and whom it serves.

use std::collections::BTreeSet;

use probity_types::inquiry::{FacetId, NodeId, QuoteId, QuoteRole, SurveyNote, TypedFact};

pub use super::keys::normalized;
use super::{figures, spoken};
use crate::web::passages;

/// What the gathering knows of a page that a quotation stands on.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PageFacts {
    /// Pages with the same number are not independent of each other.
    pub origin: usize,
    pub site: String,
    /// Often names what its sentences only call `the company`.
    pub title: String,
    /// `YYYY-MM-DD`.
    pub published: Option<String>,
    /// The user's own file, and a model that is elsewhere: never shown.
    pub stays_here: bool,
}

impl PageFacts {
    /// In which it was published.
    pub fn year(&self) -> Option<i32> {
        self.published.as_deref()?.get(..4)?.parse().ok()
    }
}

/// A byte range of a stored page's text. Its place in the bank is its place among the notes of the run.
#[derive(Debug, Clone, PartialEq)]
pub struct BankQuote {
    pub page: u32,
    pub start: usize,
    pub end: usize,
    pub text: String,
    /// Its words only, for finding copies.
    pub key: String,
    pub facets: Vec<FacetId>,
    pub role: QuoteRole,
    pub facts: Vec<TypedFact>,
    /// The round that found it.
    pub round: u32,
    /// The one node that tells it.
    pub home: Option<NodeId>,
    /// The same words stood in the bank already: this one.
    pub copy_of: Option<QuoteId>,
    /// Its figures are someone else's words on that page.
    pub second_hand: bool,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Bank {
    pub quotes: Vec<BankQuote>,
    pub pages: Vec<PageFacts>,
    /// Those whose unit another source contradicts, or nothing bears out.
    pub doubtful_units: BTreeSet<QuoteId>,
    /// Second-hand ones whose figures another page says itself.
    pub borne_out: BTreeSet<QuoteId>,
}

impl Bank {
    pub fn get(&self, id: QuoteId) -> Option<&BankQuote> {
        self.quotes.get(id.index()?)
    }

    pub fn page(&self, id: QuoteId) -> Option<&PageFacts> {
        let page = self.get(id)?.page;
        self.pages.get(usize::try_from(page).ok()?)
    }

    pub fn origin(&self, id: QuoteId) -> usize {
        self.page(id).map_or(usize::MAX, |page| page.origin)
    }

    /// May be shown to the model: known, and not bound to this machine.
    pub fn may_be_shown(&self, id: QuoteId) -> bool {
        self.page(id).is_some_and(|page| !page.stays_here)
    }

    pub fn ids(&self) -> impl Iterator<Item = QuoteId> {
        (0..self.quotes.len()).map(QuoteId::at)
    }

    /// Quotations that may be written from: shown to a model, not the copy of another, and not in doubt.
    pub fn usable(&self) -> impl Iterator<Item = (QuoteId, &BankQuote)> {
        let numbered = self.quotes.iter().enumerate().map(|(place, quote)| (QuoteId::at(place), quote));
        numbered.filter(|(id, quote)| {
            quote.copy_of.is_none()
                && self.may_be_shown(*id)
                && !self.doubtful_units.contains(id)
                && (!quote.second_hand || self.borne_out.contains(id))
        })
    }

    pub fn find_borne_out(&mut self) {
        let second_hand = self.quotes.iter().enumerate().filter(|(_, quote)| quote.second_hand);
        let found = second_hand.filter(|(_, quote)| self.is_borne_out(quote));
        self.borne_out = found.map(|(place, _)| QuoteId::at(place)).collect();
    }

    /// Whether another page says the same figures itself.
    fn is_borne_out(&self, quote: &BankQuote) -> bool {
        let numbers = figures::number_keys(&quote.text);
        let words = passages::words(&quote.text);
        self.quotes.iter().any(|other| {
            other.page != quote.page
                && !other.second_hand
                && numbers.is_subset(&figures::number_keys(&other.text))
                && passages::shared(&words, &other.text) * 2 >= words.len()
        })
    }

    /// Takes what a survey found on one page; returns which of them are new to the page.
    pub fn take(&mut self, page: u32, round: u32, note: &SurveyNote, facets: usize) -> Vec<QuoteId> {
        let mut taken = Vec::new();
        for found in &note.quotes {
            let overlaps =
                |known: &BankQuote| known.page == page && known.start < found.end && found.start < known.end;
            if self.quotes.iter().any(overlaps) {
                continue;
            }
            let key = normalized(&found.text);
            let same = |quote: &BankQuote| quote.copy_of.is_none() && quote.key == key;
            // Word for word the same as an earlier one, on another page.
            let copy_of = self.quotes.iter().position(same).map(QuoteId::at);
            let known = |facet: &FacetId| facet.index().is_some_and(|index| index < facets);
            self.quotes.push(BankQuote {
                page,
                start: found.start,
                end: found.end,
                text: found.text.clone(),
                key,
                facets: found.facets.iter().copied().filter(known).collect(),
                role: found.role,
                facts: found.facts.clone(),
                round,
                home: None,
                copy_of,
                second_hand: spoken::is_second_hand(&found.text),
            });
            taken.push(QuoteId::at(self.quotes.len() - 1));
        }
        taken
    }

    /// Things that facts are about and that their quotation names, those with the most facts first, each with a facet.
    pub fn entities(&self) -> Vec<(&str, FacetId)> {
        let mut counted: Vec<(&str, FacetId, usize)> = Vec::new();
        for quote in &self.quotes {
            let Some(facet) = quote.facets.first() else { continue };
            for fact in quote.facts.iter().filter(|fact| quote.text.contains(&fact.entity)) {
                match counted.iter_mut().find(|(entity, _, _)| *entity == fact.entity) {
                    Some((_, _, count)) => *count += 1,
                    None => counted.push((&fact.entity, *facet, 1)),
                }
            }
        }
        counted.sort_by_key(|(_, _, count)| std::cmp::Reverse(*count));
        counted.into_iter().map(|(entity, facet, _)| (entity, facet)).collect()
    }

    pub fn copies(&self, id: QuoteId) -> usize {
        self.quotes.iter().filter(|quote| quote.copy_of == Some(id)).count()
    }

    /// Independent origins of a facet's quotations.
    pub fn origins_of(&self, facet: FacetId) -> usize {
        let mut origins: Vec<usize> = self
            .ids()
            .filter(|id| self.get(*id).is_some_and(|quote| quote.facets.contains(&facet)))
            .map(|id| self.origin(id))
            .collect();
        origins.sort_unstable();
        origins.dedup();
        origins.len()
    }

    /// Facts and, where a reader named none, quotations that a round brought: what is new in it.
    pub fn yield_of(&self, round: u32) -> u32 {
        let of_round = |quote: &&BankQuote| quote.round == round && quote.copy_of.is_none();
        let known = |fact: &TypedFact| {
            let before = self.quotes.iter().filter(|quote| quote.round < round);
            before.flat_map(|quote| &quote.facts).any(|other| other == fact)
        };
        let new = self.quotes.iter().filter(of_round).map(|quote| {
            let facts = quote.facts.iter().filter(|fact| !known(fact)).count();
            if quote.facts.is_empty() { 1 } else { facts }
        });
        u32::try_from(new.sum::<usize>()).unwrap_or(u32::MAX)
    }
}
