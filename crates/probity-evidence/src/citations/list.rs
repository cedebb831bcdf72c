//! The sources of a report: its own list, footnotes and definitions, the provider's list, and inline addresses.
//!
//! One address is one source however often and under however many numbers it is listed; what is wrong with the list
//! is a fault with its bytes.

use std::collections::{BTreeMap, BTreeSet};

use probity_types::{report::own_list::OwnEntry, web::canonical::canonical};

use super::{CitationMark, CitationTarget, KnownLabels, marks};

/// Entries of one author that are looked at for a year; no report lists more works of one.
const WORKS_MAX: usize = 200;
/// Words of an entry's beginning among which its author is looked for.
const AUTHOR_WORDS_MAX: usize = 12;
/// Labels and titles are shown to people; longer ones are cut.
const TITLE_BYTES_MAX: usize = 300;

/// A source that a report cites or lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CitedSource {
    /// Empty for a listed source without an address, such as a book.
    pub url: String,
    pub title: String,
    /// Its first label in the report's own list.
    pub label: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum CitationFaultKind {
    /// A label that no source has.
    DanglingLabel,
    /// One address under two labels.
    DuplicateAddress,
    /// The front page of a site instead of a page.
    RootAddress,
    /// A listed source that no sentence cites.
    NeverCited,
    /// An address that cannot be opened: cut short, or no address.
    MalformedAddress,
}

/// Something wrong with how a report cites, and where; the provider's own list has no bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CitationFault {
    pub kind: CitationFaultKind,
    pub start: usize,
    pub end: usize,
    /// The label or the address.
    pub what: String,
}

/// One line of a source list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceListEntry {
    pub label: Option<String>,
    pub urls: Vec<String>,
    pub title: String,
    pub start: usize,
    pub end: usize,
}

/// `Orne Institute (2006). The Kestrel Bridge`: an entry that is named by its author and its year.
pub fn names_work(line: &str) -> bool {
    /// The year stands behind the authors, and they stand first.
    const AUTHORS_BYTES_MAX: usize = 200;
    let near = line.get(..line.floor_char_boundary(AUTHORS_BYTES_MAX.min(line.len()))).unwrap_or_default();
    let is_year = |text: &str| {
        let year = text.get(..4).unwrap_or_default();
        let rest = text.get(4..).unwrap_or_default().trim_start_matches(|c: char| c.is_ascii_lowercase());
        (year.starts_with("19") || year.starts_with("20"))
            && year.bytes().all(|byte| byte.is_ascii_digit())
            && rest.starts_with([')', '）', ',', '，'])
    };
    let begins = line.trim_start_matches(['*', '_', '-', ' ']).starts_with(char::is_alphabetic);
    begins && near.split(['(', '（']).skip(1).any(is_year)
}

/// The entry between two places.
pub fn entry(text: &str, start: usize, end: usize) -> SourceListEntry {
    let body = text.get(start..end).unwrap_or_default();
    let (label, skipped) = label(body);
    let found = marks(text, start + skipped, end, &KnownLabels::default());
    let address = |mark: &CitationMark| match &mark.target {
        CitationTarget::Url(url) => Some(url.clone()),
        CitationTarget::Labels(_)
        | CitationTarget::Author(_)
        | CitationTarget::Nothing
        | CitationTarget::Lost => None,
    };
    let urls = found.iter().filter_map(address).collect();
    let title = title(text, start + skipped, end, &found);
    SourceListEntry { label, urls, title, start, end }
}

/// The label at the beginning of an entry and the bytes it takes with its marks.
pub fn label(body: &str) -> (Option<String>, usize) {
    let mut rest = body.trim_start_matches(['-', '*', '+', '•', ' ', '_', '\\']);
    let taken = |rest: &str| body.len() - rest.len();
    if let Some(inside) = rest.strip_prefix(['[', '【', '［'])
        && let Some((label, behind)) = inside.split_once([']', '】', '］'])
    {
        // `[title](address)` is a link, `[[1]](…)` a label with one.
        let label = label.trim().trim_end_matches('\\');
        let is_name = !label.is_empty() && !behind.starts_with('(') && !label.starts_with('[');
        let is_short =
            label.starts_with('^') || behind.starts_with(':') || label.bytes().all(|b| b.is_ascii_digit());
        if is_name && is_short {
            rest = behind.strip_prefix(':').unwrap_or(behind).trim_start_matches(['*', '_']);
            return (Some(label.to_owned()), taken(rest));
        }
        return (None, taken(rest));
    }
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    if (1..=3).contains(&digits)
        && let Some((number, behind)) = rest.split_at_checked(digits)
        && let Some(behind) = behind.strip_prefix(['.', ')', ':', '、'])
    {
        return (Some(number.to_owned()), taken(behind));
    }
    let raised: String = rest
        .chars()
        .map_while(|c| "⁰¹²³⁴⁵⁶⁷⁸⁹".chars().position(|k| k == c))
        .map(|d| d.to_string())
        .collect();
    if !raised.is_empty() {
        let behind = rest.trim_start_matches(|c| "⁰¹²³⁴⁵⁶⁷⁸⁹".contains(c));
        return (Some(raised), taken(behind));
    }
    (None, taken(rest))
}

/// The words of an entry beside its addresses.
fn title(text: &str, start: usize, end: usize, found: &[CitationMark]) -> String {
    let mut title = String::new();
    let mut at = start;
    for mark in found {
        title.push_str(text.get(at..mark.start).unwrap_or_default());
        if let Some((from, to)) = mark.text() {
            title.push_str(text.get(from..to).unwrap_or_default());
        }
        at = mark.end;
    }
    title.push_str(text.get(at..end).unwrap_or_default());
    let words: Vec<&str> = title.split_whitespace().collect();
    let title = words.join(" ").replace(['*', '<', '>'], "");
    let title = title.trim_matches(|c: char| {
        c.is_whitespace() || matches!(c, ':' | '-' | '–' | '—' | '|' | ',' | '：' | '，' | '_')
    });
    let cut = title.floor_char_boundary(title.len().min(TITLE_BYTES_MAX));
    title.get(..cut).unwrap_or_default().to_owned()
}

/// Every source of a report with the ways to name it.
#[derive(Debug, Default)]
pub struct SourceList {
    pub cited: Vec<CitedSource>,
    pub faults: Vec<CitationFault>,
    /// Label -> where it is defined, and the places it means. A long report may number each chapter anew.
    labels: BTreeMap<String, Vec<(usize, Vec<usize>)>>,
    /// Label -> the address it means, where there is no list and the text or its provider says so elsewhere.
    meanings: BTreeMap<String, String>,
    by_address: BTreeMap<String, usize>,
    /// What entries say, in lower case, for years.
    said: Vec<(String, usize)>,
    /// Word among the first of an entry -> the entries in `said` that have it, for authors.
    authors: BTreeMap<String, Vec<usize>>,
    /// Places in a list, and the bytes of their entry.
    listed: Vec<(usize, usize, usize)>,
    /// The places in `listed`.
    listed_places: BTreeSet<usize>,
}

impl SourceList {
    /// The provider's list first, so that its places stay what they were. `numbers` is what numbers mean where the text
    /// has no list: a place in the provider's list is what they mean only if nothing says otherwise.
    pub fn new(
        given: &[(String, String)],
        entries: &[SourceListEntry],
        numbers: &[OwnEntry<'_>],
        report_bytes: usize,
    ) -> Self {
        let mut sources = Self::default();
        for (url, title) in given {
            let place = sources.cited.len();
            sources.cited.push(CitedSource { url: url.clone(), title: title.clone(), label: None });
            sources.by_address.entry(key(url)).or_insert(place);
            sources.listed.push((place, report_bytes, report_bytes));
            sources.listed_places.insert(place);
            sources.judge(url, report_bytes, report_bytes);
        }
        for entry in entries {
            sources.list(entry);
        }
        if sources.labels.is_empty() && !numbers.is_empty() {
            let meaning = |entry: &OwnEntry<'_>| (entry.number.to_string(), entry.url.to_owned());
            sources.meanings = numbers.iter().map(meaning).collect();
        } else if sources.labels.is_empty() {
            for place in 0..given.len() {
                sources.labels.insert((place + 1).to_string(), vec![(0, vec![place])]);
            }
        }
        sources
    }

    fn list(&mut self, entry: &SourceListEntry) {
        let mut places = Vec::new();
        for url in &entry.urls {
            let known = self.by_address.get(&key(url)).copied();
            if let Some(place) = known
                && self
                    .cited
                    .get(place)
                    .is_some_and(|cited| cited.label.is_some() && cited.label != entry.label)
                && entry.label.is_some()
            {
                self.fault(CitationFaultKind::DuplicateAddress, entry.start, entry.end, url);
            }
            let place = self.place(url, &entry.title, entry.start, entry.end);
            if let Some(cited) = self.cited.get_mut(place) {
                cited.label = cited.label.take().or_else(|| entry.label.clone());
            }
            places.push(place);
        }
        if places.is_empty() && (entry.label.is_some() || names_work(&entry.title)) {
            places.push(self.cited.len());
            self.cited.push(CitedSource {
                url: String::new(),
                title: entry.title.clone(),
                label: entry.label.clone(),
            });
        }
        for place in &places {
            let said = entry.title.to_lowercase();
            let first: BTreeSet<&str> = said.split(is_outside_name).take(AUTHOR_WORDS_MAX).collect();
            for word in first.into_iter().filter(|word| word.len() > 1) {
                self.authors.entry(word.to_owned()).or_default().push(self.said.len());
            }
            self.said.push((said, *place));
            if self.listed_places.insert(*place) {
                self.listed.push((*place, entry.start, entry.end));
            }
        }
        if let Some(label) = &entry.label {
            self.labels.entry(label.clone()).or_default().push((entry.start, places));
        }
    }

    /// The place of an address, new or known.
    fn place(&mut self, url: &str, title: &str, start: usize, end: usize) -> usize {
        if let Some(place) = self.by_address.get(&key(url)) {
            return *place;
        }
        self.judge(url, start, end);
        let place = self.cited.len();
        self.by_address.insert(key(url), place);
        self.cited.push(CitedSource { url: url.to_owned(), title: title.to_owned(), label: None });
        place
    }

    /// Says what is wrong with an address.
    fn judge(&mut self, url: &str, start: usize, end: usize) {
        if let Some(kind) = wrong(url) {
            self.fault(kind, start, end, url);
        }
    }

    fn fault(&mut self, kind: CitationFaultKind, start: usize, end: usize, what: &str) {
        self.faults.push(CitationFault { kind, start, end, what: what.to_owned() });
    }

    /// What the marks of the text may point at.
    pub fn known_labels(&self) -> KnownLabels<'_> {
        let definitions = self.labels.iter().filter_map(|(label, places)| {
            let place = places.first()?.1.first()?;
            let url = &self.cited.get(*place)?.url;
            (!url.is_empty()).then(|| (label.to_lowercase(), url.clone()))
        });
        KnownLabels {
            labels: self.labels.keys().map(String::as_str).collect(),
            definitions: definitions.collect(),
        }
    }

    /// The places a mark points at; none if it is no citation after all, such as an author whom no source has.
    pub fn resolve(&mut self, mark: &CitationMark, title: &str) -> Option<Vec<usize>> {
        match &mark.target {
            CitationTarget::Nothing | CitationTarget::Lost => Some(Vec::new()),
            CitationTarget::Url(url) => Some(vec![self.place(url, title, mark.start, mark.end)]),
            CitationTarget::Labels(labels) => {
                let mut places = Vec::new();
                for label in labels {
                    match self.labelled(label, mark.start).or_else(|| self.meant(label, mark)) {
                        Some(found) => places.extend(found),
                        None => self.fault(CitationFaultKind::DanglingLabel, mark.start, mark.end, label),
                    }
                }
                Some(places)
            }
            CitationTarget::Author(pairs) => {
                let found: Option<Vec<usize>> =
                    pairs.split([';', '；']).map(|pair| self.written_by(pair)).collect();
                found
            }
        }
    }

    /// The list that follows the mark, else the last one before it.
    fn labelled(&self, label: &str, at: usize) -> Option<Vec<usize>> {
        // Some write `[^1]` and number the list without the mark of footnotes.
        let defined = self.labels.get(label).or_else(|| self.labels.get(label.strip_prefix('^')?))?;
        let after = defined.get(defined.partition_point(|(start, _)| *start <= at));
        after.or(defined.last()).map(|(_, places)| places.clone())
    }

    /// The address that the text or its provider gives for a label elsewhere.
    fn meant(&mut self, label: &str, mark: &CitationMark) -> Option<Vec<usize>> {
        let url = self.meanings.get(label.trim_start_matches('^')).cloned()?;
        let place = self.place(&url, "", mark.start, mark.end);
        if let Some(cited) = self.cited.get_mut(place) {
            cited.label.get_or_insert_with(|| label.to_owned());
        }
        Some(vec![place])
    }

    fn written_by(&self, pair: &str) -> Option<usize> {
        let lower = pair.to_lowercase();
        let is_name =
            |word: &&str| word.len() > 1 && !matches!(*word, "the" | "et" | "al" | "and" | "und" | "y");
        let names: Vec<&str> = lower.split(is_outside_name).filter(is_name).collect();
        let year: String = lower.chars().filter(char::is_ascii_digit).collect();
        let works = self.authors.get(*names.first()?)?.iter().take(WORKS_MAX);
        let of_year =
            works.filter_map(|entry| self.said.get(*entry)).filter(|(said, _)| said.contains(&year));
        let named = |said: &str| names.iter().filter(|name| said.contains(**name)).count();
        // The first of those that have the most of its names.
        let best = of_year.map(|(said, place)| (named(said), *place));
        best.reduce(|best, next| if next.0 > best.0 { next } else { best }).map(|(_, place)| place)
    }

    /// Lists the sources that no sentence cites.
    pub fn finish(&mut self, is_cited: impl Fn(usize) -> bool) {
        let unused: Vec<(usize, usize, usize)> =
            self.listed.iter().filter(|(place, ..)| !is_cited(*place)).copied().collect();
        for (place, start, end) in unused {
            let Some(cited) = self.cited.get(place) else { continue };
            // A work without a number or an address is listed for those who look it up.
            if cited.url.is_empty() && cited.label.is_none() {
                continue;
            }
            let what = cited.url.clone();
            self.fault(CitationFaultKind::NeverCited, start, end, &what);
        }
        self.faults.sort_by_key(|fault| (fault.start, fault.kind));
    }
}

fn is_outside_name(c: char) -> bool {
    !c.is_alphabetic() && c != '-' && c != '\''
}

/// What is wrong with an address by its form alone.
fn wrong(url: &str) -> Option<CitationFaultKind> {
    let Some(canonical) = canonical(url) else { return Some(CitationFaultKind::MalformedAddress) };
    let host_and_path = canonical.strip_prefix("https://").unwrap_or(&canonical);
    let (host, path) = host_and_path.split_once(['/', '?']).unwrap_or((host_and_path, ""));
    if !host.contains('.') && !host.starts_with('[') || url.contains("...") || url.contains('…') {
        return Some(CitationFaultKind::MalformedAddress);
    }
    path.is_empty().then_some(CitationFaultKind::RootAddress)
}

fn key(url: &str) -> String {
    canonical(url).unwrap_or_else(|| url.to_owned())
}
