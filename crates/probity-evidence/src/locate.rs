//! The passages of a page that a claim is most likely to rest on.
//!
//! Sentences are ranked by the words they share with the claim (rare ones, numbers and names count more, pairs of
//! neighbouring words count again). Then they are taken one by one, and what the taken ones already show counts
//! less: a claim of several parts needs the sentence for each part, not five sentences for the most frequent
//! one.

use crate::{
    page::{IndexedPage, TermId},
    words::{self, LetterCase, WordKind},
};

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LocatedPassage {
    /// Bytes of the page's text.
    pub start: usize,
    pub end: usize,
    /// Higher is better; comparable within one call only.
    pub score: f32,
}

/// Words of a claim that are looked up; a sentence has fewer, a longer text is not one claim.
const CLAIM_WORDS_MAX: usize = 200;

/// How much each sign counts. Found by a search over labelled pairs (figure `localisation`, the development half).
#[derive(Debug, Clone, Copy)]
pub(crate) struct RankingWeights {
    /// How soon a repeated word stops counting.
    pub(crate) saturation: f32,
    /// How much long sentences are penalised.
    pub(crate) length: f32,
    pub(crate) number: f32,
    pub(crate) name: f32,
    pub(crate) dense: f32,
    /// A pair of the claim's words that are neighbours in the sentence too.
    pub(crate) pair: f32,
    /// What the sentences before and after contribute.
    pub(crate) neighbour: f32,
    /// The bonus of the first sentences: they say what the page is about.
    pub(crate) first: f32,
    /// What is left of a word's weight once a taken sentence has it.
    pub(crate) covered: f32,
    /// What a sentence keeps of its rank while the uncovered words choose.
    pub(crate) rank: f32,
    /// What the neighbours of a taken sentence get of its rank.
    pub(crate) beside: f32,
    /// Sentences taken by rank alone before coverage counts.
    pub(crate) by_rank: usize,
}

pub(crate) const WEIGHTS: RankingWeights = RankingWeights {
    saturation: 0.6,
    length: 0.12,
    number: 2.6,
    name: 2.6,
    dense: 0.4,
    pair: 0.3,
    neighbour: 0.1,
    first: 1.7,
    covered: 0.5,
    rank: 0.36,
    beside: 0.02,
    by_rank: 4,
};

/// The best passages, best first, at most `most`. Every one is a sentence of the page.
pub fn locate(claim: &str, page: &IndexedPage, most: usize) -> Vec<LocatedPassage> {
    rank_passages(claim, page, most, &WEIGHTS)
}

pub(crate) fn rank_passages(
    claim: &str,
    page: &IndexedPage,
    most: usize,
    weights: &RankingWeights,
) -> Vec<LocatedPassage> {
    let asked = ClaimTerms::of(claim, page, weights);
    let mut marks = SentenceScores::of(&asked, page, weights);
    let mut found = Vec::with_capacity(most);
    while found.len() < most {
        let Some((place, score)) = marks.best(found.len() < weights.by_rank, weights) else { break };
        marks.take(place, &asked, page, weights);
        if let Some(sentence) = page.sentences().get(place) {
            found.push(LocatedPassage { start: sentence.start, end: sentence.end, score });
        }
    }
    found
}

/// The claim's words that the page has.
struct ClaimTerms {
    /// Each stem once, with its weight.
    stems: Vec<(TermId, f32)>,
    /// Neighbouring words, with their weight.
    pairs: Vec<(TermId, TermId, f32)>,
}

impl ClaimTerms {
    fn of(claim: &str, page: &IndexedPage, weights: &RankingWeights) -> Self {
        let mut stems: Vec<(TermId, f32)> = Vec::new();
        let mut pairs = Vec::new();
        let mut before: Option<(TermId, f32)> = None;
        let mut left = CLAIM_WORDS_MAX;
        let mut first = true;
        words::each_word(claim, |seen| {
            if left == 0 {
                return;
            }
            left -= 1;
            let term = page.term(seen.folded);
            let stem = term.map(|term| page.stem_of(term)).or_else(|| page.term(words::stem(seen.folded)));
            let factor = match seen.kind {
                WordKind::Number => weights.number,
                WordKind::Dense => weights.dense,
                WordKind::Symbol => 0.0,
                // The first word of a sentence has its capital from its place.
                WordKind::Plain if seen.case != LetterCase::Lower && !first => weights.name,
                WordKind::Plain => 1.0,
            };
            first = false;
            if words::is_stop_word(seen.folded) || factor <= 0.0 {
                // A pair may have a small word between: `bank of england`.
                return;
            }
            let weight = stem.map_or(0.0, |stem| factor * rarity(page.postings(stem).len(), page));
            if let (Some((left, left_weight)), Some(right)) = (before, term) {
                pairs.push((left, right, (left_weight + weight) / 2.0));
            }
            before = term.map(|term| (term, weight));
            if let Some(stem) = stem
                && !stems.iter().any(|(known, _)| *known == stem)
            {
                stems.push((stem, weight));
            }
        });
        Self { stems, pairs }
    }
}

/// How much a word that so many sentences have tells about one of them.
pub(crate) fn rarity(sentences: usize, page: &IndexedPage) -> f32 {
    let all = page.sentences().len() as f32;
    let with = sentences as f32;
    (1.0 + (all - with + 0.5).max(0.0) / (with + 0.5)).ln()
}

/// The score of each sentence.
struct SentenceScores {
    /// For each asked stem, what is left of its weight.
    left: Vec<f32>,
    /// For each asked stem, the sentences and how strongly they have it.
    shares: Vec<Vec<(usize, f32)>>,
    rank: Vec<f32>,
    bonus: Vec<f32>,
    taken: Vec<bool>,
}

impl SentenceScores {
    fn of(asked: &ClaimTerms, page: &IndexedPage, weights: &RankingWeights) -> Self {
        let count = page.sentences().len();
        let average = (page.words().len() as f32 / count.max(1) as f32).max(1.0);
        let mut own = vec![0.0_f32; count];
        let mut shares = Vec::with_capacity(asked.stems.len());
        for (stem, weight) in &asked.stems {
            let share = |(sentence, times): &(u32, u32)| {
                let place = *sentence as usize;
                let length =
                    page.sentences().get(place).map_or(0, |found| found.last_word - found.first_word);
                let relative = 1.0 - weights.length + weights.length * length as f32 / average;
                let times = *times as f32;
                (place, times * (weights.saturation + 1.0) / (times + weights.saturation * relative))
            };
            let list: Vec<(usize, f32)> = page.postings(*stem).iter().map(share).collect();
            for (place, share) in &list {
                add(&mut own, *place, weight * share);
            }
            shares.push(list);
        }
        for (left, right, weight) in &asked.pairs {
            for place in page.occurrences(*left) {
                if let Some(sentence) = followed_by(page, *place as usize, *right) {
                    add(&mut own, sentence, weight * weights.pair);
                }
            }
        }
        let at = |place: Option<usize>| place.and_then(|place| own.get(place)).copied().unwrap_or(0.0);
        let rank = (0..count)
            .map(|place| {
                let around = at(place.checked_sub(1)) + at(Some(place + 1));
                at(Some(place)) + weights.neighbour * around + weights.first / (1.0 + place as f32)
            })
            .collect();
        Self {
            left: asked.stems.iter().map(|(_, weight)| *weight).collect(),
            shares,
            rank,
            bonus: vec![0.0; count],
            taken: vec![false; count],
        }
    }

    fn best(&self, by_rank: bool, weights: &RankingWeights) -> Option<(usize, f32)> {
        let mut score: Vec<f32> = if by_rank {
            self.rank.clone()
        } else {
            let with_bonus = |(rank, bonus): (&f32, &f32)| rank * weights.rank + bonus;
            self.rank.iter().zip(&self.bonus).map(with_bonus).collect()
        };
        if !by_rank {
            for (list, left) in self.shares.iter().zip(&self.left) {
                for (place, share) in list {
                    add(&mut score, *place, share * left);
                }
            }
        }
        let open = score.iter().zip(&self.taken).enumerate().filter(|(_, (_, taken))| !**taken);
        open.map(|(place, (score, _))| (place, *score))
            .reduce(|best, next| if next.1 > best.1 { next } else { best })
    }

    fn take(&mut self, place: usize, asked: &ClaimTerms, page: &IndexedPage, weights: &RankingWeights) {
        self.taken.get_mut(place).into_iter().for_each(|taken| *taken = true);
        for ((list, left), _) in self.shares.iter().zip(&mut self.left).zip(&asked.stems) {
            if list.binary_search_by_key(&place, |(place, _)| *place).is_ok() {
                *left *= weights.covered;
            }
        }
        let strength = self.rank.get(place).copied().unwrap_or(0.0);
        for beside in [place.checked_sub(1), Some(place + 1)].into_iter().flatten() {
            if beside < page.sentences().len() {
                add(&mut self.bonus, beside, weights.beside * strength);
            }
        }
    }
}

/// The sentence, if `right` is the next word but at most one.
fn followed_by(page: &IndexedPage, place: usize, right: TermId) -> Option<usize> {
    let here = page.words().get(place)?;
    let next = [place + 1, place + 2].into_iter().filter_map(|next| page.words().get(next));
    next.into_iter()
        .find(|next| next.term == right && next.sentence == here.sentence)
        .map(|_| here.sentence as usize)
}

fn add(scores: &mut [f32], place: usize, amount: f32) {
    if let Some(score) = scores.get_mut(place) {
        *score += amount;
    }
}

#[cfg(test)]
mod tests;
