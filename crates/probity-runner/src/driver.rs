//! The loop: ask the rules for the next step, perform it, append its outcome.
//!
//! The same function runs on a laptop and on a durable engine; it knows neither a database nor a provider.
#![cfg_attr(not(test), warn(clippy::wildcard_enum_match_arm))]

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use futures_util::{StreamExt as _, stream::FuturesUnordered};
use probity_research::{
    Digest, Event, RunState, Step,
    checking::{self, CheckTask, CheckTaskOutcome, task::JudgeAnswer},
    driver_state::DriverState,
    engine_call::{EngineCall, EngineOutcome},
    error::{Code, CodedError},
    next_step,
    ports::{Clock, Engine, InFlightLock, Journal, JournalError, JournalWriter, LeaseClaim, UpcomingCalls},
    react::{Reaction, RunFinish, react},
    report::Report,
    rounds::parse_answer::RoundToStore,
    time_left::{attend, latest_end, start_limit, task_limit, time_left},
    web::{bill::Bill, page_to_store::PageToStore},
};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::{
    event_bus::EventBus,
    limited_task::within_limit,
    recorder::{AppendKind, AppendPatience, AppendResult, DriveError, Recorder},
};

/// What an engine gets beyond the time of a call to hand over what it has received by then.
const ENGINE_GRACE: Duration = Duration::from_millis(500);

/// How the executor reaches a driver that is running.
pub struct DriverControl {
    /// Stop and leave the run to another driver. Never interrupts a paid call.
    pub stop: CancellationToken,
    /// A client appended a command: load the journal again.
    pub called: Arc<Notify>,
    /// How many runs this process drives now.
    pub active_runs: Arc<AtomicUsize>,
}

/// One run between turns: the state of its journal, and what its driver remembers.
pub struct RunCursor<'a, J, C> {
    recorder: Recorder<'a, J, C>,
    attention: DriverState,
    attended_before: Duration,
    began: Duration,
    rested_before: bool,
}

impl<'a, J: Journal, C: Clock> RunCursor<'a, J, C> {
    /// Takes a run up where its last driver, in this process or another, left it.
    pub fn new(recorder: Recorder<'a, J, C>, attention: DriverState, clock: &C) -> Self {
        let rested_before = recorder.research.status().is_final();
        let (attended_before, began) = (attention.attended, clock.monotonic());
        Self { recorder, attention, attended_before, began, rested_before }
    }

    pub fn research(&self) -> &RunState {
        &self.recorder.research
    }

    /// Whether the last append kept the in-flight lock; see [`probity_research::ports::InFlightLock`].
    pub fn has_in_flight_lock(&self) -> bool {
        self.recorder.has_in_flight_lock()
    }

    /// The state and the driver's memory, when the driver leaves the run.
    pub fn into_parts(mut self, clock: &C) -> (RunState, DriverState) {
        self.update_attended(clock);
        (self.recorder.research, self.attention)
    }

    /// The pause that the last turn asked for is over.
    pub fn end_pause(&mut self) {
        self.attention.pause = None;
    }

    fn update_attended(&mut self, clock: &C) {
        let attended = self.attended_before + clock.monotonic().saturating_sub(self.began);
        attend(&mut self.attention, &self.recorder.research, attended);
    }
}

/// How a turn ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TurnOutcome {
    /// One call was made, and there is another.
    Again,
    /// Nothing to do for this long, or until a client's command arrives.
    Wait(Duration),
    /// Nothing more to do: the run is at rest.
    Rest,
    /// The driver was asked to stop before the next call.
    Stopped,
}

/// Why a driver stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DriveExit {
    /// Nothing more to do: the run is at rest.
    Resting,
    /// The driver was asked to stop; the run goes on elsewhere.
    Stopped,
}

pub struct Driver<'a, J, E, C> {
    pub journal: &'a J,
    pub engine: &'a E,
    pub clock: &'a C,
    pub event_bus: &'a EventBus,
}

impl<J: Journal, E: Engine, C: Clock> Driver<'_, J, E, C> {
    pub async fn drive(
        &self,
        claim: LeaseClaim,
        writer: JournalWriter,
        control: &DriverControl,
    ) -> Result<DriveExit, DriveError> {
        let mut recorder = Recorder::load(self.journal, self.clock, claim.id, writer).await?;
        let attended = Duration::from_millis(recorder.research.attended_ms);
        let left = latest_end(&recorder.research).saturating_sub(attended);
        recorder.patience =
            Some(AppendPatience { stop: control.stop.clone(), until: self.clock.monotonic() + left });
        let mut cursor = RunCursor::new(recorder, DriverState::resuming(attended), self.clock);
        loop {
            match Box::pin(self.turn(&mut cursor, control)).await? {
                TurnOutcome::Again => {}
                TurnOutcome::Wait(pause) => match self.pause(pause, control).await {
                    WakeReason::Rested => cursor.end_pause(),
                    WakeReason::Called => cursor.recorder.reload().await?,
                    WakeReason::Stopped => return Ok(DriveExit::Stopped),
                },
                TurnOutcome::Rest => return Ok(DriveExit::Resting),
                TurnOutcome::Stopped => return Ok(DriveExit::Stopped),
            }
        }
    }

    /// Goes on until one call, or one batch of calls, was made and recorded, or there is nothing to do now.
    /// An intent and its call are never separated: a driver that finds an intent of another driver must
    /// assume that money may have been spent.
    pub async fn turn(
        &self,
        cursor: &mut RunCursor<'_, J, C>,
        control: &DriverControl,
    ) -> Result<TurnOutcome, DriveError> {
        let (mut performed, mut intended) = (false, false);
        loop {
            cursor.update_attended(self.clock);
            cursor.attention.crowd = control.active_runs.load(Ordering::Relaxed);
            let step = next_step(&cursor.recorder.research, &cursor.attention);
            if let (false, Some(upcoming)) = (intended, upcoming(&step)) {
                if performed {
                    return Ok(TurnOutcome::Again);
                }
                if control.stop.is_cancelled() {
                    return Ok(TurnOutcome::Stopped);
                }
                if let Some(pause) = self.engine.ready(&cursor.recorder.research, upcoming) {
                    let left = time_left(&cursor.recorder.research, &cursor.attention);
                    // An engine that is not ready does not outlast the deadline either.
                    return Ok(TurnOutcome::Wait(
                        left.filter(|left| !left.is_zero()).unwrap_or(pause).min(pause),
                    ));
                }
            }
            match step {
                Step::Rest => {
                    if !cursor.rested_before {
                        cursor.rested_before = true;
                        self.event_bus.publish_ending(|| cursor.recorder.research.summary());
                    }
                    return Ok(TurnOutcome::Rest);
                }
                Step::Wait(pause) => return Ok(TurnOutcome::Wait(pause)),
                Step::PerformAll(calls) => {
                    (performed, intended) = (true, false);
                    // Calls still under way must not be taken for lost ones when the first of them is
                    // recorded.
                    cursor.recorder.lock = InFlightLock::Keep;
                    let several = Box::pin(self.perform_all(cursor, calls, control)).await?;
                    cursor.recorder.lock = InFlightLock::Free;
                    if several == BatchResult::Stopped {
                        return Ok(TurnOutcome::Stopped);
                    }
                }
                Step::Perform(call) => {
                    (performed, intended) = (true, false);
                    match Box::pin(self.perform(&cursor.recorder, &cursor.attention, &call, control)).await {
                        StepResult::Found(finding) => {
                            cursor.update_attended(self.clock);
                            Box::pin(self.record_outcome(
                                &mut cursor.recorder,
                                &mut cursor.attention,
                                *finding,
                            ))
                            .await?;
                        }
                        StepResult::Called => cursor.recorder.reload().await?,
                        StepResult::Stopped => {
                            if let Some(event) = checking::step::stopped(&cursor.recorder.research, &call) {
                                self.decide(&mut cursor.recorder, &mut cursor.attention, event).await?;
                            }
                            return Ok(TurnOutcome::Stopped);
                        }
                    }
                }
                Step::Record(event) => {
                    let is_intent = event.is_intent();
                    self.decide(&mut cursor.recorder, &mut cursor.attention, *event).await?;
                    intended = is_intent && cursor.attention.intent_is_fresh;
                }
                local @ (Step::Fetch(_) | Step::Recall(_) | Step::Finish(_)) => {
                    self.perform_local_step(cursor, local).await?;
                }
            }
        }
    }

    /// Steps that need no call to a provider.
    async fn perform_local_step(
        &self,
        cursor: &mut RunCursor<'_, J, C>,
        step: Step,
    ) -> Result<(), DriveError> {
        let RunCursor { recorder, attention, .. } = cursor;
        match step {
            Step::Fetch(digest) => {
                let bytes = self.fetch(recorder, digest).await?;
                attention.blobs.insert(digest, bytes.into());
                Ok(())
            }
            Step::Recall(questions) => {
                let known = self.recall(recorder, &questions).await?;
                attention.recalled.extend(
                    questions.into_iter().map(|question| {
                        (question, known.iter().find(|answer| answer.key == question).cloned())
                    }),
                );
                Ok(())
            }
            Step::Finish(finish) => {
                self.finish(recorder, *finish, attention.attended).await?;
                self.publish(recorder);
                Ok(())
            }
            Step::Record(_) | Step::Rest | Step::Wait(_) | Step::Perform(_) | Step::PerformAll(_) => Ok(()),
        }
    }

    async fn decide(
        &self,
        recorder: &mut Recorder<'_, J, C>,
        attention: &mut DriverState,
        event: Event,
    ) -> Result<(), DriveError> {
        let is_intent = event.is_intent();
        let appended = recorder.append(event, AppendKind::Decision, attention.attended).await?;
        attention.decided((appended == AppendResult::Yes).then_some(is_intent));
        self.publish(recorder);
        Ok(())
    }

    /// A paid call is not interrupted before the deadline: its answer decides whether money was spent.
    async fn perform(
        &self,
        recorder: &Recorder<'_, J, C>,
        attention: &DriverState,
        call: &EngineCall,
        control: &DriverControl,
    ) -> StepResult {
        let work = self.engine.perform(&recorder.research, call);
        let late = match call {
            EngineCall::Create { .. } | EngineCall::Ask(_) => {
                let limit = start_limit(&recorder.research, attention);
                return StepResult::Found(Box::new(within_limit(self.clock, limit, work).await));
            }
            EngineCall::Follow { within, .. }
            | EngineCall::Cancel { within, .. }
            | EngineCall::Collect { within, .. } => Some(*within + ENGINE_GRACE),
            EngineCall::Web(_) | EngineCall::Check(_) => None,
        };
        let late = async {
            match late {
                Some(late) => self.clock.sleep(late).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            () = control.stop.cancelled() => StepResult::Stopped,
            () = control.called.notified() => StepResult::Called,
            finding = work => StepResult::Found(Box::new(finding)),
            () = late => StepResult::Found(Box::new(EngineOutcome::Unreachable(CodedError::new(
                Code::Timeout,
                "the provider did not answer in the time that the research has left",
            )))),
        }
    }

    /// Makes several calls at once; each outcome is recorded as it arrives, so that a crash loses only the
    /// calls under way. Paid calls are not interrupted before the deadline.
    async fn perform_all(
        &self,
        cursor: &mut RunCursor<'_, J, C>,
        calls: Vec<EngineCall>,
        control: &DriverControl,
    ) -> Result<BatchResult, DriveError> {
        let RunCursor { recorder, attention, .. } = cursor;
        let free = calls.iter().all(|call| match call {
            EngineCall::Web(call) => !call.paid,
            EngineCall::Check(call) => !call.paid,
            EngineCall::Create { .. }
            | EngineCall::Ask(_)
            | EngineCall::Follow { .. }
            | EngineCall::Cancel { .. }
            | EngineCall::Collect { .. } => false,
        });
        let research = recorder.research.clone();
        let limited = |call| {
            let limit = task_limit(&research, attention, call);
            Box::pin(within_limit(self.clock, limit, self.engine.perform(&research, call)))
        };
        let mut running: FuturesUnordered<_> = calls.iter().map(limited).collect();
        loop {
            tokio::select! {
                biased;
                () = control.stop.cancelled(), if free => return Ok(BatchResult::Stopped),
                () = control.called.notified(), if free => {
                    recorder.reload().await?;
                    return Ok(BatchResult::Over);
                }
                finding = running.next() => match finding {
                    Some(finding) => Box::pin(self.record_outcome(recorder, attention, finding)).await?,
                    None => return Ok(BatchResult::Over),
                },
            }
        }
    }

    async fn record_outcome(
        &self,
        recorder: &mut Recorder<'_, J, C>,
        attention: &mut DriverState,
        finding: EngineOutcome,
    ) -> Result<(), DriveError> {
        self.publish_poll(recorder, &finding);
        let reaction = react(&recorder.research, attention, finding, self.clock.now());
        let attended = attention.attended;
        match reaction {
            Reaction::Nothing => return Ok(()),
            Reaction::Append(event) => {
                let kind = AppendKind::of_outcome(&event);
                recorder.append(event, kind, attended).await?;
            }
            Reaction::KeepPartial { report, observed } => {
                recorder.append(observed, AppendKind::Progress, attended).await?;
                if let Some(digest) = self.keep_report(&report).await? {
                    let event = Event::PartialKept { report: digest, sources: report.sources_listed() };
                    recorder.append(event, AppendKind::Fact, attended).await?;
                }
            }
            Reaction::KeepUnreadable(answer) => {
                let stored = self.keep_unreadable(&answer.raw).await?;
                recorder.append(answer.event(stored), AppendKind::Fact, attended).await?;
            }
            Reaction::Finish(finish) => self.finish(recorder, *finish, attended).await?,
            Reaction::KeepRound(kept) => self.keep_round(recorder, *kept, attended).await?,
            Reaction::KeepPage(page) => self.keep_page(recorder, *page, attended).await?,
            Reaction::KeepDraft(draft) => self.keep_draft(recorder, attention, &draft).await?,
        }
        self.publish(recorder);
        Ok(())
    }

    /// Stores report and raw answer, then the event that names them. If the journal refuses them, the report
    /// is written beside it as plain Markdown before the next try: the user paid for it.
    async fn finish(
        &self,
        recorder: &mut Recorder<'_, J, C>,
        finish: RunFinish,
        attended: Duration,
    ) -> Result<(), DriveError> {
        let mut rescued = false;
        let mut tries = 0;
        let event = loop {
            match self.finish_event(&finish).await {
                Ok(event) => break event,
                Err(error) => {
                    rescued = rescued || recorder.rescue(finish.report.as_ref()).await;
                    recorder.wait_or_give_up(error, &mut tries).await?;
                }
            }
        };
        let written = recorder.append(event.clone(), AppendKind::FactBriefly, attended).await;
        if !matches!(written, Err(DriveError::Journal(_))) {
            return written.map(drop);
        }
        if !rescued {
            recorder.rescue(finish.report.as_ref()).await;
        }
        recorder.append(event, AppendKind::Fact, attended).await.map(drop)
    }

    /// Stores the output of a round, then the event that names it: both were paid for.
    async fn keep_round(
        &self,
        recorder: &mut Recorder<'_, J, C>,
        kept: RoundToStore,
        attended: Duration,
    ) -> Result<(), DriveError> {
        let mut tries = 0;
        let event = loop {
            let (bytes, raw) = tokio::join!(self.keep(kept.bytes.clone()), self.keep(kept.raw.clone()));
            match bytes.and_then(|bytes| Ok((bytes, raw?))) {
                Ok((bytes, raw)) => break kept.event(bytes, raw),
                Err(error) => recorder.wait_or_give_up(error, &mut tries).await?,
            }
        };
        recorder.append(event, AppendKind::Fact, attended).await?;
        Ok(())
    }

    /// Stores a page's bytes and its text, then the event that names them.
    async fn keep_page(
        &self,
        recorder: &mut Recorder<'_, J, C>,
        mut page: PageToStore,
        attended: Duration,
    ) -> Result<(), DriveError> {
        let snapshot = std::mem::take(&mut page.snapshot);
        let text = page.extract.encode();
        let mut tries = 0;
        let event = loop {
            let (snapshot, text) = tokio::join!(self.keep(snapshot.clone()), self.keep(text.clone()));
            match snapshot.and_then(|snapshot| Ok((snapshot, text?))) {
                Ok((snapshot, text)) => break page.event(snapshot, text),
                Err(error) => recorder.wait_or_give_up(error, &mut tries).await?,
            }
        };
        recorder.append(event, AppendKind::Fact, attended).await?;
        Ok(())
    }

    /// Stores an examined text with its ledger, then the event that names it. The text stays cached: the next
    /// step reads it.
    async fn keep_draft(
        &self,
        recorder: &mut Recorder<'_, J, C>,
        attention: &mut DriverState,
        draft: &Report,
    ) -> Result<(), DriveError> {
        let bytes = draft.encode();
        let mut tries = 0;
        let digest = loop {
            match self.journal.store_blob(bytes.clone()).await {
                Ok(digest) => break digest,
                Err(error) => recorder.wait_or_give_up(error, &mut tries).await?,
            }
        };
        attention.blobs.insert(digest, bytes.into());
        let questions = draft.ledger.as_ref().map_or(0, |ledger| ledger.questions.len());
        let outcome = CheckTaskOutcome::Examined {
            draft: digest,
            questions: u32::try_from(questions).unwrap_or(u32::MAX),
        };
        let event = Event::CheckDone { task: CheckTask::Examine, outcome, bill: Bill::NOTHING };
        recorder.append(event, AppendKind::Fact, attention.attended).await?;
        Ok(())
    }

    async fn recall(
        &self,
        recorder: &Recorder<'_, J, C>,
        questions: &[Digest],
    ) -> Result<Vec<JudgeAnswer>, DriveError> {
        let mut tries = 0;
        loop {
            match self.journal.recall_answers(questions.to_vec()).await {
                Ok(answers) => return Ok(answers),
                Err(error) => recorder.wait_or_give_up(error, &mut tries).await?,
            }
        }
    }

    async fn fetch(&self, recorder: &Recorder<'_, J, C>, digest: Digest) -> Result<Vec<u8>, DriveError> {
        let mut tries = 0;
        loop {
            match self.journal.fetch_blob(digest).await {
                Ok(bytes) => return Ok(bytes),
                Err(error) => recorder.wait_or_give_up(error, &mut tries).await?,
            }
        }
    }

    async fn finish_event(&self, finish: &RunFinish) -> Result<Event, JournalError> {
        // Together, so that both blobs share a commit.
        let report = finish.report.as_ref().map(Report::encode).unwrap_or_default();
        let (report, raw) = tokio::join!(self.keep(report), self.keep(finish.raw.clone()));
        Ok(finish.event(report?, raw?, self.clock.now()))
    }

    async fn keep(&self, bytes: Vec<u8>) -> Result<Option<Digest>, JournalError> {
        if bytes.is_empty() {
            return Ok(None);
        }
        self.journal.store_blob(bytes).await.map(Some)
    }

    async fn keep_report(&self, report: &Report) -> Result<Option<Digest>, DriveError> {
        self.keep_if_possible(report.encode(), "partial report not stored").await
    }

    async fn keep_unreadable(&self, raw: &[u8]) -> Result<Option<Digest>, DriveError> {
        self.keep_if_possible(raw.to_vec(), "unreadable answer not stored").await
    }

    /// Stores what is good to have, and goes on without it where the journal refuses it.
    async fn keep_if_possible(
        &self,
        bytes: Vec<u8>,
        otherwise: &'static str,
    ) -> Result<Option<Digest>, DriveError> {
        match self.journal.store_blob(bytes).await {
            Ok(digest) => Ok(Some(digest)),
            Err(JournalError::Refused(problem)) => {
                tracing::warn!(code = %problem.code, "{otherwise}");
                Ok(None)
            }
            Err(lost) => Err(lost.into()),
        }
    }

    async fn pause(&self, pause: Duration, control: &DriverControl) -> WakeReason {
        tokio::select! {
            biased;
            () = control.stop.cancelled() => WakeReason::Stopped,
            () = control.called.notified() => WakeReason::Called,
            () = self.clock.sleep(pause) => WakeReason::Rested,
        }
    }

    fn publish(&self, recorder: &Recorder<'_, J, C>) {
        self.event_bus.publish(recorder.research.id, || recorder.research.summary());
    }

    /// Publishes a poll even when it is not worth a row in the journal.
    fn publish_poll(&self, recorder: &Recorder<'_, J, C>, finding: &EngineOutcome) {
        if let EngineOutcome::Running(sighting) = finding {
            self.event_bus.publish(recorder.research.id, || {
                let mut shown = recorder.research.clone();
                shown.progress.advance(&sighting.progress);
                shown.summary()
            });
        }
    }
}

/// The call that this step makes, if it makes one.
fn upcoming(step: &Step) -> Option<UpcomingCalls<'_>> {
    match step {
        Step::Record(event) if event.is_intent() => Some(UpcomingCalls::Intent(event)),
        Step::Perform(call) => Some(UpcomingCalls::Calls(std::slice::from_ref(call))),
        Step::PerformAll(calls) => Some(UpcomingCalls::Calls(calls)),
        Step::Record(_) | Step::Fetch(_) | Step::Recall(_) | Step::Finish(_) | Step::Wait(_) | Step::Rest => {
            None
        }
    }
}

enum WakeReason {
    Rested,
    Called,
    Stopped,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum BatchResult {
    Over,
    Stopped,
}

enum StepResult {
    Found(Box<EngineOutcome>),
    Called,
    Stopped,
}
