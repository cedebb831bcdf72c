//! Whose office or rank it is: "Ida Ronk is the treasurer" where the page has that word beside another name only.
//!
//! Reads names by their capitals. Scripts without them are left to `uncased`.

use super::{Scene, courses::readings, doubt, naming::same_name};
use crate::{
    compare::{
        ComparisonAspect, ComparisonRemark,
        page_comparison::sentence_at,
        reading::{Reading, ReadingWord, related},
        senses::Sense,
    },
    names,
    words::WordKind,
};

/// Words of a name that stands for somebody.
const NAME_WORDS_MIN: usize = 2;
/// Tokens behind a copula in which the office stands.
const OFFICE_REACH: usize = 5;
/// Words of an office: "finance director".
const OFFICE_WORDS_MAX: usize = 2;
/// Letters of a word that tells one office from another.
const OFFICE_LETTERS_MIN: usize = 4;
/// Tokens between an office and the name that it is set beside: "the chair of the trust, Ida Ronk".
const BESIDE_REACH: usize = 4;
/// Letters of a name whose case endings may differ.
const DECLINED_LETTERS_MIN: usize = 4;

/// Say that one thing is the other; with their accents, because `e` is "and" without one.
const COPULAS: &[&str] = &[
    "is",
    "was",
    "are",
    "were",
    "became",
    "ist",
    "war",
    "wurde",
    "sind",
    "est",
    "était",
    "fut",
    "es",
    "era",
    "fue",
    "è",
    "fu",
    "é",
    "foi",
    "jest",
    "był",
    "była",
    "был",
    "была",
    "является",
    "är",
    "var",
    "blev",
];
/// Stand inside of names.
const PARTICLES: &[&str] = &["van", "von", "de", "da", "dos", "di", "della", "ibn", "bin", "af", "of"];
/// Behind these stands what somebody is in charge of.
const OF: &[&str] =
    &["of", "von", "vom", "der", "des", "de", "du", "del", "della", "di", "da", "do", "van", "av", "for"];

/// Capitalised words in a row: the first token, and the one behind the last.
pub(super) type NameRun = (usize, usize);

pub(super) fn doubts(scene: &Scene<'_, '_>) -> Vec<ComparisonRemark> {
    if scene.mine.is_dense || scene.i_have(Sense::Not) {
        return Vec::new();
    }
    let named = runs(&scene.mine.tokens).into_iter().filter(|(from, to)| to - from >= NAME_WORDS_MIN);
    named.into_iter().find_map(|run| held_by_another(scene, run)).into_iter().collect()
}

/// The same by the fields of words that all languages share: "the director, Livia Sarti" where the page calls her the
/// president.
pub(super) fn members(scene: &Scene<'_, '_>) -> Vec<ComparisonRemark> {
    if scene.mine.is_dense || scene.i_have(Sense::Not) {
        return Vec::new();
    }
    let named = runs(&scene.mine.tokens).into_iter().filter(|(from, to)| to - from >= NAME_WORDS_MIN);
    named.into_iter().find_map(|run| called_otherwise(scene, run)).into_iter().collect()
}

fn called_otherwise(scene: &Scene<'_, '_>, run: NameRun) -> Option<ComparisonRemark> {
    let tokens = &scene.mine.tokens;
    let name = tokens.get(run.0..run.1)?;
    let last = name.last()?;
    let mut called = offices(scene, run);
    // "The director, Livia Sarti, …"
    let apposed = run.0.checked_sub(1).and_then(|at| tokens.get(at)).filter(|token| is_office(scene, token));
    // A title with a capital is part of the run.
    let titled = name.first().filter(|_| name.len() > NAME_WORDS_MIN);
    called.extend(apposed.into_iter().chain(titled));
    let member = |token: &ReadingWord| {
        let own = scene.my_senses.iter().filter(|place| place.start == token.start);
        own.into_iter().find_map(|place| match place.sense {
            Sense::Member(field, member) => Some((field, member)),
            _ => None,
        })
    };
    let (office, (field, mine)) = called.into_iter().find_map(|token| Some((token, member(token)?)))?;
    let mut found: Option<((usize, usize), (usize, usize))> = None;
    for sentence in &scene.sentences {
        let reading = &sentence.reading;
        let Some(at) = reading.tokens.iter().position(|token| is_same(token, last)) else { continue };
        for place in &sentence.senses {
            let Sense::Member(theirs, other) = place.sense else { continue };
            if theirs == field && other == mine {
                return None;
            }
            let is_near = place.token.is_some_and(|token| token.abs_diff(at) <= OFFICE_REACH);
            if theirs == field && is_near {
                found = found.or(Some(((place.start, place.end), reading.span())));
            }
        }
    }
    let (other, span) = found?;
    let part = (office.start, office.end);
    let shown = scene.source.page.text().get(other.0..other.1).unwrap_or_default();
    let written = scene.claim.text.get(part.0..part.1).unwrap_or_default();
    let reason = format!("the page says \"{shown}\" beside the name, the claim \"{written}\"");
    Some(doubt(ComparisonAspect::Attribution, part, Some(span), reason))
}

pub(super) fn runs(tokens: &[ReadingWord]) -> Vec<NameRun> {
    let mut found: Vec<NameRun> = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        if !token.is_capital || token.kind != WordKind::Plain {
            continue;
        }
        match found.last_mut() {
            Some((_, end)) if goes_on(tokens, *end, at) => *end = at + 1,
            // "The" has a capital and begins no name.
            _ if token.is_content => found.push((at, at + 1)),
            _ => {}
        }
    }
    found
}

/// Whether a name that ends before `end` goes on at `at`.
fn goes_on(tokens: &[ReadingWord], end: usize, at: usize) -> bool {
    let between = tokens.get(end..at).unwrap_or_default();
    let parted = tokens.get(end..=at).unwrap_or_default().iter().any(|token| token.begins_clause);
    !parted && between.len() <= 1 && between.iter().all(|token| PARTICLES.contains(&token.plain.as_str()))
}

fn is_copula(reading: &Reading<'_>, at: usize) -> bool {
    reading.tokens.get(at).is_some_and(|token| {
        let raw = reading.text.get(token.start - reading.base..token.end - reading.base);
        raw.is_some_and(|raw| COPULAS.contains(&raw.to_lowercase().as_str()))
    })
}

fn is_office(scene: &Scene<'_, '_>, token: &ReadingWord) -> bool {
    let says = scene.my_senses.iter().any(|place| place.sense == Sense::Says && place.start == token.start);
    token.is_content
        && token.kind == WordKind::Plain
        && token.plain.chars().count() >= OFFICE_LETTERS_MIN
        && !says
}

/// What the claim calls whoever it names: behind "is", before it, or right beside the name.
fn offices<'s>(scene: &'s Scene<'_, '_>, (from, to): NameRun) -> Vec<&'s ReadingWord> {
    let tokens = &scene.mine.tokens;
    let mut found: Vec<&ReadingWord> = Vec::new();
    if is_copula(&scene.mine, to) {
        let behind = tokens.iter().skip(to + 1).take(OFFICE_REACH).take_while(|token| !token.begins_clause);
        for token in behind {
            if !found.is_empty() && OF.contains(&token.plain.as_str()) {
                break;
            }
            if is_office(scene, token) {
                found.push(token);
            }
        }
    } else if let Some(before) = from.checked_sub(1) {
        let is_said = is_copula(&scene.mine, before) && to == tokens.len();
        let leading = tokens.iter().take(before).filter(|token| is_office(scene, token));
        let beside = tokens.get(before).filter(|token| !token.is_capital && is_office(scene, token));
        let beside = beside.filter(|_| tokens.get(from).is_some_and(|name| !name.begins_clause));
        match is_said {
            true => found.extend(leading),
            false => found.extend(beside),
        }
    }
    found.truncate(OFFICE_WORDS_MAX);
    found
}

pub(super) fn is_same(one: &ReadingWord, other: &ReadingWord) -> bool {
    let declined = one.is_capital && other.plain.chars().count() >= DECLINED_LETTERS_MIN;
    same_name(&one.plain, &other.plain) || (declined && names::is_declined(&one.plain, &other.plain))
}

/// A word of the name stands in the sentence.
fn is_named(reading: &Reading<'_>, name: &[ReadingWord]) -> bool {
    let mut telling = name.iter().filter(|token| token.is_content);
    telling.any(|token| reading.tokens.iter().any(|other| is_same(other, token)))
}

/// The name that is set beside the word at `at`: right behind it, behind a comma, before "is", or as its title.
fn beside(reading: &Reading<'_>, at: usize, all: &[NameRun]) -> Option<NameRun> {
    let tokens = &reading.tokens;
    let breaks = |from: usize, to: usize| {
        let between = tokens.get(from..to).unwrap_or_default();
        between.iter().filter(|token| token.begins_clause).count()
    };
    let begins = |at: usize| tokens.get(at).is_some_and(|token| token.begins_clause);
    all.iter().copied().find(|(from, to)| {
        let (from, to) = (*from, *to);
        let words = to - from;
        // "Treasurer Max Lund" is one run where the title has a capital.
        if from <= at && at < to {
            return words > NAME_WORDS_MIN && at == from;
        }
        if from > at {
            let right_behind = from == at + 1 && words >= NAME_WORDS_MIN;
            let apposed = from - at <= BESIDE_REACH && begins(from) && breaks(at + 1, from) == 0;
            // In English a capital inside a sentence is a name's.
            return right_behind || (apposed && (words >= NAME_WORDS_MIN || reading.is_english));
        }
        let apposed = at - to < BESIDE_REACH && begins(to) && breaks(to + 1, at + 1) == 0;
        let between = tokens.get(to + 1..at).unwrap_or_default();
        let is_said = is_copula(reading, to)
            && at - to <= BESIDE_REACH
            && breaks(to, at + 1) == 0
            && between.iter().all(|token| !token.is_content);
        words >= NAME_WORDS_MIN && (apposed || is_said)
    })
}

fn held_by_another(scene: &Scene<'_, '_>, run: NameRun) -> Option<ComparisonRemark> {
    let name = scene.mine.tokens.get(run.0..run.1)?;
    let last = name.last()?;
    // Somebody of whom the page knows nothing is another matter.
    if !scene.source.facts.has_plain(&last.plain) {
        return None;
    }
    offices(scene, run).into_iter().find_map(|office| of_another(scene, name, office))
}

fn of_another(scene: &Scene<'_, '_>, name: &[ReadingWord], office: &ReadingWord) -> Option<ComparisonRemark> {
    let mut found: Option<((usize, usize), (usize, usize))> = None;
    for reading in readings(scene, office).iter().filter(|reading| reading.has(&office.plain)) {
        if is_named(reading, name) {
            return None;
        }
        let all = runs(&reading.tokens);
        let held = reading.tokens.iter().enumerate().filter(|(_, token)| {
            token.is_content && token.kind == WordKind::Plain && related(&token.plain, &office.plain)
        });
        let other = held.into_iter().find_map(|(at, _)| beside(reading, at, &all));
        let other = other.and_then(|(from, to)| {
            Some((reading.tokens.get(from)?.start, reading.tokens.get(to.checked_sub(1)?)?.end))
        });
        // "She is its treasurer": the sentence goes on from one that names her.
        let earlier = reading.base.checked_sub(1).and_then(|end| sentence_at(scene.source.page, end));
        let continues =
            earlier.is_some_and(|earlier| is_named(&Reading::of_sentence(scene.source, &earlier), name));
        match other {
            Some(other) => found = found.or(Some((other, reading.span()))),
            None if continues => return None,
            None => {}
        }
    }
    let (other, span) = found?;
    let (first, last) = (name.first()?, name.last()?);
    let part = (first.start, last.end);
    let page = scene.source.page.text();
    let reason = format!(
        "the page says \"{}\" of {}, not of {}",
        scene.claim.text.get(office.start..office.end).unwrap_or_default(),
        page.get(other.0..other.1).unwrap_or_default(),
        scene.claim.text.get(part.0..part.1).unwrap_or_default(),
    );
    Some(doubt(ComparisonAspect::Attribution, part, Some(span), reason))
}
