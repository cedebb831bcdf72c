//! How strong: all for some, certain for possible, done for planned, caused for linked, the most for much; and claims
//! whose words the page mostly does not have.

use super::{Scene, SceneSentence, doubt, has};
use crate::{
    compare::{
        ComparisonAspect, ComparisonRemark,
        reading::ReadingWord,
        senses::{Sense, SensePlace},
    },
    words::WordKind,
};

/// Share of the claim that a sentence must have for its reservations to count.
const SAME_TOPIC: f32 = 0.3;
/// Share of the claim's words on the whole page below which it is about something else.
const WORDS_LEAST: f32 = 0.25;
/// A claim with fewer words is not weighed by their number.
const WORDS_MIN: usize = 5;

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

fn quoted<'a>(scene: &'a Scene<'_, '_>, part: (usize, usize)) -> &'a str {
    scene.claim.text.get(part.0..part.1).unwrap_or_default()
}

/// Share of the claim that a sentence without any quantifier must have for one of the claim's to count.
const QUANTIFIED_TOPIC: f32 = 0.5;

/// The claim speaks of all; the sentence of most, of some, only of a few, or without a word of it.
fn quantifier(scene: &Scene<'_, '_>) -> Option<ComparisonRemark> {
    let part = scene.my_senses.iter().find(|place| place.sense == Sense::All && is_of_all(scene, place))?;
    let part = (part.start, part.end);
    let best = on_topic(scene).next()?;
    if on_topic(scene).any(|sentence| has(&sentence.senses, Sense::All)) {
        return None;
    }
    let theirs = best.senses.iter().find(|place| {
        matches!(place.sense, Sense::Most | Sense::Some | Sense::Only) && !is_time_or_rank(best, place)
    });
    let shown = theirs.and_then(|place| scene.source.page.text().get(place.start..place.end));
    let word = quoted(scene, part);
    let reason = match shown {
        Some(shown) => format!("the page says \"{shown}\" where the claim says \"{word}\""),
        None if best.share < QUANTIFIED_TOPIC => return None,
        None => format!("the claim says \"{word}\", the page's sentence does not"),
    };
    Some(doubt(ComparisonAspect::Scope, part, Some(best.reading.span()), reason))
}

/// The half of "half-time" and of "second half" is no part of all; nor is the third of "the third match".
fn is_time_or_rank(sentence: &SceneSentence<'_>, place: &SensePlace) -> bool {
    let Some(at) = place.token else { return false };
    let tokens = &sentence.reading.tokens;
    let plain = |at: Option<usize>| at.and_then(|at| tokens.get(at)).map_or("", |token| token.plain.as_str());
    let word = plain(Some(at));
    let behind = sentence.reading.text.get(place.end.saturating_sub(sentence.reading.base)..);
    let joined = behind.is_some_and(|rest| rest.starts_with('-'));
    let before = plain(at.checked_sub(1));
    let led =
        matches!(before, "first" | "second" | "third" | "fourth") || (before == "the" && word != "half");
    let timed = matches!(plain(Some(at + 1)), "time" | "hour" | "year" | "term" | "way" | "past");
    matches!(word, "half" | "third" | "quarter") && (joined || led || timed)
}

/// "All six", "all-cash", "not all", "of all time" speak of no more than the page may.
fn is_of_all(scene: &Scene<'_, '_>, place: &SensePlace) -> bool {
    let Some(at) = place.token else { return true };
    let word = |at: Option<usize>| {
        at.and_then(|at| scene.mine.tokens.get(at)).map_or("", |token| token.plain.as_str())
    };
    let joined = scene.claim.text.get(place.end..).is_some_and(|rest| rest.starts_with('-'));
    let counted = scene.mine.tokens.get(at + 1).is_some_and(|next| {
        scene.mine.numbers.iter().any(|number| number.start <= next.start && next.start < number.end)
    });
    // "One all" is a score.
    let scored = scene.mine.is_english
        && at.checked_sub(1).and_then(|before| scene.mine.tokens.get(before)).is_some_and(|before| {
            scene.mine.numbers.iter().any(|number| number.start <= before.start && before.start < number.end)
                || matches!(before.plain.as_str(), "nil" | "one")
        });
    let idle = matches!(
        word(Some(at + 1)),
        "time" | "times" | "sorts" | "kinds" | "over" | "but" | "together" | "other"
    );
    let led = matches!(
        word(at.checked_sub(1)),
        "not"
            | "of"
            | "nicht"
            | "after"
            | "above"
            | "at"
            | "for"
            | "almost"
            | "nearly"
            | "fast"
            | "presque"
            | "casi"
            | "quasi"
    );
    !joined && !counted && !scored && !idle && !led
}

fn superlative(scene: &Scene<'_, '_>) -> Option<ComparisonRemark> {
    let part =
        scene.my_senses.iter().find(|place| place.sense == Sense::Superlative && !is_named(scene, place))?;
    let part = (part.start, part.end);
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

/// "Best" of "Best Actress" is part of a name.
fn is_named(scene: &Scene<'_, '_>, place: &SensePlace) -> bool {
    let token = place.token.and_then(|token| scene.mine.tokens.get(token));
    scene.mine.is_english && token.is_some_and(|token| token.is_capital && token.start > 0)
}

/// Words behind a reservation that it is about.
const RESERVED_REACH: usize = 7;

/// What the reservation is about is what the claim states: it has half of the telling words behind it.
fn reserves_the_claim(scene: &Scene<'_, '_>, sentence: &SceneSentence<'_>, place: &SensePlace) -> bool {
    let Some(at) = place.token else { return sentence.share >= RESERVED_DENSE };
    let tokens = &sentence.reading.tokens;
    // "Appeared in a film" is no reservation, "appears to be" is.
    let seems = tokens.get(at).is_some_and(|token| {
        let front = |front: &str| token.plain.starts_with(front);
        sentence.reading.is_english && (front("appear") || front("seem"))
    });
    let follows = tokens.get(at + 1).map_or("", |next| next.plain.as_str());
    if seems && !matches!(follows, "to" | "that" | "likely" | "as") {
        return false;
    }
    // "Could not" says what was impossible.
    let unable = tokens.get(at).is_some_and(|token| crate::hedge::is_ability(&token.plain))
        && sentence.senses.iter().any(|not| {
            not.sense == Sense::Not && not.token.is_some_and(|not| not + 1 >= at && not <= at + 2)
        });
    if unable {
        return false;
    }
    let behind = tokens.iter().skip(at + 1).take(RESERVED_REACH);
    let about: Vec<_> =
        behind.take_while(|token| !token.begins_clause).filter(|token| token.is_content).collect();
    let there = about.iter().filter(|token| scene.mine.has(&token.plain)).count();
    // "The old hall will probably be turned into a museum": the rest of the claim may stand before it.
    there >= 1 && (2 * there >= about.len() || sentence.share >= RESERVED_WORDING)
}

/// Share of the claim from which a reservation is about it, whatever else stands behind it.
const RESERVED_WORDING: f32 = 0.6;
/// Share of the claim that a sentence in a script without spaces must have for its reservation to count.
const RESERVED_DENSE: f32 = 0.4;

/// The sentence hedges, or plans, and the claim states.
fn reservation(scene: &Scene<'_, '_>) -> Option<ComparisonRemark> {
    let best = on_topic(scene).next()?;
    let is_reservation = |place: &SensePlace, written: &str| {
        matches!(place.sense, Sense::Hedge | Sense::Plan) && !(written == "May" || written == "MAY")
    };
    let mine = |place: &SensePlace| {
        is_reservation(place, scene.claim.text.get(place.start..place.end).unwrap_or_default())
    };
    let (says_can, says_will) = (says(scene, CAN), says(scene, WILL));
    if scene.my_senses.iter().any(mine) || says_can {
        return None;
    }
    let written =
        |place: &SensePlace| scene.source.page.text().get(place.start..place.end).unwrap_or_default();
    let theirs = best
        .senses
        .iter()
        .find(|place| is_reservation(place, written(place)) && reserves_the_claim(scene, best, place));
    let theirs = theirs.map(|place| (place.sense, written(place))).or_else(|| {
        let (start, end) = to_come(scene, best)?;
        Some((Sense::Plan, scene.source.page.text().get(start..end)?))
    });
    // What is planned may be said to come.
    let (sense, shown) = theirs.filter(|(sense, _)| !(*sense == Sense::Plan && says_will))?;
    let what = if sense == Sense::Plan { "plans or expects" } else { "hedges" };
    let reason = format!("the page {what} (\"{shown}\"), the claim does not");
    Some(doubt(ComparisonAspect::Hedge, (0, scene.claim.text.len()), Some(best.reading.span()), reason))
}

/// What can be.
const CAN: &[&str] =
    &["can", "should", "kann", "konnen", "peut", "peuvent", "puede", "pueden", "would", "puo", "pode", "due"];
/// What is to come.
const WILL: &[&str] = &["will", "shall", "wird", "werden", "zal", "zullen", "будет", "будут", "bedzie"];

fn says(scene: &Scene<'_, '_>, words: &[&str]) -> bool {
    scene.mine.tokens.iter().any(|token| words.contains(&token.plain.as_str()))
}

/// "The plant is to employ 850": what the page puts into the future and the claim into the present.
fn to_come(scene: &Scene<'_, '_>, sentence: &SceneSentence<'_>) -> Option<(usize, usize)> {
    let tokens = &sentence.reading.tokens;
    if !sentence.reading.is_english || !scene.mine.is_english {
        return None;
    }
    tokens.windows(3).find_map(|window| {
        let [first, second, deed] = window else { return None };
        let comes = matches!(first.plain.as_str(), "is" | "are") && second.plain == "to";
        (comes && deed.is_content && scene.mine.has(&deed.plain)).then_some((first.start, deed.end))
    })
}

/// Telling words of a cause that the page must lack before it counts as another cause.
const CAUSE_WORDS_MIN: usize = 2;

/// A cause of which the page has nothing, or where the page only says that two things go together.
fn cause(scene: &Scene<'_, '_>) -> Option<ComparisonRemark> {
    let place = scene.my_senses.iter().find(|place| place.sense == Sense::Cause)?;
    let part = (place.start, place.end);
    let word = quoted(scene, part);
    let linked = scene.sentences.iter().take(3).any(|sentence| has(&sentence.senses, Sense::Linked));
    if let Some(best) = on_topic(scene).next()
        && linked
        && !scene.i_have(Sense::Linked)
        && !scene.i_have(Sense::Hedge)
        && !scene.i_have(Sense::Says)
    {
        let reason = format!("the page says that it goes together, the claim says \"{word}\"");
        return Some(doubt(ComparisonAspect::Scope, part, Some(best.reading.span()), reason));
    }
    let at = place.token?;
    let best = on_topic(scene).next().or_else(|| scene.best())?;
    let is_there = |token: &&ReadingWord| {
        let facts = scene.source.facts;
        facts.has_plain(&token.plain)
            || facts.has_front(&token.plain)
            || scene.sentences.iter().any(|sentence| sentence.reading.has(&token.plain))
    };
    let side = |from: usize, to: usize| {
        let words = scene.mine.tokens.get(from..to).unwrap_or_default().iter();
        words.filter(|token| token.is_content && token.kind == WordKind::Plain).collect::<Vec<_>>()
    };
    // The cause stands behind "because of" and before "led to": either side may be the one that is missing.
    let end = scene.mine.tokens.len();
    let sides = [side(at + 1, end), side(0, at)];
    let missing = |words: &[&ReadingWord]| words.len() >= CAUSE_WORDS_MIN && !words.iter().any(is_there);
    let known = |words: &[&ReadingWord]| {
        !words.is_empty() && 2 * words.iter().filter(|token| is_there(token)).count() >= words.len()
    };
    let [behind, before] = &sides;
    let other = (missing(behind) && known(before)) || (missing(before) && known(behind));
    let reason = format!("the claim gives a cause (\"{word}\") of which the page has nothing");
    other.then(|| doubt(ComparisonAspect::Scope, part, Some(best.reading.span()), reason))
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
    let is_weighed = |token: &&ReadingWord| token.kind == WordKind::Plain && !counted(token.start);
    let weighed: Vec<&ReadingWord> = scene.mine.content().filter(is_weighed).collect();
    all += weighed.len();
    let least = if scene.mine.is_dense { 2 * WORDS_MIN } else { WORDS_MIN };
    let is_enough = |there: usize| all < least || (there as f32) >= WORDS_LEAST * all as f32;
    for token in weighed {
        // Nearly every claim has enough after its first words.
        if is_enough(there) {
            return None;
        }
        let stands = facts.has_plain(&token.plain)
            || facts.has_front(&token.plain)
            || scene.sentences.iter().any(|sentence| sentence.reading.has(&token.plain));
        there += usize::from(stands);
        if !stands {
            missing.push(&token.plain);
        }
    }
    if is_enough(there) {
        return None;
    }
    missing.truncate(5);
    let reason = format!("the page has {there} of {all} of the claim's words; not {}", missing.join(", "));
    let reason = reason.trim_end_matches("; not ").to_owned();
    Some(doubt(ComparisonAspect::Coverage, (0, scene.claim.text.len()), None, reason))
}
