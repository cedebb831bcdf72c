//! Checked sentences and what becomes of them.

use probity_types::inquiry::{Block, NodeId, QuoteId, QuoteRole, Sentence, SentenceKind, TypedFact};
use serde_json::json;

use super::{apply, propose, revise};
use crate::{
    inquiry::{
        InquiryPlan, InquiryState,
        bank::{BankQuote, PageFacts},
        claims::{CitedSentence, WrittenFront},
        conflict::{Conflict, ConflictValue},
        patched::{PatchKind, PatchTally, SentencePatch, SentenceStanding},
        written::WrittenSection,
    },
    ledger::{
        Check, CheckAspect, CheckAuthor, Claim, ClaimId, ClaimKind, ClaimVerdict, JudgeStanding, Ledger,
        Opinion,
    },
    time::Moment,
    web::strategy::StrategyLevel,
};

const ORION: &str = "In 2021 Orion Pier had a harbour tariff of 45.5 dollars.";
const VEGA: &str = "In 2021 Vega Pier had a harbour tariff of 38 dollars.";
const MANY: &str = "The clerks of the pier were many.";
const TOGETHER: &str = "Taken together, the two piers differ by what they charge.";
const QUOTED: &str = "In 2021 the harbour tariff of Orion Pier was 45.5 dollars.";

/// Text and what its fact is of, each on a page of its own.
const QUOTES: [(&str, &str); 3] = [
    (QUOTED, "Orion Pier"),
    ("In 2021 the harbour tariff of Vega Pier was 38 dollars.", "Vega Pier"),
    ("The harbour tariff of Orion Pier in 2021 was 45.5 dollars, says a letter.", "Orion Pier"),
];

fn said(text: &str, quotes: &[u32], kind: SentenceKind) -> Sentence {
    Sentence { text: text.to_owned(), quotes: quotes.iter().copied().map(QuoteId).collect(), kind }
}

/// An inquiry that has the first of these quotations.
fn inquiry(quotes: usize) -> InquiryState {
    let mut inquiry = InquiryState::begin(&InquiryPlan::new(StrategyLevel::Medium, None, None, 128_000));
    for (place, (text, entity)) in QUOTES.iter().take(quotes).enumerate() {
        inquiry.bank.pages.push(PageFacts { origin: place, ..PageFacts::default() });
        inquiry.bank.quotes.push(BankQuote {
            page: u32::try_from(place).unwrap(),
            start: 0,
            end: text.len(),
            text: (*text).to_owned(),
            key: text.to_lowercase(),
            facets: Vec::new(),
            role: QuoteRole::Finding,
            facts: vec![TypedFact { entity: (*entity).to_owned(), ..TypedFact::default() }],
            round: 1,
            home: None,
            copy_of: None,
            second_hand: false,
        });
    }
    let sentences = vec![
        said(ORION, &[1], SentenceKind::Fact),
        said(VEGA, &[2], SentenceKind::Fact),
        said(MANY, &[2], SentenceKind::Fact),
        said(TOGETHER, &[1, 2], SentenceKind::Inference),
    ];
    let section =
        WrittenSection { blocks: vec![Block::Paragraph { sentences }], ..WrittenSection::default() };
    inquiry.sections.insert(NodeId(1), section);
    inquiry
}

/// Claims with their verdicts; where one is partly supported, a check says against it what it says.
fn ledger(told: &[(&str, &str)]) -> Ledger {
    let mut ledger = Ledger::default();
    for (place, (words, verdict)) in told.iter().enumerate() {
        let id = ClaimId::at(place);
        let claim: Claim = serde_json::from_value(json!({
            "id": id, "start": 0, "end": 1, "words": words, "kind": "fact", "load_bearing": true,
        }))
        .unwrap();
        let settled: ClaimVerdict = serde_json::from_value(json!({
            "claim": id, "verdict": verdict, "confidence": 90, "origins": 0,
        }))
        .unwrap();
        ledger.claims.push(claim);
        ledger.settled.push(settled);
        if *verdict == "partly" {
            ledger.checks.push(Check {
                claim: id,
                aspect: CheckAspect::Meaning,
                opinion: Opinion::Partly,
                by: CheckAuthor::Rules { version: "1".to_owned() },
                confidence: 90,
                source: None,
                span: None,
                page: None,
                at: Moment(0),
                reason: String::new(),
            });
        }
    }
    ledger
}

fn patch(text: &str, was: SentenceStanding, patch: PatchKind) -> SentencePatch {
    SentencePatch { text: text.to_owned(), was, patch }
}

/// The sentences of the section, with their quotations.
fn told(inquiry: &InquiryState) -> Vec<(String, Vec<QuoteId>)> {
    let section = inquiry.sections.get(&NodeId(1)).unwrap();
    section.sentences().map(|told| (told.text.clone(), told.quotes.clone())).collect()
}

#[test]
fn what_fails_is_bound_to_another_page_or_removed_and_the_rest_keeps_its_bytes() {
    let inquiry = inquiry(3);
    let checked = ledger(&[
        (ORION, "not-in-source"),
        (VEGA, "supported"),
        (MANY, "contradicted"),
        (TOGETHER, "not-in-source"),
    ]);
    let patches = propose(&inquiry, &checked);
    let rebound = PatchKind::Rebound { quote: QuoteId(3) };
    assert_eq!(
        patches,
        [
            patch(ORION, SentenceStanding::Absent, rebound),
            patch(MANY, SentenceStanding::Contradicted, PatchKind::Removed),
        ]
    );
    let patched = apply(&inquiry, &patches);
    assert_eq!(
        told(&patched),
        [
            (ORION.to_owned(), vec![QuoteId(3)]),
            (VEGA.to_owned(), vec![QuoteId(2)]),
            (TOGETHER.to_owned(), vec![QuoteId(1), QuoteId(2)]),
        ]
    );
    assert_eq!(patched.patched, PatchTally { removed: 1, quoted: 0, rebound: 1 });
}

#[test]
fn a_conclusion_that_its_claims_refute_is_removed_and_one_that_does_not_follow_stays() {
    let inquiry = inquiry(3);
    let mut checked = ledger(&[(ORION, "supported"), (VEGA, "supported"), (TOGETHER, "does-not-follow")]);
    let drawn = checked.claims.last_mut().unwrap();
    (drawn.kind, drawn.rests_on) = (ClaimKind::Inference, vec![ClaimId::at(0), ClaimId::at(1)]);
    let mut check: Check = ledger(&[(TOGETHER, "partly")]).checks.remove(0);
    (check.claim, check.aspect, check.opinion) = (ClaimId::at(2), CheckAspect::Inference, Opinion::Absent);
    checked.checks.push(check);
    assert!(propose(&inquiry, &checked).is_empty());
    checked.checks[0].opinion = Opinion::Contradicts;
    let removed = patch(TOGETHER, SentenceStanding::Contradicted, PatchKind::Removed);
    assert_eq!(propose(&inquiry, &checked), [removed]);
}

#[test]
fn nothing_is_changed_on_the_word_of_a_judge_that_is_not_trusted() {
    let failed = ledger(&[(ORION, "contradicted")]);
    let failed = Ledger { judge_standing: JudgeStanding::Failed, ..failed };
    assert!(propose(&inquiry(3), &failed).is_empty());
    // Only the judge is missing.
    let mut partly = ledger(&[(ORION, "partly")]);
    partly.checks.clear();
    assert!(propose(&inquiry(3), &partly).is_empty());
}

#[test]
fn a_patch_stays_only_if_its_sentence_got_better() {
    let inquiry = inquiry(3);
    let rebound = patch(ORION, SentenceStanding::Absent, PatchKind::Rebound { quote: QuoteId(3) });
    let removed = patch(MANY, SentenceStanding::Contradicted, PatchKind::Removed);
    let patches = [rebound, removed.clone()];
    assert_eq!(revise(&inquiry, &ledger(&[(ORION, "supported")]), &patches), None);
    let revised = revise(&inquiry, &ledger(&[(ORION, "contradicted")]), &patches).unwrap();
    let orion = patch(ORION, SentenceStanding::Absent, PatchKind::Removed);
    // What was concluded from it goes with it.
    let drawn = patch(TOGETHER, SentenceStanding::Unknown, PatchKind::Removed);
    assert_eq!(revised, [orion, removed, drawn]);
}

#[test]
fn a_conclusion_goes_with_what_it_rests_on_and_stays_where_that_is_told_elsewhere() {
    let wrong = ledger(&[(ORION, "contradicted"), (VEGA, "supported"), (TOGETHER, "follows")]);
    let removed = |text: &str, was| patch(text, was, PatchKind::Removed);
    let told = inquiry(2);
    assert_eq!(
        propose(&told, &wrong),
        [removed(ORION, SentenceStanding::Contradicted), removed(TOGETHER, SentenceStanding::Supported)]
    );
    // Under earlier rules it stays.
    let mut earlier = inquiry(2);
    earlier.plan.edition = 3;
    assert_eq!(propose(&earlier, &wrong), [removed(ORION, SentenceStanding::Contradicted)]);
    // Another sentence tells the same quotation.
    let mut twice = inquiry(2);
    let again = "Orion Pier took a harbour tariff of 45.5 dollars during 2021.";
    let sentences = vec![said(again, &[1], SentenceKind::Fact)];
    let section =
        WrittenSection { blocks: vec![Block::Paragraph { sentences }], ..WrittenSection::default() };
    twice.sections.insert(NodeId(2), section);
    assert_eq!(propose(&twice, &wrong), [removed(ORION, SentenceStanding::Contradicted)]);
}

#[test]
fn what_is_said_in_part_is_quoted_and_put_back_if_that_does_not_help() {
    let inquiry = inquiry(3);
    let patches = propose(&inquiry, &ledger(&[(ORION, "partly"), (VEGA, "supported")]));
    assert_eq!(patches, [patch(ORION, SentenceStanding::Partly, PatchKind::Quoted { quote: QuoteId(1) })]);
    let quoted = format!("“{QUOTED}”");
    let patched = apply(&inquiry, &patches);
    assert_eq!(told(&patched).first().unwrap(), &(quoted.clone(), vec![QuoteId(1)]));
    assert_eq!(revise(&inquiry, &ledger(&[(quoted.as_str(), "quoted")]), &patches), None);
    assert_eq!(revise(&inquiry, &ledger(&[(quoted.as_str(), "partly")]), &patches), Some(Vec::new()));
}

#[test]
fn neither_the_report_nor_its_answer_is_emptied() {
    // Nothing else says it.
    let all = ledger(&[(ORION, "contradicted"), (VEGA, "contradicted"), (MANY, "contradicted")]);
    assert!(propose(&inquiry(2), &all).is_empty());
    let mut answered = inquiry(2);
    let cited = |text: &str| CitedSentence { text: text.to_owned(), quotes: vec![QuoteId(1)] };
    let (first, second) = ("Both piers charge a lot of money.", "Both piers charge nothing at all.");
    answered.front =
        Some(WrittenFront { answer: vec![cited(first), cited(second)], ..WrittenFront::default() });
    let wrong = ledger(&[(first, "not-in-source"), (second, "contradicted")]);
    let patches = propose(&answered, &wrong);
    assert_eq!(patches, [patch(second, SentenceStanding::Contradicted, PatchKind::Removed)]);
    assert_eq!(apply(&answered, &patches).front.unwrap().answer, [cited(first)]);
}

#[test]
fn a_side_of_a_disagreement_stays() {
    let mut inquiry = inquiry(2);
    let side = |quote: u32, value: &str| ConflictValue {
        quote: QuoteId(quote),
        value: value.to_owned(),
        unit: String::new(),
        as_of: String::new(),
    };
    inquiry.conflicts.push(Conflict {
        entity: "Orion Pier".to_owned(),
        attribute: "harbour tariff".to_owned(),
        period: "2021".to_owned(),
        sides: vec![side(1, "45.5"), side(2, "38")],
        facet: None,
        attempts: 0,
    });
    assert!(propose(&inquiry, &ledger(&[(ORION, "contradicted"), (VEGA, "supported")])).is_empty());
}

#[test]
fn a_plan_without_patches_changes_nothing() {
    let wrong = ledger(&[(MANY, "contradicted"), (VEGA, "supported")]);
    let mut measured = inquiry(3);
    assert_eq!(propose(&measured, &wrong).len(), 1);
    measured.plan.without.push(crate::inquiry::InquiryPart::Patch);
    assert_eq!(propose(&measured, &wrong), []);
}
