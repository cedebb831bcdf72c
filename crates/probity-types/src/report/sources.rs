//! The sources of a report under the one number by which every answer, file and screen names them.

use std::collections::{BTreeMap, BTreeSet};

use super::{Report, own_list::OwnEntry};
use crate::rounds::links;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NumberedSource<'a> {
    /// From 1.
    pub number: u32,
    pub url: &'a str,
    pub title: &'a str,
}

/// What stands where a source has neither a title nor an address.
const UNTITLED: &str = "untitled";

impl Report {
    /// By number. A list that the text brings along keeps its numbers, for its marks mean them; what the engine and the
    /// ledger know beside it follows. Without such a list the engine's own order counts.
    pub fn numbered_sources(&self) -> Vec<NumberedSource<'_>> {
        let mut listed = self.own_list().map(|list| list.entries).unwrap_or_default();
        let known = self.known_addresses();
        // Nobody is led to an address that neither the engine nor the ledger has seen; its number stays taken.
        let is_foreign =
            |entry: &OwnEntry<'_>| !known.is_empty() && !known.contains(&links::canonical(entry.url));
        for entry in listed.iter_mut().filter(|entry| is_foreign(entry)) {
            if entry.title.trim().is_empty() {
                entry.title = host(entry.url).unwrap_or(UNTITLED);
            }
            entry.url = "";
        }
        let mut sources: Vec<NumberedSource<'_>> = listed
            .iter()
            .map(|entry| NumberedSource { number: entry.number, url: entry.url, title: entry.title })
            .collect();
        let mut places: BTreeMap<String, usize> = BTreeMap::new();
        for (place, entry) in listed.iter().enumerate().filter(|(_, entry)| !entry.url.is_empty()) {
            places.entry(links::canonical(entry.url)).or_insert(place);
        }
        let last = listed.last().map_or(0, |entry| entry.number);
        let own = self.sources.iter().map(|source| (source.url.as_str(), source.title.as_str(), true));
        let checked = self.ledger.iter().flat_map(|ledger| &ledger.sources);
        let checked = checked.map(|source| (source.url.as_str(), source.title.as_str(), false));
        let mut next = last + 1;
        for (url, title, is_engines) in own.chain(checked) {
            let key = links::canonical(url);
            match places.get(&key).copied().filter(|_| !url.is_empty()) {
                // Whoever found the page knows its title better than who wrote of it.
                Some(place) if is_engines => {
                    let known = sources.get_mut(place).filter(|_| !title.trim().is_empty());
                    known.into_iter().for_each(|known| known.title = title);
                }
                Some(_) => {}
                None if url.is_empty() && is_work(&listed, title) => {}
                None => {
                    places.insert(key, sources.len());
                    sources.push(NumberedSource { number: next, url, title });
                    next += 1;
                }
            }
        }
        sources.into_iter().map(NumberedSource::with_name).collect()
    }

    /// What was found or is cited; nothing for a text that nobody has looked at yet.
    fn known_addresses(&self) -> BTreeSet<String> {
        let found = self.sources.iter().map(|source| source.url.as_str());
        let cited = self.ledger.iter().flat_map(|ledger| &ledger.sources).map(|source| source.url.as_str());
        found.chain(cited).filter(|url| !url.is_empty()).map(links::canonical).collect()
    }
}

impl NumberedSource<'_> {
    /// A source without a title is named by its host.
    fn with_name(self) -> Self {
        match self.title.trim().is_empty() {
            true => Self { title: host(self.url).unwrap_or(UNTITLED), ..self },
            false => self,
        }
    }
}

/// Whether the text's own list has this work without an address.
fn is_work(listed: &[OwnEntry<'_>], title: &str) -> bool {
    let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<String>();
    let wanted = letters(title);
    listed.iter().any(|entry| entry.url.is_empty() && letters(entry.title) == wanted)
}

fn host(url: &str) -> Option<&str> {
    let (_, rest) = url.split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next()?;
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    Some(host.strip_prefix("www.").unwrap_or(host)).filter(|host| !host.is_empty())
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
        let named: Vec<&str> = report.numbered_sources().iter().map(|source| source.title).collect();
        assert_eq!(named, ["a.example", "b.example", "c.example"], "an untitled source is named by its host");
    }

    #[test]
    fn a_list_in_the_text_keeps_its_numbers_and_what_it_lacks_follows() {
        let link = |url: &str, title: &str| SourceLink { url: url.to_owned(), title: title.to_owned() };
        let report = Report {
            text: "Rain [cite: 2]. Snow [cite: 5].\n\n**Sources:**\n1. [one](https://r.example/1)\n\
                2. [two](https://r.example/2)\n5. [](https://r.example/5)\n7. [seven](https://unseen.example/)\n"
                .to_owned(),
            sources: vec![
                link("https://r.example/1", "First"),
                link("https://a.example/page", ""),
                link("https://R.example/2/", ""),
                link("https://r.example/5", ""),
            ],
            ..Report::default()
        };
        let listed: Vec<(u32, &str, &str)> = report
            .numbered_sources()
            .iter()
            .map(|source| (source.number, source.url, source.title))
            .collect();
        assert_eq!(
            listed,
            [
                (1, "https://r.example/1", "First"),
                (2, "https://r.example/2", "two"),
                (5, "https://r.example/5", "r.example"),
                (7, "", "seven"),
                (8, "https://a.example/page", "a.example"),
            ]
        );
    }
}
