//! Of whom and of what: a speaker without a name, and a part of the claim of which the page has nothing.

use super::{Scene, SceneSentence, doubt};
use crate::{
    compare::{
        ComparisonAspect, ComparisonRemark,
        reading::{Reading, ReadingWord},
        senses::Sense,
    },
    words::WordKind,
};

/// Words before a verb of saying that may be the speaker.
const SPEAKER_REACH: usize = 4;
/// Content words of a part of a claim that is looked for by itself.
const PART_WORDS_MIN: usize = 4;

pub(super) fn doubts(scene: &Scene<'_, '_>) -> Vec<ComparisonRemark> {
    let mut found: Vec<ComparisonRemark> = Vec::new();
    found.extend(unnamed_speaker(scene));
    found.extend(missing_part(scene));
    found.extend(missing_predicate(scene));
    found
}

/// Words of what a short claim says of its subject that stand nowhere, at least.
const PREDICATE_WORDS_MIN: usize = 2;

/// Only the subject of a short claim stands on the page, and hardly a word of what is said of it. A paraphrase begins
/// with a word of its own, denies, counts or compares more often than not, and is left alone.
fn missing_predicate(scene: &Scene<'_, '_>) -> Option<ComparisonRemark> {
    let facts = scene.source.facts;
    let is_plain = scene.mine.numbers.is_empty() && scene.mine.dates.is_empty() && !scene.mine.is_dense;
    let turned = scene.my_senses.iter().any(|place| {
        matches!(place.sense, Sense::Not | Sense::Says | Sense::Hedge | Sense::Than | Sense::Pole(..))
    });
    // One and a half, which is no number in digits or words of its own everywhere.
    let halved = scene.mine.tokens.iter().any(|token| {
        matches!(
            token.plain.as_str(),
            "anderthalb" | "poltora" | "полтора" | "полторы" | "half" | "halb" | "demi"
        )
    });
    if !is_plain || turned || halved {
        return None;
    }
    let on_page = |token: &ReadingWord| {
        facts.has_plain(&token.plain)
            || facts.has_front(&token.plain)
            || scene.sentences.iter().any(|sentence| sentence.reading.has(&token.plain))
    };
    let mut telling = scene.mine.content().filter(|token| token.kind == WordKind::Plain);
    let subject = telling.next().filter(|subject| on_page(subject))?;
    let said: Vec<&ReadingWord> = telling.collect();
    let missing: Vec<&str> =
        said.iter().filter(|token| !on_page(token)).map(|token| token.plain.as_str()).collect();
    if missing.len() < PREDICATE_WORDS_MIN || 3 * missing.len() < 2 * said.len() {
        return None;
    }
    let reason = format!("the page has \"{}\" and nothing of {}", subject.plain, missing.join(", "));
    Some(doubt(ComparisonAspect::Coverage, (0, scene.claim.text.len()), None, reason))
}

fn before<'a>(scene: &Scene<'a, '_>, sentence: &SceneSentence<'a>) -> Option<Reading<'a>> {
    let page = scene.source.page;
    let at = page.sentences().partition_point(|other| other.start <= sentence.reading.base).checked_sub(2)?;
    page.sentences().get(at).map(|before| Reading::of_sentence(scene.source, before))
}

/// "The ministry said" where the page lets somebody else say it.
fn unnamed_speaker(scene: &Scene<'_, '_>) -> Option<ComparisonRemark> {
    let says = scene.my_senses.iter().find(|place| place.sense == Sense::Says)?.token?;
    let verb = scene.mine.tokens.get(says)?;
    let is_telling = |token: &&ReadingWord| token.is_content && token.kind == WordKind::Plain;
    let leads = matches!(
        verb.plain.as_str(),
        "according"
            | "laut"
            | "zufolge"
            | "selon"
            | "d'apres"
            | "segun"
            | "secondo"
            | "segundo"
            | "volgens"
            | "wedlug"
            | "وفقا"
    );
    let speaker: Vec<&ReadingWord> = match leads {
        true => scene
            .mine
            .tokens
            .iter()
            .skip(says + 1)
            .take(SPEAKER_REACH)
            .take_while(|token| !token.begins_clause)
            .filter(is_telling)
            .collect(),
        false => scene.mine.tokens.iter().take(says).rev().take(SPEAKER_REACH).filter(is_telling).collect(),
    };
    let named = speaker.iter().any(|token| token.is_capital && token.start > 0);
    if speaker.is_empty() || named {
        return None;
    }
    let rest = |sentence: &SceneSentence<'_>| {
        let outside = |token: &&ReadingWord| !speaker.iter().any(|one| one.start == token.start);
        scene.mine.content().filter(outside).filter(|token| sentence.reading.has(&token.plain)).count()
    };
    let best = scene.sentences.iter().max_by_key(|sentence| rest(sentence)).filter(|best| rest(best) >= 2)?;
    let has_speaker = |reading: &Reading<'_>| speaker.iter().any(|token| reading.has(&token.plain));
    // Only where the page lets somebody say it: it may well say it itself.
    let is_said = best.senses.iter().any(|place| place.sense == Sense::Says);
    if !is_said
        || has_speaker(&best.reading)
        || before(scene, best).is_some_and(|before| has_speaker(&before))
    {
        return None;
    }
    let part = (
        speaker.iter().map(|token| token.start).min()?,
        verb.end.max(speaker.iter().map(|token| token.end).max()?),
    );
    let written = scene.claim.text.get(part.0..part.1).unwrap_or_default();
    let reason = format!("the page's sentence does not have \"{written}\"");
    Some(doubt(ComparisonAspect::Attribution, part, Some(best.reading.span()), reason))
}

/// A clause of the claim whose words stand nowhere on the page, beside one whose words do.
fn missing_part(scene: &Scene<'_, '_>) -> Option<ComparisonRemark> {
    let facts = scene.source.facts;
    let mut parts: Vec<Vec<&ReadingWord>> = vec![Vec::new()];
    for token in &scene.mine.tokens {
        if token.begins_clause || super::roles::JOINTS.contains(&token.plain.as_str()) {
            parts.push(Vec::new());
        }
        let counted =
            scene.mine.numbers.iter().any(|number| number.start <= token.start && token.start < number.end);
        if token.is_content && token.kind == WordKind::Plain && !counted {
            parts.last_mut()?.push(token);
        }
    }
    let on_page = |token: &&&ReadingWord| {
        facts.has_plain(&token.plain)
            || facts.has_front(&token.plain)
            || scene.sentences.iter().any(|sentence| sentence.reading.has(&token.plain))
    };
    let share = |part: &[&ReadingWord]| part.iter().filter(on_page).count() as f32 / part.len().max(1) as f32;
    let is_missing = |part: &[&ReadingWord]| !part.iter().any(|token| on_page(&token));
    let missing = parts.iter().find(|part| part.len() >= PART_WORDS_MIN && is_missing(part))?;
    let known = parts.iter().any(|part| part.len() >= 2 && share(part) >= 0.5);
    let (first, last) = (missing.first()?, missing.last()?);
    let written = scene.claim.text.get(first.start..last.end).unwrap_or_default();
    let reason = format!("the page has nothing of \"{written}\"");
    known.then(|| doubt(ComparisonAspect::Coverage, (first.start, last.end), None, reason))
}
