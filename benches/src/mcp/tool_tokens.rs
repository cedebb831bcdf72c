//! What the tool list costs a model before its first question, counted by a real tokenizer.

use anyhow::Context as _;
use probity_server::tools::ToolName;
use serde_json::json;

use crate::figure::{Figure, MeasurementSize};

const TOOLS_MAX: usize = 13;
const TOKENS_MAX: usize = 2_700;

pub fn measure(_size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let tools: Vec<_> = ToolName::ALL.into_iter().map(ToolName::definition).collect();
    let count = tools.len();
    let tokenizer = tiktoken_rs::o200k_base().context("loading the tokenizer")?;
    let tokens = |text: &str| tokenizer.encode_with_special_tokens(text).len();
    // The new era adds its result type and cache hints; the old era has the list alone.
    let old_era = json!({ "tools": tools }).to_string();
    let new_era =
        json!({ "resultType": "complete", "ttlMs": 3_600_000, "cacheScope": "public", "tools": tools });
    let (old_era, new_era) = (tokens(&old_era), tokens(&new_era.to_string()));
    // A tokenizer that counts nothing would pass anything.
    anyhow::ensure!(tokens("start_deep_research") >= 3, "the tokenizer does not count");
    Ok(vec![
        Figure::judged(
            "tools/list: tools and tokens, old and new era",
            count <= TOOLS_MAX && old_era.max(new_era) <= TOKENS_MAX,
            format!("{count} tools, {old_era} and {new_era} tokens"),
            "at most 13 tools and 2,700 tokens",
        )
        .with_note("whole result as JSON, schemas and annotations included, counted with o200k_base"),
    ])
}
