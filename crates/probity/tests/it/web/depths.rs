//! The caller chooses depth, length and language; models by role; the price of a plan is computed, and what is cut for it
//! is said.

use probity_simulator::Asked;
use serde_json::{Value, json};

use super::{
    overmcp::client,
    stage::{BUDGET, Hands, QUESTION, Stage},
};
use crate::harness::{document, finish};

/// The plan of a question as JSON, with these variables more; an empty one is taken away.
fn planned(stage: &Stage, arguments: &[&str], variables: &[(&str, &str)]) -> Value {
    let mut command = stage.command(&[&["research", "--plan", "--json", QUESTION], arguments].concat());
    for (name, value) in variables {
        match value.is_empty() {
            true => command.env_remove(name),
            false => command.env(name, value),
        };
    }
    document(&finish(command.spawn().unwrap()))
}

#[test]
fn a_depth_that_is_named_is_planned_with_its_price() {
    let stage = Stage::new(Hands::LocalModel);
    let pages =
        |depth: &str| planned(&stage, &["--depth", depth], &[(BUDGET, "")])["pages_max"].as_u64().unwrap();
    assert_eq!(["none", "quick", "standard", "deep", "exhaustive"].map(pages), [0, 8, 60, 180, 500]);
    let said = planned(&stage, &["--depth", "deep", "--words", "1200", "--answer-language", "pt-BR"], &[]);
    assert_eq!((&said["depth"], &said["engine"]), (&json!("deep"), &json!("web")), "{said}");
    assert_eq!((&said["words"], &said["language"]), (&json!(1200), &json!("pt-BR")), "{said}");
    let done = stage.run(&["research", "--depth", "deepest", QUESTION]);
    assert!(
        done.code != 0 && done.err.contains("none, shallow (or quick), medium (or standard)"),
        "{}",
        done.err
    );
    let done = stage.run(&["research", "--words", "50", QUESTION]);
    assert!(done.code != 0 && done.err.contains("100..=12000"), "{}", done.err);
    assert!(stage.chat().entries().is_empty());
}

#[test]
fn a_plan_that_costs_too_much_is_cut_and_says_so() {
    let stage = Stage::new(Hands::Paid);
    let ordinary = planned(&stage, &["--depth", "medium"], &[(BUDGET, "")]);
    assert_eq!((&ordinary["cut"], &ordinary["pages_max"]), (&Value::Null, &json!(60)), "{ordinary}");
    let guard = [(BUDGET, ""), ("PROBITY_BUDGET__GUARD_USD", "1")];
    let guarded = planned(&stage, &["--depth", "exhaustive"], &guard);
    let cut = guarded["cut"].as_str().unwrap_or_default();
    assert!(cut.starts_with("The plan was cut to $1.00") && cut.contains("budget.guard_usd"), "{guarded}");
    assert!(guarded["cost_usd_max"].as_f64().unwrap() <= 1.0, "{guarded}");
    let stated = planned(&stage, &["--depth", "exhaustive", "--budget", "20"], &[]);
    assert_eq!((&stated["cut"], &stated["pages_max"]), (&Value::Null, &json!(500)), "{stated}");
    let open = planned(&stage, &["--depth", "exhaustive"], &[(BUDGET, "")]);
    assert_eq!((&open["cut"], &open["pages_max"]), (&Value::Null, &json!(500)), "{open}");
}

/// The dearest model of the price table, with nothing set but its name: it is not started unasked, and reads as much as any
/// other once somebody says yes.
#[test]
fn a_dear_model_is_asked_about_and_reads_no_less() {
    let dear = [("PROBITY_CHAT__MODEL", "claude-opus-4-1"), ("PROBITY_CHAT__STANDS_FOR", "anthropic")];
    let run = |stage: &Stage, arguments: &[&str], variables: &[(&str, &str)]| {
        let mut command = stage.command(&[&["research", "--depth", "medium", QUESTION], arguments].concat());
        command.env_remove(BUDGET).envs(variables.iter().copied());
        finish(command.spawn().unwrap())
    };
    let unasked = Stage::new(Hands::Paid);
    let done = run(&unasked, &[], &dear);
    assert!(done.code != 0 && done.err.contains("needs a yes"), "{}", done.err);
    assert!(unasked.chat().entries().is_empty());
    let (cheap, costly) = (Stage::new(Hands::Paid), Stage::new(Hands::Paid));
    run(&cheap, &["--yes"], &[]);
    run(&costly, &["--yes"], &dear);
    assert_eq!(costly.fetches().len(), cheap.fetches().len());
}

#[test]
fn a_dear_model_under_a_guard_still_reads_four_pages_and_the_report_says_what_was_cut() {
    let stage = Stage::new(Hands::Paid);
    let mut command = stage.command(&["research", "--depth", "medium", "--json", QUESTION]);
    command.env_remove(BUDGET).envs([
        ("PROBITY_CHAT__MODEL", "claude-opus-4-1"),
        ("PROBITY_CHAT__STANDS_FOR", "anthropic"),
        ("PROBITY_BUDGET__GUARD_USD", "1"),
    ]);
    let told = document(&finish(command.spawn().unwrap()));
    assert_eq!(told["status"], "completed", "{told}");
    assert!(stage.fetches().len() >= 4, "{:?}", stage.fetches());
    assert!(stage.chat().paid_for(Asked::Read) >= 1 && stage.chat().paid_for(Asked::Write) == 1, "{told}");
    let report = told["report"].as_str().unwrap();
    assert!(report.contains("The plan was cut to $1.00"), "{report}");
}

#[test]
fn each_role_is_asked_under_its_own_name() {
    let stage = Stage::new(Hands::Paid);
    let roles = [
        ("PROBITY_CHAT__READER_MODEL", "gpt-5-nano"),
        ("PROBITY_CHAT__PLANNER_MODEL", "gpt-5-mini"),
        ("PROBITY_CHAT__WRITER_MODEL", "gpt-4.1"),
    ];
    let plan = planned(&stage, &["--web"], &roles);
    assert_eq!(
        plan["models"],
        json!({ "planner": "gpt-5-mini", "reader": "gpt-5-nano", "writer": "gpt-4.1" }),
        "{plan}"
    );
    let mut command = stage.command(&["research", "--depth", "medium", "--json", QUESTION]);
    command.envs(roles);
    let told = document(&finish(command.spawn().unwrap()));
    assert_eq!((&told["status"], &told["agent"]), (&json!("completed"), &json!("gpt-4.1")), "{told}");
    let chat = stage.chat();
    let names = |asked: Asked| {
        let mut names: Vec<&str> = chat
            .entries()
            .iter()
            .filter(|entry| entry.asked == Some(asked))
            .map(|entry| entry.model.as_str())
            .collect();
        names.dedup();
        names
    };
    assert_eq!(names(Asked::Brief), ["gpt-5-mini"]);
    assert_eq!(names(Asked::Survey), ["gpt-5-nano"]);
    assert_eq!(names(Asked::Section), ["gpt-4.1"]);
    assert_eq!(names(Asked::Judge), ["gpt-5"]);
}

#[test]
fn deep_research_takes_depth_words_and_language_over_mcp() {
    let stage = Stage::new(Hands::Paid);
    let mut client = client(&stage);
    let answer = client.done(
        "deep_research",
        json!({ "query": QUESTION, "depth": "quick", "words": 200, "language": "German" }),
    );
    assert_eq!(answer["metadata"]["strategy"]["level"], "shallow", "{answer}");
    let mut prices = Vec::new();
    for depth in ["quick", "standard", "deep"] {
        let asked = json!({ "query": QUESTION, "tool": "deep_research", "depth": depth });
        let estimate = client.done("estimate_research_cost", asked);
        prices.push(estimate["estimated_cost"]["max_usd"].as_f64().unwrap());
    }
    // The guard of a dollar bounds what is deeper than an ordinary question.
    assert!(prices[0] < prices[1] && prices.iter().all(|price| *price <= 1.0), "{prices:?}");
    for arguments in [
        json!({ "query": QUESTION, "depth": "deepest" }),
        json!({ "query": QUESTION, "words": 50 }),
        json!({ "query": QUESTION, "language": "42" }),
    ] {
        assert_eq!(client.refused("deep_research", arguments), "INVALID_ARGUMENTS");
    }
    client.leave();
}
