use super::{RoundHints, uncheckable_in_words};
use crate::ledger::{
    Claim, ClaimId, ClaimKind, ClaimVerdict, Ledger, LedgerSource, NotCheckedReason, SourceState, Verdict,
};

const UNREACHABLE: Verdict = Verdict::NotChecked { why: NotCheckedReason::Unreachable };

/// A ledger of claims with these verdicts; each cites the page with its number.
fn ledger(verdicts: &[Verdict]) -> Ledger {
    let claim = |place: usize| Claim {
        id: ClaimId::at(place),
        start: 0,
        end: 0,
        words: format!("Claim {place}."),
        kind: ClaimKind::Fact,
        load_bearing: true,
        cites: vec![u32::try_from(place).unwrap()],
        quotations: Vec::new(),
        derived: None,
        context: Default::default(),
        inherited: None,
        repeats: None,
        rests_on: Vec::new(),
    };
    let source = |place: usize| LedgerSource {
        url: format!("https://a.example/{place}"),
        title: String::new(),
        state: SourceState::unreachable("the page answers 402"),
        origin: 0,
        quoted: Vec::new(),
    };
    let settled = |(place, verdict): (usize, &Verdict)| ClaimVerdict {
        claim: ClaimId::at(place),
        verdict: verdict.clone(),
        by: None,
        aspect: None,
        confidence: 0,
        source: None,
        span: None,
        page: None,
        at: None,
        origins: 1,
        reason: String::new(),
    };
    let mut ledger = Ledger {
        claims: (0..verdicts.len()).map(claim).collect(),
        sources: (0..verdicts.len()).map(source).collect(),
        settled: verdicts.iter().enumerate().map(settled).collect(),
        ..Ledger::default()
    };
    ledger.verification = Some(crate::ledger::verification::verify(&ledger, Some(false)));
    ledger
}

#[test]
fn a_round_is_told_what_it_can_mend_and_which_pages_to_replace() {
    let ledger = ledger(&[Verdict::Supported, Verdict::Contradicted, UNREACHABLE, Verdict::Quoted]);
    let hints = RoundHints::of(Some(&ledger), &["https://nowhere.example".to_owned()]);
    assert_eq!(
        hints,
        RoundHints {
            failing: vec!["Claim 1. [contradicted]".to_owned()],
            unreadable: vec!["https://a.example/2 (the page answers 402): “Claim 2.”".to_owned()],
            single_origin: vec!["Claim 0.".to_owned()],
            untraced: vec!["https://nowhere.example".to_owned()],
        }
    );
    assert_eq!(RoundHints::of(None, &[]), RoundHints::default());
}

#[test]
fn what_could_not_be_checked_is_named_with_its_reason() {
    let no_judge = Verdict::NotChecked { why: NotCheckedReason::NoJudge };
    let failed = Verdict::CheckFailed { why: "the judge did not answer this question".to_owned() };
    for (verdicts, words) in [
        (
            vec![UNREACHABLE, UNREACHABLE],
            "2 claims could not be checked (pages that cannot be read: https://a.example/0 (the page \
             answers 402), https://a.example/1 (the page answers 402))",
        ),
        (vec![no_judge], "1 claim could not be checked (nobody was there to judge them; see `checks.judge`)"),
        (vec![failed], "1 claim could not be checked (the judge did not answer)"),
    ] {
        assert_eq!(uncheckable_in_words(&ledger(&verdicts)), words);
    }
}
