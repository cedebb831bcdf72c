//! A reader's notes on one page: quotations that are there word for word, and facts inside them.

use serde::{Deserialize, Serialize};

/// Quotations kept of one page for one question.
pub const QUOTES_MAX: usize = 6;
/// Longest quotation, in bytes: a paragraph. Longer ones copy the page instead of pointing into it.
pub const QUOTE_BYTES_MAX: usize = 1200;
/// Facts kept of one page for one question.
pub const FACTS_MAX: usize = 12;

/// A byte range of the page's text, and the words there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Quote {
    pub start: usize,
    pub end: usize,
    pub text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FactKind {
    Number,
    Date,
    Name,
    Place,
    Other,
}

/// A value inside a quotation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoteFact {
    pub kind: FactKind,
    pub value: String,
    /// Position of the quotation in `ReaderNote::quotes`.
    pub quote: usize,
}

/// The notes on one page for one question.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ReaderNote {
    pub quotes: Vec<Quote>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<NoteFact>,
    /// Positions in the page's links that the reader would follow.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<usize>,
    /// Quotations and facts that the reader returned and that are not on the page.
    #[serde(default)]
    pub invented: u32,
}
