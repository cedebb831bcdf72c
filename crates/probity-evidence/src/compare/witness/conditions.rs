//! What the page says under a condition, and the claim without one.

use super::{Scene, SceneSentence, doubt};
use crate::{
    compare::{
        ComparisonAspect, ComparisonRemark,
        reading::{Reading, ReadingWord, related},
        senses::Sense,
    },
    words::stop,
};

/// Share of the claim that a sentence must have for its condition to count.
const SAME_STATEMENT: f32 = 0.5;

/// Begin a condition wherever they stand.
const CONDITIONS: &[&[&str]] = &[
    &["provided", "that"],
    &["on", "condition"],
    &["on", "the", "condition"],
    &["as", "long", "as"],
    &["subject", "to"],
    &["unless"],
    &["sofern"],
    &["vorausgesetzt"],
    &["unter", "der", "bedingung"],
    &["unter", "dem", "vorbehalt"],
    &["a", "condition", "que"],
    &["a", "condition", "de"],
    &["sous", "reserve"],
    &["pourvu", "que"],
    &["siempre", "que"],
    &["siempre", "y", "cuando"],
    &["a", "condicion"],
    &["purche"],
    &["a", "condizione"],
    &["a", "patto"],
    &["contanto", "que"],
    &["sob", "condicao"],
    &["mits"],
    &["indien"],
    &["tenzij"],
    &["op", "voorwaarde"],
    &["jesli"],
    &["jezeli"],
    &["pod", "warunkiem"],
    &["если"],
    &["при", "условии"],
    &["forutsatt"],
    &["under", "forutsattning"],
];
/// Begin a condition at the beginning of a clause, in the language beside them: elsewhere they are other words. No
/// language is any.
const AT_CLAUSE: &[(&str, &[&str])] = &[
    ("if", &["en"]),
    ("wenn", &["de"]),
    ("falls", &["de"]),
    ("si", &["fr", "es"]),
    ("se", &["it", "pt"]),
    ("إذا", &[]),
    ("اذا", &[]),
];
/// Before "if" they make a concession or a comparison of it.
const EVEN: &[&str] = &[
    "even", "as", "auch", "selbst", "als", "meme", "comme", "incluso", "aun", "como", "anche", "come",
    "mesmo", "даже", "nawet", "zelfs", "ook",
];

pub(super) fn doubts(scene: &Scene<'_, '_>) -> Vec<ComparisonRemark> {
    dropped(scene).into_iter().collect()
}

/// "The hall will be built" where the page goes on: "provided that the county pays".
fn dropped(scene: &Scene<'_, '_>) -> Option<ComparisonRemark> {
    let best = scene.best().filter(|best| best.share >= SAME_STATEMENT)?;
    // A claim that hedges, restricts or has a condition of its own leaves it open.
    let is_open = [Sense::Hedge, Sense::Plan, Sense::Only].iter().any(|sense| scene.i_have(*sense));
    if scene.mine.is_dense || is_open || condition(&scene.mine).is_some() {
        return None;
    }
    let at = condition(&best.reading)?;
    let tokens = &best.reading.tokens;
    let end = at + 1 + tokens.iter().skip(at + 1).take_while(|token| !token.begins_clause).count();
    // A condition that stands first ends at its comma; one that stands last goes on to the end.
    let end = if at == 0 { end } else { tokens.len() };
    let clause = tokens.get(at..end)?;
    if speaks_of(scene, best, at, end) {
        return None;
    }
    let (first, last) = (clause.first()?, clause.last()?);
    let shown = scene.source.page.text().get(first.start..last.end).unwrap_or_default();
    let reason = format!("the page says so under a condition (\"{shown}\")");
    let whole = (0, scene.claim.text.len());
    Some(doubt(ComparisonAspect::Hedge, whole, Some(best.reading.span()), reason))
}

/// The claim has words that stand in the condition and not beside it, or less than half of its words beside it.
fn speaks_of(scene: &Scene<'_, '_>, sentence: &SceneSentence<'_>, from: usize, to: usize) -> bool {
    let stands = |words: &[ReadingWord], mine: &ReadingWord| {
        words.iter().any(|their| their.is_content && related(&their.plain, &mine.plain))
    };
    let tokens = &sentence.reading.tokens;
    let (before, clause, behind) = (
        tokens.get(..from).unwrap_or_default(),
        tokens.get(from..to).unwrap_or_default(),
        tokens.get(to..).unwrap_or_default(),
    );
    let (mut all, mut beside) = (0_usize, 0_usize);
    for mine in scene.mine.content() {
        let is_beside = stands(before, mine) || stands(behind, mine);
        if !is_beside && stands(clause, mine) {
            return true;
        }
        all += 1;
        beside += usize::from(is_beside);
    }
    2 * beside < all || beside == 0
}

/// The token with which a condition begins.
fn condition(reading: &Reading<'_>) -> Option<usize> {
    let tokens = &reading.tokens;
    let language = stop::likely_language(tokens.iter().map(|token| token.plain.as_str()));
    (0..tokens.len()).find(|at| {
        let plain = |at: usize| tokens.get(at).map_or("", |token| token.plain.as_str());
        let reads = |words: &[&str]| words.iter().enumerate().all(|(place, word)| plain(at + place) == *word);
        if CONDITIONS.iter().any(|words| reads(words)) {
            return true;
        }
        let begins = *at == 0 || tokens.get(*at).is_some_and(|token| token.begins_clause);
        let before = at.checked_sub(1).map_or("", plain);
        let is_known = AT_CLAUSE.iter().any(|(word, languages)| {
            let fits = languages.is_empty() || language.is_some_and(|language| languages.contains(&language));
            plain(*at) == *word && fits
        });
        // French writes "if he" together.
        let raw = tokens.get(*at).and_then(|token| {
            reading.text.get(token.start.saturating_sub(reading.base)..token.end.saturating_sub(reading.base))
        });
        let elided = raw.is_some_and(|raw| matches!(raw, "s'il" | "s’il" | "s'ils" | "s’ils"));
        begins && (is_known || elided) && !EVEN.contains(&before)
    })
}
