//! Why a research ended.
#![cfg_attr(not(test), warn(clippy::wildcard_enum_match_arm))]

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RunStop {
    Completed,
    /// The provider stopped before the end; its output is kept.
    Incomplete,
    Failed,
    Cancelled,
    /// The provider no longer has the run.
    Expired,
    TimedOut,
    OverBudget,
}

/// Why a running run is being ended by us.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CancelReason {
    User,
    Deadline,
    Budget,
}

impl CancelReason {
    pub fn stop(self) -> RunStop {
        match self {
            Self::User => RunStop::Cancelled,
            Self::Deadline => RunStop::TimedOut,
            Self::Budget => RunStop::OverBudget,
        }
    }
}

/// Whether results that exist when a run is cancelled are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PartialResults {
    #[default]
    Keep,
    Drop,
}
