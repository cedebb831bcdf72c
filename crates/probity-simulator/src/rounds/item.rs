//! The outcome of one turn of the scripted model.

use crate::named_set::named;

named! {
    /// One word of `turns=`.
    pub enum Item {
        Draft = "draft",
        Agreed = "agreed",
        Unsure = "unsure",
        Changed = "changed",
        Drifting = "drifting",
        Prose = "prose",
        Fenced = "fenced",
        Sloppy = "sloppy",
        Cut = "cut",
        Empty = "empty",
        Silent = "silent",
        WrongShape = "wrong-shape",
        Corrected = "corrected",
        Unsearched = "unsearched",
        Invented = "invented",
        Obedient = "obedient",
        Huge = "huge",
        Error400 = "error-400",
        Error400Key = "error-400-key",
        Error401 = "error-401",
        Error403 = "error-403",
        Error404 = "error-404",
        Error429 = "error-429",
        Error429Daily = "error-429-daily",
        Error500 = "error-500",
        Error503 = "error-503",
        Hang = "hang",
        Lost = "lost",
    }
}

/// The outcome of the call that begins a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ItemOutcome {
    Answered,
    /// Accepted and charged, but the connection is cut before the first byte.
    Lost,
    /// Neither accepted nor answered.
    Hangs,
    Refused(TurnRefusal),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TurnRefusal {
    Status(u16),
    KeyInvalid,
    /// 429 that says to wait a second.
    RetryInfo,
    /// 429 until tomorrow.
    Daily,
}

impl Item {
    pub(crate) fn outcome(self) -> ItemOutcome {
        match self {
            Self::Error400 => ItemOutcome::Refused(TurnRefusal::Status(400)),
            Self::Error400Key => ItemOutcome::Refused(TurnRefusal::KeyInvalid),
            Self::Error401 => ItemOutcome::Refused(TurnRefusal::Status(401)),
            Self::Error403 => ItemOutcome::Refused(TurnRefusal::Status(403)),
            Self::Error404 => ItemOutcome::Refused(TurnRefusal::Status(404)),
            Self::Error429 => ItemOutcome::Refused(TurnRefusal::RetryInfo),
            Self::Error429Daily => ItemOutcome::Refused(TurnRefusal::Daily),
            Self::Error500 => ItemOutcome::Refused(TurnRefusal::Status(500)),
            Self::Error503 => ItemOutcome::Refused(TurnRefusal::Status(503)),
            Self::Hang => ItemOutcome::Hangs,
            Self::Lost => ItemOutcome::Lost,
            Self::Draft
            | Self::Agreed
            | Self::Unsure
            | Self::Changed
            | Self::Drifting
            | Self::Prose
            | Self::Fenced
            | Self::Sloppy
            | Self::Cut
            | Self::Empty
            | Self::Silent
            | Self::WrongShape
            | Self::Corrected
            | Self::Unsearched
            | Self::Invented
            | Self::Obedient
            | Self::Huge => ItemOutcome::Answered,
        }
    }

    /// Whether the turn searches and reads before it answers, given that it may.
    pub(crate) fn searches(self) -> bool {
        !matches!(self, Self::Empty | Self::Corrected | Self::Unsearched)
            && self.outcome() != ItemOutcome::Hangs
    }

    /// Whether it ends with an empty answer: at once, or after everything was looked up.
    pub(crate) fn says_nothing(self) -> bool {
        matches!(self, Self::Empty | Self::Silent)
    }

    /// What the answer says about itself.
    pub(crate) fn says_verified(self) -> bool {
        matches!(self, Self::Agreed | Self::Changed | Self::Unsearched | Self::Obedient)
    }
}
