//! The record of a finished run in rounds, stored with its report.

use serde::{Deserialize, Serialize};

use super::Mode;
use crate::error::{Code, CodedError};

/// Why no further round was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RoundsStop {
    Verified,
    /// All rounds that the plan allows were used.
    Limit,
    /// Another round might have cost more than was left.
    Budget,
    Deadline,
    /// An error that a retry would not fix.
    Failure,
    Cancelled,
    /// The question needs no search.
    NotNeeded,
    /// Nothing is left to ask.
    Enough,
    /// Another attempt no longer helped.
    Saturated,
    /// All that is left open is what no round can settle: pages that cannot be read, claims that nobody can judge.
    Uncheckable,
    /// The user wanted no more searching.
    Finished,
}

impl RoundsStop {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Verified => "verified",
            Self::Limit => "limit",
            Self::Budget => "budget",
            Self::Deadline => "deadline",
            Self::Failure => "failure",
            Self::Cancelled => "cancelled",
            Self::NotNeeded => "not-needed",
            Self::Enough => "enough",
            Self::Saturated => "saturated",
            Self::Uncheckable => "uncheckable",
            Self::Finished => "finished",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoundsRecord {
    pub manner: Mode,
    /// Rounds begun, failed ones included.
    pub iterations: u32,
    pub rounds_max: u32,
    pub verified: bool,
    /// Without a meaning where the model was not asked.
    pub model_says_verified: bool,
    /// The prompt of this text did not ask the model whether it verified it.
    #[serde(default, skip_serializing_if = "is_asked")]
    pub model_unasked: bool,
    pub verification_basis: String,
    pub stop: RoundsStop,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Configured, else detected, else `auto-detected`.
    pub model: String,
    /// Addresses in the text that no search and no fetch returned: only the model names them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unresolved: Vec<String>,
    /// Paid calls made, and those whose cost is unknown.
    pub calls: u32,
    pub calls_uncounted: u32,
    pub rounds: Vec<RoundNote>,
}

impl RoundsRecord {
    /// What the model says of its text; nothing where it was not asked.
    pub fn model_says(&self) -> Option<bool> {
        (!self.model_unasked).then_some(self.model_says_verified)
    }

    /// `2 addresses from the model's word alone`; none where a search or a fetch returned every one.
    pub fn unproven(&self) -> Option<String> {
        let count = self.unresolved.len();
        let noun = if count == 1 { "address" } else { "addresses" };
        (count > 0).then(|| format!("{count} {noun} from the model's word alone"))
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the form that serde asks for")]
fn is_asked(unasked: &bool) -> bool {
    !unasked
}

impl RoundNote {
    /// What the model says of its text; nothing in a round that brought none.
    pub fn model_says(&self) -> Option<bool> {
        self.problem.is_none().then_some(self.model_says_verified)
    }

    /// Whether the run was stopped while it went on, which is no failure of the round.
    pub fn was_stopped(&self) -> bool {
        let code = self.problem.as_ref().map(|problem| problem.code);
        matches!(code, Some(Code::Cancelled | Code::Deadline | Code::Budget))
    }
}

/// One round. A failed one says why, and what it searched and read all the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoundNote {
    pub round_number: u32,
    pub verified: bool,
    pub model_says_verified: bool,
    pub sources_visited: Vec<String>,
    pub search_queries: Vec<String>,
    pub pages_read: u32,
    pub intermediate_result_summary: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<CodedError>,
}
