//! The addresses that a text cites.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex, PoisonError},
};

use crate::{id::Digest, report::Report, rounds::links};

/// An address as the text writes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CitedAddress {
    pub url: String,
    /// The form in which two spellings of it are the same.
    pub key: String,
}

/// What one stored text cites, read once. The rules ask after every page that arrives, and a text with ten thousand
/// links takes long to read; what is remembered says nothing that the text does not, so two of these are always equal.
#[derive(Debug, Clone, Default)]
pub struct CitedAddresses(Arc<Mutex<Option<TextCitations>>>);

type TextCitations = (Digest, Arc<[CitedAddress]>);

impl PartialEq for CitedAddresses {
    fn eq(&self, _other: &Self) -> bool {
        true
    }
}

impl Eq for CitedAddresses {}

impl CitedAddresses {
    /// Those of the text with this digest; none if its bytes are not a report.
    pub fn of(&self, digest: Digest, stored: &[u8]) -> Option<Arc<[CitedAddress]>> {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, cited)) = &*last
            && *known == digest
        {
            return Some(Arc::clone(cited));
        }
        let cited: Arc<[CitedAddress]> = cited_addresses(&Report::decode(stored).ok()?).into();
        *last = Some((digest, Arc::clone(&cited)));
        Some(cited)
    }
}

/// Each once: the sources of a report, then all others its text links to.
fn cited_addresses(report: &Report) -> Vec<CitedAddress> {
    let mut cited: Vec<CitedAddress> = Vec::new();
    let mut known: BTreeSet<String> = BTreeSet::new();
    let named = report.sources.iter().map(|source| source.url.clone());
    for url in named.chain(links::addresses(&report.text)) {
        let key = links::canonical(&url);
        if cited.len() < links::LINKS_MAX && known.insert(key.clone()) {
            cited.push(CitedAddress { url, key });
        }
    }
    cited
}
