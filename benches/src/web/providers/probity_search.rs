//! Our own search, asked the cases that the official clients are asked.

use std::sync::Arc;

use anyhow::Context;
use probity_research::{
    time::Moment,
    web::{ProviderName, SearchCall, SearchDepth, SearchFilters},
};
use probity_simulator::web::Provider;
use probity_web::{
    fetch::{Fetcher, FetcherSettings, ReachRules},
    search::{SearchClient, SearchSettings},
};
use serde::Deserialize;

/// One case of `checks/search/cases.json`.
#[derive(Debug, Clone, Deserialize)]
pub struct SearchCase {
    pub name: String,
    query: String,
    count: u32,
    advanced: bool,
    after: Option<String>,
    before: Option<String>,
    domain: Option<String>,
    domain_excluded: Option<String>,
    language: Option<String>,
}

impl SearchCase {
    pub fn call(&self, provider: ProviderName) -> SearchCall {
        SearchCall {
            provider,
            query: self.query.clone(),
            max_results: self.count,
            depth: if self.advanced { SearchDepth::Advanced } else { SearchDepth::Basic },
            filters: SearchFilters {
                after: self.after.clone(),
                before: self.before.clone(),
                domains: self.domain.iter().cloned().collect(),
                domains_excluded: self.domain_excluded.iter().cloned().collect(),
                languages: self.language.iter().cloned().collect(),
            },
        }
    }
}

/// A search with the keys that the clients have; every provider is at the simulator.
pub fn search(base_url: &str) -> anyhow::Result<SearchClient> {
    let mut settings = SearchSettings::default()
        .with_key(ProviderName::Tavily, "tvly-test")
        .with_key(ProviderName::Brave, "brave-test")
        .with_key(ProviderName::Exa, "exa-test");
    for provider in Provider::ALL.iter().copied() {
        let name =
            ProviderName::parse(provider.as_str()).context("a provider that only the simulator knows")?;
        settings = settings.with_base(name, provider.base_url(base_url));
    }
    reaching(base_url, settings)
}

/// A search that may reach this address of this machine.
pub fn reaching(base_url: &str, settings: SearchSettings) -> anyhow::Result<SearchClient> {
    let host = base_url.trim_start_matches("http://");
    let reach = ReachRules::parse([format!("{host}={host}")])?;
    let fetcher =
        Fetcher::new(FetcherSettings { reach, ..FetcherSettings::new(|| Moment(1_794_657_600_000)) })?;
    Ok(SearchClient::new(Arc::new(fetcher), settings))
}
