//! One claim and one page, word by word: what of the claim stands on the page, and in which sentence.

use super::{
    Remark, Source, aligned,
    claim::{ClaimFacts, Content, ContentForm},
    common, facts, items,
};
use crate::page::{Page, Sentence};

/// Passages whose words are counted together.
const PASSAGES_COUNTED: usize = 3;
/// On a page of a few sentences every word is rare; it is weighed as if the page were longer.
const SENTENCES_LEAST: usize = 20;
/// A word that every sentence has still counts.
const WEIGHT_LEAST: f32 = 0.1;

/// What was found for each part of the claim. Two pages are joined part by part, the kinder finding winning.
#[derive(Debug, Clone)]
pub(super) struct Examined {
    /// By content word: how much it tells, whether the page has it, whether the passages have it.
    pub weights: Vec<f32>,
    pub on_page: Vec<bool>,
    pub in_passages: Vec<bool>,
    /// The largest share of the claim's words in one sentence.
    pub single: f32,
    /// Share of the claim's neighbouring words that are neighbours on the page.
    pub neighbours: f32,
    pub remarks: Vec<Remark>,
}

/// The sentence that says most of what the claim says.
#[derive(Debug, Clone)]
pub(super) struct Aligned {
    pub sentence: Sentence,
    pub has: Vec<bool>,
    pub share: f32,
}

impl Examined {
    pub fn of(claim: &ClaimFacts<'_>, source: &Source<'_>) -> Self {
        let page = source.page;
        let weights: Vec<f32> = claim.content.iter().map(|content| weight(content, page)).collect();
        let on_page: Vec<bool> = claim.content.iter().map(|content| stands(content, source)).collect();
        let mut in_passages = vec![false; claim.content.len()];
        let mut best: Option<Aligned> = None;
        let passages = source
            .passages
            .iter()
            .take(PASSAGES_COUNTED)
            .filter_map(|passage| sentence_at(page, passage.start));
        for sentence in passages {
            let has: Vec<bool> =
                claim.content.iter().map(|content| in_sentence(content, page, &sentence)).collect();
            in_passages.iter_mut().zip(&has).for_each(|(any, here)| *any |= here);
            let share = share(&weights, &has);
            if best.as_ref().is_none_or(|best| share > best.share) {
                best = Some(Aligned { sentence, has, share });
            }
        }
        let single = best.as_ref().map_or(0.0, |best| best.share);
        let mut remarks = items::remarks(claim, source, best.as_ref(), &weights);
        if let Some(best) = &best {
            remarks.extend(aligned::remarks(claim, source, best, &weights));
        }
        remarks.extend(aligned::freshness(claim, source));
        let neighbours = neighbours(claim, source);
        Self { weights, on_page, in_passages, single, neighbours, remarks }
    }

    /// A claim that cites two pages rests on both.
    pub fn or(mut self, other: Self) -> Self {
        let either = |mine: &mut Vec<bool>, theirs: &[bool]| {
            mine.iter_mut().zip(theirs).for_each(|(mine, theirs)| *mine |= theirs)
        };
        either(&mut self.on_page, &other.on_page);
        either(&mut self.in_passages, &other.in_passages);
        self.weights.iter_mut().zip(&other.weights).for_each(|(mine, theirs)| *mine = mine.max(*theirs));
        self.single = self.single.max(other.single);
        self.neighbours = self.neighbours.max(other.neighbours);
        for remark in other.remarks {
            let same = self
                .remarks
                .iter_mut()
                .find(|known| known.part == remark.part && known.aspect.kin() == remark.aspect.kin());
            match same {
                Some(known) if kinder(&remark, known) => *known = remark,
                Some(_) => {}
                None => self.remarks.push(remark),
            }
        }
        self
    }

    pub fn coverage(&self) -> f32 {
        share(&self.weights, &self.in_passages)
    }

    pub fn coverage_of_page(&self) -> f32 {
        share(&self.weights, &self.on_page)
    }
}

/// What one page has, another need not; what one page contradicts, another that is silent does not heal.
fn kinder(one: &Remark, other: &Remark) -> bool {
    use super::Finding::*;
    let rank = |remark: &Remark| match remark.finding {
        Agrees => 0,
        Differs => 1,
        Weakens => 2,
        Absent => 3,
    };
    rank(one) < rank(other)
}

/// The weighted share of what is there.
pub(super) fn share(weights: &[f32], has: &[bool]) -> f32 {
    let all: f32 = weights.iter().sum();
    let there: f32 = weights.iter().zip(has).filter(|(_, has)| **has).map(|(weight, _)| weight).sum();
    if all > 0.0 { there / all } else { 0.0 }
}

impl Aligned {
    /// The share of the claim's other words that the sentence has: those outside `part`.
    pub fn share_without(&self, claim: &ClaimFacts<'_>, weights: &[f32], part: (usize, usize)) -> f32 {
        let outside = |content: &Content| content.end <= part.0 || content.start >= part.1;
        let (mut all, mut there) = (0.0, 0.0);
        for ((content, weight), has) in claim.content.iter().zip(weights).zip(&self.has) {
            if outside(content) {
                all += weight;
                there += if *has { *weight } else { 0.0 };
            }
        }
        if all > 0.0 { there / all } else { 0.0 }
    }
}

pub(super) fn sentence_at(page: &Page, start: usize) -> Option<Sentence> {
    let place = page.sentences().partition_point(|sentence| sentence.start <= start).checked_sub(1)?;
    page.sentences().get(place).copied()
}

fn weight(content: &Content, page: &Page) -> f32 {
    let with = match &content.form {
        ContentForm::Word { stem, .. } => {
            page.term(stem).map_or(0, |stem| page.postings(page.stem_of(stem)).len())
        }
        ContentForm::Pair(pair) => pair
            .chars()
            .next()
            .and_then(|letter| page.term(letter.encode_utf8(&mut [0; 4])))
            .map_or(0, |term| page.postings(term).len()),
    };
    let factor = match &content.form {
        ContentForm::Word { stem, .. } => common::factor(stem),
        ContentForm::Pair(_) => 1.0,
    };
    let (all, with) = (page.sentences().len().max(SENTENCES_LEAST) as f32, with as f32);
    factor * (1.0 + (all - with + 0.5).max(0.0) / (with + 0.5)).ln().max(WEIGHT_LEAST)
}

fn stands(content: &Content, source: &Source<'_>) -> bool {
    let page = source.page;
    match &content.form {
        ContentForm::Word { folded, stem, plain } => {
            let stem_there =
                page.term(stem).is_some_and(|stem| !page.postings(page.stem_of(stem)).is_empty());
            stem_there || page.has_word(folded) || source.facts.has_plain(plain)
        }
        ContentForm::Pair(pair) => page.text().contains(pair.as_str()),
    }
}

fn in_sentence(content: &Content, page: &Page, sentence: &Sentence) -> bool {
    match &content.form {
        ContentForm::Word { folded, stem, .. } => {
            let by_stem = page.term(stem).map(|term| page.stem_of(term));
            let by_word = page.term(folded);
            page.words_of(sentence)
                .iter()
                .any(|word| Some(page.stem_of(word.term)) == by_stem || Some(word.term) == by_word)
        }
        ContentForm::Pair(pair) => page.sentence_text(sentence).contains(pair.as_str()),
    }
}

fn neighbours(claim: &ClaimFacts<'_>, source: &Source<'_>) -> f32 {
    let stems: Vec<&str> = claim
        .content
        .iter()
        .filter_map(|content| match &content.form {
            ContentForm::Word { stem, .. } => Some(stem.as_str()),
            ContentForm::Pair(_) => None,
        })
        .collect();
    let pairs = stems.iter().zip(stems.iter().skip(1));
    let (mut all, mut there) = (0.0_f32, 0.0_f32);
    for (left, right) in pairs {
        all += 1.0;
        there += f32::from(u8::from(source.facts.neighbours.contains(&facts::pair(left, right))));
    }
    if all > 0.0 { there / all } else { 0.0 }
}
