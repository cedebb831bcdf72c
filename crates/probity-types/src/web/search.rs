//! One query to one search provider, and its reply.

use serde::{Deserialize, Serialize};

use super::bill::Bill;
pub use super::providers::{ProviderName, SearchDepth};

/// Most results taken from one answer; every provider's own ceiling lies near it.
pub const HITS_MAX: usize = 20;
/// Longest title and snippet kept of a result, in characters: they go into the journal.
pub const TITLE_CHARACTERS_MAX: usize = 160;
pub const SNIPPET_CHARACTERS_MAX: usize = 400;
/// Longest address taken; browsers and servers refuse longer ones too.
pub const URL_BYTES_MAX: usize = 2048;
/// Longest query sent: the narrowest provider takes 400 characters.
pub const QUERY_CHARACTERS_MAX: usize = 400;

/// What the user asked of the sources.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SearchFilters {
    /// `YYYY-MM-DD`, both ends included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub domains: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub domains_excluded: Vec<String>,
    /// ISO 639-1, such as `de`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub languages: Vec<String>,
}

impl SearchFilters {
    pub fn is_empty(&self) -> bool {
        self == &Self::default()
    }
}

/// How a filter was applied. Never better than it is: a provider's parameter is asked, our own check
/// enforces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FilterEnforcement {
    /// The provider has no such parameter and we cannot tell from its results.
    NotPossible,
    /// Passed to the provider; the results were not checked.
    Asked,
    /// Results that do not fit were removed by us.
    Enforced,
}

/// `None` where nothing of the kind was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct FilterReport {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dates: Option<FilterEnforcement>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub domains: Option<FilterEnforcement>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub languages: Option<FilterEnforcement>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchCall {
    pub provider: ProviderName,
    pub query: String,
    pub max_results: u32,
    pub depth: SearchDepth,
    #[serde(default, skip_serializing_if = "SearchFilters::is_empty")]
    pub filters: SearchFilters,
}

/// One result. Title and snippet are foreign text: cleaned and bounded, never trusted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchHit {
    pub url: String,
    pub title: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub snippet: String,
    /// As the provider gives it; `YYYY-MM-DD` where it could be parsed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<String>,
}

/// A usable reply. "Nothing, because the engines failed" is a `CodedError` instead.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SearchReply {
    /// Best first, at most `HITS_MAX`.
    pub hits: Vec<SearchHit>,
    #[serde(default)]
    pub heeded: FilterReport,
    /// Engines behind the provider that did not answer, with their reason; the hits are those of the others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub silent_engines: Vec<String>,
    pub bill: Bill,
}
