//! How strong: all for some, certain for possible, done for planned, caused for linked, the most for much; and claims
//! whose words the page mostly does not have.

use super::{Scene, SceneSentence, doubt, has};
use crate::{
    compare::{ComparisonAspect, ComparisonRemark, senses::Sense},
    words::WordKind,
};

/// Share of the claim that a sentence must have for its reservations to count.
const SAME_TOPIC: f32 = 0.3;
/// The same for its plans.
const PLAN_TOPIC: f32 = 0.5;
/// Share of the claim's words on the whole page below which it is about something else.
const WORDS_LEAST: f32 = 0.34;
/// A claim with fewer words is not weighed by their number.
const WORDS_MIN: usize = 4;

pub(super) fn doubts(scene: &Scene<'_, '_>) -> Vec<ComparisonRemark> {
    let mut found: Vec<ComparisonRemark> = Vec::new();
    found.extend(quantifier(scene));
    found.extend(superlative(scene));
    found.extend(reservation(scene));
    found.extend(cause(scene));
    found.extend(coverage(scene));
    found
}

fn on_topic<'s, 'a>(scene: &'s Scene<'a, '_>) -> impl Iterator<Item = &'s SceneSentence<'a>> {
    scene.sentences.iter().take(2).filter(|sentence| sentence.share >= SAME_TOPIC)
}

fn part_of(scene: &Scene<'_, '_>, sense: Sense) -> Option<(usize, usize)> {
    scene.my_senses.iter().find(|place| place.sense == sense).map(|place| (place.start, place.end))
}

fn quoted<'a>(scene: &'a Scene<'_, '_>, part: (usize, usize)) -> &'a str {
    scene.claim.text.get(part.0..part.1).unwrap_or_default()
}

/// The claim speaks of all; the sentence of most, of some, or without a word of it.
fn quantifier(scene: &Scene<'_, '_>) -> Option<ComparisonRemark> {
    let part = part_of(scene, Sense::All)?;
    let best = on_topic(scene).next()?;
    if on_topic(scene).any(|sentence| has(&sentence.senses, Sense::All)) {
        return None;
    }
    let theirs = best.senses.iter().find(|place| matches!(place.sense, Sense::Most | Sense::Some));
    let shown = theirs.and_then(|place| scene.source.page.text().get(place.start..place.end));
    let word = quoted(scene, part);
    let reason = match shown {
        Some(shown) => format!("the page says \"{shown}\" where the claim says \"{word}\""),
        None => format!("the claim says \"{word}\", the page's sentence does not"),
    };
    Some(doubt(ComparisonAspect::Scope, part, Some(best.reading.span()), reason))
}

fn superlative(scene: &Scene<'_, '_>) -> Option<ComparisonRemark> {
    let part = part_of(scene, Sense::Superlative)?;
    let best = on_topic(scene).next()?;
    if scene.sentences.iter().take(3).any(|sentence| has(&sentence.senses, Sense::Superlative)) {
        return None;
    }
    // A table or list shows it by its figures.
    if best.reading.text.contains(" | ") || scene.i_have(Sense::Some) || scene.i_have(Sense::Most) {
        return None;
    }
    let reason = format!("the claim says \"{}\", the page's sentence does not", quoted(scene, part));
    Some(doubt(ComparisonAspect::Comparison, part, Some(best.reading.span()), reason))
}

/// The sentence hedges, or plans, and the claim states.
fn reservation(scene: &Scene<'_, '_>) -> Option<ComparisonRemark> {
    let best = on_topic(scene).next()?;
    let reserved = |places: &[crate::compare::senses::SensePlace], text: &dyn Fn(usize, usize) -> String| {
        let found = places.iter().find(|place| {
            let written = text(place.start, place.end);
            matches!(place.sense, Sense::Hedge | Sense::Plan) && !(written == "May" || written == "MAY")
        });
        found.map(|place| (place.sense, text(place.start, place.end)))
    };
    let mine = |start: usize, end: usize| scene.claim.text.get(start..end).unwrap_or_default().to_owned();
    let theirs =
        |start: usize, end: usize| scene.source.page.text().get(start..end).unwrap_or_default().to_owned();
    if reserved(&scene.my_senses, &mine).is_some() || says_will(scene) {
        return None;
    }
    let (sense, shown) = reserved(&best.senses, &theirs)?;
    // What was planned is often told beside what came.
    if sense == Sense::Plan && best.share < PLAN_TOPIC {
        return None;
    }
    let what = if sense == Sense::Plan { "plans or expects" } else { "hedges" };
    let reason = format!("the page {what} (\"{shown}\"), the claim does not");
    Some(doubt(ComparisonAspect::Hedge, (0, scene.claim.text.len()), Some(best.reading.span()), reason))
}

/// The claim itself speaks of what can be or is to come.
fn says_will(scene: &Scene<'_, '_>) -> bool {
    scene.mine.tokens.iter().any(|token| {
        matches!(
            token.plain.as_str(),
            "can"
                | "should"
                | "kann"
                | "konnen"
                | "peut"
                | "peuvent"
                | "puede"
                | "pueden"
                | "would"
                | "puo"
                | "pode"
        )
    })
}

/// A cause where the page names none, or only that two things go together.
fn cause(scene: &Scene<'_, '_>) -> Option<ComparisonRemark> {
    let part = part_of(scene, Sense::Cause)?;
    let best = on_topic(scene).next().or_else(|| scene.best())?;
    let linked = scene.sentences.iter().take(3).find(|sentence| has(&sentence.senses, Sense::Linked));
    let caused = scene.sentences.iter().take(3).any(|sentence| has(&sentence.senses, Sense::Cause));
    if scene.i_have(Sense::Linked) || (caused && linked.is_none()) {
        return None;
    }
    let word = quoted(scene, part);
    let reason = match linked {
        Some(_) => format!("the page says that it goes together, the claim says \"{word}\""),
        None => format!("the claim gives a cause (\"{word}\"), the page's sentences do not"),
    };
    Some(doubt(ComparisonAspect::Scope, part, Some(best.reading.span()), reason))
}

/// Most of the claim's words stand nowhere on the page.
fn coverage(scene: &Scene<'_, '_>) -> Option<ComparisonRemark> {
    let facts = scene.source.facts;
    let page = scene.source.page.text();
    let (mut all, mut there) = (0_usize, 0_usize);
    let mut missing: Vec<&str> = Vec::new();
    if scene.mine.is_dense {
        for pair in crate::compare::reading::pairs(scene.claim.text) {
            all += 1;
            there += usize::from(page.contains(pair));
        }
    }
    let counted =
        |start: usize| scene.mine.numbers.iter().any(|number| number.start <= start && start < number.end);
    for token in scene.mine.content().filter(|token| token.kind == WordKind::Plain && !counted(token.start)) {
        all += 1;
        let stands = facts.has_plain(&token.plain)
            || facts.has_front(&token.plain)
            || scene.sentences.iter().any(|sentence| sentence.reading.has(&token.plain));
        there += usize::from(stands);
        if !stands {
            missing.push(&token.plain);
        }
    }
    let least = if scene.mine.is_dense { 2 * WORDS_MIN } else { WORDS_MIN };
    if all < least || (there as f32) >= WORDS_LEAST * all as f32 {
        return None;
    }
    missing.truncate(5);
    let reason = format!("the page has {there} of {all} of the claim's words; not {}", missing.join(", "));
    let reason = reason.trim_end_matches("; not ").to_owned();
    Some(doubt(ComparisonAspect::Coverage, (0, scene.claim.text.len()), None, reason))
}
