//! The second engine in a closed world inside this process, where its plan is a value and not what flags make of it.

use std::{collections::BTreeMap, path::Path, time::Duration};

use probity_engines::judge::{self, Judge};
use probity_models::{ApiKey, ChatClient, ChatKind, ChatSettings, HttpTransport};
use probity_research::{
    checking::{CheckPlan, ExamRule, JudgePlan},
    cost::MicroUsd,
    inquiry::InquiryPlan,
    plan::{Notify, Plan, RunLimits},
    planning::{ModelOffer, ModelOffers, PlanCap, PlanningRequest, WebOptions, judge_plan, web_plan},
    query::Query,
    rounds::{Mode, RoundsPlan},
    web::{
        plan::WebPlan,
        search::ProviderName,
        strategy::{StrategyHints, StrategyLevel},
    },
};
use probity_runner::clock::wall_now;
use probity_web::search::SearchSettings;

use super::runs::with_addresses;
use crate::web::in_process::{InProcessTestBed, web_engine};

/// Tokens that the model of a closed world takes at once.
pub const WINDOW: u32 = 128_000;
/// Two hundred at once on two cores take some minutes; more is no measurement.
pub const PATIENCE: Duration = Duration::from_secs(1_800);
/// Priced like a model far away, answered on this machine.
pub const MODEL: &str = "gpt-5-mini";
/// Another name than the writer's, so that nobody judges what it wrote.
const JUDGE: &str = "gpt-5";
/// Of the price table.
const TODAY: &str = "2026-11-01";
/// Never reached: prices are measured elsewhere.
const BUDGET: MicroUsd = MicroUsd(1_000_000_000);

/// The model of this name at a simulator.
pub fn chat(base_url: &str, model: &str) -> anyhow::Result<ChatClient<HttpTransport>> {
    let settings = ChatSettings {
        base_url: format!("{base_url}/v1"),
        key: Some(ApiKey::parse("sk-simulated")?),
        stands_for: Some("openai".to_owned()),
        ..ChatSettings::new(ChatKind::OpenAi, model)
    };
    Ok(ChatClient::connect(settings, wall_now)?)
}

pub fn open(base_url: &str, model: &str, place: &Path) -> anyhow::Result<InProcessTestBed<HttpTransport>> {
    let here = base_url.trim_start_matches("http://");
    let rules = [format!("*:80={here}"), format!("*:443={here}"), format!("{here}={here}")];
    let search = SearchSettings {
        bases: BTreeMap::from([(ProviderName::Searxng, format!("{base_url}/search-api/searxng"))]),
        ..SearchSettings::default()
    };
    let mut engine = web_engine(&rules, search, chat(base_url, model)?)?;
    engine.judge = Some(Judge::Chat(chat(base_url, JUDGE)?));
    InProcessTestBed::open(engine, place)
}

/// One research to its end: its report, with the addresses of its sources.
pub fn research(
    base_url: &str,
    model: &str,
    question: &str,
    plan: Plan,
    place: &Path,
) -> anyhow::Result<String> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    let report = runtime.block_on(Box::pin(async {
        let bed = open(base_url, model, place)?;
        let id = bed.start(question, plan).await?;
        let ended = bed.ended(id, PATIENCE).await;
        bed.stop().await;
        anyhow::Ok(ended?.1)
    }))?;
    Ok(with_addresses(&report.text, report.sources.iter().map(|source| source.url.clone())))
}

/// A plan as the program makes it, for a model at this price.
pub fn planned(
    question: &str,
    depth: Option<StrategyLevel>,
    model: ModelOffer<'_>,
    cap: PlanCap,
) -> anyhow::Result<WebPlan> {
    let options = WebOptions {
        providers: vec![ProviderName::Searxng],
        unbilled: vec![ProviderName::Searxng],
        page_service: None,
        models: Some(ModelOffers::one(model)),
        window: Some(WINDOW),
        checks: None,
        cap,
        today: TODAY,
    };
    let hints = StrategyHints { level: depth, ..StrategyHints::default() };
    let asking = PlanningRequest { hints, ..PlanningRequest::new(Mode::DeepResearch) };
    Ok(web_plan(options, asking, &Query::parse(question)?))
}

/// The same, checked by a judge that somebody vouches for: its exam is measured elsewhere.
pub fn checked(plan: Plan) -> Plan {
    let price = |_: u64, _: u64| Some(MicroUsd(0));
    let offer = ModelOffer { name: JUDGE, local: false, price: &price };
    let judge = JudgePlan { exam: ExamRule::Trusted, ..judge_plan(&offer, judge::VERSION, MODEL, TODAY) };
    let checks = CheckPlan { judge: Some(judge), ..CheckPlan::without_judge() };
    Plan { checks: Some(Box::new(checks)), ..plan }
}

/// Without checks: they come behind what is measured.
pub fn unchecked_plan(web: WebPlan) -> Plan {
    let limits = RunLimits::new(PATIENCE, None);
    Plan { notify: Notify::Never, ..Plan::for_web(RoundsPlan::new(Mode::DeepResearch, 1), web, limits) }
}

/// The second engine at any depth, those among them that the program leaves to the first one.
pub fn inquiry(depth: StrategyLevel) -> InquiryPlan {
    InquiryPlan::new(depth, None, None, WINDOW)
}

pub fn plan(question: &str, inquiry: InquiryPlan) -> anyhow::Result<Plan> {
    let price = |_: u64, _: u64| Some(MicroUsd(0));
    let model = ModelOffer { name: MODEL, local: false, price: &price };
    let mut web = planned(question, Some(inquiry.depth), model, PlanCap::of(None, None))?;
    web.strategy.budget = BUDGET;
    Ok(unchecked_plan(web.with_inquiry(inquiry)))
}
