//! The finished text with its citations, as stored: one JSON document per run, named by its digest.

pub mod claim_list;
pub mod own_list;
pub mod phrases;
pub mod places;
pub mod sources;
pub mod text_numbers;
pub mod verification;

use serde::{Deserialize, Serialize};

pub use claim_list::ClaimList;
pub use phrases::{NoticePhrases, ReportPhrases};
pub use places::TextPlaces;
pub use sources::NumberedSource;
pub use verification::{VerificationBasis, VerificationOutcome};

use crate::{ledger::Ledger, rounds::RoundsRecord, web::record::WebRecord};

/// Longest report kept, in bytes. The provider writes at most 65,536 tokens; four times that in bytes is a
/// 1 MiB text, and 8 MiB leaves room for whatever it becomes without letting an answer fill the disk.
pub const REPORT_BYTES_MAX: usize = 8 * 1024 * 1024;

/// A byte range of `Report::text` that the provider attributes to a source. Attributed, not verified.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Citation {
    pub start: usize,
    pub end: usize,
    pub source: usize,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceLink {
    pub url: String,
    pub title: String,
}

/// Text of all output blocks joined, with citations re-based onto it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Report {
    pub text: String,
    pub citations: Vec<Citation>,
    pub sources: Vec<SourceLink>,
    /// Searches the provider reports having run.
    pub queries: Vec<String>,
    /// Its history, where it was worked out in rounds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rounds: Option<Box<RoundsRecord>>,
    /// The evidence of its sentences, where our own web engine gathered it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub web: Option<Box<WebRecord>>,
    /// Its claims, what was checked, and the verdict on each.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ledger: Option<Box<Ledger>>,
    /// Its run goes on: said where it is read, never stored.
    #[serde(skip)]
    pub is_draft: bool,
}

impl Report {
    /// The stored form. Plain data: encoding it cannot fail short of memory.
    pub fn encode(&self) -> Vec<u8> {
        serde_json::to_vec(self).unwrap_or_default()
    }

    pub fn decode(bytes: &[u8]) -> Result<Self, serde_json::Error> {
        serde_json::from_slice(bytes)
    }

    /// A report without a visible character is no report.
    pub fn is_empty(&self) -> bool {
        crate::text::block(&self.text).trim().is_empty()
    }
}
