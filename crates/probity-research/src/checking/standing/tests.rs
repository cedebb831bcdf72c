use super::{MeasuredJudge, below_bar, result};
use crate::{
    checking::{
        JudgeCourse,
        controls::ControlTally,
        exam,
        judge::question_key,
        plan::{ExamRule, JudgePlan},
        task::JudgeAnswer,
    },
    cost::MicroUsd,
    id::Digest,
    ledger::{JudgeExam, JudgeStanding, Opinion},
};

fn judge(wrote_it: bool, exam: ExamRule) -> JudgePlan {
    JudgePlan {
        name: "m".to_owned(),
        version: "1".to_owned(),
        local: false,
        price: MicroUsd(1),
        wrote_it,
        endpoint: String::new(),
        exam,
    }
}

fn passes(wrote_it: bool, right: u32, false_support: u32) -> bool {
    let exam = JudgeExam { right, total: 40, false_support, ..JudgeExam::default() };
    below_bar(&judge(wrote_it, ExamRule::Required), &exam).is_none()
}

#[test]
fn the_bar_is_higher_for_a_judge_of_its_own_text() {
    assert!(passes(false, 34, 0) && !passes(false, 33, 0));
    assert!(passes(true, 38, 0) && !passes(true, 37, 0));
    assert!(passes(false, 37, 2) && !passes(false, 37, 3), "two of thirty may pass for supported");
}

#[test]
fn one_of_twenty_known_false_claims_may_be_missed_and_none_of_fewer() {
    let standing = |false_right, false_total| {
        let controls = ControlTally { false_right, false_total, ..ControlTally::default() };
        let course = JudgeCourse { controls, ..JudgeCourse::default() };
        MeasuredJudge::of(&judge(false, ExamRule::Trusted), &course, None).standing
    };
    assert_eq!(standing(1, 1), JudgeStanding::Trusted);
    assert_eq!(standing(18, 19), JudgeStanding::Failed);
    assert_eq!(standing(19, 20), JudgeStanding::Trusted);
    assert_eq!(standing(18, 20), JudgeStanding::Failed);
}

#[test]
fn answers_to_another_version_of_the_exam_tell_nothing() {
    let judge = judge(false, ExamRule::Required);
    let total = |is_of_this_exam: bool| {
        let answer = |question: &exam::ExamItem| JudgeAnswer {
            claim: question.item.claim,
            key: if is_of_this_exam { question_key(&judge, &question.item) } else { Digest([7; 32]) },
            opinion: Opinion::Absent,
            places: Vec::new(),
            confidence: 90,
            reason: String::new(),
            judged_at: None,
        };
        let exam_answers = exam::questions(&judge).iter().map(answer).collect();
        result(&judge, &JudgeCourse { exam_answers, ..JudgeCourse::default() }).total
    };
    assert_eq!((total(true), total(false)), (40, 0));
}

#[test]
fn an_exam_that_was_not_sat_says_why() {
    let measured =
        MeasuredJudge::of(&judge(false, ExamRule::Required), &JudgeCourse::default(), Some("no money"));
    assert_eq!(measured.standing, JudgeStanding::Unexamined);
    assert_eq!((measured.exam, measured.doubt.as_deref()), (None, Some("no money")));
    let trusted = MeasuredJudge::of(&judge(false, ExamRule::Trusted), &JudgeCourse::default(), None);
    assert_eq!((trusted.standing, trusted.exam, trusted.doubt), (JudgeStanding::Trusted, None, None));
}
