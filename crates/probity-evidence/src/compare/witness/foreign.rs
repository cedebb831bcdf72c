//! A claim in another language than its page: what the lists of all languages tell apart without a translation. The
//! sentence that is meant is found by its figures, its names and the words of the lists that both have.

use super::{Scene, SceneSentence, direction, doubt, exclusion::members, has, naming::same_name, turns};
use crate::compare::{ComparisonAspect, ComparisonRemark, senses::Sense};

/// Things in common before a missing negation counts.
const COMMON_MIN: usize = 2;

pub(super) fn doubts(scene: &Scene<'_, '_>) -> Vec<ComparisonRemark> {
    let most = scene.sentences.iter().map(|sentence| common(scene, sentence)).max().unwrap_or(0);
    if most == 0 {
        return Vec::new();
    }
    let meant: Vec<&SceneSentence<'_>> =
        scene.sentences.iter().filter(|sentence| common(scene, sentence) == most).collect();
    let opposed = turns::figure_side(scene)
        .or_else(|| meant.iter().find_map(|sentence| opposed_figure(scene, &meant, sentence)));
    let negated = || {
        meant.first().filter(|_| meant.len() == 1 && most >= COMMON_MIN).and_then(|one| negation(scene, one))
    };
    let other = other_member(scene, &meant);
    opposed.or_else(negated).into_iter().chain(other).collect()
}

/// An opposite in a sentence that has one of the claim's figures, if the claim has any: "born" of another year is no
/// opposite of "died".
fn opposed_figure(
    scene: &Scene<'_, '_>,
    meant: &[&SceneSentence<'_>],
    sentence: &SceneSentence<'_>,
) -> Option<ComparisonRemark> {
    let has_figures = !(scene.mine.numbers.is_empty() && scene.mine.dates.is_empty());
    // A sentence beside it that takes the claim's side is the one that is meant.
    let mut mine = scene.my_senses.iter().filter(|mine| matches!(mine.sense, Sense::Pole(..)));
    let agreed = mine.any(|mine| {
        meant.iter().any(|other| (!has_figures || other.anchors > 0) && has(&other.senses, mine.sense))
    });
    if agreed || (has_figures && sentence.anchors == 0) {
        return None;
    }
    direction::opposite_in(scene, sentence, false)
}

/// Figures, names, and words of the lists that the sentence shares with the claim.
fn common(scene: &Scene<'_, '_>, sentence: &SceneSentence<'_>) -> usize {
    let name = |token: &String| sentence.reading.tokens.iter().any(|other| same_name(&other.plain, token));
    let names = scene.claim.names.iter().filter(|mention| mention.tokens.iter().any(name)).count();
    let topics = scene.my_senses.iter().filter(|mine| match mine.sense {
        Sense::Pole(topic, _) => sentence
            .senses
            .iter()
            .any(|theirs| matches!(theirs.sense, Sense::Pole(other, _) if other == topic)),
        Sense::Member(..) => has(&sentence.senses, mine.sense),
        _ => false,
    });
    sentence.anchors + names + topics.count()
}

fn negation(scene: &Scene<'_, '_>, sentence: &SceneSentence<'_>) -> Option<ComparisonRemark> {
    let mine = direction::denies(&scene.mine, &scene.my_senses);
    let theirs = direction::denies(&sentence.reading, &sentence.senses);
    if mine == theirs || direction::explained(scene, sentence) {
        return None;
    }
    let reason = match mine {
        true => "the claim negates, the page's sentence does not",
        false => "the page's sentence negates, the claim does not",
    };
    let whole = (0, scene.claim.text.len());
    Some(doubt(ComparisonAspect::Polarity, whole, Some(sentence.reading.span()), reason.to_owned()))
}

/// Another member of a field than the claim's, which no sentence has.
fn other_member(scene: &Scene<'_, '_>, meant: &[&SceneSentence<'_>]) -> Option<ComparisonRemark> {
    for (field, member, place) in members(&scene.my_senses) {
        if scene.sentences.iter().any(|sentence| has(&sentence.senses, Sense::Member(field, member))) {
            continue;
        }
        let is_mine = |wanted: u8| has(&scene.my_senses, Sense::Member(field, wanted));
        let theirs = meant.iter().find_map(|sentence| {
            let other = members(&sentence.senses).find(|(of, one, _)| *of == field && !is_mine(*one));
            other.map(|(_, _, place)| (sentence, place))
        });
        if let Some((sentence, other)) = theirs {
            let written = scene.claim.text.get(place.start..place.end).unwrap_or_default();
            let shown = scene.source.page.text().get(other.start..other.end).unwrap_or_default();
            let reason = format!("the page says \"{shown}\" where the claim says \"{written}\"");
            let span = Some(sentence.reading.span());
            return Some(doubt(ComparisonAspect::Scope, (place.start, place.end), span, reason));
        }
    }
    None
}
