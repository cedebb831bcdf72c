use super::{EngineOptions, ModelOffer, PlanningRequest, WebOptions, choose_engine, judge_plan, web_plan};
use crate::{
    cost::{MicroUsd, Usage},
    plan::EngineName,
    price,
    query::Query,
    rounds::Mode,
    web::{
        search::ProviderName,
        strategy::{StrategyHints, StrategyLevel},
    },
};

const TODAY: &str = "2026-11-01";

fn unlisted(_: u64, _: u64) -> Option<MicroUsd> {
    None
}

#[test]
fn the_named_engine_wins_and_without_a_key_the_web_engine_is_the_only_one() {
    let options = EngineOptions { named: None, has_gemini_key: true, has_search: false };
    let engine = |options: EngineOptions, manner| choose_engine(&options, &PlanningRequest::new(manner));
    assert_eq!(engine(options, Mode::DeepResearch), EngineName::GeminiApi);
    assert_eq!(engine(EngineOptions { has_search: true, ..options }, Mode::DeepResearch), EngineName::Web);
    assert_eq!(engine(EngineOptions { has_search: true, ..options }, Mode::Search), EngineName::GeminiApi);
    assert_eq!(engine(EngineOptions { has_gemini_key: false, ..options }, Mode::Search), EngineName::Web);
    let named = Some(EngineName::GeminiCli);
    assert_eq!(engine(EngineOptions { named, ..options }, Mode::Search), EngineName::GeminiCli);
}

#[test]
fn what_only_the_web_engine_can_do_chooses_it() {
    let options = EngineOptions { named: None, has_gemini_key: true, has_search: false };
    let asking = PlanningRequest { render: true, ..PlanningRequest::new(Mode::Search) };
    assert_eq!(choose_engine(&options, &asking), EngineName::Web);
}

#[test]
fn a_search_stays_shallow_and_a_deep_search_goes_at_least_halfway() {
    let level = |manner, wanted| {
        let hints = StrategyHints { level: Some(wanted), ..StrategyHints::default() };
        let options = WebOptions { providers: Vec::new(), model: None, today: TODAY };
        let asking = PlanningRequest { hints, ..PlanningRequest::new(manner) };
        web_plan(options, asking, &Query::parse("Why is the sky blue?").unwrap()).strategy.level
    };
    assert_eq!(level(Mode::Search, StrategyLevel::Deep), StrategyLevel::Shallow);
    assert_eq!(level(Mode::DeepSearch, StrategyLevel::Shallow), StrategyLevel::Medium);
    assert_eq!(level(Mode::DeepResearch, StrategyLevel::Deep), StrategyLevel::Deep);
    assert_eq!(level(Mode::DeepSearch, StrategyLevel::None), StrategyLevel::None);
}

#[test]
fn a_model_without_a_price_is_planned_for_at_the_dearest_one_and_only_paid_searches_have_a_price() {
    let model = ModelOffer { name: "unlisted", local: false, price: &unlisted };
    let providers = vec![ProviderName::Brave, ProviderName::Wikipedia];
    let options = WebOptions { providers, model: Some(model), today: TODAY };
    let plan = web_plan(
        options,
        PlanningRequest::new(Mode::DeepSearch),
        &Query::parse("Which heat pumps work below -20 degrees?").unwrap(),
    );
    let usage = Usage { input_tokens: 3_000, output_tokens: 500, ..Usage::default() };
    assert_eq!(plan.prices.plan, price::of_model("", &usage, TODAY));
    assert_eq!(
        plan.prices.searches,
        [(ProviderName::Brave, ProviderName::Brave.facts().price.cost(plan.strategy.search_depth))]
    );
}

#[test]
fn a_judge_on_this_machine_costs_nothing_and_whoever_wrote_the_text_is_named() {
    let here = ModelOffer { name: "small", local: true, price: &unlisted };
    let judge = judge_plan(&here, "v1", "small", TODAY);
    assert_eq!((judge.price, judge.wrote_it), (MicroUsd(0), true));
    let remote = ModelOffer { local: false, ..here };
    let judge = judge_plan(&remote, "v1", "other", TODAY);
    assert!(judge.price > MicroUsd(0) && !judge.wrote_it);
}
