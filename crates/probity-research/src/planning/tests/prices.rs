//! What plans cost at twelve prices, and what is cut where that is too much.

use expect_test::expect;

use super::options;
use crate::{
    checking::{CheckPlan, exam},
    cost::MicroUsd,
    planning::{ModelOffer, ModelOffers, PlanCap, PlanningRequest, WebOptions, judge_plan, web_plan},
    query::Query,
    rounds::Mode,
    web::{
        plan::WebPlan,
        search::ProviderName,
        strategy::{GUARD_DEFAULT, StrategyHints, StrategyLevel},
    },
};

/// Dollars per million tokens in and out, from a model that costs nothing to one that nobody can afford.
pub(crate) const PRICE_POINTS: [(u64, u64); 12] = [
    (0, 0),
    (0, 1),
    (1, 2),
    (1, 5),
    (2, 8),
    (3, 15),
    (5, 25),
    (10, 40),
    (15, 75),
    (30, 120),
    (150, 600),
    (1_000, 4_000),
];

/// A plan at one price point.
pub(crate) fn priced_plan(level: StrategyLevel, (input, output): (u64, u64), cap: PlanCap) -> WebPlan {
    let price =
        move |tokens_in: u64, tokens_out: u64| Some(MicroUsd(tokens_in * input + tokens_out * output));
    let model = ModelOffer { name: "priced", local: false, price: &price };
    let hints = StrategyHints { level: Some(level), ..StrategyHints::default() };
    let options = WebOptions {
        models: Some(ModelOffers::one(model)),
        cap,
        ..options(vec![ProviderName::Tavily, ProviderName::Wikipedia])
    };
    let asking = PlanningRequest { hints, ..PlanningRequest::new(Mode::DeepResearch) };
    web_plan(options, asking, &Query::parse("Why did the Tacoma Narrows Bridge fall?").unwrap())
}

#[test]
fn without_a_guard_every_model_gets_the_whole_depth() {
    for level in StrategyLevel::ALL {
        for point in PRICE_POINTS {
            let plan = priced_plan(level, point, PlanCap::of(None, None));
            let whole = crate::web::strategy::Strategy::of(level, "");
            assert_eq!((plan.pages_max(), plan.cut), (whole.pages_max(), None), "{point:?}");
        }
    }
}

#[test]
fn a_dearer_model_is_cut_and_says_so_and_four_pages_stay() {
    for level in
        [StrategyLevel::Shallow, StrategyLevel::Medium, StrategyLevel::Deep, StrategyLevel::Exhaustive]
    {
        for cap in [PlanCap::of(None, Some(GUARD_DEFAULT)), PlanCap::of(Some(MicroUsd(50_000)), None)] {
            let mut before = u32::MAX;
            for point in PRICE_POINTS {
                let plan = priced_plan(level, point, cap);
                let pages = plan.pages_max();
                assert!(pages <= before, "{point:?} reads more than a cheaper model");
                assert!(pages >= 4, "{point:?}");
                assert!(plan.cut.is_some() || plan.pages_max() == plan_whole(level), "{point:?}");
                assert!(plan.strategy.budget <= cap.most, "{point:?}");
                let writes = plan.model.as_ref().map_or(MicroUsd(0), |_| plan.prices.write);
                assert!(writes <= plan.strategy.budget, "{point:?}: writing is reserved first");
                before = pages;
            }
        }
    }
}

fn plan_whole(level: StrategyLevel) -> u32 {
    crate::web::strategy::Strategy::of(level, "").pages_max()
}

#[test]
fn the_cut_is_told_in_the_order_in_which_it_was_made() {
    let told = |point| {
        let plan = priced_plan(StrategyLevel::Medium, point, PlanCap::of(None, Some(GUARD_DEFAULT)));
        plan.cut.map(|cut| cut.sentence()).unwrap_or_default()
    };
    expect![[r#"

        The plan was cut to $1.00, what is spent where no budget is stated (`budget.guard_usd`): 1 of 2 rounds, 20 of 30 pages, 0 of 2 revisions of the outline, 1 of 6 sections. All of it would need a budget of about $1.95.
        The plan was cut to $1.00, what is spent where no budget is stated (`budget.guard_usd`): 1 of 2 rounds, 8 of 30 pages, 0 of 2 revisions of the outline, 1 of 6 sections, 2 of 5 lines of inquiry. All of it would need a budget of about $3.13.
        The plan was cut to $1.00, what is spent where no budget is stated (`budget.guard_usd`): 1 of 3 attempts, 4 of 10 pages an attempt, pages chosen by rank, 2 of 5 queries an attempt, only 2 pages sure to be read by the model, others by rule. All of it would need a budget of about $6.49.
        The plan was cut to $1.00, what is spent where no budget is stated (`budget.guard_usd`): 1 of 3 attempts, 4 of 10 pages an attempt, 2 of 5 queries an attempt, no model: the report is made of quotations. All of it would need a budget of about $58.25.
    "#]].assert_eq(&[(1, 5), (3, 15), (5, 25), (15, 75), (150, 600)].map(told).map(|line| line + "\n").concat());
}

#[test]
fn a_role_of_its_own_has_its_own_price() {
    let cheap = |input: u64, output: u64| Some(MicroUsd((input + 4 * output) / 10));
    let dear = |input: u64, output: u64| Some(MicroUsd(15 * input + 75 * output));
    let writer = ModelOffer { name: "dear", local: false, price: &dear };
    let reader = ModelOffer { name: "cheap", local: false, price: &cheap };
    let plan = |models| {
        let options = WebOptions {
            models: Some(models),
            cap: PlanCap::of(None, None),
            ..options(vec![ProviderName::Wikipedia])
        };
        web_plan(
            options,
            PlanningRequest::new(Mode::DeepResearch),
            &Query::parse("Why is the sky blue?").unwrap(),
        )
    };
    let one = plan(ModelOffers::one(writer));
    let two = plan(ModelOffers { reader: Some(reader), planner: Some(writer), ..ModelOffers::one(writer) });
    assert!(one.roles.is_empty());
    assert_eq!(two.roles.named(), [("reader", "cheap")]);
    assert_eq!((one.prices.write, one.prices.plan), (two.prices.write, two.prices.plan));
    assert!(two.prices.read.0 * 100 < one.prices.read.0);
    assert!(
        two.strategy.budget.0 * 2 < one.strategy.budget.0,
        "{} {}",
        two.strategy.budget,
        one.strategy.budget
    );
}

#[test]
fn a_budget_keeps_back_the_checks_of_the_report_that_it_carries_and_no_others() {
    // A quarter of a dollar for a million tokens in, two for a million out.
    let price = |input: u64, output: u64| Some(MicroUsd((input + 8 * output) / 4));
    let offer = ModelOffer { name: "small", local: false, price: &price };
    let judge = judge_plan(&offer, "v1", "other", "2026-11-01");
    let per_call = judge.price;
    let checks = CheckPlan { judge: Some(judge), ..CheckPlan::without_judge() };
    let at = |cents: u64| {
        let options = WebOptions {
            models: Some(ModelOffers::one(offer)),
            checks: Some(&checks),
            cap: PlanCap::of(Some(MicroUsd(cents * 10_000)), None),
            ..options(vec![ProviderName::Wikipedia])
        };
        let hints = StrategyHints { level: Some(StrategyLevel::Medium), ..StrategyHints::default() };
        let asking = PlanningRequest { hints, ..PlanningRequest::new(Mode::DeepResearch) };
        let plan =
            web_plan(options, asking, &Query::parse("Why did the Tacoma Narrows Bridge fall?").unwrap());
        let inquiry = plan.inquiry.as_ref().unwrap();
        let whole = inquiry.estimate(MicroUsd(0)).plus(plan.prices.checks);
        assert!(whole <= MicroUsd(cents * 10_000), "{cents}: {whole}");
        (inquiry.caps.pages, inquiry.words, plan.prices.checks.0 / per_call.0)
    };
    let with_exam = |calls: u64| calls + u64::try_from(exam::BATCHES).unwrap();
    // Thirty claims of 600 words are four calls; ninety of the whole report are twelve.
    assert_eq!(at(11), (12, 600, with_exam(4)));
    assert_eq!(at(15), (20, 900, with_exam(6)));
    assert_eq!(at(30), (30, 1_800, with_exam(12)));
    // Not even the least plan fits beside all of its checks: some of them, rather than nothing found.
    let (pages, words, calls) = at(5);
    assert!(pages == 4 && words == 600 && calls > 0 && calls < with_exam(4), "{calls}");
}
