//! What was written so far, and what a rule over written text may look at.

use std::collections::{BTreeMap, BTreeSet};

use probity_types::inquiry::{Block, NodeId, QuoteId, Sentence, Table};

use super::{bank::Bank, conflict::Conflict, outline::Outline, window::word_count};

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WrittenSection {
    pub blocks: Vec<Block>,
    /// No model wrote it: its quotations as a list.
    pub is_quoted: bool,
    /// What the writer missed.
    pub thin: Vec<String>,
    /// Sentences whose figures or names stand in no quotation: those that a quotation replaced, and those that are gone.
    pub replaced: u32,
    pub left_out: u32,
}

impl WrittenSection {
    /// All sentences, in order.
    pub fn sentences(&self) -> impl Iterator<Item = &Sentence> {
        self.blocks.iter().flat_map(|block| match block {
            Block::Paragraph { sentences } => sentences.as_slice(),
            Block::List { items } => items.as_slice(),
            Block::Heading { .. } | Block::Table(_) => &[],
        })
    }

    pub fn tables(&self) -> impl Iterator<Item = &Table> {
        self.blocks.iter().filter_map(|block| match block {
            Block::Table(table) => Some(table),
            Block::Heading { .. } | Block::Paragraph { .. } | Block::List { .. } => None,
        })
    }

    pub fn words(&self) -> usize {
        self.sentences().map(|sentence| word_count(&sentence.text)).sum()
    }

    pub fn cited(&self) -> BTreeSet<QuoteId> {
        let cells = self.blocks.iter().flat_map(|block| match block {
            Block::Table(table) => table.rows.as_slice(),
            Block::Heading { .. } | Block::Paragraph { .. } | Block::List { .. } => &[],
        });
        let of_cells = cells.flat_map(|row| &row.cells).flat_map(|cell| cell.quotes.iter().copied());
        self.sentences().flat_map(|sentence| sentence.quotes.iter().copied()).chain(of_cells).collect()
    }
}

/// A sentence of a section that states a fact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    pub node: NodeId,
    pub text: String,
    pub quotes: Vec<QuoteId>,
}

/// Everything that the rules over written text depend on.
#[derive(Clone, Copy)]
pub struct WritingContext<'a> {
    pub outline: &'a Outline,
    pub bank: &'a Bank,
    pub conflicts: &'a [Conflict],
    pub sections: &'a BTreeMap<NodeId, WrittenSection>,
    /// The language of the report writes every noun with a capital.
    pub nouns_are_capitals: bool,
    /// Of the report, as far as it is known.
    pub language: Option<&'a str>,
    /// What a sentence says is looked up in its quotations.
    pub looks_up: bool,
    /// A disagreement is told wherever one of its sides has its home.
    pub tells_every_conflict: bool,
    /// A section draws few conclusions from a single page.
    pub spreads_conclusions: bool,
}
