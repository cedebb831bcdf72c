use serde_json::json;

use super::{VerificationRule, verify, verify_by};
use crate::ledger::{
    AttentionGroup, Claim, ClaimId, ClaimKind, ClaimVerdict, JudgeStanding, Ledger, NotCheckedReason,
    SkippedKind, SkippedParts, Verdict,
};

const UNCITED: Verdict = Verdict::NotChecked { why: NotCheckedReason::Uncited };

/// A trusted judge, and a claim for each sentence; what carries nothing by itself is no key claim.
fn ledger(sentences: &[(&str, ClaimKind, Verdict)]) -> Ledger {
    // Read as stored, so that what else a claim has does not matter here.
    let claim = |(place, (words, kind, verdict)): (usize, &(&str, ClaimKind, Verdict))| -> Claim {
        let load_bearing = *verdict != UNCITED && *kind == ClaimKind::Fact;
        let stored = json!({ "id": ClaimId::at(place), "start": 0, "end": 1, "words": words, "kind": kind,
            "load_bearing": load_bearing });
        serde_json::from_value(stored).unwrap()
    };
    let settled = |(place, (_, _, verdict)): (usize, &(&str, ClaimKind, Verdict))| -> ClaimVerdict {
        let mut stored = json!({ "claim": ClaimId::at(place), "confidence": 90, "origins": 1 });
        let verdict = serde_json::to_value(verdict).unwrap();
        stored.as_object_mut().unwrap().extend(verdict.as_object().unwrap().clone());
        serde_json::from_value(stored).unwrap()
    };
    Ledger {
        claims: sentences.iter().enumerate().map(claim).collect(),
        settled: sentences.iter().enumerate().map(settled).collect(),
        judge_standing: JudgeStanding::Trusted,
        ..Ledger::default()
    }
}

fn facts(sentences: &[(&str, Verdict)]) -> Ledger {
    let all: Vec<_> =
        sentences.iter().map(|(words, verdict)| (*words, ClaimKind::Fact, verdict.clone())).collect();
    ledger(&all)
}

#[test]
fn one_true_sentence_does_not_carry_inventions() {
    let report = facts(&[
        ("Skipping breakfast did not lower the marks of pupils.", Verdict::Supported),
        ("Skipping breakfast damages the brain for life.", UNCITED),
        ("Doctors agree on this without exception.", UNCITED),
    ]);
    let result = verify(&report, None);
    assert!(!result.verified && !result.evidence_holds);
    assert_eq!(result.facts.line(), "1 of 3 supported, 2 uncited");
    assert_eq!(result.failing, [ClaimId::at(1), ClaimId::at(2)]);
    // The earlier rule looked at key claims only, and what it decided stays what it was.
    assert!(verify_by(VerificationRule::LoadBearingSupported1, &report, None).verified);
}

#[test]
fn a_true_report_with_a_summary_and_own_words_is_verified() {
    let own = Verdict::NotChecked { why: NotCheckedReason::OwnWords };
    let question = Verdict::NotChecked { why: NotCheckedReason::Question };
    let report = ledger(&[
        ("The dam opened in 2019 and the airport cost 940 million kronor.", ClaimKind::Fact, UNCITED),
        ("How do we know?", ClaimKind::Question, question),
        ("The dam opened in 2019.", ClaimKind::Fact, Verdict::Supported),
        ("The airport cost 940 million kronor.", ClaimKind::Fact, Verdict::Supported),
        ("In our view that is much.", ClaimKind::OwnWords, own),
    ]);
    let result = verify(&report, None);
    assert!(result.verified, "{result:?}");
    assert_eq!((result.facts.line().as_str(), result.facts.restated), ("3 of 3 supported", 1));
    assert_eq!(
        (result.load_bearing, result.load_bearing_supported),
        (3, 3),
        "the first sentence is a key claim"
    );
}

#[test]
fn everything_below_supported_keeps_it_from_being_verified() {
    let not_checked = |why| Verdict::NotChecked { why };
    for (verdict, line) in [
        (Verdict::Quoted, "1 of 2 supported, 1 quoted"),
        (Verdict::Partly, "1 of 2 supported, 1 partly"),
        (Verdict::Qualified, "1 of 2 supported, 1 qualified"),
        (Verdict::Contradicted, "1 of 2 supported, 1 contradicted"),
        (Verdict::NotInSource, "1 of 2 supported, 1 not in source"),
        (Verdict::CheckFailed { why: "late".to_owned() }, "1 of 2 supported, 1 check failed"),
        (UNCITED, "1 of 2 supported, 1 uncited"),
        (not_checked(NotCheckedReason::Unreachable), "1 of 2 supported, 1 unreachable"),
        (not_checked(NotCheckedReason::NoJudge), "1 of 2 supported, 1 not checked"),
    ] {
        let result = verify(&facts(&[("It rose.", Verdict::Supported), ("It fell.", verdict)]), None);
        assert!(!result.verified);
        assert_eq!(result.facts.line(), line);
    }
}

#[test]
fn a_repeat_counts_once_and_only_where_it_repeats_something() {
    let mut report = facts(&[("The dam opened.", Verdict::Supported), ("The dam opened, as said.", UNCITED)]);
    report.claims[1].repeats = Some(ClaimId::at(0));
    let result = verify(&report, None);
    assert!(result.verified && result.facts.factual == 1);
    for nothing in [ClaimId::at(1), ClaimId::at(7)] {
        report.claims[1].repeats = Some(nothing);
        assert!(!verify(&report, None).verified, "{nothing}");
    }
    report.claims[0].repeats = Some(ClaimId::at(1));
    report.claims[1].repeats = Some(ClaimId::at(0));
    assert_eq!(verify(&report, None).facts.factual, 2, "two that name each other both count");
    report.claims[0].repeats = None;
    report.settled[1].verdict = Verdict::Contradicted;
    assert!(!verify(&report, None).verified, "a contradicted repeat is a contradiction");
}

#[test]
fn nothing_that_a_source_refuses_stands_in_a_verified_text() {
    for verdict in [Verdict::Contradicted, Verdict::NotInSource] {
        let mut report = ledger(&[
            ("The dam opened.", ClaimKind::Fact, Verdict::Supported),
            ("Who built it?", ClaimKind::Question, verdict.clone()),
        ]);
        report.claims[1].cites = vec![0];
        let result = verify(&report, None);
        assert!(!result.verified && result.facts.all_hold(), "{verdict}: {result:?}");
    }
}

#[test]
fn an_unexamined_or_failed_judge_and_unread_text_are_not_enough() {
    let mut report = facts(&[("It rose.", Verdict::Supported)]);
    assert!(verify(&report, None).verified);
    for standing in [JudgeStanding::Unexamined, JudgeStanding::Failed] {
        report.judge_standing = standing;
        assert!(!verify(&report, None).evidence_holds);
    }
    report.judge_standing = JudgeStanding::Trusted;
    report.unread = vec!["the last 5 bytes".to_owned()];
    assert!(!verify(&report, None).verified);
}

#[test]
fn code_stands_in_the_way_of_verified_only_where_it_holds_sentences() {
    let mut report = facts(&[("It rose.", Verdict::Supported)]);
    report.skipped = vec![SkippedParts { kind: SkippedKind::CodeBlock, count: 2, with_sentences: 0 }];
    assert!(verify(&report, None).verified);
    report.skipped = vec![SkippedParts { kind: SkippedKind::CodeBlock, count: 2, with_sentences: 1 }];
    assert!(!verify(&report, None).evidence_holds);
}

#[test]
fn groups_put_what_is_wrong_first_and_leave_own_words_out() {
    let own = Verdict::NotChecked { why: NotCheckedReason::OwnWords };
    let mut report = ledger(&[
        ("It rose.", ClaimKind::Fact, Verdict::Supported),
        ("We think so.", ClaimKind::OwnWords, own),
        ("It fell.", ClaimKind::Fact, Verdict::Contradicted),
        ("It rose again.", ClaimKind::Fact, UNCITED),
    ]);
    report.claims[3].repeats = Some(ClaimId::at(0));
    report.verification = Some(verify(&report, None));
    let words: Vec<_> = report.attention().iter().map(|group| group.map(|group| group.word())).collect();
    assert_eq!(words, [Some("supported"), None, Some("contradicted"), None]);
    report.settled[3].verdict = Verdict::NotInSource;
    assert_eq!(report.attention()[3], Some(AttentionGroup::NotInSource), "its own source does not have it");
}

#[test]
fn a_ledger_stored_by_an_earlier_version_is_read() {
    let stored = r#"{"verified":true,"rule":"load-bearing-supported1","rule_in_words":"x","evidence_holds":true,
        "load_bearing":1,"load_bearing_supported":1,"contradicted":0,"contested":0,"failing":[],"single_origin":[]}"#;
    let read: super::VerificationResult = serde_json::from_str(stored).unwrap();
    assert_eq!((read.rule, read.facts.factual), (VerificationRule::LoadBearingSupported1, 0));
}

#[test]
fn contested_counts_claims_and_not_disagreements() {
    let mut report =
        facts(&[("It is 4 metres.", Verdict::Supported), ("It is 9 metres.", Verdict::Supported)]);
    let conflict = |place: usize| crate::ledger::SourceConflict {
        claim: ClaimId::at(place),
        left: 0,
        right: 1,
        about: "one says 4 metres, the other 9 metres".to_owned(),
        same_origin: false,
    };
    report.conflicts = vec![conflict(0), conflict(1), conflict(0), conflict(0)];
    let result = verify(&report, None);
    assert_eq!((result.contested, result.facts.contested), (2, 2));
}

#[test]
fn half_a_sentence_restates_nothing() {
    let mut report = facts(&[
        ("and lies 4 metres above sea level.", Verdict::Supported),
        ("Station number 9 was opened in 1809", Verdict::Supported),
        ("lies 4 metres above sea level.", UNCITED),
    ]);
    assert_eq!(verify(&report, None).facts.restated, 1, "as a sentence of its own");
    let claims = vec![ClaimId::at(1), ClaimId::at(2)];
    report.sentences = vec![crate::ledger::ReportSentence { start: 0, end: 1, claims }];
    let result = verify(&report, None);
    assert!(!result.verified);
    assert_eq!(result.facts.line(), "2 of 3 supported, 1 uncited");
}
