//! Which tool's procedure a run follows.

use serde::{Deserialize, Serialize};

/// How the question is worked on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// One round: search once, read the promising pages, answer.
    Search,
    /// Five perspectives, then verification rounds.
    DeepSearch,
    /// One long prompt that lets the model iterate by itself.
    DeepResearch,
}

impl Mode {
    /// The name of the tool that asks for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Search => "search",
            Self::DeepSearch => "deep_search",
            Self::DeepResearch => "deep_research",
        }
    }
}
