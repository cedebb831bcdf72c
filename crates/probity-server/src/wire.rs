//! The pieces that several answers share. Field names are promises to clients.

use probity_research::{
    cost::{Cost, Usage},
    estimate::Estimate,
    report::NumberedSource,
    status::{RunStatus, RunSummary},
    text,
    time::Moment,
};
use schemars::JsonSchema;
use serde::Serialize;

/// Longest title of a source in an answer.
const TITLE_CHARACTERS_MAX: usize = 200;

#[derive(Debug, Serialize, JsonSchema)]
pub struct TokensUsed {
    pub input: u64,
    pub output: u64,
}

impl TokensUsed {
    pub fn of(usage: &Usage) -> Self {
        Self { input: usage.tokens_in(), output: usage.tokens_out() }
    }

    /// The same in the text of an answer.
    pub fn line(&self) -> String {
        format!("{} tokens in, {} out", self.input, self.output)
    }
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Source")]
pub struct SourceBody {
    /// As the text cites it
    pub number: u32,
    pub url: String,
    pub title: String,
}

impl SourceBody {
    pub fn of(source: &NumberedSource<'_>) -> Self {
        Self {
            number: source.number,
            url: text::line(source.url, 2_000),
            title: text::line(source.title, TITLE_CHARACTERS_MAX),
        }
    }
}

/// Money as clients read it: dollars, or nothing when it was not counted.
pub fn usd(cost: Cost) -> Option<f64> {
    cost.known().map(|amount| cents(amount.as_usd()))
}

/// Rounded to a hundredth of a cent: more digits are noise before a model.
pub fn cents(dollars: f64) -> f64 {
    (dollars * 10_000.0).round() / 10_000.0
}

/// Minutes with one digit after the point.
pub fn minutes(milliseconds: u64) -> f64 {
    (milliseconds as f64 / 6_000.0).round() / 10.0
}

/// How long the run took, or has been going on.
pub fn elapsed_minutes(summary: &RunSummary, now: Moment) -> f64 {
    minutes(summary.over_at().unwrap_or(now).since_ms(summary.asked_at))
}

/// What is left of the likely duration; nothing once it is over, because then it is unknown.
pub fn remaining_minutes(summary: &RunSummary, estimate: Option<Estimate>, now: Moment) -> Option<f64> {
    let likely_ms = u64::from(estimate?.minutes_likely).saturating_mul(60_000);
    let gone_ms = now.since_ms(summary.asked_at);
    let goes_on =
        !summary.status.is_final() && summary.status != RunStatus::Cancelling && !summary.is_unbegun();
    (goes_on && gone_ms < likely_ms).then(|| minutes(likely_ms - gone_ms))
}
