//! The record of a finished run on the web engine, stored with its report.

use serde::{Deserialize, Serialize};

use super::{
    note::{NoteFact, Quote},
    page::{InjectionSign, PageRecord},
    receipt::SearchReceipt,
    search::{FilterReport, ProviderName},
    strategy::Strategy,
};
use crate::{error::CodedError, id::Digest};

/// How far the pages were kept away from everything that can act.
pub const TRUST_CLASS: &str = "quarantined";

/// Why nothing more is gathered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WebStop {
    /// The question needs no search.
    NotNeeded,
    /// Nothing is left to ask.
    Enough,
    /// Another attempt no longer helped.
    Saturated,
    /// All attempts that the plan allows were used.
    Limit,
    Budget,
    Deadline,
    /// Every search failed.
    Failure,
    Cancelled,
    /// The user wanted no more searching.
    Finished,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WebRecord {
    pub strategy: Strategy,
    /// None in reports of releases that did not measure it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quality: Option<ResearchQuality>,
    pub stop: WebStop,
    pub attempts: u32,
    /// None: made of quotations, without a model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    pub trust_class: String,
    pub searches: Vec<RecordedSearch>,
    pub pages: Vec<RecordedPage>,
    pub notes: Vec<RecordedNote>,
    pub sentences: Vec<RecordedSentence>,
    /// The queries, where they were sent, and what could not be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub receipt: Option<SearchReceipt>,
    /// Quotations and facts that a model returned and that are on no page.
    pub invented: u32,
    /// What was not searched, not read or not written, and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_checked: Vec<String>,
}

/// What was found, counted: never a model's opinion of its own result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ResearchQuality {
    /// Parts of the question that were looked for, and those that have a quotation.
    pub questions: u32,
    pub questions_answered: u32,
    /// Origins that were quoted, copies counted once.
    pub independent_origins: u32,
    /// Values inside quotations that stand on a stored page.
    pub facts: u32,
    /// Of them, those that the last attempt added: few say that another one would have brought little.
    pub facts_of_last_attempt: u32,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedSearch {
    pub attempt: u32,
    pub provider: ProviderName,
    pub query: String,
    pub results: u32,
    #[serde(default)]
    pub heeded: FilterReport,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub silent_engines: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<CodedError>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedPage {
    pub record: PageRecord,
    pub snapshot: Digest,
    pub extract: Digest,
    pub title: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// Pages with the same number are not independent of each other.
    pub origin: usize,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub signs: Vec<InjectionSign>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedNote {
    /// Position in `pages`.
    pub page: u32,
    pub question: String,
    pub quotes: Vec<Quote>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<NoteFact>,
}

/// A sentence of the report with its evidence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedSentence {
    /// Byte range in the report's text.
    pub start: usize,
    pub end: usize,
    /// Positions in `notes`; none means that only the model says it.
    pub notes: Vec<u32>,
    /// Independent origins among them.
    pub origins: u32,
    /// It concludes from what its notes say, and no page has to say it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub inference: bool,
}
