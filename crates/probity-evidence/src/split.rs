//! A report as sentences and claims, each with its bytes and with what it cites.
//!
//! Reads Markdown as models and people write it. Every word of a report is in exactly one sentence. A
//! citation covers the sentence it is in or after; what sentences without one take over from their paragraph, list or
//! table is kept apart (`ReportPiece::inherits`).

mod asides;
mod blocks;
mod claims;
mod closing_list;
mod findings;
mod inherit;
mod kind;
mod notices;
mod own_words;
mod plain;
mod quotes;
pub mod script;
mod sentences;
mod source_lists;
mod statements;
mod surroundings;
mod table;
mod verbs;

use std::{
    collections::BTreeSet,
    ops::Range,
    sync::atomic::{AtomicBool, Ordering},
};

use probity_types::{
    ledger::{InheritedCitation, SkippedParts},
    report::{
        own_list::OwnEntry,
        text_numbers::{AttributedRange, text_numbers},
    },
};

use self::{blocks::MarkdownBlock, kind::ReportPieceTraits, surroundings::SurroundingsReader};
pub(crate) use self::{
    findings::findings as says_finding, own_words::inherit as inherit_for_headings,
    sentences::starts_a_sentence, surroundings::is_pronoun,
};
pub use self::{source_lists::without_source_lists, surroundings::PieceSurroundings, table::unit_of};
pub use crate::citations::list::{CitationFault, CitationFaultKind, CitedSource};
use crate::{
    citations::{
        CitationMark, CitationTarget,
        list::{SourceList, SourceListEntry, entry},
        marks,
    },
    formula,
    value::{Measure, Quantity, QuantityForm, values},
};

/// A report is read up to here; books are not reports.
pub const REPORT_BYTES_MAX: usize = 8 * 1024 * 1024;
/// A quotation of fewer words is a term, not a statement; nor is a heading of fewer words a sentence.
const STATEMENT_WORDS_MIN: usize = 3;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BlockKind {
    Heading,
    Paragraph,
    Item,
    Row,
    Quotation,
    Code,
    SourceEntry,
    FrontMatter,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ReportPieceKind {
    /// Something about the world.
    Fact,
    /// A figure computed from others: its formula can be written down, or the wording says so.
    Derived,
    /// The author speaks of the report or advises, and says nothing about the world.
    OwnWords,
    Question,
    /// Headings that cite nothing or are no sentences, code, source lists.
    Structure,
}

/// One sentence, heading, row or entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SplitSentence {
    pub start: usize,
    pub end: usize,
    /// Its claims, as places in `SplitReport::pieces`; never empty.
    pub claims: Range<usize>,
    pub kind: BlockKind,
    /// The same number for the sentences of one paragraph, item or row.
    pub block: usize,
}

/// One claim: a sentence, or the part of it that has citations of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportPiece {
    pub start: usize,
    pub end: usize,
    /// The plain words without markup and marks of citation.
    pub words: String,
    pub kind: ReportPieceKind,
    /// Bytes of the report between quotation marks.
    pub quotations: Vec<(usize, usize)>,
    /// Places in `SplitReport::cited`, each once.
    pub cites: Vec<usize>,
    /// It cited an address that was taken out: what others cite is not what it cited.
    pub lost_citation: bool,
    /// Carries a number, a date, a name or a quotation.
    pub load_bearing: bool,
    pub has_number: bool,
    pub around: PieceSurroundings,
    /// The headers that stand in the words of a row.
    pub columns: Vec<String>,
    /// Words of it that name who reports it.
    pub labels: Vec<String>,
    /// Places in `SplitReport::cited` that it takes over, having none of its own; and from where.
    pub inherits: Vec<usize>,
    pub inherited: Option<InheritedCitation>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SplitReport {
    pub sentences: Vec<SplitSentence>,
    pub pieces: Vec<ReportPiece>,
    pub cited: Vec<CitedSource>,
    pub faults: Vec<CitationFault>,
    /// Every mark of citation, in order, with the places in `cited` that it points at; none for a dangling one.
    pub marks: Vec<(CitationMark, Vec<usize>)>,
    /// What is not read on purpose, one entry for each kind.
    pub skipped: Vec<SkippedParts>,
}

/// Splits a report. `given` are byte ranges that a provider attributes to places in `sources`; `sources` are the
/// addresses and titles it listed beside the text, and they are the first of `SplitReport::cited`.
pub fn split(markdown: &str, given: &[(usize, usize, usize)], sources: &[(String, String)]) -> SplitReport {
    split_until(markdown, given, sources, &AtomicBool::new(false)).unwrap_or_default()
}

/// The same; none once `stop` is set. Looks at it between blocks, each of which takes milliseconds.
pub fn split_until(
    markdown: &str,
    given: &[(usize, usize, usize)],
    sources: &[(String, String)],
    stop: &AtomicBool,
) -> Option<SplitReport> {
    let goes_on = || (!stop.load(Ordering::Relaxed)).then_some(());
    let bytes = markdown.floor_char_boundary(markdown.len().min(REPORT_BYTES_MAX));
    let markdown = markdown.get(..bytes).unwrap_or_default();
    let blocks = blocks::blocks(markdown);
    let is_entry = |block: &&MarkdownBlock| block.kind == BlockKind::SourceEntry;
    let entries: Vec<SourceListEntry> =
        blocks.iter().filter(is_entry).map(|block| entry(markdown, block.start, block.end)).collect();
    goes_on()?;
    let numbers = numbers_without_list(markdown, given, sources);
    let sources = SourceList::new(sources, &entries, &numbers, markdown.len());
    let skipped = asides::skipped(markdown, &blocks);
    let blocks = asides::apart(markdown, &blocks);
    let mut splitter = ReportSplitter {
        markdown,
        sources,
        split: SplitReport { skipped, ..SplitReport::default() },
        block: 0,
        around: SurroundingsReader::default(),
    };
    let found: Option<Vec<Vec<CitationMark>>> = {
        let known = splitter.sources.known_labels();
        let marks = |block| goes_on().map(|()| block_marks(markdown, block, &known));
        blocks.iter().map(marks).collect()
    };
    for (number, (block, marks)) in blocks.iter().zip(found?).enumerate() {
        goes_on()?;
        splitter.block = number;
        splitter.block(block, marks);
    }
    splitter.attribute(given);
    goes_on()?;
    asides::rest_on_callers(&mut splitter.split, &splitter.sources.cited, markdown, &blocks);
    let mut stated = own_words::settle(&mut splitter.split, markdown);
    stated.extend(findings::count_headings(&mut splitter.split, &blocks));
    inherit::inherit(&mut splitter.split, &splitter.around.blocks);
    own_words::inherit(&mut splitter.split, &stated);
    Some(splitter.finish())
}

/// What numbers mean where the text has no list of sources.
fn numbers_without_list<'a>(
    markdown: &'a str,
    given: &[(usize, usize, usize)],
    sources: &'a [(String, String)],
) -> Vec<OwnEntry<'a>> {
    let url = |place: usize| sources.get(place).map_or("", |(url, _)| url.as_str());
    let attributed: Vec<AttributedRange<'_>> = given
        .iter()
        .map(|(start, end, place)| AttributedRange { start: *start, end: *end, url: url(*place) })
        .collect();
    let order: Vec<&str> = sources.iter().map(|(url, _)| url.as_str()).collect();
    text_numbers(markdown, &attributed, &order)
}

/// The marks that lie wholly between two places.
fn marks_within(marks: &[CitationMark], start: usize, end: usize) -> &[CitationMark] {
    marks.get(places_within(marks, start, end)).unwrap_or_default()
}

fn places_within(marks: &[CitationMark], start: usize, end: usize) -> Range<usize> {
    let first = marks.partition_point(|mark| mark.start < start);
    first..marks.partition_point(|mark| mark.end <= end).max(first)
}

/// Marks count where prose cites; code and the source list itself cite nothing.
fn block_marks(
    markdown: &str,
    block: &MarkdownBlock,
    known: &crate::citations::KnownLabels<'_>,
) -> Vec<CitationMark> {
    match block.kind {
        BlockKind::Code | BlockKind::SourceEntry | BlockKind::FrontMatter => Vec::new(),
        BlockKind::Heading
        | BlockKind::Paragraph
        | BlockKind::Item
        | BlockKind::Row
        | BlockKind::Quotation => marks(markdown, block.start, block.end, known),
    }
}

/// Without the commas between marks after the full stop.
fn ended(words: String) -> String {
    let trimmed = words.trim_end_matches([',', ';', ' ']);
    if trimmed.ends_with(['.', '!', '?', '。']) { trimmed.to_owned() } else { words }
}

/// Whether words that stand beside the text, such as a link's label, are a statement with a verb.
pub(crate) fn states_something(words: &str) -> bool {
    statements::heading_states(words) || verbs::heading_states(words)
}

/// What only names who says what follows, such as `According to the ministry:`.
fn is_lead_in(words: &str) -> bool {
    words.trim().strip_suffix([':', '：']).is_some_and(|lead| {
        crate::citations::begins_with_reporter(lead)
            && !kind::has_number(lead)
            && !states_something(lead)
            && findings::findings(lead).is_empty()
    })
}

/// Whether a heading is long enough for a sentence and has a figure that measures or follows a verb: "Phase 3" and
/// "Article 50" are names.
fn counts_something(heading: &str) -> bool {
    let is_figure = |number: &Quantity| {
        let before = heading.get(..number.start).unwrap_or_default().trim_end();
        let word = before.rsplit(' ').next().unwrap_or_default();
        let measures = number.unit.measure != Measure::Count;
        number.form == QuantityForm::Digits && (measures || word.starts_with(char::is_lowercase))
    };
    has_statement_length(heading) && values(heading).numbers.iter().any(is_figure)
}

/// Whether a text is long enough to say something.
fn has_statement_length(text: &str) -> bool {
    let dense = text.chars().filter(|c| script::is_dense(*c)).count();
    text.split_whitespace().count() >= STATEMENT_WORDS_MIN || dense >= 2 * STATEMENT_WORDS_MIN
}

/// Links that stand alone after a sentence, such as `It rains. [Weather Office](…)`, name its source and say
/// nothing: their words are none of the text's. What ends like a sentence is one. Whether there were such
/// links.
fn name_only(markdown: &str, start: usize, end: usize, marks: &mut [CitationMark]) -> bool {
    const ENDS: [char; 4] = ['.', '!', '?', '。'];
    let says = |text: &str| text.contains(|c: char| c.is_alphanumeric() || ENDS.contains(&c));
    let own = marks.get_mut(places_within(marks, start, end)).unwrap_or_default();
    let mut at = start;
    for mark in own.iter() {
        let words = mark.words.and_then(|(from, to)| markdown.get(from..to)).unwrap_or_default();
        if says(markdown.get(at..mark.start).unwrap_or_default()) || words.trim_end().ends_with(ENDS) {
            return false;
        }
        at = mark.end;
    }
    let only = at > start && !says(markdown.get(at..end).unwrap_or_default());
    if only {
        own.iter_mut().for_each(|mark| mark.label = mark.words.take().or(mark.label));
    }
    only
}

struct ReportSplitter<'a> {
    markdown: &'a str,
    sources: SourceList,
    split: SplitReport,
    block: usize,
    around: SurroundingsReader,
}

/// Whether a range is inside a mark and not in the mark's own text.
fn is_link_title((start, end): (usize, usize), marks: &[CitationMark]) -> bool {
    let before = marks.partition_point(|mark| mark.start < start).checked_sub(1);
    before.and_then(|place| marks.get(place)).is_some_and(|mark| {
        let is_text = mark.text().is_some_and(|(from, to)| from <= start && end <= to);
        end < mark.end && !is_text
    })
}

impl ReportSplitter<'_> {
    fn block(&mut self, block: &MarkdownBlock, mut marks: Vec<CitationMark>) {
        self.around.enter(block, &self.split.pieces);
        let mut places = Vec::with_capacity(marks.len());
        marks.retain(|mark| {
            let title =
                mark.text().and_then(|(start, end)| self.markdown.get(start..end)).unwrap_or_default();
            let found = self.sources.resolve(mark, title);
            places.extend(found.clone());
            found.is_some()
        });
        let quotations = match block.kind {
            BlockKind::Code | BlockKind::SourceEntry | BlockKind::FrontMatter => Vec::new(),
            _ => quotes::quotations(self.markdown, block.start, block.end),
        };
        // `[a](url "title")`: the title of a link quotes nobody.
        let quotations: Vec<(usize, usize)> =
            quotations.into_iter().filter(|range| !is_link_title(*range, &marks)).collect();
        let ranges = |marks: &[CitationMark]| match block.kind {
            BlockKind::Paragraph | BlockKind::Item | BlockKind::Quotation => {
                sentences::sentences(self.markdown, block.start, block.end, marks, &quotations)
            }
            BlockKind::Heading
            | BlockKind::Row
            | BlockKind::Code
            | BlockKind::SourceEntry
            | BlockKind::FrontMatter => {
                vec![(block.start, block.end)]
            }
        };
        let found = ranges(&marks);
        // What only names a source belongs to the sentence before it.
        let later = found.iter().skip(1);
        let named = later.filter(|(start, end)| name_only(self.markdown, *start, *end, &mut marks)).count();
        let ranges = if named > 0 { ranges(&marks) } else { found };
        self.split.marks.extend(marks.iter().cloned().zip(places.iter().cloned()));
        if block.is_header {
            self.around.headers = table::cells(self.markdown, block.start, block.end, &marks);
        }
        let first = self.split.pieces.len();
        for (start, end) in ranges {
            self.sentence(block, start, end, &marks, &places, &quotations);
        }
        if let Some(entry) = block.aside_of {
            self.cite_entry(first, entry, block.end);
        }
        self.around.leave(block, &self.split.pieces);
    }

    /// Sentences of an entry that cite nothing else rest on its own addresses.
    fn cite_entry(&mut self, first: usize, entry: usize, end: usize) {
        let SourceListEntry { urls, title, .. } = self::entry(self.markdown, entry, end);
        let mut places = Vec::new();
        for url in urls {
            let target = CitationTarget::Url(url);
            let mark = CitationMark { start: entry, end, target, words: None, label: None };
            places.extend(self.sources.resolve(&mark, &title).unwrap_or_default());
        }
        let own = self.split.pieces.iter_mut().skip(first);
        for piece in own.filter(|piece| piece.cites.is_empty() && piece.kind != ReportPieceKind::Structure) {
            piece.cites.clone_from(&places);
        }
    }

    fn sentence(
        &mut self,
        block: &MarkdownBlock,
        start: usize,
        end: usize,
        marks: &[CitationMark],
        places: &[Vec<usize>],
        quotations: &[(usize, usize)],
    ) {
        let first_piece = self.split.pieces.len();
        let ranges = match block.kind {
            BlockKind::Paragraph | BlockKind::Item | BlockKind::Quotation => {
                claims::claims(self.markdown, start, end, marks)
            }
            _ => vec![(start, end)],
        };
        for (start, end) in ranges {
            let mut seen = BTreeSet::new();
            let own = places.get(places_within(marks, start, end)).unwrap_or_default();
            let cites = own.iter().flatten().copied().filter(|place| seen.insert(*place)).collect();
            let first = quotations.partition_point(|(from, _)| *from < start);
            let quotations =
                quotations.iter().skip(first).take_while(|(_, to)| *to <= end).copied().collect();
            let mut piece = self.piece(block, (start, end), marks, cites, quotations);
            let is_part = self.split.pieces.len() > first_piece;
            piece.around = self.around.of_next(&piece.words, is_part, &self.split.pieces);
            self.push(piece);
        }
        let claims = first_piece..self.split.pieces.len();
        self.split.sentences.push(SplitSentence { start, end, claims, kind: block.kind, block: self.block });
    }

    /// Adds a piece; one that has only marks gives them to the sentence before it.
    fn push(&mut self, piece: ReportPiece) {
        let says_nothing = !piece.words.chars().any(char::is_alphanumeric);
        let is_text = |sentence: &SplitSentence| {
            matches!(
                sentence.kind,
                BlockKind::Paragraph | BlockKind::Item | BlockKind::Quotation | BlockKind::Row
            )
        };
        if says_nothing
            && self.split.sentences.last().is_some_and(is_text)
            && let Some(before) = self.split.pieces.last_mut()
        {
            let new: Vec<usize> =
                piece.cites.iter().filter(|place| !before.cites.contains(place)).copied().collect();
            before.cites.extend(new);
            before.lost_citation |= piece.lost_citation;
        }
        self.split.pieces.push(piece);
    }

    fn piece(
        &self,
        block: &MarkdownBlock,
        (start, end): (usize, usize),
        marks: &[CitationMark],
        cites: Vec<usize>,
        quotations: Vec<(usize, usize)>,
    ) -> ReportPiece {
        let (words, columns) = self.words(block, (start, end), marks);
        let own = marks_within(marks, start, end);
        let lost_citation = own.iter().any(|mark| mark.target == CitationTarget::Lost);
        let labels = own.iter().filter(|mark| mark.words.is_some());
        let labels = labels.filter_map(|mark| self.markdown.get(mark.label?.0..mark.label?.1));
        let labels = labels.map(|label| label.trim_matches(['*', '_', ' ']).to_owned()).collect();
        let is_quotation = |(start, end): &(usize, usize)| {
            has_statement_length(self.markdown.get(*start..*end).unwrap_or_default())
        };
        // A title may cite for its whole section; one that ends like a sentence or has a verb says something itself.
        let is_title = block.kind == BlockKind::Heading
            && (cites.is_empty() || !kind::is_whole_sentence(&words) && !counts_something(&words))
            && !statements::heading_states(&words);
        let is_alone = block.kind == BlockKind::Paragraph && (start, end) == (block.start, block.end);
        let is_named =
            is_alone && cites.is_empty() && (statements::is_byline(&words) || statements::is_label(&words));
        let is_structure = block.is_header
            || block.is_notice
            || is_lead_in(&words)
            || crate::citations::is_announcement(&words)
            || is_title
            || is_named
            || matches!(block.kind, BlockKind::Code | BlockKind::SourceEntry | BlockKind::FrontMatter);
        let has_number = !is_structure && kind::has_number(&words);
        let has_quotation = !is_structure && quotations.iter().any(is_quotation);
        let has_formula = has_number && formula::inline_formula(&words).is_some();
        let kind =
            kind::piece_kind(ReportPieceTraits { words: &words, is_structure, has_number, has_formula });
        let load_bearing =
            kind != ReportPieceKind::Structure && (has_number || has_quotation || kind::has_name(&words));
        ReportPiece {
            start,
            end,
            words,
            kind,
            quotations,
            cites,
            lost_citation,
            load_bearing,
            has_number,
            around: PieceSurroundings::default(),
            columns,
            labels,
            inherits: Vec::new(),
            inherited: None,
        }
    }

    /// The plain words of a piece; of a row, with the headers of its table, which come second.
    fn words(
        &self,
        block: &MarkdownBlock,
        (start, end): (usize, usize),
        marks: &[CitationMark],
    ) -> (String, Vec<String>) {
        if block.kind == BlockKind::Code {
            return (self.markdown.get(start..end).unwrap_or_default().to_owned(), Vec::new());
        }
        let is_row = block.kind == BlockKind::Row && !block.is_header && !self.around.headers.is_empty();
        let row = is_row.then(|| table::cells(self.markdown, start, end, marks));
        row.and_then(|cells| table::row(&cells, &self.around.headers))
            .unwrap_or_else(|| (ended(plain::plain(self.markdown, start, end, marks)), Vec::new()))
    }

    /// Adds what the provider says: a range belongs to the pieces it shares at least half of itself or of them with.
    fn attribute(&mut self, given: &[(usize, usize, usize)]) {
        let known = self.sources.cited.len();
        for (start, end, place) in given.iter().filter(|(start, end, place)| start < end && *place < known) {
            let first = self.split.pieces.partition_point(|piece| piece.end <= *start);
            for piece in self.split.pieces.iter_mut().skip(first).take_while(|piece| piece.start < *end) {
                let shared = piece.end.min(*end).saturating_sub(piece.start.max(*start));
                let shorter = (piece.end - piece.start).min(end - start);
                if shared > 0
                    && 2 * shared >= shorter
                    && piece.kind != ReportPieceKind::Structure
                    && !piece.cites.contains(place)
                {
                    piece.cites.push(*place);
                }
            }
        }
    }

    fn finish(mut self) -> SplitReport {
        let cited: BTreeSet<usize> =
            self.split.pieces.iter().flat_map(|piece| piece.cites.iter().copied()).collect();
        self.sources.finish(|place| cited.contains(&place));
        self.split.cited = self.sources.cited;
        self.split.faults = self.sources.faults;
        self.split
    }
}

#[cfg(test)]
mod context_tests;
#[cfg(test)]
mod growth;
#[cfg(test)]
mod tests;
