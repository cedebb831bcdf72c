use super::{BASIS_EVIDENCE, BASIS_LEDGER, BASIS_MODEL, BASIS_ONE_ROUND, BASIS_QUOTATIONS};
use crate::{
    ledger::{
        Check, CheckAspect, CheckAuthor, Claim, ClaimId, ClaimKind, ClaimVerdict, Ledger, NotCheckedReason,
        Opinion, Verdict, verification,
    },
    report::Report,
    rounds::{Mode, RoundNote, RoundsRecord, RoundsStop},
    time::Moment,
};

fn ledger(verdicts: &[Verdict], key_claims: usize, model_says: Option<bool>) -> Ledger {
    let claim = |place: usize| Claim {
        id: ClaimId::at(place),
        start: 0,
        end: 1,
        words: "It rose.".to_owned(),
        kind: ClaimKind::Fact,
        load_bearing: place < key_claims,
        cites: Vec::new(),
        quotations: Vec::new(),
        derived: None,
    };
    let settled = |(place, verdict): (usize, &Verdict)| ClaimVerdict {
        claim: ClaimId::at(place),
        verdict: verdict.clone(),
        origins: 1,
        by: None,
        aspect: None,
        confidence: 0,
        source: None,
        span: None,
        page: None,
        at: None,
        reason: String::new(),
    };
    let mut ledger = Ledger {
        claims: (0..verdicts.len()).map(claim).collect(),
        settled: verdicts.iter().enumerate().map(settled).collect(),
        judge: Some("small".to_owned()),
        ..Ledger::default()
    };
    ledger.verification = Some(verification::verify(&ledger, model_says));
    ledger
}

fn told(report: &Report) -> String {
    report.verification().sentence()
}

fn checked(verdicts: &[Verdict], key_claims: usize, model_says: Option<bool>) -> Report {
    Report { ledger: Some(Box::new(ledger(verdicts, key_claims, model_says))), ..Report::default() }
}

fn in_rounds(verified: bool, basis: &str) -> RoundsRecord {
    RoundsRecord {
        manner: Mode::DeepSearch,
        iterations: 2,
        rounds_max: 5,
        verified,
        model_says_verified: verified,
        verification_basis: basis.to_owned(),
        stop: RoundsStop::Limit,
        note: None,
        model: "m".to_owned(),
        unresolved: Vec::new(),
        calls: 2,
        calls_uncounted: 0,
        rounds: [1, 2].map(round).into(),
    }
}

fn round(round_number: u32) -> RoundNote {
    RoundNote {
        round_number,
        verified: false,
        model_says_verified: false,
        sources_visited: Vec::new(),
        search_queries: Vec::new(),
        pages_read: 1,
        intermediate_result_summary: String::new(),
        problem: None,
    }
}

fn of_rounds(record: RoundsRecord) -> Report {
    Report { rounds: Some(Box::new(record)), ..Report::default() }
}

#[test]
fn a_ledger_says_what_came_out_and_not_the_rule() {
    let unreachable = Verdict::NotChecked { why: NotCheckedReason::Unreachable };
    let two = [Verdict::Supported, Verdict::Supported];
    assert_eq!(
        told(&checked(&two, 2, None)),
        "Verified: all 2 key claims are supported by stored pages, nothing is contradicted."
    );
    assert_eq!(
        told(&checked(&two, 1, Some(true))),
        "Verified: its one key claim is supported by a stored page, nothing is contradicted, and the model that wrote it \
         confirms it."
    );
    assert_eq!(
        told(&checked(&[Verdict::Supported, unreachable, Verdict::Contradicted], 2, None)),
        "Not verified: 1 of 2 key claims does not hold: C2 (not checked: unreachable); 1 other claim is contradicted: C3."
    );
    assert_eq!(
        told(&checked(&two, 2, Some(false))),
        "Not verified: the model that wrote it does not confirm it."
    );
    assert_eq!(
        told(&checked(&two, 0, None)),
        "Not verified: it has no key claim that a source could support."
    );
}

#[test]
fn many_claims_are_counted_and_some_named() {
    let report = checked(&vec![Verdict::NotInSource; 9], 9, None);
    let reason = report.verification().reason;
    assert!(reason.starts_with("9 of 9 key claims do not hold: C1 (not in source), C2"), "{reason}");
    assert!(reason.ends_with("C6 (not in source) and 3 more"), "{reason}");
}

#[test]
fn rounds_without_checked_claims_say_what_was_missing() {
    let agreed = of_rounds(in_rounds(true, BASIS_EVIDENCE));
    assert!(agreed.verification().verified && told(&agreed).ends_with("single claims were not checked."));
    let mut record = in_rounds(false, BASIS_EVIDENCE);
    record.unresolved = vec!["https://a.example/".to_owned()];
    record.rounds.truncate(1);
    record.rounds[0].pages_read = 0;
    assert_eq!(
        told(&of_rounds(record)),
        "Not verified: the model does not confirm it; 1 address comes from the model's word alone; no page was fetched; \
         there is no second answer to compare it with; single claims were not checked."
    );
    for (basis, words) in [
        (BASIS_ONE_ROUND, "one round only"),
        (BASIS_QUOTATIONS, "was not judged"),
        (BASIS_LEDGER, "were not checked against its sources"),
        ("", "were not checked against its sources"),
    ] {
        // Whatever was stored, nothing is verified without something that verifies.
        let report = of_rounds(in_rounds(true, basis));
        assert!(
            !report.verification().verified && told(&report).contains(words),
            "{basis}: {}",
            told(&report)
        );
    }
}

#[test]
fn a_models_word_is_called_that_even_where_the_ledger_disagrees() {
    let mut report = of_rounds(in_rounds(true, BASIS_MODEL));
    assert_eq!(told(&report), "Verified: by the model's own word alone, as the settings allow.");
    report.ledger = Some(Box::new(ledger(&[Verdict::Contradicted], 1, Some(true))));
    assert!(
        told(&report).contains("do not all hold: 1 of 1 key claim does not hold: C1 (contradicted)"),
        "{}",
        told(&report)
    );
}

#[test]
fn rounds_that_end_unverified_are_never_called_verified_by_their_ledger() {
    let mut record = in_rounds(false, BASIS_LEDGER);
    record.unresolved = vec!["https://a.example/".to_owned(); 2];
    let report =
        Report { ledger: Some(Box::new(ledger(&[Verdict::Supported], 1, Some(true)))), ..of_rounds(record) };
    assert_eq!(told(&report), "Not verified: 2 addresses come from the model's word alone.");
}

#[test]
fn a_judge_that_never_answered_is_not_named() {
    let mut report = checked(&[Verdict::Supported], 1, None);
    assert_eq!(report.verification().judge, None);
    let mut check = Check {
        claim: ClaimId::at(0),
        aspect: CheckAspect::Meaning,
        opinion: Opinion::Abstains,
        by: CheckAuthor::Model { name: "small".to_owned(), version: "1".to_owned() },
        confidence: 0,
        source: None,
        span: None,
        page: None,
        at: Moment(0),
        reason: "the judge was not asked".to_owned(),
    };
    report.ledger.as_mut().unwrap().checks.push(check.clone());
    assert_eq!(report.verification().judge, None);
    check.opinion = Opinion::Supports;
    report.ledger.as_mut().unwrap().checks.push(check);
    assert_eq!(report.verification().judge.map(|judge| judge.name), Some("small"));
}

#[test]
fn a_report_that_nobody_checked_says_so() {
    assert_eq!(told(&Report::default()), "Not verified: its claims were not checked against its sources.");
}
