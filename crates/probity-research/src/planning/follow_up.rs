//! The plan of an answer from what another research had read: one call to write it, and its checks.

use super::{ModelOffer, PlanningRequest, WRITE_TOKENS, WebOptions, fit, judge_calls, write_tokens};
use crate::{
    cost::MicroUsd,
    web::{
        parent::ParentBank,
        plan::{WRITTEN_WORDS_MAX, WebModel, WebPlan},
        search::SearchFilters,
        strategy::{Strategy, StrategyLevel},
    },
};
use fit::PriceList;

/// Bytes of one token in a language that takes many.
const BYTES_PER_TOKEN: u64 = 3;
/// An answer is written while its asker waits.
const MINUTES: u32 = 5;

/// Nobody searches and nothing is fetched, so neither a provider nor a page service is in it.
pub(super) fn answer_plan(options: WebOptions<'_>, asking: &PlanningRequest, bank: &ParentBank) -> WebPlan {
    let WebOptions { models, checks, cap, today, .. } = options;
    let level = asking.hints.level.filter(|level| *level != StrategyLevel::None);
    let level = level.unwrap_or(StrategyLevel::Shallow);
    let strategy = Strategy {
        max_attempts: 1,
        max_results: 0,
        top_pages: 0,
        queries: 0,
        minutes: MINUTES,
        ..Strategy::of(level, "a further question is answered from pages that were read before")
    };
    let words = asking.hints.words.map(|words| words.min(WRITTEN_WORDS_MAX));
    let writer: Option<ModelOffer<'_>> = models.map(|models| models.writer.unwrap_or(models.model));
    let (_, written) = write_tokens(level, 0, words);
    let shown = WRITE_TOKENS + u64::try_from(bank.bytes()).unwrap_or(u64::MAX) / BYTES_PER_TOKEN;
    let prices = PriceList {
        plan: MicroUsd(0),
        choose: MicroUsd(0),
        read: MicroUsd(0),
        write: &|_| writer.map_or(MicroUsd(0), |model| model.expected((shown, written), today)),
        judge: checks.and_then(|checks| checks.judge.as_ref()).map_or(MicroUsd(0), |judge| judge.price),
        judge_calls: judge_calls(checks, level, words),
    };
    let web = WebPlan {
        strategy,
        hints: asking.hints.clone(),
        providers: Vec::new(),
        filters: SearchFilters::default(),
        model: models
            .map(|models| WebModel { name: models.model.name.to_owned(), local: models.model.local }),
        prices: prices.with_searches(Vec::new()),
        pages: Vec::new(),
        folders: Vec::new(),
        render: false,
        page_service: None,
        roles: models.map(|models| models.roles()).unwrap_or_default(),
        cut: None,
        inquiry: None,
        parent: Some(Box::new(bank.clone())),
    };
    fit::fit_to_cap(web, &prices, cap)
}
