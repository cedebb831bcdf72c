//! What the command line and the server ask for: start, wait, cancel, resume. Knows no driver and no
//! provider.

use std::{sync::Arc, time::Duration};

use probity_research::{
    Digest, Event, RunId, RunState, Sequence, StoredEvent,
    cost::MicroUsd,
    error::{Code, CodedError},
    estimate::{affordable, estimate},
    inquiry::SteeringNote,
    plan::Plan,
    ports::{Clock, Executor, GatedAppend, Journal, JournalEntry, JournalError, JournalWriter},
    query::Query,
    report::Report,
    spending::{self, RepeatRule, SpendingGate},
    state::RunPhase,
    status::{RunStatus, RunSummary},
    stop::{CancelReason, PartialResults},
    time::Moment,
};

use crate::{
    event_bus::EventBus,
    recorder::{AppendKind, AppendResult, DriveError, Recorder, load, opening_entry},
};

/// A command competes with a driver's appends; each lost try means that the driver made progress.
const COMMAND_TRIES_MAX: u32 = 20;
/// Polls for the end of a paid call before a run is moved to another store: half a minute.
const MOVE_OUT_TRIES_MAX: u32 = 60;
/// How often a waiting caller reads the journal itself: the run may be driven by another process.
const WAIT_POLL_EVERY: Duration = Duration::from_millis(500);

/// The release whose rules a run began under.
const RELEASE: &str = env!("CARGO_PKG_VERSION");

/// Whether the user accepts that an uncertain start may be paid for a second time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PayAgain {
    Accepted,
    No,
}

/// An executor with what it works with: the journal, the clock, the event bus.
pub trait ExecutorContext: Executor {
    type Journal: Journal;
    type Clock: Clock;

    fn journal(&self) -> &Self::Journal;
    fn clock(&self) -> &Self::Clock;
    fn event_bus(&self) -> &EventBus;
}

/// A run that a caller asked to be started.
#[derive(Debug, Clone, PartialEq)]
pub struct RunStart {
    pub summary: RunSummary,
    pub kind: RunStartKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunStartKind {
    New,
    /// An equal start is running: this is that run, and nothing was started.
    Running,
}

/// The first event of a new run, not in the journal yet.
pub fn first_entry(id: RunId, query: Query, plan: Plan, now: Moment) -> Result<JournalEntry, CodedError> {
    let price = plan.estimate.unwrap_or_else(|| estimate(&plan.agent, &query, &[]));
    if !affordable(&price, plan.limits.budget) {
        let budget = plan.limits.budget.unwrap_or_default();
        let message = format!(
            "this costs {} or more, above its budget of {budget}; nothing was started",
            price.cost_min.rounded_up()
        );
        return Err(CodedError::new(Code::Budget, &message));
    }
    let plan = Plan { asked_with: Some(RELEASE.to_owned()), estimate: Some(price), ..plan };
    let event = Event::Asked { query, plan };
    let recorded = StoredEvent { sequence: Sequence(1), at: now, attended_ms: 0, event };
    opening_entry(id, recorded).map_err(CodedError::from)
}

pub struct RunService<X> {
    executor: X,
    /// What all runs of the store may cost within 24 hours.
    per_day: Option<MicroUsd>,
}

impl<X: ExecutorContext> RunService<X> {
    pub fn new(executor: X) -> Self {
        Self { executor, per_day: None }
    }

    pub fn with_day_limit(executor: X, per_day: Option<MicroUsd>) -> Self {
        Self { executor, per_day }
    }

    /// Starts a run, whatever else is running. When this returns, the run is on disk and its id may be given
    /// out. `id` comes from random bits.
    pub async fn start(&self, id: RunId, query: Query, plan: Plan) -> Result<RunSummary, CodedError> {
        self.start_unless(id, query, plan, RepeatRule::StartAnother).await.map(|started| started.summary)
    }

    /// The same; an equal start that is running may be returned instead.
    pub async fn start_unless(
        &self,
        id: RunId,
        query: Query,
        plan: Plan,
        repeat: RepeatRule,
    ) -> Result<RunStart, CodedError> {
        let price = plan.estimate.unwrap_or_else(|| estimate(&plan.agent, &query, &[]));
        let plan = Plan { estimate: Some(price), ..plan };
        // Under a limit, a run may spend only what it set aside.
        let plan = if self.per_day.is_some() { spending::within_reservation(plan) } else { plan };
        let entry = first_entry(id, query, plan, self.clock().now())?;
        let summary = entry.summary.clone();
        let gate = SpendingGate { per_day: self.per_day, repeat };
        match self.journal().append_gated(entry, gate).await? {
            GatedAppend::Appended(_) => {
                self.executor.submit(id).await;
                Ok(RunStart { summary, kind: RunStartKind::New })
            }
            GatedAppend::Running(running) => {
                let research =
                    self.load(running).await.map_err(|problem| removed_before(running, problem))?;
                Ok(RunStart { summary: research.summary(), kind: RunStartKind::Running })
            }
        }
    }

    /// Checks a text of the user's own: it is on disk before the run that names it.
    pub async fn check_text(
        &self,
        id: RunId,
        query: Query,
        text: &Report,
        plan: impl FnOnce(Digest) -> Plan,
        repeat: RepeatRule,
    ) -> Result<RunStart, CodedError> {
        let digest = self.journal().store_blob(text.encode()).await?;
        self.start_unless(id, query, plan(digest), repeat).await
    }

    pub async fn load(&self, id: RunId) -> Result<RunState, CodedError> {
        load(self.journal(), id).await.map_err(CodedError::from)
    }

    /// Appends the cancel command; the driver, wherever it runs, does the rest.
    pub async fn cancel(&self, id: RunId, partial: PartialResults) -> Result<RunSummary, CodedError> {
        self.append_command(id, |research| match research.status() {
            RunStatus::Cancelling => Ok(None),
            status if status.is_final() && status != RunStatus::Unknown => {
                let message = format!("this research is already {}", status.as_str().replace('_', " "));
                Err(CodedError::new(Code::AlreadyEnded, &message))
            }
            RunStatus::Pending
            | RunStatus::RunningAsync
            | RunStatus::Unknown
            | RunStatus::Completed
            | RunStatus::Incomplete
            | RunStatus::Failed
            | RunStatus::Cancelled
            | RunStatus::Expired
            | RunStatus::TimedOut
            | RunStatus::OverBudget => {
                Ok(Some(Event::CancelRequested { reason: CancelReason::User, partial }))
            }
        })
        .await
    }

    /// Appends that the caller got the id instead of the end. A run that ended meanwhile is not handed over.
    pub async fn hand_over(&self, id: RunId) -> Result<RunSummary, CodedError> {
        self.append_command(id, |research| {
            let is_news = !research.handed_over && research.ending().is_none();
            Ok(is_news.then_some(Event::HandedOver))
        })
        .await
    }

    /// Appends a higher budget; the driver applies it from its next step on.
    pub async fn raise_budget(&self, id: RunId, to: MicroUsd) -> Result<RunSummary, CodedError> {
        self.append_command(id, |research| match research.budget() {
            _ if !research.is_due() => Err(CodedError::new(
                Code::AlreadyEnded,
                "this research has ended; its budget is not used any more",
            )),
            None => {
                Err(CodedError::new(Code::Budget, "this research has no budget: there is nothing to raise"))
            }
            Some(budget) if research.can_raise_budget(to) => {
                tracing::info!(%budget, %to, "budget raised");
                Ok(Some(Event::BudgetRaised { to }))
            }
            Some(budget) => Err(CodedError::new(
                Code::Budget,
                &format!("its budget is {budget} already; {to} is not more"),
            )),
        })
        .await
    }

    /// Appends what the user wants changed; the driver, wherever it runs, applies it from its next step on.
    pub async fn steer(&self, id: RunId, note: SteeringNote) -> Result<RunSummary, CodedError> {
        self.append_command(id, |research| match research.steering_refusal(&note) {
            Some(problem) => Err(problem),
            None => Ok(Some(Event::Steered { note: note.clone() })),
        })
        .await
    }

    /// Appends that the run moves to another store, as soon as no paid call is under way; returns its
    /// complete journal.
    pub async fn move_out(&self, id: RunId) -> Result<Vec<StoredEvent>, CodedError> {
        for _ in 0..MOVE_OUT_TRIES_MAX {
            let under_way = "a paid call of this research is under way; try again when it is over";
            let left = self
                .append_command(id, |research| match () {
                    () if research.moved_away => Ok(None),
                    () if research.can_move() => Ok(Some(Event::Left)),
                    () if research.is_due() => Err(CodedError::new(Code::NotFinished, under_way)),
                    () => Err(CodedError::new(
                        Code::AlreadyEnded,
                        "this research has ended; pack it with `probity bundle`",
                    )),
                })
                .await;
            match left {
                Err(problem) if problem.code == Code::NotFinished => {
                    self.clock().sleep(WAIT_POLL_EVERY).await
                }
                Err(problem) => return Err(problem),
                Ok(_) => return self.journal().load(id).await.map_err(CodedError::from),
            }
        }
        Err(CodedError::new(
            Code::NotFinished,
            "a paid call of this research is still under way; try again later",
        ))
    }

    /// Takes in a run that was moved here: the missing events of its journal, and that it goes on here.
    pub async fn move_in(&self, id: RunId, journal: Vec<StoredEvent>) -> Result<RunSummary, CodedError> {
        let known = match self.journal().load(id).await {
            Ok(known) => known,
            Err(JournalError::Refused(problem)) if problem.code == Code::NotFound => Vec::new(),
            Err(error) => return Err(error.into()),
        };
        let agrees = known.iter().zip(&journal).all(|(here, there)| here == there);
        if !agrees || known.len() > journal.len() {
            let message = "this store knows the research and tells another story of it; nothing was changed";
            return Err(CodedError::new(Code::AlreadyEnded, message));
        }
        let first = journal.first().ok_or_else(|| CodedError::new(Code::NotFound, "the journal is empty"))?;
        let mut research = RunState::replay(id, std::slice::from_ref(first))
            .map_err(|error| CodedError::new(error.code(), &error.to_string()))?;
        for (place, recorded) in journal.into_iter().enumerate() {
            let expected = Sequence(recorded.sequence.0.saturating_sub(1));
            if place > 0 {
                research
                    .apply(&recorded)
                    .map_err(|error| CodedError::new(error.code(), &error.to_string()))?;
            }
            if place >= known.len() {
                let StoredEvent { at, attended_ms, event, .. } = recorded;
                let summary = research.summary();
                let entry = JournalEntry {
                    id,
                    expected,
                    writer: JournalWriter::Client,
                    at,
                    attended_ms,
                    event,
                    summary,
                };
                self.journal().append(entry).await?;
            }
        }
        self.append_command(id, |research| match research.moved_away {
            true => Ok(Some(Event::Arrived)),
            false => Err(CodedError::new(Code::AlreadyEnded, "this research did not leave the other store")),
        })
        .await
    }

    /// Polls an ended run once more, or pays again for an uncertain start if the user said so.
    pub async fn resume(&self, id: RunId, pay_again: PayAgain) -> Result<RunSummary, CodedError> {
        self.append_command(id, |research| match (&research.phase, pay_again) {
            (RunPhase::Uncertain { .. }, PayAgain::Accepted) => Ok(Some(Event::PayAgainAccepted)),
            (RunPhase::Uncertain { problem, .. }, PayAgain::No) => Err(problem.clone()),
            (RunPhase::Ended(_), _) if research.status() == RunStatus::Completed => {
                Err(CodedError::new(Code::AlreadyEnded, "this research is complete"))
            }
            (RunPhase::Ended(_), _) if research.may_bring_more() => Ok(Some(Event::Reopened)),
            (RunPhase::Ended(_), _) if research.remote_id.is_some() => {
                let state = research.status().predicate();
                let message = format!(
                    "this research {state} and the provider has nothing more of it; nothing was resumed"
                );
                Err(CodedError::new(Code::AlreadyEnded, &message))
            }
            (RunPhase::Ended(_), _) => Err(CodedError::new(
                Code::AlreadyEnded,
                "this research ended before the provider took it; ask anew",
            )),
            (
                RunPhase::Asked
                | RunPhase::Intended { .. }
                | RunPhase::Refused { .. }
                | RunPhase::Running
                | RunPhase::Gathered(_),
                _,
            ) => Ok(None),
        })
        .await
    }

    /// Waits until the run is at rest or `limit` has passed, and returns its status then.
    pub async fn wait(&self, id: RunId, limit: Option<Duration>) -> Result<RunSummary, CodedError> {
        let mut news = self.executor.event_bus().subscribe(id)?;
        let until = limit.map(|limit| self.clock().monotonic() + limit);
        loop {
            let summary = self.load(id).await?.summary();
            let left = until.map(|until| until.saturating_sub(self.clock().monotonic()));
            if summary.status.is_final() || left == Some(Duration::ZERO) {
                return Ok(summary);
            }
            let pause = left.unwrap_or(WAIT_POLL_EVERY).min(WAIT_POLL_EVERY);
            tokio::select! {
                biased;
                _ = news.changed() => {}
                () = self.clock().sleep(pause) => {}
            }
        }
    }

    /// The newest published state whenever it changes; for live display.
    pub fn subscribe(
        &self,
        id: RunId,
    ) -> Result<tokio::sync::watch::Receiver<Option<Arc<RunSummary>>>, CodedError> {
        self.executor.event_bus().subscribe(id)
    }

    pub fn executor(&self) -> &X {
        &self.executor
    }

    /// Appends what `decide` returns, deciding anew whenever the driver was faster.
    async fn append_command(
        &self,
        id: RunId,
        decide: impl Fn(&RunState) -> Result<Option<Event>, CodedError>,
    ) -> Result<RunSummary, CodedError> {
        let mut recorder = Recorder::load(self.journal(), self.clock(), id, JournalWriter::Client).await?;
        // A command may let the run spend more; one that does not passes.
        recorder.gate = Some(SpendingGate { per_day: self.per_day, repeat: RepeatRule::StartAnother });
        for _ in 0..COMMAND_TRIES_MAX {
            let Some(event) = decide(&recorder.research)? else { break };
            let attended = Duration::from_millis(recorder.research.attended_ms);
            match recorder.append(event, AppendKind::Decision, attended).await {
                Ok(AppendResult::Yes) => break,
                Ok(AppendResult::DecideAgain) => {}
                Err(DriveError::Journal(refused)) => return Err(refused),
                Err(DriveError::LostLease) => return Err(JournalError::Fenced.into()),
            }
        }
        self.executor.submit(id).await;
        Ok(recorder.research.summary())
    }

    fn journal(&self) -> &X::Journal {
        self.executor.journal()
    }

    fn clock(&self) -> &X::Clock {
        self.executor.clock()
    }
}

/// An equal start that is unknown may have been billed, although its run was removed since: nothing that runs can be.
fn removed_before(id: RunId, problem: CodedError) -> CodedError {
    if problem.code != Code::NotFound {
        return problem;
    }
    let message = format!(
        "this very question was sent before as {id}, and nobody knows whether it was taken and billed; nothing was started \
         now ({})",
        problem.clause()
    );
    CodedError::new(Code::CreateUncertain, &message)
}
