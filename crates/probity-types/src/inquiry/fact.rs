//! A value that a quotation states, in parts that can be compared with those of other quotations.

use serde::{Deserialize, Serialize};

/// Facts kept of one quotation.
pub const FACTS_PER_QUOTE_MAX: usize = 6;
/// Longest part of a fact, in characters: a name, a figure, a period.
pub const FACT_PART_CHARACTERS_MAX: usize = 120;

/// "Entity's attribute was value unit in period, as of date". Empty where the quotation does not say.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
pub struct TypedFact {
    pub entity: String,
    pub attribute: String,
    /// As the quotation writes it; the bank keeps a fact only where this stands in the quotation.
    pub value: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub unit: String,
    /// What the value holds for: `2024`, `Q3 2025`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub period: String,
    /// When it was said or measured.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub as_of: String,
}

/// What a quotation is, as the reader says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum QuoteRole {
    #[default]
    Finding,
    Method,
    Opinion,
    Forecast,
}

impl QuoteRole {
    pub const ALL: [Self; 4] = [Self::Finding, Self::Method, Self::Opinion, Self::Forecast];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Finding => "finding",
            Self::Method => "method",
            Self::Opinion => "opinion",
            Self::Forecast => "forecast",
        }
    }
}
