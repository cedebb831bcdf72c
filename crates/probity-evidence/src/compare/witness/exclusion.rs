//! Another of its kind: a word of the claim in whose place the page has one that excludes it.

use super::{Scene, SceneSentence, direction::beside_the_same, doubt};
use crate::compare::{
    ComparisonAspect, ComparisonRemark,
    reading::{Reading, related},
    senses::{Sense, SensePlace},
};

/// Share of the claim that a sentence must have for its other member of a field to count.
const SAME_TOPIC: f32 = 0.2;
/// Sentences that may have the claim's own word.
const SENTENCES: usize = 2;

pub(super) fn doubts(scene: &Scene<'_, '_>) -> Vec<ComparisonRemark> {
    other_member(scene).into_iter().collect()
}

pub(super) fn members(places: &[SensePlace]) -> impl Iterator<Item = (u8, u8, &SensePlace)> {
    places.iter().filter_map(|place| match place.sense {
        Sense::Member(field, member) => Some((field, member, place)),
        _ => None,
    })
}

/// The claim says "ferry", and the sentence with the rest of its words says "tram" and no ferry.
fn other_member(scene: &Scene<'_, '_>) -> Option<ComparisonRemark> {
    let near = || scene.sentences.iter().take(SENTENCES).filter(|sentence| sentence.is_about(SAME_TOPIC));
    // `Orange` of a company is no fruit.
    let is_name = |reading: &Reading<'_>, place: &SensePlace| {
        let token = place.token.and_then(|token| reading.tokens.get(token));
        reading.is_english && token.is_some_and(|token| token.is_capital && token.start != reading.base)
    };
    for (field, member, place) in members(&scene.my_senses) {
        if is_name(&scene.mine, place) {
            continue;
        }
        let is_mine = |wanted: u8| members(&scene.my_senses).any(|(of, one, _)| of == field && one == wanted);
        let stands = near().any(|sentence| {
            members(&sentence.senses).any(|(of, one, _)| of == field && one == member)
                || has_word(scene, place, &sentence.reading)
        });
        if stands {
            continue;
        }
        let theirs = near().find_map(|sentence| {
            let other = members(&sentence.senses).find(|(of, one, their)| {
                *of == field
                    && !is_mine(*one)
                    && !is_name(&sentence.reading, their)
                    && beside_the_same(scene, place, sentence, their)
            });
            other.map(|(_, _, place)| (sentence, place))
        });
        if let Some((sentence, other)) = theirs {
            return Some(instead(scene, (place.start, place.end), sentence, (other.start, other.end)));
        }
    }
    None
}

/// The word itself, in a form that the list does not know.
fn has_word(scene: &Scene<'_, '_>, place: &SensePlace, reading: &Reading<'_>) -> bool {
    let token = place.token.and_then(|token| scene.mine.tokens.get(token));
    token.is_some_and(|token| reading.tokens.iter().any(|other| related(&other.plain, &token.plain)))
}

fn instead(
    scene: &Scene<'_, '_>,
    part: (usize, usize),
    sentence: &SceneSentence<'_>,
    other: (usize, usize),
) -> ComparisonRemark {
    let written = scene.claim.text.get(part.0..part.1).unwrap_or_default();
    let shown = scene.source.page.text().get(other.0..other.1).unwrap_or_default();
    let reason = format!("the page says \"{shown}\" where the claim says \"{written}\"");
    doubt(ComparisonAspect::Scope, part, Some(sentence.reading.span()), reason)
}
