//! What an engine is asked to do and what it brings back. Engines never write and never decide when to stop.

use crate::{cost::Usage, error::Problem, progress::Progress, report::Report};

/// One thing to do in the outside world.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Call {
    /// The paid one. Its intent is on disk.
    Create {
        attempt: u32,
    },
    /// Watch or look at the running work, from `cursor` on if there is one.
    Follow {
        remote_id: String,
        cursor: Option<String>,
    },
    Cancel {
        remote_id: String,
    },
    /// After a cancel: fetch whatever exists, once, without waiting for news.
    Collect {
        remote_id: String,
    },
}

#[derive(Debug, Clone, PartialEq)]
pub enum Finding {
    Started {
        remote_id: String,
        cursor: Option<String>,
    },
    /// The create was provably not accepted.
    Refused(Problem),
    /// The create may have been accepted.
    Uncertain(Problem),
    /// Still running.
    Seen(Box<Sighting>),
    /// The provider is done with it.
    Finished(Box<Finished>),
    /// The provider does not know the run (404), or does not show it yet (403).
    NotThere(Problem),
    /// No answer that says anything about the run.
    Unreachable(Problem),
    CancelAccepted,
    CancelRefused(Problem),
}

/// Whether the engine goes on hearing by itself, or must be asked again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ear {
    /// A stream is open: the next follow waits for news on it, so no pause is needed before.
    Open,
    Closed,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Sighting {
    pub progress: Progress,
    pub cursor: Option<String>,
    pub ear: Ear,
    /// What has been written so far, where the provider shows it.
    pub so_far: Option<Report>,
}

/// How the provider says it ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RemoteEnd {
    Completed,
    Incomplete,
    Failed,
    Cancelled,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Finished {
    pub end: RemoteEnd,
    pub report: Report,
    pub usage: Option<Usage>,
    pub progress: Progress,
    /// The provider's words on a failure.
    pub problem: Option<Problem>,
    /// The whole answer as received, kept for whoever must look into it.
    pub raw: Vec<u8>,
}
