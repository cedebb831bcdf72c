//! Faults ordered from outside: the next N searches of a provider go wrong.

use super::api::Provider;
use crate::fault::RepeatingFault;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WebFaultKind {
    /// The provider's own error answer with this status; nothing is processed.
    Status(u16),
    /// 429 with this `Retry-After`, in seconds.
    RetryAfter(u32),
    /// The allowance is used up, in the provider's words.
    Cap,
    /// The answer leaves this many milliseconds later.
    Slow(u64),
    /// 200 and JSON that means nothing; processed.
    Garbage,
    /// 200 and HTML; nothing is processed.
    Html,
    /// Processed without a result because engines behind the provider failed, where it can say so.
    Empty,
    /// Processed; some engines failed, the results of the others are there.
    Partial,
    /// Processed, then the connection is cut without one byte.
    Lost,
    /// The connection is cut before anything is processed.
    Drop,
    /// Nothing is processed and nothing is ever answered.
    Hang,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WebFault {
    pub provider: Provider,
    pub kind: WebFaultKind,
    pub times: u32,
}

impl WebFaultKind {
    /// `cap`, `garbage`, `html`, `empty`, `partial`, `lost`, `drop`, `hang`, `slow-500`, `retry-after-2`, or a
    /// status such as `503`.
    pub fn parse(text: &str) -> Option<Self> {
        if let Some(seconds) = text.strip_prefix("retry-after-") {
            return seconds.parse().ok().map(Self::RetryAfter);
        }
        if let Some(milliseconds) = text.strip_prefix("slow-") {
            return milliseconds.parse().ok().map(Self::Slow);
        }
        match text {
            "cap" => Some(Self::Cap),
            "garbage" => Some(Self::Garbage),
            "html" => Some(Self::Html),
            "empty" => Some(Self::Empty),
            "partial" => Some(Self::Partial),
            "lost" => Some(Self::Lost),
            "drop" => Some(Self::Drop),
            "hang" => Some(Self::Hang),
            _ => text.parse().ok().filter(|status| (400..600).contains(status)).map(Self::Status),
        }
    }
}

impl RepeatingFault for WebFault {
    fn times_mut(&mut self) -> &mut u32 {
        &mut self.times
    }
}
