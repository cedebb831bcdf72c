//! The claim beside the one sentence that shares most with it: polarity, hedges, scope, attribution; and
//! freshness.
//!
//! Only where the sentence has most of the claim's words: two sentences about different things may well differ.

use super::{
    Comparison, ComparisonAspect, ComparisonRemark, ComparisonSource,
    bounded_dates::{self, NegatedDate},
    claim::ClaimFacts,
    denial,
    item_remarks::span_of,
    other_parts,
    page_comparison::BestSentence,
    reading::related,
};
use crate::{
    hedge::{self, QualifierKind},
    names, polarity,
    value::{Quantity, TextDate},
    words::{self, TextWord, WordKind},
};

/// Share of the claim's words that the sentence must have for its polarity to count.
const SAME_STATEMENT: f32 = 0.75;
/// The same for what only weakens.
const SAME_TOPIC: f32 = 0.6;
/// Words between a negation and what it negates.
const NEGATION_REACH: usize = 3;
/// The same in characters, for scripts without spaces: endings stand between a verb and its negation.
const DENSE_REACH: usize = 6;
/// Words behind a hedge that it is about.
const HEDGE_REACH: usize = 8;
/// Years after which "currently" is no longer what a page can say.
const CURRENT_YEARS: i32 = 2;

pub(super) fn remarks(
    claim: &ClaimFacts<'_>,
    source: &ComparisonSource<'_>,
    best: &BestSentence,
    weights: &[f32],
) -> Vec<ComparisonRemark> {
    let text = source.page.sentence_text(&best.sentence);
    let span = Some((best.sentence.start, best.sentence.end));
    let words = words::words(text);
    let in_sentence =
        |number: &&Quantity| best.sentence.start <= number.start && number.start < best.sentence.end;
    let dated_there = |date: &&TextDate| best.sentence.start <= date.start && date.start < best.sentence.end;
    let sides = SentenceComparer {
        claim,
        text,
        words: &words,
        stems: stems(&words),
        claim_stems: stems(&claim.words),
        idle: idle(text, &words, &claim.words),
        claim_idle: idle(claim.text, &claim.words, &words),
        numbers: source.facts.values.numbers.iter().filter(in_sentence).collect(),
        dates: source.facts.values.dates.iter().filter(dated_there).collect(),
        page_numbers: &source.facts.values.numbers,
        span,
    };
    // What differs is missing from the sentence: the rest must be there.
    let same = |remark: &ComparisonRemark| best.share_without(claim, weights, remark.part) >= SAME_STATEMENT;
    let turned = sides.opposite().filter(same).or_else(|| sides.negated().filter(same));
    let mut found: Vec<ComparisonRemark> =
        turned.into_iter().chain(sides.attribution().filter(same)).collect();
    if best.share >= SAME_TOPIC {
        found.extend(sides.hedge());
    }
    found.extend(sides.scope().filter(|remark| {
        let part = if remark.part.1 - remark.part.0 == claim.text.len() { (0, 0) } else { remark.part };
        best.share_without(claim, weights, part) >= SAME_TOPIC
    }));
    found
}

/// "Currently", "as of 2026": a page of years ago cannot say it.
pub(super) fn freshness(claim: &ClaimFacts<'_>, source: &ComparisonSource<'_>) -> Option<ComparisonRemark> {
    let published = source.context.year_published?;
    let says_now =
        claim.words.iter().find(|word| hedge::qualifier_kind(&word.folded) == Some(QualifierKind::Now));
    let dense = hedge::DENSE_NOW
        .iter()
        .filter(|_| !claim.text.is_ascii())
        .find_map(|part| claim.text.find(part).map(|start| (start, start + part.len())));
    let as_of = claim.values.dates.iter().find(|date| {
        let before = claim.text.get(..date.start).unwrap_or_default().trim_end().to_lowercase();
        before.ends_with("as of") || before.ends_with("stand") || before.ends_with("since")
    });
    let as_of = as_of.filter(|date| date.year.is_some_and(|year| year > published));
    let now = says_now.map(|word| (word.start, word.end)).or(dense);
    let stale = source.context.year_now.is_some_and(|year| year - published > CURRENT_YEARS);
    let part = as_of.map(|date| (date.start, date.end)).or(now.filter(|_| stale))?;
    Some(ComparisonRemark {
        aspect: ComparisonAspect::Freshness,
        finding: Comparison::Weakens,
        part,
        span: span_of(source, 0),
        reason: format!("the page is of {published}"),
        confidence: 70,
        is_restated: false,
    })
}

struct SentenceComparer<'a, 'b> {
    claim: &'a ClaimFacts<'b>,
    text: &'a str,
    words: &'a [TextWord],
    /// Of each word of the sentence and of the claim.
    stems: Vec<&'a str>,
    claim_stems: Vec<&'a str>,
    /// Places of negations that deny nothing, in the sentence and in the claim.
    idle: Vec<usize>,
    claim_idle: Vec<usize>,
    /// Of the sentence.
    numbers: Vec<&'a Quantity>,
    dates: Vec<&'a TextDate>,
    page_numbers: &'a [Quantity],
    span: Option<(usize, usize)>,
}

impl SentenceComparer<'_, '_> {
    fn remark(
        &self,
        aspect: ComparisonAspect,
        finding: Comparison,
        part: (usize, usize),
        confidence: u8,
        reason: String,
    ) -> ComparisonRemark {
        ComparisonRemark { aspect, finding, part, span: self.span, reason, confidence, is_restated: false }
    }

    /// A word of the claim whose opposite is in the sentence instead.
    fn opposite(&self) -> Option<ComparisonRemark> {
        let words = self.claim.words.iter().zip(&self.claim_stems).enumerate();
        for (at, (word, stem)) in words.filter(|(_, (word, _))| word.kind == WordKind::Plain) {
            if self.stems.contains(stem) || self.claim_idle.contains(&at) {
                continue;
            }
            for against in polarity::opposites(&word.folded) {
                let theirs = self.words.iter().position(|other| plain(other) == against);
                let Some(place) = theirs.filter(|place| {
                    !self.idle.contains(place) && !self.claim.words.iter().any(|mine| plain(mine) == against)
                }) else {
                    continue;
                };
                if self.same_surroundings(word, place) {
                    let reason =
                        format!("the page says \"{against}\" where the claim says \"{}\"", word.folded);
                    return Some(self.remark(
                        ComparisonAspect::Polarity,
                        Comparison::Differs,
                        (word.start, word.end),
                        72,
                        reason,
                    ));
                }
            }
        }
        self.dense_opposite()
    }

    fn dense_opposite(&self) -> Option<ComparisonRemark> {
        if self.claim.text.is_ascii() || self.text.is_ascii() {
            return None;
        }
        let sides =
            polarity::DENSE_OPPOSITES.iter().flat_map(|(one, other)| [(*one, *other), (*other, *one)]);
        for (mine, theirs) in sides {
            let alone = |text: &str, wanted: &str, other: &str| {
                text.replace(other, "").contains(wanted) || (text.contains(wanted) && !text.contains(other))
            };
            let claim_says = alone(self.claim.text, mine, theirs) && !alone(self.claim.text, theirs, mine);
            let page_says = alone(self.text, theirs, mine) && !alone(self.text, mine, theirs);
            if let Some(start) = self.claim.text.find(mine).filter(|_| claim_says && page_says) {
                let reason = format!("the page says “{theirs}” where the claim says “{mine}”");
                return Some(self.remark(
                    ComparisonAspect::Polarity,
                    Comparison::Differs,
                    (start, start + mine.len()),
                    72,
                    reason,
                ));
            }
        }
        None
    }

    /// One of the words around the opposite is the same on both sides.
    fn same_surroundings(&self, mine: &TextWord, their_place: usize) -> bool {
        let my_place = self.claim.words.iter().position(|word| word.start == mine.start).unwrap_or(0);
        let around = |words: &[TextWord], place: usize| -> Vec<String> {
            let from = place.saturating_sub(2);
            let near = words.iter().enumerate().skip(from).take(5).filter(|(other, _)| *other != place);
            near.map(|(_, word)| words::stem(&word.folded).to_owned()).collect()
        };
        let (ours, theirs) = (around(&self.claim.words, my_place), around(self.words, their_place));
        ours.iter().filter(|word| theirs.contains(word)).count() >= 2
    }

    /// A word that both have and only one of them negates.
    fn negated(&self) -> Option<ComparisonRemark> {
        // As many negations on both sides: the sentence is phrased differently, not reversed.
        let (claims, says) =
            (count_negations(&self.claim.words, &self.claim_idle), count_negations(self.words, &self.idle));
        if claims == says {
            return None;
        }
        // "Denied that", "spared", "0 cars": the other side says no too, in a word that is no negation.
        if (claims == 0 && denial::says_no(&self.claim.words)) || (says == 0 && denial::says_no(self.words)) {
            return None;
        }
        // "Did not open in 1935" beside "opened in 1932" denies the year alone, "no later than" bounds it.
        let is_other_time = |mine: &TextDate| match bounded_dates::negation(self.claim, mine) {
            Some(NegatedDate::Bound) => true,
            Some(NegatedDate::Denied) => {
                !self.dates.is_empty() && !self.dates.iter().any(|theirs| mine.compatible(theirs))
            }
            None => false,
        };
        if says == 0 && self.claim.values.dates.iter().any(is_other_time) {
            return None;
        }
        // "26 were not" beside "eleven were" counts another part.
        if denial::counts_otherwise(self.claim.values.numbers.iter(), &self.numbers, self.page_numbers) {
            return None;
        }
        let mine = negated_words(&self.claim.words, &self.claim_idle);
        let theirs = negated_words(self.words, &self.idle);
        let only = |these: &[(usize, String)], others: &[(usize, String)], other_stems: &[&str]| {
            these
                .iter()
                .find(|(_, word)| {
                    !others.iter().any(|(_, other)| other == word) && other_stems.contains(&word.as_str())
                })
                .cloned()
        };
        let in_claim = only(&mine, &theirs, &self.stems);
        let (claim, sentence) = (denial::of_words(&self.claim.words), denial::of_words(self.words));
        if in_claim.is_some()
            && other_parts::bears_out((self.claim.text, claim.as_slice()), (self.text, sentence.as_slice()))
        {
            return None;
        }
        let (place, word, reason) = match in_claim {
            Some((place, word)) => (place, word, "the claim negates what the page says"),
            None => {
                let (_, word) = only(&theirs, &mine, &self.claim_stems)?;
                let place = self.claim_stems.iter().position(|other| *other == word)?;
                (place, word, "the page negates what the claim says")
            }
        };
        let at = self.claim.words.get(place)?;
        Some(self.remark(
            ComparisonAspect::Polarity,
            Comparison::Differs,
            (at.start, at.end),
            70,
            format!("{reason}: \"{}\"", self.claim.text.get(at.start..at.end).unwrap_or(&word)),
        ))
    }

    fn hedge(&self) -> Option<ComparisonRemark> {
        let is_hedge = |word: &TextWord, text: &str| {
            hedge::qualifier_kind(&word.folded) == Some(QualifierKind::Hedge) && !is_month(word, text)
        };
        // "Could not" says what was impossible.
        let unable = |words: &[TextWord], place: usize| {
            let word = words.get(place).map_or("", |word| word.folded.as_str());
            let near = words.iter().skip(place.saturating_sub(1)).take(4);
            hedge::is_ability(word) && near.into_iter().any(|near| polarity::negates(&near.folded))
        };
        let hedged = |words: &[TextWord], text: &str| {
            let mut places = words.iter().enumerate();
            let place = places.find(|(place, word)| {
                is_hedge(word, text) && !unable(words, *place) && self.reserves(words, word)
            });
            let word = place.map(|(_, word)| word);
            let dense = || hedge::DENSE_HEDGES.iter().find(|part| !text.is_ascii() && text.contains(**part));
            word.map(|word| word.folded.clone()).or_else(|| dense().map(|part| (*part).to_owned()))
        };
        if self.claim.words.iter().any(|word| is_hedge(word, self.claim.text)) {
            return None;
        }
        let theirs = hedged(self.words, self.text)?;
        let dense = |part: &&&str| self.claim.text.contains(**part);
        if !self.claim.text.is_ascii() && hedge::DENSE_HEDGES.iter().any(|part| dense(&part)) {
            return None;
        }
        let whole = (0, self.claim.text.len());
        Some(self.remark(
            ComparisonAspect::Hedge,
            Comparison::Weakens,
            whole,
            62,
            format!("the page hedges (\"{theirs}\"), the claim does not"),
        ))
    }

    /// What follows the hedge is what the claim says: the claim has half of its telling words.
    fn reserves(&self, words: &[TextWord], hedge: &TextWord) -> bool {
        let behind = words.iter().filter(|word| word.start >= hedge.end).take(HEDGE_REACH);
        let telling = |word: &&TextWord| word.kind == WordKind::Plain && !words::is_stop_word(&word.folded);
        let about: Vec<&TextWord> = behind.filter(telling).collect();
        let there = about.iter().filter(|word| has(&self.claim_stems, &word.folded)).count();
        (about.is_empty() || there >= 1) && 2 * there >= about.len()
    }

    fn scope(&self) -> Option<ComparisonRemark> {
        let with = |words: &[TextWord], shade: QualifierKind| {
            words.iter().find(|word| hedge::qualifier_kind(&word.folded) == Some(shade)).cloned()
        };
        let (all, some) =
            (with(&self.claim.words, QualifierKind::All), with(self.words, QualifierKind::Some));
        if let (Some(all), Some(some)) = (&all, &some)
            && !has(&self.stems, &all.folded)
            && with(&self.claim.words, QualifierKind::Some).is_none()
        {
            let reason = format!("the page says \"{}\" where the claim says \"{}\"", some.folded, all.folded);
            return Some(self.remark(
                ComparisonAspect::Scope,
                Comparison::Weakens,
                (all.start, all.end),
                65,
                reason,
            ));
        }
        if let (Some(all), Some(_)) = (&all, with(self.words, QualifierKind::All))
            && !has(&self.stems, &all.folded)
        {
            return None;
        }
        let narrow = with(self.words, QualifierKind::Narrow)
            .filter(|narrow| !has(&self.claim_stems, &narrow.folded))?;
        let place = self.words.iter().position(|word| word.start == narrow.start)?;
        let before = place
            .checked_sub(1)
            .and_then(|before| self.words.get(before))
            .map_or("", |word| word.folded.as_str());
        let limiting = matches!(
            before,
            "in" | "among" | "for" | "bei" | "chez" | "en" | "on" | "unter" | "auf" | "sous" | "sur"
        );
        let whole = (0, self.claim.text.len());
        limiting.then(|| {
            self.remark(
                ComparisonAspect::Scope,
                Comparison::Weakens,
                whole,
                60,
                format!("the page says it {before} {} only", narrow.folded),
            )
        })
    }

    /// Reported speech with another speaker.
    fn attribution(&self) -> Option<ComparisonRemark> {
        let mine = speaker(self.claim.text, &self.claim.words)?;
        let theirs = speaker(self.text, self.words)?;
        let shared = mine.tokens.iter().any(|token| theirs.tokens.contains(token));
        let elsewhere = mine
            .tokens
            .iter()
            .any(|token| self.words.iter().any(|word| &names::plain_token(&word.folded) == token));
        if shared || elsewhere {
            return None;
        }
        let named = self.text.get(theirs.start..theirs.end).unwrap_or_default();
        let reason = format!("the page gives these words to {named}");
        Some(self.remark(
            ComparisonAspect::Attribution,
            Comparison::Differs,
            (mine.start, mine.end),
            75,
            reason,
        ))
    }
}

/// The name nearest to a verb of saying.
fn speaker(text: &str, words: &[TextWord]) -> Option<names::NameMention> {
    let verb = words.iter().find(|word| hedge::qualifier_kind(&word.folded) == Some(QualifierKind::Says))?;
    let found = names::names(text, words);
    let distance = |name: &names::NameMention| {
        if name.start >= verb.end { name.start - verb.end } else { verb.start.saturating_sub(name.end) }
    };
    /// Bytes between a speaker and the verb.
    const NEAR: usize = 24;
    // "Ada Finn's deputy said" names the deputy's superior.
    let owns = |name: &names::NameMention| {
        let (written, behind) = (text.get(..name.end), text.get(name.end..));
        let is_owner = |mark: &str| {
            written.is_some_and(|written| written.ends_with(mark))
                || behind.is_some_and(|behind| behind.starts_with(mark))
        };
        name.end <= verb.start && (is_owner("'s") || is_owner("’s"))
    };
    found.into_iter().filter(|name| distance(name) <= NEAR && !owns(name)).min_by_key(distance)
}

fn is_month(word: &TextWord, text: &str) -> bool {
    word.folded == "may" && text.get(word.start..word.end).is_some_and(|written| written.starts_with('M'))
}

fn plain(word: &TextWord) -> String {
    names::plain_token(&word.folded)
}

fn stems(words: &[TextWord]) -> Vec<&str> {
    words.iter().map(|word| words::stem(&word.folded)).collect()
}

fn has(stems: &[&str], folded: &str) -> bool {
    stems.contains(&words::stem(folded))
}

/// The places of negations that deny nothing beside the other text.
fn idle(text: &str, words: &[TextWord], other: &[TextWord]) -> Vec<usize> {
    if !words.iter().any(|word| polarity::negates(&word.folded)) {
        return Vec::new();
    }
    let known: Vec<String> = other.iter().map(plain).collect();
    denial::idle(text, &denial::of_words(words), |word| known.iter().any(|other| related(other, word)))
}

fn count_negations(words: &[TextWord], idle: &[usize]) -> usize {
    let denies =
        |(place, word): &(usize, &TextWord)| polarity::negates(&word.folded) && !idle.contains(place);
    words.iter().enumerate().filter(denies).count()
}

/// The content words in the scope of a negation, with their places.
fn negated_words(words: &[TextWord], idle: &[usize]) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let denies =
        |(place, word): &(usize, &TextWord)| polarity::negates(&word.folded) && !idle.contains(place);
    for (place, _) in words.iter().enumerate().filter(denies) {
        let is_dense = words.get(place).is_some_and(|word| word.kind == WordKind::Dense);
        let reach = if is_dense { DENSE_REACH } else { NEGATION_REACH };
        let behind = words.iter().enumerate().skip(place + 1).take(reach);
        let telling = |(_, word): &(usize, &TextWord)| {
            (word.kind == WordKind::Dense && !other_parts::is_small_dense(&word.folded))
                || (word.kind == WordKind::Plain
                    && !words::is_stop_word(&word.folded)
                    && !polarity::negates(&word.folded))
        };
        if let Some((at, word)) = behind.into_iter().find(telling) {
            found.push((at, words::stem(&word.folded).to_owned()));
        }
        // German and French negate what comes before: "er kommt nicht", "il ne vient pas".
        let before = words.iter().enumerate().take(place).rev().take(reach);
        if let Some((at, word)) = before.into_iter().find(telling) {
            found.push((at, words::stem(&word.folded).to_owned()));
        }
    }
    found
}
