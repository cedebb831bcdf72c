//! What the work uses and what that costs.
//!
//! Every step uses the same round numbers, so that a run of twenty steps lands inside the documented
//! range of one to three dollars and a cancelled one costs exactly its share.

use serde_json::{Value, json};

use super::step::{QUERIES_PER_STEP, WorkStep};

const INPUT_PER_STEP: u64 = 12_500;
const CACHED_PER_STEP: u64 = 7_500;
const OUTPUT_PER_STEP: u64 = 3_000;
const THOUGHT_PER_STEP: u64 = 600;
const TOOL_USE_PER_STEP: u64 = 4_500;

/// Prices per token in thousandths of a micro-dollar: 2, 0.20 and 12 dollars per million tokens.
const INPUT_PRICE: u64 = 2_000;
const CACHED_PRICE: u64 = 200;
const OUTPUT_PRICE: u64 = 12_000;
/// 14 dollars per thousand searches.
const SEARCH_MICRO_USD: u64 = 14_000;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct WorkUsage {
    steps: u64,
    searches: u64,
}

impl WorkUsage {
    pub(crate) fn of<'step>(done: impl Iterator<Item = &'step WorkStep>) -> Self {
        done.fold(Self::default(), |usage, step| Self {
            steps: usage.steps + 1,
            searches: usage.searches
                + if matches!(step, WorkStep::SearchCall { .. }) { QUERIES_PER_STEP } else { 0 },
        })
    }

    /// Fresh input and tool use at the input price, cached input at its own, output and thoughts at the
    /// output price, and every search.
    pub(crate) fn micro_usd(self) -> u64 {
        let fresh = INPUT_PER_STEP - CACHED_PER_STEP + TOOL_USE_PER_STEP;
        let per_step = fresh * INPUT_PRICE
            + CACHED_PER_STEP * CACHED_PRICE
            + (OUTPUT_PER_STEP + THOUGHT_PER_STEP) * OUTPUT_PRICE;
        self.steps * per_step / 1_000 + self.searches * SEARCH_MICRO_USD
    }

    pub(crate) fn total_tokens(self) -> u64 {
        self.steps * (INPUT_PER_STEP + OUTPUT_PER_STEP + THOUGHT_PER_STEP + TOOL_USE_PER_STEP)
    }

    pub(crate) fn json(self) -> Value {
        let input = self.steps * INPUT_PER_STEP;
        let cached = self.steps * CACHED_PER_STEP;
        let output = self.steps * OUTPUT_PER_STEP;
        let tool_use = self.steps * TOOL_USE_PER_STEP;
        json!({
            "total_input_tokens": input,
            "input_tokens_by_modality": [{"modality": "text", "tokens": input}],
            "total_cached_tokens": cached,
            "cached_tokens_by_modality": [{"modality": "text", "tokens": cached}],
            "total_output_tokens": output,
            "output_tokens_by_modality": [{"modality": "text", "tokens": output}],
            "total_tool_use_tokens": tool_use,
            "tool_use_tokens_by_modality": [{"modality": "text", "tokens": tool_use}],
            "total_thought_tokens": self.steps * THOUGHT_PER_STEP,
            "total_tokens": self.total_tokens(),
            "grounding_tool_count": [{"type": "google_search", "count": self.searches}],
        })
    }
}
