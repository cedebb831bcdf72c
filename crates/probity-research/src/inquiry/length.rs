//! The words that somebody asked for bound the report: what a writer delivers beyond its share is left out, the least wanted
//! first. Where nobody asked for a length, nothing is.

use std::{cmp::Reverse, collections::BTreeSet};

use probity_types::inquiry::{Block, Sentence, SentenceKind};

use super::{
    claims::{self, CitedSentence, WrittenFront, WrittenPoint},
    conflict::Conflict,
    facet::ChecklistItem,
    figures, outline,
    plan::InquiryPlan,
    section, synthesis,
    window::word_count,
    written::WrittenSection,
};
use crate::web::passages;

/// So much of its share a part may have: headings and citations come on top.
const DELIVERED_PERCENT: usize = 115;
/// Words that a key point takes.
const WORDS_PER_KEY_POINT: u32 = 20;

/// Key points that the front may have.
pub fn key_points_max(plan: &InquiryPlan) -> u32 {
    let most = u32::try_from(claims::KEY_POINTS_MAX).unwrap_or(3);
    if !plan.keeps_words() {
        return most;
    }
    (outline::front_words(plan) / WORDS_PER_KEY_POINT).clamp(1, most)
}

/// Conclusions that so many words carry.
pub fn conclusions_max(plan: &InquiryPlan, words: u32) -> u32 {
    let most = synthesis::points_max(words);
    if plan.keeps_words() { (words / synthesis::WORDS_PER_POINT).clamp(1, most) } else { most }
}

/// What a section is measured by.
pub struct SectionBound<'a> {
    /// Its share of the report.
    pub words: u32,
    /// Its heading, its question and what it wants.
    pub wanted: String,
    pub conflicts: &'a [Conflict],
    pub asked: &'a [ChecklistItem],
}

impl SectionBound<'_> {
    /// Sentences that state a side of a conflict, and the first that says what is asked for by name, stay in any case;
    /// then those that say most of what the section wants.
    pub fn apply(&self, written: &mut WrittenSection) {
        let most = delivered(self.words);
        let of_tables = words_of_tables(written);
        if written.words().saturating_add(of_tables) <= most {
            return;
        }
        let kept = self.kept(written, most.saturating_sub(of_tables));
        let mut place = 0_usize;
        for block in &mut written.blocks {
            if let Block::Paragraph { sentences } | Block::List { items: sentences } = block {
                sentences.retain(|_| {
                    let stays = kept.contains(&place);
                    place += 1;
                    stays
                });
            }
        }
        written.blocks.retain(|block| match block {
            Block::Paragraph { sentences } | Block::List { items: sentences } => !sentences.is_empty(),
            Block::Heading { .. } | Block::Table(_) => true,
        });
        written.blocks = section::without_bare_headings(std::mem::take(&mut written.blocks));
    }

    /// The places of the sentences that stay.
    fn kept(&self, written: &WrittenSection, most: usize) -> BTreeSet<usize> {
        let sentences: Vec<&Sentence> = written.sentences().collect();
        let needed = |place: &usize| sentences.get(*place).is_some_and(|sentence| self.states_side(sentence));
        let mut kept: BTreeSet<usize> = (0..sentences.len()).filter(needed).collect();
        let says = |item: &ChecklistItem| {
            sentences
                .iter()
                .position(|sentence| sentence.kind == SentenceKind::Fact && item.is_met_by(&sentence.text))
        };
        kept.extend(self.asked.iter().filter_map(says));
        let words = |place: usize| sentences.get(place).map_or(0, |sentence| word_count(&sentence.text));
        let mut used: usize = kept.iter().map(|place| words(*place)).sum();
        let wanted = passages::words(&self.wanted);
        let mut others: Vec<(bool, Reverse<usize>, usize)> = sentences
            .iter()
            .enumerate()
            .filter(|(place, _)| !kept.contains(place))
            .map(|(place, sentence)| {
                let leads_over = sentence.kind == SentenceKind::Link;
                (leads_over, Reverse(passages::shared(&wanted, &sentence.text)), place)
            })
            .collect();
        others.sort_unstable();
        for (_, _, place) in others {
            let own = words(place);
            // One sentence stands, however long it is.
            if kept.is_empty() || used.saturating_add(own) <= most {
                used = used.saturating_add(own);
                kept.insert(place);
            }
        }
        kept
    }

    fn states_side(&self, sentence: &Sentence) -> bool {
        let numbers = figures::number_keys(&sentence.text);
        self.conflicts.iter().flat_map(|conflict| conflict.sides.iter().take(2)).any(|side| {
            let value = figures::number_keys(&side.value);
            sentence.quotes.contains(&side.quote) && !value.is_empty() && value.is_subset(&numbers)
        })
    }
}

/// The direct answer first, then as many key points as fit behind it.
pub fn bound_front(front: &mut WrittenFront, words: u32) {
    let mut left = delivered(words);
    let words_of = |told: &CitedSentence| word_count(&told.text);
    keep_first(&mut front.answer, &mut left, 1, words_of);
    let least = usize::from(front.answer.is_empty());
    keep_first(&mut front.key_points, &mut left, least, words_of);
}

pub fn bound_points(points: &mut Vec<WrittenPoint>, words: u32) {
    let mut left = delivered(words);
    keep_first(points, &mut left, 1, |point| word_count(&point.text));
}

/// The first ones that fit, and the very first `least` in any case.
fn keep_first<T>(told: &mut Vec<T>, left: &mut usize, least: usize, words: impl Fn(&T) -> usize) {
    let mut kept = 0_usize;
    for one in told.iter() {
        let own = words(one);
        if kept >= least && own > *left {
            break;
        }
        *left = left.saturating_sub(own);
        kept += 1;
    }
    told.truncate(kept);
}

fn delivered(words: u32) -> usize {
    usize::try_from(words).unwrap_or(usize::MAX).saturating_mul(DELIVERED_PERCENT) / 100
}

fn words_of_tables(written: &WrittenSection) -> usize {
    let rows = written.blocks.iter().flat_map(|block| match block {
        Block::Table(table) => table.rows.as_slice(),
        Block::Heading { .. } | Block::Paragraph { .. } | Block::List { .. } => &[],
    });
    rows.map(|row| word_count(&row.name) + row.cells.iter().map(|cell| word_count(&cell.text)).sum::<usize>())
        .sum()
}

#[cfg(test)]
mod tests;
