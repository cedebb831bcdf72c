//! One research in a driver's hands: its state, and appending to its journal without losing anything.
#![cfg_attr(not(test), warn(clippy::wildcard_enum_match_arm))]

use std::time::Duration;

use probity_research::{
    Event, RunId, RunState, Sequence, StoredEvent,
    error::{Code, CodedError},
    ports::{Clock, InFlightLock, Journal, JournalEntry, JournalError, JournalWriter},
    report::Report,
    rounds::log_lines::{LogLine, TARGET, lines},
    spending::SpendingGate,
    state::RunPhase,
};
use tokio_util::sync::CancellationToken;

/// Tries to append a fact that must not be lost, before its driver gives up and leaves the run to a restart.
/// With the pauses below this is about an hour of a full disk.
const APPEND_TRIES_MAX: u32 = 240;
/// Pause after a failed append, growing up to a quarter of a minute: a disk that has room again is soon noticed.
const APPEND_PAUSE: Duration = Duration::from_secs(1);
const APPEND_PAUSE_MAX: Duration = Duration::from_secs(15);
/// Tries for an intent: without it in the journal nothing is paid, so giving up is safe.
const INTENT_TRIES_MAX: u32 = 3;

/// Why a driver stops before the run is at rest.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DriveError {
    #[error("another driver holds this research")]
    LostLease,
    #[error("the journal refuses to go on")]
    Journal(#[source] CodedError),
}

impl From<JournalError> for DriveError {
    fn from(error: JournalError) -> Self {
        match error {
            JournalError::Conflict | JournalError::Fenced => Self::LostLease,
            JournalError::Refused(problem) => Self::Journal(problem),
        }
    }
}

/// Whether an event was decided from the state (and may be decided anew) or records what happened outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AppendKind {
    Decision,
    Fact,
    /// A fact whose caller does something else before it goes on trying.
    FactBriefly,
    /// How far it is: what was not written is seen again at the next look.
    Progress,
}

impl AppendKind {
    pub fn of_outcome(event: &Event) -> Self {
        let is_progress = matches!(event, Event::Observed { .. } | Event::LookFailed { .. });
        if is_progress { Self::Progress } else { Self::Fact }
    }
}

/// Whether the event is in the journal now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AppendResult {
    Yes,
    /// Another writer appended first; the state was loaded again, decide anew.
    DecideAgain,
}

pub struct Recorder<'a, J, C> {
    pub research: RunState,
    /// The newest event at the last load; tells whether an append of unknown outcome went through.
    newest: Option<StoredEvent>,
    journal: &'a J,
    clock: &'a C,
    writer: JournalWriter,
    /// Whether a worker's facts keep the in-flight lock; an intent always takes it.
    pub(crate) lock: InFlightLock,
    held: bool,
    /// What must hold in the store for a command that lets the run spend more.
    pub(crate) gate: Option<SpendingGate>,
    /// Until when appends are tried again, where a driver has an end.
    pub(crate) patience: Option<AppendPatience>,
}

/// What ends the tries of an append beside their number: a store that takes nothing does not hold up the end of a run
/// or of a process.
pub struct AppendPatience {
    pub stop: CancellationToken,
    /// The run's deadline with the time for its end, on the monotonic clock.
    pub until: Duration,
}

impl AppendPatience {
    fn is_over(&self, code: Code, tries: u32, now: Duration) -> bool {
        let stopped = self.stop.is_cancelled();
        // A few tries in any case: a driver may take a run up after its deadline, and a busy store is soon free.
        (stopped && code == Code::StoreGone) || ((stopped || now >= self.until) && tries >= INTENT_TRIES_MAX)
    }
}

impl<'a, J: Journal, C: Clock> Recorder<'a, J, C> {
    pub async fn load(
        journal: &'a J,
        clock: &'a C,
        id: RunId,
        writer: JournalWriter,
    ) -> Result<Self, JournalError> {
        let (research, newest) = load_with_newest(journal, id).await?;
        Ok(Self { newest, ..Self::resume(journal, clock, research, writer) })
    }

    /// Goes on with a state that should be the newest; if it is not, the first append says so.
    pub fn resume(journal: &'a J, clock: &'a C, research: RunState, writer: JournalWriter) -> Self {
        Self {
            research,
            newest: None,
            journal,
            clock,
            writer,
            lock: InFlightLock::Free,
            held: false,
            gate: None,
            patience: None,
        }
    }

    /// Whether the last append of a worker kept the in-flight lock.
    pub fn has_in_flight_lock(&self) -> bool {
        self.held
    }

    pub async fn reload(&mut self) -> Result<(), DriveError> {
        let mut tries = 0;
        loop {
            match load_with_newest(self.journal, self.research.id).await {
                Ok((research, newest)) => {
                    self.research = research;
                    self.newest = newest;
                    return Ok(());
                }
                Err(error) => self.pause_or_give_up(error, &mut tries, INTENT_TRIES_MAX).await?,
            }
        }
    }

    /// Appends one event. A fact is retried until it is in the journal; a decision yields to the writer that
    /// was first.
    pub async fn append(
        &mut self,
        event: Event,
        kind: AppendKind,
        attended: Duration,
    ) -> Result<AppendResult, DriveError> {
        let tries_max = match kind {
            AppendKind::Fact => APPEND_TRIES_MAX,
            AppendKind::Decision | AppendKind::FactBriefly | AppendKind::Progress => INTENT_TRIES_MAX,
        };
        let mut tries = 0;
        loop {
            match self.append_once(&event, attended).await {
                Ok(()) => return Ok(AppendResult::Yes),
                Err(JournalError::Conflict) => {
                    self.reload().await?;
                    if tries > 0 && self.newest.as_ref().is_some_and(|newest| newest.event == event) {
                        return Ok(AppendResult::Yes);
                    }
                    if kind == AppendKind::Decision || self.is_recorded(&event) {
                        return Ok(AppendResult::DecideAgain);
                    }
                }
                Err(JournalError::Fenced) => {
                    self.append_remote_id_as_client(&event, attended).await;
                    return Err(DriveError::LostLease);
                }
                Err(error) if kind == AppendKind::Progress => {
                    tracing::warn!(%error, "progress not written; durability is degraded");
                    return Ok(AppendResult::DecideAgain);
                }
                Err(error) => self.pause_or_give_up(error, &mut tries, tries_max).await?,
            }
        }
    }

    async fn append_once(&mut self, event: &Event, attended: Duration) -> Result<(), JournalError> {
        let writer = match self.writer {
            JournalWriter::Worker(owner, _) if event.is_intent() => {
                JournalWriter::Worker(owner, InFlightLock::Keep)
            }
            JournalWriter::Worker(owner, _) => JournalWriter::Worker(owner, self.lock),
            writer @ (JournalWriter::Driver(..) | JournalWriter::Client) => writer,
        };
        let (entry, next) = self.entry(event, attended, writer)?;
        match self.gate.filter(|_| next.reserved > self.research.reserved) {
            Some(gate) => self.journal.append_gated(entry, gate).await.map(drop)?,
            None => self.journal.append(entry).await.map(drop)?,
        }
        self.held = matches!(writer, JournalWriter::Worker(_, InFlightLock::Keep));
        log_event(&self.research, event);
        self.research = next;
        Ok(())
    }

    /// The entry, and the state once the entry is in the journal.
    fn entry(
        &self,
        event: &Event,
        attended: Duration,
        writer: JournalWriter,
    ) -> Result<(JournalEntry, RunState), JournalError> {
        let at = self.clock.now();
        let attended_ms = u64::try_from(attended.as_millis()).unwrap_or(u64::MAX);
        let recorded =
            StoredEvent { sequence: self.research.sequence.next(), at, attended_ms, event: event.clone() };
        let mut next = self.research.clone();
        next.apply(&recorded).map_err(|error| CodedError::new(error.code(), &error.to_string()))?;
        let entry = JournalEntry {
            id: self.research.id,
            expected: self.research.sequence,
            writer,
            at,
            attended_ms,
            event: recorded.event,
            summary: next.summary().seen_at(at),
        };
        Ok((entry, next))
    }

    /// The lease was lost after a paid call was accepted: its id is appended as a client would, so the money
    /// is not lost.
    async fn append_remote_id_as_client(&mut self, event: &Event, attended: Duration) {
        if !matches!(event, Event::RemoteStarted { .. }) {
            return;
        }
        for _ in 0..INTENT_TRIES_MAX {
            if self.reload().await.is_err() || self.research.remote_id.is_some() {
                return;
            }
            let Ok((entry, _)) = self.entry(event, attended, JournalWriter::Client) else { return };
            match self.journal.append(entry).await {
                Ok(_) => return,
                Err(error) => tracing::warn!(%error, "provider's id not appended for the next driver"),
            }
        }
    }

    /// A fact appended just before the connection to the journal broke must not be appended twice.
    fn is_recorded(&self, event: &Event) -> bool {
        match event {
            Event::RemoteStarted { remote_id, .. } => self.research.remote_id.as_ref() == Some(remote_id),
            Event::Ended { .. } => self.research.ending().is_some(),
            // Once the end of a round is recorded none of its calls is under way.
            Event::RoundAnswered { .. } | Event::RoundStumbled { .. } => {
                !matches!(self.research.phase, RunPhase::Running | RunPhase::Intended { .. })
            }
            Event::Asked { .. }
            | Event::CreateIntended { .. }
            | Event::CreateRefused { .. }
            | Event::CreateUncertain { .. }
            | Event::PayAgainAccepted
            | Event::Observed { .. }
            | Event::LookFailed { .. }
            | Event::PartialKept { .. }
            | Event::CancelRequested { .. }
            | Event::CancelAnswered { .. }
            | Event::Reopened
            | Event::GatherIntended { .. }
            | Event::GatherDone { .. }
            | Event::GatherStopped { .. }
            | Event::Gathered(_)
            | Event::CheckBegun { .. }
            | Event::CheckIntended { .. }
            | Event::CheckDone { .. }
            | Event::Patched { .. }
            | Event::Checked { .. }
            | Event::Left
            | Event::Arrived
            | Event::BudgetRaised { .. }
            | Event::HandedOver
            | Event::Steered { .. } => false,
        }
    }

    /// Writes the report beside the journal, which did not take it: the user paid for it. Whether it is there now.
    pub async fn rescue(&self, report: Option<&Report>) -> bool {
        let Some(report) = report else { return false };
        match self.journal.write_rescue_file(self.research.id, report.text.clone()).await {
            Ok(path) => {
                tracing::warn!(path, "journal refused the report; report written to a file");
                true
            }
            Err(problem) => {
                tracing::error!(code = %problem.code, "report not written to a file either");
                false
            }
        }
    }

    /// Waits after the journal refused what must not be lost; gives up after as many tries as for a fact.
    pub async fn wait_or_give_up(&self, error: JournalError, tries: &mut u32) -> Result<(), DriveError> {
        self.pause_or_give_up(error, tries, APPEND_TRIES_MAX).await
    }

    async fn pause_or_give_up(
        &self,
        error: JournalError,
        tries: &mut u32,
        tries_max: u32,
    ) -> Result<(), DriveError> {
        *tries += 1;
        let problem = match DriveError::from(error) {
            DriveError::Journal(problem) => problem,
            lost @ DriveError::LostLease => return Err(lost),
        };
        let hopeless = matches!(
            problem.code,
            Code::StoreCorrupt | Code::StoreNewer | Code::NotFound | Code::Budget | Code::DayLimit
        );
        let over = self
            .patience
            .as_ref()
            .is_some_and(|patience| patience.is_over(problem.code, *tries, self.clock.monotonic()));
        if hopeless || over || *tries >= tries_max {
            return Err(DriveError::Journal(problem));
        }
        tracing::warn!(code = %problem.code, tries, "append failed; retry; durability is degraded");
        let pause = APPEND_PAUSE.saturating_mul(1 << (*tries - 1).min(6)).min(APPEND_PAUSE_MAX);
        match &self.patience {
            None => self.clock.sleep(pause).await,
            Some(patience) => {
                let left = patience.until.saturating_sub(self.clock.monotonic());
                let pause = if left.is_zero() { APPEND_PAUSE } else { pause.min(left) };
                // After the stop there are a few short pauses more.
                let rest = self.clock.sleep(if patience.stop.is_cancelled() { APPEND_PAUSE } else { pause });
                if patience.stop.is_cancelled() {
                    rest.await;
                } else {
                    patience.stop.run_until_cancelled(rest).await;
                }
            }
        }
        Ok(())
    }
}

/// The log lines that users of a deep search know. Logged after the append, so that no line is untrue.
fn log_event(before: &RunState, event: &Event) {
    for line in lines(before, event) {
        match line {
            LogLine::Info(text) => tracing::info!(target: TARGET, "{text}"),
            LogLine::Error(text) => tracing::error!(target: TARGET, "{text}"),
        }
    }
}

/// The state of a run as its journal has it now.
pub async fn load<J: Journal>(journal: &J, id: RunId) -> Result<RunState, JournalError> {
    load_with_newest(journal, id).await.map(|(research, _)| research)
}

async fn load_with_newest<J: Journal>(
    journal: &J,
    id: RunId,
) -> Result<(RunState, Option<StoredEvent>), JournalError> {
    let mut recorded = journal.load(id).await?;
    let research =
        RunState::replay(id, &recorded).map_err(|error| CodedError::new(error.code(), &error.to_string()))?;
    Ok((research, recorded.pop()))
}

/// First event of a new run. Its id may be given out only when this event is in the journal.
pub fn opening_entry(id: RunId, recorded: StoredEvent) -> Result<JournalEntry, JournalError> {
    let research = RunState::replay(id, std::slice::from_ref(&recorded))
        .map_err(|error| CodedError::new(error.code(), &error.to_string()))?;
    Ok(JournalEntry {
        id,
        expected: Sequence(0),
        writer: JournalWriter::Client,
        at: recorded.at,
        attended_ms: 0,
        event: recorded.event,
        summary: research.summary(),
    })
}
