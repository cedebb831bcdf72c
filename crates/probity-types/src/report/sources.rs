//! The sources of a report under the one number by which every answer, file and screen names them.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
};

use super::{
    Report, ReportPhrases,
    own_list::OwnEntry,
    text_numbers::{AttributedRange, has_number_links, renumbered_links, text_numbers},
};
use crate::{ledger::Ledger, rounds::links, text};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NumberedSource<'a> {
    /// From 1.
    pub number: u32,
    pub url: &'a str,
    pub title: &'a str,
}

/// What stands where a source has neither a title nor an address.
const UNTITLED: &str = "untitled";
const TITLE_CHARACTERS_MAX: usize = 200;
const ADDRESS_CHARACTERS_MAX: usize = 2_000;

impl Report {
    /// By number. A list that the text brings along keeps its numbers, for its marks mean them; what the engine and the
    /// ledger know beside it follows. Without such a list the numbers of its links and of its attributed marks count, and
    /// where it has none of those the engine's own order.
    pub fn numbered_sources(&self) -> Vec<NumberedSource<'_>> {
        let mut listed = self.own_list().map_or_else(|| self.text_numbers(), |list| list.entries);
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
        let own = self.sources.iter().zip(1..);
        let own = own.map(|(source, number)| (source.url.as_str(), source.title.as_str(), Some(number)));
        let checked = self.ledger.iter().flat_map(|ledger| &ledger.sources);
        let checked = checked.map(|source| (source.url.as_str(), source.title.as_str(), None));
        let mut next = last + 1;
        for (url, title, engines_number) in own.chain(checked) {
            let key = links::canonical(url);
            let file = engines_number.and_then(|number| own_file(&sources, number, url));
            if let Some((place, known)) = file.and_then(|place| Some((place, sources.get_mut(place)?))) {
                (known.url, known.title) = (url, title);
                places.insert(key, place);
                continue;
            }
            match places.get(&key).copied().filter(|_| !url.is_empty()) {
                // Whoever found the page knows its title better than who wrote of it.
                Some(place) if engines_number.is_some() => {
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

    /// How many of them there are.
    pub fn sources_listed(&self) -> u32 {
        u32::try_from(self.numbered_sources().len()).unwrap_or(u32::MAX)
    }

    /// The text without its own list of sources, every link that is only a number under the number of its source. What
    /// every answer, file and screen shows beside the numbered sources.
    pub fn numbered_text(&self) -> Cow<'_, str> {
        self.renumbered(self.text_without_own_list())
    }

    /// The whole text, its links numbered like that.
    pub fn renumbered_text(&self) -> Cow<'_, str> {
        self.renumbered(&self.text)
    }

    /// The numbered text with the list of its sources below it: all that a reader of Markdown alone needs.
    pub fn text_with_sources(&self) -> String {
        let mut whole = self.numbered_text().into_owned();
        let sources = self.numbered_sources();
        if !sources.is_empty() {
            whole.truncate(whole.trim_end().len());
            whole.push_str(&format!("\n\n## {}\n", self.sources_heading()));
        }
        for source in sources {
            whole.push_str(&format!("\n{}", source.line()));
        }
        whole
    }

    /// The word for sources that the program's own list has, in the language of the report.
    fn sources_heading(&self) -> &'static str {
        let list = self.own_list().and_then(|list| self.text.get(list.start..));
        let heading = list.and_then(|list| list.lines().next()).unwrap_or_default();
        let name = heading.trim_start_matches('#').trim();
        let own = ReportPhrases::ALL.iter().map(|phrases| phrases.sources).find(|own| *own == name);
        own.unwrap_or("Sources")
    }

    /// The number of each of the ledger's sources, by its place there.
    pub fn ledger_numbers(&self, ledger: &Ledger) -> Vec<Option<u32>> {
        let numbers = self.numbers_by_address();
        ledger.sources.iter().map(|source| numbers.get(&links::canonical(&source.url)).copied()).collect()
    }

    /// The number of each address, in its canonical spelling.
    fn numbers_by_address(&self) -> BTreeMap<String, u32> {
        let mut numbers = BTreeMap::new();
        for source in self.numbered_sources().iter().filter(|source| !source.url.is_empty()) {
            numbers.entry(links::canonical(source.url)).or_insert(source.number);
        }
        numbers
    }

    fn renumbered<'a>(&self, text: &'a str) -> Cow<'a, str> {
        // Numbering reads the whole text again, and few texts need it.
        if !has_number_links(text) {
            return Cow::Borrowed(text);
        }
        let numbers = self.numbers_by_address();
        renumbered_links(text, |url| numbers.get(url).copied())
    }

    fn text_numbers(&self) -> Vec<OwnEntry<'_>> {
        let url = |place: usize| self.sources.get(place).map_or("", |source| source.url.as_str());
        let attributed: Vec<AttributedRange<'_>> = self
            .citations
            .iter()
            .map(|citation| AttributedRange {
                start: citation.start,
                end: citation.end,
                url: url(citation.source),
            })
            .collect();
        let order: Vec<&str> = self.sources.iter().map(|source| source.url.as_str()).collect();
        text_numbers(&self.text, &attributed, &order)
    }

    /// What was found or is cited; nothing for a text that nobody has looked at yet.
    fn known_addresses(&self) -> BTreeSet<String> {
        let found = self.sources.iter().map(|source| source.url.as_str());
        let cited = self.ledger.iter().flat_map(|ledger| &ledger.sources).map(|source| source.url.as_str());
        found.chain(cited).filter(|url| !url.is_empty()).map(links::canonical).collect()
    }
}

impl NumberedSource<'_> {
    /// `3. The title <https://…>`
    pub fn line(&self) -> String {
        let title = text::line(self.title, TITLE_CHARACTERS_MAX);
        match text::line(self.url, ADDRESS_CHARACTERS_MAX) {
            url if url.is_empty() => format!("{}. {title}", self.number),
            url => format!("{}. {title} <{url}>", self.number),
        }
    }

    /// A source without a title is named by its host.
    fn with_name(self) -> Self {
        match self.title.trim().is_empty() {
            true => Self { title: host(self.url).unwrap_or(UNTITLED), ..self },
            false => self,
        }
    }
}

/// The place of the user's own file in the text's list, which names it by its title alone: it has no address for others.
fn own_file(sources: &[NumberedSource<'_>], number: u32, url: &str) -> Option<usize> {
    let is_it = |source: &NumberedSource<'_>| source.number == number && source.url.is_empty();
    sources.iter().position(is_it).filter(|_| url.starts_with("file:"))
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

    fn link(url: &str) -> SourceLink {
        SourceLink { url: url.to_owned(), title: String::new() }
    }

    fn checked(url: &str) -> LedgerSource {
        LedgerSource {
            url: url.to_owned(),
            title: String::new(),
            state: SourceState::unreachable("no answer"),
            origin: 0,
            quoted: Vec::new(),
        }
    }

    #[test]
    fn the_reports_numbers_stay_and_the_ledgers_own_follow() {
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
    fn a_file_of_the_users_own_is_listed_once() {
        let titled = |url: &str, title: &str| SourceLink { url: url.to_owned(), title: title.to_owned() };
        let report = Report {
            text: "It is old. [1] It is long. [2]\n\n## Sources\n\n1. A page: https://a.example/x\n\
                   2. plans.md (your own file)\n"
                .to_owned(),
            sources: vec![titled("https://a.example/x", "A page"), titled("file:0/plans.md", "plans.md")],
            ledger: Some(Box::new(Ledger { sources: vec![checked("file:0/plans.md")], ..Ledger::default() })),
            ..Report::default()
        };
        let listed: Vec<(u32, &str)> =
            report.numbered_sources().iter().map(|source| (source.number, source.url)).collect();
        assert_eq!(listed, [(1, "https://a.example/x"), (2, "file:0/plans.md")]);
        // A list of nothing but files has no address, and is one all the same.
        let files = Report {
            text: "It is long. [1]\n\n## Sources\n\n1. plans.md (your own file)\n".to_owned(),
            sources: vec![titled("file:plans.md", "plans.md")],
            ..Report::default()
        };
        assert_eq!(files.text_with_sources(), "It is long. [1]\n\n## Sources\n\n1. plans.md <file:plans.md>");
    }

    #[test]
    fn the_list_below_a_text_keeps_the_heading_in_its_language() {
        let told = |text: &str| {
            let sources = vec![link("https://a.example/x")];
            Report { text: text.to_owned(), sources, ..Report::default() }.text_with_sources()
        };
        assert!(
            told("Alt. [1]\n\n## Quellen\n\n1. Seite: https://a.example/x\n").contains("\n\n## Quellen\n")
        );
        for text in ["Old. [1]", "Old. [1]\n\n## References\n\n1. Page: https://a.example/x\n"] {
            assert!(told(text).contains("\n\n## Sources\n"), "{text}");
        }
    }

    #[test]
    fn links_that_are_numbers_number_the_list() {
        let urls = ["https://p.example/question/1", "https://p.example/v1/1", "https://p.example/v1/2"];
        let mut report = Report {
            text: "Units [1](https://p.example/v1/1). More [2](https://p.example/v1/2).".to_owned(),
            sources: vec![link(urls[0])],
            ledger: Some(Box::new(Ledger {
                sources: urls.into_iter().map(checked).collect(),
                ..Ledger::default()
            })),
            ..Report::default()
        };
        let listed = |report: &Report| -> Vec<(u32, String)> {
            report.numbered_sources().iter().map(|source| (source.number, source.url.to_owned())).collect()
        };
        let expected = [(1, urls[1].to_owned()), (2, urls[2].to_owned()), (3, urls[0].to_owned())];
        assert_eq!(listed(&report), expected);
        assert_eq!(report.numbered_text(), report.text, "the text already says these numbers");
        report.text = "Units [1](https://p.example/v1/1). More [1](https://p.example/v1/2).".to_owned();
        let units = "Units [1](https://p.example/v1/1). More [3](https://p.example/v1/2).";
        assert_eq!(report.numbered_text(), units, "one number for two pages is no number");
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
