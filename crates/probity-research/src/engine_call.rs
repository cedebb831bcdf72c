//! What an engine is asked to do and what it brings back. Engines never write and never decide when to stop.
#![cfg_attr(not(test), warn(clippy::wildcard_enum_match_arm))]

use std::time::Duration;

use crate::{
    checking::{CheckCall, CheckTaskReply},
    cost::Usage,
    error::CodedError,
    model::ModelName,
    progress::Progress,
    report::{Citation, Report},
    rounds::{RoundHints, ToolEvidence, state::CallBilling},
    web::task::{WebCall, WebTaskReply},
};

/// One call to a provider or to the web.
#[derive(Debug, Clone, PartialEq)]
pub enum EngineCall {
    /// The paid call. Its intent is on disk.
    Create {
        attempt: u32,
    },
    /// One call of a round: paid, and its intent is on disk.
    Ask(Box<RoundCall>),
    /// Follow the stream of the running work or poll it, from `cursor` on if there is one.
    Follow {
        remote_id: String,
        cursor: Option<String>,
        /// Longest wait for an answer; what has arrived by then is kept.
        within: Duration,
    },
    Cancel {
        remote_id: String,
        within: Duration,
    },
    /// One task of the web engine.
    Web(Box<WebCall>),
    /// One task in checking a text.
    Check(Box<CheckCall>),
    /// After a cancel: fetch what exists, once, without waiting for news.
    Collect {
        remote_id: String,
        within: Duration,
    },
}

/// What a round asks for; the engine builds the prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoundCall {
    pub round: u32,
    pub rounds_max: u32,
    /// None lets the engine choose.
    pub model: Option<ModelName>,
    /// The best answer so far, to be verified.
    pub current: Option<String>,
    /// What was found wrong with it.
    pub hints: RoundHints,
    /// An unusable answer, to be reformatted instead of asking anew.
    pub invalid: Option<String>,
}

/// The reply of a round.
#[derive(Debug, Clone, PartialEq)]
pub struct RoundReply {
    /// As the model wrote it; the JSON is somewhere inside.
    pub text: String,
    /// Ranges of `text`, with positions in `evidence.sources`.
    pub citations: Vec<Citation>,
    pub evidence: ToolEvidence,
    pub billed: CallBilling,
    /// The model that wrote it, where its name is known.
    pub model: Option<String>,
    /// Links of the provider in the text, and the pages they lead to.
    pub redirects: Vec<(String, String)>,
    /// Why there is no answer.
    pub problem: Option<CodedError>,
    /// The complete answer as received.
    pub raw: Vec<u8>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum EngineOutcome {
    Started {
        remote_id: String,
        cursor: Option<String>,
    },
    /// The create was provably not accepted.
    Refused(CodedError),
    /// The create may have been accepted.
    Uncertain(CodedError),
    /// Still running.
    Running(Box<Poll>),
    /// The provider is done with it.
    Finished(Box<RemoteResult>),
    /// A round is over.
    Answered(Box<RoundReply>),
    /// The round is gone for good and cannot be found again; it may have been billed.
    Lost(CodedError),
    /// The provider does not know the run (404), or does not show it yet (403).
    NotThere(CodedError),
    /// No answer that says anything about the run.
    Unreachable(CodedError),
    /// An answer came, and it cannot be read as one about the run.
    Unreadable(Box<UnreadableAnswer>),
    /// A task of the web engine is over.
    Web(Box<WebTaskReply>),
    /// A task in checking a text is over.
    Check(Box<CheckTaskReply>),
    CancelAccepted,
    CancelRefused(CodedError),
}

impl From<WebTaskReply> for EngineOutcome {
    fn from(reply: WebTaskReply) -> Self {
        Self::Web(Box::new(reply))
    }
}

impl From<CheckTaskReply> for EngineOutcome {
    fn from(reply: CheckTaskReply) -> Self {
        Self::Check(Box::new(reply))
    }
}

/// Whether the engine goes on hearing by itself, or must be asked again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StreamState {
    /// A stream is open: the next follow waits for news on it, so no pause is needed before.
    Open,
    Closed,
}

/// Bytes that may have been paid for and mean nothing to us.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreadableAnswer {
    pub problem: CodedError,
    /// As received, as far as it was received.
    pub raw: Vec<u8>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Poll {
    pub progress: Progress,
    pub cursor: Option<String>,
    pub stream: StreamState,
    /// What has been written so far, where the provider shows it.
    pub so_far: Option<Report>,
}

/// How the provider says the remote run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RemoteEnd {
    Completed,
    Incomplete,
    Failed,
    Cancelled,
}

#[derive(Debug, Clone, PartialEq)]
pub struct RemoteResult {
    pub end: RemoteEnd,
    pub report: Report,
    pub usage: Option<Usage>,
    pub progress: Progress,
    /// The provider's message on a failure.
    pub problem: Option<CodedError>,
    /// The complete answer as received, kept for diagnosis.
    pub raw: Vec<u8>,
}
