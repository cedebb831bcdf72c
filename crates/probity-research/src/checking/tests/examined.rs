//! Whole checks with a judge that has to sit the exam.

use super::{STEPS_MAX, Turn, World, examined_judge};
use crate::{
    Event,
    checking::{
        CheckTask, VerificationSummary,
        exam::{BATCHES, ITEMS},
        plan::JudgePlan,
    },
    cost::MicroUsd,
    ledger::{ClaimId, JudgeExam, JudgeStanding, Ledger, Verdict},
};

fn run(world: &mut World) -> (Ledger, JudgeExam) {
    let ledger = world.run();
    let exam = ledger.judge_exam.unwrap_or_default();
    (ledger, exam)
}

#[test]
fn the_exam_comes_first_and_its_result_stands_beside_the_verdicts() {
    let mut world = World::new(20, Some(examined_judge(false)), None, &[]);
    let (ledger, exam) = run(&mut world);
    assert_eq!((world.exams, world.judged.len()), (BATCHES, 3));
    let tasks = world.journal.iter().filter_map(|recorded| match &recorded.event {
        Event::CheckIntended { tasks } => tasks.last().cloned(),
        _ => None,
    });
    let kinds: Vec<bool> = tasks
        .filter(|task| !matches!(task, CheckTask::Page { .. }))
        .map(|task| matches!(task, CheckTask::Exam { .. }))
        .collect();
    assert_eq!(kinds, [true, true, false], "the exam, then the claims");
    assert_eq!((exam.right, exam.total, exam.false_support), (ITEMS as u32, ITEMS as u32, 0));
    assert!(exam.controls_total >= 3 && exam.controls_right == exam.controls_total, "{exam:?}");
    assert_eq!((ledger.judge_standing, &ledger.judge_doubt), (JudgeStanding::Trusted, &None));
    assert_eq!(ledger.tally().line(), "20 claims: 20 supported");
    assert_eq!(ledger.claims.len(), 20, "known claims are nobody's claims");
    assert!(exam.line().starts_with("40 of 40 in the exam, "), "{}", exam.line());
    let confidence = ledger.verdict(ClaimId::at(0)).unwrap().confidence;
    assert_eq!(Some(confidence), exam.certain_percent(), "measured, not asked for");
}

#[test]
fn an_exam_is_sat_once() {
    let mut first = World::new(3, Some(examined_judge(false)), None, &[]);
    first.run();
    let mut second = World::new(4, Some(examined_judge(false)), None, &[]);
    second.remembered = first.remembered.clone();
    let (ledger, exam) = run(&mut second);
    assert_eq!((second.exams, exam.right), (0, ITEMS as u32));
    assert_eq!((ledger.judge_standing, second.judged.len()), (JudgeStanding::Trusted, 1));
    let elsewhere = JudgePlan { endpoint: "other".to_owned(), ..examined_judge(false) };
    let mut third = World::new(3, Some(elsewhere), None, &[Turn::Babbles; 40]);
    third.remembered = first.remembered.clone();
    assert!(third.run().judge_standing != JudgeStanding::Trusted, "the same name elsewhere is another judge");
}

#[test]
fn a_judge_below_the_bar_is_named() {
    let mut world = World::new(3, Some(examined_judge(false)), None, &[]);
    world.exam_right = 4;
    let (ledger, exam) = run(&mut world);
    assert!(exam.right < 34 && exam.total == 40, "{exam:?}");
    assert_eq!(ledger.judge_standing, JudgeStanding::Failed);
    let doubt = ledger.judge_doubt.unwrap();
    assert!(doubt.contains("the exam asks for 85 % right answers"), "{doubt}");
}

#[test]
fn a_judge_that_does_not_answer_the_exam_fails_it() {
    let turns = [Turn::Babbles; 15];
    let mut world = World::new(3, Some(examined_judge(false)), None, &turns);
    let (ledger, exam) = run(&mut world);
    assert_eq!((exam.right, exam.total), (0, 40));
    assert_eq!(ledger.judge_standing, JudgeStanding::Failed);
}

#[test]
fn a_known_false_claim_called_supported_is_enough() {
    for judge in [examined_judge(false), super::judge(false)] {
        let mut world = World::new(20, Some(judge), None, &[Turn::Flatters; 30]);
        let (ledger, exam) = run(&mut world);
        assert!(exam.controls_right < exam.controls_total, "{exam:?}");
        assert_eq!(ledger.judge_standing, JudgeStanding::Failed);
        let doubt = ledger.judge_doubt.unwrap();
        assert!(
            doubt.starts_with("it called ") && doubt.ends_with(" known false claims supported"),
            "{doubt}"
        );
        assert_eq!(exam.false_controls, exam.false_controls_passed, "{exam:?}");
    }
}

#[test]
fn a_judge_that_is_trusted_is_not_examined_and_that_is_said() {
    let mut world = World::new(3, Some(super::judge(false)), None, &[]);
    let (ledger, exam) = run(&mut world);
    assert_eq!((world.exams, ledger.judge_standing), (0, JudgeStanding::Trusted));
    assert!(exam.line().starts_with("not examined"), "{}", exam.line());
}

#[test]
fn an_exam_that_the_budget_does_not_carry_is_left_out_and_said() {
    let mut world = World::new(8, Some(examined_judge(false)), Some(MicroUsd(5_500)), &[]);
    let (ledger, exam) = run(&mut world);
    assert_eq!((world.exams, world.judged.len(), exam.total), (0, 1, 0));
    assert_eq!(ledger.judge_standing, JudgeStanding::Unexamined);
    assert_eq!(ledger.judge_doubt.as_deref(), Some("the budget did not carry the exam"));
    let mut world = World::new(8, Some(examined_judge(false)), Some(MicroUsd(6_000)), &[]);
    let (ledger, _) = run(&mut world);
    assert_eq!((world.exams, world.judged.len()), (BATCHES, 1));
    assert_eq!(ledger.judge_standing, JudgeStanding::Trusted);
}

#[test]
fn one_call_of_the_exam_lost_in_a_crash_is_not_bought_again() {
    let turns = [Turn::Supports, Turn::Supports, Turn::Supports, Turn::Crash];
    let mut world = World::new(3, Some(examined_judge(false)), None, &turns);
    let (ledger, exam) = run(&mut world);
    assert_eq!((world.exams, exam.right, exam.total), (BATCHES, 32, 32));
    assert_eq!(ledger.judge_standing, JudgeStanding::Trusted);
    let turns = [Turn::Supports, Turn::Crash];
    let mut world = World::new(3, Some(examined_judge(false)), None, &turns);
    let ledger = world.run();
    assert_eq!(ledger.judge_standing, JudgeStanding::Unexamined, "three of five calls were lost");
    assert!(ledger.judge_doubt.unwrap().starts_with("the exam was not sat: Probity stopped between"));
}

#[test]
fn a_crash_between_any_two_steps_changes_nothing() {
    let undisturbed = World::new(9, Some(examined_judge(true)), None, &[]).run();
    let steps = {
        let mut world = World::new(9, Some(examined_judge(true)), None, &[]);
        (0..STEPS_MAX).take_while(|_| world.step()).count()
    };
    for at in 0..steps {
        let mut world = World::new(9, Some(examined_judge(true)), None, &[]);
        (0..at).for_each(|_| assert!(world.step()));
        world.crash();
        let ledger = world.run();
        assert_eq!(ledger.judge_exam, undisturbed.judge_exam, "killed before step {at}");
        assert_eq!(ledger.judge_standing, JudgeStanding::Trusted);
        assert!(world.exams <= 2 * BATCHES, "a free call is repeated once at most");
    }
}

#[test]
fn exams_are_unreadable_to_older_versions_and_nothing_else_is() {
    let mut world = World::new(3, Some(examined_judge(false)), None, &[]);
    world.run();
    for recorded in &world.journal {
        let text = recorded.event.encode().unwrap();
        assert_eq!(recorded.event.version() == 9, text.contains("\"check\":\"exam\""), "{text}");
    }
}

#[test]
fn what_only_a_better_judge_could_settle_is_not_worth_another_round() {
    let mut ledger = World::new(2, Some(super::judge(false)), None, &[]).run();
    ledger.settled.iter_mut().for_each(|settled| settled.verdict = Verdict::Partly);
    let failing = ledger.claims.iter().map(|claim| claim.id).collect();
    ledger.verification.as_mut().unwrap().failing = failing;
    assert!(!VerificationSummary::of(&ledger).is_out_of_reach(), "a page that says less may be another page");
    ledger.judge_standing = JudgeStanding::Failed;
    assert!(VerificationSummary::of(&ledger).is_out_of_reach());
    let verification = ledger.verification.as_mut().unwrap();
    (verification.failing, verification.evidence_holds) = (Vec::new(), false);
    assert!(VerificationSummary::of(&ledger).is_out_of_reach(), "nothing fails but the judge");
}

#[test]
fn plans_from_before_the_exam_trust_their_judge() {
    let old = r#"{"name":"m","version":"1","local":false,"price":1000,"wrote_it":false}"#;
    let plan: JudgePlan = serde_json::from_str(old).unwrap();
    assert_eq!((plan.exam, plan.identity()), (crate::checking::ExamRule::Trusted, ["m", "1", "", ""]));
    assert_eq!(serde_json::to_string(&plan).unwrap(), old, "and are written as they were");
}
