use std::time::Duration;

use expect_test::{Expect, expect};

use super::{ReplayError, RunState};
use crate::{
    Event, Sequence,
    checking::{CheckPlan, CheckTask, CheckTaskOutcome, ExamRule, JudgePlan},
    cost::{Cost, MicroUsd, Usage},
    driver_state::DriverState,
    event::{EVENT_VERSION, StoredEvent},
    fixture::{ID, events, plan, recorded, replay},
    id::{Digest, RunId},
    plan::Plan,
    rounds::{Mode, RoundsPlan},
    status::RunStatus,
    step::{Step, next_step},
    web::bill::Bill,
};

#[track_caller]
fn check(words: &str, expected: Expect) {
    let summary = replay(words).summary();
    let due = if summary.due { "due" } else { "resting" };
    let problem = summary.problem.map_or("-", |problem| problem.code.as_str());
    expected.assert_eq(&format!(
        "{} {due} {}% {} | {} | {problem}",
        summary.status.as_str(),
        summary.progress_percent,
        summary.current_action,
        summary.cost
    ));
}

#[test]
fn a_new_research_has_cost_nothing() {
    check("asked", expect!["pending due 0% starting | $0.00 | -"]);
}

#[test]
fn once_the_call_may_be_out_the_cost_is_unknown() {
    check("asked intended", expect!["pending due 0% starting | cost unknown | -"]);
}

#[test]
fn a_refused_create_cost_nothing() {
    check(
        "asked intended refused:RATE_LIMITED",
        expect!["pending due 0% trying again: in the provider's words | $0.00 | RATE_LIMITED"],
    );
}

#[test]
fn an_uncertain_create_rests_and_is_shown_as_unknown() {
    check(
        "asked intended uncertain",
        expect!["unknown resting 0% unknown | cost unknown | CREATE_UNCERTAIN"],
    );
}

#[test]
fn progress_counts_searches_and_never_claims_the_end() {
    check(
        "asked intended started seen:20",
        expect!["running_async due 25% searching: rayleigh scattering | cost unknown | -"],
    );
    check(
        "asked intended started seen:900",
        expect!["running_async due 95% searching: rayleigh scattering | cost unknown | -"],
    );
}

#[test]
fn counts_never_go_back() {
    check(
        "asked intended started seen:20 seen:4",
        expect!["running_async due 25% searching: rayleigh scattering | cost unknown | -"],
    );
}

#[test]
fn a_cancel_is_visible_at_once_and_an_end_is_final() {
    check("asked intended started cancel", expect!["cancelling due 0% cancelling | cost unknown | -"]);
    check(
        "asked intended started ended:completed",
        expect!["completed resting 100% completed | cost unknown | -"],
    );
}

#[test]
fn an_ended_run_can_be_looked_at_once_more() {
    check(
        "asked intended started ended:failed reopened",
        expect!["running_async due 0% waiting for the provider | cost unknown | -"],
    );
}

#[test]
fn a_look_that_brings_no_report_leaves_the_end_as_it_was() {
    let before = replay("asked intended started late cancel-refused ended:timed-out").summary();
    let in_vain =
        replay("asked intended started late cancel-refused ended:timed-out reopened seen:3 ended:cancelled")
            .summary();
    assert_eq!(
        (in_vain.status, in_vain.ended_at, in_vain.problem, in_vain.cancel_answer),
        (before.status, before.ended_at, before.problem, before.cancel_answer)
    );
    let brought =
        replay("asked intended started late cancel-refused ended:timed-out reopened ended:completed")
            .summary();
    assert_eq!((brought.status, brought.cancel_answer), (crate::status::RunStatus::Completed, None));
    assert!(brought.ended_at > before.ended_at);
}

#[test]
fn only_an_end_without_the_provider_s_last_word_is_looked_at_again() {
    for (words, expected) in [
        ("asked intended started late answered ended:timed-out", false),
        ("asked intended started late cancel-refused ended:timed-out", true),
        ("asked intended started ended:cancelled", false),
        ("asked intended started ended:completed", false),
        ("asked intended started", false),
    ] {
        assert_eq!(replay(words).may_bring_more(), expected, "{words}");
    }
}

#[test]
fn the_sources_of_a_text_are_counted_while_the_run_goes_on() {
    for (words, sources) in [
        ("asked intended started seen:3", 0),
        ("asked intended started seen:3 kept:6", 6),
        ("asked intended started seen:3 kept:6 cancel", 6),
        ("asked intended started seen:3 kept:6 ended:completed", 2),
    ] {
        assert_eq!(replay(words).summary().sources, sources, "{words}");
    }
}

#[test]
fn damage_is_never_skipped() {
    let id = RunId::from_random(ID);
    assert_eq!(RunState::replay(id, &[]), Err(ReplayError::Empty));
    assert_eq!(RunState::replay(id, &recorded(events("intended"))), Err(ReplayError::NoQuestion));
    let mut gap = recorded(events("asked intended started"));
    gap.remove(1);
    assert_eq!(RunState::replay(id, &gap), Err(ReplayError::Gap { after: Sequence(1), found: Sequence(3) }));
    let twice = recorded(events("asked asked"));
    assert_eq!(RunState::replay(id, &twice), Err(ReplayError::DoesNotFit(Sequence(2))));
    let wishless = recorded(events("asked answered"));
    assert_eq!(RunState::replay(id, &wishless), Err(ReplayError::DoesNotFit(Sequence(2))));
}

/// The journal of the first release. Never edited: what it says must be readable for ever.
const JOURNAL_V1: &str = include_str!("../../fixtures/journal-v1.jsonl");

#[test]
fn the_journal_of_version_1_still_replays() {
    let stored: Vec<Event> = JOURNAL_V1.lines().map(|line| Event::decode(1, line).unwrap()).collect();
    let words = "asked intended refused:RATE_LIMITED intended started seen:3 kept seen:20 cancel cancel-refused ended:completed";
    assert_eq!(stored, events(words));
    let research = RunState::replay(RunId::from_random(ID), &recorded(stored)).unwrap();
    assert_eq!(research.summary(), replay(words).summary());
}

#[test]
fn a_newer_journal_is_refused_not_guessed() {
    let refused = Event::decode(EVENT_VERSION + 1, "{}").unwrap_err();
    assert_eq!(
        refused.to_string(),
        format!("event version {} was written by a newer Probity", EVENT_VERSION + 1)
    );
}

#[test]
fn a_budget_can_only_be_raised_and_only_while_there_is_something_to_spend_it_on() {
    let research = replay("asked intended started raised");
    assert_eq!(research.budget(), Some(MicroUsd(50_000_000)));
    assert!(
        research.can_raise_budget(MicroUsd(50_000_001)) && !research.can_raise_budget(MicroUsd(50_000_000))
    );
    for misplaced in
        ["asked raised raised", "asked intended started ended:completed raised", "asked left raised"]
    {
        let journal = recorded(events(misplaced));
        let last = journal.last().unwrap().sequence;
        let refused = RunState::replay(RunId::from_random(ID), &journal);
        assert_eq!(refused, Err(ReplayError::DoesNotFit(last)), "{misplaced}");
    }
}

#[test]
fn a_restored_copy_does_not_know_whether_it_was_sent_since() {
    for (words, attempt) in [
        ("asked", Some(1)),
        ("asked intended", Some(1)),
        ("asked intended refused:RATE_LIMITED", Some(1)),
        ("asked intended refused:RATE_LIMITED intended", Some(2)),
        ("asked intended uncertain", None),
        ("asked intended uncertain pay-again", Some(1)),
        ("asked intended started", None),
        ("asked intended started ended:completed", None),
    ] {
        let found = replay(words).event_after_loss().map(|event| match event {
            Event::CreateUncertain { attempt, .. } => attempt,
            other => panic!("{words}: {other:?}"),
        });
        assert_eq!(found, attempt, "{words}");
    }
}

#[test]
fn rounds_of_a_restored_copy_go_on_only_for_who_pays_again() {
    let mut asked = events("asked");
    if let Some(Event::Asked { plan, .. }) = asked.first_mut() {
        plan.rounds = Some(Box::new(RoundsPlan::new(Mode::DeepSearch, 5)));
    }
    let journal = recorded(asked);
    let mut research = RunState::replay(RunId::from_random(ID), &journal).unwrap();
    let append = |research: &mut RunState, event| {
        let last = &journal[0];
        let sequence = research.sequence.next();
        research.apply(&StoredEvent { sequence, event, ..last.clone() }).unwrap();
    };
    let lost = research.event_after_loss().unwrap();
    append(&mut research, lost);
    let attention = DriverState::resuming(Duration::ZERO);
    assert_eq!(next_step(&research, &attention), Step::Rest);
    assert_eq!((research.status(), research.summary().cost), (RunStatus::Unknown, Cost::Unknown));
    append(&mut research, Event::PayAgainAccepted);
    let Step::Record(next) = next_step(&research, &attention) else { panic!("it goes on") };
    assert_eq!(*next, Event::CreateIntended { attempt: 1 });
}

/// The summary of a journal whose first event has this plan.
fn summary_with(plan: Plan, between: Option<Event>) -> crate::status::RunSummary {
    let mut told = events("asked");
    if let Some(Event::Asked { plan: asked, .. }) = told.first_mut() {
        *asked = plan;
    }
    told.extend(between);
    told.extend(events("ended:completed").into_iter().map(|event| match event {
        Event::Ended { stop, report, raw, problem, sources, progress, .. } => {
            Event::Ended { stop, report, raw, problem, sources, progress, usage: None, cost: Cost::Nothing }
        }
        other => other,
    }));
    RunState::replay(RunId::from_random(ID), &recorded(told)).unwrap().summary()
}

#[test]
fn a_check_that_asked_nobody_names_no_model_and_counts_no_token() {
    let judge = JudgePlan {
        name: "judge-1".to_owned(),
        version: "1".to_owned(),
        local: false,
        price: MicroUsd(1_000),
        wrote_it: false,
        endpoint: String::new(),
        exam: ExamRule::Trusted,
    };
    let checks = CheckPlan { judge: Some(judge), ..CheckPlan::without_judge() };
    let check = Plan::for_check(Digest([1; 32]), checks, plan().limits);
    let unasked = summary_with(check.clone(), None);
    assert_eq!((unasked.agent.as_str(), unasked.usage), ("none", Some(Usage::NONE)));
    let judged = Event::CheckDone {
        task: CheckTask::Judge { claims: Vec::new() },
        outcome: CheckTaskOutcome::Judged { answers: Vec::new() },
        bill: Bill::counted(MicroUsd(900), Usage::NONE),
    };
    let asked = summary_with(check, Some(judged));
    assert_eq!((asked.agent.as_str(), asked.usage), ("judge-1", None));
}

#[test]
fn a_run_that_ends_before_any_model_was_seen_says_so_in_the_word_of_all_others() {
    let rounds = RoundsPlan { model: None, ..RoundsPlan::new(Mode::DeepSearch, 5) };
    let ended = summary_with(Plan { rounds: Some(Box::new(rounds)), ..plan() }, None);
    assert_eq!(ended.agent, "auto-detected");
}

#[test]
fn a_refused_cancel_is_told_as_one_sentence_and_asking_meanwhile_is_by_the_id() {
    let refused = replay("asked intended started cancel cancel-refused ended:cancelled").summary();
    assert_eq!(
        refused.note.as_deref(),
        Some("the provider refused the cancel: in the provider's words; it may go on there and be billed")
    );
    let accepted = replay("asked intended started cancel answered ended:cancelled").summary();
    assert_eq!((refused.cancel_refused, accepted.cancel_refused), (true, false));
    assert_eq!(refused.answer_mode(), "sync");
    assert_eq!(replay("asked intended started").summary().answer_mode(), "async");
}
