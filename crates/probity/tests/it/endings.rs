//! Ends other than a report: what is said, which exit code, and what the provider was asked.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use expect_test::expect;
use probity_research::{
    Code, CodedError, Event, RunId, RunState, Sequence, StoredEvent,
    agent::AgentName,
    cost::{Cost, MicroUsd, Usage},
    plan::{Plan, RunLimits},
    ports::{Journal as _, JournalEntry, JournalWriter},
    query::Query,
    stop::RunStop,
    time::Moment,
};
use probity_store::{Clocks, Store, StoreOptions};

use crate::harness::{World, finish, id_in};

#[test]
fn a_lost_start_is_unknown_and_never_repeated() {
    let world = World::new();
    let done = world.run(&["research", "[[create-lost]] x"]);
    assert_eq!(done.code, 7);
    assert!(done.err.contains("✗ unknown · "), "{}", done.err);
    assert!(done.err.contains("error[CREATE_UNCERTAIN]: "), "{}", done.err);
    assert_eq!(world.ledger().entries().len(), 1, "the simulator accepted the lost start");

    let again = world.run(&["runs", "resume", "last"]);
    assert_eq!(again.code, 7);
    assert!(again.err.contains("never heard whether it did"), "{}", again.err);
    assert!(again.err.contains("--pay-again`"), "{}", again.err);
    assert_eq!(world.run(&["runs", "resume"]).code, 0, "nothing is due");
    assert_eq!(world.ledger().entries().len(), 1);

    let paid = world.run(&["runs", "resume", &id_in(&done.err), "--pay-again"]);
    assert_eq!(paid.code, 0, "{}", paid.err);
    assert!(paid.out.starts_with("# x\n"), "{}", paid.out);
    assert_eq!(world.ledger().entries().len(), 2, "exactly one more");
}

#[test]
fn a_cancel_is_told_to_the_provider_and_its_answer_is_shown() {
    for (scenario, answer) in [
        ("cancel-ok", "the provider accepted the cancel"),
        ("cancel-400", "the provider refused the cancel: "),
    ] {
        let world = World::new();
        let mut running = world.start(&["research", &format!("[[{scenario}]] x")]);
        let id = world.wait_for_status("running_async");
        let done = world.run(&["runs", "cancel", &id]);
        assert_eq!(done.code, 0, "{}", done.err);
        assert!(done.err.contains("⚠ cancelled · "), "{}", done.err);
        assert!(done.err.contains(answer), "{}", done.err);
        assert_eq!(
            running.wait().unwrap().code(),
            Some(130),
            "whoever waited for it learns that it was cancelled"
        );
        let twice = world.run(&["runs", "cancel", &id]);
        assert_eq!(twice.code, 1);
        assert!(
            twice.err.contains("error[ALREADY_ENDED]: this research is already cancelled"),
            "{}",
            twice.err
        );
    }
}

#[test]
fn each_end_has_its_exit_code() {
    for (question, status, code, exit) in [
        ("[[failed]] x", "failed", "PROVIDER_FAILED", 1),
        ("[[empty-report]] x", "failed", "EMPTY_REPORT", 1),
        ("[[incomplete]] x", "incomplete", "INCOMPLETE", 5),
        ("[[error-400]] x", "failed", "BAD_REQUEST", 1),
        ("[[error-401]] x", "failed", "KEY_REFUSED", 6),
        ("[[error-403]] x", "failed", "PERMISSION_DENIED", 6),
        ("[[error-429-daily]] x", "failed", "QUOTA_EXHAUSTED", 7),
    ] {
        let world = World::new();
        let found = world.json(&["research", "--json", question]);
        let told = (found["status"].as_str(), found["problem"]["code"].as_str(), found["exit_code"].as_i64());
        assert_eq!(told, (Some(status), Some(code), Some(exit)), "{question}: {found}");
        assert_eq!(found["success"], false);
        let shown = world.run(&["runs", "watch", "last"]);
        assert_eq!(i64::from(shown.code), exit, "{question}: {}", shown.err);
    }
}

#[test]
fn what_the_provider_never_took_is_not_said_to_go_on_there() {
    let world = World::new();
    // Nobody listens there: not one byte left.
    let mut command = world.command(&["research", "x"]);
    let done = finish(command.env("GOOGLE_GEMINI_BASE_URL", "http://127.0.0.1:1").spawn().unwrap());
    assert_eq!(done.code, 7, "{}", done.err);
    assert!(done.err.contains("hint: nothing was started and nothing was paid"), "{}", done.err);
    assert_eq!(world.ledger().entries().len(), 0);
}

#[test]
fn a_deadline_ends_the_run_and_keeps_what_was_there() {
    let world = World::new();
    let done = world.run(&["research", "--max-time", "1s", "[[cancel-ok]] x"]);
    assert_eq!(done.code, 5, "{}", done.err);
    assert!(
        done.err.contains("error[DEADLINE]: the research did not finish before its deadline"),
        "{}",
        done.err
    );
}

#[test]
#[expect(clippy::disallowed_methods, reason = "measures waiting in real time")]
fn a_start_that_is_never_answered_is_waited_for_until_the_deadline_and_is_unknown_then() {
    let world = World::new();
    let began = Instant::now();
    let done = world.run(&["research", "--max-time", "1s", "[[hang accepted=true]] x"]);
    assert_eq!(done.code, 7, "{}", done.err);
    assert!(done.err.contains("✗ unknown · "), "{}", done.err);
    assert!(done.err.contains("did not say before the deadline whether it started"), "{}", done.err);
    assert!(began.elapsed() < Duration::from_secs(30), "{:?}", began.elapsed());
    assert_eq!(world.ledger().entries().len(), 1);
}

#[test]
fn a_run_that_the_provider_is_done_with_is_not_resumed() {
    let world = World::new();
    let done = world.run(&["research", "--max-time", "1s", "[[cancel-ok]] x"]);
    let id = id_in(&done.err);
    let before = world.json(&["runs", "show", "--json", &id]);
    let again = world.run(&["runs", "resume", &id]);
    assert!(again.err.contains("nothing was resumed"), "{}", again.err);
    assert!(again.err.contains("probity research --max-time"), "{}", again.err);
    assert_eq!(world.json(&["runs", "show", "--json", &id]), before);
}

#[test]
fn a_failed_run_lists_what_it_counted() {
    let world = World::new();
    let done = world.run(&["research", "[[failed]] x"]);
    let shown = world.json(&["runs", "show", "--json", &id_in(&done.err)]);
    let listed = shown["queries"].as_array().map_or(0, Vec::len) as u64;
    assert_eq!(shown["progress"]["searches"], listed, "{shown}");
    assert_eq!(shown["success"], false);
}

#[test]
fn a_forgotten_run_is_told_word_for_word() {
    let world = World::new();
    forgotten(&world);
    let done = world.run(&["runs", "resume", "last"]);
    assert_eq!(done.code, 1);
    let told = done.err.lines().skip_while(|line| !line.starts_with("error[")).collect::<Vec<_>>().join("\n");
    expect![[r#"
        error[EXPIRED]: Research session expired on Gemini servers. Task was interrupted and cannot be recovered.
        hint: ask again: `probity research "x"`
        more: probity explain EXPIRED"#]].assert_eq(&world.redacted(&told));
    assert_eq!(world.ledger().entries().len(), 0, "it was not created anew");
}

/// A run that its provider no longer has; whoever drives it next learns that. Two minutes of attention are written into
/// the journal, so that the grace of a fresh run is over.
pub fn forgotten(world: &World) -> String {
    let progress = probity_research::progress::Progress { steps: 1, ..Default::default() };
    write_journal(world, started(None), (130_000, Event::Observed { progress, cursor: None }))
}

/// The same, once that was learnt.
pub fn expired(world: &World) -> String {
    let words = "Research session expired on Gemini servers. Task was interrupted and cannot be recovered.";
    let problem = CodedError::new(Code::Expired, words);
    write_journal(world, started(None), (130_000, ended(RunStop::Expired, None, Cost::Unknown, problem)))
}

/// A run that was stopped because it had cost more than its budget.
pub fn overspent(world: &World) -> String {
    let usage =
        Usage { input_tokens: 400_000, output_tokens: 60_000, total_tokens: 460_000, ..Usage::default() };
    let problem = CodedError::new(Code::Budget, "the research cost more than its budget");
    let ended = ended(RunStop::OverBudget, Some(usage), Cost::AtLeast(MicroUsd(1_520_000)), problem);
    write_journal(world, started(Some(MicroUsd(1_500_000))), (130_000, ended))
}

/// An end without a text.
fn ended(stop: RunStop, usage: Option<Usage>, cost: Cost, problem: CodedError) -> Event {
    let problem = Some(problem);
    Event::Ended { stop, report: None, raw: None, usage, cost, problem, sources: 0, progress: None }
}

/// The events of a run that the provider took.
fn started(budget: Option<MicroUsd>) -> Vec<(u64, Event)> {
    let limits = RunLimits::new(Duration::from_secs(3_600), budget);
    let plan = Plan::new(AgentName::default(), limits);
    let remote_id = "v1_gone".to_owned();
    vec![
        (0, Event::Asked { query: Query::parse("x").unwrap(), plan }),
        (0, Event::CreateIntended { attempt: 1 }),
        (0, Event::RemoteStarted { attempt: 1, remote_id, cursor: None }),
    ]
}

fn write_journal(world: &World, mut journal: Vec<(u64, Event)>, last: (u64, Event)) -> String {
    let id = RunId::from_random(0x1234_5678);
    journal.push(last);
    let clock = Clocks { wall: Arc::new(|| Moment(0)), monotonic: Arc::new(|| Duration::ZERO) };
    let store =
        Store::open(&world.data(), StoreOptions::new(1, clock, world.data().join("reports"))).unwrap();
    let mut recorded = Vec::new();
    for (attended_ms, event) in &journal {
        let sequence = Sequence(recorded.len() as u64 + 1);
        recorded.push(StoredEvent {
            sequence,
            at: Moment(1),
            attended_ms: *attended_ms,
            event: event.clone(),
        });
        let research = RunState::replay(id, &recorded).unwrap();
        let entry = JournalEntry {
            id,
            expected: Sequence(sequence.0 - 1),
            writer: JournalWriter::Client,
            at: Moment(1),
            attended_ms: *attended_ms,
            event: event.clone(),
            summary: research.summary(),
        };
        world.runtime().block_on(store.append(entry)).unwrap();
    }
    id.to_string()
}
