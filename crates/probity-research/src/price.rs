//! The dated price table, and the price of a usage. The provider's API returns no dollar figure.

use crate::cost::{Cost, MicroUsd, Usage};

/// Micro-dollars per million tokens, and per thousand searches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Price {
    pub from_date: &'static str,
    pub input: u64,
    pub cached: u64,
    pub output: u64,
    pub search_thousand: u64,
}

/// Gemini 3.1 Pro rates up to 200,000 tokens a prompt (pricing page read 2026-10-07), which the documented
/// price of a Deep Research task agrees with. The agent's own prompts are not shown to us, so the dearer
/// rate above 200,000 tokens cannot be applied: the figure is a lower bound there.
/// Search: $14 per 1,000 queries after the free monthly share, which we do not subtract.
const DEEP_RESEARCH: &[Price] = &[Price {
    from_date: "2025-12-01",
    input: 2_000_000,
    cached: 200_000,
    output: 12_000_000,
    search_thousand: 14_000_000,
}];

/// The row in force on `date` (`YYYY-MM-DD`); before the first row, the first one.
pub fn price_on(date: &str) -> Option<&'static Price> {
    DEEP_RESEARCH.iter().rev().find(|price| price.from_date <= date).or(DEEP_RESEARCH.first())
}

/// What `usage` cost at the prices of `date`.
pub fn cost(usage: Option<&Usage>, date: &str) -> Cost {
    let (Some(usage), Some(price)) = (usage, price_on(date)) else { return Cost::Unknown };
    let fresh = usage.input_tokens.saturating_sub(usage.cached_tokens).saturating_add(usage.tool_use_tokens);
    let written = usage.output_tokens.saturating_add(usage.thought_tokens);
    let tokens = part(fresh, price.input, 1_000_000)
        .plus(part(usage.cached_tokens, price.cached, 1_000_000))
        .plus(part(written, price.output, 1_000_000));
    Cost::FromUsage(tokens.plus(part(usage.searches, price.search_thousand, 1_000)))
}

/// `count × rate ÷ unit`, rounded up: a bill is never shown smaller than it is.
fn part(count: u64, rate: u64, unit: u64) -> MicroUsd {
    let exact = u128::from(count) * u128::from(rate);
    MicroUsd(u64::try_from(exact.div_ceil(u128::from(unit))).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::{Cost, MicroUsd, Usage, cost};

    #[test]
    fn the_documented_task_costs_what_the_provider_says() {
        let usage = Usage {
            input_tokens: 250_000,
            cached_tokens: 150_000,
            output_tokens: 60_000,
            searches: 80,
            ..Usage::default()
        };
        assert_eq!(cost(Some(&usage), "2026-11-15"), Cost::FromUsage(MicroUsd(2_070_000)));
    }

    #[test]
    fn missing_usage_is_unknown_and_never_zero() {
        assert_eq!(cost(None, "2026-11-15"), Cost::Unknown);
        assert_eq!(Cost::Unknown.to_string(), "cost unknown");
    }

    #[test]
    fn absurd_counts_do_not_overflow() {
        let usage = Usage { input_tokens: u64::MAX, searches: u64::MAX, ..Usage::default() };
        assert_eq!(cost(Some(&usage), "2026-11-15"), Cost::FromUsage(MicroUsd(u64::MAX)));
    }
}
