//! A small web for tests: pages of many hosts, the search APIs that index them, and a ledger of requests.
//!
//! Pure like the world: calls and times in, answers out. A page is chosen by the `Host` header and the path, a
//! search API by the path below `/search-api/`. Never checks that a client is polite.

mod api;
mod fault;
mod index;
mod ledger;
mod page;
mod topic_pages;

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::{
    call::{SimulatorAnswer, SimulatorCall},
    fault::FaultQueue,
};
pub use api::Provider;
pub use fault::{WebFault, WebFaultKind};
use index::IndexEntry;
pub use ledger::{RequestRecord, SearchRecord, WebLedger};
pub use page::{SmallWebLink, SmallWebPage};

/// Where the search APIs are: `/search-api/tavily/search` stands for `https://api.tavily.com/search`.
pub const API_PREFIX: &str = "/search-api/";

#[derive(Debug, thiserror::Error)]
pub enum SmallWebError {
    #[error("the description of the small web is not what was expected")]
    Json(#[from] serde_json::Error),
    #[error("`{0}` is no http address with a host")]
    Address(String),
}

/// A small web as a JSON file writes it down.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct SmallWebDocument {
    pages: Vec<SmallWebPage>,
    /// The text of `/robots.txt`, by host.
    #[serde(default)]
    robots: BTreeMap<String, String>,
}

#[derive(Debug, Default)]
pub struct SmallWeb {
    /// In the order they were added; ranking falls back to it.
    entries: Vec<IndexEntry>,
    /// Host, then path with query, to the place in `entries`.
    places: BTreeMap<String, BTreeMap<String, usize>>,
    robots: BTreeMap<String, String>,
    faults: FaultQueue<WebFault>,
    ledger: WebLedger,
}

impl SmallWeb {
    pub fn new() -> Self {
        Self::default()
    }

    /// `{"pages": [{"url": …, "title": …, "text": …}], "robots": {"host": "User-agent: …"}}`.
    pub fn from_json(text: &str) -> Result<Self, SmallWebError> {
        let written: SmallWebDocument = serde_json::from_str(text)?;
        let mut web = Self { robots: written.robots, ..Self::default() };
        for page in written.pages {
            web.add(page)?;
        }
        Ok(web)
    }

    /// Adds a page; one that was at the same address is replaced.
    pub fn add(&mut self, page: SmallWebPage) -> Result<(), SmallWebError> {
        let (host, target) = page.place().ok_or_else(|| SmallWebError::Address(page.url.clone()))?;
        let targets = self.places.entry(host).or_default();
        match targets.get(&target).copied().and_then(|place| self.entries.get_mut(place)) {
            Some(entry) => *entry = IndexEntry::new(page),
            None => {
                targets.insert(target, self.entries.len());
                self.entries.push(IndexEntry::new(page));
            }
        }
        Ok(())
    }

    /// The same web with one more page. For tests: an address that is none is left out and breaks the test.
    #[must_use]
    pub fn with(mut self, page: SmallWebPage) -> Self {
        let added = self.add(page);
        debug_assert!(added.is_ok(), "{added:?}");
        self
    }

    #[must_use]
    pub fn with_robots(mut self, host: &str, text: &str) -> Self {
        self.robots.insert(host.to_owned(), text.to_owned());
        self
    }

    pub fn page_count(&self) -> usize {
        self.entries.len()
    }

    pub fn add_fault(&mut self, fault: WebFault) {
        self.faults.add(fault);
    }

    pub fn ledger(&self) -> &WebLedger {
        &self.ledger
    }

    /// Resets requests and faults; the pages stay.
    pub fn start_over(&mut self) {
        self.ledger = WebLedger::default();
        self.faults.clear();
    }

    /// The answer to a call that is meant for this web; `None` for one that is meant for the world beside it.
    pub fn answer(&mut self, now_ms: u64, call: &SimulatorCall) -> Option<SimulatorAnswer> {
        if let Some(target) = call.target.strip_prefix(API_PREFIX) {
            return Some(api::answer(self, now_ms, call, target));
        }
        let host = host_of(call.header("host").unwrap_or_default());
        if is_simulator_host(&host) {
            return None;
        }
        if self.places.contains_key(&host) || self.robots.contains_key(&host) {
            return Some(self.page(now_ms, call, &host));
        }
        if let Some(answer) = topic_pages::answer(now_ms, &host, call) {
            self.ledger.record_fetch(format!("http://{host}{}", call.target));
            return Some(answer);
        }
        // An unknown host: the name would not resolve. Without any page the world keeps every call.
        (!self.entries.is_empty()).then_some(SimulatorAnswer::Lost)
    }

    /// The page at this address.
    fn find(&self, url: &str) -> Option<&SmallWebPage> {
        let (host, target) = SmallWebPage::new(url, "", "").place()?;
        let place = self.places.get(&host)?.get(&target)?;
        Some(&self.entries.get(*place)?.page)
    }

    fn page(&mut self, now_ms: u64, call: &SimulatorCall, host: &str) -> SimulatorAnswer {
        self.ledger.record_fetch(format!("http://{host}{}", call.target));
        if call.target == "/robots.txt"
            && let Some(text) = self.robots.get(host)
        {
            return page::plain(200, "text/plain; charset=utf-8", text);
        }
        let place = self.places.get(host).and_then(|targets| targets.get(&call.target));
        match place.and_then(|place| self.entries.get(*place)) {
            Some(entry) => entry.page.answer(now_ms, call),
            None => page::plain(404, "text/html; charset=utf-8", "<!doctype html><title>Not found</title>"),
        }
    }
}

/// The name in a `Host` header, without a port.
fn host_of(header: &str) -> String {
    let name = match header.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => header,
    };
    name.to_ascii_lowercase()
}

/// Calls to the simulator's own address are for the world.
fn is_simulator_host(host: &str) -> bool {
    matches!(host, "" | "localhost" | "127.0.0.1" | "[::1]")
}

#[cfg(test)]
mod tests;
