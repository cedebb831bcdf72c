use serde_json::json;

use super::{tool_way_out, way_out};
use crate::{
    error::Code,
    status::{RunStatus, RunSummary},
};

fn run(status: RunStatus, more: serde_json::Value) -> RunSummary {
    let mut fields = json!({
        "id": crate::RunId::from_random(7), "status": status, "due": false, "query": "why is it blue?",
        "engine": "gemini-api", "agent": "agent", "asked_at": 0, "updated_at": 60_000, "ended_at": 60_000,
        "progress_percent": 0, "progress_estimated": true, "current_action": "", "steps": 0, "searches": 0,
        "pages": 0, "attended_ms": 0, "cost": { "basis": "nothing" }, "sources": 0,
    });
    for (key, value) in more.as_object().unwrap() {
        fields[key] = value.clone();
    }
    serde_json::from_value(fields).unwrap()
}

fn rounds(manner: &str) -> serde_json::Value {
    json!({ "rounds": { "manner": manner, "round": 1, "rounds_max": 1, "verified": false, "calls": 0, "calls_uncounted": 0 } })
}

#[track_caller]
fn check(code: Code, run: &RunSummary, expected: &str) {
    assert_eq!(way_out(code, Some(run)).replace("res_00000000000000000000000000000007", "ID"), expected);
}

#[test]
fn what_was_never_sent_is_asked_again_and_not_resumed() {
    let failed = run(RunStatus::Failed, json!({}));
    check(
        Code::Network,
        &failed,
        "nothing was started and nothing was paid; when it works again, ask again: `probity research \"why is it blue?\"`",
    );
    check(
        Code::QuotaExhausted,
        &failed,
        "the provider's daily quota is used up; ask again tomorrow: `probity research \"why is it blue?\"`",
    );
    let asked = run(RunStatus::Failed, rounds("search"));
    check(Code::CreateUncertain, &asked, "ask again: `probity ask \"why is it blue?\"`");
}

#[test]
fn what_was_cancelled_here_and_not_there_can_still_be_fetched() {
    let taken = json!({ "remote_id": "v1_x", "cost": { "basis": "unknown" }, "cancel_refused": true });
    let refused = run(RunStatus::Cancelled, taken);
    check(
        Code::Cancelled,
        &refused,
        "the provider may go on with it; look once more with `probity runs resume ID`, or ask again: `probity research \
         \"why is it blue?\"`",
    );
    let told = tool_way_out(Code::Cancelled, Some(&refused));
    assert!(told.starts_with("it may go on at the provider and be billed; "), "{told}");
}

#[test]
fn what_the_provider_has_is_looked_at_once_more() {
    let taken = json!({ "remote_id": "v1_x", "cost": { "basis": "unknown" } });
    check(
        Code::Network,
        &run(RunStatus::Failed, taken),
        "the provider has it; look once more with `probity runs resume ID`",
    );
    check(
        Code::CreateUncertain,
        &run(RunStatus::Unknown, json!({})),
        "the provider may have started and billed this; to pay for a new start type `probity runs resume ID --pay-again`",
    );
    check(
        Code::Timeout,
        &run(RunStatus::RunningAsync, json!({ "ended_at": null })),
        "follow it with `probity runs watch ID`, which takes it up if nobody drives it",
    );
}

#[test]
fn limits_are_raised_by_name() {
    let kept = json!({ "report": "ab".repeat(32), "reserved": 1_000_000, "cost": { "basis": "unknown" } });
    check(
        Code::Deadline,
        &run(RunStatus::TimedOut, rounds("deep_search")),
        "give it more time: `probity research --rounds --max-time 5m \"why is it blue?\"`; it starts anew",
    );
    check(
        Code::Budget,
        &run(RunStatus::OverBudget, kept),
        "what there was is in `probity runs show ID`; allow more: `probity research --budget 2.00 \"why is it blue?\"`; it starts anew and is paid again",
    );
}

#[test]
fn a_question_is_quoted_for_the_shell_or_left_to_the_person() {
    let mut failed = run(RunStatus::Failed, rounds("deep_research"));
    for (query, shown) in [
        ("what's \"new\"?", "'what'\\''s \"new\"?'"),
        ("cost of $5", "'cost of $5'"),
        ("run `rm`", "\"…\""),
        ("two\nlines", "\"…\""),
    ] {
        failed.query = query.to_owned();
        check(Code::ProviderFailed, &failed, &format!("ask again: `probity research --web {shown}`"));
    }
    // The page and the depth are part of what was asked.
    failed.query = "why is it blue?".to_owned();
    failed.asked_flags = ["--depth medium", "--page http://pages.test/b.html"].map(str::to_owned).into();
    check(
        Code::Deadline,
        &failed,
        "give it more time: `probity research --web --depth medium --page http://pages.test/b.html --max-time 5m \
         \"why is it blue?\"`; it starts anew",
    );
    failed.given = true;
    check(Code::Deadline, &failed, "give it more time: `probity verify --max-time 5m FILE`; it starts anew");
}

#[test]
fn a_text_that_is_stored_is_checked_again_without_a_file() {
    let kept = json!({ "given": true, "report": "ab".repeat(32) });
    check(
        Code::Deadline,
        &run(RunStatus::TimedOut, kept),
        "what there was is in `probity runs show ID`; give it more time: `probity recheck --max-time 5m ID`; it starts anew",
    );
}

#[test]
fn a_refused_request_is_not_repeated() {
    let refused = run(RunStatus::Failed, rounds("search"));
    check(
        Code::BadRequest,
        &refused,
        "the same request is refused again: change what the provider's message names, then ask: `probity ask \"…\"`",
    );
    let way = tool_way_out(Code::BadRequest, Some(&refused));
    assert!(way.contains("refused again") && way.contains("call search with"), "{way}");
}

#[test]
fn a_missing_gemini_cli_is_installed_or_done_without() {
    let failed = run(RunStatus::Failed, rounds("search"));
    check(
        Code::CliNotFound,
        &failed,
        "install it with `npm install -g @google/gemini-cli`, or ask without it: `probity ask --engine web \"why is it \
         blue?\"`, for good with PROBITY_RESEARCH__ENGINE=web",
    );
    let way = tool_way_out(Code::CliNotFound, Some(&failed));
    for part in ["npm install -g @google/gemini-cli", "PROBITY_RESEARCH__ENGINE=web", "call search again"] {
        assert!(way.contains(part), "{part}: {way}");
    }
    // A flag is nothing that a client could pass on, and the API would ask for a key that may not be there.
    assert!(!way.contains("--engine"), "{way}");
}

#[test]
fn a_second_start_is_said_to_be_paid_again() {
    let paid = run(RunStatus::TimedOut, json!({ "cost": { "basis": "at-least", "micro_usd": 5 } }));
    let way = tool_way_out(Code::Deadline, Some(&paid));
    assert_eq!(
        way,
        "call start_deep_research again with a higher max_wait_hours; it starts anew and is paid again"
    );
}

#[test]
fn an_agent_is_told_tools() {
    let failed = run(RunStatus::Failed, rounds("search"));
    assert_eq!(tool_way_out(Code::ProviderFailed, Some(&failed)), "call search again; it starts anew");
    let going = run(RunStatus::Pending, json!({ "ended_at": null }));
    assert!(
        tool_way_out(Code::NotFinished, Some(&going)).starts_with("call check_research_status(task_id='res_")
    );
}

#[test]
fn a_deep_search_that_fails_names_the_tool_without_rounds() {
    let failed = run(RunStatus::Failed, rounds("deep_search"));
    let way = tool_way_out(Code::ExecutionError, Some(&failed));
    assert!(
        way.starts_with("call deep_search again") && way.contains("deep_research asks the same"),
        "{way}"
    );
}
