//! Turned round by a small part: a figure by the side that its clause takes, a word by its prefix, a thing by the
//! preposition before it.

use super::{Scene, SceneSentence, direction::sides, doubt};
use crate::{
    compare::{
        ComparisonAspect, ComparisonRemark,
        page_comparison::sentence_at,
        reading::{Reading, ReadingWord, related},
        senses::{SensePlace, senses},
    },
    value::{Quantity, QuantityForm},
    words,
};

/// Share of the claim that a sentence must have for a turned word of it to count.
const SAME_TOPIC: f32 = 0.3;
/// Tokens between a figure and the word that says which way it went.
const SIDE_REACH: usize = 6;
/// Letters of a word that a prefix may turn round.
const TURNED_LETTERS_MIN: usize = 5;

pub(super) fn doubts(scene: &Scene<'_, '_>) -> Vec<ComparisonRemark> {
    let near = || scene.sentences.iter().take(2).filter(|sentence| sentence.is_about(SAME_TOPIC));
    let turned = near().find_map(|sentence| prefixed(scene, sentence).or_else(|| preposed(scene, sentence)));
    figure_side(scene).or(turned).into_iter().collect()
}

fn polarity(
    scene: &Scene<'_, '_>,
    mine: (usize, usize),
    span: (usize, usize),
    their: (usize, usize),
) -> ComparisonRemark {
    let written = scene.claim.text.get(mine.0..mine.1).unwrap_or_default();
    let shown = scene.source.page.text().get(their.0..their.1).unwrap_or_default();
    let reason = format!("the page says \"{shown}\" where the claim says \"{written}\"");
    doubt(ComparisonAspect::Polarity, mine, Some(span), reason)
}

/// "A profit of 4.2 million" where the page's 4.2 million are a loss, wherever else it speaks of a profit.
pub(super) fn figure_side(scene: &Scene<'_, '_>) -> Option<ComparisonRemark> {
    let is_figure = |number: &&&Quantity| number.form == QuantityForm::Digits && number.value > 2.0;
    for number in scene.mine.numbers.iter().filter(is_figure) {
        let values = &scene.source.facts.values;
        let mut agreeing = values.numbers.iter().filter(|theirs| number.agrees(theirs));
        let (Some(theirs), None) = (agreeing.next(), agreeing.next()) else { continue };
        let sentence = sentence_at(scene.source.page, theirs.start)?;
        let reading = Reading::of_sentence(scene.source, &sentence);
        let their_senses = senses(&reading);
        let (mine, other) =
            (side_of(&scene.mine, &scene.my_senses, number), side_of(&reading, &their_senses, theirs));
        let both =
            |sides: &[FigureSide], topic: u8| sides.iter().filter(|one| one.topic == topic).count() > 1;
        for one in mine.iter().filter(|one| !both(&mine, one.topic)) {
            let against = other.iter().find(|theirs| {
                theirs.topic == one.topic && theirs.side != one.side && theirs.negated == one.negated
            });
            if let Some(against) = against.filter(|against| !both(&other, against.topic)) {
                let (start, end) = (one.place.start, one.place.end);
                return Some(polarity(
                    scene,
                    (start, end),
                    reading.span(),
                    (against.place.start, against.place.end),
                ));
            }
        }
    }
    None
}

struct FigureSide {
    topic: u8,
    side: bool,
    negated: bool,
    place: SensePlace,
}

/// The sides of opposites that stand in the clause of a figure, near it.
fn side_of(reading: &Reading<'_>, places: &[SensePlace], number: &Quantity) -> Vec<FigureSide> {
    let at = reading.tokens.partition_point(|token| token.end <= number.start);
    let is_near = |place: &SensePlace| {
        let Some(token) = place.token else { return false };
        let (from, to) = (token.min(at), token.max(at));
        let parted = reading.tokens.iter().skip(from + 1).take(to - from).any(|token| token.begins_clause);
        to - from <= SIDE_REACH && !parted
    };
    let found = sides(reading, places).into_iter().filter(|(_, _, place, _)| is_near(place));
    let all: Vec<FigureSide> =
        found.map(|(topic, side, place, negated)| FigureSide { topic, side, negated, place }).collect();
    // "Fell to 6.3 million because of higher prices": the nearer word is the figure's own.
    let distance = |side: &FigureSide| side.place.token.map_or(0, |token| token.abs_diff(at));
    let nearest =
        |topic: u8| all.iter().filter(|side| side.topic == topic).map(distance).min().unwrap_or_default();
    let own: Vec<bool> = all.iter().map(|side| distance(side) <= nearest(side.topic) + 1).collect();
    all.into_iter().zip(own).filter_map(|(side, is_own)| is_own.then_some(side)).collect()
}

/// What makes a word its own opposite.
const PREFIXES: &[&str] = &["un", "in", "im", "ir", "il", "non", "dis", "anti", "des", "не", "nie"];

/// "Sufficient" for "insufficient".
fn prefixed(scene: &Scene<'_, '_>, sentence: &SceneSentence<'_>) -> Option<ComparisonRemark> {
    let turned = |long: &str, short: &str| {
        PREFIXES.iter().any(|prefix| {
            long.strip_prefix(prefix).is_some_and(|rest| {
                rest.chars().count() >= TURNED_LETTERS_MIN && words::stem(rest) == words::stem(short)
            })
        })
    };
    let has_prefix = |token: &ReadingWord| PREFIXES.iter().any(|prefix| token.plain.starts_with(prefix));
    let theirs: Vec<(&ReadingWord, bool)> =
        sentence.reading.content().map(|token| (token, has_prefix(token))).collect();
    let any_of_theirs = theirs.iter().any(|(_, is_prefixed)| *is_prefixed);
    for mine in scene.mine.content().filter(|token| token.plain.chars().count() >= TURNED_LETTERS_MIN) {
        let is_prefixed = has_prefix(mine);
        if !(is_prefixed || any_of_theirs) || sentence.reading.has(&mine.plain) {
            continue;
        }
        let opposite = theirs.iter().find(|(their, their_prefixed)| {
            let is_turned = (*their_prefixed && turned(&their.plain, &mine.plain))
                || (is_prefixed && turned(&mine.plain, &their.plain));
            is_turned && !scene.mine.tokens.iter().any(|token| token.plain == their.plain)
        });
        if let Some((their, _)) = opposite {
            return Some(polarity(
                scene,
                (mine.start, mine.end),
                sentence.reading.span(),
                (their.start, their.end),
            ));
        }
    }
    None
}

/// Prepositions of which one excludes the other before the same word.
const PREPOSITIONS: &[(&str, &str)] = &[
    ("above", "below"),
    ("over", "under"),
    ("inside", "outside"),
    ("with", "without"),
    ("uber", "unter"),
    ("innerhalb", "ausserhalb"),
    ("mit", "ohne"),
    ("avec", "sans"),
    ("con", "sin"),
    ("con", "senza"),
    ("com", "sem"),
    ("sopra", "sotto"),
    ("sobre", "bajo"),
    ("acima", "abaixo"),
    ("boven", "onder"),
    ("met", "zonder"),
    ("с", "без"),
    ("выше", "ниже"),
    ("z", "bez"),
    ("powyzej", "ponizej"),
    ("فوق", "تحت"),
];

/// "Above the limit" for "below the limit".
fn preposed(scene: &Scene<'_, '_>, sentence: &SceneSentence<'_>) -> Option<ComparisonRemark> {
    let led: fn(&Reading<'_>, usize) -> Option<usize> = |reading, at| {
        // An article may stand between.
        let near = reading.tokens.iter().enumerate().skip(at + 1).take(2);
        near.into_iter().find(|(_, token)| token.is_content).map(|(place, _)| place)
    };
    let opposite = |word: &str, other: &str| {
        PREPOSITIONS
            .iter()
            .any(|(one, two)| (word == *one && other == *two) || (word == *two && other == *one))
    };
    let theirs = &sentence.reading;
    let is_preposition = |word: &str| PREPOSITIONS.iter().any(|(one, two)| word == *one || word == *two);
    for (at, token) in scene.mine.tokens.iter().enumerate().filter(|(_, token)| is_preposition(&token.plain))
    {
        let Some(thing) = led(&scene.mine, at).and_then(|place| scene.mine.tokens.get(place)) else {
            continue;
        };
        let before_it = |other: &dyn Fn(&ReadingWord) -> bool| {
            theirs.tokens.iter().enumerate().find(|(place, their)| {
                let same = || led(theirs, *place).and_then(|place| theirs.tokens.get(place));
                other(their) && same().is_some_and(|same| related(&same.plain, &thing.plain))
            })
        };
        let stands = before_it(&|their| their.plain == token.plain).is_some();
        if let Some((_, their)) = before_it(&|their| opposite(&token.plain, &their.plain)).filter(|_| !stands)
        {
            return Some(polarity(scene, (token.start, thing.end), theirs.span(), (their.start, their.end)));
        }
    }
    None
}
