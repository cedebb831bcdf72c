use serde_json::json;

use crate::{
    ledger::{
        Check, CheckAspect, CheckAuthor, Claim, ClaimId, JudgeStanding, Ledger, NotCheckedReason, Opinion,
        Verdict,
    },
    time::Moment,
};

/// Two facts, an inference from them, and what was said of the three.
fn ledger(checks: Vec<Check>) -> Ledger {
    let claim = |id: &str, kind: &str, rests_on: &[&str]| -> Claim {
        let stored = json!({ "id": id, "start": 0, "end": 1, "words": id, "kind": kind, "load_bearing": false,
            "cites": [0], "rests_on": rests_on });
        serde_json::from_value(stored).unwrap()
    };
    let claims =
        vec![claim("C1", "fact", &[]), claim("C2", "fact", &[]), claim("C3", "inference", &["C1", "C2"])];
    let mut ledger = Ledger { claims, checks, judge_standing: JudgeStanding::Trusted, ..Ledger::default() };
    ledger.compute_verdicts(None);
    ledger
}

fn check(place: usize, aspect: CheckAspect, opinion: Opinion) -> Check {
    Check {
        claim: ClaimId::at(place),
        aspect,
        opinion,
        by: CheckAuthor::Model { name: "m".to_owned(), version: "1".to_owned() },
        confidence: 90,
        source: None,
        span: None,
        page: None,
        at: Moment(0),
        reason: "because".to_owned(),
    }
}

fn follows(opinion: Opinion) -> Check {
    check(2, CheckAspect::Inference, opinion)
}

fn verdict(checks: Vec<Check>) -> Verdict {
    ledger(checks).settled.remove(2).verdict
}

#[test]
fn a_judge_says_whether_an_inference_follows() {
    assert_eq!(verdict(vec![follows(Opinion::Agrees)]), Verdict::Follows);
    for against in [Opinion::Contradicts, Opinion::Absent, Opinion::Qualifies, Opinion::Partly] {
        assert_eq!(verdict(vec![follows(against)]), Verdict::DoesNotFollow, "{against:?}");
        assert_eq!(verdict(vec![follows(Opinion::Agrees), follows(against)]), Verdict::DoesNotFollow);
    }
    assert_eq!(verdict(Vec::new()), Verdict::NotChecked { why: NotCheckedReason::NoJudge });
    assert_eq!(verdict(vec![follows(Opinion::Abstains)]), Verdict::CheckFailed { why: "because".to_owned() });
}

#[test]
fn nothing_makes_an_inference_supported() {
    let on_a_page = Check {
        source: Some(0),
        span: Some((0, 1)),
        page: Some(crate::id::Digest([1; 32])),
        ..check(2, CheckAspect::Meaning, Opinion::Supports)
    };
    assert_eq!(verdict(vec![on_a_page]), Verdict::NotChecked { why: NotCheckedReason::NoJudge });
    assert!(matches!(verdict(vec![follows(Opinion::Supports)]), Verdict::CheckFailed { .. }));
    let by_rule = Check { by: CheckAuthor::Rules { version: "1".to_owned() }, ..follows(Opinion::Agrees) };
    assert_eq!(verdict(vec![by_rule]), Verdict::NotChecked { why: NotCheckedReason::NoJudge });
}

#[test]
fn an_inference_falls_with_a_claim_that_it_rests_on() {
    let refused = check(1, CheckAspect::Meaning, Opinion::Absent);
    let settled = ledger(vec![refused, follows(Opinion::Agrees)]).settled.remove(2);
    assert_eq!(settled.verdict, Verdict::DoesNotFollow);
    assert_eq!(settled.reason, "it rests on C2, which does not hold");
}

#[test]
fn the_word_of_a_judge_that_failed_counts_for_nothing() {
    let mut ledger = ledger(vec![follows(Opinion::Agrees)]);
    ledger.judge_standing = JudgeStanding::Failed;
    ledger.compute_verdicts(None);
    assert!(matches!(ledger.settled.remove(2).verdict, Verdict::CheckFailed { .. }));
}

#[test]
fn inferences_are_told_apart_from_what_sources_say() {
    let ledger = ledger(vec![follows(Opinion::Agrees)]);
    let tally = ledger.tally();
    assert_eq!((tally.claims, tally.inferences, tally.inferences_follow), (2, 1, 1));
    let facts = ledger.verification.unwrap().facts;
    assert_eq!((facts.factual, facts.inferences, facts.inferences_follow), (2, 1, 1));
    assert!(facts.line().ends_with("1 inference that follows"), "{}", facts.line());
}
