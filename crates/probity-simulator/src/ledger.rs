//! Who was accepted and what it cost: the judge of double payment.
//!
//! Written by the world only. A create that was accepted and whose answer was lost is here all the same.

use std::collections::{BTreeMap, BTreeSet};

/// One accepted create.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub interaction_id: String,
    /// `labels.task` of the create.
    pub task: Option<String>,
    pub at_ms: u64,
    /// The agent, or the model for a call without an agent.
    pub agent: String,
    pub previous_interaction_id: Option<String>,
    /// What the work done so far costs, as of the last `World::settle` or call about it.
    pub charged_micro_usd: u64,
    /// Tells one turn of a task from another. Two accepted creates with one turn were paid twice.
    pub(crate) turn: u64,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ledger {
    pub(crate) entries: Vec<Entry>,
    pub(crate) refused: BTreeMap<u16, u64>,
}

impl Ledger {
    /// Every accepted create, oldest first.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Creates that were answered with an error, by status. Zero stands for a cut connection.
    pub fn refused(&self) -> &BTreeMap<u16, u64> {
        &self.refused
    }

    pub fn refused_count(&self) -> u64 {
        self.refused.values().sum()
    }

    /// How many creates were accepted for this task, over all its turns.
    pub fn creates_for(&self, task: &str) -> usize {
        self.entries.iter().filter(|entry| entry.task.as_deref() == Some(task)).count()
    }

    /// Tasks that paid twice for one turn, in order. A plan, its refinement and its execution are
    /// different turns; two creates that continue the same interaction are one.
    pub fn duplicates(&self) -> Vec<String> {
        let mut seen = BTreeSet::new();
        let mut twice = BTreeSet::new();
        for entry in &self.entries {
            let Some(task) = &entry.task else { continue };
            if !seen.insert((task, entry.turn)) {
                twice.insert(task.clone());
            }
        }
        twice.into_iter().collect()
    }

    pub fn charged_micro_usd(&self) -> u64 {
        self.entries.iter().map(|entry| entry.charged_micro_usd).sum()
    }

    pub(crate) fn refuse(&mut self, status: u16) {
        *self.refused.entry(status).or_default() += 1;
    }
}
