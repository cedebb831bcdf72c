//! Which way it went: opposites, negations, and comparisons that the page's own figures turn round.

use super::{Scene, SceneSentence, doubt, has, roles::own_words};
use crate::{
    compare::{
        ComparisonAspect, ComparisonRemark, denial, other_parts,
        reading::{Reading, ReadingWord, related},
        senses::{QUANTITY, Sense, SensePlace},
    },
    value::{Measure, Quantity, QuantityForm},
    words::WordKind,
};

/// Share of the claim that a sentence must have for its opposite to count.
const SAME_TOPIC: f32 = 0.3;
/// The same for a negation, which sentences about many things have.
const SAME_STATEMENT: f32 = 0.45;
/// The share from which a sentence is the claim in nearly the same words.
const SAME_WORDING: f32 = 0.6;
/// The share from which a sentence is the claim word for word, but for what differs.
const SAME_SENTENCE: f32 = 0.8;
/// Words between a negation and what it negates.
const NEGATION_REACH: usize = 4;

pub(super) fn doubts(scene: &Scene<'_, '_>) -> Vec<ComparisonRemark> {
    let opposed = opposite(scene);
    let negated = if opposed.is_none() { negation(scene) } else { None };
    let compared = by_years(scene).or_else(|| by_pair(scene)).or_else(|| by_subject(scene));
    opposed.into_iter().chain(negated).chain(compared).collect()
}

/// The sides of opposites that a reading takes, with whether each is negated. Bounds of numbers take no side.
pub(super) fn sides(reading: &Reading<'_>, places: &[SensePlace]) -> Vec<(u8, bool, SensePlace, bool)> {
    let mut found = Vec::new();
    for place in places {
        let Sense::Pole(topic, side) = place.sense else { continue };
        // `Old` of "Old Chicago" is a name.
        let token = place.token.and_then(|token| reading.tokens.get(token));
        if reading.is_english && token.is_some_and(|token| token.is_capital && token.start != reading.base) {
            continue;
        }
        if topic == QUANTITY && place.token.is_some_and(|token| is_bound(reading, token)) {
            continue;
        }
        found.push((topic, side, *place, is_negated(reading, places, place)));
    }
    found
}

/// "More than 50", "la plus faible": a bound or a superlative, no direction.
fn is_bound(reading: &Reading<'_>, at: usize) -> bool {
    let token = |place: usize| reading.tokens.get(place);
    let plain = |place: usize| token(place).map_or("", |token| token.plain.as_str());
    let is_number = |place: usize| {
        token(place).is_some_and(|token| {
            reading.numbers.iter().any(|number| number.start <= token.start && token.start < number.end)
        })
    };
    let linked = matches!(
        plain(at + 1),
        "than" | "als" | "de" | "que" | "di" | "من" | "чем" | "do" | "niz" | "dan" | "d" | "d'un"
    );
    let share = matches!(
        plain(at + 2),
        "half" | "un" | "une" | "a" | "la" | "der" | "einem" | "نصف" | "половины" | "metade" | "meta"
    );
    let before = at.checked_sub(1).map_or("", plain);
    let article =
        matches!(before, "le" | "la" | "les" | "el" | "los" | "las" | "il" | "o" | "i" | "gli" | "lo");
    let adverb = matches!(plain(at), "plus" | "mas" | "piu" | "mais" | "moins" | "menos" | "meno");
    is_number(at + 1) || (linked && (is_number(at + 2) || share || is_number(at + 3))) || (article && adverb)
}

pub(super) fn is_negated(reading: &Reading<'_>, places: &[SensePlace], of: &SensePlace) -> bool {
    places.iter().filter(|place| place.sense == Sense::Not).any(|not| match (not.token, of.token) {
        (Some(not), Some(of)) => {
            let clause = |from: usize, to: usize| {
                !reading
                    .tokens
                    .iter()
                    .skip(from + 1)
                    .take(to.saturating_sub(from))
                    .any(|token| token.begins_clause)
            };
            (not < of && of - not <= NEGATION_REACH && clause(not, of))
                || (of < not && not - of <= 3 && clause(of, not))
        }
        // Scripts without spaces: right before it, or in Japanese behind it.
        _ => {
            (not.end <= of.start && of.start - not.end <= 9)
                || (not.start >= of.end && not.start - of.end <= 15)
        }
    })
}

/// A word of the claim whose opposite the best sentence has instead.
fn opposite(scene: &Scene<'_, '_>) -> Option<ComparisonRemark> {
    let near = scene.sentences.iter().take(2).filter(|sentence| sentence.is_about(SAME_TOPIC));
    near.into_iter().find_map(|sentence| opposite_in(scene, sentence, true))
}

/// The same in one sentence. Where it is in the claim's language, a form of the claim's word in it excuses the opposite:
/// that is about something else.
pub(super) fn opposite_in(
    scene: &Scene<'_, '_>,
    sentence: &SceneSentence<'_>,
    is_same_language: bool,
) -> Option<ComparisonRemark> {
    let mine = sides(&scene.mine, &scene.my_senses);
    let theirs = sides(&sentence.reading, &sentence.senses);
    for (topic, side, place, negated) in &mine {
        let both = mine.iter().any(|(other, against, ..)| other == topic && against != side);
        let same = theirs.iter().any(|(other, like, ..)| other == topic && like == side);
        let word = scene.claim.text.get(place.start..place.end).unwrap_or_default();
        let stands = place.token.and_then(|token| scene.mine.tokens.get(token)).filter(|_| is_same_language);
        let stands = stands.is_some_and(|token| {
            sentence.reading.tokens.iter().any(|other| related(&other.plain, &token.plain))
        });
        let against = theirs
            .iter()
            .find(|(other, like, _, turned)| other == topic && like != side && turned == negated);
        let against = against.filter(|(_, _, their, _)| {
            !is_same_language
                || sentence.share >= SAME_WORDING
                || beside_the_same(scene, place, sentence, their)
        });
        if let Some((_, _, their, _)) = against.filter(|_| !both && !same && !stands) {
            let shown = scene.source.page.text().get(their.start..their.end).unwrap_or_default();
            let reason = format!("the page says \"{shown}\" where the claim says \"{word}\"");
            let span = Some(sentence.reading.span());
            return Some(doubt(ComparisonAspect::Polarity, (place.start, place.end), span, reason));
        }
    }
    None
}

/// Words around two opposites among which both have one in common.
const BESIDE_REACH: usize = 5;

/// Both say it of the same: a telling word near the one stands near the other too.
pub(super) fn beside_the_same(
    scene: &Scene<'_, '_>,
    mine: &SensePlace,
    sentence: &SceneSentence<'_>,
    theirs: &SensePlace,
) -> bool {
    let (Some(at), Some(other)) = (mine.token, theirs.token) else { return true };
    let around = |reading: &'_ Reading<'_>, at: usize| {
        let near = reading.tokens.iter().enumerate().skip(at.saturating_sub(BESIDE_REACH));
        let near = near.take(2 * BESIDE_REACH + 1).filter(|(place, token)| {
            let dated = reading.dates.iter().any(|date| date.start <= token.start && token.start < date.end);
            let is_time = matches!(token.plain.as_str(), "year" | "years" | "month" | "months" | "time");
            *place != at && token.is_content && !dated && !is_time
        });
        near.map(|(place, _)| place).collect::<Vec<_>>()
    };
    let words = |reading: &'_ Reading<'_>, at: usize| -> Vec<String> {
        let places = around(reading, at);
        places.into_iter().filter_map(|place| Some(reading.tokens.get(place)?.plain.clone())).collect()
    };
    let near = words(&sentence.reading, other);
    words(&scene.mine, at).iter().any(|word| near.iter().any(|their| related(their, word)))
}

/// Only one of the two negates a word that both have.
fn negation(scene: &Scene<'_, '_>) -> Option<ComparisonRemark> {
    let best = scene.best().filter(|best| best.is_about(SAME_STATEMENT) && !explained(scene, best))?;
    // "26 were not" beside "eleven were" counts another part.
    let page = &scene.source.facts.values().numbers;
    if denial::counts_otherwise(scene.mine.numbers.iter().copied(), &best.reading.numbers, page) {
        return None;
    }
    let whole = (0, scene.claim.text.len());
    let span = Some(best.reading.span());
    let mine = (&scene.mine, &scene.my_senses);
    let theirs = (&best.reading, &best.senses);
    let (my_words, their_words) = (denial::of_reading(&scene.mine), denial::of_reading(&best.reading));
    if denies(mine.0, mine.1)
        && other_parts::bears_out(
            (scene.mine.text, my_words.as_slice()),
            (best.reading.text, their_words.as_slice()),
        )
    {
        return None;
    }
    let turned = [
        (mine, theirs, "the claim negates what the page says"),
        (theirs, mine, "the page negates what the claim says"),
    ];
    for ((reading, places), (plain, plain_places), what) in turned {
        // Where the other side denies too, the two may well say the same.
        if !denies(reading, places) || denies(plain, plain_places) {
            continue;
        }
        // So may they where it denies in other words: "closed", "the last", "only two".
        let lacking = |word: Option<&ReadingWord>| {
            best.share < SAME_SENTENCE
                && plain_places.iter().any(|place| {
                    let token = place.token.and_then(|token| plain.tokens.get(token));
                    let same =
                        token.zip(word).is_some_and(|(token, word)| related(&token.plain, &word.plain));
                    matches!(place.sense, Sense::Lacking | Sense::Only) && !same
                })
        };
        if scene.mine.is_dense {
            if let Some(near) = dense_negated(reading, places, plain) {
                return Some(doubt(ComparisonAspect::Polarity, whole, span, format!("{what}: \"{near}\"")));
            }
            continue;
        }
        let also = negated_words(plain, plain_places, reading);
        let denied = negated_words(reading, places, plain).into_iter().find(|word| {
            plain.has(&word.plain)
                && !lacking(Some(word))
                && !also.iter().any(|other| related(&other.plain, &word.plain))
        });
        if let Some(word) = denied {
            return Some(doubt(
                ComparisonAspect::Polarity,
                whole,
                span,
                format!("{what}: \"{}\"", word.plain),
            ));
        }
    }
    None
}

/// An opposite explains the negation: "did not rise" and "fell".
pub(super) fn explained(scene: &Scene<'_, '_>, best: &SceneSentence<'_>) -> bool {
    let theirs = sides(&best.reading, &best.senses);
    sides(&scene.mine, &scene.my_senses).iter().any(|(topic, side, _, negated)| {
        theirs.iter().any(|(other, like, _, turned)| other == topic && like != side && turned != negated)
    })
}

/// The content words that a negation reaches, in its clause.
fn negated_words<'r>(
    reading: &'r Reading<'_>,
    places: &[SensePlace],
    other: &Reading<'_>,
) -> Vec<&'r ReadingWord> {
    let mut found = Vec::new();
    if !has(places, Sense::Not) {
        return found;
    }
    let idle = denial::idle(reading.text, &denial::of_reading(reading), |word| other.has(word));
    // A name is not what is denied, and German nouns are no names.
    let denied = |token: &&ReadingWord| token.is_content && !(reading.is_english && token.is_capital);
    for not in places.iter().filter(|place| place.sense == Sense::Not).filter_map(|place| place.token) {
        if !negates(reading, not) || idle.contains(&not) {
            continue;
        }
        let behind = reading.tokens.iter().skip(not + 1).take(NEGATION_REACH);
        found.extend(behind.take_while(|token| !token.begins_clause).filter(denied));
        let before = reading.tokens.iter().take(not).rev().take(2);
        let starts = reading.tokens.get(not).is_some_and(|token| token.begins_clause);
        // English denies what follows.
        found.extend(before.filter(|token| denied(token) && !starts && !reading.is_english));
    }
    found
}

/// The reading denies something: one of its negations is not cancelled by another, and is no contrast.
pub(super) fn denies(reading: &Reading<'_>, places: &[SensePlace]) -> bool {
    if !has(places, Sense::Not) {
        return false;
    }
    let idle = denial::idle(reading.text, &denial::of_reading(reading), |_| true);
    let mut nots = places.iter().filter(|place| place.sense == Sense::Not);
    nots.any(|place| place.token.is_none_or(|token| !idle.contains(&token)))
}

/// "Not only", "not always" and the "No" of a title deny nothing.
pub(super) fn negates(reading: &Reading<'_>, not: usize) -> bool {
    let Some(token) = reading.tokens.get(not) else { return false };
    let in_a_name = reading.is_english && token.is_capital && token.start != reading.base;
    let next = reading.tokens.get(not + 1).map_or("", |next| next.plain.as_str());
    let softened = matches!(
        next,
        "only"
            | "just"
            | "merely"
            | "solely"
            | "always"
            | "all"
            | "every"
            | "necessarily"
            | "nur"
            | "immer"
            | "solo"
            | "seulement"
    );
    !in_a_name && !softened
}

/// In scripts without spaces: the two characters beside the negation, if the other text has them.
fn dense_negated<'r>(
    reading: &'r Reading<'_>,
    places: &[SensePlace],
    other: &Reading<'_>,
) -> Option<&'r str> {
    let words = denial::of_reading(reading);
    let idle = denial::idle(reading.text, &words, |word| other.text.contains(word));
    for not in places.iter().filter(|place| place.sense == Sense::Not) {
        let (start, end) = (not.start - reading.base, not.end - reading.base);
        let is_idle =
            |place: &usize| words.get(*place).is_some_and(|word| word.start < end && start < word.end);
        if idle.iter().any(is_idle) {
            continue;
        }
        let before = reading.text.get(..start).unwrap_or_default();
        let behind = reading.text.get(end..).unwrap_or_default();
        let from = before.char_indices().rev().nth(5).map_or(0, |(at, _)| at);
        let to = behind.char_indices().nth(6).map_or(behind.len(), |(at, _)| at);
        let near = [behind.get(..to), before.get(from..)].into_iter().flatten();
        for part in near {
            if let Some(pair) = crate::compare::reading::pairs(part).find(|pair| other.text.contains(pair)) {
                return reading.text.get(start..end + to).filter(|_| !pair.is_empty());
            }
        }
    }
    None
}

/// The one side of more and less that the claim takes, not negated.
pub(super) fn claimed_side(scene: &Scene<'_, '_>) -> Option<(bool, SensePlace)> {
    let mine = sides(&scene.mine, &scene.my_senses);
    let quantity: Vec<_> = mine.iter().filter(|(topic, ..)| *topic == QUANTITY).collect();
    let (_, side, place, negated) = quantity.first()?;
    let one = quantity.iter().all(|(_, other, _, turned)| other == side && turned == negated);
    (one && !negated && !scene.i_have(Sense::Not)).then_some((*side, *place))
}

/// An adjective that the lists do not know, compared: `punctual`er als, "more punctual than".
fn unknown_comparative(scene: &Scene<'_, '_>) -> Option<(bool, SensePlace)> {
    let than = scene.my_senses.iter().find(|place| place.sense == Sense::Than)?.token?;
    let before = than.checked_sub(1)?;
    let token = scene.mine.tokens.get(before)?;
    let compared =
        token.plain.len() >= 6 && token.plain.ends_with("er") && token.is_content && !token.is_capital;
    compared.then_some((
        true,
        SensePlace {
            sense: Sense::Pole(QUANTITY, true),
            token: Some(before),
            start: token.start,
            end: token.end,
        },
    ))
}

fn turned(
    scene: &Scene<'_, '_>,
    place: &SensePlace,
    sentence: &SceneSentence<'_>,
    shown: String,
) -> ComparisonRemark {
    let word = scene.claim.text.get(place.start..place.end).unwrap_or_default();
    let reason = format!("page: {shown}; claim: \"{word}\"");
    doubt(ComparisonAspect::Comparison, (place.start, place.end), Some(sentence.reading.span()), reason)
}

fn is_figure(number: &Quantity) -> bool {
    matches!(number.form, QuantityForm::Digits | QuantityForm::Word) && number.value != 0.5
}

fn written<'a>(scene: &Scene<'a, '_>, number: &Quantity) -> &'a str {
    scene.source.page.text().get(number.start..number.end).unwrap_or_default()
}

/// Two years in the claim, and a figure of the page for each.
fn by_years(scene: &Scene<'_, '_>) -> Option<ComparisonRemark> {
    let (side, place) = claimed_side(scene).or_else(|| unknown_comparative(scene))?;
    let mut years: Vec<(i32, usize)> =
        scene.mine.dates.iter().filter_map(|date| Some((date.year?, date.start))).collect();
    years.dedup_by_key(|(year, _)| *year);
    let [(first, first_at), (second, second_at)] = years.as_slice() else { return None };
    let than_between = scene.my_senses.iter().any(|place| {
        place.sense == Sense::Than
            && place.token.is_some()
            && *first_at < place.start
            && place.start < *second_at
    });
    // With "than" between them the first is compared with the second; otherwise the later with the earlier.
    let (from, to) = match than_between {
        true => (*second, *first),
        false => (*first.min(second), *first.max(second)),
    };
    for sentence in scene.sentences.iter().filter(|sentence| sentence.share >= 0.2) {
        // The page says itself which way it went.
        let says = |wanted: bool| has(&sentence.senses, Sense::Pole(QUANTITY, wanted));
        if says(side) && !says(!side) {
            return None;
        }
        let of_year = |year: i32| {
            let date = sentence.reading.dates.iter().find(|date| date.year == Some(year))?;
            let figures = || sentence.reading.numbers.iter().filter(|number| is_figure(number));
            let own = |number: &&&Quantity| own_words(&sentence.reading, number).years.contains(&year);
            let nearest = || {
                figures().min_by_key(|number| {
                    date.start.saturating_sub(number.end).max(number.start.saturating_sub(date.end))
                })
            };
            figures().find(own).or_else(nearest)
        };
        let (Some(left), Some(right)) = (of_year(from), of_year(to)) else { continue };
        if left.start == right.start || left.unit.measure != right.unit.measure {
            continue;
        }
        let (before, after) = (left.value * left.unit.factor, right.value * right.unit.factor);
        if before != after && (after > before) != side {
            let shown = format!("{from}: {}, {to}: {}", written(scene, left), written(scene, right));
            return Some(turned(scene, &place, sentence, shown));
        }
        return None;
    }
    None
}

/// "940 million, against a budget of 700 million"; "from 48 to 31": the page's own pair says which way.
fn by_pair(scene: &Scene<'_, '_>) -> Option<ComparisonRemark> {
    let (side, place) = claimed_side(scene).or_else(|| unknown_comparative(scene))?;
    // The claim compares with something: before, planned, a year ago.
    for sentence in scene.sentences.iter().take(2).filter(|sentence| sentence.share >= 0.2) {
        let same_side = sides(&sentence.reading, &sentence.senses)
            .iter()
            .any(|(topic, like, ..)| *topic == QUANTITY && *like == side);
        if same_side {
            continue;
        }
        let figures: Vec<&&Quantity> =
            sentence.reading.numbers.iter().filter(|number| is_figure(number)).collect();
        for (one, other) in figures.iter().zip(figures.iter().skip(1)) {
            // "From 48,000 to 31,500 hectares": the unit stands once.
            let one_unit = [one, other].iter().any(|figure| figure.unit.measure == Measure::Count);
            // The claim's own figures are others: it is about something else of the same sentence.
            let is_mine = |mine: &&Quantity| mine.agrees(one) || mine.agrees(other);
            let mine: Vec<&Quantity> =
                scene.mine.numbers.iter().copied().filter(|mine| is_figure(mine)).collect();
            if mine.len() >= 2 && !mine.iter().any(is_mine) {
                continue;
            }
            let near_measure = one.unit.measure == other.unit.measure
                || (one_unit && one.value > 1000.0 && other.value > 1000.0);
            if !near_measure || one.value == other.value {
                continue;
            }
            let before = |number: &Quantity| {
                let at = sentence.reading.tokens.partition_point(|token| token.start < number.start);
                at.checked_sub(1)
                    .and_then(|at| sentence.reading.tokens.get(at))
                    .map_or("", |token| token.plain.as_str())
            };
            let from_to = matches!(
                before(one),
                "from" | "von" | "de" | "da" | "dal" | "с" | "z" | "van" | "من" | "desde" | "du"
            ) && matches!(
                before(other),
                "to" | "auf" | "a" | "до" | "na" | "naar" | "إلى" | "al" | "para" | "au"
            );
            let between = sentence.senses.iter().any(|place| {
                place.sense == Sense::Against && one.end <= place.start && place.start < other.start
            });
            let later = match (from_to, between) {
                (true, _) => Some((one, other)),
                (_, true) => Some((other, one)),
                _ => None,
            };
            let Some((earlier, later)) = later else { continue };
            if (later.value > earlier.value) != side {
                let shown = format!("{} after {}", written(scene, later), written(scene, earlier));
                return Some(turned(scene, &place, sentence, shown));
            }
        }
    }
    None
}

/// Where the claim compares: "than", or the `qu'` that French writes together with the next word.
pub(super) fn than_at(scene: &Scene<'_, '_>) -> Option<usize> {
    let said = scene.my_senses.iter().find(|place| place.sense == Sense::Than).and_then(|place| place.token);
    said.or_else(|| {
        scene.mine.tokens.iter().position(|token| {
            let written = scene.claim.text.get(token.start..token.end).unwrap_or_default();
            written.starts_with("qu'") || written.starts_with("qu’")
        })
    })
}

/// "More from coal than from wind": the figures that the page gives to the two.
fn by_subject(scene: &Scene<'_, '_>) -> Option<ComparisonRemark> {
    let (side, place) = claimed_side(scene)?;
    let than = than_at(scene)?;
    let left = scene
        .mine
        .tokens
        .iter()
        .take(than)
        .rev()
        .find(|token| token.is_content && token.start != place.start)?;
    let right = scene.mine.tokens.iter().skip(than + 1).find(|token| token.is_content)?;
    if left.kind != WordKind::Plain || related(&left.plain, &right.plain) {
        return None;
    }
    let year = scene.mine.dates.iter().find_map(|date| date.year);
    let of = |word: &str| {
        let mut found: Option<(&SceneSentence<'_>, &Quantity)> = None;
        for sentence in &scene.sentences {
            let other_year = !sentence.reading.dates.is_empty()
                && year.is_some_and(|year| !sentence.reading.has_year(year));
            if other_year {
                continue;
            }
            for number in sentence.reading.numbers.iter().filter(|number| is_figure(number)) {
                if own_words(&sentence.reading, number).words.iter().any(|own| related(own, word)) {
                    if found.is_some() {
                        return None;
                    }
                    found = Some((sentence, number));
                }
            }
        }
        found
    };
    let ((sentence, mine), (_, theirs)) = (of(&left.plain)?, of(&right.plain)?);
    let comparable = mine.unit.measure == theirs.unit.measure && mine.value != theirs.value;
    let wrong = comparable && (mine.value * mine.unit.factor > theirs.value * theirs.unit.factor) != side;
    let shown =
        format!("{} {}, {} {}", left.plain, written(scene, mine), right.plain, written(scene, theirs));
    wrong.then(|| turned(scene, &place, sentence, shown)).filter(|_| !has(&sentence.senses, Sense::Not))
}
