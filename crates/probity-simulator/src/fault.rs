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

/// Something that happens to the next so many calls it waits for.
pub(crate) trait RepeatingFault: Copy {
    fn times_mut(&mut self) -> &mut u32;
}

impl RepeatingFault for Fault {
    fn times_mut(&mut self) -> &mut u32 {
        &mut self.times
    }
}

/// Faults still to happen, oldest first.
#[derive(Debug)]
pub(crate) struct FaultQueue<F = Fault>(VecDeque<F>);

impl<F> Default for FaultQueue<F> {
    fn default() -> Self {
        Self(VecDeque::new())
    }
}

impl<F: RepeatingFault> FaultQueue<F> {
    pub(crate) fn add(&mut self, mut fault: F) {
        if *fault.times_mut() > 0 {
            self.0.push_back(fault);
        }
    }

    /// The oldest fault that waits for this call, once.
    pub(crate) fn take(&mut self, waits: impl Fn(&F) -> bool) -> Option<F> {
        let position = self.0.iter().position(waits)?;
        let fault = self.0.get_mut(position)?;
        let taken = *fault;
        *fault.times_mut() -= 1;
        if *fault.times_mut() == 0 {
            self.0.remove(position);
        }
        Some(taken)
    }

    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }
}
