//! "Before" and "after" against the years that the page gives for the two things.

use super::{
    Scene,
    courses::readings,
    doubt,
    elsewhere::{has_word, long_parts},
    offices::is_same,
};
use crate::compare::{
    ComparisonAspect, ComparisonRemark,
    reading::{Reading, ReadingWord},
    senses::Sense,
};

/// What a part of a sentence must have of one of the two things; a name counts twice.
const EVENT_SCORE_MIN: usize = 2;
/// Words of one thing by which its sentences are looked for.
const LOOKED_UP_MAX: usize = 3;

const BEFORE: &[&str] = &[
    "before",
    "bevor",
    "ehe",
    "avant",
    "antes",
    "voordat",
    "przed",
    "zanim",
    "прежде",
    "перед",
    "innan",
    "قبل",
];
const AFTER: &[&str] =
    &["after", "nachdem", "apres", "despues", "dopo", "depois", "nadat", "после", "efter", "بعد"];

/// Which of two things came first, by the claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ClaimedOrder {
    FirstThenSecond,
    SecondThenFirst,
}

/// What the page has of one thing.
struct DatedEvent {
    year: i32,
    span: (usize, usize),
    /// Where its part begins.
    start: usize,
}

pub(super) fn doubts(scene: &Scene<'_, '_>, is_foreign: bool) -> Vec<ComparisonRemark> {
    turned_round(scene, is_foreign).into_iter().collect()
}

fn turned_round(scene: &Scene<'_, '_>, is_foreign: bool) -> Option<ComparisonRemark> {
    // A year of the claim's own is compared elsewhere.
    if scene.mine.is_dense || !scene.mine.dates.is_empty() || scene.i_have(Sense::Not) {
        return None;
    }
    let tokens = &scene.mine.tokens;
    let is_order =
        |token: &ReadingWord| BEFORE.contains(&token.plain.as_str()) || AFTER.contains(&token.plain.as_str());
    let at = tokens.iter().position(is_order)?;
    let word = tokens.get(at)?;
    let is_before = BEFORE.contains(&word.plain.as_str());
    let (first, second, order) = if at == 0 {
        // "After the fire, the hall was closed."
        let border = 1 + tokens.iter().skip(1).position(|token| token.begins_clause)?;
        let order = if is_before { ClaimedOrder::SecondThenFirst } else { ClaimedOrder::FirstThenSecond };
        (tokens.get(1..border)?, tokens.get(border..)?, order)
    } else {
        let order = if is_before { ClaimedOrder::FirstThenSecond } else { ClaimedOrder::SecondThenFirst };
        (tokens.get(..at)?, tokens.get(at + 1..)?, order)
    };
    let (one, other) = (dated(scene, first, second, is_foreign)?, dated(scene, second, first, is_foreign)?);
    let differs = match order {
        ClaimedOrder::FirstThenSecond => one.year > other.year,
        ClaimedOrder::SecondThenFirst => one.year < other.year,
    };
    if !differs || one.start == other.start {
        return None;
    }
    let written = scene.claim.text.get(word.start..word.end).unwrap_or_default();
    let reason = format!("page: {} and {}; claim: \"{written}\"", one.year, other.year);
    Some(doubt(ComparisonAspect::Comparison, (word.start, word.end), Some(one.span), reason))
}

/// The year beside most of the words that only this thing has; none where several years have as many.
fn dated(
    scene: &Scene<'_, '_>,
    thing: &[ReadingWord],
    against: &[ReadingWord],
    is_foreign: bool,
) -> Option<DatedEvent> {
    let own: Vec<&ReadingWord> =
        thing.iter().filter(|token| token.is_content && !has_word(against, token)).collect();
    let is_name = |token: &ReadingWord| token.is_capital && token.start > 0;
    let score = |part: &[ReadingWord]| -> usize {
        let there = |word: &&&ReadingWord| match is_name(word) {
            true => part.iter().any(|token| is_same(token, word)),
            false => !is_foreign && has_word(part, word),
        };
        own.iter().filter(there).map(|word| 1 + usize::from(is_name(word))).sum()
    };
    let mut best: Option<(usize, DatedEvent)> = None;
    let mut is_tied = false;
    let mut see = |reading: &Reading<'_>| {
        for part in long_parts(reading) {
            let (Some(first), Some(last)) = (part.first(), part.last()) else { continue };
            let inside =
                reading.dates.iter().filter(|date| first.start <= date.start && date.start < last.end);
            let mut years: Vec<i32> = inside.filter_map(|date| date.year).collect();
            years.dedup();
            let [year] = years.as_slice() else { continue };
            let found = score(part);
            let most = best.as_ref().map_or(0, |(most, _)| *most);
            if found > most {
                best = Some((found, DatedEvent { year: *year, span: reading.span(), start: first.start }));
                is_tied = false;
            } else if found == most && best.as_ref().is_some_and(|(_, known)| known.year != *year) {
                is_tied = true;
            }
        }
    };
    let looked_up = own.iter().filter(|word| scene.source.facts.has_plain(&word.plain)).take(LOOKED_UP_MAX);
    for word in looked_up {
        readings(scene, word).iter().for_each(&mut see);
    }
    best.filter(|(most, _)| *most >= EVENT_SCORE_MIN && !is_tied).map(|(_, event)| event)
}
