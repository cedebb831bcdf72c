//! Sentences of a report and what they claim.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// `C1` is the first claim of its report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClaimId(u32);

impl ClaimId {
    /// The claim at this position of the list.
    pub fn at(place: usize) -> Self {
        Self(u32::try_from(place).unwrap_or(u32::MAX - 1) + 1)
    }

    pub fn place(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX).saturating_sub(1)
    }
}

impl fmt::Display for ClaimId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "C{}", self.0)
    }
}

impl FromStr for ClaimId {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let digits = text.trim().trim_start_matches(['C', 'c']);
        let number = digits.parse::<u32>().ok().filter(|number| *number > 0 && *number < u32::MAX);
        number.map(Self).ok_or_else(|| {
            format!("`{}` is not a claim; they are called C1, C2, …", crate::text::short(text, 20))
        })
    }
}

impl Serialize for ClaimId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for ClaimId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

/// A sentence of the report's text, with the claims that it makes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReportSentence {
    pub start: usize,
    pub end: usize,
    pub claims: Vec<ClaimId>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClaimKind {
    /// Something that a source can say or not.
    Fact,
    /// A figure computed from other claims.
    Derived,
    /// Headings, transitions, opinions: nothing that a source could say.
    OwnWords,
    Question,
}

/// A derived figure: recomputed here, whatever the text says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DerivedFigure {
    /// Over the names of `inputs`, such as `C4 * C7`.
    pub formula: String,
    pub inputs: Vec<DerivedInput>,
    /// As the report states it.
    pub stated: String,
    /// As computed here; none if it cannot be computed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub computed: Option<String>,
    pub holds: Option<bool>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DerivedInput {
    pub name: String,
    /// Value with its unit, as in the text.
    pub value: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim: Option<ClaimId>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claim {
    pub id: ClaimId,
    /// Byte range in the report's text.
    pub start: usize,
    pub end: usize,
    /// Its plain text: what is checked.
    pub words: String,
    pub kind: ClaimKind,
    /// A key claim: it has a number, a date, a name or a quotation, or it cites.
    pub load_bearing: bool,
    /// Positions in `Ledger::sources`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cites: Vec<u32>,
    /// What it puts between quotation marks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub quotations: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub derived: Option<DerivedFigure>,
}

impl Claim {
    /// A source could say it or not, or it names one.
    pub fn is_checkable(&self) -> bool {
        match self.kind {
            ClaimKind::Fact | ClaimKind::Derived => true,
            ClaimKind::OwnWords | ClaimKind::Question => !self.cites.is_empty(),
        }
    }
}
