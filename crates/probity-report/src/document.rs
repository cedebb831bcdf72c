//! The document: everything that is shown of a finished run, in plain values.
//!
//! A promise to others: it is written as JSON with a published schema. Texts in it are foreign; invisible
//! control characters are removed, nothing is escaped for any output format.

pub mod prose;
pub mod verdict;

use probity_types::ledger::AttentionGroup;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use prose::{ReportBlock, ReportHeading, TextRun, TextSpan};
pub use verdict::DisplayVerdict;

/// Version of these shapes; raised when a reader of the old ones would misread.
pub const SCHEMA_VERSION: u32 = 1;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Document")]
pub struct ReportDocument {
    pub schema_version: u32,
    pub id: String,
    pub question: String,
    /// First heading of the text, or the question.
    pub title: String,
    /// ISO 639-1, where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    pub answer: AnswerMetadata,
    pub verified: ReportVerification,
    /// Claims that a source could say, by verdict; verdicts without a claim are left out.
    pub counts: Vec<VerdictCount>,
    pub outline: Vec<ReportHeading>,
    pub blocks: Vec<ReportBlock>,
    /// Where in `blocks` the text's own list of sources begins, if it ends with one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub list_of_sources_at: Option<usize>,
    pub claims: Vec<ReportClaim>,
    pub sources: Vec<ReportSource>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conflicts: Vec<ReportConflict>,
    /// Numbers of sources that carry the same text with other figures.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub altered: Vec<(u32, u32)>,
    /// Why claims were not checked, most frequent first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_checked: Vec<UncheckedClaims>,
    /// What of the text was not examined, because it is beyond a limit.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_examined: Vec<String>,
    /// What was not looked up, not read or not written, and what a bound of this document left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<String>,
    /// What had to be put right in the report's citations.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mended: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub queries: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub costs: Vec<CostRow>,
    pub written_at: String,
    pub program: String,
}

/// How the answer came about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Answer")]
pub struct AnswerMetadata {
    pub status: String,
    pub engine: String,
    pub model: String,
    pub asked_at: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub took_seconds: Option<u64>,
    /// None: nobody counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_micro_usd: Option<u64>,
    /// `from-usage`, `at-least`, `unknown` or `nothing`.
    pub cost_basis: String,
    /// `$0.42`, `at least $0.42`, `cost unknown`
    pub cost: String,
    pub searches: u32,
    // Pages that the research read, as every answer counts them; those that were opened to check its citations are not
    // among them.
    pub pages: u32,
    /// What to know before reading: that the text is partial and why, how its rounds ended, what was cut.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// Whether the report is verified, by which rule, and on what that rests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Verified")]
pub struct ReportVerification {
    pub verified: bool,
    /// Why it is verified, or why not.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// When a report is called verified.
    pub rule: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence_holds: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model_says: Option<bool>,
    /// Factual sentences, each counted once; 0 where none was checked.
    #[serde(default)]
    pub factual: u32,
    #[serde(default)]
    pub factual_supported: u32,
    /// `23 of 25 supported, 1 contradicted, 1 uncited`
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub fraction: String,
    /// Uncited sentences that say only what supported ones say.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub restated: Vec<String>,
    pub load_bearing: u32,
    pub load_bearing_supported: u32,
    pub contradicted: u32,
    pub contested: u32,
    /// Claims that keep it from being verified.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failing: Vec<String>,
    /// Supported by one origin only.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub single_origin: Vec<String>,
    /// The model that judged meaning; none where nobody answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge: Option<String>,
    /// The judge is known to be the model that wrote the text.
    pub judge_wrote_it: bool,
    /// `passed` its exam, `trusted` by the settings without one, `unexamined` or `failed`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub judge_standing: String,
    /// How the judge did: `38 of 40 in the exam, 11 of 11 controls in this report`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge_exam: Option<String>,
    /// Whoever was asked about what the judge calls supported, and how that went: `second judge m (39 of 40 in the exam)
    /// agrees on 7 of 8 claims and disputes 1`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub second_judge: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Count")]
pub struct VerdictCount {
    pub verdict: DisplayVerdict,
    pub claims: u32,
}

/// One checkable sentence, its verdict, and what that rests on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Claim")]
pub struct ReportClaim {
    /// `C12`
    pub id: String,
    pub words: String,
    /// `fact`, `derived`, `inference`, `own-words` or `question`.
    pub kind: String,
    /// A source could say it. Own words and questions are not counted and not marked.
    pub checkable: bool,
    pub load_bearing: bool,
    /// Line of the text, from 1; 0 in documents from before lines were told.
    #[serde(default)]
    pub line: usize,
    /// The heading it stands under.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub section: Option<String>,
    /// The claims that an inference rests on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rests_on: Vec<String>,
    /// What a reader looks at together: `contradicted`, `not-in-source`, `uncited`, … `supported`; none where there is
    /// nothing to look at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    pub verdict: DisplayVerdict,
    /// The verdict as a sentence for people.
    pub told: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// What was looked at to decide: `meaning`, `number`, `quotation` and so on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judged_on: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judged_by: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judged_at: Option<String>,
    /// In percent; none where nothing was judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<u8>,
    /// Independent origins that support it.
    pub origins: u32,
    /// Numbers of the sources that it cites.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cites: Vec<u32>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<EvidencePassage>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<ReportCheck>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub derived: Option<ReportDerivation>,
}

/// A passage of a stored page, with what stands around it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Evidence")]
pub struct EvidencePassage {
    /// Number of the source.
    pub source: u32,
    pub part: PassageRole,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub before: String,
    pub passage: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub after: String,
    /// Byte range in the page's extracted text.
    pub start: usize,
    pub end: usize,
}

/// What a passage did for the verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "Part")]
pub enum PassageRole {
    /// The verdict rests on it.
    Decided,
    /// Another check looked here.
    Checked,
    /// It was laid before the judge.
    Shown,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Check")]
pub struct ReportCheck {
    pub aspect: String,
    pub opinion: String,
    pub by: String,
    pub confidence: u8,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<u32>,
    pub at: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
}

/// A figure that was computed again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Derived")]
pub struct ReportDerivation {
    pub formula: String,
    pub stated: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub computed: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub holds: Option<bool>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Source")]
pub struct ReportSource {
    /// From 1, as the text cites it.
    pub number: u32,
    /// Empty where it has none that can be opened.
    pub url: String,
    pub title: String,
    pub host: String,
    pub state: ReportSourceState,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fetched_at: Option<String>,
    /// As the page says it, mostly `YYYY-MM-DD`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<String>,
    /// How the page was come by, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provenance: Option<String>,
    /// Address of the archived copy that was read instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub archive: Option<String>,
    /// Names the stored bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<String>,
    /// Sources with the same number are not independent of each other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<u32>,
    /// Why it could not be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why_unread: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// How many claims cite it.
    pub cited_by: u32,
    /// How they stand: `7 claims, 1 contradicted, 6 supported`; empty where none cites it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub standing: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "State")]
pub enum ReportSourceState {
    /// Its bytes are stored: anyone can look at what was read.
    Kept,
    Unreachable,
    /// Named by the report; nobody tried to read it.
    NotTried,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Conflict")]
pub struct ReportConflict {
    pub claim: String,
    /// Further claims that rest on one of the same two passages: the disagreement is told once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<String>,
    pub about: String,
    pub left: EvidencePassage,
    pub right: EvidencePassage,
    /// Copies of one text that differ: one of them was altered.
    pub same_origin: bool,
}

impl ReportConflict {
    /// The claims that it is about, in the order of the text.
    pub fn claims(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.claim.as_str()).chain(self.also.iter().map(String::as_str))
    }

    fn is_same_disagreement(&self, other: &Self) -> bool {
        let sides = (&self.left, &self.right);
        sides == (&other.left, &other.right) || sides == (&other.right, &other.left)
    }

    /// Each disagreement once, with all its claims: ten sentences that rest on one passage are not ten disagreements.
    pub fn told_once(conflicts: impl Iterator<Item = Self>) -> Vec<Self> {
        let mut told: Vec<Self> = Vec::new();
        for conflict in conflicts {
            match told.iter_mut().find(|before| before.is_same_disagreement(&conflict)) {
                Some(before) if before.claims().any(|claim| claim == conflict.claim) => {}
                Some(before) => before.also.push(conflict.claim),
                None => told.push(conflict),
            }
        }
        told
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "NotChecked")]
pub struct UncheckedClaims {
    pub why: String,
    pub claims: Vec<String>,
}

/// What one step cost.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CostRow {
    pub label: String,
    pub micro_usd: u64,
    pub calls: u32,
}

impl ReportClaim {
    /// Whether one origin supports it and another source disagrees.
    pub fn is_contested(&self) -> bool {
        self.group.as_deref() == Some(AttentionGroup::Contested.name())
    }

    /// Why it has its verdict: what was found about this claim, else what the verdict means.
    pub fn why(&self) -> &str {
        if self.reason.is_empty() { &self.told } else { &self.reason }
    }

    /// Its verdict in a few words.
    pub fn label(&self) -> &'static str {
        if self.is_contested() { "supported, and another source disagrees" } else { self.verdict.label() }
    }

    /// `inference from C3, C7`, to be shown wherever the claim is; none for what is none.
    pub fn inference_mark(&self) -> Option<String> {
        (!self.rests_on.is_empty()).then(|| format!("inference from {}", self.rests_on.join(", ")))
    }
}

impl ReportSource {
    /// Address, dates, and whether it was read.
    pub(crate) fn note(&self) -> String {
        let parts = [
            Some(self.url.clone()).filter(|url| !url.is_empty()),
            self.published.as_ref().map(|date| format!("published {date}")),
            self.fetched_at.as_deref().and_then(|at| at.get(..10)).map(|day| format!("fetched {day}")),
            self.why_unread.as_ref().map(|why| format!("not read: {why}")),
        ];
        parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }
}

impl ReportDocument {
    /// When, by which model, for how much, and whether it is verified, in one line.
    pub(crate) fn facts(&self) -> String {
        let answer = &self.answer;
        let when = answer.ended_at.as_deref().unwrap_or(&answer.asked_at).get(..10).unwrap_or_default();
        let verified = if self.verified.verified { "verified" } else { "not verified" };
        format!("{when} · {} · {} · {verified}: {}", answer.model, answer.cost, self.verified.reason)
    }

    pub fn source(&self, number: u32) -> Option<&ReportSource> {
        let place = self.sources.binary_search_by_key(&number, |source| source.number).ok()?;
        self.sources.get(place)
    }

    pub fn claim(&self, id: &str) -> Option<&ReportClaim> {
        let number: usize = id.strip_prefix('C')?.parse().ok()?;
        self.claims.get(number.checked_sub(1)?).filter(|claim| claim.id == id)
    }

    pub fn checkable(&self) -> impl Iterator<Item = &ReportClaim> {
        self.claims.iter().filter(|claim| claim.checkable)
    }

    /// Claims grouped by what needs attention first.
    pub fn groups(&self) -> Vec<(AttentionGroup, Vec<&ReportClaim>)> {
        let of = |group: AttentionGroup| {
            self.claims.iter().filter(move |claim| claim.group.as_deref() == Some(group.name()))
        };
        let all = AttentionGroup::ALL.into_iter().map(|group| (group, of(group).collect::<Vec<_>>()));
        all.filter(|(_, claims)| !claims.is_empty()).collect()
    }

    /// Every checkable claim, what needs attention first.
    pub(crate) fn claims_by_attention(&self) -> Vec<&ReportClaim> {
        let grouped = self.groups().into_iter().flat_map(|(_, claims)| claims);
        grouped.chain(self.checkable().filter(|claim| claim.group.is_none())).collect()
    }

    /// The line below a sentence: that of its strictest verdict, or of a dispute.
    pub(crate) fn underline(&self, claims: &[String]) -> Option<(&'static str, &'static str)> {
        let is_contested = claims.iter().filter_map(|id| self.claim(id)).any(ReportClaim::is_contested);
        let of_dispute = || DisplayVerdict::Qualified.underline().filter(|_| is_contested);
        self.strictest_verdict(claims).and_then(DisplayVerdict::underline).or_else(of_dispute)
    }

    /// The strictest verdict of these claims; none where nothing is checkable.
    pub fn strictest_verdict(&self, claims: &[String]) -> Option<DisplayVerdict> {
        let known = claims.iter().filter_map(|id| self.claim(id)).filter(|claim| claim.checkable);
        known.map(|claim| claim.verdict).min_by_key(|verdict| verdict.rank())
    }
}
