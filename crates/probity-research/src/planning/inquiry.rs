//! The plan of an inquiry (`web/2`): which depths are one, at what prices, and how it is cut to a cap.

use super::{ModelOffer, ModelOffers, PlanCap, judge_calls, times};
use crate::{
    checking::CheckPlan,
    cost::MicroUsd,
    inquiry::plan::{InquiryPlan, RolePrice},
    web::{
        plan::WebPlan,
        plan_cut::{CutStep, PlanCut},
        strategy::StrategyLevel,
    },
};
use probity_types::inquiry::ModelRole;

/// Tokens at which a model's price is asked for: as long as a prompt of an inquiry, so that prices by length are right.
const PRICED_TOKENS: u64 = 10_000;

/// The windows of models of which nothing is known: on this machine, and elsewhere.
const WINDOW_LOCAL: u32 = crate::inquiry::plan::WINDOW_DEFAULT;
const WINDOW_ELSEWHERE: u32 = 65_536;

/// What the second engine would do; none for a quick look, and for plans without a model, which stay with the first one.
pub(super) fn inquiry_plan(
    web: &WebPlan,
    models: Option<&ModelOffers<'_>>,
    window: Option<u32>,
    today: &str,
) -> Option<InquiryPlan> {
    let models = models?;
    let level = web.strategy.level;
    if !matches!(level, StrategyLevel::Medium | StrategyLevel::Deep | StrategyLevel::Exhaustive) {
        return None;
    }
    let known = if models.model.local { WINDOW_LOCAL } else { WINDOW_ELSEWHERE };
    let hints = &web.hints;
    let mut plan = InquiryPlan::new(level, hints.words, hints.language.clone(), window.unwrap_or(known));
    if hints.max_attempts.is_some() {
        plan.caps.rounds = web.strategy.max_attempts;
        // The caller's bound holds for those that follow names or settle a conflict too.
        plan.caps.lead_rounds = 0;
        plan.caps.conflict_attempts = 0;
    }
    let roles = [
        (ModelRole::Planner, models.planner),
        (ModelRole::Reader, models.reader),
        (ModelRole::Writer, models.writer),
    ];
    let prices = roles.map(|(role, own)| {
        let offer = own.unwrap_or(models.model);
        let input = per_million(&offer, (PRICED_TOKENS, 0), today);
        RolePrice { role, input, output: per_million(&offer, (0, PRICED_TOKENS), today) }
    });
    Some(InquiryPlan { prices: prices.to_vec(), ..plan })
}

fn per_million(offer: &ModelOffer<'_>, tokens: (u64, u64), today: &str) -> u64 {
    offer.expected(tokens, today).0.saturating_mul(1_000_000 / PRICED_TOKENS)
}

/// The largest inquiry that the cap carries together with its checks. None where not even the least one fits: the first
/// engine can be cut further.
pub(super) fn fit_to_cap(
    web: &WebPlan,
    whole: InquiryPlan,
    checks: Option<&CheckPlan>,
    cap: PlanCap,
) -> Option<WebPlan> {
    let judge = checks.map_or(MicroUsd(0), CheckPlan::price_per_call);
    let calls_of = |plan: &InquiryPlan| judge_calls(checks, plan.depth, Some(plan.words));
    let checks_of = |plan: &InquiryPlan| times(judge, calls_of(plan));
    let search = web.price_of_query();
    let whole_cost = whole.estimate(search).plus(checks_of(&whole));
    // The checks are reserved that the plan itself needs: those of the whole one would leave a smaller one nothing to find.
    let (carried, mut steps) = whole.within_checked(cap.most, search, &checks_of);
    // They are halved only where the least plan does not fit beside all of its own.
    let (needed, gathered) = (calls_of(&carried), carried.estimate(search));
    let mut fewer = std::iter::successors(Some(needed), |checked| (*checked > 0).then_some(checked / 2));
    let checked = fewer.find(|checked| gathered.plus(times(judge, *checked)) <= cap.most)?;
    steps.extend(CutStep::less(needed, checked, |from, to| CutStep::Checks { from, to }));
    let mut web = web.clone();
    web.prices.checks = times(judge, checked);
    // Pages that cannot be read directly cost extra, and only where the budget carries them: no reason to cut.
    let served = times(web.page_service_price(), carried.caps.pages);
    let expected = gathered.plus(web.prices.checks).plus(served);
    web.strategy.budget = super::fit::limit(expected, cap);
    if !steps.is_empty() {
        web.cut = Some(PlanCut { cause: cap.cause, to: cap.most, whole: whole_cost, steps });
    }
    Some(web.with_inquiry(carried))
}
