//! One turn of the scripted model: which script, which turn, its outcome.

pub(crate) mod answer;
pub(crate) mod facts;
pub(crate) mod register;

use crate::rounds::{Item, Pages};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ScriptedRound {
    /// Whose turns are counted together.
    pub(crate) key: Box<str>,
    /// Counted from one.
    pub(crate) number: u32,
    pub(crate) item: Item,
    pub(crate) topic: Box<str>,
    pub(crate) pages: Pages,
    /// Size of a `huge` report.
    pub(crate) bytes: u32,
    /// Which facts of the topic the prompt contained: all that a correction has to go by.
    pub(crate) facts_seen: [bool; facts::FACTS],
}

impl ScriptedRound {
    /// The searches of this turn, if it makes any.
    pub(crate) fn queries(&self) -> [String; 2] {
        // An untagged turn has no number of its own to tell its searches by.
        let turn = if &*self.key == register::UNTAGGED { 1 } else { self.number };
        facts::queries(&self.topic, turn)
    }

    /// The page it reads.
    pub(crate) fn page_read(&self) -> String {
        facts::page_url(self.pages, &self.topic, 1)
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        size_of_val(self) + self.key.len() + self.topic.len()
    }
}
