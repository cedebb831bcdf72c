//! How a report cites: which sentences have a citation, and what is wrong with its sources. Judges no claim.

use std::collections::BTreeSet;

use probity_types::web::canonical::site;

use crate::split::{BlockKind, CitationFaultKind, ReportPieceKind, SplitReport, SplitSentence};

/// Shorter sentences are captions and labels, in characters of words.
pub const SENTENCE_CHARACTERS_MIN: usize = 25;
/// The same for scripts that say as much in fewer characters.
pub const DENSE_CHARACTERS_MIN: usize = 10;

/// Counts of one report; those of many are added up.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CitationAudit {
    /// Sentences of prose, items and rows that are long enough to say something.
    pub sentences: usize,
    pub cited: usize,
    /// Sentences with a figure.
    pub numeric: usize,
    /// … that cite in the same sentence.
    pub numeric_cited: usize,
    /// … that cite somewhere in the same paragraph, item or row.
    pub numeric_cited_block: usize,
    /// Sources of the report, one per address.
    pub sources: usize,
    pub domains: usize,
    /// Labels in the text, and those that no source has; a label counts once.
    pub labels: usize,
    pub dangling: usize,
    /// Listed sources that no sentence cites.
    pub orphans: usize,
    /// Second and further labels for one address.
    pub duplicates: usize,
    pub roots: usize,
    pub malformed: usize,
}

/// The structure of a report that was split.
pub fn audit(split: &SplitReport) -> CitationAudit {
    let mut audit = CitationAudit { sources: split.cited.len(), ..CitationAudit::default() };
    let is_cited = |sentence: &SplitSentence| {
        split
            .pieces
            .get(sentence.claims.clone())
            .is_some_and(|pieces| pieces.iter().any(|piece| !piece.cites.is_empty()))
    };
    let cited_blocks: BTreeSet<usize> =
        split.sentences.iter().filter(|sentence| is_cited(sentence)).map(|sentence| sentence.block).collect();
    for sentence in split.sentences.iter().filter(|sentence| is_counted(split, sentence)) {
        let pieces = split.pieces.get(sentence.claims.clone()).unwrap_or_default();
        let is_numeric = pieces.iter().any(|piece| piece.has_number);
        let cited = is_cited(sentence);
        audit.sentences += 1;
        audit.cited += usize::from(cited);
        audit.numeric += usize::from(is_numeric);
        audit.numeric_cited += usize::from(is_numeric && cited);
        audit.numeric_cited_block += usize::from(is_numeric && cited_blocks.contains(&sentence.block));
    }
    audit.domains =
        split.cited.iter().filter_map(|cited| site(&cited.url)).collect::<BTreeSet<String>>().len();
    let dangling: BTreeSet<&str> = of(split, CitationFaultKind::DanglingLabel).collect();
    audit.dangling = dangling.len();
    let used: BTreeSet<usize> = split.pieces.iter().flat_map(|piece| piece.cites.iter().copied()).collect();
    audit.labels = used.len() + dangling.len();
    audit.orphans = of(split, CitationFaultKind::NeverCited).count();
    audit.duplicates = of(split, CitationFaultKind::DuplicateAddress).count();
    audit.roots = of(split, CitationFaultKind::RootAddress).count();
    audit.malformed = of(split, CitationFaultKind::MalformedAddress).count();
    audit
}

fn of(split: &SplitReport, kind: CitationFaultKind) -> impl Iterator<Item = &str> {
    split.faults.iter().filter(move |fault| fault.kind == kind).map(|fault| fault.what.as_str())
}

fn is_counted(split: &SplitReport, sentence: &SplitSentence) -> bool {
    let is_prose = matches!(
        sentence.kind,
        BlockKind::Paragraph | BlockKind::Item | BlockKind::Row | BlockKind::Quotation
    );
    let pieces = split.pieces.get(sentence.claims.clone()).unwrap_or_default();
    let characters: usize = pieces.iter().map(|piece| piece.words.chars().count()).sum();
    let dense: usize = pieces
        .iter()
        .map(|piece| piece.words.chars().filter(|c| crate::split::script::is_dense(*c)).count())
        .sum();
    let is_structure = pieces.iter().all(|piece| piece.kind == ReportPieceKind::Structure);
    is_prose && !is_structure && (characters >= SENTENCE_CHARACTERS_MIN || dense >= DENSE_CHARACTERS_MIN)
}

impl std::ops::AddAssign for CitationAudit {
    fn add_assign(&mut self, other: Self) {
        self.sentences += other.sentences;
        self.cited += other.cited;
        self.numeric += other.numeric;
        self.numeric_cited += other.numeric_cited;
        self.numeric_cited_block += other.numeric_cited_block;
        self.sources += other.sources;
        self.domains += other.domains;
        self.labels += other.labels;
        self.dangling += other.dangling;
        self.orphans += other.orphans;
        self.duplicates += other.duplicates;
        self.roots += other.roots;
        self.malformed += other.malformed;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::split::split;

    #[test]
    fn a_report_with_one_of_each_fault() {
        let report = "It has 5 million inhabitants today [1]. It grew a great deal since then. It is 7 metres long, \
                      they say.\n\n- There are 12 of them in the house [9]\n\n## Sources\n\n[1] https://a.org/x\n\
                      [2] https://a.org/x\n[3] https://b.org/\n[4] https://c.org/...\n";
        let found = audit(&split(report, &[], &[]));
        let expected = CitationAudit {
            sentences: 4,
            cited: 1,
            numeric: 3,
            numeric_cited: 1,
            numeric_cited_block: 2,
            sources: 3,
            domains: 3,
            labels: 2,
            dangling: 1,
            orphans: 2,
            duplicates: 1,
            roots: 1,
            malformed: 1,
        };
        assert_eq!(found, expected);
    }
}
