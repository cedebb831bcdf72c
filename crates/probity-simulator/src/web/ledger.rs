//! The requests to the small web, and what they would have cost.

use std::collections::BTreeMap;

use super::api::Provider;

/// Requests kept word for word; a figure compares a handful with what the official clients send.
const RECORDED_MAX: usize = 200;

/// One search that a provider processed, whether or not its answer arrived.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchRecord {
    pub provider: Provider,
    /// As the provider received it; the address where a page was asked for.
    pub query: String,
    pub at_ms: u64,
    /// Zero for the free ones.
    pub charged_micro_usd: u64,
    pub hits: usize,
}

/// A request to a search API as it came in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestRecord {
    pub provider: Provider,
    pub method: String,
    /// Path and query as the real host would see them.
    pub target: String,
    pub headers: Vec<(String, String)>,
    pub body: String,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WebLedger {
    searches: Vec<SearchRecord>,
    refused: BTreeMap<String, u64>,
    fetches: BTreeMap<String, u64>,
    recorded: Vec<RequestRecord>,
}

impl WebLedger {
    /// Every processed search, oldest first.
    pub fn searches(&self) -> &[SearchRecord] {
        &self.searches
    }

    pub fn searches_of(&self, provider: Provider) -> impl Iterator<Item = &SearchRecord> {
        self.searches.iter().filter(move |search| search.provider == provider)
    }

    /// How often each provider processed each query.
    pub fn per_query(&self) -> BTreeMap<(&'static str, &str), u64> {
        let mut counts = BTreeMap::new();
        for search in &self.searches {
            *counts.entry((search.provider.as_str(), search.query.as_str())).or_default() += 1;
        }
        counts
    }

    /// Searches that are billed.
    pub fn paid_count(&self) -> usize {
        self.searches.iter().filter(|search| search.charged_micro_usd > 0).count()
    }

    /// Billed searches whose very query that provider had been paid for before.
    pub fn paid_again(&self) -> usize {
        let paid: Vec<_> = self.searches.iter().filter(|search| search.charged_micro_usd > 0).collect();
        let distinct: std::collections::BTreeSet<_> =
            paid.iter().map(|search| (search.provider, search.query.as_str())).collect();
        paid.len() - distinct.len()
    }

    pub fn charged_micro_usd(&self) -> u64 {
        self.searches.iter().map(|search| search.charged_micro_usd).sum()
    }

    /// Searches that were refused or cut before they were processed, by provider.
    pub fn refused(&self) -> &BTreeMap<String, u64> {
        &self.refused
    }

    /// How often each page was asked for, by address; pages that are not there too.
    pub fn fetches(&self) -> &BTreeMap<String, u64> {
        &self.fetches
    }

    /// The first requests to the search APIs, word for word.
    pub fn requests(&self) -> &[RequestRecord] {
        &self.recorded
    }

    pub(super) fn record_search(&mut self, search: SearchRecord) {
        self.searches.push(search);
    }

    pub(super) fn record_refusal(&mut self, provider: Provider) {
        *self.refused.entry(provider.as_str().to_owned()).or_default() += 1;
    }

    pub(super) fn record_fetch(&mut self, url: String) {
        *self.fetches.entry(url).or_default() += 1;
    }

    pub(super) fn record_request(&mut self, recorded: RequestRecord) {
        if self.recorded.len() < RECORDED_MAX {
            self.recorded.push(recorded);
        }
    }
}
