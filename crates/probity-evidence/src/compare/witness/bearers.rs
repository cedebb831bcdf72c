//! Whose deed it is: a claim whose subject stands on the page, while what the claim says of it is said there of another;
//! and a name put together from two names of the page.

use super::{Scene, SceneSentence, agents::BELONGING, doubt, naming::same_name};
use crate::{
    compare::{
        ComparisonAspect, ComparisonRemark,
        page_comparison::sentence_at,
        reading::{Reading, ReadingWord, related},
    },
    names::{NameKind, NameMention},
    page::{IndexedPage, PageWord},
    words::{self, LetterCase, WordKind},
};

/// Tokens before the subject of a claim: an article, a title.
const SUBJECT_REACH: usize = 3;
/// Telling words that the other sentence must have of what is said.
const DEED_WORDS_MIN: usize = 2;
/// A page that names somebody more often is about him.
const MENTIONS_MAX: usize = 2;
/// Occurrences of a word that are looked at.
const PLACES_MAX: usize = 24;
/// Words between the parts of one name.
const NAME_REACH: usize = 3;

pub(super) fn doubts(scene: &Scene<'_, '_>) -> Vec<ComparisonRemark> {
    let mixed = scene.claim.names.iter().find_map(|name| mixed_name(scene, name));
    let bearer = other_bearer(scene).or_else(|| other_clause(scene));
    mixed.into_iter().chain(bearer).collect()
}

/// What the claim says of its subject.
fn deed<'s>(scene: &'s Scene<'_, '_>, subject: &NameMention) -> Vec<&'s ReadingWord> {
    let counted =
        |start: usize| scene.mine.numbers.iter().any(|number| number.start <= start && start < number.end);
    let outside = |token: &&ReadingWord| token.end <= subject.start || token.start >= subject.end;
    let telling = scene.mine.content().filter(|token| token.kind == WordKind::Plain && !counted(token.start));
    telling.filter(outside).collect()
}

fn hits(words: &[&ReadingWord], reading: &Reading<'_>) -> usize {
    words.iter().filter(|word| reading.has(&word.plain)).count()
}

fn names_it(subject: &NameMention, reading: &Reading<'_>) -> bool {
    subject.tokens.iter().any(|token| reading.tokens.iter().any(|other| same_name(&other.plain, token)))
}

/// The page has the subject, and another sentence, which names somebody else, has what is said of it.
fn other_bearer(scene: &Scene<'_, '_>) -> Option<ComparisonRemark> {
    let leads = |name: &&NameMention| {
        let at = scene.mine.tokens.partition_point(|token| token.start < name.start);
        let is_name = match name.kind {
            NameKind::Capitals | NameKind::Acronym => true,
            NameKind::Initial => name.tokens.iter().any(|token| is_name_on(scene, token)),
            NameKind::Katakana | NameKind::Address => false,
        };
        // "The mayor of Velm" is not Velm.
        let before = at.checked_sub(1).and_then(|before| scene.mine.tokens.get(before));
        let belongs = before.is_some_and(|before| BELONGING.contains(&before.plain.as_str()));
        at <= SUBJECT_REACH && is_name && !belongs
    };
    let subject = scene.claim.names.iter().find(leads)?;
    // A page about somebody need not name him in every sentence.
    if subject.tokens.iter().any(|token| places(scene.source.page, token).count() > MENTIONS_MAX) {
        return None;
    }
    let deed = deed(scene, subject);
    let best = scene.sentences.iter().max_by_key(|sentence| hits(&deed, &sentence.reading))?;
    let most = hits(&deed, &best.reading);
    if most < DEED_WORDS_MIN || 2 * most < deed.len() || names_it(subject, &best.reading) {
        return None;
    }
    // "She added": the name stands in the sentence before, and this one has none.
    let other = stranger(scene, best, &deed)?;
    let own = scene.sentences.iter().filter(|sentence| names_it(subject, &sentence.reading));
    let known = own.map(|sentence| hits(&deed, &sentence.reading)).max()?;
    if 2 * known > most {
        return None;
    }
    let written = scene.claim.text.get(subject.start..subject.end).unwrap_or_default();
    let reason = format!("the page's sentence names {other} and not {written}");
    let span = Some(best.reading.span());
    Some(doubt(ComparisonAspect::Attribution, (subject.start, subject.end), span, reason))
}

/// A name of the sentence that the claim does not have, before what is said.
fn stranger<'s>(
    scene: &'s Scene<'_, '_>,
    sentence: &SceneSentence<'_>,
    deed: &[&ReadingWord],
) -> Option<&'s str> {
    let reading = &sentence.reading;
    let is_deed = |token: &ReadingWord| deed.iter().any(|word| related(&word.plain, &token.plain));
    let last = reading.tokens.iter().rposition(|token| token.is_content && is_deed(token))?;
    let dated = |token: &ReadingWord| {
        reading.dates.iter().any(|date| date.start <= token.start && token.start < date.end)
    };
    let is_name = |token: &ReadingWord| token.is_capital && token.is_content && !dated(token);
    let is_stranger = |(at, token): &(usize, &ReadingWord)| {
        // German nouns have capitals too: there two in a row are a name.
        let beside = [at.checked_sub(1), Some(at + 1)].into_iter().flatten();
        let in_a_row = beside.filter_map(|at| reading.tokens.get(at)).any(is_name);
        is_name(token)
            && (reading.is_english || in_a_row)
            && !scene.mine.tokens.iter().any(|mine| same_name(&mine.plain, &token.plain))
            && is_name_on(scene, &token.plain)
    };
    let (_, token) = reading.tokens.iter().enumerate().take(last).find(is_stranger)?;
    scene.source.page.text().get(token.start..token.end)
}

/// The page writes it with a capital inside a sentence.
fn is_name_on(scene: &Scene<'_, '_>, plain: &str) -> bool {
    let page = scene.source.page;
    places(page, plain).any(|(_, word)| {
        let begins = sentence_at(page, word.start).is_some_and(|sentence| sentence.start == word.start);
        word.case != LetterCase::Lower && !begins
    })
}

pub(super) fn places<'p>(page: &'p IndexedPage, plain: &str) -> impl Iterator<Item = (usize, &'p PageWord)> {
    let found = page.term(plain).map(|term| page.occurrences(term)).unwrap_or_default();
    found.iter().take(PLACES_MAX).filter_map(|at| Some((*at as usize, page.words().get(*at as usize)?)))
}

/// Words between two clauses of which one is set against the other.
const CONTRASTS: &[&str] = &[
    "while",
    "but",
    "whereas",
    "wahrend",
    "aber",
    "sondern",
    "tandis",
    "mais",
    "alors",
    "mientras",
    "pero",
    "sino",
    "mentre",
    "ma",
    "enquanto",
    "mas",
    "terwijl",
    "maar",
    "natomiast",
    "ale",
    "а",
    "но",
    "بينما",
    "لكن",
];

/// Subjects that speak of what stands before.
const PRONOUNS: &[&str] = &[
    "it", "he", "she", "they", "this", "er", "sie", "es", "dieser", "diese", "dieses", "il", "elle", "ils",
    "elles", "ce", "ella", "ellos", "ellas", "lui", "lei", "esso", "essa", "ele", "ela", "eles", "elas",
    "on", "ona", "ono", "oni", "он", "она", "оно", "они", "هو", "هي", "هم",
];

/// "Unions welcomed it, while farmers fear": the claim gives to one clause's subject what the other clause says.
fn other_clause(scene: &Scene<'_, '_>) -> Option<ComparisonRemark> {
    let subject = scene.mine.content().next().filter(|token| token.kind == WordKind::Plain)?;
    // The second word of the subject's name is no part of what is said of it.
    let name = scene.claim.names.iter().find(|name| name.start <= subject.start && subject.end <= name.end);
    let named = |token: &ReadingWord| name.is_some_and(|name| token.start < name.end);
    let rest: Vec<&ReadingWord> =
        scene.mine.content().skip(1).filter(|token| token.kind == WordKind::Plain && !named(token)).collect();
    let best = scene.best()?;
    let tokens = &best.reading.tokens;
    let contrast = tokens.iter().position(|token| CONTRASTS.contains(&token.plain.as_str()));
    let cut = contrast.or_else(|| {
        (1..tokens.len()).find(|at| {
            let (before, token) = (at.checked_sub(1).and_then(|at| tokens.get(at)), tokens.get(*at));
            let between = before.zip(token).and_then(|(before, token)| {
                best.reading.text.get(before.end - best.reading.base..token.start - best.reading.base)
            });
            between.is_some_and(|between| between.contains([';', '؛', '；']))
        })
    })?;
    let behind = if contrast.is_some() { cut + 1 } else { cut };
    let (left, right) = (tokens.get(..cut)?, tokens.get(behind..)?);
    // "It was opened in 1879; it cost 4.2 million" goes on with the same subject.
    if right.first().is_some_and(|token| PRONOUNS.contains(&token.plain.as_str())) {
        return None;
    }
    let has = |side: &[ReadingWord], word: &ReadingWord| {
        side.iter().any(|token| related(&token.plain, &word.plain))
    };
    let count = |side: &[ReadingWord]| rest.iter().filter(|word| has(side, word)).count();
    let (mine, other) = match (has(left, subject), has(right, subject)) {
        (true, false) => (left, right),
        (false, true) => (right, left),
        _ => return None,
    };
    let most = count(other);
    // The other clause has a subject of its own, and this one nothing of what is said.
    let first = other.iter().find(|token| token.is_content)?;
    let is_own = !scene.mine.has(&first.plain);
    if count(mine) > 0 || most < DEED_WORDS_MIN || 2 * most < rest.len() || !is_own {
        return None;
    }
    let page = scene.source.page.text();
    let shown = page.get(first.start..first.end).unwrap_or_default();
    let written = scene.claim.text.get(subject.start..subject.end).unwrap_or_default();
    let reason = format!("the page says it of \"{shown}\", not of \"{written}\"");
    let part = (subject.start, subject.end);
    Some(doubt(ComparisonAspect::Attribution, part, Some(best.reading.span()), reason))
}

/// Two words of one name that the page has only apart, each in another name.
fn mixed_name(scene: &Scene<'_, '_>, name: &NameMention) -> Option<ComparisonRemark> {
    let [one, other] = name.tokens.as_slice() else { return None };
    if name.kind != NameKind::Capitals || words::is_stop_word(one) || words::is_stop_word(other) {
        return None;
    }
    let page = scene.source.page;
    let at: Vec<(usize, &PageWord)> = places(page, one).collect();
    let theirs: Vec<(usize, &PageWord)> = places(page, other).collect();
    let together =
        at.iter().any(|(left, _)| theirs.iter().any(|(right, _)| left.abs_diff(*right) <= NAME_REACH));
    let first = partner(page, &at)?;
    let second = partner(page, &theirs)?;
    let written = scene.claim.text.get(name.start..name.end).unwrap_or_default();
    let reason = format!("the page names {} and {}, not {written}", first.1, second.1);
    (!together).then(|| doubt(ComparisonAspect::Name, (name.start, name.end), Some(first.0), reason))
}

/// The name that every occurrence of a word is part of, if each is part of one.
fn partner<'p>(page: &'p IndexedPage, places: &[(usize, &PageWord)]) -> Option<((usize, usize), &'p str)> {
    let text = page.text();
    let beside = |(at, word): &(usize, &PageWord)| {
        let near = [at.checked_sub(1), Some(at + 1)].into_iter().flatten();
        near.filter_map(|near| page.words().get(near)).find_map(|near| {
            let (start, end) = (near.start.min(word.start), near.end.max(word.end));
            let shown = text.get(start..end)?;
            let is_name = near.case != LetterCase::Lower
                && near.kind == WordKind::Plain
                && !words::is_stop_word(page.folded(near.term));
            (is_name && !shown.contains(['.', ',', '\n', ';', ':'])).then_some(((start, end), shown))
        })
    };
    let first = places.first().and_then(beside)?;
    (places.iter().all(|place| beside(place).is_some())).then_some(first)
}
