use proptest::prelude::*;

use super::{AttemptDecision, AttemptGain, AttemptsStop, decide_next_attempt};
use crate::web::strategy::{Strategy as WebStrategy, StrategyLevel};

/// `12` facts and origins, `x` failed, `3!` a change among them.
fn history(text: &str) -> Vec<AttemptGain> {
    let gain = |word: &str| AttemptGain {
        new_origins: 0,
        new_facts: word.trim_end_matches('!').parse().unwrap_or(0),
        changed_facts: u32::from(word.ends_with('!')),
        failed: word == "x",
    };
    text.split_whitespace().map(gain).collect()
}

fn strategy(level: StrategyLevel, max_attempts: u32) -> WebStrategy {
    WebStrategy { max_attempts, ..WebStrategy::of(level, "") }
}

#[track_caller]
fn check(level: StrategyLevel, brought: &str, open_gaps: u32, expected: AttemptDecision) {
    assert_eq!(decide_next_attempt(&strategy(level, 6), &history(brought), open_gaps), expected, "{brought}");
}

#[test]
fn goes_on_while_attempts_bring_much() {
    check(StrategyLevel::Medium, "", 3, AttemptDecision::Continue);
    check(StrategyLevel::Medium, "10", 0, AttemptDecision::Continue);
    check(StrategyLevel::Deep, "10 8 5 3", 0, AttemptDecision::Continue);
}

#[test]
fn stops_when_the_last_attempts_brought_little() {
    check(StrategyLevel::Deep, "10 8 0", 0, AttemptDecision::Stop(AttemptsStop::LittleNew));
    check(StrategyLevel::Deep, "30 20 2", 0, AttemptDecision::Stop(AttemptsStop::LittleNew));
    check(StrategyLevel::Deep, "10 8 1", 0, AttemptDecision::Continue);
    check(StrategyLevel::Deep, "20 3", 0, AttemptDecision::Continue);
    check(StrategyLevel::Deep, "20 3 2", 0, AttemptDecision::Stop(AttemptsStop::LittleNew));
}

#[test]
fn an_open_question_gets_a_second_chance_with_other_words() {
    check(StrategyLevel::Deep, "10 1", 1, AttemptDecision::Continue);
    check(StrategyLevel::Deep, "10 1 0", 1, AttemptDecision::Stop(AttemptsStop::LittleNew));
    check(StrategyLevel::Deep, "0", 2, AttemptDecision::Continue);
    check(StrategyLevel::Deep, "0 0", 2, AttemptDecision::Stop(AttemptsStop::LittleNew));
    check(StrategyLevel::Deep, "10 1 6", 1, AttemptDecision::Continue);
}

#[test]
fn a_second_voice_is_worth_an_attempt_and_a_fifth_is_not() {
    let alone = AttemptGain { new_origins: 1, new_facts: 4, ..AttemptGain::default() };
    let same_again = |new_origins| AttemptGain { new_origins, ..AttemptGain::default() };
    let deep = strategy(StrategyLevel::Deep, 6);
    assert_eq!(decide_next_attempt(&deep, &[alone, same_again(1)], 0), AttemptDecision::Continue);
    let more = [alone, same_again(1), same_again(3)];
    assert_eq!(decide_next_attempt(&deep, &more, 0), AttemptDecision::Stop(AttemptsStop::LittleNew));
}

#[test]
fn a_failure_is_no_sign_that_there_is_nothing() {
    check(StrategyLevel::Deep, "10 x", 0, AttemptDecision::Continue);
    check(StrategyLevel::Deep, "x x x x x", 0, AttemptDecision::Continue);
    check(StrategyLevel::Deep, "10 x 1", 0, AttemptDecision::Stop(AttemptsStop::LittleNew));
    check(StrategyLevel::Deep, "10 0 x 0", 1, AttemptDecision::Stop(AttemptsStop::LittleNew));
    check(StrategyLevel::Shallow, "x", 0, AttemptDecision::Continue);
}

#[test]
fn a_contradiction_is_not_settled_yet() {
    check(StrategyLevel::Deep, "10 1!", 0, AttemptDecision::Continue);
    check(StrategyLevel::Shallow, "4!", 0, AttemptDecision::Continue);
}

#[test]
fn a_shallow_search_ends_with_the_answer() {
    check(StrategyLevel::Shallow, "4", 0, AttemptDecision::Stop(AttemptsStop::Answered));
    check(StrategyLevel::Shallow, "4", 1, AttemptDecision::Continue);
    check(StrategyLevel::None, "", 1, AttemptDecision::Stop(AttemptsStop::NotNeeded));
}

fn gains() -> impl Strategy<Value = Vec<AttemptGain>> {
    let gain = (0..5_u32, 0..20_u32, 0..2_u32, any::<bool>()).prop_map(
        |(new_origins, new_facts, changed_facts, failed)| AttemptGain {
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
        let strategy = strategy(StrategyLevel::Deep, max_attempts);
        let verdict = decide_next_attempt(&strategy, &gains, gaps);
        let used = gains.len() as u32 >= max_attempts.max(1);
        prop_assert_eq!(verdict == AttemptDecision::Stop(AttemptsStop::AttemptsUsed), used);
        if gains.last().is_some_and(|last| last.failed) && !used {
            prop_assert_eq!(verdict, AttemptDecision::Continue);
        }
    }

    #[test]
    fn an_open_question_never_makes_it_stop_earlier(gains in gains(), gaps in 1..3_u32) {
        let strategy = strategy(StrategyLevel::Deep, 20);
        if decide_next_attempt(&strategy, &gains, 0) == AttemptDecision::Continue {
            prop_assert_eq!(decide_next_attempt(&strategy, &gains, gaps), AttemptDecision::Continue);
        }
    }
}
