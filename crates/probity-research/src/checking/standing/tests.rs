use super::{MeasuredJudge, below_bar};
use crate::{
    checking::{
        CheckState,
        controls::ControlTally,
        plan::{ExamRule, JudgePlan},
    },
    cost::MicroUsd,
    ledger::{JudgeExam, JudgeStanding},
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
    let exam = JudgeExam { right, total: 40, controls_right: 0, controls_total: 0, false_support };
    below_bar(&judge(wrote_it, ExamRule::Required), &exam).is_none()
}

#[test]
fn the_bar_is_higher_for_a_judge_of_its_own_text() {
    assert!(passes(false, 34, 0) && !passes(false, 33, 0));
    assert!(passes(true, 38, 0) && !passes(true, 37, 0));
    assert!(passes(false, 37, 3) && !passes(false, 36, 4), "three of thirty may pass for supported");
}

#[test]
fn one_of_twenty_known_false_claims_may_be_missed_and_none_of_fewer() {
    let standing = |false_right, false_total| {
        let controls = ControlTally { false_right, false_total, ..ControlTally::default() };
        let checking = CheckState { controls, ..CheckState::default() };
        MeasuredJudge::of(&judge(false, ExamRule::Trusted), &checking, None).standing
    };
    assert_eq!(standing(1, 1), JudgeStanding::Trusted);
    assert_eq!(standing(18, 19), JudgeStanding::Failed);
    assert_eq!(standing(19, 20), JudgeStanding::Trusted);
    assert_eq!(standing(18, 20), JudgeStanding::Failed);
}

#[test]
fn an_exam_that_was_not_sat_says_why() {
    let measured =
        MeasuredJudge::of(&judge(false, ExamRule::Required), &CheckState::default(), Some("no money"));
    assert_eq!(measured.standing, JudgeStanding::Unexamined);
    assert_eq!((measured.exam, measured.doubt.as_deref()), (None, Some("no money")));
    let trusted = MeasuredJudge::of(&judge(false, ExamRule::Trusted), &CheckState::default(), None);
    assert_eq!((trusted.standing, trusted.exam, trusted.doubt), (JudgeStanding::Trusted, None, None));
}
