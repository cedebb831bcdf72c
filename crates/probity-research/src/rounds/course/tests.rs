use std::time::Duration;

use super::{Billed, Course, Facts, Place, Stage};
use crate::{
    cost::{Cost, MicroUsd, Usage},
    error::{Code, Problem},
    id::Digest,
    rounds::{Manner, RoundsPlan, RoundsStop},
};

fn stumble(course: &mut Course, code: Code) -> Duration {
    let problem = Problem::new(code, "in somebody's words");
    let kept = (code == Code::UnusableAnswer).then_some(Digest([9; 32]));
    let pause = course.pause_after(&RoundsPlan::new(Manner::DeepSearch, 5), &problem, kept);
    course.take_stumble(&problem, kept, Billed::Counted(Usage { output_tokens: 10, ..Usage::default() }));
    pause
}

fn answer(course: &mut Course, facts: &Facts) {
    let round = u8::try_from(course.place.round).unwrap();
    let usage = Usage { output_tokens: 10, ..Usage::default() };
    course.take_answer(Digest([round; 32]), facts, Billed::Counted(usage));
}

fn place(course: &Course) -> (u32, u32, Stage) {
    (course.place.round, course.place.cycle, course.place.stage)
}

#[test]
fn an_unreadable_answer_is_corrected_then_the_cycle_repeats_after_one_two_and_five_seconds() {
    let mut course = Course::default();
    answer(&mut course, &Facts::default());
    let mut pauses = Vec::new();
    for cycle in 1..=3 {
        assert_eq!(place(&course), (2, cycle, Stage::Main));
        pauses.push(stumble(&mut course, Code::UnusableAnswer));
        assert_eq!(place(&course), (2, cycle, Stage::Correction));
        pauses.push(stumble(&mut course, Code::UnusableAnswer));
    }
    assert_eq!(pauses, [0, 1, 0, 2, 0, 5].map(Duration::from_secs));
    assert_eq!((place(&course), course.over), ((3, 1, Stage::Main), None));
    assert_eq!(course.failed.len(), 1);
    assert_eq!(course.calls, 7);
}

#[test]
fn without_any_answer_a_failed_round_is_the_end_and_with_one_it_is_not() {
    let mut course = Course::default();
    for _ in 0..3 {
        stumble(&mut course, Code::RateLimited);
    }
    assert_eq!((course.over, course.iterations()), (Some(RoundsStop::Failure), 1));

    let mut course = Course::default();
    answer(&mut course, &Facts::default());
    for _ in 0..3 {
        stumble(&mut course, Code::Timeout);
    }
    assert_eq!((course.over, place(&course)), (None, (3, 1, Stage::Main)));
}

#[test]
fn what_another_try_cannot_mend_is_not_tried_again() {
    let mut course = Course::default();
    stumble(&mut course, Code::CliNotFound);
    assert_eq!((course.over, course.calls), (Some(RoundsStop::Failure), 1));
}

#[test]
fn a_call_of_unknown_outcome_is_counted_and_asked_again() {
    let mut course = Course::default();
    let lost = Problem::new(Code::CreateUncertain, "killed between intent and answer");
    course.take_stumble(&lost, None, Billed::Unknown);
    assert_eq!((place(&course), course.calls_uncounted), ((1, 2, Stage::Main), 1));
    answer(&mut course, &Facts::default());
    let plan = RoundsPlan::new(Manner::DeepSearch, 5);
    assert!(matches!(course.cost(&plan, "2026-11-15"), Cost::AtLeast(_)));
}

#[test]
fn the_best_answer_is_the_latest_unless_it_lost_its_evidence() {
    let mut course = Course::default();
    answer(&mut course, &Facts { resolved: true, pages: 2, ..Facts::default() });
    answer(&mut course, &Facts { resolved: true, pages: 1, ..Facts::default() });
    answer(&mut course, &Facts { resolved: false, pages: 3, model_says_verified: true, ..Facts::default() });
    assert_eq!(course.best().map(|best| best.round), Some(2));
    answer(&mut course, &Facts { verified: true, resolved: true, pages: 1, ..Facts::default() });
    assert_eq!(course.best().map(|best| best.round), Some(4));
    assert_eq!(course.over, Some(RoundsStop::Verified));
}

#[test]
fn the_budget_is_compared_with_what_another_call_like_the_dearest_would_cost() {
    let plan = RoundsPlan::new(Manner::DeepSearch, 5);
    let mut course = Course::default();
    assert!(!course.breaks(Some(MicroUsd(1)), &plan, "2026-11-15"), "the first round is always asked");
    let usage = Usage { output_tokens: 1_000_000, ..Usage::default() };
    course.take_answer(Digest([1; 32]), &Facts::default(), Billed::Counted(usage));
    let spent = course.cost(&plan, "2026-11-15").known().unwrap();
    assert!(course.breaks(Some(spent.plus(spent).minus(MicroUsd(1))), &plan, "2026-11-15"));
    assert!(!course.breaks(Some(spent.plus(spent)), &plan, "2026-11-15"));
    assert!(!course.breaks(None, &plan, "2026-11-15"));
    assert_eq!(Place::FIRST.round, 1);
}

#[test]
fn an_answer_that_stays_word_for_word_is_checked_once() {
    use super::Checked;
    use crate::checking::Standing;

    let mut course = Course { checks: true, ledger_decides: true, ..Course::default() };
    let digest = Digest([7; 32]);
    let says = |model_says_verified| Facts { model_says_verified, verified: true, ..Facts::default() };
    course.take_answer(digest, &says(false), Billed::Nothing);
    assert_eq!((course.unchecked(), course.over), (Some(digest), None), "the model's own word ends nothing");
    let standing = Standing { evidence_holds: true, ..Standing::default() };
    course.take_checked(digest, Checked { report: Digest([8; 32]), standing });
    assert_eq!((course.unchecked(), course.over), (None, None));
    let mut in_vain = course.clone();
    course.take_answer(digest, &says(true), Billed::Nothing);
    assert_eq!((course.unchecked(), course.over), (None, Some(RoundsStop::Verified)));
    in_vain.take_answer(digest, &says(false), Billed::Nothing);
    assert_eq!(in_vain.over, Some(RoundsStop::Saturated), "another round would be paid for the same words");
}
