//! Compares a claim with the page it cites: what contradicts it, and what the page leaves open.
//!
//! Rules only. These rules may refute, block and route; there is no value for "supported" in these types.

mod bounded_dates;
mod claim;
mod common_words;
mod denial;
mod derive;
mod exchange;
mod facts;
mod header_units;
mod item_remarks;
mod other_parts;
mod other_scales;
mod page_comparison;
mod reading;
mod relative;
pub(crate) mod reported;
mod senses;
mod sentence_remarks;
mod stated;
pub mod veto;
mod witness;

pub use claim::ClaimFacts;
pub use facts::PageFacts;
pub(crate) use item_remarks::neighbour_words;

use crate::{locate::LocatedPassage, names, page::IndexedPage, words};
use page_comparison::PageComparison;

/// What a remark is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ComparisonAspect {
    Number,
    Unit,
    Date,
    Name,
    Polarity,
    Comparison,
    Hedge,
    Scope,
    Attribution,
    Freshness,
    Coverage,
}

impl ComparisonAspect {
    /// A number and its unit are one part of a claim.
    fn kin(self) -> Self {
        if self == Self::Unit { Self::Number } else { self }
    }
}

/// The page's relation to one part of the claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Comparison {
    Agrees,
    /// The page says less: it hedges, narrows or rounds.
    Weakens,
    /// The page does not have it.
    Absent,
    /// The page has something else in the same place: it contradicts the claim.
    Differs,
}

/// One part of the claim, compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComparisonRemark {
    pub aspect: ComparisonAspect,
    pub finding: Comparison,
    /// Bytes of the claim.
    pub part: (usize, usize),
    /// Bytes of the page's text.
    pub span: Option<(usize, usize)>,
    /// Short, for people.
    pub reason: String,
    /// In percent: how often such a remark was right on labelled data.
    pub confidence: u8,
    /// A sentence of the page says the rest of the claim in the claim's own words: what differs there is another
    /// statement, not another wording. For words that are missing altogether: the claim names somebody or something,
    /// and the page none of them.
    pub is_restated: bool,
}

/// Where the rules lean. "Open" is the best a claim can get here: nothing was found against it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RuleLeaning {
    Open,
    Qualified,
    NotInSource,
    Contradicted,
}

#[derive(Debug, Clone, PartialEq)]
pub struct ClaimComparison {
    pub remarks: Vec<ComparisonRemark>,
    /// What decides nothing and is worth a judge's look.
    pub doubts: Vec<ComparisonRemark>,
    /// Share of the claim's content words in the best passages, rare words counting more.
    pub coverage: f32,
    /// How likely the claim is not supported: the log-odds of `veto`.
    pub doubt: f32,
    pub leaning: RuleLeaning,
}

impl ClaimComparison {
    /// The page goes on with a reservation or a condition that the claim leaves out: its words may well stand there, and
    /// what it says does not.
    pub fn drops_reservation(&self) -> bool {
        self.doubts.iter().any(|doubt| doubt.aspect == ComparisonAspect::Hedge)
    }
}

/// What is known besides the texts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ComparisonContext {
    /// The year in which the claim was written.
    pub year_now: Option<i32>,
    /// The year in which the page was published or last changed.
    pub year_published: Option<i32>,
}

/// A prepared page and the passages for this claim.
#[derive(Debug, Clone, Copy)]
pub struct ComparisonSource<'a> {
    pub page: &'a IndexedPage,
    pub facts: &'a PageFacts,
    pub passages: &'a [LocatedPassage],
    pub context: ComparisonContext,
}

/// A remark below this is shown, but does not decide.
const DECIDES_PERCENT: u8 = 60;
/// A missing part with this confidence needs no other sign.
const DECIDES_ALONE_PERCENT: u8 = 90;
/// Remarks kept for one claim; a sentence has fewer parts.
const REMARKS_MAX: usize = 64;

/// Doubts kept for one claim.
const DOUBTS_MAX: usize = 8;

/// Whether claim and page are written in different languages, as far as script and small words tell.
pub fn is_foreign(claim: &str, source: &ComparisonSource<'_>) -> bool {
    reading::is_foreign(claim, &words::words(claim), source)
}

/// Compares a claim with the one page it cites.
pub fn compare(claim: &str, source: &ComparisonSource<'_>) -> ClaimComparison {
    compare_all(claim, std::slice::from_ref(source))
}

/// Compares a claim with all pages it cites: a part is absent only if it is absent from every one of them.
pub fn compare_all(claim: &str, sources: &[ComparisonSource<'_>]) -> ClaimComparison {
    compare_claim(&ClaimFacts::of(claim), sources)
}

/// The same for a claim that was read before.
pub fn compare_claim(claim: &ClaimFacts<'_>, sources: &[ComparisonSource<'_>]) -> ClaimComparison {
    combine(claim, sources.iter().map(|source| PageComparison::of(claim, source)).reduce(PageComparison::or))
}

/// With all pages together, and with each alone if there are several.
pub fn compare_each(
    claim: &str,
    sources: &[ComparisonSource<'_>],
) -> (ClaimComparison, Vec<ClaimComparison>) {
    let claim = ClaimFacts::of(claim);
    let examined: Vec<PageComparison> =
        sources.iter().map(|source| PageComparison::of(&claim, source)).collect();
    let single = match examined.len() {
        0 | 1 => Vec::new(),
        _ => examined.iter().map(|examined| combine(&claim, Some(examined.clone()))).collect(),
    };
    (combine(&claim, examined.into_iter().reduce(PageComparison::or)), single)
}

fn combine(claim: &ClaimFacts<'_>, examined: Option<PageComparison>) -> ClaimComparison {
    let Some(examined) = examined else {
        return ClaimComparison {
            remarks: Vec::new(),
            doubts: Vec::new(),
            coverage: 0.0,
            doubt: 0.0,
            leaning: RuleLeaning::NotInSource,
        };
    };
    let features = veto::VetoFeatures::of(claim, &examined);
    // The words of another language are not expected on the page.
    let doubt = if examined.is_foreign { 0.0 } else { features.doubt() };
    let coverage = examined.coverage();
    let mut remarks = examined.remarks;
    if doubt >= veto::BAR {
        remarks.push(ComparisonRemark {
            aspect: ComparisonAspect::Coverage,
            finding: Comparison::Absent,
            part: (0, claim.text.len()),
            span: None,
            reason: format!(
                "the cited page has {:.0} % of the claim's words and too few of its details",
                100.0 * coverage
            ),
            confidence: veto::BAR_PERCENT,
            is_restated: names_nothing_of(&remarks, claim),
        });
    }
    remarks.sort_by_key(|remark| (std::cmp::Reverse(remark.finding), std::cmp::Reverse(remark.confidence)));
    remarks.truncate(REMARKS_MAX);
    let leaning = leaning(&remarks, doubt);
    let mut doubts = examined.doubts;
    doubts.truncate(DOUBTS_MAX);
    ClaimComparison { remarks, doubts, coverage, doubt, leaning }
}

/// Whether the page has none of the names, numbers and dates of a claim that has a name.
fn names_nothing_of(remarks: &[ComparisonRemark], claim: &ClaimFacts<'_>) -> bool {
    let is_detail = |remark: &&ComparisonRemark| match remark.aspect {
        ComparisonAspect::Number
        | ComparisonAspect::Unit
        | ComparisonAspect::Date
        | ComparisonAspect::Name => true,
        ComparisonAspect::Polarity
        | ComparisonAspect::Comparison
        | ComparisonAspect::Hedge
        | ComparisonAspect::Scope
        | ComparisonAspect::Attribution
        | ComparisonAspect::Freshness
        | ComparisonAspect::Coverage => false,
    };
    let names = remarks.iter().any(|remark| remark.aspect == ComparisonAspect::Name);
    let all_missing = remarks.iter().filter(is_detail).all(|remark| remark.finding == Comparison::Absent);
    names && all_missing && !names::is_german(&claim.words)
}

/// The strictest result of the remarks.
fn leaning(remarks: &[ComparisonRemark], doubt: f32) -> RuleLeaning {
    remarks.iter().map(|remark| remark_leaning(remark, doubt)).max().unwrap_or(RuleLeaning::Open)
}

/// The result of one remark. A part that is only missing decides by itself if it is nearly certain to be
/// needed, and otherwise together with the other signs.
pub fn remark_leaning(remark: &ComparisonRemark, doubt: f32) -> RuleLeaning {
    match remark.finding {
        _ if remark.confidence < DECIDES_PERCENT => RuleLeaning::Open,
        Comparison::Agrees => RuleLeaning::Open,
        Comparison::Weakens => RuleLeaning::Qualified,
        Comparison::Absent if remark.confidence >= DECIDES_ALONE_PERCENT || doubt >= veto::BAR_WITH_PART => {
            RuleLeaning::NotInSource
        }
        Comparison::Absent => RuleLeaning::Qualified,
        Comparison::Differs => RuleLeaning::Contradicted,
    }
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod true_claims;
