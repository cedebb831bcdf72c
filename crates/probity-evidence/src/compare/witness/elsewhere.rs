//! A name that the page has elsewhere: what the claim says of it stands in a part of a sentence with another name only.
//!
//! Reads names of several words by their capitals. A part that goes on with a pronoun may speak of anybody.

use super::{
    Scene,
    courses::readings,
    doubt,
    offices::{NameRun, is_same, runs},
};
use crate::compare::{
    ComparisonAspect, ComparisonRemark,
    reading::{Reading, ReadingWord, related},
    senses::Sense,
};

/// Words of a name that stands for somebody or for a place by itself.
const NAME_WORDS_MIN: usize = 2;
/// Words of what is said that the part with the other name must have.
const SAID_WORDS_MIN: usize = 2;
/// A name that more sentences have is what the page is about, and sentences without it speak of it too.
const NAMED_MAX: usize = 5;
/// Tokens at the beginning of a part among which a pronoun is its subject.
const PRONOUN_REACH: usize = 5;

/// Begin another statement behind a comma.
const JOINTS: &[&str] = &[
    "and",
    "but",
    "while",
    "whereas",
    "which",
    "und",
    "aber",
    "während",
    "wahrend",
    "wobei",
    "et",
    "mais",
    "tandis",
    "qui",
    "y",
    "pero",
    "mientras",
    "e",
    "ma",
    "mentre",
    "che",
    "mas",
    "enquanto",
    "que",
    "en",
    "maar",
    "terwijl",
    "a",
    "ale",
    "natomiast",
    "и",
    "а",
    "но",
    "och",
    "men",
];
/// Stand for whoever was named before.
const PRONOUNS: &[&str] = &[
    "he", "she", "they", "it", "er", "sie", "elle", "elles", "ils", "ella", "ellos", "lei", "egli", "ela",
    "ele", "eles", "hij", "zij", "ona", "oni", "он", "она", "они", "han", "hon",
];

pub(super) fn doubts(scene: &Scene<'_, '_>) -> Vec<ComparisonRemark> {
    if scene.mine.is_dense || scene.i_have(Sense::Not) {
        return Vec::new();
    }
    let names: Vec<NameRun> =
        runs(&scene.mine.tokens).into_iter().filter(|(from, to)| to - from >= NAME_WORDS_MIN).collect();
    names.iter().find_map(|run| said_of_another(scene, &names, *run)).into_iter().collect()
}

/// The statements of a sentence: between semicolons, colons and dashes, and at commas before a joint.
fn parts<'r>(reading: &'r Reading<'_>) -> Vec<&'r [ReadingWord]> {
    cut(reading, |gap, token| is_border(gap) || gap.contains(',') && JOINTS.contains(&token.plain.as_str()))
}

/// The same with everything behind a comma: "the trust, which bought it in 1957".
pub(super) fn long_parts<'r>(reading: &'r Reading<'_>) -> Vec<&'r [ReadingWord]> {
    cut(reading, |gap, _| is_border(gap))
}

fn is_border(gap: &str) -> bool {
    gap.contains([';', ':', '–', '—', '؛', '|'])
}

/// Cuts where the signs before a token end a statement.
fn cut<'r>(reading: &'r Reading<'_>, ends: impl Fn(&str, &ReadingWord) -> bool) -> Vec<&'r [ReadingWord]> {
    let tokens = &reading.tokens;
    let mut found: Vec<&[ReadingWord]> = Vec::new();
    let mut from = 0;
    for (at, (before, token)) in tokens.iter().zip(tokens.iter().skip(1)).enumerate() {
        let place = |byte: usize| byte.saturating_sub(reading.base);
        let gap = reading.text.get(place(before.end)..place(token.start)).unwrap_or_default();
        if token.begins_clause && ends(gap, token) {
            found.extend(tokens.get(from..=at));
            from = at + 1;
        }
    }
    found.extend(tokens.get(from..).filter(|rest| !rest.is_empty()));
    found
}

fn has_name(part: &[ReadingWord], name: &[ReadingWord]) -> bool {
    let mut telling = name.iter().filter(|token| token.is_content);
    telling.any(|token| part.iter().any(|other| is_same(other, token)))
}

fn count(part: &[ReadingWord], said: &[&ReadingWord]) -> usize {
    said.iter().filter(|word| has_word(part, word)).count()
}

pub(super) fn has_word(part: &[ReadingWord], word: &ReadingWord) -> bool {
    part.iter().any(|token| token.is_content && related(&token.plain, &word.plain))
}

fn said_of_another(scene: &Scene<'_, '_>, names: &[NameRun], run: NameRun) -> Option<ComparisonRemark> {
    let tokens = &scene.mine.tokens;
    let name = tokens.get(run.0..run.1)?;
    let (first, last) = (name.first()?, name.last()?);
    // "Velm's mayor" says of somebody else whose mayor it is.
    let behind = scene.claim.text.get(last.start..).unwrap_or_default();
    let word = behind.split_whitespace().next().unwrap_or_default();
    if word.contains(['\'', '’']) || !scene.source.facts.has_plain(&last.plain) {
        return None;
    }
    let in_name = |at: usize| names.iter().any(|(from, to)| *from <= at && at < *to);
    let said: Vec<&ReadingWord> = tokens
        .iter()
        .enumerate()
        .filter(|(at, token)| token.is_content && !in_name(*at))
        .map(|(_, word)| word)
        .collect();
    let (there, best, reading) = best_part(scene, &said)?;
    if there < SAID_WORDS_MIN || 2 * there < said.len() || has_name(best, name) || has_pronoun(best) {
        return None;
    }
    // Everywhere else the page has next to nothing of it beside the name.
    let named = readings(scene, last);
    let named: Vec<&Reading<'_>> = named.iter().filter(|reading| has_name(&reading.tokens, name)).collect();
    let is_topic = named.len() >= NAMED_MAX || named.iter().any(|reading| reading.base == 0);
    let is_said = |reading: &&Reading<'_>| {
        parts(reading).into_iter().any(|part| has_name(part, name) && 2 * count(part, &said) >= there)
    };
    if named.is_empty() || is_topic || named.iter().any(is_said) {
        return None;
    }
    let other = other_name(scene, best)?;
    let part = (first.start, last.end);
    let page = scene.source.page.text();
    let reason = format!(
        "the page says so beside {}, and has {} elsewhere",
        page.get(other.0..other.1).unwrap_or_default(),
        scene.claim.text.get(part.0..part.1).unwrap_or_default(),
    );
    Some(doubt(ComparisonAspect::Attribution, part, Some(reading.span()), reason))
}

/// The part with most of what is said: how much of it, the part, and its sentence.
fn best_part<'s>(
    scene: &'s Scene<'_, '_>,
    said: &[&ReadingWord],
) -> Option<(usize, &'s [ReadingWord], &'s Reading<'s>)> {
    let mut found: Option<(usize, &[ReadingWord], &Reading<'_>)> = None;
    for sentence in &scene.sentences {
        for part in parts(&sentence.reading) {
            let there = count(part, said);
            if found.is_none_or(|(most, ..)| there > most) {
                found = Some((there, part, &sentence.reading));
            }
        }
    }
    found
}

fn has_pronoun(part: &[ReadingWord]) -> bool {
    part.iter().take(PRONOUN_REACH).any(|token| PRONOUNS.contains(&token.plain.as_str()))
}

/// A name of several words that the claim does not have.
fn other_name(scene: &Scene<'_, '_>, part: &[ReadingWord]) -> Option<(usize, usize)> {
    let is_mine = |token: &ReadingWord| scene.mine.content().any(|mine| is_same(mine, token));
    let own = runs(part).into_iter().filter(|(from, to)| to - from >= NAME_WORDS_MIN);
    let mut own = own.filter_map(|(from, to)| part.get(from..to));
    let other = own.find(|name| !name.iter().any(is_mine))?;
    Some((other.first()?.start, other.last()?.end))
}
