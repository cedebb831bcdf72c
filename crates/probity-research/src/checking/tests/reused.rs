//! Whole checks with answers that were bought before.

use super::{Turn, World, judge};
use crate::{
    checking::{
        CheckState,
        controls::{self, ControlTally},
        task::JudgeAnswer,
    },
    id::Digest,
    ledger::{ClaimId, JudgeExam, JudgeStanding, Ledger, Opinion},
};

/// The number of the first known claim that does not follow, and of the first that does.
fn known() -> (ClaimId, ClaimId) {
    let numbers = controls::numbers(&[ClaimId::at(0)]);
    let at =
        |truth: bool| numbers.iter().copied().find(|claim| controls::truth(*claim) == Some(truth)).unwrap();
    (at(false), at(true))
}

fn answer(claim: ClaimId, key: u8, opinion: Opinion) -> JudgeAnswer {
    JudgeAnswer {
        claim,
        key: Digest([key; 32]),
        opinion,
        places: Vec::new(),
        confidence: 90,
        reason: String::new(),
        judged_at: None,
    }
}

fn again(first: &World, turns: &[Turn], keeps_controls: bool) -> (World, Ledger, JudgeExam) {
    let mut world = World::new(16, Some(judge(false)), None, turns);
    let is_known = |answer: &JudgeAnswer| controls::truth(answer.claim).is_some();
    let remembered = first.remembered.iter().filter(|(_, answer)| keeps_controls || !is_known(answer));
    world.remembered = remembered.map(|(key, answer)| (*key, answer.clone())).collect();
    let ledger = world.run();
    let exam = ledger.judge_exam.unwrap_or_default();
    (world, ledger, exam)
}

#[test]
fn a_judge_that_failed_a_text_does_not_pass_it_by_its_earlier_answers() {
    let mut first = World::new(16, Some(judge(false)), None, &[Turn::Supports, Turn::Flatters]);
    let failed = first.run();
    assert_eq!(failed.judge_standing, JudgeStanding::Failed);
    let (second, ledger, exam) = again(&first, &[], true);
    assert_eq!(second.judged, [(8..16).map(ClaimId::at).collect::<Vec<_>>()], "the rest is used again");
    assert_eq!(ledger.judge_standing, JudgeStanding::Failed);
    assert_eq!(Some(exam), failed.judge_exam, "the same claims, and the same answers to them");
    assert_eq!((exam.false_controls, exam.false_controls_passed), (2, 1));
    assert_eq!(ledger.tally(), failed.tally());
    let reason = &ledger.verdict(ClaimId::at(0)).unwrap().reason;
    assert!(reason.starts_with("its judge did not pass: it called "), "{reason}");
}

#[test]
fn answers_that_are_used_again_have_as_many_known_claims_beside_them() {
    let mut first = World::new(16, Some(judge(false)), None, &[]);
    let total = first.run().judge_exam.unwrap().controls_total;
    let (second, ledger, exam) = again(&first, &[], true);
    assert!(second.judged.is_empty(), "known claims are not bought twice either");
    assert_eq!((exam.controls_total, ledger.tally().supported), (total, 16));
    // Answers from before those of known claims were kept: these are asked alone.
    let (second, ledger, exam) = again(&first, &[], false);
    assert_eq!(second.judged, [Vec::<ClaimId>::new(), Vec::new()]);
    assert_eq!((exam.controls_total, ledger.tally().supported), (total, 16));
    let (_, ledger, _) = again(&first, &[Turn::Flatters; 2], false);
    assert_eq!((ledger.judge_standing, ledger.tally().supported), (JudgeStanding::Failed, 0));
    // A judge that leaves them out is not asked for ever.
    let (second, _, exam) = again(&first, &[Turn::Half; 9], false);
    assert_eq!((second.judged.len(), exam.controls_total), (2, 0));
}

#[test]
fn known_claims_count_over_the_texts_of_a_run_each_once() {
    let (wrong, right) = known();
    let mut checking = CheckState::default();
    checking.begin(Digest([1; 32]));
    for course in [&mut checking.judge, &mut checking.second] {
        course.sort_in(&[answer(wrong, 1, Opinion::Supports), answer(right, 2, Opinion::Supports)]);
        assert!(!course.is_open(wrong));
    }
    checking.begin(Digest([2; 32]));
    for course in [&mut checking.judge, &mut checking.second] {
        assert!(course.is_open(wrong), "another text has its own");
        course.sort_in(&[answer(wrong, 3, Opinion::Absent), answer(right, 2, Opinion::Supports)]);
        let tally = ControlTally { true_right: 1, true_total: 1, false_right: 1, false_total: 2 };
        assert_eq!(course.controls, tally);
    }
}
