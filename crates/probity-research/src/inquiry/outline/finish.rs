//! The outline as it is written from: no empty nodes, no more sections than asked for, each node with its words and
//! small enough for one call.

use probity_types::inquiry::{NodeId, QuoteId};

use super::{Outline, OutlineNode};
use crate::inquiry::{bank::Bank, comparable, facet::Facet, part::InquiryPart, plan::InquiryPlan, window};

/// No more words than this are asked for each quotation: beyond, a writer repeats itself.
const WORDS_PER_QUOTE_MAX: usize = 60;
/// Shorter parts are not worth a heading.
const WORDS_MIN: usize = 60;
/// Writers deliver less than they are asked for, and some of what they deliver does not stand: so much is asked of them for
/// each hundred words that the report is to have.
const ASKED_PERCENT: usize = 115;
/// Words of a quotation beyond which it is not worth more of the report.
const WEIGHED_WORDS_MAX: usize = 40;
/// A quotation whose reader named a value in it is worth so many times one of the same length without.
const FACT_TIMES: usize = 2;
/// The least that a value in a table is worth.
const WORDS_PER_FACT: usize = 20;
/// Parts of the whole that answer and conclusions take, in percent.
const FRONT_PERCENT: usize = 10;
const SYNTHESIS_PERCENT: usize = 8;

/// Words of the direct answer with its key points.
pub fn front_words(plan: &InquiryPlan) -> u32 {
    (plan.words / 10).clamp(60, 300)
}

/// Words of the part that draws conclusions.
pub fn synthesis_words(plan: &InquiryPlan) -> u32 {
    (plan.words / 12).clamp(60, 500)
}

/// Words of all sections where somebody asked for a length: what answer and conclusions leave of it.
fn section_words(plan: &InquiryPlan, has_synthesis: bool) -> usize {
    let synthesis = if has_synthesis { synthesis_words(plan) } else { 0 };
    let left = plan.words.saturating_sub(front_words(plan)).saturating_sub(synthesis);
    usize::try_from(left).unwrap_or(usize::MAX).max(WORDS_MIN)
}

/// Parts that the words carry.
fn parts_max(plan: &InquiryPlan) -> usize {
    let words = match plan.keeps_words() {
        true => section_words(plan, true),
        false => usize::try_from(plan.words).unwrap_or(usize::MAX),
    };
    (words / (2 * WORDS_MIN)).max(1)
}

/// What a node may have of the words.
struct NodeShare {
    id: NodeId,
    weight: usize,
    most: usize,
}

/// How much quotations have to tell: by their length, and more where a value stands in them. A line that only names
/// something is worth few words.
fn weight_of(bank: &Bank, quotes: &[QuoteId]) -> usize {
    let weight = |id: &QuoteId| {
        let quote = bank.get(*id)?;
        let times = if quote.facts.is_empty() { 1 } else { FACT_TIMES };
        let said = window::word_count(&quote.text).clamp(1, WEIGHED_WORDS_MAX) * times;
        Some(said.max(quote.facts.len() * WORDS_PER_FACT))
    };
    quotes.iter().filter_map(weight).sum()
}

impl Outline {
    /// Returns the questions that no quotation answers.
    pub fn finish(&mut self, facets: &[Facet], bank: &mut Bank, plan: &InquiryPlan) -> Vec<String> {
        if self.in_order().is_empty() {
            self.of_facets(facets, bank);
        }
        self.bind_rest(facets, bank, plan.follows_leads());
        let empty = self.drop_empty(bank);
        if !plan.has(InquiryPart::Sections) {
            let all = self.in_order();
            self.merge(&all, bank);
            self.share_words(plan, bank);
            return empty;
        }
        let sections = usize::try_from(plan.caps.sections).unwrap_or(usize::MAX).max(1);
        let carried = if plan.keeps_words() { parts_max(plan) } else { usize::MAX };
        self.limit_sections(sections.min(carried), bank);
        self.limit_parts(plan, bank);
        self.share_words(plan, bank);
        self.split_long(plan, bank);
        empty
    }

    fn drop_empty(&mut self, bank: &mut Bank) -> Vec<String> {
        let mut empty = Vec::new();
        for id in self.in_order().into_iter().rev() {
            let Some(node) = self.get(id).cloned() else { continue };
            if node.quotes.is_empty() && self.children(Some(id)).is_empty() {
                let asked = if node.question.is_empty() { node.heading } else { node.question };
                empty.push(asked);
                self.drop_node(id, bank);
            }
        }
        empty.reverse();
        empty
    }

    /// The thinnest section joins the one before it until there are few enough.
    fn limit_sections(&mut self, most: usize, bank: &mut Bank) {
        loop {
            let sections = self.children(None);
            if sections.len() <= most {
                return;
            }
            let thinnest = sections.iter().enumerate().min_by_key(|(_, id)| self.weight(**id));
            let Some((place, thin)) = thinnest else { return };
            let neighbour = sections.get(if place == 0 { 1 } else { place - 1 });
            let Some(neighbour) = neighbour else { return };
            if !self.merge(&[*neighbour, *thin], bank) {
                return;
            }
        }
    }

    fn weight(&self, id: NodeId) -> usize {
        let own = |id: NodeId| self.get(id).map_or(0, |node| node.quotes.len());
        own(id) + self.children(Some(id)).into_iter().map(own).sum::<usize>()
    }

    /// Children join their parent where the words would not carry so many parts.
    fn limit_parts(&mut self, plan: &InquiryPlan, bank: &mut Bank) {
        let most = parts_max(plan);
        while self.units().len() > most {
            let children = self
                .in_order()
                .into_iter()
                .filter(|id| self.get(*id).is_some_and(|node| node.parent.is_some()));
            let Some(thin) = children.min_by_key(|id| self.weight(*id)) else { return };
            let Some(parent) = self.get(thin).and_then(|node| node.parent) else { return };
            if !self.merge(&[parent, thin], bank) {
                return;
            }
        }
    }

    /// Nodes that are written: those with quotations of their own.
    pub fn units(&self) -> Vec<NodeId> {
        let written = |id: &NodeId| self.get(*id).is_some_and(|node| !node.quotes.is_empty());
        self.in_order().into_iter().filter(written).collect()
    }

    /// By what the quotations say, at most what they carry; what one node cannot take goes to the others.
    fn share_words(&mut self, plan: &InquiryPlan, bank: &Bank) {
        let units: Vec<NodeShare> = self
            .units()
            .into_iter()
            .filter_map(|id| {
                let quotes = &self.get(id)?.quotes;
                Some(NodeShare {
                    id,
                    weight: weight_of(bank, quotes),
                    most: quotes.len() * WORDS_PER_QUOTE_MAX,
                })
            })
            .collect();
        let whole = usize::try_from(plan.words).unwrap_or(usize::MAX);
        let aside = if units.len() > 1 { FRONT_PERCENT + SYNTHESIS_PERCENT } else { FRONT_PERCENT };
        let mut left = match plan.keeps_words() {
            true => section_words(plan, units.len() > 1),
            false => (whole - whole * aside / 100) * ASKED_PERCENT / 100,
        };
        let mut waiting = units;
        // Those that cannot take their share are served first.
        waiting.sort_by_key(|share| (share.most, share.id));
        let mut weights: usize = waiting.iter().map(|share| share.weight).sum();
        for share in waiting {
            let words = (left * share.weight / weights.max(1)).clamp(WORDS_MIN, share.most.max(WORDS_MIN));
            left = left.saturating_sub(words);
            weights -= share.weight;
            if let Some(node) = self.get_mut(share.id) {
                node.words = u32::try_from(words).unwrap_or(u32::MAX);
            }
        }
    }

    /// A node too long for one call goes on in nodes without a heading, each with its part of the quotations and of the
    /// words. Those that say most come first.
    fn split_long(&mut self, plan: &InquiryPlan, bank: &mut Bank) {
        let words_max = window::section_words_max(plan.window);
        let quotes_max = window::section_quotes_max(plan.window);
        for id in self.units() {
            let Some(node) = self.get(id).cloned() else { continue };
            let by_words = usize::try_from(node.words.div_ceil(words_max)).unwrap_or(1);
            let by_quotes = match window::is_small(plan.window) || plan.shows_all_quotes() {
                true => node.quotes.len().div_ceil(quotes_max),
                false => 1,
            };
            // Each part has words of its own: few of them carry few parts.
            let carried = match plan.keeps_words() {
                true => by_words.max(usize::try_from(node.words).unwrap_or(usize::MAX) / WORDS_MIN),
                false => usize::MAX,
            };
            let parts = by_words.max(by_quotes).min(carried).min(node.quotes.len()).max(1);
            if parts < 2 {
                continue;
            }
            let mut quotes = node.quotes.clone();
            let together = comparable::comparable(bank, &quotes);
            quotes.sort_by_key(|id| {
                let is_bare = bank.get(*id).is_some_and(|quote| quote.facts.is_empty());
                (is_bare, !together.contains(id))
            });
            let whole = weight_of(bank, &quotes).max(1);
            let share = |quotes: &[QuoteId]| {
                let words =
                    usize::try_from(node.words).unwrap_or(usize::MAX) * weight_of(bank, quotes) / whole;
                u32::try_from(words.max(WORDS_MIN)).unwrap_or(u32::MAX).min(words_max)
            };
            let size = quotes.len().div_ceil(parts);
            let shares: Vec<(Vec<QuoteId>, u32)> =
                quotes.chunks(size).map(|chunk| (chunk.to_vec(), share(chunk))).collect();
            for (chunk, words) in shares.iter().skip(1) {
                self.go_on(id, chunk, *words, bank);
            }
            if let (Some(node), Some((_, words))) = (self.get_mut(id), shares.first()) {
                node.words = *words;
            }
        }
    }

    /// A node that goes on where `node` ends.
    pub fn go_on(&mut self, node: NodeId, quotes: &[QuoteId], words: u32, bank: &mut Bank) -> Option<NodeId> {
        let before = self.get(node)?.clone();
        let place = self.order.iter().rposition(|id| {
            *id == node
                || self.get(*id).is_some_and(|other| {
                    other.heading.is_empty()
                        && other.question == before.question
                        && other.parent == before.parent.or(Some(node))
                })
        })?;
        self.nodes.push(OutlineNode {
            parent: before.parent.or(Some(node)),
            heading: String::new(),
            question: before.question,
            block: before.block,
            words,
            ..OutlineNode::default()
        });
        let id = NodeId::at(self.nodes.len() - 1);
        self.order.insert((place + 1).min(self.order.len()), id);
        self.bind(id, quotes, bank);
        Some(id)
    }
}
