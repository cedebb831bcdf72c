//! A year of the claim beside a sentence that says "last year" of another one.

use super::{Scene, doubt};
use crate::compare::{
    ComparisonAspect, ComparisonRemark,
    relative::{relative_year, year_before},
};

/// Share of the claim that a sentence must have for its year to be the claim's.
const SAME_TOPIC: f32 = 0.4;

pub(super) fn doubts(scene: &Scene<'_, '_>) -> Vec<ComparisonRemark> {
    other_year(scene).into_iter().collect()
}

fn other_year(scene: &Scene<'_, '_>) -> Option<ComparisonRemark> {
    let published = scene.source.context.year_published?;
    let [date] = scene.mine.dates.as_slice() else { return None };
    let claimed = date.year?;
    let sentence = scene.best().filter(|best| best.share >= SAME_TOPIC)?;
    // A year that is written out beside it may be the one that is meant.
    if sentence.reading.dates.iter().any(|theirs| theirs.year == Some(claimed)) {
        return None;
    }
    // "The year before" of a year that the page names.
    let before = year_before(scene.source, sentence.reading.span());
    if before.is_some_and(|(year, _)| year == claimed) {
        return None;
    }
    let (named, words) = relative_year(sentence.reading.text, published)?;
    let reason = format!("the page is of {published} and says \"{words}\", the claim says {claimed}");
    let span = Some(sentence.reading.span());
    (named != claimed).then(|| doubt(ComparisonAspect::Date, (date.start, date.end), span, reason))
}
