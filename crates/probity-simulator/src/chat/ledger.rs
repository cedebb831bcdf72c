//! Which chat calls are billed: the judge of double payment.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    reply::{self, ChatModelReply},
    request::{Asked, ChatRequest, ChatTag},
    script::Script,
};
use crate::world::fingerprint;

/// What a million tokens cost, in micro-dollars: those of `gpt-5` in the public price tables.
const INPUT_MICRO_USD: u64 = 1_250_000;
const OUTPUT_MICRO_USD: u64 = 10_000_000;

/// One accepted call. Its answer may have been lost all the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChatEntry {
    /// The key of its tag; `untagged` where the prompt named none.
    pub key: String,
    pub asked: Option<Asked>,
    pub script: Script,
    pub model: String,
    pub at_ms: u64,
    /// Equal prompts, equal number.
    pub prompt: u64,
    pub input_tokens: u64,
    pub output_tokens: u64,
    pub charged_micro_usd: u64,
}

impl ChatEntry {
    pub(super) fn new(
        at_ms: u64,
        request: &ChatRequest,
        tag: &ChatTag,
        script: Script,
        reply: &ChatModelReply,
    ) -> Self {
        let (input_tokens, output_tokens) = (reply::input_tokens(request), reply.output_tokens());
        let exact = input_tokens * INPUT_MICRO_USD + output_tokens * OUTPUT_MICRO_USD;
        Self {
            key: tag.key.clone().unwrap_or_else(|| "untagged".to_owned()),
            asked: request.asked(),
            script,
            model: request.model.clone(),
            at_ms,
            prompt: fingerprint(&[Some(&request.system), Some(&request.user)]),
            input_tokens,
            output_tokens,
            charged_micro_usd: exact.div_ceil(1_000_000),
        }
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChatLedger {
    entries: Vec<ChatEntry>,
    refused: BTreeMap<u16, u64>,
}

impl ChatLedger {
    /// Every accepted call, oldest first.
    pub fn entries(&self) -> &[ChatEntry] {
        &self.entries
    }

    /// How many calls for this were paid.
    pub fn paid_for(&self, asked: Asked) -> usize {
        self.entries.iter().filter(|entry| entry.asked == Some(asked)).count()
    }

    /// How many calls were paid although their very prompt had been paid for before.
    pub fn repeated_count(&self) -> usize {
        let prompts: BTreeSet<u64> = self.entries.iter().map(|entry| entry.prompt).collect();
        self.entries.len() - prompts.len()
    }

    pub fn charged_micro_usd(&self) -> u64 {
        self.entries.iter().map(|entry| entry.charged_micro_usd).sum()
    }

    /// Calls that were answered with an error, by status. Zero stands for a cut connection.
    pub fn refused(&self) -> &BTreeMap<u16, u64> {
        &self.refused
    }

    pub(super) fn record_charge(&mut self, entry: ChatEntry) {
        self.entries.push(entry);
    }

    pub(super) fn record_refusal(&mut self, status: u16) {
        *self.refused.entry(status).or_default() += 1;
    }
}
