//! Which turn each script is at: the scripts that prompts have asked for, by key.
//!
//! A prompt belongs to a key if it contains the tag, or a page address of that key's topic: a correction is
//! asked for with the text to be corrected, not with the question.

use std::collections::BTreeMap;

use super::{ScriptedRound, facts};
use crate::{
    ledger::WorldLedger,
    rounds::{Item, Pages, RoundsScript},
};

/// Keys one world remembers. More than any test has runs; an endless client is refused, not kept.
const KEYS_MAX: usize = 65_536;
/// The key of prompts that belong to no script.
pub(crate) const UNTAGGED: &str = "untagged";
/// The marker of a round that is shown an earlier result.
const CURRENT_RESULT: &str = "<current_result>";
/// The name of a file with an answer that could not be read.
pub(crate) const INVALID_FILE: &str = "temp-invalid-output-";

/// Whether a turn may use tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SearchAbility {
    Possible,
    Impossible,
}

#[derive(Debug, Default)]
pub(crate) struct ScriptRegister {
    scripts: BTreeMap<String, ScriptProgress>,
    /// Which key a topic belongs to.
    topics: BTreeMap<String, String>,
    untagged: u32,
}

#[derive(Debug)]
struct ScriptProgress {
    rounds: RoundsScript,
    turns: u32,
}

impl ScriptRegister {
    /// Begins the next turn for a prompt; the error is the message of a 400.
    pub(crate) fn begin(&mut self, text: &str, searching: SearchAbility) -> Result<ScriptedRound, String> {
        match self.key_of(text)? {
            Some(key) => self.take(&key, text).ok_or_else(|| "The script is gone.".to_owned()),
            None => {
                self.untagged = self.untagged.saturating_add(1);
                Ok(untagged(self.untagged, text, searching))
            }
        }
    }

    /// The turn in progress of the key a prompt belongs to; for prompts without a key, what they would begin.
    pub(crate) fn current(&mut self, text: &str, searching: SearchAbility) -> Result<ScriptedRound, String> {
        let Some(key) = self.key_of(text)? else { return Ok(untagged(self.untagged, text, searching)) };
        let script = self.scripts.get(&key).filter(|script| script.turns > 0);
        match script.map(|script| script.round(text)) {
            Some(round) => Ok(round),
            // Tool results of a turn this world never began, perhaps before a reset.
            None => self.begin(text, searching),
        }
    }

    /// Whether a prompt says which key it belongs to.
    pub(crate) fn knows(&self, text: &str) -> bool {
        let topic = || facts::topic_in(text).is_some_and(|topic| self.topics.contains_key(topic));
        !matches!(RoundsScript::in_text(text), Ok(None)) || topic()
    }

    /// Adds what a search or a page cost to the turn it was made for.
    pub(crate) fn charge(&self, ledger: &mut WorldLedger, topic: &str, micro_usd: u64) {
        let key = self.topics.get(topic).map_or(UNTAGGED, String::as_str);
        if let Some(turn) = ledger.last_turn(key) {
            turn.charged_micro_usd += micro_usd;
        }
    }

    /// How the pages of a topic are addressed.
    pub(crate) fn pages(&self, topic: &str) -> Pages {
        let script = self.topics.get(topic).and_then(|key| self.scripts.get(key));
        script.map_or(Pages::Named, |script| script.rounds.pages)
    }

    /// How long a turn of this prompt takes, if its script says so.
    pub(crate) fn duration_ms(&self, key: &str) -> Option<u64> {
        self.scripts.get(key).and_then(|script| script.rounds.duration_ms)
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        let words: usize = self.scripts.keys().chain(self.topics.keys()).map(String::len).sum();
        words + self.scripts.len() * size_of::<ScriptProgress>()
    }

    /// The key of a prompt. Remembers the script of its tag.
    fn key_of(&mut self, text: &str) -> Result<Option<String>, String> {
        let Some(rounds) = RoundsScript::in_text(text).map_err(|error| error.to_string())? else {
            let topic = facts::topic_in(text);
            return Ok(topic.and_then(|topic| self.topics.get(topic)).cloned());
        };
        let key = rounds.key.clone();
        if self.scripts.len() >= KEYS_MAX && !self.scripts.contains_key(&key) {
            return Err(format!("There are more than {KEYS_MAX} scripts."));
        }
        self.topics.insert(rounds.topic.clone(), key.clone());
        match self.scripts.get_mut(&key) {
            Some(script) => script.rounds = rounds,
            None => drop(self.scripts.insert(key.clone(), ScriptProgress { rounds, turns: 0 })),
        }
        Ok(Some(key))
    }

    fn take(&mut self, key: &str, text: &str) -> Option<ScriptedRound> {
        let script = self.scripts.get_mut(key)?;
        script.turns = script.turns.saturating_add(1);
        Some(script.round(text))
    }
}

impl ScriptProgress {
    /// The turn it is at.
    fn round(&self, text: &str) -> ScriptedRound {
        let RoundsScript { key, topic, bytes, pages, .. } = &self.rounds;
        ScriptedRound {
            key: key.as_str().into(),
            number: self.turns,
            item: self.rounds.item(self.turns),
            topic: topic.as_str().into(),
            bytes: *bytes,
            pages: *pages,
            facts_seen: facts::facts_in(topic, text),
        }
    }
}

fn untagged(number: u32, text: &str, searching: SearchAbility) -> ScriptedRound {
    let topic = facts::topic_in(text);
    let item = if text.contains(CURRENT_RESULT) {
        Item::Agreed
    } else if text.contains(INVALID_FILE) || (searching == SearchAbility::Impossible && topic.is_some()) {
        Item::Corrected
    } else {
        Item::Draft
    };
    let topic = topic.unwrap_or(facts::TOPIC);
    ScriptedRound {
        key: UNTAGGED.into(),
        number,
        item,
        topic: topic.into(),
        bytes: 0,
        pages: Pages::Named,
        facts_seen: facts::facts_in(topic, text),
    }
}
