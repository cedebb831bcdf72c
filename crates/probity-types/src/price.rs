//! The dated price table, and the price of a usage. The provider's API returns no dollar figure.
#![cfg_attr(not(test), warn(clippy::wildcard_enum_match_arm))]

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

/// Models by the beginning of their names, the longest first (pricing page read 2026-10-07). A model that is not
/// here is priced like the dearest one: a bill is never shown smaller than it is.
const MODELS: &[(&str, &[Price])] = &[
    (
        "gemini-3.5-flash-lite",
        &[Price {
            from_date: "2026-01-01",
            input: 300_000,
            cached: 30_000,
            output: 2_500_000,
            search_thousand: 14_000_000,
        }],
    ),
    (
        "gemini-3.8-flash",
        &[
            Price {
                from_date: "2026-01-01",
                input: 750_000,
                cached: 75_000,
                output: 3_750_000,
                search_thousand: 14_000_000,
            },
            Price {
                from_date: "2027-01-01",
                input: 1_500_000,
                cached: 150_000,
                output: 7_500_000,
                search_thousand: 14_000_000,
            },
        ],
    ),
    ("auto", MODEL_FLASH_AHEAD),
    ("gemini-3.1-pro", DEEP_RESEARCH),
];

/// What an engine that chooses by itself takes: the flash model at its announced later price.
const MODEL_FLASH_AHEAD: &[Price] = &[Price {
    from_date: "2026-01-01",
    input: 1_500_000,
    cached: 150_000,
    output: 7_500_000,
    search_thousand: 14_000_000,
}];

/// What `usage` of a language model cost at the prices of `date`.
pub fn of_model(model: &str, usage: &Usage, date: &str) -> MicroUsd {
    let rows =
        MODELS.iter().find(|(name, _)| model.starts_with(name)).map_or(DEEP_RESEARCH, |(_, rows)| rows);
    row_on(rows, date).map_or(MicroUsd(0), |price| priced(usage, price))
}

/// The row in force on `date` (`YYYY-MM-DD`); before the first row, the first one.
pub fn price_on(date: &str) -> Option<&'static Price> {
    row_on(DEEP_RESEARCH, date)
}

fn row_on(rows: &'static [Price], date: &str) -> Option<&'static Price> {
    rows.iter().rev().find(|price| price.from_date <= date).or(rows.first())
}

/// What `usage` cost at the prices of `date`.
pub fn cost(usage: Option<&Usage>, date: &str) -> Cost {
    let (Some(usage), Some(price)) = (usage, price_on(date)) else { return Cost::Unknown };
    Cost::FromUsage(priced(usage, price))
}

fn priced(usage: &Usage, price: &Price) -> MicroUsd {
    let fresh = usage.input_tokens.saturating_sub(usage.cached_tokens).saturating_add(usage.tool_use_tokens);
    let written = usage.output_tokens.saturating_add(usage.thought_tokens);
    let tokens = part(fresh, price.input, 1_000_000)
        .plus(part(usage.cached_tokens, price.cached, 1_000_000))
        .plus(part(written, price.output, 1_000_000));
    tokens.plus(part(usage.searches, price.search_thousand, 1_000))
}

/// `count × rate ÷ unit`, rounded up: a bill is never shown smaller than it is.
fn part(count: u64, rate: u64, unit: u64) -> MicroUsd {
    let exact = u128::from(count) * u128::from(rate);
    MicroUsd(u64::try_from(exact.div_ceil(u128::from(unit))).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::{Cost, MicroUsd, Usage, cost, of_model};

    #[test]
    fn a_model_has_its_own_price_and_an_unknown_one_is_taken_for_the_dearest() {
        let usage = Usage { input_tokens: 1_000_000, output_tokens: 1_000_000, ..Usage::default() };
        let price = |model, date| of_model(model, &usage, date).0;
        assert_eq!(price("gemini-3.8-flash", "2026-11-15"), 4_500_000);
        assert_eq!(price("gemini-3.8-flash", "2027-01-01"), 9_000_000);
        assert_eq!(price("gemini-3.5-flash-lite", "2026-11-15"), 2_800_000);
        assert_eq!(price("gemini-9-ultra", "2026-11-15"), 14_000_000);
    }

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
