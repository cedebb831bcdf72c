//! Sources that disagree about one claim.

use crate::compare::{Aspect, Comparison, Finding, Remark};

/// A remark below this does not make a conflict.
const SURE_PERCENT: u8 = 60;

/// The source that has the claim's value and its place there, one that has another, and what it is about.
pub type Between = ((usize, (usize, usize)), (usize, (usize, usize)), String);

/// One page has what the claim says and another has something else in the same place.
pub fn between(single: &[Comparison]) -> Option<Between> {
    let value = |remark: &&Remark| {
        matches!(remark.aspect, Aspect::Number | Aspect::Unit | Aspect::Date | Aspect::Polarity)
            && remark.confidence >= SURE_PERCENT
    };
    for (right, comparison) in single.iter().enumerate() {
        let differing =
            comparison.remarks.iter().filter(value).filter(|remark| remark.finding == Finding::Differs);
        for differs in differing {
            let agreeing =
                single.iter().enumerate().filter(|(left, _)| *left != right).find_map(|(left, other)| {
                    let agrees =
                        |remark: &&Remark| remark.part == differs.part && remark.finding == Finding::Agrees;
                    Some((left, other.remarks.iter().find(agrees)?.span?))
                });
            if let (Some(left), Some(span)) = (agreeing, differs.span) {
                return Some((left, (right, span), differs.reason.clone()));
            }
        }
    }
    None
}
