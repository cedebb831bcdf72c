//! What a whole plan costs, and how it is made smaller until it costs no more than it may.
//!
//! Writing is reserved first. Then the plan loses, in this order: attempts, pages, the model's choice of pages, queries,
//! calls of the judge, pages that the model reads, and the model itself. Four pages are always left to be read.

use super::{PlanCap, times};
use crate::{
    cost::MicroUsd,
    web::{
        plan::{WebCallPrices, WebPlan},
        plan_cut::{CutStep, PlanCut},
        search::ProviderName,
        strategy::{GUARD_DEFAULT, StrategyLevel},
    },
};

/// Calls take the tokens that are expected of them only on average.
const MARGIN_PERCENT: u64 = 130;
/// Pages and queries below which no plan is cut: fewer are no research.
const PAGES_FLOOR: u32 = 4;
const QUERIES_FLOOR: u32 = 2;

/// What one call of each kind costs, before the plan has its size.
pub(super) struct PriceList<'a> {
    pub plan: MicroUsd,
    pub choose: MicroUsd,
    pub read: MicroUsd,
    /// Writing from the notes of so many pages.
    pub write: &'a dyn Fn(u32) -> MicroUsd,
    pub judge: MicroUsd,
    pub judge_calls: u32,
}

impl PriceList<'_> {
    /// As the plan has them; writing and checking follow from its size.
    pub fn with_searches(&self, searches: Vec<(ProviderName, MicroUsd)>) -> WebCallPrices {
        WebCallPrices {
            plan: self.plan,
            choose: self.choose,
            read: self.read,
            searches,
            ..WebCallPrices::default()
        }
    }
}

/// The parts of a plan that can be made less.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct PlanSize {
    attempts: u32,
    pages: u32,
    chooses: bool,
    queries: u32,
    judge_calls: u32,
    /// None: every page that is read.
    model_reads: Option<u32>,
    has_model: bool,
}

/// The plan with its budget: the whole one where the cap carries it, else the largest that fits.
pub(super) fn fit_to_cap(mut web: WebPlan, prices: &PriceList<'_>, cap: PlanCap) -> WebPlan {
    let whole = PlanSize {
        attempts: web.strategy.max_attempts,
        pages: web.strategy.top_pages,
        chooses: true,
        queries: web.strategy.queries,
        judge_calls: prices.judge_calls,
        model_reads: None,
        has_model: web.model.is_some(),
    };
    let cost = |size: &PlanSize| cost(&web, prices, size);
    let sizes = sizes(whole, web.strategy.level);
    let fitting = sizes.iter().find(|size| cost(size) <= cap.most).or(sizes.last()).copied().unwrap_or(whole);
    let (whole_cost, fitting_cost) = (cost(&whole), cost(&fitting));
    if fitting != whole {
        let steps = cut_steps(&whole, &fitting);
        web.cut = Some(PlanCut { cause: cap.cause, to: cap.most, whole: whole_cost, steps });
    }
    web.strategy.max_attempts = fitting.attempts;
    web.strategy.top_pages = fitting.pages;
    web.strategy.queries = fitting.queries;
    // Pages that cannot be read directly cost extra, and only where the budget carries them: no reason to cut.
    let pages = fitting.attempts.saturating_mul(fitting.pages).saturating_add(own_pages(&web));
    let served = times(web.page_service_price(), pages);
    let expected = fitting_cost.plus(served);
    // What is left of the cap beyond a plan whose readings were cut buys as many of them as it can.
    let is_short = fitting.model_reads.is_some() || fitting.has_model != whole.has_model;
    web.strategy.budget = if is_short { cap.most } else { limit(expected, cap) };
    web.prices.write = (prices.write)(pages);
    web.prices.checks = times(prices.judge, fitting.judge_calls);
    if !fitting.has_model {
        web.model = None;
    }
    web
}

/// The most that a plan with these numbers is expected to cost.
fn cost(web: &WebPlan, prices: &PriceList<'_>, size: &PlanSize) -> MicroUsd {
    let all_pages = size.attempts.saturating_mul(size.pages).saturating_add(own_pages(web));
    let per_query = web.asked().iter().map(|name| web.price_of_search(*name).unwrap_or_default());
    let per_query = per_query.fold(MicroUsd(0), MicroUsd::plus);
    let searches = times(per_query, size.attempts.saturating_mul(size.queries));
    let mut calls = times(prices.judge, size.judge_calls);
    if size.has_model {
        let choosing = if size.chooses { prices.choose } else { MicroUsd(0) };
        // A question that needs no search has nothing to plan.
        let planned = if web.strategy.level == StrategyLevel::None { 0 } else { size.attempts };
        let gathering = times(prices.plan.plus(choosing), planned);
        let reading = times(prices.read, size.model_reads.unwrap_or(all_pages));
        calls = calls.plus((prices.write)(all_pages)).plus(gathering).plus(reading);
    }
    MicroUsd(calls.0.saturating_mul(MARGIN_PERCENT) / 100).plus(searches)
}

/// Pages that the user named: read before all others, and never cut.
fn own_pages(web: &WebPlan) -> u32 {
    u32::try_from(web.pages.len()).unwrap_or(u32::MAX)
}

/// Every size from the whole plan to the least one, each smaller than the one before. A dearer model is therefore cut
/// further down the same list, and never finds more for it.
fn sizes(whole: PlanSize, level: StrategyLevel) -> Vec<PlanSize> {
    let mut sizes = vec![whole];
    let mut size = whole;
    let mut cut = |size: PlanSize| sizes.push(size);
    while level != StrategyLevel::None && size.attempts > 1 {
        size.attempts -= 1;
        cut(size);
    }
    while size.pages > PAGES_FLOOR {
        size.pages -= 1;
        cut(size);
    }
    if size.has_model {
        size.chooses = false;
        cut(size);
    }
    while size.queries > QUERIES_FLOOR {
        size.queries -= 1;
        cut(size);
    }
    while size.judge_calls > 0 {
        size.judge_calls /= 2;
        cut(size);
    }
    if size.has_model {
        for reads in (0..size.pages).rev() {
            size.model_reads = Some(reads);
            cut(size);
        }
        size.has_model = false;
        cut(size);
    }
    sizes
}

fn cut_steps(whole: &PlanSize, left: &PlanSize) -> Vec<CutStep> {
    let steps = [
        CutStep::less(whole.attempts, left.attempts, |from, to| CutStep::Attempts { from, to }),
        CutStep::less(whole.pages, left.pages, |from, to| CutStep::Pages { from, to }),
        (left.chooses != whole.chooses && left.has_model).then_some(CutStep::ChooseByRule),
        CutStep::less(whole.queries, left.queries, |from, to| CutStep::Queries { from, to }),
        CutStep::less(whole.judge_calls, left.judge_calls, |from, to| CutStep::Checks { from, to }),
        left.model_reads.filter(|_| left.has_model).map(|to| CutStep::ModelReads { to }),
        (left.has_model != whole.has_model).then_some(CutStep::NoModel),
    ];
    steps.into_iter().flatten().collect()
}

/// What a plan may spend: what it is expected to cost. One that costs nothing may, since it is planned without prices,
/// spend what a plan of the usual size would.
pub(super) fn limit(expected: MicroUsd, cap: PlanCap) -> MicroUsd {
    let wanted = if expected == MicroUsd(0) { GUARD_DEFAULT } else { expected };
    wanted.min(cap.most)
}
