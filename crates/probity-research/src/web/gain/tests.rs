use proptest::prelude::*;

use super::{Gain, StopReason, Verdict, another};
use crate::web::strategy::{Level, Strategy as WebStrategy};

/// `12` facts and origins, `x` failed, `3!` a change among them.
fn history(text: &str) -> Vec<Gain> {
    let gain = |word: &str| Gain {
        new_origins: 0,
        new_facts: word.trim_end_matches('!').parse().unwrap_or(0),
        changed_facts: u32::from(word.ends_with('!')),
        failed: word == "x",
    };
    text.split_whitespace().map(gain).collect()
}

fn strategy(level: Level, max_attempts: u32) -> WebStrategy {
    WebStrategy { max_attempts, ..WebStrategy::of(level, "") }
}

#[track_caller]
fn check(level: Level, brought: &str, open_gaps: u32, expected: Verdict) {
    assert_eq!(another(&strategy(level, 6), &history(brought), open_gaps), expected, "{brought}");
}

#[test]
fn goes_on_while_attempts_bring_much() {
    check(Level::Medium, "", 3, Verdict::Continue);
    check(Level::Medium, "10", 0, Verdict::Continue);
    check(Level::Deep, "10 8 5 3", 0, Verdict::Continue);
}

#[test]
fn stops_when_the_last_attempts_brought_little() {
    check(Level::Deep, "10 8 0", 0, Verdict::Stop(StopReason::LittleNew));
    check(Level::Deep, "30 20 2", 0, Verdict::Stop(StopReason::LittleNew));
    check(Level::Deep, "10 8 1", 0, Verdict::Continue);
    check(Level::Deep, "20 3", 0, Verdict::Continue);
    check(Level::Deep, "20 3 2", 0, Verdict::Stop(StopReason::LittleNew));
}

#[test]
fn an_open_question_gets_a_second_chance_with_other_words() {
    check(Level::Deep, "10 1", 1, Verdict::Continue);
    check(Level::Deep, "10 1 0", 1, Verdict::Stop(StopReason::LittleNew));
    check(Level::Deep, "0", 2, Verdict::Continue);
    check(Level::Deep, "0 0", 2, Verdict::Stop(StopReason::LittleNew));
    check(Level::Deep, "10 1 6", 1, Verdict::Continue);
}

#[test]
fn a_second_voice_is_worth_an_attempt_and_a_fifth_is_not() {
    let alone = Gain { new_origins: 1, new_facts: 4, ..Gain::default() };
    let same_again = |new_origins| Gain { new_origins, ..Gain::default() };
    let deep = strategy(Level::Deep, 6);
    assert_eq!(another(&deep, &[alone, same_again(1)], 0), Verdict::Continue);
    let more = [alone, same_again(1), same_again(3)];
    assert_eq!(another(&deep, &more, 0), Verdict::Stop(StopReason::LittleNew));
}

#[test]
fn a_failure_is_no_sign_that_there_is_nothing() {
    check(Level::Deep, "10 x", 0, Verdict::Continue);
    check(Level::Deep, "x x x x x", 0, Verdict::Continue);
    check(Level::Deep, "10 x 1", 0, Verdict::Stop(StopReason::LittleNew));
    check(Level::Deep, "10 0 x 0", 1, Verdict::Stop(StopReason::LittleNew));
    check(Level::Shallow, "x", 0, Verdict::Continue);
}

#[test]
fn a_contradiction_is_not_settled_yet() {
    check(Level::Deep, "10 1!", 0, Verdict::Continue);
    check(Level::Shallow, "4!", 0, Verdict::Continue);
}

#[test]
fn a_shallow_search_ends_with_the_answer() {
    check(Level::Shallow, "4", 0, Verdict::Stop(StopReason::Answered));
    check(Level::Shallow, "4", 1, Verdict::Continue);
    check(Level::None, "", 1, Verdict::Stop(StopReason::NotNeeded));
}

fn gains() -> impl Strategy<Value = Vec<Gain>> {
    let gain = (0..5_u32, 0..20_u32, 0..2_u32, any::<bool>()).prop_map(
        |(new_origins, new_facts, changed_facts, failed)| Gain {
            new_origins,
            new_facts,
            changed_facts,
            failed,
        },
    );
    prop::collection::vec(gain, 0..12)
}

proptest! {
    #[test]
    fn attempts_are_bounded_and_a_failure_never_ends_them(gains in gains(), max_attempts in 0..8_u32, gaps in 0..3_u32) {
        let strategy = strategy(Level::Deep, max_attempts);
        let verdict = another(&strategy, &gains, gaps);
        let used = gains.len() as u32 >= max_attempts.max(1);
        prop_assert_eq!(verdict == Verdict::Stop(StopReason::AttemptsUsed), used);
        if gains.last().is_some_and(|last| last.failed) && !used {
            prop_assert_eq!(verdict, Verdict::Continue);
        }
    }

    #[test]
    fn an_open_question_never_makes_it_stop_earlier(gains in gains(), gaps in 1..3_u32) {
        let strategy = strategy(Level::Deep, 20);
        if another(&strategy, &gains, 0) == Verdict::Continue {
            prop_assert_eq!(another(&strategy, &gains, gaps), Verdict::Continue);
        }
    }
}
