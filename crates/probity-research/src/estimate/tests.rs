use expect_test::{Expect, expect};

use super::{PastRun, estimate};
use crate::{agent::AgentName, cost::MicroUsd, query::Query};

#[track_caller]
fn check(question: &str, costs: &[u64], expected: Expect) {
    let history: Vec<PastRun> =
        costs.iter().map(|cost| PastRun { cost: MicroUsd(cost * 10_000), minutes: 7 }).collect();
    let found = estimate(&AgentName::default(), &Query::parse(question).unwrap(), &history);
    expected.assert_eq(&format!(
        "{} {}..{}..{} {}..{}..{} min, {}",
        found.complexity.as_str(),
        found.cost_min,
        found.cost_likely,
        found.cost_max,
        found.minutes_min,
        found.minutes_likely,
        found.minutes_max,
        found.basis.sentence()
    ));
}

#[test]
fn a_short_question_is_likely_cheaper_and_may_cost_what_is_documented() {
    check(
        "why is the sky blue?",
        &[],
        expect![
            "simple $1.00..$1.50..$3.00 5..10..15 min, the provider's documentation of this agent (not yet your own history)"
        ],
    );
}

#[test]
fn a_question_of_many_parts_takes_the_upper_half() {
    check(
        "Compare Rust, Go, Zig and C++ for storage engines: latency, safety, build time, and hiring?",
        &[],
        expect![
            "complex $2.00..$2.50..$3.00 15..37..60 min, the provider's documentation of this agent (not yet your own history)"
        ],
    );
}

#[test]
fn four_finished_researches_are_not_a_history_and_five_are() {
    check(
        "how do heat pumps work in very cold weather and what do they cost",
        &[80, 90, 100, 110],
        expect![
            "medium $1.00..$2.00..$3.00 5..15..60 min, the provider's documentation of this agent (not yet your own history)"
        ],
    );
    check(
        "how do heat pumps work in very cold weather and what do they cost",
        &[80, 90, 100, 110, 400],
        expect![
            "medium $0.80..$1.00..$4.00 7..7..7 min, your own 5 newest finished researches with this agent"
        ],
    );
}

#[test]
fn one_dear_run_among_many_does_not_set_the_range_and_cheap_ones_do_not_lower_the_highest_price() {
    let costs: Vec<u64> = (0..40).map(|number| if number == 3 { 5_000 } else { 100 + number }).collect();
    check(
        "why is the sky blue?",
        &costs,
        expect![
            "simple $1.05..$1.21..$3.00 7..7..7 min, your own 40 newest finished researches with this agent"
        ],
    );
}
