//! Faults ordered from outside: the next N calls of a route go wrong, whatever their scenario.

use std::collections::VecDeque;

/// Which calls a fault waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultRoute {
    Create,
    /// A poll, not a stream.
    Get,
    Stream,
    Cancel,
    Delete,
    /// generateContent, streamed or not.
    Generate,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultKind {
    /// An error answer with this status; nothing is processed.
    Status(u16),
    /// 429 with this `Retry-After`, in seconds.
    RetryAfter(u32),
    /// The connection is cut before anything is processed.
    Drop,
    /// The call is processed, then the connection is cut without one byte.
    Lost,
    /// Nothing is processed and nothing is ever answered.
    Hang,
    /// 200 with HTML; nothing is processed.
    Html,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fault {
    pub route: FaultRoute,
    pub kind: FaultKind,
    pub times: u32,
}

impl FaultRoute {
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "create" => Some(Self::Create),
            "get" => Some(Self::Get),
            "stream" => Some(Self::Stream),
            "cancel" => Some(Self::Cancel),
            "delete" => Some(Self::Delete),
            "generate" => Some(Self::Generate),
            _ => None,
        }
    }
}

impl FaultKind {
    /// `drop`, `lost`, `hang`, `html`, `retry-after-2`, or a status such as `503`.
    pub fn parse(text: &str) -> Option<Self> {
        if let Some(seconds) = text.strip_prefix("retry-after-") {
            return seconds.parse().ok().map(Self::RetryAfter);
        }
        match text {
            "drop" => Some(Self::Drop),
            "lost" => Some(Self::Lost),
            "hang" => Some(Self::Hang),
            "html" => Some(Self::Html),
            _ => text.parse().ok().filter(|status| (400..600).contains(status)).map(Self::Status),
        }
    }
}

/// Faults still to happen, oldest first.
#[derive(Debug, Default)]
pub(crate) struct Faults(VecDeque<Fault>);

impl Faults {
    pub(crate) fn add(&mut self, fault: Fault) {
        if fault.times > 0 {
            self.0.push_back(fault);
        }
    }

    /// The fault for this call, if one is waiting.
    pub(crate) fn take(&mut self, route: FaultRoute) -> Option<FaultKind> {
        let position = self.0.iter().position(|fault| fault.route == route)?;
        let fault = self.0.get_mut(position)?;
        let kind = fault.kind;
        fault.times -= 1;
        if fault.times == 0 {
            self.0.remove(position);
        }
        Some(kind)
    }
}
