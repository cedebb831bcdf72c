//! The loop: ask the rules, perform one step, append what came back.
//!
//! The same function runs on a laptop and on a durable engine; it knows neither a database nor a provider.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use futures_util::{StreamExt as _, stream::FuturesUnordered};
use probity_research::{
    Digest, Event, Research, Step,
    attention::Attention,
    checking::{CheckOutcome, CheckTask, task::Answer},
    finding::{Call, Finding},
    next_step,
    react::{Finish, Reaction, react},
    report::Report,
    rounds::hear::Kept,
    seams::{Claim, Clock, Engine, Hold, Journal, JournalError, Upcoming, Writer},
    status::{Status, Summary},
    web::{bill::Bill, react::PageToKeep},
};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::{
    board::Board,
    recorder::{Appended, DriveError, Kind, Recorder},
};

/// What reaches into a running drive from outside.
pub struct Control {
    /// Leave, and let another driver go on. Never interrupts a paid call.
    pub stop: CancellationToken,
    /// A guest appended something: load again.
    pub called: Arc<Notify>,
    /// How many researches this process drives now.
    pub crowd: Arc<AtomicUsize>,
}

/// One research between turns: what its journal says, and what its driver remembers.
pub struct Hand<'a, J, C> {
    recorder: Recorder<'a, J, C>,
    attention: Attention,
    attended_before: Duration,
    began: Duration,
    rested_before: bool,
}

impl<'a, J: Journal, C: Clock> Hand<'a, J, C> {
    /// Takes a research up where its driver, this or another, left it.
    pub fn new(recorder: Recorder<'a, J, C>, attention: Attention, clock: &C) -> Self {
        let rested_before = Status::of(&recorder.research).is_final();
        let (attended_before, began) = (attention.attended, clock.monotonic());
        Self { recorder, attention, attended_before, began, rested_before }
    }

    pub fn research(&self) -> &Research {
        &self.recorder.research
    }

    /// Whether the last event left a hold on the research behind; see [`probity_research::seams::Hold`].
    pub fn is_held(&self) -> bool {
        self.recorder.is_held()
    }

    /// What is left when the driver lays the research down.
    pub fn lay_down(mut self, clock: &C) -> (Research, Attention) {
        self.look_at(clock);
        (self.recorder.research, self.attention)
    }

    /// The pause that the last turn asked for is over.
    pub fn rested(&mut self) {
        self.attention.pause = None;
    }

    fn look_at(&mut self, clock: &C) {
        self.attention.attended = self.attended_before + clock.monotonic().saturating_sub(self.began);
    }
}

/// Why a turn is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turned {
    /// One call was carried out, and there is another.
    Again,
    /// Nothing to do for so long, or until someone calls.
    Wait(Duration),
    /// Nothing more to do.
    Rest,
    /// Told to stop before the next call.
    Stopped,
}

/// How a drive ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Left {
    /// Nothing more to do.
    Resting,
    /// Told to stop; the research goes on elsewhere.
    Stopped,
}

pub struct Driver<'a, J, E, C> {
    pub journal: &'a J,
    pub engine: &'a E,
    pub clock: &'a C,
    pub board: &'a Board,
}

impl<J: Journal, E: Engine, C: Clock> Driver<'_, J, E, C> {
    pub async fn drive(&self, claim: Claim, writer: Writer, control: &Control) -> Result<Left, DriveError> {
        let recorder = Recorder::load(self.journal, self.clock, claim.id, writer).await?;
        let attended = Duration::from_millis(recorder.research.attended_ms);
        let mut hand = Hand::new(recorder, Attention::resuming(attended), self.clock);
        loop {
            match Box::pin(self.turn(&mut hand, control)).await? {
                Turned::Again => {}
                Turned::Wait(pause) => match self.pause(pause, control).await {
                    Woken::Rested => hand.rested(),
                    Woken::Called => hand.recorder.reload().await?,
                    Woken::Stopped => return Ok(Left::Stopped),
                },
                Turned::Rest => return Ok(Left::Resting),
                Turned::Stopped => return Ok(Left::Stopped),
            }
        }
    }

    /// Goes on until one call, or one bundle of calls, was carried out and recorded, or there is nothing to do
    /// now. An intent and its call are never parted: whoever finds an intent that is not its own must assume
    /// that money may have been spent.
    pub async fn turn(&self, hand: &mut Hand<'_, J, C>, control: &Control) -> Result<Turned, DriveError> {
        let (mut performed, mut intended) = (false, false);
        loop {
            hand.look_at(self.clock);
            hand.attention.crowd = control.crowd.load(Ordering::Relaxed);
            let step = next_step(&hand.recorder.research, &hand.attention);
            if let (false, Some(upcoming)) = (intended, upcoming(&step)) {
                if performed {
                    return Ok(Turned::Again);
                }
                if control.stop.is_cancelled() {
                    return Ok(Turned::Stopped);
                }
                if let Some(pause) = self.engine.ready(&hand.recorder.research, upcoming) {
                    return Ok(Turned::Wait(pause));
                }
            }
            match step {
                Step::Rest => {
                    if !hand.rested_before {
                        hand.rested_before = true;
                        self.board.announce(|| Summary::of(&hand.recorder.research));
                    }
                    return Ok(Turned::Rest);
                }
                Step::Wait(pause) => return Ok(Turned::Wait(pause)),
                Step::PerformAll(calls) => {
                    (performed, intended) = (true, false);
                    // Those still under way must not be taken for orphans when the first of them is recorded.
                    hand.recorder.hold = Hold::Keep;
                    let several = Box::pin(self.perform_all(hand, calls, control)).await?;
                    hand.recorder.hold = Hold::Free;
                    if several == Several::Stopped {
                        return Ok(Turned::Stopped);
                    }
                }
                Step::Perform(call) => {
                    (performed, intended) = (true, false);
                    match Box::pin(self.perform(&hand.recorder, &call, control)).await {
                        Performed::Found(finding) => {
                            hand.look_at(self.clock);
                            Box::pin(self.take_in(&mut hand.recorder, &mut hand.attention, *finding)).await?;
                        }
                        Performed::Called => hand.recorder.reload().await?,
                        Performed::Stopped => return Ok(Turned::Stopped),
                    }
                }
                Step::Record(event) => {
                    let is_intent = event.is_intent();
                    self.decide(&mut hand.recorder, &mut hand.attention, *event).await?;
                    intended = is_intent && hand.attention.intent_is_fresh;
                }
                local => self.locally(hand, local).await?,
            }
        }
    }

    /// Steps that need nobody outside.
    async fn locally(&self, hand: &mut Hand<'_, J, C>, step: Step) -> Result<(), DriveError> {
        let Hand { recorder, attention, .. } = hand;
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
        attention: &mut Attention,
        event: Event,
    ) -> Result<(), DriveError> {
        let is_intent = event.is_intent();
        let appended = recorder.append(event, Kind::Decision, attention.attended).await?;
        attention.intent_is_fresh = is_intent && appended == Appended::Yes;
        self.publish(recorder);
        Ok(())
    }

    /// A paid call is never interrupted: its answer decides whether money was spent.
    async fn perform(&self, recorder: &Recorder<'_, J, C>, call: &Call, control: &Control) -> Performed {
        let work = self.engine.perform(&recorder.research, call);
        if matches!(call, Call::Create { .. } | Call::Ask(_)) {
            return Performed::Found(Box::new(work.await));
        }
        tokio::select! {
            biased;
            () = control.stop.cancelled() => Performed::Stopped,
            () = control.called.notified() => Performed::Called,
            finding = work => Performed::Found(Box::new(finding)),
        }
    }

    /// Several at once; each is recorded as it comes back, so that a crash loses only what was under way. Paid
    /// ones are never interrupted.
    async fn perform_all(
        &self,
        hand: &mut Hand<'_, J, C>,
        calls: Vec<Call>,
        control: &Control,
    ) -> Result<Several, DriveError> {
        let Hand { recorder, attention, .. } = hand;
        let free = calls.iter().all(|call| match call {
            Call::Web(call) => !call.paid,
            Call::Check(call) => !call.paid,
            _ => false,
        });
        let research = recorder.research.clone();
        let mut running: FuturesUnordered<_> =
            calls.iter().map(|call| Box::pin(self.engine.perform(&research, call))).collect();
        loop {
            tokio::select! {
                biased;
                () = control.stop.cancelled(), if free => return Ok(Several::Stopped),
                () = control.called.notified(), if free => {
                    recorder.reload().await?;
                    return Ok(Several::Over);
                }
                finding = running.next() => match finding {
                    Some(finding) => Box::pin(self.take_in(recorder, attention, finding)).await?,
                    None => return Ok(Several::Over),
                },
            }
        }
    }

    async fn take_in(
        &self,
        recorder: &mut Recorder<'_, J, C>,
        attention: &mut Attention,
        finding: Finding,
    ) -> Result<(), DriveError> {
        self.publish_sighting(recorder, &finding);
        let reaction = react(&recorder.research, attention, finding, self.clock.now());
        let attended = attention.attended;
        match reaction {
            Reaction::Nothing => return Ok(()),
            Reaction::Append(event) => {
                recorder.append(event, Kind::Fact, attended).await?;
            }
            Reaction::KeepPartial { report, observed } => {
                recorder.append(observed, Kind::Fact, attended).await?;
                if let Some(digest) = self.keep_report(&report).await? {
                    recorder.append(Event::PartialKept { report: digest }, Kind::Fact, attended).await?;
                }
            }
            Reaction::Finish(finish) => self.finish(recorder, *finish, attended).await?,
            Reaction::KeepRound(kept) => self.keep_round(recorder, *kept, attended).await?,
            Reaction::KeepPage(page) => self.keep_page(recorder, *page, attended).await?,
            Reaction::KeepDraft(draft) => self.keep_draft(recorder, attention, &draft).await?,
        }
        self.publish(recorder);
        Ok(())
    }

    /// Stores report and raw answer, then the event that names them. If the journal cannot take them, the
    /// report is written beside it as plain Markdown before trying on: the user paid for it.
    async fn finish(
        &self,
        recorder: &mut Recorder<'_, J, C>,
        finish: Finish,
        attended: Duration,
    ) -> Result<(), DriveError> {
        let mut rescued = false;
        let mut tries = 0;
        let event = loop {
            match self.finish_event(&finish).await {
                Ok(event) => break event,
                Err(error) => {
                    if let (false, Some(report)) = (rescued, &finish.report) {
                        rescued = self.rescue(recorder, report).await;
                    }
                    recorder.wait_out(error, &mut tries).await?;
                }
            }
        };
        recorder.append(event, Kind::Fact, attended).await?;
        Ok(())
    }

    /// Stores what a round brought, then the event that names it: both were paid for.
    async fn keep_round(
        &self,
        recorder: &mut Recorder<'_, J, C>,
        kept: Kept,
        attended: Duration,
    ) -> Result<(), DriveError> {
        let mut tries = 0;
        let event = loop {
            let (bytes, raw) = tokio::join!(self.keep(kept.bytes.clone()), self.keep(kept.raw.clone()));
            match bytes.and_then(|bytes| Ok((bytes, raw?))) {
                Ok((bytes, raw)) => break kept.event(bytes, raw),
                Err(error) => recorder.wait_out(error, &mut tries).await?,
            }
        };
        recorder.append(event, Kind::Fact, attended).await?;
        Ok(())
    }

    /// Stores a page's bytes and its text, then the event that names them.
    async fn keep_page(
        &self,
        recorder: &mut Recorder<'_, J, C>,
        mut page: PageToKeep,
        attended: Duration,
    ) -> Result<(), DriveError> {
        let snapshot = std::mem::take(&mut page.snapshot);
        let text = page.extract.encode();
        let mut tries = 0;
        let event = loop {
            let (snapshot, text) = tokio::join!(self.keep(snapshot.clone()), self.keep(text.clone()));
            match snapshot.and_then(|snapshot| Ok((snapshot, text?))) {
                Ok((snapshot, text)) => break page.event(snapshot, text),
                Err(error) => recorder.wait_out(error, &mut tries).await?,
            }
        };
        recorder.append(event, Kind::Fact, attended).await?;
        Ok(())
    }

    /// Stores an examined text with its ledger, then the event that names it. It stays at hand: it is looked into next.
    async fn keep_draft(
        &self,
        recorder: &mut Recorder<'_, J, C>,
        attention: &mut Attention,
        draft: &Report,
    ) -> Result<(), DriveError> {
        let bytes = draft.encode();
        let mut tries = 0;
        let digest = loop {
            match self.journal.keep(bytes.clone()).await {
                Ok(digest) => break digest,
                Err(error) => recorder.wait_out(error, &mut tries).await?,
            }
        };
        attention.blobs.insert(digest, bytes.into());
        let questions = draft.ledger.as_ref().map_or(0, |ledger| ledger.questions.len());
        let outcome =
            CheckOutcome::Examined { draft: digest, questions: u32::try_from(questions).unwrap_or(u32::MAX) };
        let event = Event::CheckDone { task: CheckTask::Examine, outcome, bill: Bill::NOTHING };
        recorder.append(event, Kind::Fact, attention.attended).await?;
        Ok(())
    }

    async fn recall(
        &self,
        recorder: &Recorder<'_, J, C>,
        questions: &[Digest],
    ) -> Result<Vec<Answer>, DriveError> {
        let mut tries = 0;
        loop {
            match self.journal.recall(questions.to_vec()).await {
                Ok(answers) => return Ok(answers),
                Err(error) => recorder.wait_out(error, &mut tries).await?,
            }
        }
    }

    async fn fetch(&self, recorder: &Recorder<'_, J, C>, digest: Digest) -> Result<Vec<u8>, DriveError> {
        let mut tries = 0;
        loop {
            match self.journal.fetch(digest).await {
                Ok(bytes) => return Ok(bytes),
                Err(error) => recorder.wait_out(error, &mut tries).await?,
            }
        }
    }

    async fn finish_event(&self, finish: &Finish) -> Result<Event, JournalError> {
        // Together, so that they share a commit.
        let report = finish.report.as_ref().map(Report::encode).unwrap_or_default();
        let (report, raw) = tokio::join!(self.keep(report), self.keep(finish.raw.clone()));
        Ok(finish.event(report?, raw?, self.clock.now()))
    }

    async fn keep(&self, bytes: Vec<u8>) -> Result<Option<Digest>, JournalError> {
        if bytes.is_empty() {
            return Ok(None);
        }
        self.journal.keep(bytes).await.map(Some)
    }

    async fn keep_report(&self, report: &Report) -> Result<Option<Digest>, DriveError> {
        match self.journal.keep(report.encode()).await {
            Ok(digest) => Ok(Some(digest)),
            Err(JournalError::Refused(problem)) => {
                tracing::warn!(code = %problem.code, "a partial report could not be stored");
                Ok(None)
            }
            Err(lost) => Err(lost.into()),
        }
    }

    async fn rescue(&self, recorder: &Recorder<'_, J, C>, report: &Report) -> bool {
        match self.journal.rescue(recorder.research.id, report.text.clone()).await {
            Ok(path) => {
                tracing::warn!(path, "the database cannot take the report; it was written here instead");
                true
            }
            Err(problem) => {
                tracing::error!(code = %problem.code, "the report could not be rescued to a file either");
                false
            }
        }
    }

    async fn pause(&self, pause: Duration, control: &Control) -> Woken {
        tokio::select! {
            biased;
            () = control.stop.cancelled() => Woken::Stopped,
            () = control.called.notified() => Woken::Called,
            () = self.clock.sleep(pause) => Woken::Rested,
        }
    }

    fn publish(&self, recorder: &Recorder<'_, J, C>) {
        self.board.publish(recorder.research.id, || Summary::of(&recorder.research));
    }

    /// Shows what was seen even when it is not worth a row on disk.
    fn publish_sighting(&self, recorder: &Recorder<'_, J, C>, finding: &Finding) {
        if let Finding::Seen(sighting) = finding {
            self.board.publish(recorder.research.id, || {
                let mut shown = recorder.research.clone();
                shown.progress.advance(&sighting.progress);
                Summary::of(&shown)
            });
        }
    }
}

/// Whether this step leads to somebody outside.
fn upcoming(step: &Step) -> Option<Upcoming<'_>> {
    match step {
        Step::Record(event) if event.is_intent() => Some(Upcoming::Intent(event)),
        Step::Perform(call) => Some(Upcoming::Calls(std::slice::from_ref(call))),
        Step::PerformAll(calls) => Some(Upcoming::Calls(calls)),
        Step::Record(_) | Step::Fetch(_) | Step::Recall(_) | Step::Finish(_) | Step::Wait(_) | Step::Rest => {
            None
        }
    }
}

enum Woken {
    Rested,
    Called,
    Stopped,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Several {
    Over,
    Stopped,
}

enum Performed {
    Found(Box<Finding>),
    Called,
    Stopped,
}
