mod depths;
pub(crate) mod prices;

use super::{
    ChosenEngine, CliReadiness, EngineOptions, ModelOffer, ModelOffers, PlanCap, PlanningRequest, WebOptions,
    choose_engine, judge_plan, web_plan,
};
use crate::{
    cost::{MicroUsd, Usage},
    plan::EngineName,
    price,
    query::Query,
    rounds::Mode,
    web::{
        parent::{FollowUpKind, ParentBank},
        plan::PageServicePlan,
        search::ProviderName,
        strategy::{GUARD_DEFAULT, StrategyHints, StrategyLevel},
        task::WebTask,
    },
};

const TODAY: &str = "2026-11-01";

fn options<'a>(providers: Vec<ProviderName>) -> WebOptions<'a> {
    WebOptions {
        providers,
        unbilled: Vec::new(),
        page_service: None,
        models: None,
        checks: None,
        window: None,
        cap: PlanCap::of(None, Some(GUARD_DEFAULT)),
        today: TODAY,
    }
}

fn unlisted(_: u64, _: u64) -> Option<MicroUsd> {
    None
}

const WITH_KEY: EngineOptions =
    EngineOptions { named: None, has_gemini_key: true, cli: CliReadiness::Missing, has_search: false };
const WITHOUT_KEY: EngineOptions = EngineOptions { has_gemini_key: false, ..WITH_KEY };

#[track_caller]
fn check_engine(options: EngineOptions, asking: &PlanningRequest, expected: &str) {
    let ChosenEngine { name, reason } = choose_engine(&options, asking);
    assert_eq!(reason.sentence(name), expected, "{options:?}");
}

#[test]
fn the_first_that_is_configured_is_taken_in_the_order_api_cli_web() {
    let search = PlanningRequest::new(Mode::Search);
    let ready = CliReadiness::Ready;
    check_engine(WITH_KEY, &search, "Gemini API, because a key is set");
    check_engine(EngineOptions { cli: ready, ..WITH_KEY }, &search, "Gemini API, because a key is set");
    check_engine(
        EngineOptions { cli: ready, ..WITHOUT_KEY },
        &search,
        "Gemini CLI, because Probity has no key, and the Gemini CLI has one of its own",
    );
    check_engine(
        EngineOptions { cli: CliReadiness::WithoutKey, ..WITHOUT_KEY },
        &search,
        "Probity's own web engine, because no Gemini key is set and the Gemini CLI has none of its own",
    );
    check_engine(
        WITHOUT_KEY,
        &search,
        "Probity's own web engine, because no Gemini key is set and no Gemini CLI was found",
    );
}

#[test]
fn the_named_engine_wins_whatever_is_configured() {
    let named = Some(EngineName::GeminiCli);
    let asking = PlanningRequest::new(Mode::DeepResearch);
    let options = EngineOptions { named, has_search: true, ..WITH_KEY };
    check_engine(options, &asking, "Gemini CLI, because it was asked for by name");
}

#[test]
fn a_configured_search_takes_deep_research_to_the_web_engine_and_leaves_the_other_tools_alone() {
    let options = EngineOptions { has_search: true, ..WITH_KEY };
    let deep = "Probity's own web engine, because a search provider is configured, and it goes as deep as the \
                question needs";
    check_engine(options, &PlanningRequest::new(Mode::DeepResearch), deep);
    check_engine(options, &PlanningRequest::new(Mode::DeepSearch), "Gemini API, because a key is set");
    check_engine(WITH_KEY, &PlanningRequest::new(Mode::DeepResearch), "Gemini API, because a key is set");
}

#[test]
fn what_only_the_web_engine_can_do_chooses_it() {
    let asking = PlanningRequest { render: true, ..PlanningRequest::new(Mode::Search) };
    let only = "Probity's own web engine, because only it takes a depth, a length, a language, pages, folders, \
                filters or a browser";
    check_engine(WITH_KEY, &asking, only);
    // Where another one is named its filters would be passed over.
    check_engine(EngineOptions { named: Some(EngineName::GeminiApi), ..WITH_KEY }, &asking, only);
    check_engine(EngineOptions { cli: CliReadiness::Ready, ..WITHOUT_KEY }, &asking, only);
}

#[test]
fn a_search_stays_shallow_and_a_deep_search_goes_at_least_halfway() {
    let level = |manner, question: &str| {
        let asking = PlanningRequest::new(manner);
        web_plan(options(Vec::new()), asking, &Query::parse(question).unwrap()).strategy.level
    };
    assert_eq!(level(Mode::Search, "Exhaustive report on tea"), StrategyLevel::Shallow);
    assert_eq!(level(Mode::DeepSearch, "Who is the mayor of Ghent?"), StrategyLevel::Medium);
    assert_eq!(level(Mode::DeepResearch, "Exhaustive report on tea"), StrategyLevel::Deep);
    assert_eq!(level(Mode::DeepSearch, "hello!"), StrategyLevel::None);
}

#[test]
fn a_named_depth_takes_the_web_engine_where_somebody_searches_for_it() {
    let hints = StrategyHints { level: Some(StrategyLevel::Deep), ..StrategyHints::default() };
    let asking = PlanningRequest { hints, ..PlanningRequest::new(Mode::Search) };
    let chosen = |has_search| choose_engine(&EngineOptions { has_search, ..WITH_KEY }, &asking).name;
    assert_eq!((chosen(true), chosen(false)), (EngineName::Web, EngineName::GeminiApi));
}

#[test]
fn a_model_without_a_price_is_planned_for_at_the_dearest_one_and_only_paid_searches_have_a_price() {
    let model = ModelOffer { name: "unlisted", local: false, price: &unlisted };
    let providers = vec![ProviderName::Brave, ProviderName::Wikipedia];
    let options = WebOptions { models: Some(ModelOffers::one(model)), ..options(providers) };
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
fn credits_are_planned_for_at_the_most_they_can_cost_and_a_server_of_the_users_own_at_nothing() {
    let plan = |unbilled: Vec<ProviderName>, page_price: u64| {
        let service = PageServicePlan { name: "firecrawl".to_owned(), price: MicroUsd(page_price) };
        let options =
            WebOptions { unbilled, page_service: Some(service), ..options(vec![ProviderName::Firecrawl]) };
        let query = Query::parse("Which heat pumps work below -20 degrees?").unwrap();
        web_plan(options, PlanningRequest::new(Mode::DeepSearch), &query)
    };
    let page = WebTask::Page { candidate: 0 };
    let keyed = plan(Vec::new(), 4_625);
    assert_eq!(keyed.prices.searches, [(ProviderName::Firecrawl, MicroUsd(18_500))]);
    assert_eq!((keyed.unpriced_call_max(), keyed.is_paid(&page)), (MicroUsd(18_500), true));
    let own = plan(vec![ProviderName::Firecrawl], 0);
    assert_eq!(
        (own.prices.searches.len(), own.unpriced_call_max(), own.is_paid(&page)),
        (0, MicroUsd(0), false)
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

#[test]
fn an_answer_from_stored_pages_has_the_price_of_one_call_and_nobody_to_search() {
    let price = |tokens_in: u64, tokens_out: u64| Some(MicroUsd(tokens_in + tokens_out * 4));
    let model = ModelOffer { name: "priced", local: false, price: &price };
    let options = WebOptions {
        models: Some(ModelOffers::one(model)),
        cap: PlanCap::of(None, None),
        ..options(vec![ProviderName::Tavily, ProviderName::Wikipedia])
    };
    let bank =
        ParentBank { kind: FollowUpKind::Ask, pages: Vec::new(), told: Vec::new(), banned: Vec::new() };
    let asking = PlanningRequest { parent: Some(Box::new(bank)), ..PlanningRequest::new(Mode::DeepResearch) };
    assert_eq!(choose_engine(&WITH_KEY, &asking).name, EngineName::Web);
    let plan = web_plan(options, asking, &Query::parse("And then?").unwrap());
    assert!(plan.answers_from_parent() && plan.providers.is_empty() && plan.inquiry.is_none());
    // 2,000 tokens around the quotations, 1,000 of an answer, and a margin.
    assert_eq!((plan.prices.write, plan.strategy.budget), (MicroUsd(6_000), MicroUsd(7_800)));
}
