//! A written section as typed blocks. Markdown is made of them by rule: a model's words never act as markup.

use serde::{Deserialize, Serialize};

use super::id::QuoteId;

/// The form in which a part of the outline is to be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BlockKind {
    #[default]
    Prose,
    List,
    Table,
    /// A table of several things side by side, and what follows from it in prose.
    Comparison,
}

impl BlockKind {
    pub const ALL: [Self; 4] = [Self::Prose, Self::List, Self::Table, Self::Comparison];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Prose => "prose",
            Self::List => "list",
            Self::Table => "table",
            Self::Comparison => "comparison",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SentenceKind {
    /// States what quotations say; stays only with their ids.
    #[default]
    Fact,
    /// Follows from what quotations say; brings no number and no name of its own.
    Inference,
    /// Leads from one thought to the next and states nothing.
    Link,
}

impl SentenceKind {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Fact => "fact",
            Self::Inference => "inference",
            Self::Link => "link",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Sentence {
    pub text: String,
    /// For an inference: the quotations that it rests on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub quotes: Vec<QuoteId>,
    #[serde(default)]
    pub kind: SentenceKind,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "block", rename_all = "kebab-case")]
pub enum Block {
    Heading { text: String },
    Paragraph { sentences: Vec<Sentence> },
    List { items: Vec<Sentence> },
    Table(Table),
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Table {
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub caption: String,
    /// The first column names the rows.
    pub columns: Vec<TableColumn>,
    pub rows: Vec<TableRow>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TableColumn {
    pub heading: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub unit: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TableRow {
    /// What the row is about; it needs no citation.
    pub name: String,
    /// One for each column after the first.
    pub cells: Vec<TableCell>,
}

/// Without a quotation it says "not found"; a value is never guessed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TableCell {
    pub text: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub quotes: Vec<QuoteId>,
}
