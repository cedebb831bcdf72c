//! The report's own side: sentences, claims and what they cite, as the ledger keeps them.

use std::sync::atomic::AtomicBool;

use probity_types::{
    ledger::{
        Claim, ClaimContext, ClaimId, ClaimKind, ReportSentence, SkippedParts,
        claim::{DerivedFigure, DerivedInput},
    },
    report::Report,
    text,
};

use super::{naming::LabelClaims, repeats::mark_repeats, subject::ClaimLead};
use crate::{
    formula::{self, Formula, FormulaOutcome},
    split::{self, BlockKind, REPORT_BYTES_MAX, ReportPiece, ReportPieceKind, SplitReport},
};

/// Longest heading, stem, and sentence before that is kept beside a claim, in characters.
const HEADING_CHARACTERS_MAX: usize = 160;
const NEIGHBOUR_CHARACTERS_MAX: usize = 320;

/// Bytes of claims that are searched for the inputs of derived figures. A long report needs a thousandth of it; after
/// so many an input is not tied to its claim.
const SEARCHED_BYTES_MAX: usize = 256 * 1024 * 1024;

pub struct LedgerClaims {
    pub sentences: Vec<ReportSentence>,
    pub claims: Vec<Claim>,
    /// What stands before each claim and may name what it speaks of.
    pub leads: Vec<ClaimLead>,
    /// What is wrong with how it cites, in words.
    pub faults: Vec<String>,
    /// What of the text was not examined, in words.
    pub unread: Vec<String>,
    /// What is not read on purpose.
    pub skipped: Vec<SkippedParts>,
}

/// The text as it is read, before pages are held against it; none once `stop` is set.
pub fn read(report: &Report, stop: &AtomicBool) -> Option<SplitReport> {
    let given: Vec<(usize, usize, usize)> =
        report.citations.iter().map(|citation| (citation.start, citation.end, citation.source)).collect();
    let sources: Vec<(String, String)> =
        report.sources.iter().map(|source| (source.url.clone(), source.title.clone())).collect();
    split::split_until(&report.text, &given, &sources, stop)
}

/// The claims of a text that was read; `labels` are those that stand in link labels.
pub fn claims_of(report: &Report, read: SplitReport, labels: &LabelClaims, most: usize) -> LedgerClaims {
    let mut sentences = Vec::new();
    let mut claims: Vec<Claim> = Vec::new();
    let mut leads: Vec<ClaimLead> = Vec::new();
    let mut too_many = 0_usize;
    let mut rows = Vec::new();
    let mut has_answer = false;
    let mut beyond_at = None;
    for (number, sentence) in read.sentences.iter().enumerate() {
        let pieces = read.pieces.get(sentence.claims.clone()).unwrap_or_default();
        let labels = labels.get(&number).map(Vec::as_slice).unwrap_or_default();
        let first = claims.len();
        for (place, piece) in pieces.iter().chain(labels).enumerate() {
            // Source lists, code and titles make no claim.
            if piece.kind == ReportPieceKind::Structure {
                continue;
            }
            if claims.len() >= most {
                too_many += 1;
                beyond_at.get_or_insert(piece.start);
                continue;
            }
            let mut claim = claim(report, piece, claims.len());
            claim.context = context(piece, &read.pieces);
            let is_row = sentence.kind == BlockKind::Row;
            // The first thing that the report says is what most readers take from it.
            if claim.kind == ClaimKind::Fact && !is_row && !std::mem::replace(&mut has_answer, true) {
                claim.load_bearing = true;
            }
            rows.push(is_row);
            leads.push(lead(piece, place > 0, &read.pieces));
            claims.push(claim);
        }
        let ids: Vec<ClaimId> = (first..claims.len()).map(ClaimId::at).collect();
        if !ids.is_empty() {
            sentences.push(ReportSentence { start: sentence.start, end: sentence.end, claims: ids });
        }
    }
    link_inputs(&mut claims);
    mark_repeats(&mut claims, &rows);
    let faults = read.faults.iter().map(|fault| format!("{:?}: {}", fault.kind, fault.what)).collect();
    let mut unread = Vec::new();
    if report.text.len() > REPORT_BYTES_MAX {
        let behind = report.text.len() - REPORT_BYTES_MAX;
        let line = line_at(&report.text, REPORT_BYTES_MAX);
        unread.push(format!(
            "the last {behind} bytes, from line {line} on: a text is read up to {REPORT_BYTES_MAX} bytes"
        ));
    }
    if too_many > 0 {
        let line = line_at(&report.text, beyond_at.unwrap_or_default());
        let claims = if too_many == 1 { "claim" } else { "claims" };
        unread.push(format!(
            "{too_many} {claims} from line {line} on, beyond the limit of {most} claims; `checks.claims_max` raises it"
        ));
    }
    LedgerClaims { sentences, claims, leads, faults, unread, skipped: read.skipped }
}

/// The line that a byte is in, counted from one.
fn line_at(text: &str, byte: usize) -> usize {
    text.bytes().take(byte).filter(|byte| *byte == b'\n').count() + 1
}

fn claim(report: &Report, piece: &split::ReportPiece, place: usize) -> Claim {
    let quotations = piece.quotations.iter().filter_map(|(start, end)| report.text.get(*start..*end));
    let kind = match piece.kind {
        ReportPieceKind::Fact => ClaimKind::Fact,
        ReportPieceKind::Derived => ClaimKind::Derived,
        ReportPieceKind::OwnWords | ReportPieceKind::Structure => ClaimKind::OwnWords,
        ReportPieceKind::Question => ClaimKind::Question,
    };
    let checkable = matches!(kind, ClaimKind::Fact | ClaimKind::Derived);
    Claim {
        id: ClaimId::at(place),
        start: piece.start,
        end: piece.end,
        words: piece.words.clone(),
        kind,
        load_bearing: checkable && (piece.load_bearing || !piece.cites.is_empty()),
        cites: piece
            .cites
            .iter()
            .chain(&piece.inherits)
            .filter_map(|place| u32::try_from(*place).ok())
            .collect(),
        quotations: quotations.map(str::to_owned).collect(),
        derived: if checkable {
            formula::inline_formula(&piece.words).map(|formula| Box::new(derived(&formula)))
        } else {
            None
        },
        context: ClaimContext::default(),
        inherited: piece.inherited,
        repeats: None,
        rests_on: Vec::new(),
    }
}

/// What a reader has beside the words of a piece.
fn context(piece: &ReportPiece, pieces: &[ReportPiece]) -> ClaimContext {
    let around = &piece.around;
    let words = |place: usize| pieces.get(place).map(|piece| piece.words.as_str()).unwrap_or_default();
    let line = |place: usize, most: usize| text::line(words(place), most);
    let before: Vec<String> = around
        .before
        .clone()
        .map(|place| line(place, NEIGHBOUR_CHARACTERS_MAX))
        .filter(|line| !line.is_empty())
        .collect();
    ClaimContext {
        headings: around.headings.iter().map(|place| line(*place, HEADING_CHARACTERS_MAX)).collect(),
        stem: around.stem.map(|place| line(place, NEIGHBOUR_CHARACTERS_MAX)).unwrap_or_default(),
        columns: piece.columns.clone(),
        before: before.join(" "),
        labels: piece.labels.clone(),
    }
}

/// What stands before a piece, the nearest first, each by itself; at last what announces its list.
fn lead(piece: &ReportPiece, is_part: bool, pieces: &[ReportPiece]) -> ClaimLead {
    let before = piece.around.before.clone().rev().chain(piece.around.stem);
    let words = before.filter_map(|place| pieces.get(place)).map(|piece| piece.words.as_str());
    let said = words.filter(|words| words.chars().any(char::is_alphanumeric));
    ClaimLead { is_part, before: said.map(|words| text::line(words, NEIGHBOUR_CHARACTERS_MAX)).collect() }
}

/// A figure that the sentence computes, computed again.
fn derived(formula: &Formula) -> DerivedFigure {
    let (computed, holds) = match formula.check() {
        FormulaOutcome::Holds => (Some(formula.stated.clone()), Some(true)),
        FormulaOutcome::Off { computed } => (Some(short(computed)), Some(false)),
        FormulaOutcome::NotComputable(_) => (None, None),
    };
    let input = |input: &formula::FormulaInput| DerivedInput {
        name: input.name.clone(),
        value: input.text.clone(),
        claim: None,
    };
    DerivedFigure {
        formula: formula.expression.clone(),
        inputs: formula.inputs.iter().map(input).collect(),
        stated: formula.stated.clone(),
        computed,
        holds,
    }
}

/// At most four digits after the point: what people write.
fn short(number: f64) -> String {
    let written = format!("{number:.4}");
    written.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// The claims that the inputs of derived figures come from: the nearest one before that has the same value.
fn link_inputs(claims: &mut [Claim]) {
    let words: Vec<String> = claims.iter().map(|claim| claim.words.clone()).collect();
    let mut left = SEARCHED_BYTES_MAX;
    for (place, claim) in claims.iter_mut().enumerate() {
        for input in claim.derived.iter_mut().flat_map(|derived| &mut derived.inputs) {
            if left == 0 {
                return;
            }
            let mut has = |words: &String| {
                left = left.saturating_sub(words.len());
                words.contains(&input.value)
            };
            let before = words.get(..place).unwrap_or_default().iter().rposition(&mut has);
            let source = before.or_else(|| {
                let behind = words.get(place + 1..).unwrap_or_default().iter().position(&mut has)?;
                Some(place + 1 + behind)
            });
            input.claim = source.map(ClaimId::at);
        }
    }
}
