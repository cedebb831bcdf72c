//! The small traits that the outer crates implement. Free of SQL, of tokio and of any provider's types.

use std::time::Duration;

use crate::{
    checking::task::JudgeAnswer,
    engine_call::{EngineCall, EngineOutcome},
    error::{Code, CodedError},
    event::{Event, StoredEvent},
    id::{Digest, Fence, OwnerId, RunId, Sequence},
    spending::SpendingGate,
    state::RunState,
    status::RunSummary,
    time::Moment,
};

/// The calls about to be made.
#[derive(Debug, Clone, Copy)]
pub enum UpcomingCalls<'a> {
    /// The calls whose intent is about to be recorded.
    Intent(&'a Event),
    /// Calls that need no intent, or a fresh one of theirs is on disk.
    Calls(&'a [EngineCall]),
}

/// One engine.
pub trait Engine: Send + Sync {
    fn perform(&self, research: &RunState, call: &EngineCall) -> impl Future<Output = EngineOutcome> + Send;

    /// Asked before an intent is recorded and before a call that needs none: how long to wait, if there is no
    /// slot for it now.
    fn ready(&self, _research: &RunState, _upcoming: UpcomingCalls<'_>) -> Option<Duration> {
        None
    }

    /// The run is no longer driven here: everything kept open for it can be closed.
    fn release_run(&self, _id: RunId) {}
}

/// Time comes in through here: the wall clock for showing, the monotonic one for deadlines.
pub trait Clock: Send + Sync {
    fn now(&self) -> Moment;
    fn monotonic(&self) -> Duration;
    fn sleep(&self, duration: Duration) -> impl Future<Output = ()> + Send;
}

/// Who appends: the driver that has the lease, or a client with a command (cancel, resume).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JournalWriter {
    Driver(OwnerId, Fence),
    /// A worker that performs single steps of many runs, assigned by a distributed engine. Needs no lease;
    /// the append itself takes or releases the in-flight lock of the run. Fenced while another owner has that
    /// lock.
    Worker(OwnerId, InFlightLock),
    Client,
}

/// What a worker's append does with the in-flight lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InFlightLock {
    /// A paid call is under way: no other worker may take its intent for a lost one while this owner lives.
    Keep,
    Free,
}

/// One event to be appended, with the status row that is true once it is in the journal.
#[derive(Debug, Clone)]
pub struct JournalEntry {
    pub id: RunId,
    /// Sequence of the last event the writer knows; the append fails if there is a later one.
    pub expected: Sequence,
    pub writer: JournalWriter,
    pub at: Moment,
    pub attended_ms: u64,
    pub event: Event,
    pub summary: RunSummary,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum JournalError {
    /// Another writer appended first: load again and decide anew.
    #[error("the journal has moved on")]
    Conflict,
    /// Another driver claimed the run: stop at once.
    #[error("another driver holds this research")]
    Fenced,
    #[error(transparent)]
    Refused(#[from] CodedError),
}

impl JournalError {
    pub fn code(&self) -> Code {
        match self {
            Self::Conflict | Self::Fenced => Code::LeaseLost,
            Self::Refused(problem) => problem.code,
        }
    }
}

/// For callers that cannot load again: the error for users.
impl From<JournalError> for CodedError {
    fn from(error: JournalError) -> Self {
        match error {
            JournalError::Refused(problem) => problem,
            JournalError::Conflict | JournalError::Fenced => Self::new(Code::LeaseLost, &error.to_string()),
        }
    }
}

/// What became of an entry at the money gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GatedAppend {
    Appended(Sequence),
    /// An equal start is running; nothing was appended.
    Running(RunId),
}

/// The durable store. An append that returned `Ok` is on disk, through power loss.
pub trait Journal: Send + Sync {
    /// All events in order; `Refused` with `NotFound` for an id that is not there.
    fn load(&self, id: RunId) -> impl Future<Output = Result<Vec<StoredEvent>, JournalError>> + Send;
    /// After an error other than `Conflict` and `Fenced` it is unknown whether the event is there: load
    /// again.
    fn append(&self, entry: JournalEntry) -> impl Future<Output = Result<Sequence, JournalError>> + Send;
    /// An append that lets a run spend more: the limits are looked at and the amount is set aside in the
    /// transaction that writes the event, so that no other process can come between. A store that knows no
    /// limits refuses one.
    fn append_gated(
        &self,
        entry: JournalEntry,
        gate: SpendingGate,
    ) -> impl Future<Output = Result<GatedAppend, JournalError>> + Send {
        async move {
            match gate.per_day {
                None => self.append(entry).await.map(GatedAppend::Appended),
                Some(_) => {
                    let message = "this store cannot hold the limit of a day";
                    Err(CodedError::new(Code::StoreFailed, message).into())
                }
            }
        }
    }
    /// Stores bytes under their digest; storing the same bytes twice is free.
    fn store_blob(&self, bytes: Vec<u8>) -> impl Future<Output = Result<Digest, JournalError>> + Send;
    /// Bytes whose digest was checked after reading.
    fn fetch_blob(&self, digest: Digest) -> impl Future<Output = Result<Vec<u8>, JournalError>> + Send;
    /// Answers that were bought before to questions with these keys, in any run. Eviction is allowed: it
    /// costs money, never correctness.
    fn recall_answers(
        &self,
        _questions: Vec<Digest>,
    ) -> impl Future<Output = Result<Vec<JudgeAnswer>, JournalError>> + Send {
        async { Ok(Vec::new()) }
    }
    /// Last resort when the journal refuses a finished report: a plain file beside it.
    fn write_rescue_file(
        &self,
        id: RunId,
        markdown: String,
    ) -> impl Future<Output = Result<String, CodedError>> + Send;
}

/// A run leased to a driver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LeaseClaim {
    pub id: RunId,
    pub fence: Fence,
}

/// Which process drives which run. The lease of an owner that died or fell silent can be taken by another.
pub trait Leases: Send + Sync {
    /// Renews the lease of this owner; must be repeated within the lease time.
    fn heartbeat(&self, owner: OwnerId) -> impl Future<Output = Result<(), JournalError>> + Send;
    /// Claims up to `room` due runs that no living owner has leased.
    fn claim_due(
        &self,
        owner: OwnerId,
        room: usize,
    ) -> impl Future<Output = Result<Vec<LeaseClaim>, JournalError>> + Send;
    fn release(
        &self,
        owner: OwnerId,
        claim: LeaseClaim,
    ) -> impl Future<Output = Result<(), JournalError>> + Send;
    /// Runs of this owner to whose journal a client has appended.
    fn runs_with_commands(
        &self,
        owner: OwnerId,
    ) -> impl Future<Output = Result<Vec<RunId>, JournalError>> + Send;
}

/// What one query tells a worker before it works on a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeaseStatus {
    /// The newest sequence; no other worker is in the middle of a paid call.
    Free(Sequence),
    /// Another living owner has the in-flight lock: retry later.
    Held,
}

/// Which worker is in the middle of a paid call. The lock of a dead owner counts for nothing.
pub trait InFlightLocks: Send + Sync {
    fn lease_status(
        &self,
        owner: OwnerId,
        id: RunId,
    ) -> impl Future<Output = Result<LeaseStatus, JournalError>> + Send;
    /// The engine's name for the invocation that drives this run now, so that others can wake it.
    fn set_invocation(
        &self,
        _id: RunId,
        _invocation: &str,
    ) -> impl Future<Output = Result<(), JournalError>> + Send {
        async { Ok(()) }
    }
    /// Releases the lock without an event; nothing happens if another owner has it.
    fn release_lock(
        &self,
        owner: OwnerId,
        id: RunId,
    ) -> impl Future<Output = Result<(), JournalError>> + Send;
}

/// Gets a run driven, here or elsewhere. Must be safe to call twice.
pub trait Executor: Send + Sync {
    fn submit(&self, id: RunId) -> impl Future<Output = ()> + Send;
}
