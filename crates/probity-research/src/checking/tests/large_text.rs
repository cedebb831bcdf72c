//! Texts that take long to examine, and drivers that do not survive it.

use std::{sync::Arc, time::Duration};

use super::STEPS_MAX;
use crate::{
    Digest, Event, RunId, RunState, Sequence, Step, StoredEvent,
    checking::{CheckPlan, CheckTask},
    driver_state::DriverState,
    engine_call::EngineCall,
    error::{Code, CodedError},
    next_step,
    plan::{Plan, RunLimits},
    query::Query,
    report::Report,
    stop::RunStop,
    time::Moment,
    web::bill::Bill,
};

/// A large text of the user's own, and a driver that dies in every examination of it.
struct LargeText {
    journal: Vec<StoredEvent>,
    digest: Digest,
    bytes: Arc<[u8]>,
}

impl LargeText {
    fn new() -> Self {
        let report = Report { text: "A large text. ".repeat(40_000), ..Report::default() };
        let bytes: Arc<[u8]> = report.encode().into();
        let digest = Digest(*blake3::hash(&bytes).as_bytes());
        let limits = RunLimits::new(Duration::from_secs(3600), None);
        let plan = Plan::for_check(digest, CheckPlan::without_judge(), limits);
        let event = Event::Asked { query: Query::parse("check of a text").unwrap(), plan };
        let first = StoredEvent { sequence: Sequence(1), at: Moment(1), attended_ms: 0, event };
        Self { journal: vec![first], digest, bytes }
    }

    fn state(&self) -> RunState {
        RunState::replay(RunId::from_random(7), &self.journal).unwrap()
    }

    fn append(&mut self, event: Event) {
        let sequence = Sequence(self.journal.len() as u64 + 1);
        self.journal.push(StoredEvent { sequence, at: Moment(2), attended_ms: 0, event });
    }

    /// A new driver, up to the first step that is no record: what it does then.
    fn drive(&mut self) -> Step {
        let mut attention = DriverState::default();
        attention.blobs.insert(self.digest, Arc::clone(&self.bytes));
        for _ in 0..STEPS_MAX {
            match next_step(&self.state(), &attention) {
                Step::Record(event) => {
                    attention.intent_is_fresh = event.is_intent();
                    self.append(*event);
                }
                step => return step,
            }
        }
        panic!("records without end");
    }
}

#[test]
fn a_large_text_that_brings_two_drivers_down_is_set_aside() {
    let mut text = LargeText::new();
    for _ in 0..2 {
        assert!(matches!(text.drive(), Step::Perform(EngineCall::Check(_))), "begun, and never ended");
    }
    let Step::Finish(finish) = text.drive() else { panic!("it is not begun a third time") };
    assert_eq!(finish.stop, RunStop::Failed);
    let problem = finish.problem.unwrap();
    assert_eq!(problem.code, Code::ExecutionError);
    assert!(problem.message.contains("begun 2 times"), "{}", problem.message);
}

#[test]
fn a_driver_that_is_asked_to_stop_does_not_count_and_a_cancel_ends_it() {
    let mut text = LargeText::new();
    for _ in 0..5 {
        let Step::Perform(call) = text.drive() else { panic!("examined again") };
        text.append(crate::checking::step::stopped(&text.state(), &call).unwrap());
    }
    text.drive();
    text.append(Event::CancelRequested {
        reason: crate::stop::CancelReason::User,
        partial: crate::stop::PartialResults::Keep,
    });
    let Step::Finish(finish) = text.drive() else { panic!("a cancel ends it") };
    assert_eq!((finish.stop, finish.problem), (RunStop::Cancelled, None));
}

#[test]
fn an_examination_that_fails_ends_the_check_instead_of_being_repeated() {
    let mut text = LargeText::new();
    text.drive();
    let problem = CodedError::new(Code::Deadline, "too late");
    let outcome = crate::checking::CheckTaskOutcome::Failed { problem };
    text.append(Event::CheckDone { task: CheckTask::Examine, outcome, bill: Bill::NOTHING });
    let Step::Finish(finish) = text.drive() else { panic!("it ends") };
    assert_eq!((finish.stop, finish.problem.unwrap().code), (RunStop::TimedOut, Code::Deadline));
}
