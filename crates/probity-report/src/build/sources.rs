//! The sources under the numbers that the text cites them by, with what the ledger knows of each.

use std::collections::BTreeMap;

use probity_types::{
    ledger::{LedgerSource, SourceState},
    report::{ClaimList, Report},
    rounds::links,
    text,
    web::page::Provenance,
};
use url::Url;

use super::TITLE_CHARACTERS_MAX;
use crate::document::{ReportClaim, ReportSource, ReportSourceState};

/// More than a report cites; a text of nothing but links must not flood.
const SOURCES_MAX: usize = 2_000;
/// Browsers take no longer ones.
const ADDRESS_CHARACTERS_MAX: usize = 4_096;
const WHY_CHARACTERS_MAX: usize = 300;

#[derive(Debug, Default)]
pub struct SourceTable {
    list: Vec<ReportSource>,
    /// Places in the ledger, as numbers of this list.
    by_place: Vec<Option<u32>>,
    by_address: BTreeMap<String, u32>,
    left_out: usize,
}

impl SourceTable {
    pub fn of(report: &Report) -> Self {
        let mut sources = Self::default();
        for source in report.numbered_sources() {
            sources.add(source.number, source.url, source.title);
        }
        let known = report.ledger.iter().flat_map(|ledger| &ledger.sources);
        for source in known {
            let number = sources.number(&source.url);
            sources.by_place.push(number);
            if let Some(number) = number {
                sources.learn(number, source);
            }
        }
        sources.learn_languages(report);
        sources
    }

    /// The number of a place in the ledger's list.
    pub fn at_place(&self, place: u32) -> Option<u32> {
        self.by_place.get(usize::try_from(place).ok()?).copied().flatten()
    }

    /// The number of an address, by whatever spelling.
    pub fn number(&self, url: &str) -> Option<u32> {
        if url.is_empty() {
            return None;
        }
        self.by_address.get(&links::canonical(url)).copied()
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    pub fn has(&self, number: u32) -> bool {
        self.place(number).is_some()
    }

    /// The language of most of what was read, if there is one for most.
    pub fn language(&self) -> Option<String> {
        None
    }

    pub fn left_out(&self) -> Option<String> {
        (self.left_out > 0).then(|| format!("{} further sources are not listed here.", self.left_out))
    }

    pub fn altered(&self, report: &Report) -> Vec<(u32, u32)> {
        let pairs = report.ledger.iter().flat_map(|ledger| &ledger.altered);
        pairs.filter_map(|(one, other)| Some((self.at_place(*one)?, self.at_place(*other)?))).collect()
    }

    pub fn with_citations(mut self, report: &Report, claims: &[ReportClaim]) -> Vec<ReportSource> {
        let list = report.ledger.as_deref().map(|ledger| ClaimList::of(report, ledger)).unwrap_or_default();
        for summary in &list.sources {
            if let Some(source) = self.get_mut(summary.number) {
                source.standing = summary.standing();
            }
        }
        for number in claims.iter().filter(|claim| claim.checkable).flat_map(|claim| &claim.cites) {
            if let Some(source) = self.get_mut(*number) {
                source.cited_by += 1;
            }
        }
        self.list
    }

    fn get_mut(&mut self, number: u32) -> Option<&mut ReportSource> {
        let place = self.place(number)?;
        self.list.get_mut(place)
    }

    /// They come by number; a list of the text's own may leave some out.
    fn place(&self, number: u32) -> Option<usize> {
        self.list.binary_search_by_key(&number, |source| source.number).ok()
    }

    fn add(&mut self, number: u32, url: &str, title: &str) {
        if self.list.len() >= SOURCES_MAX {
            self.left_out += 1;
            return;
        }
        let parsed = web_address(url);
        let host = parsed.as_ref().and_then(Url::host_str).map(bare_host).unwrap_or_default();
        let title = text::line(title, TITLE_CHARACTERS_MAX);
        self.list.push(ReportSource {
            number,
            url: parsed.map(String::from).unwrap_or_default(),
            title: if title.is_empty() { named(&host) } else { title },
            host,
            state: ReportSourceState::NotTried,
            fetched_at: None,
            published: None,
            provenance: None,
            archive: None,
            snapshot: None,
            origin: None,
            why_unread: None,
            language: None,
            cited_by: 0,
            standing: String::new(),
        });
        if !url.is_empty() {
            self.by_address.entry(links::canonical(url)).or_insert(number);
        }
    }

    fn learn(&mut self, number: u32, known: &LedgerSource) {
        // The ledger names origins by an index of its own; readers know numbers.
        // A redirect service leads to origins and is none; of a page that was not read nobody knows its origin.
        let is_read = matches!(known.state, SourceState::Kept { .. });
        let origin = self.at_place(known.origin).or(Some(number));
        let origin = origin.filter(|_| is_read && !links::is_redirect(&known.url));
        let Some(source) = self.get_mut(number) else { return };
        source.origin = origin;
        match &known.state {
            SourceState::Kept { snapshot, fetched_at, provenance, published, .. } => {
                source.state = ReportSourceState::Kept;
                source.snapshot = Some(snapshot.to_string());
                source.fetched_at = Some(fetched_at.to_string());
                source.published = published.as_deref().map(|date| text::line(date, 40));
                source.provenance = Some(in_words(provenance).to_owned());
                if let Provenance::Archive(address) = provenance {
                    source.archive = web_address(address).map(String::from);
                }
            }
            SourceState::Unreachable { why, .. } => {
                source.state = match known.state.why_untried() {
                    None => ReportSourceState::Unreachable,
                    Some(_) => ReportSourceState::NotTried,
                };
                source.why_unread = Some(text::line(why, WHY_CHARACTERS_MAX));
            }
        }
    }

    /// Our own engine knows more of its pages than the ledger has.
    fn learn_languages(&mut self, report: &Report) {
        for page in report.web.iter().flat_map(|web| &web.pages) {
            let Some(number) = self.number(&page.record.final_url) else { continue };
            let Some(source) = self.get_mut(number) else { continue };
            source.language = page.language.as_deref().map(|code| text::line(code, 8));
            source.published =
                source.published.take().or_else(|| page.published.as_deref().map(|d| text::line(d, 40)));
        }
    }
}

fn in_words(provenance: &Provenance) -> &'static str {
    match provenance {
        Provenance::Direct => "fetched from its own address",
        Provenance::Archive(_) => "its own address was dead: read from an archive",
        Provenance::Rendered => "as a browser shows it",
        Provenance::LocalFile => "a file of your own",
        Provenance::Proxy => "through your proxy",
        Provenance::Service(_) => "as a page service returned it, not fetched by us",
    }
}

/// An address that a browser opens as a web page; nothing else is ever a link.
pub fn web_address(url: &str) -> Option<Url> {
    let cleaned = text::line(url, ADDRESS_CHARACTERS_MAX);
    let parsed = Url::parse(&cleaned).ok()?;
    let web = matches!(parsed.scheme(), "http" | "https") && parsed.host_str().is_some();
    // User information before the host makes an address look like another site's.
    let plain = parsed.username().is_empty() && parsed.password().is_none();
    (web && plain && parsed.as_str().len() <= ADDRESS_CHARACTERS_MAX * 3).then_some(parsed)
}

fn bare_host(host: &str) -> String {
    text::line(host.strip_prefix("www.").unwrap_or(host), 120)
}

fn named(host: &str) -> String {
    if host.is_empty() { "untitled".to_owned() } else { host.to_owned() }
}
