//! How much contradicts a claim, as one number: a logistic combination of what was not found.
//!
//! The weights were learned on the development half of WiCE (figure `veto`, which learns them again and
//! says if they differ). A low number says nothing: it refutes and routes, it never passes.

use super::{Comparison, ComparisonAspect, claim::ClaimFacts, page_comparison::PageComparison};
use crate::value::QuantityForm;

/// Signs that are weighed.
pub const COUNT: usize = 13;

/// Their names, in the order of the weights.
pub const NAMES: [&str; COUNT] = [
    "numbers absent",
    "spelled numbers absent",
    "years absent",
    "days absent",
    "names absent",
    "parts of names absent",
    "capitalised words missing",
    "words missing from passages",
    "words missing from the page",
    "how many are missing",
    "words missing from the best sentence",
    "neighbours missing",
    "numbers elsewhere only",
];

pub const WEIGHTS: [f32; COUNT] =
    [0.62, 0.32, 1.06, 0.73, 0.50, 0.60, 0.93, 0.52, 0.39, 0.63, 0.77, 0.74, 0.57];
pub const BIAS: f32 = -1.24;

/// From here on a claim counts as not in its source, whatever single parts say. Chosen on
/// the development half for at most 2.5 % false alarms, because claims never seen before raise about twice as many.
pub const BAR: f32 = 2.25;
/// From here on a single missing date or name decides. Chosen with `BAR`.
pub const BAR_WITH_PART: f32 = 0.9;
/// How often `BAR` is right, in percent: 37 of 37 times on the development half, where one error would leave 97.
pub const BAR_PERCENT: u8 = 97;

/// Doubt above which nobody's word that a claim is supported is believed: it keeps 95 of 100 supported claims of the
/// development half (figure `judge_chain`, which learns it again and says if it differs).
pub const SUPPORT_DOUBT_MAX: f32 = 1.34;

/// The signs of one comparison, each between 0 and about 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VetoFeatures(pub [f32; COUNT]);

impl VetoFeatures {
    pub(super) fn of(claim: &ClaimFacts<'_>, examined: &PageComparison) -> Self {
        let remarks =
            |aspect: ComparisonAspect, finding: Comparison, percent: std::ops::RangeInclusive<u8>| {
                let wanted = examined
                    .remarks
                    .iter()
                    .filter(move |remark| remark.aspect == aspect && remark.finding == finding);
                wanted.filter(move |remark| percent.contains(&remark.confidence))
            };
        let absent = |aspect, percent| remarks(aspect, Comparison::Absent, percent).count();
        let spelled = |part: (usize, usize)| {
            let word = |form: QuantityForm| matches!(form, QuantityForm::Word | QuantityForm::Ordinal);
            claim.values.numbers.iter().any(|number| number.start == part.0 && word(number.form))
        };
        let words = remarks(ComparisonAspect::Number, Comparison::Absent, 50..=100)
            .any(|remark| spelled(remark.part));
        let missing = examined.on_page.iter().filter(|there| !**there).count();
        let up_to_one = |count: usize, full: f32| (count as f32 / full).min(1.0);
        Self([
            flag(absent(ComparisonAspect::Number, 70..=100) > 0),
            flag(words),
            flag(absent(ComparisonAspect::Date, 80..=100) > 0),
            flag(absent(ComparisonAspect::Date, 50..=79) > 0),
            up_to_one(absent(ComparisonAspect::Name, 58..=100), 3.0),
            up_to_one(absent(ComparisonAspect::Name, 0..=100), 4.0),
            up_to_one(capitals_missing(claim, examined), 4.0),
            1.0 - examined.coverage(),
            1.0 - examined.coverage_of_page(),
            up_to_one(missing, 16.0),
            1.0 - examined.single,
            1.0 - examined.neighbours,
            flag(remarks(ComparisonAspect::Number, Comparison::Agrees, 60..=60).count() > 0),
        ])
    }

    /// The log-odds that the claim is not supported.
    pub fn doubt(&self) -> f32 {
        self.0.iter().zip(WEIGHTS).map(|(value, weight)| value * weight).sum::<f32>() + BIAS
    }
}

fn flag(yes: bool) -> f32 {
    f32::from(u8::from(yes))
}

fn capitals_missing(claim: &ClaimFacts<'_>, examined: &PageComparison) -> usize {
    let capital = |start: usize| {
        claim.text.get(start..).and_then(|rest| rest.chars().next()).is_some_and(char::is_uppercase)
    };
    claim
        .content
        .iter()
        .zip(&examined.on_page)
        .filter(|(content, there)| !**there && capital(content.start))
        .count()
}

/// The signs of a claim beside its sources, for learning.
pub fn features(claim: &str, sources: &[super::ComparisonSource<'_>]) -> Option<VetoFeatures> {
    let claim = ClaimFacts::of(claim);
    let examined =
        sources.iter().map(|source| PageComparison::of(&claim, source)).reduce(PageComparison::or)?;
    Some(VetoFeatures::of(&claim, &examined))
}
