//! The outline as it is written from: no empty nodes, no more sections than asked for, each node with its words and
//! small enough for one call.

use probity_types::inquiry::{NodeId, QuoteId};

use super::{Outline, OutlineNode};
use crate::inquiry::{bank::Bank, facet::Facet, plan::InquiryPlan, window};

/// No more words than this are asked for each quotation: beyond, a writer repeats itself.
const WORDS_PER_QUOTE_MAX: usize = 60;
/// Shorter parts are not worth a heading.
const WORDS_MIN: usize = 60;
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

impl Outline {
    /// Returns the questions that no quotation answers.
    pub fn finish(&mut self, facets: &[Facet], bank: &mut Bank, plan: &InquiryPlan) -> Vec<String> {
        if self.in_order().is_empty() {
            self.of_facets(facets, bank);
        }
        self.bind_rest(facets, bank);
        let empty = self.drop_empty(bank);
        self.limit_sections(usize::try_from(plan.caps.sections).unwrap_or(usize::MAX).max(1), bank);
        self.limit_parts(plan, bank);
        self.share_words(plan);
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
        let most = (usize::try_from(plan.words).unwrap_or(usize::MAX) / (2 * WORDS_MIN)).max(1);
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

    /// By the number of quotations, at most what they carry; what one cannot take goes to the others.
    fn share_words(&mut self, plan: &InquiryPlan) {
        let units: Vec<(NodeId, usize)> = self
            .units()
            .into_iter()
            .map(|id| (id, self.get(id).map_or(0, |node| node.quotes.len())))
            .collect();
        let whole = usize::try_from(plan.words).unwrap_or(usize::MAX);
        let aside = if units.len() > 1 { FRONT_PERCENT + SYNTHESIS_PERCENT } else { FRONT_PERCENT };
        let mut left = whole - whole * aside / 100;
        let mut waiting: Vec<(NodeId, usize)> = units;
        // Those that cannot take their share are served first.
        waiting.sort_by_key(|(id, quotes)| (*quotes, *id));
        while let Some((id, quotes)) = waiting.first().copied() {
            let all: usize = waiting.iter().map(|(_, quotes)| quotes).sum();
            let share = left * quotes / all.max(1);
            let words = share.clamp(WORDS_MIN, (quotes * WORDS_PER_QUOTE_MAX).max(WORDS_MIN));
            left = left.saturating_sub(words);
            if let Some(node) = self.get_mut(id) {
                node.words = u32::try_from(words).unwrap_or(u32::MAX);
            }
            waiting.remove(0);
        }
    }

    /// A node too long for one call goes on in nodes without a heading, each with its part of the quotations.
    fn split_long(&mut self, plan: &InquiryPlan, bank: &mut Bank) {
        let words_max = window::section_words_max(plan.window);
        let quotes_max = window::section_quotes_max(plan.window);
        for id in self.units() {
            let Some(node) = self.get(id).cloned() else { continue };
            let by_words = usize::try_from(node.words.div_ceil(words_max)).unwrap_or(1);
            let by_quotes =
                if window::is_small(plan.window) { node.quotes.len().div_ceil(quotes_max) } else { 1 };
            let parts = by_words.max(by_quotes).min(node.quotes.len()).max(1);
            if parts < 2 {
                continue;
            }
            let words = node.words / u32::try_from(parts).unwrap_or(1).max(1);
            let words = words.min(words_max);
            let size = node.quotes.len().div_ceil(parts);
            for chunk in node.quotes.chunks(size).skip(1) {
                self.go_on(id, chunk, words, bank);
            }
            if let Some(node) = self.get_mut(id) {
                node.words = words;
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
