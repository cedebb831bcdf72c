//! The outline: a tree of headings that bind quotations and name what they still want. It changes by operations; what
//! is wrong in one of them is passed over, and the former outline stays.

mod finish;

pub use finish::{front_words, synthesis_words};

use std::collections::{BTreeMap, BTreeSet};

use probity_types::inquiry::{BlockKind, FacetId, NewNode, NodeId, OutlineOperation, QuoteId};

use super::{
    bank::{Bank, BankQuote},
    facet::{self, Facet, LINE_CHARACTERS_MAX},
};
use crate::{text, web::passages};

/// Nodes of one outline for each section that it may have.
const NODES_PER_SECTION: usize = 4;
/// Things that one node may want.
const WANTS_MAX: usize = 5;
/// The least by which a word must point to one node, in thousandths: half of the figures that it stands for are told there.
const KIND_SCORE_MIN: usize = 500;
/// A heading is a line, not a paragraph.
const HEADING_CHARACTERS_MAX: usize = 120;

#[derive(Debug, Clone, PartialEq, Default)]
pub struct OutlineNode {
    /// Only nodes without a parent have children.
    pub parent: Option<NodeId>,
    /// Empty: goes on where the node before it ends.
    pub heading: String,
    pub question: String,
    pub wants: Vec<String>,
    pub block: BlockKind,
    pub quotes: Vec<QuoteId>,
    /// Asked of the writer; 0 until writing begins.
    pub words: u32,
    pub is_dropped: bool,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Outline {
    /// Numbers are never given twice: a dropped node stays here.
    pub nodes: Vec<OutlineNode>,
    order: Vec<NodeId>,
}

impl Outline {
    pub fn get(&self, id: NodeId) -> Option<&OutlineNode> {
        self.nodes.get(id.index()?).filter(|node| !node.is_dropped)
    }

    fn get_mut(&mut self, id: NodeId) -> Option<&mut OutlineNode> {
        self.nodes.get_mut(id.index()?).filter(|node| !node.is_dropped)
    }

    /// Nodes as they are read: each with its children behind it.
    pub fn in_order(&self) -> Vec<NodeId> {
        let mut found = Vec::new();
        for id in self.children(None) {
            found.push(id);
            found.extend(self.children(Some(id)));
        }
        found
    }

    pub fn children(&self, parent: Option<NodeId>) -> Vec<NodeId> {
        let of_parent = |id: &&NodeId| self.get(**id).is_some_and(|node| node.parent == parent);
        self.order.iter().filter(of_parent).copied().collect()
    }

    /// Carries the operations out; returns how many were possible.
    pub fn apply(&mut self, operations: &[OutlineOperation], bank: &mut Bank, sections_max: u32) -> usize {
        let most = usize::try_from(sections_max).unwrap_or(usize::MAX).saturating_mul(NODES_PER_SECTION);
        operations.iter().filter(|operation| self.change(operation, bank, most)).count()
    }

    fn change(&mut self, operation: &OutlineOperation, bank: &mut Bank, nodes_max: usize) -> bool {
        match operation {
            OutlineOperation::Add { parent, new } => {
                self.in_order().len() < nodes_max && self.add(*parent, new, bank).is_some()
            }
            OutlineOperation::Split { node, into } => self.split(*node, into, bank, nodes_max),
            OutlineOperation::Merge { nodes } => self.merge(nodes, bank),
            OutlineOperation::Move { node, parent, position } => self.put(*node, *parent, *position),
            OutlineOperation::Retitle { node, heading } => {
                let heading = text::line(heading, HEADING_CHARACTERS_MAX);
                let Some(node) = self.get_mut(*node).filter(|_| !heading.is_empty()) else { return false };
                node.heading = heading;
                true
            }
            OutlineOperation::Drop { node } => self.drop_node(*node, bank),
            OutlineOperation::Bind { node, quotes } => self.bind(*node, quotes, bank) > 0,
            OutlineOperation::Want { node, wants } => {
                let Some(node) = self.get_mut(*node) else { return false };
                node.wants = bounded_wants(wants);
                true
            }
            OutlineOperation::Form { node, block } => {
                let Some(node) = self.get_mut(*node) else { return false };
                node.block = *block;
                true
            }
        }
    }

    /// A child of a child becomes its sister: two levels are enough for a reader.
    pub fn add(&mut self, parent: Option<NodeId>, new: &NewNode, bank: &mut Bank) -> Option<NodeId> {
        let heading = text::line(&new.heading, HEADING_CHARACTERS_MAX);
        let twin = |id: &NodeId| {
            self.get(*id).is_some_and(|node| node.heading.to_lowercase() == heading.to_lowercase())
        };
        if heading.is_empty() || self.in_order().iter().any(twin) {
            return None;
        }
        let parent = self.parent_for(parent);
        self.nodes.push(OutlineNode {
            parent,
            heading,
            question: text::line(&new.question, LINE_CHARACTERS_MAX),
            wants: bounded_wants(&new.wants),
            block: new.block,
            ..OutlineNode::default()
        });
        let id = NodeId::at(self.nodes.len() - 1);
        self.order.push(id);
        self.bind(id, &new.quotes, bank);
        Some(id)
    }

    fn parent_for(&self, wanted: Option<NodeId>) -> Option<NodeId> {
        let node = self.get(wanted?)?;
        node.parent.or(wanted)
    }

    /// A quotation moves from its former home; copies stand for the one they copy.
    pub fn bind(&mut self, node: NodeId, quotes: &[QuoteId], bank: &mut Bank) -> usize {
        if self.get(node).is_none() {
            return 0;
        }
        let mut bound = 0;
        for id in quotes {
            let Some(quote) = bank.get(*id) else { continue };
            let id = quote.copy_of.unwrap_or(*id);
            if !bank.may_be_shown(id) {
                continue;
            }
            let Some(former) = bank.get(id).map(|quote| quote.home) else { continue };
            bound += 1;
            if former == Some(node) {
                continue;
            }
            if let Some(former) = former.and_then(|former| self.get_mut(former)) {
                former.quotes.retain(|known| *known != id);
            }
            if let Some(quote) = id.index().and_then(|index| bank.quotes.get_mut(index)) {
                quote.home = Some(node);
            }
            if let Some(node) = self.get_mut(node) {
                node.quotes.push(id);
            }
        }
        bound
    }

    fn split(&mut self, node: NodeId, into: &[NewNode], bank: &mut Bank, nodes_max: usize) -> bool {
        let Some(old) = self.get(node).cloned() else { return false };
        if into.len() < 2 || self.in_order().len() + into.len() > nodes_max {
            return false;
        }
        let place = self.order.iter().position(|id| *id == node).unwrap_or(self.order.len());
        // The new ones must not be mistaken for twins of the old.
        if let Some(old) = self.get_mut(node) {
            old.heading.push_str(" (split)");
        }
        let mut added: Vec<NodeId> = Vec::new();
        for new in into {
            added.extend(self.add(old.parent, new, bank));
        }
        let Some(first) = added.first().copied() else {
            if let Some(kept) = self.get_mut(node) {
                kept.heading = old.heading;
            }
            return false;
        };
        let rest = self.get(node).map(|node| node.quotes.clone()).unwrap_or_default();
        self.bind(first, &rest, bank);
        for child in self.children(Some(node)) {
            if let Some(child) = self.get_mut(child) {
                child.parent = old.parent.or(Some(first));
            }
        }
        self.forget(node);
        self.order.retain(|id| !added.contains(id));
        let place = place.min(self.order.len());
        self.order.splice(place..place, added);
        true
    }

    fn merge(&mut self, nodes: &[NodeId], bank: &mut Bank) -> bool {
        let Some((first, others)) = nodes.split_first() else { return false };
        if self.get(*first).is_none() {
            return false;
        }
        let mut merged = false;
        for other in others.iter().filter(|other| *other != first) {
            let Some(node) = self.get(*other).cloned() else { continue };
            self.bind(*first, &node.quotes, bank);
            for child in self.children(Some(*other)) {
                let parent = self.parent_for(Some(*first));
                if let Some(child) = self.get_mut(child) {
                    child.parent = parent;
                }
            }
            self.forget(*other);
            merged = true;
        }
        merged
    }

    fn put(&mut self, node: NodeId, parent: Option<NodeId>, position: u32) -> bool {
        let has_children = !self.children(Some(node)).is_empty();
        if self.get(node).is_none() || parent == Some(node) || (has_children && parent.is_some()) {
            return false;
        }
        let parent = self.parent_for(parent).filter(|parent| *parent != node);
        if let Some(node) = self.get_mut(node) {
            node.parent = parent;
        }
        let sisters: Vec<NodeId> = self.children(parent).into_iter().filter(|id| *id != node).collect();
        let before = sisters.get(usize::try_from(position).unwrap_or(usize::MAX)).copied();
        self.order.retain(|id| *id != node);
        let place = before.and_then(|before| self.order.iter().position(|id| *id == before));
        self.order.insert(place.unwrap_or(self.order.len()), node);
        true
    }

    /// Its quotations are without a home again; its children move up.
    fn drop_node(&mut self, node: NodeId, bank: &mut Bank) -> bool {
        let Some(old) = self.get(node).cloned() else { return false };
        for quote in &mut bank.quotes {
            if quote.home == Some(node) {
                quote.home = None;
            }
        }
        for child in self.children(Some(node)) {
            if let Some(child) = self.get_mut(child) {
                child.parent = old.parent;
            }
        }
        self.forget(node);
        true
    }

    fn forget(&mut self, node: NodeId) {
        self.order.retain(|id| *id != node);
        if let Some(node) = self.get_mut(node) {
            node.is_dropped = true;
            node.quotes.clear();
        }
    }

    /// Where no planner made one: a node for each facet.
    pub fn of_facets(&mut self, facets: &[Facet], bank: &mut Bank) {
        for facet in facets.iter().filter(|facet| !facet.is_dropped) {
            let heading = facet.question.trim_end_matches(['?', '.', '？', '。']).to_owned();
            let new = NewNode { heading, question: facet.question.clone(), ..NewNode::default() };
            self.add(None, &new, bank);
        }
    }

    /// Quotations without a home go where their facet and their words point; those that point nowhere stay without.
    pub fn bind_rest(&mut self, facets: &[Facet], bank: &mut Bank, by_kind: bool) {
        let nodes: Vec<(NodeId, BTreeSet<String>, Vec<FacetId>)> = self
            .in_order()
            .into_iter()
            .filter_map(|id| {
                let node = self.get(id)?;
                let words = passages::words(&format!("{} {}", node.heading, node.question));
                Some((id, words, facets_of(node, facets, bank)))
            })
            .collect();
        let told = self.words_told(bank);
        let is_homeless =
            |quote: &BankQuote| quote.home.is_none() && !facet::are_all_dropped(&quote.facets, facets);
        let homeless: Vec<QuoteId> =
            bank.usable().filter(|(_, quote)| is_homeless(quote)).map(|(id, _)| id).collect();
        for id in homeless {
            if by_kind && let Some(home) = home_of_kind(&told, &attribute_words(bank, id)) {
                self.bind(home, &[id], bank);
                continue;
            }
            let Some(quote) = bank.get(id) else { continue };
            let words = passages::words(&quote.text);
            let fits = |(_, wanted, of_node): &(NodeId, BTreeSet<String>, Vec<FacetId>)| {
                let shared = wanted.intersection(&words).count();
                let facet = quote.facets.iter().any(|facet| of_node.contains(facet));
                shared + if facet { 3 } else { 0 }
            };
            let best = nodes.iter().rev().max_by_key(|node| fits(node)).filter(|node| fits(node) > 0);
            if let Some(home) = best.map(|(home, _, _)| *home) {
                self.bind(home, &[id], bank);
            }
        }
    }

    /// In how many quotations of which node the words for what a figure counts stand.
    fn words_told(&self, bank: &Bank) -> BTreeMap<String, BTreeMap<NodeId, usize>> {
        let mut told: BTreeMap<String, BTreeMap<NodeId, usize>> = BTreeMap::new();
        for node in self.in_order() {
            let quotes = self.get(node).map(|node| node.quotes.as_slice()).unwrap_or_default();
            for word in quotes.iter().flat_map(|id| attribute_words(bank, *id)) {
                *told.entry(word).or_default().entry(node).or_default() += 1;
            }
        }
        told
    }

    /// What the nodes that bind this facet's quotations still want.
    pub fn wants_of(&self, facet: FacetId, facets: &[Facet], bank: &Bank) -> Vec<String> {
        let nodes = self.in_order();
        let touching = nodes
            .iter()
            .filter_map(|id| self.get(*id))
            .filter(|node| facets_of(node, facets, bank).contains(&facet));
        let mut wants: Vec<String> = touching.flat_map(|node| node.wants.iter().cloned()).collect();
        wants.dedup();
        wants
    }
}

/// What the figures of a quotation count, word by word: its reader says so in the question's language.
fn attribute_words(bank: &Bank, id: QuoteId) -> BTreeSet<String> {
    let facts = bank.get(id).map(|quote| quote.facts.as_slice()).unwrap_or_default();
    facts.iter().flat_map(|fact| passages::words(&fact.attribute)).collect()
}

/// The node in which figures of the kind that a quotation gives are told; a word that stands in many nodes says little.
/// Headings and facets say less of a quotation in another language than theirs.
fn home_of_kind(
    told: &BTreeMap<String, BTreeMap<NodeId, usize>>,
    words: &BTreeSet<String>,
) -> Option<NodeId> {
    let mut scores: BTreeMap<NodeId, usize> = BTreeMap::new();
    for nodes in words.iter().filter_map(|word| told.get(word)) {
        let all: usize = nodes.values().sum();
        for (node, count) in nodes {
            *scores.entry(*node).or_default() += count * 1_000 / all.max(1);
        }
    }
    let best = scores.into_iter().max_by_key(|(node, score)| (*score, std::cmp::Reverse(*node)));
    best.filter(|(_, score)| *score >= KIND_SCORE_MIN).map(|(node, _)| node)
}

/// The facets that a node serves: those of its quotations, and the one whose question it asks.
fn facets_of(node: &OutlineNode, facets: &[Facet], bank: &Bank) -> Vec<FacetId> {
    let mut found: Vec<FacetId> =
        node.quotes.iter().filter_map(|id| bank.get(*id)).flat_map(|quote| quote.facets.clone()).collect();
    let asked = facets.iter().position(|facet| !node.question.is_empty() && facet.question == node.question);
    found.extend(asked.map(FacetId::at));
    found.sort_unstable();
    found.dedup();
    found
}

fn bounded_wants(wants: &[String]) -> Vec<String> {
    let lines = wants.iter().map(|want| text::line(want, LINE_CHARACTERS_MAX));
    lines.filter(|want| !want.is_empty()).take(WANTS_MAX).collect()
}

#[cfg(test)]
mod tests;
