//! Two things that changed places: those that are compared, those of two statements, and two figures in another language.
//! What stands in the claim stands in one sentence of the page too, in the other order.

use super::{Scene, SceneSentence, direction::sides, doubt, roles::JOINTS};
use crate::{
    compare::{
        ComparisonAspect, ComparisonRemark,
        page_comparison::sentence_at,
        reading::{Reading, ReadingWord, related},
        senses::{QUANTITY, Sense, SensePlace},
    },
    value::{Quantity, QuantityForm},
    words::WordKind,
};

/// Places of one figure that are looked at.
const PLACES_MAX: usize = 4;
/// Figures below this stand anywhere.
const FIGURE_MIN: f64 = 3.0;
/// Share of the claim that a sentence must have for its clauses to be compared.
const SAME_TOPIC: f32 = 0.5;

pub(super) fn doubts(scene: &Scene<'_, '_>, is_foreign: bool) -> Vec<ComparisonRemark> {
    if is_foreign {
        return figures_in_other_order(scene).into_iter().collect();
    }
    compared(scene).into_iter().chain(crossed(scene)).collect()
}

/// The token of "than" in a reading.
fn than(places: &[SensePlace]) -> Option<usize> {
    places.iter().find(|place| place.sense == Sense::Than).and_then(|place| place.token)
}

/// The one way in which a reading compares; none where it takes both or says no.
fn way(reading: &Reading<'_>, places: &[SensePlace]) -> Option<bool> {
    let found = sides(reading, places).into_iter().filter(|(topic, ..)| *topic == QUANTITY);
    let ways: Vec<bool> = found.map(|(_, side, _, negated)| side != negated).collect();
    let first = ways.first().copied()?;
    ways.iter().all(|way| *way == first).then_some(first)
}

/// "Men gained more than women" where the page has "larger in women than in men".
fn compared(scene: &Scene<'_, '_>) -> Option<ComparisonRemark> {
    let at = than(&scene.my_senses)?;
    let mine = way(&scene.mine, &scene.my_senses)?;
    let tokens = &scene.mine.tokens;
    let is_side = |token: &&ReadingWord| {
        token.is_content
            && token.kind == WordKind::Plain
            && !scene
                .my_senses
                .iter()
                .any(|place| place.start == token.start && matches!(place.sense, Sense::Pole(QUANTITY, _)))
    };
    let right = tokens.iter().skip(at + 1).find(is_side)?;
    for sentence in &scene.sentences {
        let reading = &sentence.reading;
        let Some(there) = than(&sentence.senses) else { continue };
        if way(reading, &sentence.senses) != Some(mine) {
            continue;
        }
        let before = reading.tokens.get(..there).unwrap_or_default();
        let behind = reading.tokens.get(there + 1..).unwrap_or_default();
        let has = |part: &[ReadingWord], word: &ReadingWord| {
            part.iter().any(|token| token.is_content && related(&token.plain, &word.plain))
        };
        // Behind the claim's "than" stands what is before the page's, and the other way round.
        let left = tokens.iter().take(at).filter(is_side).find(|left| {
            has(behind, left) && !has(before, left) && has(before, right) && !has(behind, right)
        });
        if let Some(left) = left {
            let page = scene.source.page.text();
            let shown = page.get(reading.span().0..reading.span().1).unwrap_or_default();
            let reason = format!("the page compares the other way round: \"{}\"", short(shown));
            let part = (left.start, right.end);
            return Some(doubt(ComparisonAspect::Comparison, part, Some(reading.span()), reason));
        }
    }
    None
}

/// Letters of a sentence that a reason shows.
const SHOWN_LETTERS: usize = 120;

fn short(text: &str) -> &str {
    text.char_indices().nth(SHOWN_LETTERS).and_then(|(end, _)| text.get(..end)).unwrap_or(text)
}

/// The parts of a reading between commas and joints, each with what tells something in it.
fn parts<'r>(reading: &'r Reading<'_>) -> Vec<Vec<&'r ReadingWord>> {
    let mut found: Vec<Vec<&ReadingWord>> = vec![Vec::new()];
    for token in &reading.tokens {
        if token.begins_clause || JOINTS.contains(&token.plain.as_str()) {
            found.push(Vec::new());
        }
        if let Some(last) = found.last_mut().filter(|_| token.is_content && token.kind == WordKind::Plain) {
            last.push(token);
        }
    }
    found.retain(|part| !part.is_empty());
    found
}

/// The only part that has a word; none where several have it.
fn part_with(parts: &[Vec<&ReadingWord>], word: &ReadingWord) -> Option<usize> {
    let has = |part: &Vec<&ReadingWord>| part.iter().any(|token| related(&token.plain, &word.plain));
    let mut places = parts.iter().enumerate().filter(|(_, part)| has(part)).map(|(place, _)| place);
    let first = places.next()?;
    places.next().is_none().then_some(first)
}

/// "Trams by day and buses at night" where the page has "trams at night, buses by day".
fn crossed(scene: &Scene<'_, '_>) -> Option<ComparisonRemark> {
    let mine = parts(&scene.mine);
    if scene.mine.is_dense || mine.len() < 2 || scene.i_have(Sense::Not) {
        return None;
    }
    let near = scene.sentences.iter().filter(|sentence| sentence.share >= SAME_TOPIC);
    near.into_iter().find_map(|sentence| crossed_in(scene, &mine, sentence))
}

fn crossed_in(
    scene: &Scene<'_, '_>,
    mine: &[Vec<&ReadingWord>],
    sentence: &SceneSentence<'_>,
) -> Option<ComparisonRemark> {
    let theirs = parts(&sentence.reading);
    // Where on the page the words of a part of the claim stand that are in one part of both only.
    let places = |part: &[&ReadingWord]| -> Vec<usize> {
        let own = part.iter().filter(|word| part_with(mine, word).is_some());
        let mut found: Vec<usize> = own.filter_map(|word| part_with(&theirs, word)).collect();
        found.sort_unstable();
        found.dedup();
        found
    };
    let spread: Vec<Vec<usize>> = mine.iter().map(|part| places(part)).collect();
    // Both take words from the same two parts of the page, and from no other.
    let mut pairs = spread.iter().zip(spread.iter().skip(1));
    if !pairs.any(|(one, other)| one.len() == 2 && one == other) {
        return None;
    }
    let reading = &sentence.reading;
    let reason = format!("the page puts the parts together otherwise: \"{}\"", short(reading.text));
    let whole = (0, scene.claim.text.len());
    Some(doubt(ComparisonAspect::Scope, whole, Some(reading.span()), reason))
}

/// Between two figures of which one is part of the other, or comes from it: their order says nothing.
const OF: &[&str] = &[
    "of", "out", "from", "von", "aus", "sur", "des", "de", "del", "su", "dei", "van", "из", "z", "av", "in",
];

/// "22 people, among them 185 doctors" where the page, in another language, has 185 first and then 22.
fn figures_in_other_order(scene: &Scene<'_, '_>) -> Option<ComparisonRemark> {
    let is_figure = |number: &&&Quantity| {
        number.form == QuantityForm::Digits
            && number.value >= FIGURE_MIN
            && !scene.mine.dates.iter().any(|date| date.start <= number.start && number.start < date.end)
    };
    let figures: Vec<&&Quantity> = scene.mine.numbers.iter().filter(is_figure).collect();
    let [first, second] = figures.as_slice() else { return None };
    let between =
        scene.mine.tokens.iter().filter(|token| first.end <= token.start && token.end <= second.start);
    let is_part = between.into_iter().any(|token| OF.contains(&token.plain.as_str()));
    if is_part
        || first.agrees(second)
        || scene.i_have(Sense::Against)
        || first.unit.measure != second.unit.measure
    {
        return None;
    }
    let both = scene.source.facts.values.numbers.iter().filter(|theirs| first.agrees(theirs));
    for theirs in both.take(PLACES_MAX) {
        let Some(sentence) = sentence_at(scene.source.page, theirs.start) else { continue };
        let reading = Reading::of_sentence(scene.source, &sentence);
        let place = |mine: &Quantity| {
            let mut found = reading.numbers.iter().filter(|theirs| mine.agrees(theirs));
            let start = found.next().map(|theirs| theirs.start)?;
            found.next().is_none().then_some(start)
        };
        let (Some(one), Some(other)) = (place(first), place(second)) else { continue };
        if other < one {
            let reason = format!("the page has the figures in the other order: \"{}\"", short(reading.text));
            let part = (first.start, second.end);
            return Some(doubt(ComparisonAspect::Scope, part, Some(reading.span()), reason));
        }
    }
    None
}
