//! Who did it: the name that stands in a role in the claim, beside the name that stands in the same role on the page.

use super::{Scene, SceneSentence, bearers::places, doubt, naming::same_name, uncased};
use crate::{
    compare::{
        ComparisonAspect, ComparisonRemark,
        page_comparison::sentence_at,
        reading::{Reading, ReadingWord, related},
        senses::{Sense, SensePlace},
    },
    names::{self, NameKind, NameMention},
    words::{self, WordKind},
};

/// A page that names somebody more often is about him and need not name him in every role.
const MENTIONS_MAX: usize = 2;
/// Tokens of whoever is named behind "by".
const AGENT_REACH: usize = 5;
/// Telling words before "by" that may say what was done.
const DEED_WORDS: usize = 3;
/// Tokens before "by" in which they stand.
const DEED_REACH: usize = 7;
/// Tokens between a verb and the name right before or behind it.
const BESIDE_REACH: usize = 2;
/// Tokens between a verb and the place that belongs to it.
const PLACE_REACH: usize = 9;
/// Telling words of the claim that the sentence of another must have.
const SAID_WORDS_MIN: usize = 2;
/// Share of the claim from which a sentence is the claim, but for one word.
const SAME_WORDING: f32 = 0.6;
/// Letters of a verb that tells one deed from another.
const VERB_LETTERS_MIN: usize = 5;
/// Letters of a name whose case endings may differ.
const DECLINED_LETTERS_MIN: usize = 4;

pub(super) fn doubts(scene: &Scene<'_, '_>, is_foreign: bool) -> Vec<ComparisonRemark> {
    let any_language = by_another(scene).or_else(|| beaten(scene));
    let found = any_language.or_else(|| {
        if is_foreign {
            return None;
        }
        deed_of_another(scene)
            .or_else(|| place_of_another(scene))
            .or_else(|| said_of_another(scene))
            .or_else(|| uncased::speaker(scene))
            .or_else(|| uncased::dense_subject(scene))
    });
    let modified = if is_foreign { None } else { other_modifier(scene) };
    found.into_iter().chain(modified).collect()
}

/// Words before whoever did what stands before them. Arabic has two words, of which this is the second.
const BY: &[&str] = &[
    "by", "durch", "par", "por", "pelo", "pela", "pelos", "pelas", "da", "dal", "dalla", "dallo", "dai",
    "dagli", "przez", "door", "يد",
];

/// Whoever did it follows. `Da` is "of" too, and "by" behind a participle only.
pub(super) fn is_by(reading: &Reading<'_>, at: usize) -> bool {
    let plain = |at: usize| reading.tokens.get(at).map_or("", |token| token.plain.as_str());
    let before = at.checked_sub(1).map_or("", plain);
    let participle = ["to", "ta", "ti", "te", "do", "dos", "das", "so", "sa", "si", "se"];
    BY.contains(&plain(at)) && (plain(at) != "da" || participle.iter().any(|ending| before.ends_with(ending)))
}

/// A name of the claim that may have a role: of people, places and bodies that the page has, and not all over.
fn has_role(scene: &Scene<'_, '_>, name: &NameMention) -> bool {
    let last = name.tokens.last().map_or("", String::as_str);
    name.kind == NameKind::Capitals
        && scene.source.facts.has_plain(last)
        && places(scene.source.page, last).count() <= MENTIONS_MAX
}

/// The names of a sentence, with their bytes on the page.
fn mentions(reading: &Reading<'_>) -> Vec<NameMention> {
    let mut found = names::names(reading.text, &words::words(reading.text));
    found.retain(|name| matches!(name.kind, NameKind::Capitals | NameKind::Acronym));
    for name in &mut found {
        name.start += reading.base;
        name.end += reading.base;
    }
    found
}

fn is_named_in(name: &NameMention, tokens: &[ReadingWord]) -> bool {
    let is_same = |other: &ReadingWord, token: &str| {
        let declined = other.is_capital && token.chars().count() >= DECLINED_LETTERS_MIN;
        same_name(&other.plain, token) || (declined && names::is_declined(&other.plain, token))
    };
    name.tokens.iter().any(|token| tokens.iter().any(|other| is_same(other, token)))
}

fn is_stranger(scene: &Scene<'_, '_>, name: &NameMention) -> bool {
    !is_named_in(name, &scene.mine.tokens)
}

pub(super) fn written<'s>(scene: &'s Scene<'_, '_>, part: (usize, usize)) -> &'s str {
    scene.claim.text.get(part.0..part.1).unwrap_or_default()
}

fn shown<'s>(scene: &'s Scene<'_, '_>, part: (usize, usize)) -> &'s str {
    scene.source.page.text().get(part.0..part.1).unwrap_or_default()
}

fn of_another(
    scene: &Scene<'_, '_>,
    part: (usize, usize),
    span: (usize, usize),
    other: &str,
) -> ComparisonRemark {
    let reason = format!("the page says this of {other}, not of {}", written(scene, part));
    doubt(ComparisonAspect::Attribution, part, Some(span), reason)
}

/// The telling words before a place, nearest first.
fn deed_before<'r>(reading: &'r Reading<'_>, at: usize) -> Vec<&'r ReadingWord> {
    let before = reading.tokens.iter().take(at).rev().take(DEED_REACH);
    before.filter(|token| token.is_content && !token.is_capital).take(DEED_WORDS).collect()
}

/// The tokens behind "by", up to the next clause.
fn agent<'r>(reading: &'r Reading<'_>, by: usize) -> Vec<&'r ReadingWord> {
    let behind = reading.tokens.iter().skip(by + 1).take(AGENT_REACH);
    behind.take_while(|token| !token.begins_clause).collect()
}

pub(super) fn is_uncased(token: &ReadingWord) -> bool {
    token.plain.chars().all(|letter| !letter.is_lowercase() && !letter.is_uppercase())
}

/// "Drawn by Tobias Renn" where the page has "drawn by herself".
fn by_another(scene: &Scene<'_, '_>) -> Option<ComparisonRemark> {
    for at in (0..scene.mine.tokens.len()).filter(|at| is_by(&scene.mine, *at)) {
        let mine = agent(&scene.mine, at);
        let deed = deed_before(&scene.mine, at);
        // The last word of a name is the surname.
        let is_name = |token: &&&ReadingWord| {
            token.is_content && token.kind == WordKind::Plain && (token.is_capital || is_uncased(token))
        };
        let named: Vec<&&ReadingWord> = mine.iter().filter(is_name).collect();
        let Some(last) = named.last() else { continue };
        // A German noun has a capital and is no name.
        let is_mention = |name: &NameMention| {
            name.kind == NameKind::Capitals && name.start <= last.start && last.end <= name.end
        };
        // "Of 4.2 million euros" is by nobody.
        let counted = mine.first().is_some_and(|token| token.kind == WordKind::Number);
        if counted || (!is_uncased(last) && !scene.claim.names.iter().any(is_mention)) {
            continue;
        }
        // Arabic writes its article together with the name.
        let on_page = scene.source.page.text().contains(written(scene, (last.start, last.end)));
        if deed.is_empty() || !on_page || places(scene.source.page, &last.plain).count() > MENTIONS_MAX {
            continue;
        }
        for sentence in &scene.sentences {
            let reading = &sentence.reading;
            // He did it somewhere in the sentence.
            if reading.tokens.iter().any(|token| same_name(&token.plain, &last.plain)) {
                continue;
            }
            for by in (0..reading.tokens.len()).filter(|by| is_by(reading, *by)) {
                let theirs = deed_before(reading, by);
                // The word right before it must be the same; where verbs come first, any of them.
                let nearest = deed.first().zip(theirs.first());
                let same = nearest.is_some_and(|(mine, theirs)| related(&mine.plain, &theirs.plain))
                    || (is_uncased(last)
                        && deed
                            .iter()
                            .any(|mine| theirs.iter().any(|their| related(&mine.plain, &their.plain))));
                let other = agent(reading, by);
                if let (true, Some(first), Some(end)) = (same, other.first(), other.last()) {
                    let other = shown(scene, (first.start, end.end)).to_owned();
                    return Some(of_another(scene, (last.start, last.end), reading.span(), &other));
                }
            }
        }
    }
    None
}

/// To win against somebody: who stands behind it has lost.
const BEATS: &[&str] = &[
    "beat",
    "beats",
    "defeated",
    "defeats",
    "besiegte",
    "besiegten",
    "schlug",
    "schlugen",
    "battu",
    "bat",
    "vainc",
    "derroto",
    "derrotaron",
    "vencio",
    "vencieron",
    "batte",
    "battuto",
    "sconfisse",
    "sconfitto",
    "derrotou",
    "venceu",
    "pokonal",
    "pokonala",
    "pokonali",
    "победил",
    "победила",
    "победили",
    "обыграл",
    "обыграла",
    "обыграли",
    "هزم",
    "هزمت",
    "versloeg",
];

/// "Ashby won" where "the Ravens beat Ashby".
fn beaten(scene: &Scene<'_, '_>) -> Option<ComparisonRemark> {
    if scene.i_have(Sense::Not) {
        return None;
    }
    let wins = |place: &&SensePlace| matches!(place.sense, Sense::Pole(WINNING, true));
    let verb = scene.my_senses.iter().filter(wins).find_map(|place| place.token)?;
    let tokens = &scene.mine.tokens;
    let winner = tokens.get(..verb)?.iter().rev().take(BESIDE_REACH).find(|token| token.is_capital)?;
    for sentence in &scene.sentences {
        let reading = &sentence.reading;
        for (at, _) in
            reading.tokens.iter().enumerate().filter(|(_, token)| BEATS.contains(&token.plain.as_str()))
        {
            let behind = reading.tokens.get(at + 1..).unwrap_or_default();
            let near = behind.iter().take(BESIDE_REACH + 1).take_while(|token| !token.begins_clause);
            let lost = near.into_iter().any(|token| same_name(&token.plain, &winner.plain));
            let before = reading.tokens.get(..at).unwrap_or_default();
            let also = before.iter().any(|token| same_name(&token.plain, &winner.plain));
            if lost && !also {
                let first = before.get(before.len().saturating_sub(BESIDE_REACH));
                let start = first.map_or(reading.base, |one| one.start);
                let end = before.last().map_or(start, |one| one.end);
                let other = shown(scene, (start, end)).to_owned();
                return Some(of_another(scene, (winner.start, winner.end), reading.span(), &other));
            }
        }
    }
    None
}

/// The pair of opposites "won" and "lost".
const WINNING: u8 = 7;

/// The name of the claim right beside a verb, and that verb.
fn named_deed<'s>(scene: &'s Scene<'_, '_>) -> Option<(&'s NameMention, &'s ReadingWord)> {
    let tokens = &scene.mine.tokens;
    let is_verb = |token: &&ReadingWord| {
        token.is_content
            && !token.is_capital
            && token.kind == WordKind::Plain
            && token.plain.chars().count() >= VERB_LETTERS_MIN
            && !token.begins_clause
    };
    scene.claim.names.iter().filter(|name| has_role(scene, name)).find_map(|name| {
        let from = tokens.partition_point(|token| token.start < name.start);
        let behind = tokens.partition_point(|token| token.start < name.end);
        let follows = tokens.get(behind).filter(is_verb);
        // "Zaprojektowała Ewa Kordyl": only where the name ends the claim.
        let leads = from.checked_sub(1).and_then(|at| tokens.get(at)).filter(is_verb);
        let verb = follows.or_else(|| leads.filter(|_| behind == tokens.len() && !scene.mine.is_english))?;
        let says =
            scene.my_senses.iter().any(|place| place.sense == Sense::Says && place.start == verb.start);
        (!says).then_some((name, verb))
    })
}

/// A verb that the page has once, with another name beside it.
fn deed_of_another(scene: &Scene<'_, '_>) -> Option<ComparisonRemark> {
    let (name, verb) = named_deed(scene)?;
    let with_verb = |sentence: &&SceneSentence<'_>| sentence.reading.has(&verb.plain);
    let mut found = scene.sentences.iter().filter(with_verb);
    let (Some(sentence), None) = (found.next(), found.next()) else { return None };
    let reading = &sentence.reading;
    let tokens = &reading.tokens;
    let at = tokens.iter().position(|token| token.is_content && related(&token.plain, &verb.plain))?;
    // Somebody with the name may stand in another part of the sentence.
    let first =
        (0..=at).rev().find(|at| tokens.get(*at).is_some_and(|token| token.begins_clause)).unwrap_or(0);
    let last = at + 1 + tokens.iter().skip(at + 1).take_while(|token| !token.begins_clause).count();
    if is_named_in(name, tokens.get(first..last)?) {
        return None;
    }
    let place = |start: usize| tokens.partition_point(|token| token.start < start);
    let other = mentions(reading).into_iter().find(|other| {
        let (from, to) = (place(other.start), place(other.end));
        let before = to <= at && at - to < BESIDE_REACH;
        let by = is_by(reading, at + 1);
        let behind = from > at && (from == at + 1 || (by && from - at <= BESIDE_REACH + 2));
        is_stranger(scene, other) && (before || behind)
    })?;
    // It is about the same: another word of the claim here or in the sentence that it goes on from.
    let page = scene.source.page;
    let earlier = reading.base.checked_sub(1).and_then(|end| sentence_at(page, end));
    let earlier = earlier.map(|earlier| Reading::of_sentence(scene.source, &earlier));
    let mut rest = scene
        .mine
        .content()
        .filter(|token| token.start != verb.start && (token.end <= name.start || token.start >= name.end));
    let is_same = rest.any(|token| {
        reading.has(&token.plain) || earlier.as_ref().is_some_and(|earlier| earlier.has(&token.plain))
    });
    let span = reading.span();
    let other = shown(scene, (other.start, other.end)).to_owned();
    is_same.then(|| of_another(scene, (name.start, name.end), span, &other))
}

/// "Born in B" where the page has "born in A and died in B".
fn place_of_another(scene: &Scene<'_, '_>) -> Option<ComparisonRemark> {
    let tokens = &scene.mine.tokens;
    for name in scene.claim.names.iter().filter(|name| has_role(scene, name)) {
        let from = tokens.partition_point(|token| token.start < name.start);
        let verb = tokens
            .iter()
            .take(from)
            .rev()
            .take(BESIDE_REACH + 1)
            .find(|token| token.is_content && !token.is_capital);
        let Some(verb) = verb else { continue };
        for sentence in scene.sentences.iter().filter(|one| is_named_in(name, &one.reading.tokens)) {
            let reading = &sentence.reading;
            let theirs = &reading.tokens;
            let Some(at) =
                theirs.iter().position(|token| token.is_content && related(&token.plain, &verb.plain))
            else {
                continue;
            };
            let place = |start: usize| theirs.partition_point(|token| token.start < start);
            let all = mentions(reading);
            let Some(first) = all.iter().find(|other| place(other.start) > at) else { continue };
            let own = all.iter().find(|other| {
                other.start > first.start
                    && name
                        .tokens
                        .iter()
                        .any(|token| other.tokens.iter().any(|their| same_name(their, token)))
            });
            let Some(own) = own.filter(|_| is_stranger(scene, first)) else { continue };
            let between = theirs.get(place(first.end)..place(own.start)).unwrap_or_default();
            let dated = |token: &ReadingWord| {
                reading.dates.iter().any(|date| date.start <= token.start && token.start < date.end)
            };
            // Another deed stands between the two.
            let parted = between.iter().any(|token| {
                token.is_content && !token.is_capital && token.kind == WordKind::Plain && !dated(token)
            });
            if parted && place(first.start) - at <= PLACE_REACH {
                let other = shown(scene, (first.start, first.end)).to_owned();
                return Some(of_another(scene, (name.start, name.end), reading.span(), &other));
            }
        }
    }
    None
}

/// The clauses of a sentence that are statements of their own: the parts between semicolons.
fn statements<'r>(reading: &'r Reading<'_>) -> Vec<&'r [ReadingWord]> {
    let tokens = &reading.tokens;
    let mut found = Vec::new();
    let mut from = 0;
    for at in 1..=tokens.len() {
        let end = at.checked_sub(1).and_then(|at| tokens.get(at)).map_or(reading.base, |token| token.end);
        let next = tokens.get(at).map_or(reading.base + reading.text.len(), |token| token.start);
        let between = reading.text.get(end - reading.base..next - reading.base).unwrap_or_default();
        if at == tokens.len() || between.contains([';', '؛', '；']) {
            found.extend(tokens.get(from..at));
            from = at;
        }
    }
    found
}

/// Where a name stands in its claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NameRole {
    /// It did something: first, or behind "by".
    Subject,
    /// "The author was Ida Ronk."
    Predicate,
    /// "Returns to Harbour Hall."
    Place,
}

/// Words between a predicate and the name that it is.
const COPULAS: &[&str] = &[
    "is", "was", "were", "ist", "war", "est", "etait", "fut", "es", "era", "fue", "fu", "foi", "jest", "byl",
    "byla", "был", "была", "كان", "هو",
];
/// Words before whatever something belongs to: "the mayor of Velm" is no deed of Velm's.
pub(super) const BELONGING: &[&str] = &[
    "of", "von", "vom", "der", "des", "de", "du", "del", "della", "dello", "di", "da", "do", "das", "dos",
    "van", "and", "und", "et", "y", "e", "i", "и", "و",
];

/// The role of a name, where its place in the claim tells it.
fn role_of(scene: &Scene<'_, '_>, name: &NameMention) -> Option<NameRole> {
    let tokens = &scene.mine.tokens;
    let from = tokens.partition_point(|token| token.start < name.start);
    let behind = tokens.partition_point(|token| token.start < name.end);
    let before = from.checked_sub(1).and_then(|at| tokens.get(at));
    let rest = scene.claim.text.get(name.end..).unwrap_or_default();
    let named = written(scene, (name.start, name.end));
    let owns = ["'s", "’s"].iter().any(|ending| rest.starts_with(ending) || named.ends_with(ending));
    let is_small = before.is_none_or(|before| !before.is_content && !before.is_capital);
    let led = before.map_or("", |before| before.plain.as_str());
    match behind == tokens.len() {
        _ if owns => None,
        false => (from <= 1 && (from == 0 || before.is_some_and(|before| !before.is_content)))
            .then_some(NameRole::Subject),
        true if is_by(&scene.mine, from.saturating_sub(1)) => Some(NameRole::Subject),
        true if COPULAS.contains(&led) => Some(NameRole::Predicate),
        true => (is_small && !BELONGING.contains(&led)).then_some(NameRole::Place),
    }
}

/// What the claim says of its only name stands in a statement that names somebody else.
fn said_of_another(scene: &Scene<'_, '_>) -> Option<ComparisonRemark> {
    let mut named = scene.claim.names.iter().filter(|name| name.kind == NameKind::Capitals);
    let (Some(name), None) = (named.next(), named.next()) else { return None };
    // Who denies what another says is named elsewhere.
    if !has_role(scene, name) || scene.i_have(Sense::Not) || scene.i_have(Sense::Says) {
        return None;
    }
    let role = role_of(scene, name)?;
    let valued = |start: usize| {
        scene.mine.numbers.iter().any(|number| number.start <= start && start < number.end)
            || scene.mine.dates.iter().any(|date| date.start <= start && start < date.end)
    };
    let deed: Vec<&ReadingWord> = scene
        .mine
        .content()
        .filter(|token| token.end <= name.start || token.start >= name.end)
        .filter(|token| token.kind == WordKind::Plain && !valued(token.start))
        .collect();
    let numbers = scene.mine.numbers.len();
    let mut best: Option<(usize, &SceneSentence<'_>, &[ReadingWord])> = None;
    let mut own = 0_usize;
    let mut own_sentences: Vec<usize> = Vec::new();
    for sentence in &scene.sentences {
        for part in statements(&sentence.reading) {
            let (Some(first), Some(last)) = (part.first(), part.last()) else { continue };
            let has_word = |word: &&&ReadingWord| {
                part.iter().any(|token| token.is_content && related(&token.plain, &word.plain))
            };
            let words = deed.iter().filter(has_word).count();
            let figures = scene.mine.numbers.iter().filter(|mine| {
                let inside = |start: usize| first.start <= start && start < last.end;
                sentence.reading.numbers.iter().any(|theirs| inside(theirs.start) && mine.agrees(theirs))
            });
            let hits = words + figures.count();
            if is_named_in(name, part) {
                own = own.max(hits);
                own_sentences.push(sentence.reading.base);
            } else if best.is_none_or(|(most, ..)| hits > most) {
                best = Some((hits, sentence, part));
            }
        }
    }
    let (hits, sentence, part) = best?;
    let rare = || {
        let once = |word: &&&ReadingWord| {
            part.iter().any(|token| related(&token.plain, &word.plain))
                && places(scene.source.page, &word.plain).count() <= 1
        };
        deed.len() == 2 && deed.iter().any(|word| once(&word))
    };
    let enough = hits >= SAID_WORDS_MIN || (hits == 1 && rare());
    if !enough || 2 * hits < deed.len() + numbers || 2 * own > hits || own_sentences.is_empty() {
        return None;
    }
    // "He joined in 2010": the sentence goes on from one that names him.
    let page = scene.source.page;
    let earlier = sentence.reading.base.checked_sub(1).and_then(|end| sentence_at(page, end));
    let contrast = part
        .iter()
        .take(CONTRAST_REACH)
        .skip(1)
        .find(|token| ON_THE_CONTRARY.contains(&token.plain.as_str()));
    if contrast.is_none() && earlier.is_some_and(|earlier| own_sentences.contains(&earlier.start)) {
        return None;
    }
    let is_beside = own_sentences.contains(&sentence.reading.base);
    let (start, end) = (part.first()?.start, part.last()?.end);
    let said = part
        .iter()
        .find(|token| token.is_content && deed.iter().any(|word| related(&word.plain, &token.plain)))
        .map_or(end, |token| token.start);
    let other = mentions(&sentence.reading).into_iter().find(|other| {
        let before = part.iter().rfind(|token| token.end <= other.start);
        let fits = match role {
            NameRole::Subject => other.end <= said,
            NameRole::Predicate => !is_beside || other.end <= said,
            NameRole::Place => other.end == end && before.is_some_and(|token| !token.is_content),
        };
        start <= other.start && other.end <= end && fits && is_stranger(scene, other)
    });
    let other = other.map(|other| (other.start, other.end));
    // "The union, on the other hand": whoever it is needs no name.
    let other = other.or_else(|| contrast.map(|token| (start, token.start)))?;
    let other = shown(scene, other).trim_end_matches([' ', ',']).to_owned();
    Some(of_another(scene, (name.start, name.end), sentence.reading.span(), &other))
}

/// Words that set a sentence against the one before it.
const ON_THE_CONTRARY: &[&str] = &[
    "cambio",
    "dagegen",
    "hingegen",
    "contraste",
    "contrario",
    "invece",
    "however",
    "natomiast",
    "напротив",
];
/// Tokens of a sentence in which they stand.
const CONTRAST_REACH: usize = 8;

/// "The placebo group" where the sentence has "the other group" and the page both.
fn other_modifier(scene: &Scene<'_, '_>) -> Option<ComparisonRemark> {
    let best = scene.best().filter(|best| best.share >= SAME_WORDING)?;
    let reading = &best.reading;
    let page = scene.source.page;
    let is_word =
        |token: &ReadingWord| token.is_content && token.kind == WordKind::Plain && !token.begins_clause;
    for pair in scene.mine.tokens.windows(2) {
        let [one, two] = pair else { continue };
        if !one.is_content || one.kind != WordKind::Plain || !is_word(two) {
            continue;
        }
        // The modifier stands before its word, or behind it.
        for (modifier, word, step_back) in [(one, two, true), (two, one, false)] {
            if reading.has(&modifier.plain) {
                continue;
            }
            let beside = |at: usize| if step_back { at.checked_sub(1) } else { Some(at + 1) };
            let together = places(page, &modifier.plain).any(|(at, _)| {
                let next = if step_back { Some(at + 1) } else { at.checked_sub(1) };
                let next = next.and_then(|next| page.words().get(next));
                next.is_some_and(|next| related(&names::plain_token(page.folded(next.term)), &word.plain))
            });
            if !together {
                continue;
            }
            let other = reading.tokens.iter().enumerate().find_map(|(at, token)| {
                let other = beside(at).and_then(|at| reading.tokens.get(at))?;
                let is_other = related(&token.plain, &word.plain)
                    && other.is_content
                    && other.kind == WordKind::Plain
                    && !scene.mine.has(&other.plain);
                is_other.then_some((other.start.min(token.start), other.end.max(token.end)))
            });
            if let Some(other) = other {
                let part = (one.start, two.end);
                let reason = format!(
                    "the page says \"{}\" where the claim says \"{}\"",
                    shown(scene, other),
                    written(scene, part)
                );
                return Some(doubt(ComparisonAspect::Scope, part, Some(reading.span()), reason));
            }
        }
    }
    None
}
