//! The report's own side: sentences, claims and what they cite, as the ledger keeps them.

use probity_research::{
    ledger::{Claim, ClaimId, ClaimKind, Sentence},
    report::Report,
};

use crate::split::{self, Cited, Kind};

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
        derived: None,
    }
}
