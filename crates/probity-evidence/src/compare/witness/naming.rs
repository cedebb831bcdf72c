//! Who: names that the page writes otherwise, names it does not have, words of another speaker, and two names that
//! changed places.

use super::{Scene, SceneSentence, doubt};
use crate::{
    compare::{
        ComparisonAspect, ComparisonRemark,
        reading::{Reading, ReadingWord, related},
        senses::{Sense, senses},
    },
    names::{NameKind, NameMention},
    page::PageWord,
    words::{self, LetterCase, WordKind},
};

/// Occurrences of a word that are looked at.
const PLACES_MAX: usize = 24;
/// Tokens between a speaker and the verb.
const SPEAKER_REACH: usize = 3;
/// The same where the verb comes first: "said Ida Ronk", "according to Ida Ronk".
const SPEAKER_BEHIND: usize = 3;
/// Bytes between a speaker of the page and the verb.
const SPEAKER_BYTES: usize = 48;
/// Tokens before a name that may say what it did.
const DEED_REACH: usize = 6;

/// Share of the claim that a sentence must have for the order of its names to count.
const SAME_WORDING: f32 = 0.6;

pub(super) fn doubts(scene: &Scene<'_, '_>, is_foreign: bool) -> Vec<ComparisonRemark> {
    let mut found: Vec<ComparisonRemark> = Vec::new();
    // Every German noun has a capital, and a page in another language has none of them.
    if !(is_foreign && crate::names::is_german(&scene.claim.words)) {
        found.extend(scene.claim.names.iter().find_map(|name| other_name(scene, name, is_foreign)));
        found.extend(scene.claim.names.iter().find_map(|name| absent_name(scene, name, is_foreign)));
    }
    if !is_foreign {
        found.extend(replaced(scene));
        found.extend(speaker(scene));
        found.extend(changed_places(scene));
    }
    found
}

/// How a page may end a name that a claim writes without: possessives and cases, not other names.
const NAME_ENDINGS: &[&str] =
    &["s", "es", "n", "en", "ns", "a", "u", "em", "ie", "ego", "owi", "у", "а", "ом", "е", "ой", "ым", "ого"];

/// The same name, its grammatical endings aside.
pub(super) fn same_name(one: &str, other: &str) -> bool {
    let (short, long) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    let ending = long.strip_prefix(short);
    let latin = short.is_ascii();
    ending.is_some_and(|ending| {
        ending.is_empty()
            || (NAME_ENDINGS.contains(&ending)
                && (!latin || matches!(ending, "s" | "es" | "n" | "en" | "ns")))
    })
}

/// The same name in a text that may write case endings.
fn is_form(one: &str, other: &str, declines: bool) -> bool {
    same_name(one, other) || (declines && crate::names::is_declined(one, other))
}

/// "Carrow's mayor" speaks, not Carrow.
fn is_possessive(scene: &Scene<'_, '_>, name: &NameMention) -> bool {
    let written = scene.claim.text.get(name.start..name.end).unwrap_or_default();
    let behind = scene.claim.text.get(name.end..).unwrap_or_default();
    ["'s", "’s"].iter().any(|ending| written.ends_with(ending) || behind.starts_with(ending))
}

fn stands(scene: &Scene<'_, '_>, token: &str) -> bool {
    let facts = scene.source.facts;
    facts.has_plain(token)
        || facts.has_initials(token)
        || ["s", "n", "es"].iter().any(|ending| {
            token.strip_suffix(ending).is_some_and(|bare| bare.len() > 2 && facts.has_plain(bare))
        })
        || ["s", "n", "es"].iter().any(|ending| facts.has_plain(&format!("{token}{ending}")))
}

/// One word of the name stands on the page beside another one than in the claim: `Ewa Lis` for `Ewa Lipska`.
fn other_name(scene: &Scene<'_, '_>, name: &NameMention, is_foreign: bool) -> Option<ComparisonRemark> {
    // `Quadratkilometer` is what a number counts.
    let counted = scene.mine.numbers.iter().any(|number| number.start < name.end && name.start < number.end);
    if name.tokens.len() < 2 || name.kind == NameKind::Address || counted {
        return None;
    }
    let page = scene.source.page;
    let declines = crate::names::declines(&scene.claim.words);
    for (place, token) in name.tokens.iter().enumerate() {
        // In another language a title has another word.
        if stands(scene, token) || (is_foreign && place == 0) {
            continue;
        }
        // Its neighbour in the claim, which the page has.
        let beside = [place.checked_sub(1), Some(place + 1)];
        for (side, known) in
            beside.into_iter().enumerate().filter_map(|(side, at)| Some((side, name.tokens.get(at?)?)))
        {
            let term = page.term(known);
            let places = term.map(|term| page.occurrences(term)).unwrap_or_default();
            for at in places.iter().take(PLACES_MAX) {
                // The unknown word stands behind its left neighbour, or before its right one.
                let at = *at as usize;
                let other = if side == 0 { Some(at + 1) } else { at.checked_sub(1) };
                let Some(other) = other.and_then(|other| page.words().get(other)) else { continue };
                let known_here = page.words().get(at).is_some_and(|word| is_name_word(word, page.text()));
                if known_here
                    && is_name_word(other, page.text())
                    && !is_opener(page.folded(other.term))
                    && !is_form(&crate::names::plain_token(page.folded(other.term)), token, declines)
                {
                    let (left, right) = (
                        page.words().get(at)?.start.min(other.start),
                        page.words().get(at)?.end.max(other.end),
                    );
                    let shown = page.text().get(left..right).unwrap_or_default();
                    if shown.contains(['.', '\n', ',', ';', ':']) {
                        continue;
                    }
                    let written = scene.claim.text.get(name.start..name.end).unwrap_or_default();
                    let reason = format!("the page names {shown} where the claim names {written}");
                    return Some(doubt(
                        ComparisonAspect::Name,
                        (name.start, name.end),
                        Some((left, right)),
                        reason,
                    ));
                }
            }
        }
    }
    None
}

/// A word that begins a sentence and has a capital for that alone.
fn is_opener(folded: &str) -> bool {
    words::is_stop_word(folded)
        || matches!(
            folded,
            "although"
                | "however"
                | "despite"
                | "unlike"
                | "former"
                | "like"
                | "though"
                | "under"
                | "according"
        )
}

fn is_name_word(word: &PageWord, text: &str) -> bool {
    let uncased = text
        .get(word.start..word.end)
        .and_then(|written| written.chars().next())
        .is_some_and(|letter| letter.is_alphabetic() && !letter.is_lowercase() && !letter.is_uppercase());
    word.kind == WordKind::Plain && (word.case != LetterCase::Lower || uncased)
}

/// A name that stands nowhere on the page.
fn absent_name(scene: &Scene<'_, '_>, name: &NameMention, is_foreign: bool) -> Option<ComparisonRemark> {
    // A name in another script is written otherwise there; at the beginning any word has a capital.
    let comparable = match name.kind {
        NameKind::Capitals | NameKind::Acronym => true,
        NameKind::Katakana | NameKind::Address => !is_foreign,
        NameKind::Initial => false,
    };
    let latin_page = scene
        .source
        .page
        .text()
        .chars()
        .filter(|letter| letter.is_alphabetic())
        .take(400)
        .filter(char::is_ascii)
        .count()
        > 200;
    if !comparable || (is_foreign && !latin_page) {
        return None;
    }
    let has = |token: &String| match name.kind {
        NameKind::Katakana => scene.source.page.text().contains(token.as_str()),
        NameKind::Address => scene.source.page.text().to_lowercase().contains(token.as_str()),
        NameKind::Capitals | NameKind::Initial | NameKind::Acronym => {
            stands(scene, token)
                || scene.source.facts.has_front(token)
                || scene.source.facts.has_plain(words::stem(token))
        }
    };
    if name.tokens.iter().any(has) || scene.source.facts.has_plain(&crate::names::initials(&name.tokens)) {
        return None;
    }
    let written = scene.claim.text.get(name.start..name.end).unwrap_or_default();
    Some(doubt(
        ComparisonAspect::Name,
        (name.start, name.end),
        None,
        format!("the page does not name {written}"),
    ))
}

/// One or two words, or characters, replaced between the same neighbours: for scripts without capitals.
fn replaced(scene: &Scene<'_, '_>) -> Option<ComparisonRemark> {
    let best = scene.best().filter(|best| best.share >= 0.4)?;
    let (mine, theirs) = (&scene.mine.tokens, &best.reading.tokens);
    let uncased = |token: &ReadingWord| {
        token.kind == WordKind::Dense
            || token.plain.chars().all(|letter| !letter.is_lowercase() && !letter.is_uppercase())
    };
    // Two characters, or one word, on either side.
    let reach = if scene.mine.is_dense { 2 } else { 1 };
    let equal = |mine: Option<&ReadingWord>, theirs: Option<&ReadingWord>| match (mine, theirs) {
        (Some(mine), Some(theirs)) => mine.plain == theirs.plain && mine.kind != WordKind::Symbol,
        _ => false,
    };
    for at in reach..mine.len() {
        let Some(token) = mine.get(at).filter(|token| uncased(token) && !is_small(token)) else { continue };
        if token.kind == WordKind::Number {
            continue;
        }
        for other in reach..theirs.len() {
            let Some(their) = theirs.get(other) else { continue };
            if their.plain == token.plain || their.kind != token.kind || is_small(their) {
                continue;
            }
            for length in 1..=2_usize {
                let left = (1..=reach).all(|back| equal(mine.get(at - back), theirs.get(other - back)));
                let right =
                    (0..reach).all(|on| equal(mine.get(at + length + on), theirs.get(other + length + on)));
                let second = length == 1 || !equal(mine.get(at + 1), theirs.get(other + 1));
                if !(left && right && second) {
                    continue;
                }
                let written = scene.claim.text.get(token.start..token.end).unwrap_or_default();
                let known = best.reading.text.contains(written);
                if !known || token.kind == WordKind::Plain {
                    let end = mine.get(at + length - 1).map_or(token.end, |last| last.end);
                    let their_end = theirs.get(other + length - 1).map_or(their.end, |last| last.end);
                    let shown = scene.source.page.text().get(their.start..their_end).unwrap_or_default();
                    let written = scene.claim.text.get(token.start..end).unwrap_or_default();
                    let reason = format!("the page says \"{shown}\" where the claim says \"{written}\"");
                    return Some(doubt(
                        ComparisonAspect::Name,
                        (token.start, end),
                        Some((their.start, their_end)),
                        reason,
                    ));
                }
            }
        }
    }
    None
}

/// Grammar and numerals: their exchange is no other name.
fn is_small(token: &ReadingWord) -> bool {
    let numeral = "一二三四五六七八九十百千万亿億零〇两";
    let kana = |letter: char| ('\u{3040}'..='\u{309f}').contains(&letter);
    words::is_stop_word(&token.plain)
        || token.plain.chars().all(|letter| numeral.contains(letter) || kana(letter))
        || words::is_negation(&token.plain)
}

/// Reported words whose sentence on the page names somebody else.
fn speaker(scene: &Scene<'_, '_>) -> Option<ComparisonRemark> {
    let says = scene.my_senses.iter().find(|place| place.sense == Sense::Says)?.token?;
    let verb = scene.mine.tokens.get(says)?;
    let near = |name: &&NameMention| {
        let at = scene.mine.tokens.partition_point(|token| token.start < name.start);
        let end = scene.mine.tokens.partition_point(|token| token.start < name.end);
        // "Announced by the Board" names somebody, "announced in March" nobody.
        (end <= says && says - end <= SPEAKER_REACH) || (at > says && at - says <= SPEAKER_BEHIND)
    };
    // A name at the beginning is a name here: somebody speaks.
    let name = scene.claim.names.iter().filter(near).filter(|name| !is_possessive(scene, name));
    let name = name.min_by_key(|name| name.start.abs_diff(verb.start))?;
    let declines = crate::names::declines(&scene.claim.words);
    let named = |reading: &Reading<'_>| {
        let is_there =
            |token: &String| reading.tokens.iter().any(|other| is_form(&other.plain, token, declines));
        name.tokens.iter().any(is_there)
    };
    // The sentence that has most of the rest.
    let rest = |sentence: &SceneSentence<'_>| {
        scene
            .mine
            .content()
            .filter(|token| token.start < name.start || token.end > name.end)
            .filter(|token| sentence.reading.has(&token.plain))
            .count()
    };
    let sentence = scene
        .sentences
        .iter()
        .max_by_key(|sentence| rest(sentence))
        .filter(|sentence| rest(sentence) >= 2)?;
    if named(&sentence.reading) {
        return None;
    }
    // "She added": the name stands in the sentence before.
    let page = scene.source.page;
    let at = page.sentences().partition_point(|other| other.start <= sentence.reading.base).saturating_sub(1);
    let before = at.checked_sub(1).and_then(|at| page.sentences().get(at));
    let before = before.map(|before| Reading::of_sentence(scene.source, before));
    let other_speaker = |reading: &Reading<'_>| {
        let words = words::words(reading.text);
        let named = crate::names::names(reading.text, &words);
        let verb = senses(reading).into_iter().find(|place| place.sense == Sense::Says);
        let Some(verb) = verb else {
            // Words between quotation marks are somebody's without a verb too.
            let quotes = reading.text.contains(['"', '“', '„', '«', '「']);
            return named.into_iter().find(|name| quotes && name.kind == NameKind::Capitals);
        };
        let (start, end) = (verb.start.saturating_sub(reading.base), verb.end.saturating_sub(reading.base));
        let near = |name: &NameMention| name.start.saturating_sub(end).max(start.saturating_sub(name.end));
        let speakers = named.into_iter().filter(|name| name.kind == NameKind::Capitals);
        speakers.min_by_key(near).filter(|name| near(name) <= SPEAKER_BYTES)
    };
    let theirs = other_speaker(&sentence.reading);
    if theirs.is_none() && before.as_ref().is_some_and(named) {
        return None;
    }
    let theirs = theirs.or_else(|| before.as_ref().and_then(other_speaker))?;
    let written = scene.claim.text.get(name.start..name.end).unwrap_or_default();
    let reason = format!("the page's sentence names {} and not {written}", theirs.tokens.join(" "));
    Some(doubt(ComparisonAspect::Attribution, (name.start, name.end), Some(sentence.reading.span()), reason))
}

/// Two names in the other order around the same word, with nothing that turns the sentence round.
fn changed_places(scene: &Scene<'_, '_>) -> Option<ComparisonRemark> {
    let best = scene.best().filter(|best| best.share >= SAME_WORDING)?;
    // "By 18,204 votes" turns nothing round.
    let passive = |reading: &Reading<'_>, places: &[crate::compare::senses::SensePlace]| {
        let counts = |place: &&crate::compare::senses::SensePlace| {
            let next = place.token.and_then(|token| reading.tokens.get(token + 1));
            next.is_some_and(|next| next.plain.starts_with(|first: char| first.is_ascii_digit()))
        };
        places.iter().filter(|place| place.sense == Sense::Passive && !counts(place)).count()
    };
    let at = |reading: &Reading<'_>, token: &str| {
        reading.tokens.iter().position(|other| same_name(&other.plain, token))
    };
    let capitals: Vec<&ReadingWord> =
        scene.mine.tokens.iter().filter(|token| token.is_capital && token.is_content).collect();
    for (place, one) in capitals.iter().enumerate() {
        for other in capitals.iter().skip(place + 1) {
            let (Some(left), Some(right)) = (at(&best.reading, &one.plain), at(&best.reading, &other.plain))
            else {
                continue;
            };
            // Words of one name, or names that stand there twice, have no order.
            let once = |token: &str| {
                let same = |other: &&ReadingWord| same_name(&other.plain, token);
                best.reading.tokens.iter().filter(same).count() == 1
                    && scene.mine.tokens.iter().filter(same).count() == 1
            };
            let is_one =
                scene.claim.names.iter().any(|name| name.start <= one.start && other.end <= name.end);
            if left <= right || is_one || !once(&one.plain) || !once(&other.plain) {
                continue;
            }
            // Claim: one ... other. Page: other ... one.
            let mine = between(&scene.mine, one.start, other.start);
            let theirs = best.reading.tokens.get(right + 1..left).unwrap_or_default();
            let shared: Vec<&&ReadingWord> = mine
                .iter()
                .filter(|word| {
                    !word.is_capital
                        && theirs.iter().any(|their| their.is_content && related(&their.plain, &word.plain))
                })
                .collect();
            let listed = mine.iter().all(|token| token.is_capital);
            let same_voice = passive(&scene.mine, &scene.my_senses) == passive(&best.reading, &best.senses);
            if let Some(word) = shared.first().filter(|_| same_voice && !listed) {
                let reason = format!(
                    "the page has {} and {} in the other order around \"{}\"",
                    one.plain, other.plain, word.plain
                );
                return Some(doubt(
                    ComparisonAspect::Attribution,
                    (one.start, other.end),
                    Some(best.reading.span()),
                    reason,
                ));
            }
        }
    }
    swapped_deeds(scene, best)
}

/// "Built by A and designed by B" for "designed by A and built by B".
fn swapped_deeds(scene: &Scene<'_, '_>, best: &SceneSentence<'_>) -> Option<ComparisonRemark> {
    let names: Vec<&NameMention> =
        scene.claim.names.iter().filter(|name| name.kind == NameKind::Capitals).collect();
    for name in &names {
        let token = name.tokens.first()?;
        let (mine, theirs) = (deeds(&scene.mine, token), deeds(&best.reading, token));
        let shared = |one: &[&str], other: &[&str]| {
            one.iter().any(|deed| other.iter().any(|their| related(deed, their)))
        };
        if mine.is_empty() || theirs.is_empty() || shared(&mine, &theirs) {
            continue;
        }
        let crossed = names.iter().filter_map(|other| other.tokens.first()).any(|other| {
            other != token
                && shared(&deeds(&scene.mine, other), &theirs)
                && shared(&deeds(&best.reading, other), &mine)
        });
        if crossed {
            let (theirs, mine) = (theirs.join(" "), mine.join(" "));
            let reason = format!("the page has \"{theirs}\" with {token}, the claim \"{mine}\"");
            return Some(doubt(
                ComparisonAspect::Attribution,
                (name.start, name.end),
                Some(best.reading.span()),
                reason,
            ));
        }
    }
    None
}

/// Words before a name that say what it did: those of its clause.
fn deeds<'r>(reading: &'r Reading<'_>, name: &str) -> Vec<&'r str> {
    let Some(at) = reading.tokens.iter().position(|other| other.is_capital && same_name(&other.plain, name))
    else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for token in reading.tokens.iter().take(at).rev().take(DEED_REACH) {
        if super::roles::JOINTS.contains(&token.plain.as_str()) || token.is_capital {
            break;
        }
        if token.is_content {
            found.push(token.plain.as_str());
        }
        if token.begins_clause {
            break;
        }
    }
    found
}

fn between<'r>(reading: &'r Reading<'_>, from: usize, to: usize) -> Vec<&'r ReadingWord> {
    reading.tokens.iter().filter(|token| from < token.start && token.end <= to && token.is_content).collect()
}
