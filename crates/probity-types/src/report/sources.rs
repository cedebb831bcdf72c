//! The sources of a report under the one number by which every answer, file and screen names them.

use std::collections::BTreeSet;

use super::Report;
use crate::rounds::links;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NumberedSource<'a> {
    /// From 1.
    pub number: u32,
    pub url: &'a str,
    pub title: &'a str,
}

impl Report {
    /// The report's own list keeps its numbers; what only the ledger knows follows.
    pub fn numbered_sources(&self) -> Vec<NumberedSource<'_>> {
        let known: BTreeSet<String> =
            self.sources.iter().map(|source| links::canonical(&source.url)).collect();
        let own = self.sources.iter().map(|source| (source.url.as_str(), source.title.as_str()));
        let mut seen = known;
        let checked = self.ledger.iter().flat_map(|ledger| &ledger.sources);
        let added = checked
            .filter(|source| source.url.is_empty() || seen.insert(links::canonical(&source.url)))
            .map(|source| (source.url.as_str(), source.title.as_str()));
        own.chain(added)
            .zip(1..)
            .map(|((url, title), number)| NumberedSource { number, url, title })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::{
        ledger::{Ledger, LedgerSource, SourceState},
        report::{Report, SourceLink},
    };

    #[test]
    fn the_reports_numbers_stay_and_the_ledgers_own_follow() {
        let link = |url: &str| SourceLink { url: url.to_owned(), title: String::new() };
        let checked = |url: &str| LedgerSource {
            url: url.to_owned(),
            title: String::new(),
            state: SourceState::unreachable("no answer"),
            origin: 0,
            quoted: Vec::new(),
        };
        let ledger = Ledger {
            sources: vec![
                checked("https://B.example/"),
                checked("https://c.example/"),
                checked("https://c.example"),
            ],
            ..Ledger::default()
        };
        let report = Report {
            sources: vec![link("https://a.example/"), link("https://b.example")],
            ledger: Some(Box::new(ledger)),
            ..Report::default()
        };
        let listed: Vec<(u32, &str)> =
            report.numbered_sources().iter().map(|source| (source.number, source.url)).collect();
        assert_eq!(listed, [(1, "https://a.example/"), (2, "https://b.example"), (3, "https://c.example/")]);
    }
}
