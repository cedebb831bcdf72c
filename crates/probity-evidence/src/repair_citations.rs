//! Repairs the citations of a report before it is shown: labels without a source, one address under two
//! numbers, addresses that no tool returned, and a provider's redirects in place of pages.
//!
//! Only citation marks and source lists are edited, never a word of a sentence. Every repair is listed.

use std::{collections::BTreeMap, sync::atomic::AtomicBool};

use probity_types::{
    checking::task::CitedPage,
    report::{Citation, Report, SourceLink},
    rounds::links,
    text,
};

use crate::{
    citations::{ADDRESS_NOT_FOUND, CitationMark, CitationTarget},
    split::{CitationFault, CitationFaultKind, SplitReport, split_until},
};

/// The host of the redirects that a provider uses instead of the pages it found.
const REDIRECT: &str = "/grounding-api-redirect/";

/// A range of the text and its replacement.
struct TextEdit {
    start: usize,
    end: usize,
    with: String,
}

/// The report as it is shown, and what was repaired. None once `stop` is set.
pub fn repair_citations(
    report: &Report,
    pages: &[CitedPage],
    stop: &AtomicBool,
) -> Option<(Report, Vec<String>)> {
    let given: Vec<(usize, usize, usize)> =
        report.citations.iter().map(|citation| (citation.start, citation.end, citation.source)).collect();
    let sources: Vec<(String, String)> =
        report.sources.iter().map(|source| (source.url.clone(), source.title.clone())).collect();
    let read = split_until(&report.text, &given, &sources, stop)?;
    let fates = AddressOutcomes::of(report, pages);
    let mut mender = CitationRepairer {
        text: &report.text,
        split: &read,
        fates: &fates,
        edits: Vec::new(),
        notes: Vec::new(),
    };
    mender.marks();
    mender.entries();
    let CitationRepairer { edits, notes: mut told, .. } = mender;
    let (text, moved) = applied(&report.text, edits);
    let (sources, places) = merged(&report.sources, &fates, &mut told);
    let citations = report
        .citations
        .iter()
        .filter_map(|citation| {
            let source = *places.get(citation.source)?;
            let (start, end) = (moved(citation.start), moved(citation.end));
            (start < end).then_some(Citation { start, end, source })
        })
        .collect();
    Some((Report { text, citations, sources, ..report.clone() }, told))
}

/// The outcome of each address: the page it led to, or that no tool returned it.
struct AddressOutcomes {
    leads_to: BTreeMap<String, String>,
    invented: Vec<String>,
}

impl AddressOutcomes {
    fn of(report: &Report, pages: &[CitedPage]) -> Self {
        let mut fates = Self { leads_to: BTreeMap::new(), invented: Vec::new() };
        let returned: Vec<String> =
            report.sources.iter().map(|source| links::canonical(&source.url)).collect();
        for page in pages {
            let canonical = links::canonical(&page.url);
            match &page.page {
                Ok(stored) if page.url.contains(REDIRECT) => {
                    fates.leads_to.insert(canonical, stored.metadata.record.final_url.clone());
                }
                Err(_) if !returned.contains(&canonical) => fates.invented.push(canonical),
                Ok(_) | Err(_) => {}
            }
        }
        fates
    }

    fn page<'a>(&'a self, url: &'a str) -> &'a str {
        self.leads_to.get(&links::canonical(url)).map_or(url, String::as_str)
    }

    fn is_invented(&self, url: &str) -> bool {
        self.invented.contains(&links::canonical(url))
    }
}

struct CitationRepairer<'a> {
    text: &'a str,
    split: &'a SplitReport,
    fates: &'a AddressOutcomes,
    edits: Vec<TextEdit>,
    notes: Vec<String>,
}

impl CitationRepairer<'_> {
    fn edit(&mut self, start: usize, end: usize, with: String) {
        if self.text.get(start..end).is_some_and(|old| old != with) {
            self.edits.push(TextEdit { start, end, with });
        }
    }

    fn note_repair(&mut self, what: String) {
        self.notes.push(text::line(&what, 300));
    }

    /// The faults that begin inside a mark; they are listed by where they begin.
    fn faults_of(&self, mark: &CitationMark) -> impl Iterator<Item = &CitationFault> {
        let faults = &self.split.faults;
        let first = faults.partition_point(|fault| fault.start < mark.start);
        let end = mark.end;
        faults.iter().skip(first).take_while(move |fault| fault.start < end)
    }

    fn marks(&mut self) {
        for (mark, places) in &self.split.marks {
            match &mark.target {
                CitationTarget::Labels(labels) => self.labels(mark, labels, places),
                CitationTarget::Url(url) => self.url(mark, url),
                CitationTarget::Author(_) | CitationTarget::Nothing | CitationTarget::Lost => {}
            }
        }
    }

    /// `[1, 7]` keeps the listed labels, each source by the first of its numbers.
    fn labels(&mut self, mark: &CitationMark, labels: &[String], places: &[usize]) {
        let dangling = self.faults_of(mark).filter(|fault| {
            fault.kind == CitationFaultKind::DanglingLabel
                && fault.start == mark.start
                && fault.end == mark.end
        });
        let dangling: Vec<String> = dangling.map(|fault| fault.what.clone()).collect();
        let mut kept: Vec<String> = Vec::new();
        let first_of = |place: &usize| self.split.cited.get(*place).and_then(|cited| cited.label.clone());
        for label in places.iter().filter_map(first_of) {
            if !kept.contains(&label) {
                kept.push(label);
            }
        }
        let renamed = labels.len() == 1 && kept.len() == 1 && labels.first() != kept.first();
        if dangling.is_empty() && !renamed && kept.len() == labels.len() {
            return;
        }
        if kept.is_empty() && dangling.is_empty() {
            return;
        }
        for label in &dangling {
            self.note_repair(format!("the label {label} means no source and was taken out"));
        }
        let with = if kept.is_empty() { String::new() } else { format!("[{}]", kept.join(", ")) };
        let spaced = self.text.get(..mark.start).is_some_and(|before| before.ends_with(' '));
        let start = if with.is_empty() && spaced { mark.start - 1 } else { mark.start };
        self.edit(start, mark.end, with);
    }

    fn url(&mut self, mark: &CitationMark, url: &str) {
        let words = mark.text().and_then(|(start, end)| self.text.get(start..end)).unwrap_or_default();
        let malformed = self
            .faults_of(mark)
            .any(|fault| fault.kind == CitationFaultKind::MalformedAddress && fault.end <= mark.end);
        if malformed || self.fates.is_invented(url) {
            self.note_repair(format!("the address {url} cannot be opened and no search returned it"));
            let with = if words.is_empty() {
                ADDRESS_NOT_FOUND.to_owned()
            } else {
                format!("{words} {ADDRESS_NOT_FOUND}")
            };
            self.edit(mark.start, mark.end, with);
            return;
        }
        let page = self.fates.page(url);
        if page != url
            && let Some(old) = self.text.get(mark.start..mark.end)
        {
            self.edit(mark.start, mark.end, old.replace(url, page));
        }
    }

    /// Lists of sources: no address twice, pages instead of redirects.
    fn entries(&mut self) {
        let twice =
            self.split.faults.iter().filter(|fault| fault.kind == CitationFaultKind::DuplicateAddress);
        for fault in twice {
            // With its line break, so that the list has no hole.
            let behind = self.text.get(fault.end..).is_some_and(|rest| rest.starts_with('\n'));
            let end = if behind { fault.end + 1 } else { fault.end };
            self.note_repair(format!("the address {} stood twice in the list of sources", fault.what));
            self.edit(fault.start, end, String::new());
        }
        for url in links::addresses(self.text).iter().filter(|url| self.fates.page(url) != url.as_str()) {
            for (start, _) in self.text.match_indices(url.as_str()) {
                let end = start + url.len();
                let inside = |edit: &TextEdit| edit.start < end && start < edit.end;
                if !self.edits.iter().any(inside) {
                    let page = self.fates.page(url).to_owned();
                    self.edit(start, end, page);
                }
            }
        }
    }
}

/// The text with its edits, and the map of old to new offsets.
fn applied(text: &str, mut edits: Vec<TextEdit>) -> (String, impl Fn(usize) -> usize) {
    edits.sort_by_key(|edit| (edit.start, edit.end));
    let mut shown = String::with_capacity(text.len());
    let mut shifts: Vec<(usize, usize, usize)> = Vec::new();
    let mut done = 0;
    for edit in edits {
        if edit.start < done {
            continue;
        }
        shown.push_str(text.get(done..edit.start).unwrap_or_default());
        shown.push_str(&edit.with);
        done = edit.end;
        shifts.push((edit.start, edit.end, shown.len()));
    }
    shown.push_str(text.get(done..).unwrap_or_default());
    let moved = move |byte: usize| {
        let before = shifts.partition_point(|(start, _, _)| *start < byte);
        match before.checked_sub(1).and_then(|place| shifts.get(place)) {
            None => byte,
            // Inside a replaced range: after it.
            Some((_, end, now)) if byte <= *end => *now,
            Some((_, end, now)) => now + (byte - end),
        }
    };
    (shown, moved)
}

/// Each page once, by its own address; and the new index of each old source.
fn merged(
    sources: &[SourceLink],
    fates: &AddressOutcomes,
    told: &mut Vec<String>,
) -> (Vec<SourceLink>, Vec<usize>) {
    let mut kept: Vec<SourceLink> = Vec::new();
    let mut places = Vec::with_capacity(sources.len());
    for source in sources {
        let url = fates.page(&source.url).to_owned();
        let canonical = links::canonical(&url);
        let known = kept.iter().position(|known| links::canonical(&known.url) == canonical);
        if known.is_some() {
            told.push(text::line(&format!("the address {url} was listed twice"), 300));
        }
        places.push(known.unwrap_or(kept.len()));
        if known.is_none() {
            kept.push(SourceLink { url, title: source.title.clone() });
        }
    }
    (kept, places)
}

#[cfg(test)]
mod tests;
