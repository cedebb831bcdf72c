//! What a question becomes before it starts: which engine, how deep, and at what price.
//!
//! Pure: what is configured comes in as values. Settings, keys and price tables are read by the program.

use crate::{
    checking::{CheckPlan, ExamRule, JudgePlan},
    cost::{MicroUsd, Usage},
    estimate,
    limits::RunLimits,
    plan::{EngineName, EngineReason, Plan},
    price,
    query::Query,
    rounds::{Mode, RoundsPlan},
    web::{
        plan::{PageServicePlan, WebCallPrices, WebModel, WebPlan},
        search::{ProviderName, SearchFilters},
        strategy::{ATTEMPTS_MAX, Strategy, StrategyHints, StrategyLevel, choose_strategy},
    },
};

/// Tokens of one call of each kind, in and out: a prompt with its notes or its page, and a full answer.
const PLAN_TOKENS: (u64, u64) = (3_000, 500);
const CHOOSE_TOKENS: (u64, u64) = (4_000, 100);
const READ_TOKENS: (u64, u64) = (7_000, 800);
/// Eight claims with five passages each, and as many answers with quotations.
const JUDGE_TOKENS: (u64, u64) = (4_500, 1_200);

/// What somebody asks for besides the question.
#[derive(Debug, Clone)]
pub struct PlanningRequest {
    pub manner: Mode,
    /// Rounds of a deep search, if the caller named a number.
    pub rounds: Option<u32>,
    pub hints: StrategyHints,
    pub filters: SearchFilters,
    /// Addresses and folders that the user named as sources.
    pub pages: Vec<String>,
    pub folders: Vec<String>,
    pub render: bool,
}

impl PlanningRequest {
    pub fn new(manner: Mode) -> Self {
        Self {
            manner,
            rounds: None,
            hints: StrategyHints::default(),
            filters: SearchFilters::default(),
            pages: Vec::new(),
            folders: Vec::new(),
            render: false,
        }
    }

    /// Only the web engine knows what to do with these.
    fn needs_web(&self) -> bool {
        !self.filters.is_empty() || !self.pages.is_empty() || !self.folders.is_empty() || self.render
    }
}

/// What is configured, as far as the choice of an engine depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EngineOptions {
    /// The engine that the user named; none leaves the choice to the rules.
    pub named: Option<EngineName>,
    pub has_gemini_key: bool,
    pub cli: CliReadiness,
    /// Somebody was chosen to search the whole web.
    pub has_search: bool,
}

/// Whether the Gemini CLI could answer without a key of ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CliReadiness {
    Missing,
    /// Installed, and without a key of its own.
    WithoutKey,
    Ready,
}

/// The engine of a run, and why it is this one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChosenEngine {
    pub name: EngineName,
    pub reason: EngineReason,
}

/// A model that can be asked, and what its price table says.
#[derive(Clone, Copy)]
pub struct ModelOffer<'a> {
    pub name: &'a str,
    /// It runs on this machine.
    pub local: bool,
    /// The price of so many tokens in and out; none where the table does not have the model.
    pub price: &'a dyn Fn(u64, u64) -> Option<MicroUsd>,
}

impl ModelOffer<'_> {
    /// A model without a price is planned for at the dearest one: a budget must hold.
    fn expected(&self, (input, output): (u64, u64), today: &str) -> MicroUsd {
        let usage = Usage { input_tokens: input, output_tokens: output, ..Usage::default() };
        (self.price)(input, output).unwrap_or_else(|| price::of_model("", &usage, today))
    }
}

/// With whom and at what prices the web engine would work.
pub struct WebOptions<'a> {
    /// Who is asked, the preferred one first.
    pub providers: Vec<ProviderName>,
    /// Those of them that charge nobody here: servers of the user's own.
    pub unbilled: Vec<ProviderName>,
    pub page_service: Option<PageServicePlan>,
    /// None: the brief is made of quotations.
    pub model: Option<ModelOffer<'a>>,
    /// `YYYY-MM-DD`, for the price table.
    pub today: &'a str,
}

/// The named one, else the first that is configured: API, CLI, web. What only the web engine can do goes to it, and so
/// does `deep_research` where a search provider is configured: it goes as deep as the question needs.
pub fn choose_engine(options: &EngineOptions, asking: &PlanningRequest) -> ChosenEngine {
    let chosen = |name, reason| ChosenEngine { name, reason };
    if let Some(name) = options.named {
        return chosen(name, EngineReason::Named);
    }
    if asking.needs_web() {
        return chosen(EngineName::Web, EngineReason::OnlyWeb);
    }
    if asking.manner == Mode::DeepResearch && options.has_search {
        return chosen(EngineName::Web, EngineReason::SearchProvider);
    }
    match (options.has_gemini_key, options.cli) {
        (true, _) => chosen(EngineName::GeminiApi, EngineReason::GeminiKey),
        (false, CliReadiness::Ready) => chosen(EngineName::GeminiCli, EngineReason::CliKey),
        (false, CliReadiness::WithoutKey) => chosen(EngineName::Web, EngineReason::CliWithoutKey),
        (false, CliReadiness::Missing) => chosen(EngineName::Web, EngineReason::CliMissing),
    }
}

/// The plan of a run in rounds, with its price.
pub fn plan_rounds(
    engine: ChosenEngine,
    rounds: RoundsPlan,
    limits: RunLimits,
    checks: Option<Box<CheckPlan>>,
    query: &Query,
    today: &str,
) -> Plan {
    let price = estimate::rounds(&rounds, query, today);
    let engine_reason = Some(engine.reason);
    Plan { estimate: Some(price), checks, engine_reason, ..Plan::for_rounds(engine.name, rounds, limits) }
}

/// The plan of a run on the web engine, with its price.
pub fn plan_web(
    reason: EngineReason,
    rounds: RoundsPlan,
    web: WebPlan,
    limits: RunLimits,
    checks: Option<Box<CheckPlan>>,
    query: &Query,
) -> Plan {
    let price = estimate::web(&web, query);
    let rounds = RoundsPlan { rounds_max: web.strategy.max_attempts, ..rounds };
    let engine_reason = Some(reason);
    Plan { estimate: Some(price), checks, engine_reason, ..Plan::for_web(rounds, web, limits) }
}

/// How deep the web engine goes, with whom, and what each call is expected to cost.
pub fn web_plan(options: WebOptions<'_>, asking: PlanningRequest, query: &Query) -> WebPlan {
    let strategy = bounded_strategy(&asking, query);
    let WebOptions { providers, unbilled, page_service, model, today } = options;
    let searches = providers
        .iter()
        .filter(|name| name.is_paid() && !unbilled.contains(name))
        .map(|name| (*name, name.facts().price.cost(strategy.search_depth)))
        .collect();
    let price = |tokens| model.as_ref().map_or(MicroUsd(0), |model| model.expected(tokens, today));
    let prices = WebCallPrices {
        plan: price(PLAN_TOKENS),
        choose: price(CHOOSE_TOKENS),
        read: price(READ_TOKENS),
        write: price(write_tokens(strategy.level)),
        searches,
    };
    WebPlan {
        strategy,
        providers,
        filters: asking.filters,
        model: model.map(|model| WebModel { name: model.name.to_owned(), local: model.local }),
        prices,
        pages: asking.pages,
        folders: asking.folders,
        render: asking.render,
        page_service,
        hints: asking.hints,
    }
}

/// The judge of a report written by `written_by`.
pub fn judge_plan(judge: &ModelOffer<'_>, version: &str, written_by: &str, today: &str) -> JudgePlan {
    JudgePlan {
        name: judge.name.to_owned(),
        version: version.to_owned(),
        local: judge.local,
        price: if judge.local { MicroUsd(0) } else { judge.expected(JUDGE_TOKENS, today) },
        wrote_it: judge.name == written_by,
        endpoint: String::new(),
        exam: ExamRule::Required,
    }
}

/// What is kept back for writing: the notes that a level can bring, and a report as long as it asks for.
fn write_tokens(level: StrategyLevel) -> (u64, u64) {
    match level {
        StrategyLevel::None => (1_000, 500),
        StrategyLevel::Shallow => (5_000, 1_000),
        StrategyLevel::Medium => (12_000, 3_000),
        StrategyLevel::Deep => (24_000, 6_000),
    }
}

/// `search` stays shallow and `deep_search` goes at least halfway, whatever the question looks like.
fn bounded_strategy(asking: &PlanningRequest, query: &Query) -> Strategy {
    let chosen = choose_strategy(query, &asking.hints);
    let mut strategy = match (asking.manner, chosen.level) {
        (_, StrategyLevel::None) => chosen,
        (Mode::Search, StrategyLevel::Medium | StrategyLevel::Deep) => {
            Strategy::of(StrategyLevel::Shallow, "one quick search was asked for")
        }
        (Mode::DeepSearch, StrategyLevel::Shallow) => {
            Strategy::of(StrategyLevel::Medium, "a deep search was asked for")
        }
        _ => chosen,
    };
    if let Some(attempts) = asking.hints.max_attempts {
        strategy.max_attempts = attempts.clamp(1, ATTEMPTS_MAX);
    }
    strategy
}

#[cfg(test)]
mod tests;
