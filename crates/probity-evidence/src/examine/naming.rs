//! Words beside the citations that say more than the name of their source: the label of a link, an entry of a list of
//! sources, a heading. A reader takes them for findings, so they are claims where neither the text nor the page has them.

use std::collections::{BTreeMap, BTreeSet};

use super::pages::PreparedPageSet;
use crate::{
    split::{
        BlockKind, PieceSurroundings, ReportPiece, ReportPieceKind, SplitReport, inherit_for_headings,
        says_finding, states_something,
    },
    words::{LetterCase, WordKind, is_stop_word, stem, words},
};

/// Labels and entries that are looked at: more than a long report has.
const NAMES_MAX: usize = 5_000;
/// Characters of a label that are read.
const LABEL_CHARACTERS_MAX: usize = 400;
/// A shorter word may be a part of a name.
const TELLING_LETTERS_MIN: usize = 4;

/// Claims that stand inside a sentence beside its own, by the place of the sentence.
pub type LabelClaims = BTreeMap<usize, Vec<ReportPiece>>;

/// Makes claims of headings and entries that say more than their sources, and returns those of labels.
pub fn count_names(read: &mut SplitReport, text: &str, library: &PreparedPageSet) -> LabelClaims {
    let said = read.pieces.iter().filter(|piece| piece.kind != ReportPieceKind::Structure);
    let sentences: Vec<String> = said.map(|piece| piece.words.clone()).collect();
    let mut names = NameReader { library, sentences: &sentences, told: None, pages: BTreeMap::new() };
    let entries = names.entries(read, text);
    let headings = names.headings(read);
    for (place, cites) in entries {
        if let Some(piece) = read.pieces.get_mut(place) {
            piece.kind = ReportPieceKind::Fact;
            piece.load_bearing = true;
            piece.cites = cites;
        }
    }
    for place in &headings {
        if let Some(piece) = read.pieces.get_mut(*place) {
            piece.kind = ReportPieceKind::Fact;
            piece.load_bearing = true;
        }
    }
    inherit_for_headings(read, &headings);
    names.labels(read, text)
}

/// What a page says, as far as names are held against it.
struct PageWords {
    findings: BTreeSet<usize>,
    stems: BTreeSet<String>,
}

struct NameReader<'a> {
    library: &'a PreparedPageSet,
    sentences: &'a [String],
    /// The findings of the sentences, which are checked there; looked for when a name has one.
    told: Option<BTreeSet<usize>>,
    pages: BTreeMap<usize, Option<PageWords>>,
}

impl NameReader<'_> {
    /// None for a page that could not be read.
    fn page(&mut self, place: usize) -> Option<&PageWords> {
        let library = self.library;
        let read = || {
            let number = u32::try_from(place).ok()?;
            let page = library.page(number)?;
            let url = library.sources.get(place).map_or("", |source| source.url.as_str());
            let said = format!("{} {url} {}", page.title(), page.page.text());
            let stems = words(&said).iter().map(|word| stem(&word.folded).to_owned()).collect();
            Some(PageWords { findings: says_finding(&said), stems })
        };
        self.pages.entry(place).or_insert_with(read).as_ref()
    }

    /// Whether neither the text nor one of these pages has a finding that the words have.
    fn is_news(&mut self, words: &str, places: &[usize]) -> bool {
        let mut new = says_finding(words);
        if new.is_empty() {
            return false;
        }
        let sentences = self.sentences;
        let told =
            self.told.get_or_insert_with(|| sentences.iter().flat_map(|said| says_finding(said)).collect());
        new.retain(|finding| !told.contains(finding));
        let mut any = false;
        for place in places {
            if let Some(page) = self.page(*place) {
                any = true;
                new.retain(|finding| !page.findings.contains(finding));
            }
        }
        any && !new.is_empty()
    }

    /// Whether the words are a statement with a word that the page does not have.
    fn states_more(&mut self, label: &str, place: usize) -> bool {
        if !states_something(label) {
            return false;
        }
        let Some(page) = self.page(place) else { return false };
        words(label).iter().any(|word| {
            word.kind == WordKind::Plain
                && word.case == LetterCase::Lower
                && word.folded.chars().count() >= TELLING_LETTERS_MIN
                && !is_stop_word(&word.folded)
                && !page.stems.contains(stem(&word.folded))
        })
    }

    /// Entries of a list of sources that say a finding, with the places of their pages.
    fn entries(&mut self, read: &SplitReport, text: &str) -> Vec<(usize, Vec<usize>)> {
        let entries = read.sentences.iter().filter(|sentence| sentence.kind == BlockKind::SourceEntry);
        let mut found = Vec::new();
        for sentence in entries.take(NAMES_MAX) {
            let body = text.get(sentence.start..sentence.end).unwrap_or_default();
            let words = without_addresses(body);
            if says_finding(&words).is_empty() {
                continue;
            }
            let is_named = |url: &str| !url.is_empty() && body.contains(url);
            let cited = read.cited.iter().enumerate().filter(|(_, source)| is_named(&source.url));
            let cites: Vec<usize> = cited.map(|(place, _)| place).collect();
            if self.is_news(&words, &cites) {
                found.extend(sentence.claims.clone().map(|place| (place, cites.clone())));
            }
        }
        found
    }

    /// Headings with a finding that no sentence and no page has.
    fn headings(&mut self, read: &SplitReport) -> Vec<usize> {
        let places: Vec<usize> = (0..read.cited.len()).collect();
        let headings = read.sentences.iter().filter(|sentence| sentence.kind == BlockKind::Heading);
        let mut found = Vec::new();
        for place in headings.take(NAMES_MAX).flat_map(|sentence| sentence.claims.clone()) {
            let Some(piece) = read.pieces.get(place) else { continue };
            let is_open = piece.words.trim_end().ends_with(['?', '？', ':', '：']);
            let is_structure = piece.kind == ReportPieceKind::Structure;
            if is_structure && !is_open && self.is_news(&piece.words, &places) {
                found.push(place);
            }
        }
        found
    }

    fn labels(&mut self, read: &SplitReport, text: &str) -> LabelClaims {
        let mut found = LabelClaims::new();
        let labelled = read.marks.iter().filter(|(mark, _)| mark.words.is_none() && mark.label.is_some());
        for (mark, places) in labelled.take(NAMES_MAX) {
            let Some(label) = mark.label.and_then(|(from, to)| text.get(from..to)) else { continue };
            let label = label.trim_matches(['*', '_', ' ', '\n']);
            let Some(place) = places.first().filter(|_| label.chars().count() <= LABEL_CHARACTERS_MAX) else {
                continue;
            };
            if !self.is_news(label, places) && !self.states_more(label, *place) {
                continue;
            }
            let behind = read.sentences.partition_point(|sentence| sentence.start <= mark.start);
            let Some(sentence) = behind.checked_sub(1) else { continue };
            found.entry(sentence).or_default().push(ReportPiece {
                start: mark.start,
                end: mark.end,
                words: label.to_owned(),
                kind: ReportPieceKind::Fact,
                quotations: Vec::new(),
                cites: places.clone(),
                lost_citation: false,
                load_bearing: true,
                has_number: label.contains(char::is_numeric),
                around: PieceSurroundings::default(),
                columns: Vec::new(),
                labels: Vec::new(),
                inherits: Vec::new(),
                inherited: None,
            });
        }
        found
    }
}

/// An entry without its addresses, whose words nobody reads.
fn without_addresses(entry: &str) -> String {
    let is_address = |part: &&str| part.contains("://") || part.starts_with("www.");
    let parts = entry.split(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | '<' | '>' | '[' | ']'));
    parts.filter(|part| !is_address(part)).collect::<Vec<&str>>().join(" ")
}

#[cfg(test)]
mod tests {
    use probity_types::checking::task::JudgeLocation;

    use crate::examine::tests::{ledger, page};

    const PAGE: &str =
        "The Dorrin Works in Pell opened a second hall in 2019. The mayor of Pell cut the ribbon.";

    /// The words of all claims of a text whose links lead to the page.
    fn claims(text: &str) -> Vec<String> {
        let ledger = ledger(text, vec![page("http://a.example/x", PAGE)], JudgeLocation::Absent);
        ledger.claims.into_iter().map(|claim| claim.words).collect()
    }

    #[test]
    fn a_label_that_says_more_than_its_page_is_a_claim() {
        for label in ["The works went bankrupt", "Mayor convicted of bribery", "this was denied by the works"]
        {
            for text in [
                format!("Pell got a second hall in 2019 ([{label}](http://a.example/x))."),
                format!("Pell got a second hall in 2019. [{label}](http://a.example/x)"),
            ] {
                let found = claims(&text);
                assert!(found.iter().any(|words| words.contains(label)), "{text}: {found:?}");
            }
        }
        for label in ["Dorrin Works", "Pell Gazette, 2019", "The mayor of Pell opened it", "annual report"] {
            let text = format!("Pell got a second hall in 2019 ([{label}](http://a.example/x)).");
            assert_eq!(claims(&text).len(), 1, "{text}");
        }
    }

    #[test]
    fn a_heading_or_an_entry_with_a_finding_of_nobody_is_a_claim() {
        let said = "Pell got a second hall in 2019 [1].";
        let list = "## Sources\n\n1. [Dorrin Works](http://a.example/x)";
        let counted =
            |heading: &str, note: &str| claims(&format!("## {heading}\n\n{said}\n\n{list}{note}\n")).len();
        assert_eq!(counted("The second hall", ""), 1);
        for heading in ["Forty deaths", "Fraud and cover-up", "An unsafe hall", "Einsturz 2019"] {
            assert_eq!(counted(heading, ""), 2, "{heading}");
        }
        for note in [" – on the collapse and its forty victims", " (shows that the mayor took bribes)"] {
            assert_eq!(counted("The second hall", note), 2, "{note}");
        }
    }
}
