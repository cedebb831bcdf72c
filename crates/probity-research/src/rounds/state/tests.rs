use std::time::Duration;

use super::{AnswerFacts, CallBilling, RoundPosition, RoundStage, RoundsState};
use crate::{
    cost::{Cost, MicroUsd, Usage},
    error::{Code, CodedError},
    id::Digest,
    rounds::{Mode, RoundsPlan, RoundsStop},
};

fn stumble(course: &mut RoundsState, code: Code) -> Duration {
    let problem = CodedError::new(code, "in somebody's words");
    let kept = (code == Code::UnusableAnswer).then_some(Digest([9; 32]));
    let pause = course.pause_after(&RoundsPlan::new(Mode::DeepSearch, 5), &problem, kept);
    course.apply_failure(
        &problem,
        kept,
        CallBilling::Counted(Usage { output_tokens: 10, ..Usage::default() }),
        None,
    );
    pause
}

fn answer(course: &mut RoundsState, facts: &AnswerFacts) {
    let round = u8::try_from(course.position.round).unwrap();
    let usage = Usage { output_tokens: 10, ..Usage::default() };
    course.apply_answer(Digest([round; 32]), facts, CallBilling::Counted(usage));
}

fn place(course: &RoundsState) -> (u32, u32, RoundStage) {
    (course.position.round, course.position.cycle, course.position.stage)
}

#[test]
fn an_unreadable_answer_is_corrected_then_the_cycle_repeats_after_one_two_and_five_seconds() {
    let mut course = RoundsState::default();
    answer(&mut course, &AnswerFacts::default());
    let mut pauses = Vec::new();
    for cycle in 1..=3 {
        assert_eq!(place(&course), (2, cycle, RoundStage::Main));
        pauses.push(stumble(&mut course, Code::UnusableAnswer));
        assert_eq!(place(&course), (2, cycle, RoundStage::Correction));
        pauses.push(stumble(&mut course, Code::UnusableAnswer));
    }
    assert_eq!(pauses, [0, 1, 0, 2, 0, 5].map(Duration::from_secs));
    assert_eq!((place(&course), course.over), ((3, 1, RoundStage::Main), None));
    assert_eq!(course.failed.len(), 1);
    assert_eq!(course.calls, 7);
}

#[test]
fn without_any_answer_a_failed_round_is_the_end_and_with_one_it_is_not() {
    let mut course = RoundsState::default();
    for _ in 0..3 {
        stumble(&mut course, Code::RateLimited);
    }
    assert_eq!((course.over, course.iterations()), (Some(RoundsStop::Failure), 1));

    let mut course = RoundsState::default();
    answer(&mut course, &AnswerFacts::default());
    for _ in 0..3 {
        stumble(&mut course, Code::Timeout);
    }
    assert_eq!((course.over, place(&course)), (None, (3, 1, RoundStage::Main)));
}

#[test]
fn what_another_try_cannot_mend_is_not_tried_again() {
    let mut course = RoundsState::default();
    stumble(&mut course, Code::CliNotFound);
    assert_eq!((course.over, course.calls), (Some(RoundsStop::Failure), 1));
}

#[test]
fn a_call_of_unknown_outcome_is_counted_and_asked_again() {
    let mut course = RoundsState::default();
    let lost = CodedError::new(Code::CreateUncertain, "killed between intent and answer");
    course.apply_failure(&lost, None, CallBilling::Unknown, None);
    assert_eq!((place(&course), course.calls_uncounted), ((1, 2, RoundStage::Main), 1));
    answer(&mut course, &AnswerFacts::default());
    let plan = RoundsPlan::new(Mode::DeepSearch, 5);
    assert!(matches!(course.cost(&plan, "2026-11-15"), Cost::AtLeast(_)));
}

#[test]
fn the_best_answer_is_the_latest_unless_it_lost_its_evidence() {
    let mut course = RoundsState::default();
    answer(&mut course, &AnswerFacts { resolved: true, pages: 2, ..AnswerFacts::default() });
    answer(&mut course, &AnswerFacts { resolved: true, pages: 1, ..AnswerFacts::default() });
    answer(
        &mut course,
        &AnswerFacts { resolved: false, pages: 3, model_says_verified: true, ..AnswerFacts::default() },
    );
    assert_eq!(course.best().map(|best| best.round), Some(2));
    answer(&mut course, &AnswerFacts { verified: true, resolved: true, pages: 1, ..AnswerFacts::default() });
    assert_eq!(course.best().map(|best| best.round), Some(4));
    assert_eq!(course.over, Some(RoundsStop::Verified));
}

#[test]
fn the_budget_is_compared_with_what_another_call_like_the_dearest_would_cost() {
    let plan = RoundsPlan::new(Mode::DeepSearch, 5);
    let mut course = RoundsState::default();
    assert!(
        !course.exceeds_budget(Some(MicroUsd(1)), &plan, "2026-11-15"),
        "the first round is always asked"
    );
    let usage = Usage { output_tokens: 1_000_000, ..Usage::default() };
    course.apply_answer(Digest([1; 32]), &AnswerFacts::default(), CallBilling::Counted(usage));
    let spent = course.cost(&plan, "2026-11-15").known().unwrap();
    assert!(course.exceeds_budget(Some(spent.plus(spent).minus(MicroUsd(1))), &plan, "2026-11-15"));
    assert!(!course.exceeds_budget(Some(spent.plus(spent)), &plan, "2026-11-15"));
    assert!(!course.exceeds_budget(None, &plan, "2026-11-15"));
    assert_eq!(RoundPosition::FIRST.round, 1);
}

#[test]
fn every_call_is_billed_at_the_prices_of_the_model_that_answered_it() {
    let plan = RoundsPlan::new(Mode::DeepSearch, 5);
    let (date, usage) = ("2026-11-15", Usage { output_tokens: 1_000_000, ..Usage::default() });
    let price = |model: &str| crate::price::of_model(model, &usage, date);
    let (dear, cheap) = ("gemini-3.1-pro", "gemini-3.8-flash");
    assert_ne!(price(dear), price(cheap));
    let mut course = RoundsState::default();
    let prose = CodedError::new(Code::UnusableAnswer, "prose");
    course.apply_failure(&prose, Some(Digest([9; 32])), CallBilling::Counted(usage), Some(dear));
    let corrected = AnswerFacts { model: Some(cheap.to_owned()), ..AnswerFacts::default() };
    course.apply_answer(Digest([1; 32]), &corrected, CallBilling::Counted(usage));
    assert_eq!(course.cost(&plan, date), Cost::FromUsage(price(dear).plus(price(cheap))));
}

#[test]
fn an_answer_that_stays_word_for_word_is_checked_once() {
    use super::CheckedAnswer;
    use crate::checking::VerificationSummary;

    let mut course = RoundsState { checks: true, ledger_decides: true, ..RoundsState::default() };
    let digest = Digest([7; 32]);
    let says =
        |model_says_verified| AnswerFacts { model_says_verified, verified: true, ..AnswerFacts::default() };
    course.apply_answer(digest, &says(false), CallBilling::Nothing);
    assert_eq!((course.unchecked(), course.over), (Some(digest), None), "the model's own word ends nothing");
    let standing = VerificationSummary { evidence_holds: true, ..VerificationSummary::default() };
    course.apply_check(digest, CheckedAnswer { report: Digest([8; 32]), standing });
    assert_eq!((course.unchecked(), course.over), (None, None));
    let mut in_vain = course.clone();
    course.apply_answer(digest, &says(true), CallBilling::Nothing);
    assert_eq!((course.unchecked(), course.over), (None, Some(RoundsStop::Verified)));
    in_vain.apply_answer(digest, &says(false), CallBilling::Nothing);
    assert_eq!((in_vain.unchecked(), in_vain.over), (None, None), "checked once, and not confirmed");
}

#[test]
fn a_round_that_leaves_open_only_what_nobody_can_check_is_the_last() {
    use super::CheckedAnswer;
    use crate::checking::VerificationSummary;

    // Rounds with so many failing claims, of which so many are out of reach.
    let stuck = |rounds: &[(u32, u32)], ledger_decides: bool| {
        let mut course = RoundsState { checks: true, ledger_decides, ..RoundsState::default() };
        for (number, (failing, out_of_reach)) in (1..).zip(rounds) {
            let digest = Digest([number; 32]);
            course.apply_answer(digest, &AnswerFacts::default(), CallBilling::Nothing);
            let standing = VerificationSummary {
                failing: *failing,
                out_of_reach: *out_of_reach,
                ..VerificationSummary::default()
            };
            course.apply_check(digest, CheckedAnswer { report: Digest([100 + number; 32]), standing });
        }
        course.is_out_of_reach()
    };
    assert!(!stuck(&[(3, 3)], true), "the second round is told and may find other pages");
    assert!(stuck(&[(3, 3), (3, 3)], true));
    assert!(stuck(&[(2, 1), (4, 4)], true));
    assert!(!stuck(&[(3, 3), (2, 2)], true), "it found one: the next may find the others");
    assert!(!stuck(&[(3, 3), (3, 2)], true), "one of them is a matter of wording");
    assert!(!stuck(&[(3, 3), (0, 0)], true));
    assert!(!stuck(&[(3, 3), (3, 3)], false), "where the model's word decides, the ledger does not end it");
}
