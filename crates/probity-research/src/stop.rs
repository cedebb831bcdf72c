//! Why a research ended.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stop {
    Completed,
    /// The provider stopped before the end; what it had is kept.
    Incomplete,
    Failed,
    Cancelled,
    /// The provider no longer knows the run.
    Expired,
    TimedOut,
    OverBudget,
}

/// Why a running research is being ended by us.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CancelReason {
    User,
    Deadline,
    Budget,
}

impl CancelReason {
    pub fn stop(self) -> Stop {
        match self {
            Self::User => Stop::Cancelled,
            Self::Deadline => Stop::TimedOut,
            Self::Budget => Stop::OverBudget,
        }
    }
}

/// Whether results that exist when a research is cancelled are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Partial {
    #[default]
    Keep,
    Drop,
}
