use probity_research::{
    checking::judge::INVENTED,
    ledger::{
        Check, CheckAspect, CheckAuthor, Claim, ClaimId, ClaimKind, ClaimVerdict, Ledger, NotCheckedReason,
        Opinion, Verdict,
        verdict::{NOT_ASKED_BUDGET, NOT_ASKED_DEADLINE},
    },
    report::Report,
    time::Moment,
};

use super::Gate;
use crate::exit::Exit;

fn gate(value: &str) -> Gate {
    let names: Vec<String> = value.split(',').map(str::to_owned).collect();
    Gate::parse(&names).unwrap()
}

fn ledger(verdicts: &[Verdict]) -> Ledger {
    let claim = |place: usize| Claim {
        id: ClaimId::at(place),
        start: 0,
        end: 1,
        words: format!("It rose {place} %."),
        kind: ClaimKind::Fact,
        load_bearing: true,
        cites: Vec::new(),
        quotations: Vec::new(),
        derived: None,
        context: Default::default(),
        inherited: None,
        repeats: None,
        rests_on: Vec::new(),
    };
    let settled = |(place, verdict): (usize, &Verdict)| ClaimVerdict {
        claim: ClaimId::at(place),
        verdict: verdict.clone(),
        by: None,
        aspect: None,
        confidence: 90,
        source: None,
        span: None,
        page: None,
        at: None,
        origins: 0,
        reason: String::new(),
    };
    Ledger {
        claims: (0..verdicts.len()).map(claim).collect(),
        settled: verdicts.iter().enumerate().map(settled).collect(),
        ..Ledger::default()
    }
}

fn exit(value: &str, ledger: &Ledger) -> (Exit, usize) {
    let outcome = gate(value).outcome(&Report::default(), ledger);
    (outcome.exit, outcome.failed.claims.len() + outcome.failed.whole.len())
}

fn abstention(reason: &str) -> Check {
    Check {
        claim: ClaimId::at(0),
        aspect: CheckAspect::Meaning,
        opinion: Opinion::Abstains,
        by: CheckAuthor::Model { name: "m".to_owned(), version: "1".to_owned() },
        confidence: 0,
        source: None,
        span: None,
        page: None,
        at: Moment(0),
        reason: reason.to_owned(),
    }
}

#[test]
fn an_empty_value_is_an_error_and_none_is_not() {
    for names in [&[""][..], &[" ", ""]] {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        assert!(Gate::parse(&names).is_err(), "{names:?}");
    }
    assert_eq!(gate("none"), gate("NONE,"));
    let refused = Gate::parse(&["wrong".to_owned()]).unwrap_err();
    let told = format!("{refused:?}");
    for known in ["not-in-source", "uncited", "unreachable", "contested", "unverified", "none"] {
        assert!(told.contains(known), "{told}");
    }
}

#[test]
fn only_what_is_ruled_out_fails() {
    let unreachable = Verdict::NotChecked { why: NotCheckedReason::Unreachable };
    let uncited = Verdict::NotChecked { why: NotCheckedReason::Uncited };
    let mut ledger = ledger(&[Verdict::Contradicted, unreachable, uncited, Verdict::Partly]);
    ledger.settled[3].aspect = Some(CheckAspect::SecondOpinion);
    assert_eq!(exit("contradicted,not-in-source", &ledger), (Exit::Contradicted, 1));
    assert_eq!(exit("unreachable", &ledger), (Exit::Contradicted, 1));
    assert_eq!(exit("uncited,unreachable", &ledger), (Exit::Contradicted, 2));
    assert_eq!(exit("contested", &ledger), (Exit::Contradicted, 1));
    assert_eq!(exit("qualified", &ledger), (Exit::Done, 0));
    assert_eq!(exit("unverified", &ledger), (Exit::Contradicted, 1), "the text, not each claim");
    assert_eq!(exit("none", &ledger), (Exit::Done, 0));
}

#[test]
fn a_judge_that_does_not_answer_is_not_taken_for_a_pass() {
    let mut silent = ledger(&[Verdict::CheckFailed { why: "connection refused".to_owned() }]);
    silent.checks = vec![abstention("connection refused")];
    let outcome = gate("contradicted,not-in-source").outcome(&Report::default(), &silent);
    assert_eq!(outcome.exit, Exit::ProviderDown);
    assert_eq!(
        outcome.failed.whole,
        [("no-answer", "the judge did not answer about 1 claim: connection refused".to_owned())]
    );
    assert_eq!(exit("none", &silent), (Exit::Done, 0));
    assert_eq!(exit("check-failed", &silent), (Exit::Contradicted, 1), "the worse one");
    // A quotation hides that nobody judged the rest.
    silent.settled[0].verdict = Verdict::Quoted;
    assert_eq!(exit("contradicted", &silent).0, Exit::ProviderDown);
    for answered in [INVENTED, NOT_ASKED_BUDGET, NOT_ASKED_DEADLINE] {
        silent.checks = vec![abstention(answered)];
        assert_eq!(exit("contradicted", &silent), (Exit::Done, 0), "{answered}");
    }
}

#[test]
fn a_limit_is_told_whatever_is_ruled_out() {
    let mut cut = ledger(&[Verdict::Supported]);
    cut.unread = vec!["2 claims from line 9 on".to_owned()];
    assert_eq!(exit("none", &cut), (Exit::Capped, 1));
    assert_eq!(exit("supported", &cut), (Exit::Contradicted, 1));
}
