//! The pages that a report cites, as they were stored, and passages in them.

use serde::{Deserialize, Serialize};

use super::{ClaimId, NotCheckedReason};
use crate::{id::Digest, time::Moment, web::page::Provenance};

/// Why a page was not read that there was no time for: it was not tried, or not to the end.
pub const NO_TIME_TO_FETCH: &str = "there was no time left to fetch it";
/// How the reason begins why a page was not tried that is cited beyond a limit: the limit follows, and its setting.
pub const BEYOND_LIMIT: &str = "not fetched, beyond the limit of ";
/// How the reason begins why a page that was fetched was not read, because all pages of the report take too much room.
pub const BEYOND_BYTES: &str = "fetched and not read, beyond the limit of ";

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
        /// There was no time for it, or it is beyond a limit, which says nothing about the page.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        untried: bool,
    },
}

impl SourceState {
    pub fn unreachable(why: &str) -> Self {
        Self::Unreachable { why: why.to_owned(), untried: why == NO_TIME_TO_FETCH || is_beyond_limit(why) }
    }

    /// Why nobody read it, where that says nothing about the page.
    pub fn why_untried(&self) -> Option<NotCheckedReason> {
        match self {
            Self::Unreachable { untried: true, why } if is_beyond_limit(why) => Some(NotCheckedReason::Limit),
            Self::Unreachable { untried: true, .. } => Some(NotCheckedReason::Deadline),
            Self::Unreachable { .. } | Self::Kept { .. } => None,
        }
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

fn is_beyond_limit(why: &str) -> bool {
    why.starts_with(BEYOND_LIMIT) || why.starts_with(BEYOND_BYTES)
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
    #[serde(default, skip_serializing_if = "PassageContext::is_empty")]
    pub context: PassageContext,
}

/// What a reader of the page has beside a passage. It says what the passage is about; nothing is ever quoted from it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PassageContext {
    /// The title of the page as the page itself has it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// When the page says it was published.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<String>,
    /// The heading above it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub heading: String,
    /// The first row of its table, where the passage is another row.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub columns: String,
    /// The sentences next to it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub before: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub after: String,
}

impl PassageContext {
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// What is known before the passage begins, for a judge that takes plain text only.
    pub fn joined(&self) -> String {
        let parts = [&self.title, &self.heading, &self.columns, &self.before];
        parts.into_iter().filter(|part| !part.is_empty()).map(String::as_str).collect::<Vec<_>>().join(" — ")
    }
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
