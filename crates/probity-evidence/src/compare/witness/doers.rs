//! Who did it, without a name: "opened by the mayor" where the page lets somebody else do it.

use super::{Scene, agents::is_by, doubt};
use crate::{
    compare::{
        ComparisonAspect, ComparisonRemark,
        page_comparison::sentence_at,
        reading::{Reading, ReadingWord},
        senses::Sense,
    },
    words::WordKind,
};

/// Tokens of whoever stands behind "by".
const DOER_REACH: usize = 4;
/// Telling words of what was done that the sentence must have.
const DEED_WORDS_MIN: usize = 2;

pub(super) fn doubts(scene: &Scene<'_, '_>) -> Vec<ComparisonRemark> {
    if scene.mine.is_dense || scene.i_have(Sense::Not) {
        return Vec::new();
    }
    let places = (1..scene.mine.tokens.len()).filter(|at| is_by(&scene.mine, *at));
    places.into_iter().find_map(|at| by_nobody_of_it(scene, at)).into_iter().collect()
}

/// The sentence with all of the deed has nothing of whoever the claim lets do it.
fn by_nobody_of_it(scene: &Scene<'_, '_>, at: usize) -> Option<ComparisonRemark> {
    let tokens = &scene.mine.tokens;
    let valued = |token: &ReadingWord| {
        scene.mine.numbers.iter().any(|number| number.start <= token.start && token.start < number.end)
            || scene.mine.dates.iter().any(|date| date.start <= token.start && token.start < date.end)
    };
    let behind = tokens.iter().skip(at + 1).take(DOER_REACH).take_while(|token| !token.begins_clause);
    // "By 2030" and "by a third" are by nobody.
    if behind.clone().any(|token| token.kind != WordKind::Plain || valued(token)) {
        return None;
    }
    let doer: Vec<&ReadingWord> = behind.filter(|token| token.is_content).collect();
    let head = doer.first()?;
    let deed: Vec<&ReadingWord> = tokens.iter().take(at).filter(|token| token.is_content).collect();
    let best = scene.best()?;
    let done = deed.iter().filter(|word| best.reading.has(&word.plain)).count();
    let is_same = done >= DEED_WORDS_MIN && 3 * done >= 2 * deed.len();
    // Only whoever the page speaks of elsewhere: what it does not have at all may be another word for the same.
    if !is_same || !scene.source.facts.has_plain(&head.plain) {
        return None;
    }
    let has_doer = |reading: &Reading<'_>| doer.iter().any(|word| reading.has(&word.plain));
    let earlier = best.reading.base.checked_sub(1).and_then(|end| sentence_at(scene.source.page, end));
    let earlier = earlier.map(|earlier| Reading::of_sentence(scene.source, &earlier));
    if has_doer(&best.reading) || earlier.is_some_and(|earlier| has_doer(&earlier)) {
        return None;
    }
    let part = (head.start, doer.last().map_or(head.end, |last| last.end));
    let written = scene.claim.text.get(part.0..part.1).unwrap_or_default();
    let reason = format!("the page's sentence about it does not have \"{written}\"");
    Some(doubt(ComparisonAspect::Attribution, part, Some(best.reading.span()), reason))
}
