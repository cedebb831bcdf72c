//! The report's own side: sentences, claims and what they cite, as the ledger keeps them.

use probity_research::{
    ledger::{
        Claim, ClaimId, ClaimKind, Sentence,
        claim::{Derived, DerivedInput},
    },
    report::Report,
};

use crate::{
    formula::{self, Formula, Outcome},
    split::{self, Cited, Kind},
};

pub struct Split {
    pub sentences: Vec<Sentence>,
    pub claims: Vec<Claim>,
    pub cited: Vec<Cited>,
    /// What is wrong with how it cites, in words.
    pub faults: Vec<String>,
}

pub fn split(report: &Report, most: usize) -> Split {
    let given: Vec<(usize, usize, usize)> =
        report.citations.iter().map(|citation| (citation.start, citation.end, citation.source)).collect();
    let sources: Vec<(String, String)> =
        report.sources.iter().map(|source| (source.url.clone(), source.title.clone())).collect();
    let read = split::split(&report.text, &given, &sources);
    let mut sentences = Vec::new();
    let mut claims: Vec<Claim> = Vec::new();
    for sentence in &read.sentences {
        let pieces = read.pieces.get(sentence.claims.clone()).unwrap_or_default();
        let first = claims.len();
        for piece in pieces {
            // Source lists, code and headings say nothing that a source could say.
            if piece.kind == Kind::Structure || claims.len() >= most {
                continue;
            }
            claims.push(claim(report, piece, claims.len()));
        }
        let ids: Vec<ClaimId> = (first..claims.len()).map(ClaimId::at).collect();
        if !ids.is_empty() {
            sentences.push(Sentence { start: sentence.start, end: sentence.end, claims: ids });
        }
    }
    link_inputs(&mut claims);
    let faults = read.faults.iter().map(|fault| format!("{:?}: {}", fault.kind, fault.what)).collect();
    Split { sentences, claims, cited: read.cited, faults }
}

fn claim(report: &Report, piece: &split::Piece, place: usize) -> Claim {
    let quotations = piece.quotations.iter().filter_map(|(start, end)| report.text.get(*start..*end));
    let kind = match piece.kind {
        Kind::Fact => ClaimKind::Fact,
        Kind::Derived => ClaimKind::Derived,
        Kind::OwnWords | Kind::Structure => ClaimKind::OwnWords,
        Kind::Question => ClaimKind::Question,
    };
    let checkable = matches!(kind, ClaimKind::Fact | ClaimKind::Derived);
    Claim {
        id: ClaimId::at(place),
        start: piece.start,
        end: piece.end,
        words: piece.words.clone(),
        kind,
        load_bearing: checkable && (piece.load_bearing || !piece.cites.is_empty()),
        cites: piece.cites.iter().filter_map(|place| u32::try_from(*place).ok()).collect(),
        quotations: quotations.map(str::to_owned).collect(),
        derived: if checkable {
            formula::inline(&piece.words).map(|formula| derived(&formula))
        } else {
            None
        },
    }
}

/// A figure that the sentence computes, computed again.
fn derived(formula: &Formula) -> Derived {
    let (computed, holds) = match formula.check() {
        Outcome::Holds => (Some(formula.stated.clone()), Some(true)),
        Outcome::Off { computed } => (Some(short(computed)), Some(false)),
        Outcome::NotComputable(_) => (None, None),
    };
    let input = |input: &formula::Input| DerivedInput {
        name: input.name.clone(),
        value: input.text.clone(),
        claim: None,
    };
    Derived {
        formula: formula.expression.clone(),
        inputs: formula.inputs.iter().map(input).collect(),
        stated: formula.stated.clone(),
        computed,
        holds,
    }
}

/// At most four digits behind the point: what people write.
fn short(number: f64) -> String {
    let written = format!("{number:.4}");
    written.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// The claims that the inputs of derived figures come from: the nearest one before that has the same value.
fn link_inputs(claims: &mut [Claim]) {
    let words: Vec<String> = claims.iter().map(|claim| claim.words.clone()).collect();
    for (place, claim) in claims.iter_mut().enumerate() {
        for input in claim.derived.iter_mut().flat_map(|derived| &mut derived.inputs) {
            let has = |words: &String| words.contains(&input.value);
            let before = words.get(..place).unwrap_or_default().iter().rposition(has);
            let source = before.or_else(|| {
                let behind = words.get(place + 1..).unwrap_or_default().iter().position(has)?;
                Some(place + 1 + behind)
            });
            input.claim = source.map(ClaimId::at);
        }
    }
}
