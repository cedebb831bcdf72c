//! Sentences of a report and what they claim.

use std::{borrow::Cow, fmt, str::FromStr};

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
    /// A conclusion from other claims, which `rests_on` names: no page has to say it, it has to follow from them.
    Inference,
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

/// What a reader has beside the words of a claim. It says what the claim is about; it is never itself what is checked.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ClaimContext {
    /// The headings above it, the outermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub headings: Vec<String>,
    /// The sentence that announces the list or the table it is in.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub stem: String,
    /// The headers of its row's cells, as they stand in its words before each cell.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<String>,
    /// The sentences before it that say what its pronouns mean; empty if it can do without.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub before: String,
    /// Words of it that name who reports it ("As Reuters reported"): the page need not name itself.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
}

impl ClaimContext {
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Everything that says what the claim is about, in reading order, for a judge that takes plain text only.
    pub fn joined(&self) -> String {
        let parts = self.headings.iter().chain([&self.stem, &self.before]);
        parts.filter(|part| !part.is_empty()).map(String::as_str).collect::<Vec<_>>().join(" — ")
    }
}

/// Where the citation stands that a claim without one of its own takes over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum InheritedCitation {
    /// Behind a later sentence of the paragraph.
    Paragraph,
    /// In the sentence that announces the list, in the item above, or in the item that names its sources.
    List,
    /// In the heading, the caption or the note of the table.
    Table,
    /// In the heading of the section, in the line at its end that names its sources, or behind the sentences that it
    /// draws together.
    Section,
}

impl InheritedCitation {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Paragraph => "further on in its paragraph",
            Self::List => "with its list",
            Self::Table => "beside its table",
            Self::Section => "for its section",
        }
    }
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
    /// Boxed: few claims have one, and a report may have ten thousand claims.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub derived: Option<Box<DerivedFigure>>,
    #[serde(default, skip_serializing_if = "ClaimContext::is_empty")]
    pub context: ClaimContext,
    /// It has no citation of its own: `cites` is what stands there. Nothing is held against it because such a page lacks
    /// it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inherited: Option<InheritedCitation>,
    /// The claim of the running text that this row of a table says again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeats: Option<ClaimId>,
    /// The claims that an inference is drawn from; empty for everything else.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rests_on: Vec<ClaimId>,
}

impl Claim {
    /// A source could say it or not, it names one, or it follows from other claims or not.
    pub fn is_checkable(&self) -> bool {
        match self.kind {
            ClaimKind::Fact | ClaimKind::Derived | ClaimKind::Inference => true,
            ClaimKind::OwnWords | ClaimKind::Question => !self.cites.is_empty(),
        }
    }

    /// `inference from C3, C7`, to be shown wherever the claim is; none for what is none.
    pub fn inference_mark(&self) -> Option<String> {
        let is_inference = match self.kind {
            ClaimKind::Inference => true,
            ClaimKind::Fact | ClaimKind::Derived | ClaimKind::OwnWords | ClaimKind::Question => false,
        };
        let premises: Vec<String> = self.rests_on.iter().map(ToString::to_string).collect();
        is_inference.then(|| format!("inference from {}", premises.join(", ")))
    }

    /// The words that a page must have: without the names of those who report it, and with a border before each
    /// header of a row, which begins anew.
    pub fn words_to_compare(&self) -> Cow<'_, str> {
        let mut words = Cow::Borrowed(self.words.as_str());
        for header in &self.context.columns {
            words = Cow::Owned(words.replacen(&format!("; {header}: "), &format!(" | {header}: "), 1));
        }
        for label in self.context.labels.iter().filter(|label| !label.is_empty()) {
            if let Some((before, after)) = words.split_once(label.as_str()) {
                let gap = if before.ends_with(' ') { after.trim_start() } else { after };
                words = Cow::Owned(format!("{before}{gap}"));
            }
        }
        words
    }
}

#[cfg(test)]
mod tests {
    use super::{Claim, ClaimContext};

    #[test]
    fn a_claim_of_an_older_journal_has_no_context() {
        let old = r#"{"id":"C1","start":0,"end":5,"words":"It is.","kind":"fact","load_bearing":true}"#;
        let claim: Claim = serde_json::from_str(old).unwrap();
        assert!(claim.context.is_empty() && claim.inherited.is_none() && claim.repeats.is_none());
        assert!(claim.rests_on.is_empty() && claim.inference_mark().is_none());
        assert_eq!(serde_json::to_string(&claim).unwrap(), old);
    }

    #[test]
    fn an_inference_names_the_claims_it_rests_on() {
        let stored = r#"{"id":"C9","start":0,"end":5,"words":"So it is.","kind":"inference","load_bearing":false,"rests_on":["C3","C7"]}"#;
        let claim: Claim = serde_json::from_str(stored).unwrap();
        assert_eq!(claim.inference_mark().as_deref(), Some("inference from C3, C7"));
        assert!(claim.is_checkable() && !claim.is_factual());
        assert_eq!(serde_json::to_string(&claim).unwrap(), stored);
    }

    #[test]
    fn who_reports_it_is_not_looked_for_on_the_page() {
        let old = r#"{"id":"C1","start":0,"end":5,"words":"As Reuters reported, it fell.","kind":"fact","load_bearing":true}"#;
        let mut claim: Claim = serde_json::from_str(old).unwrap();
        claim.context = ClaimContext { labels: vec!["Reuters".to_owned()], ..ClaimContext::default() };
        assert_eq!(claim.words_to_compare(), "As reported, it fell.");
    }
}
