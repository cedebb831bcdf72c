use probity_types::{
    checking::task::{ExamineRequest, JudgeLocation},
    ledger::{CLAIMS_MAX, ClaimKind, Ledger, Verdict},
    report::Report,
    time::Moment,
    web::{
        record::{RecordedSentence, WebRecord, WebStop},
        strategy::{Strategy, StrategyLevel},
    },
};

use super::new_number;
use crate::examine::{examine, tests::page};

const PAGE: &str = "The bridge cost 1,200 crowns in 2019. The tunnel cost 900 crowns in 2019.";
const BRIDGE: &str = "The bridge cost 1,200 crowns in 2019.";
const TUNNEL: &str = "The tunnel cost 900 crowns in 2019.";

/// A report of the two facts and this conclusion from them, as the engine records it.
fn ledger(conclusion: &str, notes: &[u32], judging: JudgeLocation) -> Ledger {
    let cited = |words: &str| format!("{words} [1](https://a.example/r)");
    let text = [BRIDGE, TUNNEL, conclusion].map(cited).join(" ");
    let sentence = |words: &str, notes: &[u32], inference| {
        let start = text.find(words).unwrap();
        RecordedSentence { start, end: start + words.len(), notes: notes.to_vec(), origins: 1, inference }
    };
    let sentences =
        vec![sentence(BRIDGE, &[0], false), sentence(TUNNEL, &[1], false), sentence(conclusion, notes, true)];
    let record = WebRecord {
        strategy: Strategy::of(StrategyLevel::Medium, ""),
        quality: None,
        stop: WebStop::Enough,
        attempts: 1,
        model: None,
        trust_class: String::new(),
        searches: Vec::new(),
        pages: Vec::new(),
        notes: Vec::new(),
        sentences,
        receipt: None,
        invented: 0,
        not_checked: Vec::new(),
    };
    let report = Report { text, web: Some(Box::new(record)), ..Report::default() };
    let pages = vec![page("https://a.example/r", PAGE)];
    let ask = ExamineRequest { report, pages, at: Moment(5), judging, given: true, claims_max: CLAIMS_MAX };
    let mut ledger = *examine(&ask).ledger.unwrap();
    ledger.compute_verdicts(None);
    ledger
}

#[test]
fn a_conclusion_rests_on_the_claims_that_tell_its_notes() {
    let ledger =
        ledger("Taken together, the bridge cost more than the tunnel.", &[0, 1], JudgeLocation::Remote);
    let drawn = ledger.claims.last().unwrap();
    assert_eq!(drawn.kind, ClaimKind::Inference, "{:#?}", ledger.claims);
    assert_eq!(drawn.inference_mark().as_deref(), Some("inference from C1, C2"));
    let asked = ledger.questions.iter().find(|question| question.claim == drawn.id).unwrap();
    assert!(asked.passages.is_empty(), "no page has to say it: {asked:?}");
    assert!(ledger.claims.iter().filter(|claim| claim.id != drawn.id).all(|claim| claim.rests_on.is_empty()));
}

#[test]
fn one_that_brings_a_number_does_not_follow() {
    let ledger = ledger("Taken together, the bridge cost 33 % more.", &[0, 1], JudgeLocation::Remote);
    let settled = ledger.settled.last().unwrap();
    assert_eq!(settled.verdict, Verdict::DoesNotFollow, "{:#?}", ledger.checks);
    assert_eq!(settled.reason, "33 is in none of the claims it rests on");
}

#[test]
fn one_whose_notes_no_claim_tells_rests_on_the_claims_that_speak_of_the_same() {
    let ledger = ledger("Taken together, the bridge cost more than the tunnel.", &[7], JudgeLocation::Remote);
    let drawn = ledger.claims.last().unwrap();
    assert_eq!(drawn.inference_mark().as_deref(), Some("inference from C1, C2"));
    // The note of one side is enough to find the other.
    let named =
        self::ledger("Taken together, the bridge cost more than the tunnel.", &[0], JudgeLocation::Remote);
    assert_eq!(named.claims.last().unwrap().inference_mark().as_deref(), Some("inference from C1, C2"));
}

#[test]
fn one_of_which_no_claim_tells_anything_follows_from_nothing_and_is_no_fact() {
    let ledger = ledger("Taken together, harbours grew wherever ships came.", &[7], JudgeLocation::Remote);
    let drawn = ledger.claims.last().unwrap();
    assert_eq!((drawn.kind, drawn.rests_on.len()), (ClaimKind::Inference, 0));
    assert_eq!(ledger.settled.last().unwrap().verdict, Verdict::DoesNotFollow, "{:#?}", ledger.checks);
}

#[test]
fn a_conclusion_brings_no_number_of_its_own() {
    let premises = format!("{BRIDGE} {TUNNEL}");
    assert_eq!(new_number("So the bridge cost more than the tunnel.", &premises), None);
    assert_eq!(new_number("At 1200 crowns, the bridge was dearer than 900.", &premises), None);
    assert_eq!(new_number("It cost 33 % more.", &premises), Some("33".to_owned()));
}
