use expect_test::{Expect, expect};
use proptest::prelude::*;

use super::{StrategyHints, StrategyLevel, TaskScope, TaskType};
use crate::query::Query;

fn choose(goal: &str, hints: &StrategyHints) -> super::Strategy {
    super::choose_strategy(&Query::parse(goal).unwrap(), hints)
}

#[track_caller]
fn check(goal: &str, hints: &StrategyHints, expected: Expect) {
    let strategy = choose(goal, hints);
    expected.assert_eq(&format!("{}: {}", strategy.level.as_str(), strategy.reason));
}

fn context(text: &str) -> StrategyHints {
    StrategyHints { context_snippet: Some(text.to_owned()), ..StrategyHints::default() }
}

#[test]
fn every_reason_is_a_sentence_a_user_understands() {
    let plain = StrategyHints::default();
    check("hello!", &plain, expect!["none: no search: this is small talk, which asks for no fact"]);
    check("12 * (3 + 4)", &plain, expect!["none: no search: this is arithmetic, which needs no source"]);
    check("3 miles in km", &plain, expect!["none: no search: units are converted by fixed rules"]);
    check(
        "Translate \"guten Morgen\" into French",
        &plain,
        expect!["none: no search: all that is needed is the text that came with the request"],
    );
    check(
        "Rename `a` to `b`",
        &plain,
        expect!["none: no search: this changes code of your own, which no page on the web knows"],
    );
    check(
        "What does this function do?",
        &context("fn a() {}"),
        expect!["none: no search: the question is about the text that came with it"],
    );
    check(
        "Who is the mayor of Ghent?",
        &plain,
        expect!["shallow: one small thing is asked for; the answer changes with time"],
    );
    check("Why is the sky blue?", &plain, expect!["medium: a question of ordinary size"]);
    check(
        "Compare tea and coffee",
        &StrategyHints { task_scope: Some(TaskScope::Large), ..StrategyHints::default() },
        expect!["deep: several things have to be compared or put together, in a large task"],
    );
    check(
        "Exhaustive report on tea",
        &StrategyHints { task_scope: Some(TaskScope::Tiny), ..StrategyHints::default() },
        expect!["medium: thoroughness is asked for, in a tiny task"],
    );
    check(
        "hello!",
        &StrategyHints { level: Some(StrategyLevel::Deep), ..StrategyHints::default() },
        expect!["deep: the level `deep` was asked for"],
    );
}

#[test]
fn architecture_and_research_go_one_level_deeper() {
    let hinted = |kind, scope| StrategyHints {
        task_type_hint: kind,
        task_scope: Some(scope),
        ..StrategyHints::default()
    };
    let level = |goal, kind, scope| choose(goal, &hinted(kind, scope)).level;
    for kind in [TaskType::Architecture, TaskType::Research] {
        assert_eq!(level("Why is the sky blue?", Some(kind), TaskScope::Normal), StrategyLevel::Deep);
        assert_eq!(level("Who is the mayor of Ghent?", Some(kind), TaskScope::Normal), StrategyLevel::Medium);
        assert_eq!(level("Why is the sky blue?", Some(kind), TaskScope::Tiny), StrategyLevel::Shallow);
        assert_eq!(level("12 * (3 + 4)", Some(kind), TaskScope::Large), StrategyLevel::None);
    }
    assert_eq!(
        level("Why is the sky blue?", Some(TaskType::Reference), TaskScope::Normal),
        StrategyLevel::Shallow
    );
    assert_eq!(level("Why is the sky blue?", None, TaskScope::Normal), StrategyLevel::Medium);
    check(
        "Why is the sky blue?",
        &hinted(Some(TaskType::Architecture), TaskScope::Normal),
        expect!["deep: several things have to be compared or put together, for a matter of architecture"],
    );
}

#[test]
fn a_text_that_is_not_there_has_to_be_found() {
    for goal in [
        "What does this function do?",
        "Summarise the text above",
        "Fasse diesen Text zusammen",
        "Translate this",
    ] {
        assert_ne!(choose(goal, &StrategyHints::default()).level, StrategyLevel::None, "{goal}");
        assert_eq!(
            choose(goal, &context("Some text that came with it.")).level,
            StrategyLevel::None,
            "{goal}"
        );
    }
}

#[test]
fn what_changes_with_time_is_looked_up_whatever_came_with_it() {
    let hints = context("fn main() { println!(\"1.2\") }");
    for goal in [
        "Is this code still valid in the latest release?",
        "What is the price of this text on the market?",
        "Does this paragraph break the law?",
        "Update this function to the newest version of serde",
        "According to the text, who is the president today?",
    ] {
        assert_ne!(choose(goal, &hints).level, StrategyLevel::None, "{goal}");
    }
}

#[test]
fn numbers_that_are_no_sum_are_looked_up() {
    for goal in [
        "9/11",
        "24/7",
        "2026-11-15",
        "+49 30 1234567",
        "What is 42?",
        "3.5",
        "1984",
        "100 dollars in euros",
        "UTF-8",
    ] {
        assert_ne!(choose(goal, &StrategyHints::default()).level, StrategyLevel::None, "{goal}");
    }
    for goal in ["2+2", "2 + 2 =", "12*7", "15% of 80", "10km in miles", "100°F in °C", "10 - 4", "7 times 8"]
    {
        assert_eq!(choose(goal, &StrategyHints::default()).level, StrategyLevel::None, "{goal}");
    }
}

#[test]
fn numbers_grow_with_the_level() {
    let levels = StrategyLevel::ALL.map(|level| super::Strategy::of(level, ""));
    for pair in levels.windows(2) {
        let [less, more] = pair else { continue };
        assert!(less.max_attempts >= 1 && less.max_attempts <= more.max_attempts);
        assert!(less.max_results <= more.max_results && less.top_pages < more.top_pages);
        assert!(less.queries < more.queries && less.minutes < more.minutes);
    }
}

const LETTERS: &str = "[а-яα-ω一-龥ก-ฮあ-ん]{2,8}";

proptest! {
    /// A language that no table knows gets the ordinary depth, whatever the hints say about its size.
    #[test]
    fn an_unknown_language_is_never_left_without_a_search(words in prop::collection::vec(LETTERS, 1..20), asks in any::<bool>()) {
        let goal = words.join(" ") + if asks { "?" } else { "" };
        prop_assert_eq!(choose(&goal, &StrategyHints::default()).level, StrategyLevel::Medium);
        prop_assert_ne!(choose(&goal, &context("some text")).level, StrategyLevel::None);
    }

    #[test]
    fn any_goal_gets_a_strategy_that_can_run(goal in "\\PC{1,200}", scope in 0..4_usize, kind in 0..5_usize, text in "\\PC{0,80}") {
        let Ok(query) = Query::parse(&goal) else { return Ok(()) };
        let hints = StrategyHints {
            task_scope: [None, Some(TaskScope::Tiny), Some(TaskScope::Normal), Some(TaskScope::Large)][scope],
            task_type_hint: [None, Some(TaskType::Reference), Some(TaskType::Debug), Some(TaskType::Architecture), Some(TaskType::Research)][kind],
            context_snippet: Some(text),
            ..StrategyHints::default()
        };
        let strategy = super::choose_strategy(&query, &hints);
        prop_assert!(strategy.max_attempts >= 1 && !strategy.reason.is_empty());
        prop_assert!(strategy.level != StrategyLevel::Deep || scope == 3 || kind >= 3 || strategy.reason.starts_with("thoroughness"));
    }

    /// The context decides about need and size only; its words never reach a sentence that leaves.
    #[test]
    fn the_reason_never_repeats_the_context(secret in "[a-z]{12,20}") {
        let strategy = choose("Why does this fail?", &context(&secret));
        prop_assert!(!strategy.reason.contains(&secret));
    }
}
