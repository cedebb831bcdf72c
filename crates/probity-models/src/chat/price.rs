//! What a chat call costs: the endpoint's own dollars, or its count times a maintained, dated price table.
//!
//! A model on this machine is free. A model without a price is a lower bound, never nothing.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use genai_prices::{Calculator, PriceRequest, UsageKey};
use probity_research::{
    cost::{MicroUsd, Usage},
    time::Moment,
    web::bill::{Bill, BillBasis},
};

use super::dialect::{EndpointDialect, PriceListing};

/// The token counts of the endpoint.
#[derive(Debug, Default)]
pub(super) struct ChatUsageCount {
    /// All of it.
    pub(super) usage: Option<Usage>,
    /// Some of it.
    pub(super) part: Option<Usage>,
    /// The endpoint's own dollars.
    pub(super) paid: Option<MicroUsd>,
}

/// Whose price list applies at an endpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PriceSource {
    Free,
    /// By the provider's name in the table.
    Of(String),
    /// By the address; none if the table does not know it.
    At(String),
}

impl PriceSource {
    pub(super) fn at(dialect: &EndpointDialect, stands_for: Option<String>) -> Self {
        match (stands_for, dialect.kind.facts().prices) {
            (Some(provider), _) => Self::Of(provider),
            (None, PriceListing::Provider(provider)) => Self::Of(provider.to_owned()),
            (None, PriceListing::Address) if dialect.loopback => Self::Free,
            (None, PriceListing::Address) => Self::At(dialect.base.clone()),
        }
    }

    pub(super) fn are_free(&self) -> bool {
        *self == Self::Free
    }

    /// The cost of an accepted call. `model` is what the endpoint says it was, `asked` what we named.
    pub(super) fn bill(&self, model: &str, asked: &str, count: &ChatUsageCount, now: Moment) -> Bill {
        let usage = count.usage.or(count.part).unwrap_or(Usage::NONE);
        if let Some(cost) = count.paid {
            return Bill::counted(cost, usage);
        }
        if self.are_free() {
            return Bill { usage, ..Bill::NOTHING };
        }
        let cost = self.cost(model, &usage, now).or_else(|| self.cost(asked, &usage, now));
        match (count.usage, count.part, cost) {
            (Some(_), _, Some(cost)) => Bill::counted(cost, usage),
            (Some(_), _, None) | (None, Some(_), _) => {
                Bill { basis: BillBasis::AtLeast, cost: cost.unwrap_or_default(), usage }
            }
            (None, None, _) => Bill::UNKNOWN,
        }
    }

    pub(super) fn expected(&self, model: &str, input: u64, output: u64, now: Moment) -> Option<MicroUsd> {
        let usage = Usage { input_tokens: input, output_tokens: output, ..Usage::NONE };
        if self.are_free() { Some(MicroUsd(0)) } else { self.cost(model, &usage, now) }
    }

    fn cost(&self, model: &str, usage: &Usage, now: Moment) -> Option<MicroUsd> {
        let counted = price_table_usage(usage);
        let request = PriceRequest::new(model, &counted);
        let request = match self {
            Self::Free => return Some(MicroUsd(0)),
            Self::Of(provider) => request.with_provider_id(provider),
            Self::At(address) => request.with_provider_api_url(address),
        };
        look_up_price(request, now)
    }
}

/// What a call of this size to a model of this name costs at its maker on `date` (`YYYY-MM-DD`); `None` if the table
/// has no such model.
pub fn expected_cost(model: &str, input_tokens: u64, output_tokens: u64, date: &str) -> Option<MicroUsd> {
    let usage = Usage { input_tokens, output_tokens, ..Usage::NONE };
    look_up_price(PriceRequest::new(model, &price_table_usage(&usage)), Moment::of_date(date)?)
}

/// Dollars as micro-dollars, rounded up: a bill is never shown smaller than it is.
pub(super) fn micro_usd(usd: f64) -> MicroUsd {
    // The table's sums differ from the exact ones after the ninth digit; that is no millionth more.
    let exact = usd * 1_000_000.0;
    MicroUsd((exact - 1e-3).ceil().max(0.0) as u64)
}

fn price_table_usage(usage: &Usage) -> genai_prices::Usage {
    let number = |tokens: u64| tokens as f64;
    let input = usage.input_tokens.saturating_add(usage.tool_use_tokens);
    let written = usage.output_tokens.saturating_add(usage.thought_tokens);
    genai_prices::Usage::from([
        (UsageKey::INPUT_TOKENS, number(input)),
        (UsageKey::CACHE_READ_TOKENS, number(usage.cached_tokens.min(input))),
        (UsageKey::OUTPUT_TOKENS, number(written)),
    ])
}

fn look_up_price(request: PriceRequest<'_>, now: Moment) -> Option<MicroUsd> {
    let request = request.with_timestamp(moment(now));
    let priced = Calculator::bundled().calculate(&request).ok()?;
    // A row without any price for tokens says nothing about this call.
    let counted = request.usage.iter().any(|(_, tokens)| tokens > 0.0);
    let says_nothing = counted && priced.total_price == 0.0 && !request.model.ends_with(":free");
    (!says_nothing && priced.total_price.is_finite()).then(|| micro_usd(priced.total_price))
}

fn moment(now: Moment) -> SystemTime {
    UNIX_EPOCH + Duration::from_millis(u64::try_from(now.0).unwrap_or(0))
}

#[cfg(test)]
mod tests;
