//! The small traits that the rim implements. Free of SQL, of tokio and of any provider's types.

use std::time::Duration;

use crate::{
    checking::task::Answer,
    error::{Code, Problem},
    event::{Event, Recorded},
    finding::{Call, Finding},
    id::{Digest, Fence, OwnerId, ResearchId, Sequence},
    state::Research,
    status::Summary,
    time::Moment,
};

/// What is about to go out.
#[derive(Debug, Clone, Copy)]
pub enum Upcoming<'a> {
    /// The calls whose intent is about to be recorded.
    Intent(&'a Event),
    /// Calls that need no intent, or a fresh one of theirs is on disk.
    Calls(&'a [Call]),
}

/// One way to gather.
pub trait Engine: Send + Sync {
    fn perform(&self, research: &Research, call: &Call) -> impl Future<Output = Finding> + Send;

    /// Asked before an intent is recorded and before a call that needs none: how long to stay away, if there is
    /// no room for it now.
    fn ready(&self, _research: &Research, _upcoming: Upcoming<'_>) -> Option<Duration> {
        None
    }

    /// The research is no longer driven here: whatever was kept open for it can go.
    fn forget(&self, _id: ResearchId) {}
}

/// Time comes in through here: the wall clock for showing, the monotonic one for deadlines.
pub trait Clock: Send + Sync {
    fn now(&self) -> Moment;
    fn monotonic(&self) -> Duration;
    fn sleep(&self, duration: Duration) -> impl Future<Output = ()> + Send;
}

/// Who appends: the driver that holds the claim, or anyone who adds a wish (cancel, resume).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Writer {
    Driver(OwnerId, Fence),
    /// Carries out single steps of many researches, given out by a distributed engine. Needs no claim; the
    /// append itself takes hold of the research, or lets go of it. Fenced while another owner has hold of it.
    Stepper(OwnerId, Hold),
    Guest,
}

/// What a stepper's append leaves behind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hold {
    /// A paid call is under way: nobody else may take its intent for an orphan while this owner lives.
    Keep,
    Free,
}

/// One event on its way to the disk, with the status row that is true once it is there.
#[derive(Debug, Clone)]
pub struct Entry {
    pub id: ResearchId,
    /// Sequence of the last event the writer knows; the append fails if there is a later one.
    pub expected: Sequence,
    pub writer: Writer,
    pub at: Moment,
    pub attended_ms: u64,
    pub event: Event,
    pub summary: Summary,
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
    Refused(#[from] Problem),
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
impl From<JournalError> for Problem {
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
    fn load(&self, id: ResearchId) -> impl Future<Output = Result<Vec<Recorded>, JournalError>> + Send;
    /// After an error other than `Conflict` and `Fenced` nobody knows whether the event is there: load again.
    fn append(&self, entry: Entry) -> impl Future<Output = Result<Sequence, JournalError>> + Send;
    /// Stores bytes under their digest; storing the same bytes twice is free.
    fn keep(&self, bytes: Vec<u8>) -> impl Future<Output = Result<Digest, JournalError>> + Send;
    /// Bytes whose digest was checked after reading.
    fn fetch(&self, digest: Digest) -> impl Future<Output = Result<Vec<u8>, JournalError>> + Send;
    /// Answers that were bought before to questions with these names, in any research. Forgetting is allowed:
    /// it costs money, never truth.
    fn recall(
        &self,
        _questions: Vec<Digest>,
    ) -> impl Future<Output = Result<Vec<Answer>, JournalError>> + Send {
        async { Ok(Vec::new()) }
    }
    /// Last resort when the journal cannot take a finished report: a plain file beside it.
    fn rescue(
        &self,
        id: ResearchId,
        markdown: String,
    ) -> impl Future<Output = Result<String, Problem>> + Send;
}

/// A research taken over by a driver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Claim {
    pub id: ResearchId,
    pub fence: Fence,
}

/// Who drives what. A claim whose owner died or fell silent can be taken by another.
pub trait Leases: Send + Sync {
    /// Says that this owner is alive; must be repeated within the lease time.
    fn beat(&self, owner: OwnerId) -> impl Future<Output = Result<(), JournalError>> + Send;
    /// Claims up to `room` researches that should be driven and that no living owner holds.
    fn claim_due(
        &self,
        owner: OwnerId,
        room: usize,
    ) -> impl Future<Output = Result<Vec<Claim>, JournalError>> + Send;
    fn release(&self, owner: OwnerId, claim: Claim) -> impl Future<Output = Result<(), JournalError>> + Send;
    /// Researches of this owner to whose journal a guest has appended.
    fn called(&self, owner: OwnerId) -> impl Future<Output = Result<Vec<ResearchId>, JournalError>> + Send;
}

/// What one look tells a stepper before it works on a research.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Glance {
    /// The newest sequence; nobody else is in the middle of a paid call.
    Free(Sequence),
    /// Another living owner is: come back later.
    Held,
}

/// Who is in the middle of a paid call, for steppers. A dead owner's hold counts for nothing.
pub trait Holds: Send + Sync {
    fn glance(
        &self,
        owner: OwnerId,
        id: ResearchId,
    ) -> impl Future<Output = Result<Glance, JournalError>> + Send;
    /// The engine's name for what carries this research now, so that others can wake it.
    fn carried_by(
        &self,
        _id: ResearchId,
        _invocation: &str,
    ) -> impl Future<Output = Result<(), JournalError>> + Send {
        async { Ok(()) }
    }
    /// Lets go without an event; nothing happens if another has hold of it.
    fn let_go(&self, owner: OwnerId, id: ResearchId)
    -> impl Future<Output = Result<(), JournalError>> + Send;
}

/// Gets a research driven, here or elsewhere. Must be safe to call twice.
pub trait Executor: Send + Sync {
    fn submit(&self, id: ResearchId) -> impl Future<Output = ()> + Send;
}
