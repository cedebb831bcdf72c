//! The report's text as blocks of runs: one run is a sentence or the text between two, with the claims it
//! makes.
//!
//! Runs contain flat spans instead of nested markup: a sentence may begin inside bold text and end after it,
//! and a flat span needs no splitting of trees.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A heading of the text, for the outline.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Heading")]
pub struct ReportHeading {
    pub level: u8,
    pub text: String,
    /// `part-3`: never made of foreign words.
    pub anchor: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "kebab-case")]
#[schemars(rename = "Block")]
pub enum ReportBlock {
    Heading {
        level: u8,
        anchor: String,
        runs: Vec<TextRun>,
    },
    Paragraph {
        runs: Vec<TextRun>,
    },
    List {
        /// Number of the first item; none for bullets.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        first: Option<u64>,
        items: Vec<ListItem>,
    },
    Quote {
        blocks: Vec<ReportBlock>,
    },
    Code {
        #[serde(default, skip_serializing_if = "String::is_empty")]
        language: String,
        text: String,
    },
    Table {
        head: Vec<TableCell>,
        rows: Vec<Vec<TableCell>>,
    },
    Rule,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Item")]
pub struct ListItem {
    pub blocks: Vec<ReportBlock>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Cell")]
pub struct TableCell {
    pub runs: Vec<TextRun>,
}

/// A sentence, or what lies between two.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Run")]
pub struct TextRun {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub claims: Vec<String>,
    pub spans: Vec<TextSpan>,
}

/// Text of one look.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Span")]
pub struct TextSpan {
    pub text: String,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub strong: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub emphasis: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub struck: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub code: bool,
    /// A web address; never another scheme.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
    /// An image that is never loaded: `text` is what it is called, `link` where it lies.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub image: bool,
    /// Numbers of the sources that stand here as a mark of citation; `text` is the mark.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cites: Vec<u32>,
    /// A line ends here.
    #[serde(default, skip_serializing_if = "std::ops::Not::not", rename = "break")]
    pub line_break: bool,
}

impl TextSpan {
    /// Whether two spans look the same and can be one.
    pub fn continues(&self, next: &Self) -> bool {
        let plain = |span: &Self| !span.image && span.cites.is_empty() && !span.line_break;
        let look = |span: &Self| (span.strong, span.emphasis, span.struck, span.code, span.link.clone());
        plain(self) && plain(next) && look(self) == look(next)
    }
}

/// The plain words of runs.
pub fn plain(runs: &[TextRun]) -> String {
    let spans = runs.iter().flat_map(|run| &run.spans);
    spans.map(|span| if span.line_break { " " } else { span.text.as_str() }).collect()
}
