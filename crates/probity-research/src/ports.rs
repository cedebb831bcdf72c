//! The small traits that the rim implements. Free of SQL, of tokio and of any provider's types.

use std::time::Duration;

use crate::{
    checking::task::JudgeAnswer,
    engine_call::{EngineCall, EngineOutcome},
    error::{Code, CodedError},
    event::{Event, StoredEvent},
    id::{Digest, Fence, OwnerId, RunId, Sequence},
    state::RunState,
    status::RunSummary,
    time::Moment,
};

/// What is about to go out.
#[derive(Debug, Clone, Copy)]
pub enum UpcomingCalls<'a> {
    /// The calls whose intent is about to be recorded.
    Intent(&'a Event),
    /// Calls that need no intent, or a fresh one of theirs is on disk.
    Calls(&'a [EngineCall]),
}

/// One way to gather.
pub trait Engine: Send + Sync {
    fn perform(&self, research: &RunState, call: &EngineCall) -> impl Future<Output = EngineOutcome> + Send;

    /// Asked before an intent is recorded and before a call that needs none: how long to stay away, if there is
    /// no room for it now.
    fn ready(&self, _research: &RunState, _upcoming: UpcomingCalls<'_>) -> Option<Duration> {
        None
    }

    /// The research is no longer driven here: whatever was kept open for it can go.
    fn release_run(&self, _id: RunId) {}
}

/// Time comes in through here: the wall clock for showing, the monotonic one for deadlines.
pub trait Clock: Send + Sync {
    fn now(&self) -> Moment;
    fn monotonic(&self) -> Duration;
    fn sleep(&self, duration: Duration) -> impl Future<Output = ()> + Send;
}

/// Who appends: the driver that holds the claim, or anyone who adds a wish (cancel, resume).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JournalWriter {
    Driver(OwnerId, Fence),
    /// Carries out single steps of many researches, given out by a distributed engine. Needs no claim; the
    /// append itself takes hold of the research, or lets go of it. Fenced while another owner has hold of it.
    Worker(OwnerId, InFlightLock),
    Client,
}

/// What a stepper's append leaves behind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InFlightLock {
    /// A paid call is under way: nobody else may take its intent for an orphan while this owner lives.
    Keep,
    Free,
}

/// One event on its way to the disk, with the status row that is true once it is there.
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
    /// Someone appended first: load again and decide anew.
    #[error("the journal has moved on")]
    Conflict,
    /// Another driver claimed the research: stop at once.
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

/// For callers who cannot load again: what is told to people.
impl From<JournalError> for CodedError {
    fn from(error: JournalError) -> Self {
        match error {
            JournalError::Refused(problem) => problem,
            JournalError::Conflict | JournalError::Fenced => Self::new(Code::LeaseLost, &error.to_string()),
        }
    }
}

/// What survives. An append that returned `Ok` is on disk, through power loss.
pub trait Journal: Send + Sync {
    /// All events in order; `Refused` with `NotFound` for an id that is not there.
    fn load(&self, id: RunId) -> impl Future<Output = Result<Vec<StoredEvent>, JournalError>> + Send;
    /// After an error other than `Conflict` and `Fenced` nobody knows whether the event is there: load again.
    fn append(&self, entry: JournalEntry) -> impl Future<Output = Result<Sequence, JournalError>> + Send;
    /// Stores bytes under their digest; storing the same bytes twice is free.
    fn store_blob(&self, bytes: Vec<u8>) -> impl Future<Output = Result<Digest, JournalError>> + Send;
    /// Bytes whose digest was checked after reading.
    fn fetch_blob(&self, digest: Digest) -> impl Future<Output = Result<Vec<u8>, JournalError>> + Send;
    /// Answers that were bought before to questions with these names, in any research. Forgetting is allowed:
    /// it costs money, never truth.
    fn recall_answers(
        &self,
        _questions: Vec<Digest>,
    ) -> impl Future<Output = Result<Vec<JudgeAnswer>, JournalError>> + Send {
        async { Ok(Vec::new()) }
    }
    /// Last resort when the journal cannot take a finished report: a plain file beside it.
    fn write_rescue_file(
        &self,
        id: RunId,
        markdown: String,
    ) -> impl Future<Output = Result<String, CodedError>> + Send;
}

/// A research taken over by a driver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LeaseClaim {
    pub id: RunId,
    pub fence: Fence,
}

/// Who drives what. A claim whose owner died or fell silent can be taken by another.
pub trait Leases: Send + Sync {
    /// Says that this owner is alive; must be repeated within the lease time.
    fn heartbeat(&self, owner: OwnerId) -> impl Future<Output = Result<(), JournalError>> + Send;
    /// Claims up to `room` researches that should be driven and that no living owner holds.
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
    /// Researches of this owner to whose journal a guest has appended.
    fn runs_with_commands(
        &self,
        owner: OwnerId,
    ) -> impl Future<Output = Result<Vec<RunId>, JournalError>> + Send;
}

/// What one look tells a stepper before it works on a research.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeaseStatus {
    /// The newest sequence; nobody else is in the middle of a paid call.
    Free(Sequence),
    /// Another living owner is: come back later.
    Held,
}

/// Who is in the middle of a paid call, for steppers. A dead owner's hold counts for nothing.
pub trait InFlightLocks: Send + Sync {
    fn lease_status(
        &self,
        owner: OwnerId,
        id: RunId,
    ) -> impl Future<Output = Result<LeaseStatus, JournalError>> + Send;
    /// The engine's name for what carries this research now, so that others can wake it.
    fn set_invocation(
        &self,
        _id: RunId,
        _invocation: &str,
    ) -> impl Future<Output = Result<(), JournalError>> + Send {
        async { Ok(()) }
    }
    /// Lets go without an event; nothing happens if another has hold of it.
    fn release_lock(
        &self,
        owner: OwnerId,
        id: RunId,
    ) -> impl Future<Output = Result<(), JournalError>> + Send;
}

/// Gets a research driven, here or elsewhere. Must be safe to call twice.
pub trait Executor: Send + Sync {
    fn submit(&self, id: RunId) -> impl Future<Output = ()> + Send;
}
