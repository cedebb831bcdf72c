//! Whose words they are in scripts without capitals, where a name is told by its place alone.

use super::{
    Scene, SceneSentence,
    agents::{is_uncased, written},
    doubt,
};
use crate::{
    compare::{
        ComparisonAspect, ComparisonRemark,
        page_comparison::sentence_at,
        reading::{ReadingWord, pairs},
        senses::Sense,
    },
    words,
};

/// A page that names somebody more often is about him.
const MENTIONS_MAX: usize = 2;
/// Telling words of the claim that the sentence of another must have.
const SAID_WORDS_MIN: usize = 2;
/// Share of the claim from which a sentence is the claim, but for its subject.
const SAME_WORDING: f32 = 0.6;
/// Letters of a subject in a script without spaces.
const DENSE_NAME: std::ops::RangeInclusive<usize> = 2..=8;

/// Words between a speaker and what he said, in scripts without capitals.
const THAT: &[&str] = &["إن", "أن", "ان", "بأن", "أنه", "إنه"];

/// "Said Karim that" where the sentence of the page lets another say it, in a script without capitals.
pub(super) fn speaker(scene: &Scene<'_, '_>) -> Option<ComparisonRemark> {
    let says = scene.my_senses.iter().find(|place| place.sense == Sense::Says)?.token?;
    let tokens = &scene.mine.tokens;
    let that = tokens.iter().position(|token| {
        let raw = written(scene, (token.start, token.end));
        THAT.contains(&raw) || THAT.contains(&token.plain.as_str())
    })?;
    let speaker: Vec<&ReadingWord> =
        tokens.get(says + 1..that)?.iter().filter(|token| is_uncased(token) && token.is_content).collect();
    let last = speaker.last()?;
    if !scene.source.page.text().contains(written(scene, (last.start, last.end))) {
        return None;
    }
    let rest: Vec<&ReadingWord> = tokens.get(that + 1..)?.iter().filter(|token| token.is_content).collect();
    let hits =
        |sentence: &SceneSentence<'_>| rest.iter().filter(|token| sentence.reading.has(&token.plain)).count();
    let best = scene.sentences.iter().max_by_key(|sentence| hits(sentence))?;
    let most = hits(best);
    let is_said = best.senses.iter().any(|place| place.sense == Sense::Says);
    let named = best.reading.tokens.iter().any(|token| speaker.iter().any(|one| one.plain == token.plain));
    if !is_said || named || most < SAID_WORDS_MIN || 2 * most < rest.len() {
        return None;
    }
    let part = (speaker.first()?.start, last.end);
    let reason = format!("the page's sentence does not name {}", written(scene, part));
    Some(doubt(ComparisonAspect::Attribution, part, Some(best.reading.span()), reason))
}

/// What ends the subject of a sentence in scripts without spaces.
const DENSE_ENDS: &[&str] = &["认为", "表示", "指出", "宣布", "警告", "批评", "は", "が"];

/// The subject of a claim without spaces stands on the page, but not in the sentence that has all the rest.
pub(super) fn dense_subject(scene: &Scene<'_, '_>) -> Option<ComparisonRemark> {
    if !scene.mine.is_dense {
        return None;
    }
    let text = scene.claim.text;
    let (at, end) = DENSE_ENDS.iter().filter_map(|end| Some((text.find(*end)?, *end))).min()?;
    let subject = text.get(..at)?.trim();
    let letters = subject.chars().count();
    let is_name = DENSE_NAME.contains(&letters)
        && subject
            .chars()
            .all(|letter| words::classes::is_dense(letter) && !('\u{3040}'..='\u{309f}').contains(&letter));
    let page = scene.source.page;
    let mentioned = page.text().matches(subject).count();
    if !is_name || mentioned == 0 || mentioned > MENTIONS_MAX {
        return None;
    }
    let rest = text.get(at..)?;
    let said: Vec<&str> = pairs(rest).collect();
    let hits = |sentence: &SceneSentence<'_>| {
        said.iter().filter(|pair| sentence.reading.text.contains(**pair)).count()
    };
    let best = scene.sentences.iter().max_by_key(|sentence| hits(sentence))?;
    let earlier = best.reading.base.checked_sub(1).and_then(|end| sentence_at(page, end));
    // A sentence with a speaker of its own does not go on from the one before.
    let speaks = end.chars().count() > 1 && best.reading.text.find(end).is_some_and(|at| at > 0);
    let near = !speaks && earlier.is_some_and(|earlier| page.sentence_text(&earlier).contains(subject));
    let is_same = (hits(best) as f32) >= SAME_WORDING * said.len() as f32;
    if said.is_empty() || !is_same || near || best.reading.text.contains(subject) {
        return None;
    }
    let part = (0, at);
    let reason = format!("the page's sentence does not name {subject}");
    Some(doubt(ComparisonAspect::Attribution, part, Some(best.reading.span()), reason))
}
