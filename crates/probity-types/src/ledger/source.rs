//! The pages that a report cites, as they were stored, and passages in them.

use serde::{Deserialize, Serialize};

use super::ClaimId;
use crate::{id::Digest, time::Moment, web::page::Provenance};

/// Why a page was not read that there was no time for: it was not tried, or not to the end.
pub const NO_TIME_TO_FETCH: &str = "there was no time left to fetch it";

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LedgerSource {
    /// Where the page was found in the end; what the report links to.
    pub url: String,
    pub title: String,
    pub state: SourceState,
    /// Sources with the same number are not independent of each other.
    pub origin: u32,
    /// The reader quoted these parts of its text when the report was written.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub quoted: Vec<(usize, usize)>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "kebab-case")]
pub enum SourceState {
    /// Stored: any reader can see what was read.
    Kept {
        snapshot: Digest,
        extract: Digest,
        fetched_at: Moment,
        provenance: Provenance,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        published: Option<String>,
    },
    /// It could not be fetched or read, so nothing that rests on it was checked.
    Unreachable {
        why: String,
        /// There was no time for it, which says nothing about the page.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        untried: bool,
    },
}

impl SourceState {
    pub fn unreachable(why: &str) -> Self {
        Self::Unreachable { why: why.to_owned(), untried: why == NO_TIME_TO_FETCH }
    }

    pub fn is_untried(&self) -> bool {
        matches!(self, Self::Unreachable { untried: true, .. })
    }

    pub fn snapshot(&self) -> Option<Digest> {
        match self {
            Self::Kept { snapshot, .. } => Some(*snapshot),
            Self::Unreachable { .. } => None,
        }
    }

    pub fn extract(&self) -> Option<Digest> {
        match self {
            Self::Kept { extract, .. } => Some(*extract),
            Self::Unreachable { .. } => None,
        }
    }
}

/// A piece of a stored page's text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Passage {
    /// Position in `Ledger::sources`.
    pub source: u32,
    /// Byte range in the page's extracted text.
    pub start: usize,
    pub end: usize,
    pub text: String,
}

/// What two sources disagree about. Shown, never averaged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceConflict {
    pub claim: ClaimId,
    /// Positions in `Ledger::passages`.
    pub left: u32,
    pub right: u32,
    pub about: String,
    /// Copies of one text that differ: one of them was altered.
    pub same_origin: bool,
}
