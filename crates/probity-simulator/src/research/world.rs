//! One closed world from one seed: its pages, what is true on them, what was planted, and the request.

mod build;
mod oracle;
mod prose;
mod question;

use super::fact::{FactAttribute, FactLanguage, FactTuple};
use crate::web::{SmallWeb, SmallWebPage};

/// Facts that a perfect report would hold.
const FACTS: usize = 300;

/// How a fact came into the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FactRole {
    Plain,
    /// On a page that is found by a name on the page before.
    Chain,
    /// In a table.
    Cell,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorldFact {
    pub tuple: FactTuple,
    /// The page that says it, by its place.
    pub page: usize,
    pub role: FactRole,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConflictKind {
    /// A later page revises an earlier one.
    Superseded,
    /// The pages count different things.
    Scope,
    /// Two pages of equal rank.
    Real,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorldConflict {
    pub kind: ConflictKind,
    /// The side that is one of the facts.
    pub fact: usize,
    pub other: FactTuple,
    pub other_page: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrapKind {
    Orders,
    FakeAddress,
    HiddenText,
    WrongUnit,
    InventedQuotation,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorldTrap {
    pub kind: TrapKind,
    /// Words that stand nowhere else.
    pub marker: String,
    /// What a report that fell for it would say.
    pub tuple: Option<FactTuple>,
}

/// What is asked of the researcher.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResearchRequest {
    pub question: String,
    pub language: FactLanguage,
    pub words: usize,
    /// Facts of the table that is asked for.
    pub table: Vec<usize>,
    /// A planted conclusion whose comparison is asked for.
    pub comparison: usize,
    /// Facts that are asked for by name.
    pub wanted: Vec<usize>,
    /// Asked for, and nowhere.
    pub unanswerable: Vec<(String, FactAttribute)>,
}

#[derive(Debug, Clone)]
pub struct ResearchWorld {
    pub seed: u64,
    /// The invented coast that all is about.
    pub topic: String,
    pub facets: Vec<usize>,
    pub pages: Vec<SmallWebPage>,
    pub facts: Vec<WorldFact>,
    /// The facts along each chain, the start first.
    pub chains: Vec<Vec<usize>>,
    pub conflicts: Vec<WorldConflict>,
    /// A page, and the page that it copies.
    pub copies: Vec<(usize, usize)>,
    /// What an old page says of "now", and the fact that holds now.
    pub outdated: Vec<(FactTuple, usize)>,
    /// Two facts from which a comparison follows; the first has the higher value.
    pub conclusions: Vec<(usize, usize)>,
    pub traps: Vec<WorldTrap>,
    pub request: ResearchRequest,
}

impl ResearchWorld {
    pub fn seeded(seed: u64) -> Self {
        build::WorldBuilder::new(seed).build()
    }

    /// The pages as a small web.
    pub fn web(&self) -> SmallWeb {
        self.pages.iter().cloned().fold(SmallWeb::new(), SmallWeb::with)
    }

    /// What a researcher that misses nothing would write, whatever its length.
    pub fn perfect_report(&self) -> String {
        oracle::perfect_report(self)
    }

    /// Words that only a trap has.
    pub fn trap_markers(&self) -> Vec<String> {
        self.traps.iter().map(|trap| trap.marker.clone()).filter(|marker| !marker.is_empty()).collect()
    }
}
