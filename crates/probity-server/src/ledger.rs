//! The evidence ledger as clients read it: every claim with its verdict, its position, and its judge.

use probity_research::{
    ledger::{
        AttentionGroup, Check, CheckAuthor, Claim, ClaimVerdict, Ledger, LedgerSource, Opinion, SourceState,
    },
    report::{ClaimList, Report, TextPlaces, claim_list::ListedClaim},
    text,
};
use serde_json::{Value, json};

/// Longest claim and passage shown, in characters.
const WORDS_MAX: usize = 600;
const ADDRESS_MAX: usize = 2_000;

/// The complete ledger, for the evidence resource.
pub fn ledger_document(report: &Report, ledger: &Ledger) -> Value {
    let places = TextPlaces::of(&report.text);
    let groups = ledger.attention();
    let claims: Vec<Value> = ledger
        .claims
        .iter()
        .zip(&ledger.settled)
        .zip(&groups)
        .map(|((claim, settled), group)| {
            let mut document = claim_document(ledger, claim, settled);
            if let Some(fields) = document.as_object_mut() {
                fields.insert("line".to_owned(), places.line(claim.start).into());
                fields.insert("section".to_owned(), places.section(claim.start).into());
                fields.insert("group".to_owned(), group.map(AttentionGroup::name).into());
            }
            document
        })
        .collect();
    let by_source: Vec<Value> = ClaimList::of(report, ledger)
        .sources
        .iter()
        .map(|source| {
            json!({ "number": source.number, "name": source.name, "claims": source.claims,
                "standing": source.standing() })
        })
        .collect();
    // In the order and with the numbers that every list of this report has.
    let mut numbered: Vec<_> = report.ledger_numbers(ledger).into_iter().zip(&ledger.sources).collect();
    numbered.sort_by_key(|(number, _)| (number.is_none(), *number));
    let sources: Vec<Value> = numbered
        .into_iter()
        .map(|(number, known)| {
            let mut document = source(known);
            if let Some(fields) = document.as_object_mut() {
                fields.insert("number".to_owned(), number.into());
            }
            document
        })
        .collect();
    let conflicts: Vec<Value> = ledger
        .conflicts
        .iter()
        .map(|conflict| {
            json!({
                "claim": conflict.claim,
                "about": text::line(&conflict.about, WORDS_MAX),
                "one": passage(ledger, conflict.left),
                "other": passage(ledger, conflict.right),
                "same_origin": conflict.same_origin,
            })
        })
        .collect();
    let outcome = report.verification();
    let mut document = json!({
        "summary": ledger.tally().line(),
        "tally": ledger.tally(),
        "verified": outcome.verified,
        "verification_basis": outcome.reason,
        "factual_sentences": outcome.facts.map(|facts| facts.line()),
        "verification": ledger.verification,
        "judge": outcome.judge.map(|judge| judge.name),
        "judgements_reused": outcome.judge.and_then(|judge| judge.reused),
        "judge_wrote_the_text": outcome.judge.and_then(|judge| judge.said_to_have_written()),
        "judge_standing": outcome.judge.map(|_| ledger.judge_standing.word(ledger.judge_exam)),
        "judge_exam": ledger.judge_exam,
        "judge_doubt": ledger.judge_doubt,
        "checker": ledger.checker,
        "claims": claims,
        "sources": sources,
        "claims_by_source": by_source,
        "conflicts": conflicts,
        "altered_copies": altered_sources(ledger),
        "citations_put_right": ledger.mended,
        "not_examined": ledger.not_examined(),
        "searched": report.queries,
    });
    if let (Some(fields), Some(second)) = (document.as_object_mut(), &ledger.second_judge) {
        fields.insert("second_judge".to_owned(), json!(second));
    }
    document
}

/// Sources that have the same text with other numbers.
fn altered_sources(ledger: &Ledger) -> Vec<Value> {
    ledger
        .altered
        .iter()
        .map(|(one, other)| json!([address(ledger, *one), address(ledger, *other)]))
        .collect()
}

/// One claim in a line or two: what a client needs to decide whether to read more.
pub fn claim_row(ledger: &Ledger, listed: &ListedClaim<'_>) -> Value {
    let (claim, settled) = (listed.claim, listed.settled);
    let row = json!({
        "id": claim.id,
        "line": listed.line,
        "section": listed.section,
        "claim": text::line(&claim.words, WORDS_MAX),
        "verdict": settled.verdict.to_string(),
        "reason": text::line(&settled.reason, WORDS_MAX),
        "source": settled.source.or(claim.cites.first().copied()).and_then(|place| address(ledger, place)),
    });
    with_premises(row, claim)
}

/// An inference is told with the claims that it rests on.
fn with_premises(mut document: Value, claim: &Claim) -> Value {
    if let (Some(fields), Some(mark)) = (document.as_object_mut(), claim.inference_mark()) {
        fields.insert("inference".to_owned(), mark.into());
        fields.insert("rests_on".to_owned(), json!(claim.rests_on));
    }
    document
}

fn claim_document(ledger: &Ledger, claim: &Claim, settled: &ClaimVerdict) -> Value {
    let checks: Vec<Value> = ledger.checks_of(claim.id).map(|check| check_document(ledger, check)).collect();
    let cites: Vec<Option<String>> = claim.cites.iter().map(|place| address(ledger, *place)).collect();
    let document = json!({
        "id": claim.id,
        "start": claim.start,
        "end": claim.end,
        "claim": text::line(&claim.words, WORDS_MAX),
        "kind": claim.kind,
        "load_bearing": claim.load_bearing,
        "cites": cites,
        "verdict": settled.verdict.to_string(),
        "by": settled.by.as_ref().map(judge_name),
        "confidence": settled.confidence,
        "independent_origins": settled.origins,
        "derived": claim.derived,
        "checks": checks,
    });
    with_premises(document, claim)
}

fn check_document(ledger: &Ledger, check: &Check) -> Value {
    let opinion = check.opinion();
    json!({
        "aspect": check.aspect,
        "opinion": opinion,
        "by": judge_name(&check.by),
        "confidence": check.confidence,
        "reason": text::line(&check.reason, WORDS_MAX),
        "source": check.source.and_then(|place| address(ledger, place)),
        "span": check.span,
        "page_hash": check.page,
        "at": check.at.to_string(),
        "counts": opinion != Opinion::Abstains,
    })
}

pub fn judge_name(by: &CheckAuthor) -> String {
    match by {
        CheckAuthor::Rules { version } => format!("rules ({version})"),
        CheckAuthor::Model { name, version } => format!("{} ({version})", text::line(name, 100)),
    }
}

fn passage(ledger: &Ledger, place: u32) -> Option<Value> {
    let passage = ledger.passages.get(usize::try_from(place).ok()?)?;
    Some(json!({ "text": text::line(&passage.text, WORDS_MAX), "source": address(ledger, passage.source) }))
}

fn address(ledger: &Ledger, place: u32) -> Option<String> {
    Some(text::line(&ledger.sources.get(usize::try_from(place).ok()?)?.url, ADDRESS_MAX))
}

fn source(source: &LedgerSource) -> Value {
    let base = json!({
        "url": text::line(&source.url, ADDRESS_MAX),
        "title": text::line(&source.title, 300),
        "origin": source.origin,
        "state": source.state,
    });
    match &source.state {
        SourceState::Kept { .. } => base,
        SourceState::Unreachable { why, .. } => json!({
            "url": text::line(&source.url, ADDRESS_MAX),
            "title": text::line(&source.title, 300),
            "origin": source.origin,
            "state": { "state": match source.state.why_untried() {
                None => "unreachable",
                Some(_) => "not-tried",
            }, "why": text::line(why, 300) },
        }),
    }
}
