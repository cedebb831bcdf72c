//! What the page leaves out or denies by a word that the claim does not have: exceptions, "only", and a negation of the
//! one word that tells what the claim says.

use super::{Scene, SceneSentence, bearers::places, direction::negates, doubt, has};
use crate::{
    compare::{
        ComparisonAspect, ComparisonRemark, denial, other_parts,
        page_comparison::sentence_at,
        reading::{Reading, ReadingWord, related},
        senses::{Sense, SensePlace},
    },
    words::WordKind,
};

/// Share of the claim that a sentence must have for its exception to count.
const SAME_TOPIC: f32 = 0.3;
/// Tokens behind a word that excepts, restricts or denies.
const REACH: usize = 5;

/// Nouns that deny what follows them: "the absence of a ward".
const ABSENT: &[&str] = &[
    "absence",
    "lack",
    "fehlen",
    "abwesenheit",
    "manque",
    "ausencia",
    "falta",
    "assenza",
    "mancanza",
    "отсутствие",
    "отсутствия",
    "отсутствии",
    "brak",
    "braku",
    "afwezigheid",
    "gebrek",
];

/// An end in time: "not until 1906" says that it was so later.
const UNTIL: &[&str] = &[
    "until", "till", "before", "bis", "vor", "jusqu", "avant", "hasta", "fino", "ate", "do", "до", "tot",
    "حتى",
];

pub(super) fn doubts(scene: &Scene<'_, '_>) -> Vec<ComparisonRemark> {
    if scene.i_have(Sense::Not) || scene.i_have(Sense::Lacking) || scene.mine.is_dense {
        return Vec::new();
    }
    let turned = excepted(scene).or_else(|| denied(scene));
    turned.into_iter().chain(of_another_only(scene)).collect()
}

/// The words that a word reaches: behind it, in its clause.
fn reached<'r>(reading: &'r Reading<'_>, at: usize) -> impl Iterator<Item = &'r ReadingWord> {
    let behind = reading.tokens.iter().skip(at + 1).take(REACH).take_while(|token| !token.begins_clause);
    behind.filter(|token| token.is_content && token.kind == WordKind::Plain)
}

fn is_except(reading: &Reading<'_>, at: usize) -> bool {
    let plain = |at: usize| reading.tokens.get(at).map(|token| token.plain.as_str());
    plain(at).is_some_and(|word| other_parts::is_except(word, plain(at + 1)))
}

/// "Daily except Mondays": the claim says it of Mondays.
fn excepted(scene: &Scene<'_, '_>) -> Option<ComparisonRemark> {
    if (0..scene.mine.tokens.len()).any(|at| is_except(&scene.mine, at)) {
        return None;
    }
    for sentence in scene.sentences.iter().filter(|sentence| sentence.is_about(SAME_TOPIC)) {
        let reading = &sentence.reading;
        for (at, token) in reading.tokens.iter().enumerate().filter(|(at, _)| is_except(reading, *at)) {
            if let Some(left_out) = reached(reading, at).find(|word| scene.mine.has(&word.plain)) {
                let page = scene.source.page.text();
                let shown = page.get(token.start..left_out.end).unwrap_or_default();
                let reason = format!("the page leaves it out: \"{shown}\"");
                let whole = (0, scene.claim.text.len());
                return Some(doubt(ComparisonAspect::Polarity, whole, Some(reading.span()), reason));
            }
        }
    }
    None
}

/// "It was not linked to salinity": the page has the claim's word once, and denies it there.
fn denied(scene: &Scene<'_, '_>) -> Option<ComparisonRemark> {
    if scene.i_have(Sense::Only) || scene.i_have(Sense::Hedge) {
        return None;
    }
    let page = scene.source.page;
    for sentence in &scene.sentences {
        let reading = &sentence.reading;
        let is_bounded = reading.tokens.iter().any(|token| UNTIL.contains(&token.plain.as_str()));
        if is_bounded || super::direction::explained(scene, sentence) {
            continue;
        }
        let is_not = |place: &&SensePlace| place.sense == Sense::Not;
        let idle = denial::idle(reading.text, &denial::of_reading(reading), |word| scene.mine.has(word));
        let is_absent =
            |at: &usize| reading.tokens.get(*at).is_some_and(|token| ABSENT.contains(&token.plain.as_str()));
        let absent = (0..reading.tokens.len()).filter(is_absent);
        let nots = sentence.senses.iter().filter(is_not).filter_map(|place| place.token);
        for not in nots.chain(absent) {
            if !negates(reading, not) || idle.contains(&not) {
                continue;
            }
            let word = reached(reading, not).find(|word| {
                let elsewhere = scene
                    .sentences
                    .iter()
                    .any(|other| other.reading.base != reading.base && other.reading.has(&word.plain));
                !(reading.is_english && word.is_capital)
                    && scene.mine.has(&word.plain)
                    && !elsewhere
                    && places(page, &word.plain).count() <= 1
            });
            let Some(word) = word.filter(|word| is_spoken_of(scene, sentence, word)) else { continue };
            let shown = page.text().get(word.start..word.end).unwrap_or_default();
            let reason = format!("the page negates what the claim says: \"{shown}\"");
            let whole = (0, scene.claim.text.len());
            return Some(doubt(ComparisonAspect::Polarity, whole, Some(reading.span()), reason));
        }
    }
    None
}

/// Another word of the claim stands in the sentence or in the one before it, which it goes on from.
fn is_spoken_of(scene: &Scene<'_, '_>, sentence: &SceneSentence<'_>, denied: &ReadingWord) -> bool {
    let page = scene.source.page;
    let before = sentence.reading.base.checked_sub(1).and_then(|end| sentence_at(page, end));
    let before = before.map(|before| Reading::of_sentence(scene.source, &before));
    let others = scene.mine.content().filter(|token| !related(&token.plain, &denied.plain));
    others.into_iter().any(|token| {
        sentence.reading.has(&token.plain) || before.as_ref().is_some_and(|before| before.has(&token.plain))
    })
}

/// The first and the last token of the clause of a token.
fn clause(reading: &Reading<'_>, at: usize) -> (usize, usize) {
    let mut first = at;
    while first > 0 && !reading.tokens.get(first).is_some_and(|token| token.begins_clause) {
        first -= 1;
    }
    let behind = reading.tokens.iter().skip(at + 1).take_while(|token| !token.begins_clause).count();
    (first, at + behind)
}

/// "Almost exclusively through immigration; births were few": the claim says it of births.
fn of_another_only(scene: &Scene<'_, '_>) -> Option<ComparisonRemark> {
    if scene.i_have(Sense::Only) {
        return None;
    }
    let telling = || scene.mine.content().filter(|token| token.kind == WordKind::Plain);
    let (subject, object) = (telling().next()?, telling().last()?);
    if related(&subject.plain, &object.plain) {
        return None;
    }
    let stands = |tokens: &[ReadingWord], word: &ReadingWord| {
        tokens.iter().any(|token| related(&token.plain, &word.plain))
    };
    for sentence in scene.sentences.iter().filter(|sentence| has(&sentence.senses, Sense::Only)) {
        let reading = &sentence.reading;
        let is_only = |place: &&SensePlace| place.sense == Sense::Only;
        for at in sentence.senses.iter().filter(is_only).filter_map(|place| place.token) {
            let (first, last) = clause(reading, at);
            let own = reading.tokens.get(first..=last).unwrap_or_default();
            let (before, behind) =
                (reading.tokens.get(..first).unwrap_or_default(), reading.tokens.get(last + 1..));
            let apart = stands(before, object) || stands(behind.unwrap_or_default(), object);
            let Some(instead) = reached(reading, at).next() else { continue };
            if stands(own, subject) && !stands(own, object) && apart && !scene.mine.has(&instead.plain) {
                let page = scene.source.page.text();
                let only = reading.tokens.get(at).map_or(instead.start, |token| token.start);
                let shown = page.get(only..instead.end).unwrap_or_default();
                let written = scene.claim.text.get(object.start..object.end).unwrap_or_default();
                let reason = format!("the page says \"{shown}\", not \"{written}\"");
                let part = (object.start, object.end);
                return Some(doubt(ComparisonAspect::Scope, part, Some(reading.span()), reason));
            }
        }
    }
    None
}
