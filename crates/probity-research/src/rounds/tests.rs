//! Whole searches in memory: the rules against a scripted engine, without a clock or a disk.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use super::{Mode, RoundHints, RoundsPlan, ToolEvidence, VerificationMode, log_lines};
use crate::{
    Digest, Event, RunId, RunState, Sequence, Step, StoredEvent,
    cost::{Cost, MicroUsd, Usage},
    driver_state::DriverState,
    engine_call::{EngineCall, EngineOutcome, RoundCall, RoundReply},
    error::{Code, CodedError},
    next_step,
    plan::{EngineName, Plan, RunLimits},
    progress::{Progress, ProgressLine},
    query::Query,
    react::{Reaction, RunFinish, react},
    report::SourceLink,
    rounds::{
        RoundsStop,
        state::{CallBilling, CallWork},
    },
    state::RunPhase,
    status::RunStatus,
    stop::{CancelReason, PartialResults, RunStop},
    time::Moment,
};

const PAGE: &str = "https://pages.example/1";
const STEPS_MAX: usize = 400;

/// What the engine says to the next call.
#[derive(Debug, Clone, Copy)]
enum Turn {
    Draft,
    Agreed,
    Changed,
    /// Another text, of which the model is not sure either.
    Earlier,
    Prose,
    Empty,
    Unsearched,
    Invented,
    Refused(Code),
    Uncertain,
    Lost,
    /// The process dies with the call under way.
    Crash,
    /// The process dies between the intent and the call.
    CrashBefore,
    /// The user cancels while the call runs.
    Cancel,
    /// The deadline comes while the call runs, and the provider says that it was cancelled.
    Late,
}

struct World {
    research: RunState,
    journal: Vec<StoredEvent>,
    attention: DriverState,
    blobs: BTreeMap<Digest, Arc<[u8]>>,
    calls: Vec<RoundCall>,
    waits: Vec<u64>,
    lines: Vec<String>,
}

impl World {
    fn new(plan: RoundsPlan, budget: Option<MicroUsd>) -> Self {
        let limits = RunLimits::new(Duration::from_secs(3600), budget);
        let plan = Plan::for_rounds(EngineName::GeminiApi, plan, limits);
        let event = Event::Asked { query: Query::parse("when did the first one run?").unwrap(), plan };
        let first =
            StoredEvent { sequence: Sequence(1), at: Moment(1_800_000_000_000), attended_ms: 0, event };
        let research = RunState::replay(RunId::from_random(7), std::slice::from_ref(&first)).unwrap();
        Self {
            research,
            journal: vec![first],
            attention: DriverState::default(),
            blobs: BTreeMap::new(),
            calls: Vec::new(),
            waits: Vec::new(),
            lines: Vec::new(),
        }
    }

    fn append(&mut self, event: Event) {
        for line in log_lines::lines(&self.research, &event) {
            self.lines.push(match line {
                log_lines::LogLine::Info(text) => format!("[INFO] {text}"),
                log_lines::LogLine::Error(text) => format!("[ERROR] {text}"),
            });
        }
        let recorded = StoredEvent {
            sequence: self.research.sequence.next(),
            at: Moment(1_800_000_000_000),
            attended_ms: u64::try_from(self.attention.attended.as_millis()).unwrap(),
            event,
        };
        let text = recorded.event.encode().unwrap();
        assert_eq!(Event::decode(recorded.event.version(), &text).unwrap(), recorded.event);
        self.research.apply(&recorded).unwrap();
        self.journal.push(recorded);
    }

    fn keep(&mut self, bytes: Vec<u8>) -> Option<Digest> {
        let digest = Digest([u8::try_from(self.blobs.len() + 1).unwrap(); 32]);
        (!bytes.is_empty()).then(|| {
            self.blobs.insert(digest, bytes.into());
            digest
        })
    }

    /// Drives the search through `turns`; the last one repeats.
    fn run(mut self, turns: &[Turn]) -> (Self, RunFinish) {
        let mut turns = turns.iter().copied().peekable();
        let mut next = || if turns.len() > 1 { turns.next() } else { turns.peek().copied() };
        for _ in 0..STEPS_MAX {
            match next_step(&self.research, &self.attention) {
                Step::Record(event) => {
                    let intent = matches!(*event, Event::CreateIntended { .. });
                    self.append(*event);
                    self.attention.intent_is_fresh = intent;
                }
                Step::Wait(pause) => {
                    self.waits.push(pause.as_secs());
                    self.attention.attended += pause;
                    self.attention.pause = None;
                }
                Step::Fetch(digest) => {
                    let bytes = Arc::clone(self.blobs.get(&digest).unwrap());
                    self.attention.blobs.insert(digest, bytes);
                }
                Step::Finish(finish) => {
                    self.append(finish.event(None, None, Moment(1)));
                    return (self, *finish);
                }
                Step::Perform(EngineCall::Ask(call)) => {
                    self.calls.push(*call.clone());
                    let turn = next().unwrap();
                    self.ask(turn, &call);
                }
                Step::Perform(EngineCall::Cancel { .. }) => self.take(EngineOutcome::CancelAccepted),
                Step::Perform(EngineCall::Collect { .. }) => {
                    self.attention.collects = crate::driver_state::COLLECTS_MAX;
                }
                other @ (Step::Perform(_) | Step::PerformAll(_)) => panic!("{other:?}"),
                Step::Rest | Step::Recall(_) => panic!("rests without an end"),
            }
        }
        panic!("no end after {STEPS_MAX} steps: {:?}", self.research.phase)
    }

    fn ask(&mut self, turn: Turn, call: &RoundCall) {
        let started = EngineOutcome::Started { remote_id: "v1_r".to_owned(), cursor: None };
        match turn {
            Turn::CrashBefore => self.crash(),
            Turn::Crash => {
                self.take(started);
                self.crash();
                self.take(EngineOutcome::Lost(CodedError::new(Code::RoundLost, "the process ended")));
            }
            Turn::Lost => {
                self.take(started);
                self.take(EngineOutcome::Lost(CodedError::new(Code::RoundLost, "gone")));
            }
            Turn::Refused(code) => self.take(EngineOutcome::Refused(CodedError::new(code, "no"))),
            Turn::Uncertain => {
                self.take(EngineOutcome::Uncertain(CodedError::new(Code::CreateUncertain, "cut")))
            }
            Turn::Cancel => {
                self.take(started);
                let news = vec![ProgressLine::Search(format!("query of round {}", call.round))];
                let progress = Progress { steps: 1, searches: 1, news, ..Progress::default() };
                self.append(Event::Observed { progress, cursor: None });
                self.append(Event::CancelRequested {
                    reason: CancelReason::User,
                    partial: PartialResults::Keep,
                });
            }
            Turn::Late => {
                self.take(started);
                self.append(Event::CancelRequested {
                    reason: CancelReason::Deadline,
                    partial: PartialResults::Keep,
                });
                let problem = Some(CodedError::new(Code::Cancelled, "cancelled at the provider"));
                let reply = RoundReply { problem, ..reply(turn, call) };
                self.take(EngineOutcome::Answered(Box::new(reply)));
            }
            spoken => {
                self.take(started);
                self.take(EngineOutcome::Answered(Box::new(reply(spoken, call))));
            }
        }
    }

    fn take(&mut self, finding: EngineOutcome) {
        match react(&self.research, &mut self.attention, finding, Moment(1_800_000_000_000)) {
            Reaction::Nothing => {}
            Reaction::Append(event) => self.append(event),
            Reaction::KeepRound(kept) => {
                let digest = self.keep(kept.bytes.clone());
                self.append(kept.event(digest, None));
            }
            other => panic!("{other:?}"),
        }
    }

    /// What a new process knows: the journal, and nothing else.
    fn crash(&mut self) {
        self.research = RunState::replay(self.research.id, &self.journal).unwrap();
        self.attention = DriverState::resuming(self.attention.attended);
    }

    fn asked(&self) -> Vec<(u32, bool, bool)> {
        self.calls.iter().map(|call| (call.round, call.current.is_some(), call.invalid.is_some())).collect()
    }
}

fn reply(turn: Turn, call: &RoundCall) -> RoundReply {
    let json = |verified: bool, year: u32, link: &str| {
        format!(
            r#"{{"success":true,"verified":{verified},"report":"The first one ran in {year} [1]({link}).","metadata":{{}}}}"#
        )
    };
    let text = match turn {
        Turn::Draft => json(false, 2015, PAGE),
        Turn::Agreed | Turn::Unsearched => json(true, 2015, PAGE),
        Turn::Earlier => json(false, 2014, PAGE),
        Turn::Changed => json(true, 2016 + call.round, PAGE),
        Turn::Invented => json(true, 2015, "https://nowhere.example/x"),
        Turn::Prose => "The first one ran in 2015.".to_owned(),
        _ => String::new(),
    };
    let evidence = ToolEvidence {
        sources: vec![SourceLink { url: PAGE.to_owned(), title: "Page".to_owned() }],
        queries: vec![format!("query of round {}", call.round)],
        pages: vec![PAGE.to_owned()],
    };
    let searched = !matches!(turn, Turn::Unsearched) && call.invalid.is_none();
    RoundReply {
        text,
        citations: Vec::new(),
        evidence: if searched { evidence } else { ToolEvidence::default() },
        billed: CallBilling::Counted(Usage { output_tokens: 100_000, ..Usage::default() }),
        model: Some("gemini-3.8-flash".to_owned()),
        redirects: Vec::new(),
        problem: None,
        raw: Vec::new(),
    }
}

fn deep() -> RoundsPlan {
    RoundsPlan::new(Mode::DeepSearch, 5)
}

fn deep_search(turns: &[Turn]) -> (World, RunFinish) {
    World::new(deep(), None).run(turns)
}

#[test]
fn two_rounds_that_agree_end_the_search_and_say_so_in_the_known_lines() {
    let (world, finish) = deep_search(&[Turn::Draft, Turn::Agreed]);
    let rounds = finish.report.unwrap().rounds.unwrap();
    assert_eq!((rounds.iterations, rounds.verified, rounds.stop), (2, true, RoundsStop::Verified));
    assert_eq!(world.asked(), [(1, false, false), (2, true, false)]);
    assert_eq!(
        world.lines,
        [
            "[INFO] Deep search round 1/5...",
            "[INFO] Round 1 completed, verified: false",
            "[INFO] Deep search round 2/5...",
            "[INFO] Round 2 completed, verified: true",
            "[INFO] Deep search completed: 2 rounds, verified: true",
        ]
    );
    assert_eq!(rounds.model, "gemini-3.8-flash");
    assert_eq!(world.research.status(), RunStatus::Completed);
}

#[test]
fn a_model_that_only_says_verified_does_not_end_it() {
    let (world, finish) = deep_search(&[Turn::Invented]);
    let rounds = finish.report.unwrap().rounds.unwrap();
    assert_eq!((rounds.iterations, rounds.verified, rounds.model_says_verified), (2, false, true));
    assert_eq!(
        (rounds.stop, rounds.unresolved.as_slice()),
        (RoundsStop::Saturated, &["https://nowhere.example/x".to_owned()][..])
    );
    assert!(
        rounds
            .note
            .unwrap()
            .starts_with("Verification was not completed: the last round brought nothing new")
    );
    let told: Vec<&[String]> =
        world.calls.iter().skip(1).map(|call| call.hints.untraced.as_slice()).collect();
    assert!(told.iter().all(|told| *told == ["https://nowhere.example/x"]), "{told:?}");
}

#[test]
fn rounds_that_keep_changing_are_never_verified_and_the_best_is_the_last() {
    let (_, finish) = deep_search(&[Turn::Changed]);
    let report = finish.report.unwrap();
    assert!(report.text.contains("2021"), "{}", report.text);
    assert!(!report.rounds.unwrap().verified);
    assert_eq!(report.queries.len(), 5, "queries of all rounds");
    assert_eq!(report.sources.len(), 1, "each source once");
}

#[test]
fn no_round_is_paid_after_one_whose_text_was_already_there() {
    for (turns, paid) in [
        (&[Turn::Draft][..], 2),
        (&[Turn::Invented], 2),
        (&[Turn::Changed, Turn::Draft], 3),
        (&[Turn::Draft, Turn::Invented, Turn::Draft], 3),
    ] {
        let (world, finish) = deep_search(turns);
        let rounds = finish.report.unwrap().rounds.unwrap();
        assert_eq!((world.calls.len(), rounds.stop), (paid, RoundsStop::Saturated), "{turns:?}");
    }
}

#[test]
fn the_models_word_suffices_where_the_user_chose_so() {
    let plan = RoundsPlan { verification: VerificationMode::Model, ..deep() };
    let (_, finish) = World::new(plan, None).run(&[Turn::Agreed]);
    let rounds = finish.report.unwrap().rounds.unwrap();
    assert_eq!((rounds.iterations, rounds.verified), (1, true));
    assert!(rounds.verification_basis.starts_with("model:"), "{}", rounds.verification_basis);
}

#[test]
fn a_search_is_one_round_and_never_called_verified() {
    let (world, finish) = World::new(RoundsPlan::new(Mode::Search, 9), None).run(&[Turn::Agreed]);
    let rounds = finish.report.unwrap().rounds.unwrap();
    assert_eq!((rounds.iterations, rounds.verified, rounds.note), (1, false, None));
    assert!(world.lines.is_empty(), "{:?}", world.lines);
}

#[test]
fn prose_is_corrected_with_the_evidence_of_the_call_that_searched() {
    let (world, finish) = deep_search(&[Turn::Prose, Turn::Draft, Turn::Agreed]);
    assert_eq!(world.asked(), [(1, false, false), (1, false, true), (2, true, false)]);
    let rounds = finish.report.unwrap().rounds.unwrap();
    assert_eq!((rounds.iterations, rounds.verified, rounds.calls), (2, true, 3));
    assert!(world.waits.is_empty(), "a correction does not wait: {:?}", world.waits);
    let summary = world.research.summary();
    assert_eq!((summary.searches, summary.pages), (2, 2), "what is put into shape was found once");
}

#[test]
fn what_a_round_without_an_answer_searched_for_is_in_every_list() {
    for (stop, pages) in [(Turn::Late, 1), (Turn::Cancel, 0)] {
        let (world, finish) = deep_search(&[Turn::Draft, stop]);
        let report = finish.report.unwrap();
        assert_eq!(report.queries, ["query of round 1", "query of round 2"], "{stop:?}");
        let notes = report.rounds.unwrap().rounds;
        let stopped = notes.last().unwrap();
        assert_eq!(stopped.search_queries, ["query of round 2"], "{stop:?}");
        assert_eq!(stopped.pages_read, pages, "{stop:?}");
        assert_eq!((stopped.model_says(), stopped.was_stopped()), (None, true), "no model said anything");
        let summary = world.research.summary();
        assert_eq!((summary.searches, summary.pages), (2, 1 + pages), "{stop:?}");
    }
    let (world, finish) = deep_search(&[Turn::Draft, Turn::Empty, Turn::Agreed]);
    let notes = finish.report.unwrap().rounds.unwrap().rounds;
    let rounds: Vec<(usize, u32)> =
        notes.iter().map(|note| (note.search_queries.len(), note.pages_read)).collect();
    assert_eq!(rounds, [(1, 1), (1, 2)], "a query that is tried again is listed once");
    assert_eq!(world.research.summary().pages, rounds.iter().map(|(_, pages)| pages).sum::<u32>());
}

#[test]
fn after_three_cycles_without_an_answer_the_search_fails_with_its_own_code() {
    let (world, finish) = deep_search(&[Turn::Prose]);
    let problem = finish.problem.unwrap();
    assert_eq!((finish.stop, problem.code), (RunStop::Failed, Code::ExecutionError));
    assert!(
        problem.message.contains("all retry and correction attempts were exhausted"),
        "{}",
        problem.message
    );
    assert_eq!(world.calls.len(), 6);
    assert_eq!(world.waits, [1, 2], "nothing follows the third cycle of the first round");
    let corrections =
        world.lines.iter().filter(|line| line.starts_with("[ERROR] JSON correction failed")).count();
    assert_eq!(corrections, 3, "{:#?}", world.lines);
}

#[test]
fn an_answer_without_a_search_is_no_success() {
    let (_, finish) = deep_search(&[Turn::Unsearched]);
    assert_eq!(finish.problem.map(|problem| problem.code), Some(Code::ExecutionError));
}

#[test]
fn a_failed_verification_round_does_not_fail_the_search() {
    use Turn::{Agreed, Draft, Refused};
    let busy = Refused(Code::ProviderUnavailable);
    let (world, finish) = deep_search(&[Draft, busy, busy, busy, Agreed]);
    let rounds = finish.report.unwrap().rounds.unwrap();
    assert_eq!((rounds.iterations, rounds.verified), (3, true));
    let problems: Vec<bool> = rounds.rounds.iter().map(|round| round.problem.is_some()).collect();
    assert_eq!(problems, [false, true, false]);
    assert_eq!(world.waits, [1, 2, 5]);
}

#[test]
fn a_refused_key_in_a_later_round_keeps_the_result_and_stops_asking() {
    let (world, finish) = deep_search(&[Turn::Draft, Turn::Refused(Code::KeyRefused)]);
    let rounds = finish.report.unwrap().rounds.unwrap();
    assert_eq!((finish.stop, rounds.stop), (RunStop::Completed, RoundsStop::Failure));
    assert_eq!(world.calls.len(), 2);
    assert!(rounds.note.unwrap().contains("a round failed for good"));
}

#[test]
fn a_missing_program_is_told_as_it_is() {
    let (_, finish) = deep_search(&[Turn::Refused(Code::CliNotFound)]);
    assert_eq!(finish.problem.map(|problem| problem.code), Some(Code::CliNotFound));
    assert_eq!(finish.cost, Cost::Nothing);
}

#[test]
fn a_crash_resumes_at_the_same_round_and_the_lost_call_is_counted() {
    for crash in [Turn::Crash, Turn::CrashBefore, Turn::Uncertain, Turn::Lost] {
        let (world, finish) = deep_search(&[Turn::Draft, crash, Turn::Agreed]);
        let rounds = finish.report.unwrap().rounds.unwrap();
        let asked: Vec<u32> = world.calls.iter().map(|call| call.round).collect();
        assert_eq!(asked, [1, 2, 2], "{crash:?}");
        assert_eq!((rounds.calls, rounds.calls_uncounted), (3, 1), "{crash:?}");
        assert!(matches!(finish.cost, Cost::AtLeast(_)), "{crash:?}: {:?}", finish.cost);
        assert!(world.calls.last().is_some_and(|call| call.current.is_some()), "{crash:?}");
    }
}

#[test]
fn a_small_budget_shortens_the_search_and_never_empties_it() {
    let (world, finish) = World::new(deep(), Some(MicroUsd(1))).run(&[Turn::Draft]);
    let rounds = finish.report.unwrap().rounds.unwrap();
    assert_eq!((finish.stop, rounds.stop), (RunStop::Completed, RoundsStop::Budget));
    assert_eq!(world.calls.len(), 1);
}

#[test]
fn a_cancel_in_a_round_keeps_the_best_result() {
    let (world, finish) = deep_search(&[Turn::Draft, Turn::Cancel]);
    assert_eq!(finish.stop, RunStop::Cancelled);
    assert!(finish.report.is_some());
    assert_eq!(world.calls.len(), 2);
}

#[test]
fn a_round_that_the_deadline_stopped_is_no_error_of_the_provider() {
    let (world, finish) = deep_search(&[Turn::Draft, Turn::Late]);
    let rounds = finish.report.unwrap().rounds.unwrap();
    assert_eq!(rounds.stop, RoundsStop::Deadline);
    assert!(world.lines.iter().all(|line| line.starts_with("[INFO]")), "{:?}", world.lines);
    assert!(
        world
            .lines
            .iter()
            .any(|line| line == "[INFO] Round 2 stopped: the deadline was reached during this round"),
        "{:?}",
        world.lines
    );
    let stopped = rounds.rounds.last().and_then(|note| note.problem.as_ref()).map(|problem| problem.code);
    assert_eq!(stopped, Some(Code::Deadline));
}

#[test]
fn a_round_counts_from_its_call_on() {
    let (world, finish) = World::new(deep(), Some(MicroUsd(1))).run(&[Turn::Draft]);
    let shown = world.research.summary().rounds.unwrap().round;
    assert_eq!(shown, finish.report.unwrap().rounds.unwrap().iterations);
}

#[test]
fn an_empty_answer_is_asked_again_without_a_correction() {
    let (world, _) = deep_search(&[Turn::Empty, Turn::Draft, Turn::Agreed]);
    assert_eq!(world.asked(), [(1, false, false), (1, false, false), (2, true, false)]);
    assert_eq!(world.waits, [1]);
}

#[test]
fn status_tells_the_round_and_shows_the_best_result_on_the_way() {
    let mut world = World::new(deep(), None);
    world.attention.intent_is_fresh = true;
    world.append(Event::CreateIntended { attempt: 1 });
    assert_eq!(world.research.summary().status, RunStatus::Pending);
    world.ask(
        Turn::Draft,
        &RoundCall {
            round: 1,
            rounds_max: 5,
            model: None,
            current: None,
            hints: RoundHints::default(),
            invalid: None,
        },
    );
    let summary = world.research.summary();
    assert_eq!((summary.status, summary.progress_percent), (RunStatus::RunningAsync, 20));
    assert!(summary.current_action.starts_with("round 1/5: "), "{}", summary.current_action);
    assert!(summary.report.is_some() && summary.due);
    assert_eq!(world.research.phase, RunPhase::Asked);
}

/// A search of the release that brought rounds. Never edited: what it says must be readable for ever.
const JOURNAL_V2: &str = include_str!("../../fixtures/journal-v2.jsonl");

#[test]
fn the_journal_of_version_2_still_replays() {
    let stored: Vec<Event> = JOURNAL_V2.lines().map(|line| Event::decode(2, line).unwrap()).collect();
    let (world, _) = deep_search(&[Turn::Earlier, Turn::Crash, Turn::Prose, Turn::Draft, Turn::Agreed]);
    let mut written: Vec<Event> = world.journal.iter().map(|recorded| recorded.event.clone()).collect();
    // Later releases write it too.
    for event in &mut written {
        if let Event::RoundStumbled { model, work, .. } = event {
            *model = None;
            *work = CallWork::default();
        }
    }
    assert_eq!(stored, written);
    assert_eq!(stored.first().map(Event::version), Some(2), "an older Probity must refuse it");
    assert_eq!(world.research.ending().map(|ending| ending.stop), Some(RunStop::Completed));
}
