//! What the CLI does instead of answering.

use super::endings::TrialEnding;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CliBehaviour {
    Silent,
    IgnoreTerm,
    Drip,
    /// A grandchild in a session of its own, which ignores signals.
    LeaveAndStay,
    /// Twenty of them.
    Storm,
    /// A grandchild holds the pipe after the CLI has answered and ended.
    HoldPipe,
    Leave,
    Flood,
    FloodErrors,
    EndlessLine,
    InvalidText,
    Die,
}

impl CliBehaviour {
    pub const ALL: [Self; 12] = [
        Self::Storm,
        Self::LeaveAndStay,
        Self::IgnoreTerm,
        Self::Silent,
        Self::Drip,
        Self::Flood,
        Self::FloodErrors,
        Self::EndlessLine,
        Self::HoldPipe,
        Self::Leave,
        Self::InvalidText,
        Self::Die,
    ];

    /// As the misbehaving CLI knows it.
    pub fn script_name(self) -> &'static str {
        match self {
            Self::Silent => "silent",
            Self::IgnoreTerm => "ignore-term",
            Self::Drip => "drip",
            Self::LeaveAndStay => "leave-and-stay",
            Self::Storm => "storm",
            Self::HoldPipe => "hold-pipe",
            Self::Leave => "leave",
            Self::Flood => "flood",
            Self::FloodErrors => "flood-errors",
            Self::EndlessLine => "endless-line",
            Self::InvalidText => "invalid-text",
            Self::Die => "die 1",
        }
    }

    /// Processes that are there while it lasts: the keeper, the CLI, and what the CLI started.
    pub fn processes(self) -> usize {
        match self {
            Self::Storm => 22,
            Self::LeaveAndStay => 3,
            _ => 2,
        }
    }

    /// Whether it goes on until somebody ends it.
    fn stays(self) -> bool {
        matches!(self, Self::Silent | Self::IgnoreTerm | Self::Drip | Self::LeaveAndStay | Self::Storm)
    }

    pub fn floods(self) -> bool {
        matches!(self, Self::Flood | Self::FloodErrors | Self::EndlessLine)
    }

    /// What ends by itself is waited for; what stays is ended.
    pub fn can(self, ending: TrialEnding) -> bool {
        (ending == TrialEnding::Itself) != self.stays()
    }
}
