//! Which way the claim's own subject went, wherever the page speaks of it; and what "the highest since" says of the
//! year that it names.

use super::{
    Scene,
    direction::{claimed_side, is_negated, sides, than_at},
    doubt,
};
use crate::compare::{
    ComparisonAspect, ComparisonRemark,
    reading::{Reading, ReadingWord, related},
    senses::{EXTREME, QUANTITY, Sense, SensePlace, senses},
};
use crate::words::{self, WordKind};

/// Tokens between the subject of a claim and the word that says which way it went.
const CLAIM_REACH: usize = 6;
/// The same on the page, where a sentence is about more.
const PAGE_REACH: usize = 3;
/// Sentences with the subject that are read.
const SENTENCES_MAX: usize = 12;
/// Tokens between "since" and its year.
const SINCE_REACH: usize = 3;
/// Characters of a script without spaces that two opposites must have in common beside them.
const BESIDE_LETTERS: usize = 2;

pub(super) fn doubts(scene: &Scene<'_, '_>) -> Vec<ComparisonRemark> {
    let turned = of_subject(scene).or_else(|| beside_the_same_letters(scene));
    turned.into_iter().chain(since(scene)).collect()
}

fn is_valued(reading: &Reading<'_>, token: &ReadingWord) -> bool {
    reading.numbers.iter().any(|number| number.start <= token.start && token.start < number.end)
        || reading.dates.iter().any(|date| date.start <= token.start && token.start < date.end)
}

/// No clause begins between the two tokens.
fn is_one_clause(reading: &Reading<'_>, one: usize, other: usize) -> bool {
    let (from, to) = (one.min(other), one.max(other));
    !reading.tokens.iter().skip(from + 1).take(to - from).any(|token| token.begins_clause)
}

/// The page's sentences with a word of this stem, and those that were found for the claim.
pub(super) fn readings<'a>(scene: &Scene<'a, '_>, subject: &ReadingWord) -> Vec<Reading<'a>> {
    let page = scene.source.page;
    let term = page.term(&subject.plain).or_else(|| page.term(words::stem(&subject.plain)));
    let listed = term.map(|term| page.postings(page.stem_of(term))).unwrap_or_default();
    let listed = listed.iter().filter_map(|(at, _)| page.sentences().get(*at as usize));
    let mut found: Vec<Reading<'a>> =
        listed.take(SENTENCES_MAX).map(|sentence| Reading::of_sentence(scene.source, sentence)).collect();
    for sentence in &scene.sentences {
        if !found.iter().any(|known| known.base == sentence.reading.base) {
            found.push(sentence.reading.clone());
        }
    }
    found
}

/// Words that compare with something else and say nothing of where their subject went.
const COMPARATIVES: &[&str] = &[
    "more",
    "less",
    "fewer",
    "mehr",
    "weniger",
    "plus",
    "moins",
    "mas",
    "menos",
    "piu",
    "meno",
    "mais",
    "wiecej",
    "mniej",
    "больше",
    "меньше",
    "более",
    "менее",
    "meer",
    "minder",
    "daha",
    "fazla",
    "down",
];

struct Course {
    is_up: bool,
    place: SensePlace,
    at: usize,
    is_negated: bool,
}

/// The words of a reading that say which way something went.
fn courses(reading: &Reading<'_>, places: &[SensePlace]) -> Vec<Course> {
    let mut found = Vec::new();
    for place in places {
        let (Sense::Pole(QUANTITY, is_up), Some(at)) = (place.sense, place.token) else { continue };
        let Some(token) = reading.tokens.get(at) else { continue };
        let named = reading.is_english && token.is_capital && token.start != reading.base;
        if named || COMPARATIVES.contains(&token.plain.as_str()) {
            continue;
        }
        found.push(Course { is_up, place: *place, at, is_negated: is_negated(reading, places, place) });
    }
    found
}

/// "Profit climbed on cheaper steel" for "profit fell because of higher steel prices": each subject has its own side.
fn of_subject(scene: &Scene<'_, '_>) -> Option<ComparisonRemark> {
    // A comparison is turned by what it compares with.
    if scene.mine.is_dense || than_at(scene).is_some() {
        return None;
    }
    let tokens = &scene.mine.tokens;
    let at = tokens.iter().position(|token| token.is_content && !is_valued(&scene.mine, token))?;
    let subject = tokens.get(at).filter(|token| token.kind == WordKind::Plain)?;
    let mine = courses(&scene.mine, &scene.my_senses);
    if mine.iter().any(|course| course.at == at) {
        return None;
    }
    let reached = |course: &&Course| {
        course.at > at && course.at - at <= CLAIM_REACH && is_one_clause(&scene.mine, at, course.at)
    };
    let own = mine.iter().filter(reached).min_by_key(|course| course.at)?;
    let place = own.place;
    let goes_up = own.is_up != own.is_negated;
    let years: Vec<i32> = scene.mine.dates.iter().filter_map(|date| date.year).collect();
    let mut against: Option<((usize, usize), (usize, usize))> = None;
    for reading in readings(scene, subject) {
        let other_year = !reading.dates.is_empty()
            && !years.is_empty()
            && !years.iter().any(|year| reading.has_year(*year));
        if other_year {
            continue;
        }
        let theirs = courses(&reading, &senses(&reading));
        for (here, token) in reading.tokens.iter().enumerate() {
            if !related(&token.plain, &subject.plain) {
                continue;
            }
            let near = theirs.iter().filter(|course| {
                course.at != here
                    && course.at.abs_diff(here) <= PAGE_REACH
                    && is_one_clause(&reading, here, course.at)
            });
            for course in near {
                // One place where it goes the claim's way is enough.
                if (course.is_up != course.is_negated) == goes_up {
                    return None;
                }
                against = against.or(Some(((course.place.start, course.place.end), reading.span())));
            }
        }
    }
    let (their, span) = against?;
    let word = scene.claim.text.get(place.start..place.end).unwrap_or_default();
    let shown = scene.source.page.text().get(their.0..their.1).unwrap_or_default();
    let reason = format!("the page says \"{shown}\" of it where the claim says \"{word}\"");
    Some(doubt(ComparisonAspect::Polarity, (place.start, place.end), Some(span), reason))
}

/// Without spaces: two opposites with the same characters right before or behind them, whatever else the sentence says.
fn beside_the_same_letters(scene: &Scene<'_, '_>) -> Option<ComparisonRemark> {
    if !scene.mine.is_dense {
        return None;
    }
    let beside = |reading: &Reading<'_>, place: &SensePlace| -> (String, String) {
        let (start, end) = (place.start.saturating_sub(reading.base), place.end.saturating_sub(reading.base));
        let before = reading.text.get(..start).unwrap_or_default();
        let behind = reading.text.get(end..).unwrap_or_default();
        let mut last: Vec<char> = before.chars().rev().take(BESIDE_LETTERS).collect();
        last.reverse();
        (last.into_iter().collect(), behind.chars().take(BESIDE_LETTERS).collect())
    };
    let telling = |letters: &str| {
        letters.chars().count() == BESIDE_LETTERS
            && letters.chars().all(|letter| {
                words::classes::is_dense(letter) && !('\u{3040}'..='\u{309f}').contains(&letter)
            })
    };
    let mine = sides(&scene.mine, &scene.my_senses);
    for (topic, side, place, negated) in mine.iter().filter(|side| side.2.token.is_none()) {
        let (before, behind) = beside(&scene.mine, place);
        for sentence in &scene.sentences {
            let theirs = sides(&sentence.reading, &sentence.senses);
            let against = theirs.iter().find(|(other, like, their, turned)| {
                let (their_before, their_behind) = beside(&sentence.reading, their);
                other == topic
                    && like != side
                    && turned == negated
                    && ((telling(&before) && before == their_before)
                        || (telling(&behind) && behind == their_behind))
            });
            if let Some((_, _, their, _)) = against {
                let word = scene.claim.text.get(place.start..place.end).unwrap_or_default();
                let shown = scene.source.page.text().get(their.start..their.end).unwrap_or_default();
                let reason = format!("the page says \"{shown}\" where the claim says \"{word}\"");
                let span = Some(sentence.reading.span());
                return Some(doubt(ComparisonAspect::Polarity, (place.start, place.end), span, reason));
            }
        }
    }
    None
}

/// From a year on.
const SINCE: &[&str] =
    &["since", "seit", "depuis", "desde", "dal", "dall", "od", "с", "со", "sinds", "منذ", "daban", "beri"];

/// "The highest since 1953": in 1953 it was at least as high.
fn since(scene: &Scene<'_, '_>) -> Option<ComparisonRemark> {
    let than = scene.mine.tokens.get(than_at(scene)?)?;
    let (side, place) = claimed_side(scene)?;
    for date in &scene.mine.dates {
        let Some(year) = date.year else { continue };
        // "1953 was lower than 2024" and "2024 was higher than 1953" say the same of 1953.
        let was_more = (date.start < than.start) == side;
        for sentence in &scene.sentences {
            let reading = &sentence.reading;
            let Some(named) = reading.dates.iter().find(|date| date.year == Some(year)) else { continue };
            let at = reading.tokens.partition_point(|token| token.start < named.start);
            let since = reading.tokens.get(at.saturating_sub(SINCE_REACH)..at).unwrap_or_default().iter();
            if !since.into_iter().any(|token| SINCE.contains(&token.plain.as_str())) {
                continue;
            }
            let extremes = sides(reading, &sentence.senses);
            let Some((_, high, their, _)) = extremes.iter().find(|side| side.0 == EXTREME && !side.3) else {
                continue;
            };
            if *high != was_more {
                let page = scene.source.page.text();
                let shown = page.get(their.start..named.end).unwrap_or_default();
                let reason = format!("page: \"{shown}\"");
                let part = (place.start, place.end);
                return Some(doubt(ComparisonAspect::Comparison, part, Some(reading.span()), reason));
            }
        }
    }
    None
}
