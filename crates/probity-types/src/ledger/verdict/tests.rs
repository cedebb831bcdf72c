use super::{NOT_ASKED_BUDGET, NotCheckedReason, Verdict};
use crate::{
    id::Digest,
    ledger::{
        Check, CheckAspect, CheckAuthor, Claim, ClaimId, ClaimKind, JudgeExam, JudgeStanding, Ledger,
        LedgerSource, Opinion, Passage, SecondJudge, SourceConflict, SourceState,
    },
    time::Moment,
    web::page::Provenance,
};

fn kept(origin: u32) -> LedgerSource {
    LedgerSource {
        url: format!("https://{origin}.example/"),
        title: String::new(),
        state: SourceState::Kept {
            snapshot: Digest([1; 32]),
            extract: Digest([2; 32]),
            fetched_at: Moment(0),
            provenance: Provenance::Direct,
            published: None,
        },
        origin,
        quoted: Vec::new(),
    }
}

fn claim(cites: &[u32]) -> Claim {
    Claim {
        id: ClaimId::at(0),
        start: 0,
        end: 10,
        words: "It rose by 12 %.".to_owned(),
        kind: ClaimKind::Fact,
        load_bearing: true,
        cites: cites.to_vec(),
        quotations: Vec::new(),
        derived: None,
        context: Default::default(),
        inherited: None,
        repeats: None,
        rests_on: Vec::new(),
    }
}

fn check(aspect: CheckAspect, opinion: Opinion, source: u32) -> Check {
    let by = match aspect {
        CheckAspect::Meaning => CheckAuthor::Model { name: "m".to_owned(), version: "1".to_owned() },
        _ => CheckAuthor::Rules { version: "1".to_owned() },
    };
    Check {
        claim: ClaimId::at(0),
        aspect,
        opinion,
        by,
        confidence: 90,
        source: Some(source),
        span: Some((0, 5)),
        page: Some(Digest([1; 32])),
        at: Moment(0),
        reason: String::new(),
    }
}

fn ledger(checks: Vec<Check>) -> Ledger {
    let mut ledger = Ledger {
        claims: vec![claim(&[0, 1])],
        sources: vec![kept(0), kept(1)],
        checks,
        judge_standing: JudgeStanding::Trusted,
        ..Ledger::default()
    };
    ledger.compute_verdicts(None);
    ledger
}

fn verdict(checks: Vec<Check>) -> Verdict {
    ledger(checks).settled.remove(0).verdict
}

#[test]
fn no_rule_can_award_supported() {
    let mut forged = check(CheckAspect::Number, Opinion::Supports, 0);
    assert!(matches!(verdict(vec![forged.clone()]), Verdict::CheckFailed { .. }));
    forged.aspect = CheckAspect::Meaning;
    assert!(matches!(verdict(vec![forged]), Verdict::CheckFailed { .. }), "rules do not judge meaning");
    let mut unfounded = check(CheckAspect::Meaning, Opinion::Supports, 0);
    unfounded.span = None;
    assert!(matches!(verdict(vec![unfounded]), Verdict::CheckFailed { .. }), "a judge must name the place");
    assert_eq!(verdict(vec![check(CheckAspect::Meaning, Opinion::Supports, 0)]), Verdict::Supported);
}

#[test]
fn a_second_judge_contests_and_never_awards() {
    let second = |opinion| {
        let by = CheckAuthor::Model { name: "n".to_owned(), version: "1".to_owned() };
        Check { by, ..check(CheckAspect::SecondOpinion, opinion, 0) }
    };
    let first = || check(CheckAspect::Meaning, Opinion::Supports, 0);
    assert_eq!(verdict(vec![first(), second(Opinion::Supports)]), Verdict::Supported);
    assert_eq!(verdict(vec![first(), second(Opinion::Abstains)]), Verdict::Supported);
    for against in [Opinion::Contradicts, Opinion::Absent, Opinion::Qualifies, Opinion::Partly] {
        assert_eq!(verdict(vec![first(), second(against)]), Verdict::Partly, "{against:?}");
    }
    let no_judge = Verdict::NotChecked { why: NotCheckedReason::NoJudge };
    assert_eq!(verdict(vec![second(Opinion::Supports)]), no_judge, "it only confirms");

    let mut ledger = ledger(vec![first(), second(Opinion::Abstains)]);
    ledger.second_judge = Some(Box::new(SecondJudge { is_needed: true, ..SecondJudge::default() }));
    ledger.compute_verdicts(None);
    assert_eq!(ledger.settled.remove(0).verdict, Verdict::Partly, "a writer's own word needs another's");
}

/// The verdict where a judge of this standing says `supports` and a rule says this.
fn contested(standing: JudgeStanding, aspect: CheckAspect, opinion: Opinion, confidence: u8) -> Verdict {
    let witness = Check { confidence, ..check(aspect, opinion, 1) };
    let mut ledger = ledger(vec![check(CheckAspect::Meaning, Opinion::Supports, 0), witness]);
    ledger.judge_standing = standing;
    ledger.compute_verdicts(None);
    ledger.settled.remove(0).verdict
}

#[test]
fn rules_are_witnesses_and_the_judge_decides() {
    for opinion in [
        Opinion::Contradicts,
        Opinion::Absent,
        Opinion::Qualifies,
        Opinion::Agrees,
        Opinion::Doubts,
        Opinion::Abstains,
    ] {
        let decided = contested(JudgeStanding::Trusted, CheckAspect::Number, opinion, 95);
        let expected = if opinion == Opinion::Contradicts { Verdict::Partly } else { Verdict::Supported };
        assert_eq!(decided, expected, "{opinion:?}");
    }
    for (opinion, expected) in [
        (Opinion::Contradicts, Verdict::Contradicted),
        (Opinion::Absent, Verdict::NotInSource),
        (Opinion::Qualifies, Verdict::Qualified),
        (Opinion::Partly, Verdict::Partly),
    ] {
        let checks = vec![
            check(CheckAspect::Meaning, opinion, 0),
            check(CheckAspect::Quotation, Opinion::Quoted, 0),
            check(CheckAspect::Number, Opinion::Agrees, 0),
        ];
        assert_eq!(verdict(checks), expected, "the judge says {opinion:?}");
    }
}

#[test]
fn no_judge_outweighs_what_is_certain() {
    for standing in [JudgeStanding::Trusted, JudgeStanding::Unexamined, JudgeStanding::Failed] {
        let absent = contested(standing, CheckAspect::Quotation, Opinion::Absent, 99);
        assert_eq!(absent, Verdict::NotInSource);
        let wrong = contested(standing, CheckAspect::Arithmetic, Opinion::Contradicts, 99);
        assert_eq!(wrong, Verdict::Contradicted);
        let dead = contested(standing, CheckAspect::Citation, Opinion::Absent, 99);
        assert_eq!(dead, Verdict::NotInSource);
    }
}

#[test]
fn a_judge_without_standing_does_not_outweigh_a_strong_witness() {
    let unexamined =
        |opinion, confidence| contested(JudgeStanding::Unexamined, CheckAspect::Number, opinion, confidence);
    assert_eq!(unexamined(Opinion::Contradicts, 80), Verdict::Partly);
    assert_eq!(unexamined(Opinion::Absent, 92), Verdict::Partly);
    assert_eq!(unexamined(Opinion::Contradicts, 60), Verdict::Supported, "a weak witness");
    assert_eq!(unexamined(Opinion::Doubts, 99), Verdict::Supported, "a doubt is for the judge to weigh");
    let failed = contested(JudgeStanding::Failed, CheckAspect::Coverage, Opinion::Agrees, 50);
    assert_eq!(failed, Verdict::Partly);
}

#[test]
fn a_judge_that_did_not_pass_makes_nothing_better_than_the_rules_found_it() {
    let failed =
        |opinion, confidence| contested(JudgeStanding::Failed, CheckAspect::Number, opinion, confidence);
    assert_eq!(failed(Opinion::Contradicts, 60), Verdict::Contradicted);
    assert_eq!(failed(Opinion::Absent, 60), Verdict::NotInSource);
    assert_eq!(failed(Opinion::Qualifies, 60), Verdict::Qualified);
    assert_eq!(failed(Opinion::Contradicts, 59), Verdict::Partly, "a rule that decides nothing by itself");
}

#[test]
fn a_judge_that_is_trusted_unexamined_faces_every_rule_that_decides() {
    let witness = Check { confidence: 60, ..check(CheckAspect::Name, Opinion::Contradicts, 1) };
    let mut ledger = ledger(vec![check(CheckAspect::Meaning, Opinion::Supports, 0), witness]);
    assert_eq!(ledger.settled[0].verdict, Verdict::Partly);
    ledger.judge_exam = Some(JudgeExam { right: 40, total: 40, ..JudgeExam::default() });
    ledger.compute_verdicts(None);
    assert_eq!(ledger.settled[0].verdict, Verdict::Supported, "who passed weighs a weak witness");
}

#[test]
fn a_yes_that_counts_for_less_says_why() {
    let said =
        Check { reason: "stands there".to_owned(), ..check(CheckAspect::Meaning, Opinion::Supports, 0) };
    let mut ledger = ledger(vec![said]);
    assert_eq!(ledger.verdict(ClaimId::at(0)).unwrap().reason, "stands there");
    ledger.judge_standing = JudgeStanding::Failed;
    ledger.judge_doubt = Some("it called 3 of 12 known false claims supported".to_owned());
    ledger.compute_verdicts(None);
    let settled = ledger.verdict(ClaimId::at(0)).unwrap();
    assert_eq!(settled.verdict, Verdict::Partly);
    assert_eq!(
        settled.reason,
        "its judge did not pass: it called 3 of 12 known false claims supported, so its yes counts as partly; \
         it says: stands there"
    );
}

#[test]
fn a_ledger_of_before_trusts_its_judge() {
    let written = serde_json::to_value(ledger(Vec::new())).unwrap();
    assert!(written.get("judge_standing").is_none());
    let read: Ledger = serde_json::from_value(written).unwrap();
    assert_eq!(read.judge_standing, JudgeStanding::Trusted);
    let unexamined = Ledger { judge_standing: JudgeStanding::Unexamined, ..Ledger::default() };
    assert_eq!(serde_json::to_value(unexamined).unwrap()["judge_standing"], "unexamined");
}

#[test]
fn a_failed_check_is_an_abstention() {
    let mut failed = check(CheckAspect::Meaning, Opinion::Abstains, 0);
    failed.reason = "rate limited".to_owned();
    assert_eq!(verdict(vec![failed.clone()]), Verdict::CheckFailed { why: "rate limited".to_owned() });
    let witness = check(CheckAspect::Number, Opinion::Contradicts, 0);
    assert_eq!(verdict(vec![failed.clone(), witness]), Verdict::Contradicted, "the rules are all there is");
    failed.reason = NOT_ASKED_BUDGET.to_owned();
    assert_eq!(verdict(vec![failed]), Verdict::NotChecked { why: NotCheckedReason::Budget });
}

#[test]
fn without_a_judge_the_ceiling_is_quoted() {
    assert_eq!(
        verdict(vec![check(CheckAspect::Coverage, Opinion::Doubts, 0)]),
        Verdict::NotChecked { why: NotCheckedReason::NoJudge }
    );
    assert_eq!(
        verdict(vec![check(CheckAspect::Number, Opinion::Agrees, 0)]),
        Verdict::NotChecked { why: NotCheckedReason::NoJudge }
    );
    let quoted = check(CheckAspect::Quotation, Opinion::Quoted, 0);
    assert_eq!(
        verdict(vec![quoted.clone(), check(CheckAspect::Number, Opinion::Agrees, 0)]),
        Verdict::Quoted
    );
    assert_eq!(
        verdict(vec![quoted, check(CheckAspect::Polarity, Opinion::Contradicts, 0)]),
        Verdict::Contradicted
    );
}

#[test]
fn what_cannot_be_checked_says_why() {
    let of = |mut claim: Claim, sources: Vec<LedgerSource>| {
        claim.id = ClaimId::at(0);
        let mut ledger = Ledger { claims: vec![claim], sources, ..Ledger::default() };
        ledger.compute_verdicts(Some(true));
        let verification = ledger.verification.unwrap();
        assert!(!verification.verified);
        ledger.settled.remove(0).verdict.to_string()
    };
    assert_eq!(of(claim(&[]), vec![]), "not checked: cites nothing");
    let lost = LedgerSource { state: SourceState::unreachable("404"), ..kept(0) };
    assert_eq!(of(claim(&[0]), vec![lost]), "not checked: unreachable");
    let own = Claim { kind: ClaimKind::OwnWords, ..claim(&[]) };
    assert_eq!(of(own, vec![]), "not checked: own words");
    let question = Claim { kind: ClaimKind::Question, ..claim(&[]) };
    assert_eq!(of(question, vec![]), "not checked: a question");
}

#[test]
fn verified_is_arithmetic() {
    let supports = |source| check(CheckAspect::Meaning, Opinion::Supports, source);
    let mut one = ledger(vec![supports(0)]);
    assert!(one.verification.as_ref().unwrap().verified);
    assert_eq!(one.verification.as_ref().unwrap().single_origin, [ClaimId::at(0)]);
    one.compute_verdicts(Some(false));
    assert!(!one.verification.as_ref().unwrap().verified, "the model denies its own text");
    assert!(one.verification.as_ref().unwrap().evidence_holds);

    let passage =
        |source| Passage { source, start: 0, end: 5, text: String::new(), context: Default::default() };
    let conflict = SourceConflict {
        claim: ClaimId::at(0),
        left: 0,
        right: 1,
        about: "12 % against 14 %".to_owned(),
        same_origin: false,
    };
    let contested = |checks| {
        let mut ledger = ledger(checks);
        ledger.passages = vec![passage(0), passage(1)];
        ledger.conflicts = vec![conflict.clone()];
        ledger.compute_verdicts(Some(true));
        ledger.verification.unwrap()
    };
    assert_eq!(contested(vec![supports(0)]).failing, [ClaimId::at(0)]);
    assert!(contested(vec![supports(0), supports(1)]).verified);

    let mut empty = Ledger::default();
    empty.compute_verdicts(Some(true));
    assert!(!empty.verification.unwrap().verified, "a report without claims is not verified by having none");
}
