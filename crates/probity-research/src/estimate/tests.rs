use expect_test::{Expect, expect};

use serde_json::{Value, json};

use super::{PastRun, complexity_of, estimate, past_runs, rounds, with_history};
use crate::{
    agent::AgentName,
    cost::MicroUsd,
    error::{Code, CodedError},
    limits::RunLimits,
    plan::{EngineName, Plan},
    query::Query,
    rounds::{Mode, RoundsPlan},
    status::RunSummary,
};

#[track_caller]
fn check(question: &str, costs: &[u64], expected: Expect) {
    let complexity = complexity_of(question);
    let history: Vec<PastRun> =
        costs.iter().map(|cost| PastRun { cost: MicroUsd(cost * 10_000), minutes: 7, complexity }).collect();
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
        expect!["medium $0.80..$1.00..$4.00 7..7..7 min, your own 5 newest finished researches of this kind"],
    );
}

#[test]
fn one_dear_run_among_many_does_not_set_the_range_and_cheap_ones_do_not_lower_the_highest_price() {
    let costs: Vec<u64> = (0..40).map(|number| if number == 3 { 5_000 } else { 100 + number }).collect();
    check(
        "why is the sky blue?",
        &costs,
        expect![
            "simple $1.05..$1.21..$3.00 7..7..7 min, your own 40 newest finished researches of this kind"
        ],
    );
}

#[test]
fn questions_of_another_kind_move_the_range_and_the_longest_run_bounds_the_time() {
    let [simple, complex] =
        ["why is the sky blue?", "Compare Rust, Go, Zig and C++: latency, safety, and hiring?"];
    let history: Vec<PastRun> = (1..=10)
        .map(|number| PastRun {
            cost: MicroUsd(1_000_000 + number * 100_000),
            minutes: if number == 10 { 40 } else { 2 },
            complexity: complexity_of(simple),
        })
        .collect();
    let of = |question: &str| {
        let found = estimate(&AgentName::default(), &Query::parse(question).unwrap(), &history);
        format!("{}..{}..{} {} min", found.cost_min, found.cost_likely, found.cost_max, found.minutes_max)
    };
    expect!["$1.20..$1.60..$3.00 40 min"].assert_eq(&of(simple));
    expect!["$1.60..$1.75..$3.00 40 min"].assert_eq(&of(complex));
}

/// A finished run of `search` that cost so many cents; `more` changes it.
fn finished(cents: u64, more: Value) -> RunSummary {
    let mut fields = json!({
        "id": crate::RunId::from_random(7), "status": "completed", "due": false, "query": "why?",
        "engine": "gemini-api", "agent": "gemini-3.8-flash", "asked_at": 0, "updated_at": 60_000,
        "ended_at": 180_000, "progress_percent": 100, "progress_estimated": false, "current_action": "",
        "steps": 0, "searches": 0, "pages": 0, "attended_ms": 0, "sources": 0,
        "cost": { "basis": "from-usage", "micro_usd": cents * 10_000 }, "rounds": of("search", 1),
    });
    for (key, value) in more.as_object().unwrap() {
        fields[key] = value.clone();
    }
    serde_json::from_value(fields).unwrap()
}

fn of(manner: &str, rounds_max: u32) -> Value {
    json!({ "manner": manner, "round": 1, "rounds_max": rounds_max, "verified": true, "calls": 1, "calls_uncounted": 0 })
}

/// The price of a `search` after these runs.
#[track_caller]
fn check_search(past: &[RunSummary], expected: Expect) {
    let query = Query::parse("why is the sky blue?").unwrap();
    let plan = RoundsPlan::new(Mode::Search, 1);
    let limits = RunLimits::new(std::time::Duration::from_secs(60), None);
    let assumed = rounds(&plan, &query, "2026-11-15");
    let plan = Plan { estimate: Some(assumed), ..Plan::for_rounds(EngineName::GeminiApi, plan, limits) };
    let found = with_history(plan, past).estimate.unwrap();
    assert!(found.cost_max >= assumed.cost_max, "cheap runs of the past bound no bill of the future");
    expected.assert_eq(&format!(
        "{}..{} {} min, {}",
        found.cost_min,
        found.cost_likely,
        found.minutes_likely,
        found.basis.sentence()
    ));
}

#[test]
fn a_search_costs_what_searches_cost_before() {
    let five: Vec<RunSummary> = [3, 4, 5, 6, 90].map(|cents| finished(cents, json!({}))).into();
    check_search(&five, expect!["$0.03..$0.05 3 min, your own 5 newest finished researches of this kind"]);
    check_search(
        &five[..4],
        expect!["$0.06..$0.21 1 min, typical calls at the model's listed prices (not yet your own history)"],
    );
}

#[test]
fn runs_of_another_kind_are_no_history() {
    let others = [
        json!({ "rounds": of("deep_search", 5) }),
        json!({ "rounds": of("search", 2) }),
        json!({ "engine": "web" }),
        json!({ "rounds": null }),
        json!({ "status": "failed" }),
        json!({ "cost": { "basis": "unknown" } }),
        json!({ "given": true }),
        // Its model was not there: what is left costs next to nothing.
        json!({ "model_problem": CodedError::new(Code::Network, "connection refused") }),
    ];
    let mut past: Vec<RunSummary> = (0..4).map(|_| finished(4, json!({}))).collect();
    past.extend(others.into_iter().flat_map(|more| (0..9).map(move |_| finished(1, more.clone()))));
    // The engine chose another model until lately.
    past.extend((0..9).map(|_| finished(1, json!({ "agent": "gemini-2" }))));
    check_search(
        &past,
        expect!["$0.06..$0.21 1 min, typical calls at the model's listed prices (not yet your own history)"],
    );
}

#[test]
fn a_further_question_is_no_history_of_the_agent() {
    let agent = AgentName::default();
    let whole = finished(200, json!({ "agent": agent.as_str(), "rounds": null }));
    let further = RunSummary { follows: Some(whole.id), ..whole.clone() };
    assert_eq!(past_runs(&[further, whole], &agent).len(), 1);
}
