//! One claim and one page, word by word: which parts of the claim are on the page, and in which sentence.

use super::{
    ComparisonRemark, ComparisonSource,
    claim::{ClaimContent, ClaimContentForm, ClaimFacts},
    common_words, item_remarks, reading, sentence_remarks, witness,
};
use crate::page::{IndexedPage, PageSentence, TermId};

/// Passages whose words are counted together.
const PASSAGES_COUNTED: usize = 3;
/// On a page of a few sentences every word is rare; it is weighed as if the page were longer.
const SENTENCES_LEAST: usize = 20;
/// Share of the claim's other words that one sentence must have to be the same statement with something altered.
const RESTATED_SHARE_MIN: f32 = 0.72;
/// A word that every sentence has still counts.
const WEIGHT_LEAST: f32 = 0.1;

/// The result for each part of the claim. Two pages are joined part by part, the better result winning.
#[derive(Debug, Clone)]
pub(super) struct PageComparison {
    /// By content word: its weight, whether the page has it, whether the passages have it.
    pub weights: Vec<f32>,
    pub on_page: Vec<bool>,
    pub in_passages: Vec<bool>,
    /// The largest share of the claim's words in one sentence.
    pub single: f32,
    /// Share of the claim's neighbouring words that are neighbours on the page.
    pub neighbours: f32,
    pub remarks: Vec<ComparisonRemark>,
    /// Of the page that has most of the claim.
    pub doubts: Vec<ComparisonRemark>,
    /// Claim and page are written in different languages.
    pub is_foreign: bool,
}

/// The sentence that shares most with the claim.
#[derive(Debug, Clone)]
pub(super) struct BestSentence {
    pub sentence: PageSentence,
    pub has: Vec<bool>,
    pub share: f32,
}

impl PageComparison {
    pub fn of(claim: &ClaimFacts<'_>, source: &ComparisonSource<'_>) -> Self {
        let page = source.page;
        let known: Vec<ContentTerms> =
            claim.content.iter().map(|content| ContentTerms::of(content, page)).collect();
        let content = || claim.content.iter().zip(&known);
        let weights: Vec<f32> = content().map(|(content, known)| weight(content, known, page)).collect();
        let on_page: Vec<bool> = content().map(|(content, known)| stands(content, known, source)).collect();
        let mut in_passages = vec![false; claim.content.len()];
        let mut best: Option<BestSentence> = None;
        let passages = source
            .passages
            .iter()
            .take(PASSAGES_COUNTED)
            .filter_map(|passage| sentence_at(page, passage.start));
        for sentence in passages {
            let here = |(content, known): (&ClaimContent, &ContentTerms)| {
                in_sentence(content, known, page, &sentence)
            };
            let has: Vec<bool> = content().map(here).collect();
            in_passages.iter_mut().zip(&has).for_each(|(any, here)| *any |= here);
            let share = share(&weights, &has);
            if best.as_ref().is_none_or(|best| share > best.share) {
                best = Some(BestSentence { sentence, has, share });
            }
        }
        let single = best.as_ref().map_or(0.0, |best| best.share);
        let mut remarks = item_remarks::remarks(claim, source, best.as_ref(), &weights);
        if let Some(best) = &best {
            remarks.extend(sentence_remarks::remarks(claim, source, best, &weights));
        }
        remarks.extend(sentence_remarks::freshness(claim, source));
        for remark in &mut remarks {
            let rest = best.as_ref().map(|best| best.share_without(claim, &weights, remark.part));
            remark.is_restated = rest.is_some_and(|rest| rest >= RESTATED_SHARE_MIN);
        }
        let neighbours = neighbours(claim, &known, source);
        let is_foreign = reading::is_foreign(claim.text, &claim.words, source);
        let doubts = witness::doubts(claim, source, &remarks, is_foreign);
        Self { weights, on_page, in_passages, single, neighbours, remarks, doubts, is_foreign }
    }

    /// A claim that cites two pages needs both.
    pub fn or(mut self, other: Self) -> Self {
        let either = |mine: &mut Vec<bool>, theirs: &[bool]| {
            mine.iter_mut().zip(theirs).for_each(|(mine, theirs)| *mine |= theirs)
        };
        either(&mut self.on_page, &other.on_page);
        either(&mut self.in_passages, &other.in_passages);
        self.weights.iter_mut().zip(&other.weights).for_each(|(mine, theirs)| *mine = mine.max(*theirs));
        if other.single > self.single || (self.is_foreign && !other.is_foreign) {
            self.doubts = other.doubts;
        }
        self.is_foreign &= other.is_foreign;
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

/// What one page has, another need not; what one page contradicts, a page that says nothing does not
/// outweigh.
fn kinder(one: &ComparisonRemark, other: &ComparisonRemark) -> bool {
    use super::Comparison::*;
    let rank = |remark: &ComparisonRemark| match remark.finding {
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
    // The sum of nothing is -0, which would be shown with its sign.
    if all > 0.0 && there > 0.0 { there / all } else { 0.0 }
}

impl BestSentence {
    /// The share of the claim's other words that the sentence has: those outside `part`.
    pub fn share_without(&self, claim: &ClaimFacts<'_>, weights: &[f32], part: (usize, usize)) -> f32 {
        let outside = |content: &ClaimContent| content.end <= part.0 || content.start >= part.1;
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

pub(super) fn sentence_at(page: &IndexedPage, start: usize) -> Option<PageSentence> {
    let place = page.sentences().partition_point(|sentence| sentence.start <= start).checked_sub(1)?;
    page.sentences().get(place).copied()
}

/// A content word as this page numbers it; a pair has its first character only.
#[derive(Debug, Clone, Copy)]
struct ContentTerms {
    word: Option<TermId>,
    /// The word that is spelled like the stem.
    spelled_stem: Option<TermId>,
    stem: Option<TermId>,
}

impl ContentTerms {
    fn of(content: &ClaimContent, page: &IndexedPage) -> Self {
        match &content.form {
            ClaimContentForm::Word { folded, stem, .. } => {
                let spelled_stem = page.term(stem);
                let word = if folded == stem { spelled_stem } else { page.term(folded) };
                Self { word, spelled_stem, stem: spelled_stem.map(|term| page.stem_of(term)) }
            }
            ClaimContentForm::Pair(pair) => {
                let first = pair.chars().next();
                let word = first.and_then(|letter| page.term(letter.encode_utf8(&mut [0; 4])));
                Self { word, spelled_stem: word, stem: word }
            }
        }
    }
}

fn weight(content: &ClaimContent, known: &ContentTerms, page: &IndexedPage) -> f32 {
    let with = known.stem.map_or(0, |stem| page.postings(stem).len());
    let factor = match &content.form {
        ClaimContentForm::Word { stem, .. } => common_words::factor(stem),
        ClaimContentForm::Pair(_) => 1.0,
    };
    let (all, with) = (page.sentences().len().max(SENTENCES_LEAST) as f32, with as f32);
    factor * (1.0 + (all - with + 0.5).max(0.0) / (with + 0.5)).ln().max(WEIGHT_LEAST)
}

fn stands(content: &ClaimContent, known: &ContentTerms, source: &ComparisonSource<'_>) -> bool {
    let page = source.page;
    match &content.form {
        ClaimContentForm::Word { plain, .. } => {
            known.stem.is_some_and(|stem| !page.postings(stem).is_empty())
                || known.word.is_some_and(|word| !page.occurrences(word).is_empty())
                || source.facts.has_plain(plain)
        }
        ClaimContentForm::Pair(pair) => page.text().contains(pair.as_str()),
    }
}

fn in_sentence(
    content: &ClaimContent,
    known: &ContentTerms,
    page: &IndexedPage,
    sentence: &PageSentence,
) -> bool {
    match &content.form {
        ClaimContentForm::Word { .. } => {
            let Some(first) = page.words_of(sentence).first() else { return false };
            let has_stem = |stem: TermId| {
                page.postings(stem).binary_search_by_key(&first.sentence, |(sentence, _)| *sentence).is_ok()
            };
            let has_word = |word: TermId| {
                let places = page.occurrences(word);
                let next = places.partition_point(|place| (*place as usize) < sentence.first_word);
                places.get(next).is_some_and(|place| (*place as usize) < sentence.last_word)
            };
            known.stem.is_some_and(has_stem) || known.word.is_some_and(has_word)
        }
        ClaimContentForm::Pair(pair) => page.sentence_text(sentence).contains(pair.as_str()),
    }
}

fn neighbours(claim: &ClaimFacts<'_>, known: &[ContentTerms], source: &ComparisonSource<'_>) -> f32 {
    let words = claim.content.iter().zip(known).filter_map(|(content, known)| match &content.form {
        ClaimContentForm::Word { .. } => Some(known.spelled_stem),
        ClaimContentForm::Pair(_) => None,
    });
    let (mut all, mut there) = (0.0_f32, 0.0_f32);
    for (left, right) in words.clone().zip(words.skip(1)) {
        all += 1.0;
        let beside = left.zip(right).is_some_and(|(left, right)| source.facts.are_neighbours(left, right));
        there += f32::from(u8::from(beside));
    }
    if all > 0.0 { there / all } else { 0.0 }
}
