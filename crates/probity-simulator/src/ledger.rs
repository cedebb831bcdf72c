//! Which creates were accepted and what they cost: the judge of double payment.
//!
//! Written by the world only. A create that was accepted and whose answer was lost is here all the same.

use std::collections::{BTreeMap, BTreeSet};

use crate::rounds::Item;

/// One accepted create.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CreateRecord {
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

/// One turn of the scripted model, accepted or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnRecord {
    /// The key of its script; `untagged` where the prompt named none.
    pub key: String,
    /// Counted from one, per key, refused turns included.
    pub number: u32,
    pub item: Item,
    pub model: String,
    pub face: TurnApi,
    pub at_ms: u64,
    pub charge: TurnCharge,
    /// As of the last `World::settle`.
    pub charged_micro_usd: u64,
    /// Equal prompts, equal number.
    pub prompt: u64,
    /// Requests of the conversation: one, and one more for each time tool results were brought.
    pub requests: u32,
    pub interaction_id: Option<String>,
    /// Where its create is among the entries.
    pub(crate) position: Option<usize>,
}

/// Which API a turn came through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TurnApi {
    Interactions,
    GenerateContent,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TurnCharge {
    /// Accepted: billed, whether or not the answer arrived.
    Charged,
    /// Refused, or never answered.
    Free,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WorldLedger {
    pub(crate) entries: Vec<CreateRecord>,
    pub(crate) turns: Vec<TurnRecord>,
    pub(crate) refused: BTreeMap<u16, u64>,
}

impl WorldLedger {
    /// Every accepted create, oldest first.
    pub fn entries(&self) -> &[CreateRecord] {
        &self.entries
    }

    /// Every turn of the scripted model, oldest first.
    pub fn turns(&self) -> &[TurnRecord] {
        &self.turns
    }

    /// The turns of one key, oldest first.
    pub fn turns_of(&self, key: &str) -> impl Iterator<Item = &TurnRecord> {
        self.turns.iter().filter(move |turn| turn.key == key)
    }

    /// How many turns of a key were billed.
    pub fn turns_charged(&self, key: &str) -> usize {
        self.turns_of(key).filter(|turn| turn.charge == TurnCharge::Charged).count()
    }

    /// How many turns of a key were billed although their very prompt had been billed before.
    pub fn turns_repeated(&self, key: &str) -> usize {
        let charged = self.turns_of(key).filter(|turn| turn.charge == TurnCharge::Charged);
        let prompts: BTreeSet<u64> = charged.map(|turn| turn.prompt).collect();
        self.turns_charged(key) - prompts.len()
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

    /// Totals over both APIs.
    pub fn charged_micro_usd(&self) -> u64 {
        let created: u64 = self.entries.iter().map(|entry| entry.charged_micro_usd).sum();
        let generated = self.turns.iter().filter(|turn| turn.position.is_none());
        created + generated.map(|turn| turn.charged_micro_usd).sum::<u64>()
    }

    pub(crate) fn record_refusal(&mut self, status: u16) {
        *self.refused.entry(status).or_default() += 1;
    }

    /// The turn of a key that began last.
    pub(crate) fn last_turn(&mut self, key: &str) -> Option<&mut TurnRecord> {
        self.turns.iter_mut().rev().find(|turn| turn.key == key)
    }

    /// Copies the charges of creates to the turns they were made for.
    pub(crate) fn settle_turns(&mut self) {
        for turn in &mut self.turns {
            if let Some(entry) = turn.position.and_then(|position| self.entries.get(position)) {
                turn.charged_micro_usd = entry.charged_micro_usd;
            }
        }
    }

    pub(crate) fn turns_bytes(&self) -> usize {
        let texts = |turn: &TurnRecord| {
            turn.key.len() + turn.model.len() + turn.interaction_id.as_ref().map_or(0, String::len)
        };
        self.turns.iter().map(|turn| size_of_val(turn) + texts(turn)).sum()
    }
}
