//! Who is at which turn: the scripts that prompts have asked for, by key.
//!
//! A prompt belongs to a key if it carries the tag, or a page address of that key's topic: a correction is
//! asked for with the text to be corrected, not with the question.

use std::collections::BTreeMap;

use super::{Round, facts};
use crate::rounds::{Item, Rounds};

/// Keys one world remembers. More than any test has researches; an endless client is refused, not kept.
const KEYS_MAX: usize = 65_536;
/// The key of prompts that belong to no script.
pub(crate) const UNTAGGED: &str = "untagged";
/// The topic of such prompts, unless they carry a page address.
const TOPIC: &str = "question";
/// What a round that is shown an earlier result carries.
const CURRENT_RESULT: &str = "<current_result>";
/// The name of a file with an answer that could not be read.
pub(crate) const INVALID_FILE: &str = "temp-invalid-output-";

/// Whether a turn may look things up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Searching {
    Possible,
    Impossible,
}

#[derive(Debug, Default)]
pub(crate) struct Register {
    scripts: BTreeMap<String, Script>,
    /// Which key a topic belongs to.
    topics: BTreeMap<String, String>,
    untagged: u32,
}

#[derive(Debug)]
struct Script {
    rounds: Rounds,
    turns: u32,
}

impl Register {
    /// Begins the next turn for a prompt; the error is the message of a 400.
    pub(crate) fn begin(&mut self, text: &str, searching: Searching) -> Result<Round, String> {
        match self.key_of(text)? {
            Some(key) => self.take(&key, text).ok_or_else(|| "The script is gone.".to_owned()),
            None => {
                self.untagged = self.untagged.saturating_add(1);
                Ok(untagged(self.untagged, text, searching))
            }
        }
    }

    /// How long a turn of this prompt takes, if its script says so.
    pub(crate) fn duration_ms(&self, key: &str) -> Option<u64> {
        self.scripts.get(key).and_then(|script| script.rounds.duration_ms)
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        let words: usize = self.scripts.keys().chain(self.topics.keys()).map(String::len).sum();
        words + self.scripts.len() * size_of::<Script>()
    }

    /// The key of a prompt. Remembers the script of its tag.
    fn key_of(&mut self, text: &str) -> Result<Option<String>, String> {
        let Some(rounds) = Rounds::in_text(text).map_err(|error| error.to_string())? else {
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
            None => drop(self.scripts.insert(key.clone(), Script { rounds, turns: 0 })),
        }
        Ok(Some(key))
    }

    fn take(&mut self, key: &str, text: &str) -> Option<Round> {
        let script = self.scripts.get_mut(key)?;
        script.turns = script.turns.saturating_add(1);
        Some(script.round(text))
    }
}

impl Script {
    /// The turn it is at.
    fn round(&self, text: &str) -> Round {
        let Rounds { key, topic, bytes, .. } = &self.rounds;
        Round {
            key: key.as_str().into(),
            number: self.turns,
            item: self.rounds.item(self.turns),
            topic: topic.as_str().into(),
            bytes: *bytes,
            facts_seen: facts::facts_in(topic, text),
        }
    }
}

fn untagged(number: u32, text: &str, searching: Searching) -> Round {
    let topic = facts::topic_in(text);
    let item = if text.contains(CURRENT_RESULT) {
        Item::Agreed
    } else if text.contains(INVALID_FILE) || (searching == Searching::Impossible && topic.is_some()) {
        Item::Corrected
    } else {
        Item::Draft
    };
    let topic = topic.unwrap_or(TOPIC);
    Round {
        key: UNTAGGED.into(),
        number,
        item,
        topic: topic.into(),
        bytes: 0,
        facts_seen: facts::facts_in(topic, text),
    }
}
