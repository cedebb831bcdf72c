use super::{BASIS_EVIDENCE, BASIS_LEDGER, BASIS_MODEL, BASIS_ONE_ROUND, BASIS_QUOTATIONS};
use crate::{
    ledger::{
        Check, CheckAspect, CheckAuthor, Claim, ClaimId, ClaimKind, ClaimVerdict, JudgeExam, JudgeStanding,
        Ledger, NotCheckedReason, Opinion, SecondJudge, Verdict, VerificationRule, verification,
    },
    report::Report,
    rounds::{Mode, RoundNote, RoundsRecord, RoundsStop},
    status::RunStatus,
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
        context: Default::default(),
        inherited: None,
        repeats: None,
        rests_on: Vec::new(),
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
        judge_standing: JudgeStanding::Trusted,
        ..Ledger::default()
    };
    ledger.verification = Some(verification::verify(&ledger, model_says));
    ledger
}

fn judgement() -> Check {
    Check {
        claim: ClaimId::at(0),
        aspect: CheckAspect::Meaning,
        opinion: Opinion::Supports,
        by: CheckAuthor::Model { name: "small".to_owned(), version: "1".to_owned() },
        confidence: 90,
        source: None,
        span: None,
        page: None,
        at: Moment(0),
        reason: String::new(),
    }
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
        model_unasked: false,
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
fn a_question_that_its_source_does_not_bear_out_is_named() {
    let mut ledger = ledger(&[Verdict::Supported, Verdict::NotInSource], 1, None);
    ledger.claims[1].kind = ClaimKind::Question;
    ledger.claims[1].cites = vec![0];
    ledger.verification = Some(verification::verify(&ledger, None));
    let report = Report { ledger: Some(Box::new(ledger)), ..Report::default() };
    assert_eq!(told(&report), "Not verified: 1 claim is not in the source: C2.");
}

#[test]
fn a_ledger_says_what_came_out_and_not_the_rule() {
    let unreachable = Verdict::NotChecked { why: NotCheckedReason::Unreachable };
    let uncited = Verdict::NotChecked { why: NotCheckedReason::Uncited };
    let two = [Verdict::Supported, Verdict::Supported];
    assert_eq!(
        told(&checked(&two, 2, None)),
        "Verified: both factual sentences are supported by stored pages, nothing is contradicted."
    );
    assert_eq!(
        told(&checked(&[Verdict::Supported], 0, Some(true))),
        "Verified: its one factual sentence is supported by a stored page, nothing is contradicted, and the model that \
         wrote it confirms it."
    );
    assert_eq!(
        told(&checked(&[Verdict::Supported, uncited, unreachable, Verdict::Contradicted], 2, None)),
        "Not verified: 1 of 4 factual sentences is supported, 1 contradicted, 1 uncited, 1 unreachable: C4 \
         (contradicted), C2 (cites nothing), C3 (not checked: unreachable)."
    );
    assert_eq!(
        told(&checked(&two, 2, Some(false))),
        "Not verified: the model that wrote it does not confirm it."
    );
    assert_eq!(
        told(&checked(&[], 0, None)),
        "Not verified: it has no factual sentence that a source could support."
    );
}

#[test]
fn nothing_is_verified_before_its_research_has_ended() {
    let draft = || checked(&[Verdict::Supported], 1, None);
    assert_eq!(told(&draft().of_run(RunStatus::RunningAsync)), "Not verified: the research has not ended.");
    assert!(draft().of_run(RunStatus::Completed).verification().verified);
    // The checks are still to come.
    let unchecked = Report::default().of_run(RunStatus::RunningAsync);
    assert_eq!(told(&unchecked), "Not verified: the research has not ended.");
    let refuted = checked(&[Verdict::Contradicted], 1, None).of_run(RunStatus::Cancelling);
    assert!(told(&refuted).contains("1 contradicted"), "{}", told(&refuted));
}

#[test]
fn the_judge_is_named_with_its_record() {
    let judge = |report: &mut Report, standing, exam, wrote_it| {
        let ledger = report.ledger.as_mut().unwrap();
        (ledger.judge_standing, ledger.judge_exam, ledger.judge_wrote_it) = (standing, exam, wrote_it);
        ledger.checks = vec![judgement()];
        ledger.verification = Some(verification::verify(ledger, None));
    };
    let exam = JudgeExam {
        right: 38,
        total: 40,
        controls_right: 8,
        controls_total: 8,
        false_support: 1,
        ..JudgeExam::default()
    };
    let mut report = checked(&[Verdict::Supported], 1, None);
    for (standing, exam, wrote_it, expected) in [
        (
            JudgeStanding::Trusted,
            Some(exam),
            false,
            "judged by small (38 of 40 in the exam, 8 of 8 controls in this report).",
        ),
        (
            JudgeStanding::Trusted,
            None,
            true,
            "judged by small, which also wrote it (trusted by the settings without an exam).",
        ),
        (JudgeStanding::Unexamined, None, false, "Not verified: its judge small was not examined."),
        (
            JudgeStanding::Failed,
            Some(exam),
            true,
            "its judge small, which also wrote it, failed its exam (38 of 40 in the exam, 8 of 8 controls in this \
             report, 1 false called supported).",
        ),
    ] {
        judge(&mut report, standing, exam, Some(wrote_it));
        assert!(told(&report).ends_with(expected), "{}", told(&report));
        assert_eq!(report.verification().verified, standing == JudgeStanding::Trusted);
    }
    let mut report = checked(&[Verdict::Partly], 1, None);
    judge(&mut report, JudgeStanding::Trusted, None, None);
    let end = "judged by small (trusted by the settings without an exam).";
    assert!(told(&report).ends_with(end) && !report.verification().verified, "{}", told(&report));
}

#[test]
fn known_false_claims_called_supported_are_no_failed_exam() {
    let mut report = checked(&[Verdict::Supported], 1, None);
    for (right, total, record) in [(36, 40, "36 of 40 in the exam"), (0, 0, "not examined")] {
        let exam = JudgeExam {
            right,
            total,
            controls_total: 1,
            false_controls: 1,
            false_controls_passed: 1,
            ..JudgeExam::default()
        };
        let ledger = report.ledger.as_mut().unwrap();
        ledger.judge_standing = JudgeStanding::Failed;
        (ledger.judge_exam, ledger.judge_doubt) = (Some(exam), Some(exam.controls_doubt()));
        ledger.checks = vec![judgement()];
        ledger.verification = Some(verification::verify(ledger, None));
        let expected = format!(
            "its judge small called 1 of 1 known false claims supported ({record}, 0 of 1 controls in this report)."
        );
        assert!(told(&report).ends_with(&expected), "{}", told(&report));
    }
}

#[test]
fn the_judge_comes_first_where_its_word_does_not_count() {
    let mut report = checked(&[Verdict::NotInSource], 1, None);
    let ledger = report.ledger.as_mut().unwrap();
    ledger.judge_standing = JudgeStanding::Unexamined;
    ledger.checks = vec![judgement()];
    ledger.verification = Some(verification::verify(ledger, None));
    let told = told(&report);
    assert!(told.starts_with("Not verified: its judge small was not examined; 0 of 1 factual "), "{told}");
}

#[test]
fn both_judges_are_named_with_their_records() {
    let mut report = checked(&[Verdict::Supported], 1, None);
    let ledger = report.ledger.as_mut().unwrap();
    let exam = |right| Some(JudgeExam { right, total: 40, ..JudgeExam::default() });
    ledger.judge_exam = exam(38);
    ledger.checks = vec![judgement()];
    let second = SecondJudge {
        name: "other".to_owned(),
        exam: exam(40),
        asked: 1,
        agreed: 1,
        ..SecondJudge::default()
    };
    ledger.second_judge = Some(Box::new(second));
    let words = "second judge other (40 of 40 in the exam) agrees on 1 of 1 claim";
    assert!(
        told(&report).ends_with(&format!("judged by small (38 of 40 in the exam); {words}.")),
        "{}",
        told(&report)
    );
    assert_eq!(report.verification().judge_in_words(), format!("judged by small; {words}"));

    let ledger = report.ledger.as_mut().unwrap();
    let contested = ledger.settled.first_mut().unwrap();
    (contested.verdict, contested.aspect) = (Verdict::Partly, Some(CheckAspect::SecondOpinion));
    ledger.verification = Some(verification::verify(ledger, None));
    assert!(told(&report).ends_with("C1 (contested: its judges disagree)."), "{}", told(&report));
}

#[test]
fn what_an_earlier_rule_decided_stays_and_is_named() {
    let mut report = checked(&[Verdict::Supported, Verdict::Quoted], 1, None);
    let ledger = report.ledger.as_mut().unwrap();
    ledger.judge_standing = JudgeStanding::Unexamined;
    let earlier = VerificationRule::LoadBearingSupported1;
    ledger.verification = Some(verification::verify_by(earlier, ledger, None));
    assert_eq!(
        told(&report),
        "Verified: its one key claim is supported by a stored page (an earlier rule, which counted key claims only), \
         nothing is contradicted."
    );
    assert_eq!(report.verification().rule, Some(earlier.in_words()));
    assert_eq!(report.verification().facts, None);
}

#[test]
fn many_claims_are_counted_and_some_named() {
    let report = checked(&vec![Verdict::NotInSource; 9], 9, None);
    let reason = report.verification().reason;
    let expected = "0 of 9 factual sentences are supported, 9 not in source: C1 (not in source), C2";
    assert!(reason.starts_with(expected), "{reason}");
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
        told(&report).contains(
            "do not all hold: 0 of 1 factual sentence is supported, 1 contradicted: C1 (contradicted)"
        ),
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
    assert_eq!(report.verification().judge_as_value(), "none; nothing was judged");
    let mut check = Check { opinion: Opinion::Abstains, confidence: 0, ..judgement() };
    report.ledger.as_mut().unwrap().checks.push(check.clone());
    assert_eq!(report.verification().judge, None);
    check.opinion = Opinion::Supports;
    report.ledger.as_mut().unwrap().checks.push(check);
    assert_eq!(report.verification().judge.map(|judge| judge.name), Some("small"));
    let outcome = report.verification();
    assert_eq!([outcome.judge_as_value(), outcome.judge_in_words()], ["small", "judged by small"]);
}

#[test]
fn a_report_that_nobody_checked_says_so() {
    assert_eq!(told(&Report::default()), "Not verified: its claims were not checked against its sources.");
}
