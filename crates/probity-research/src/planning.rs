//! What a question becomes before it starts: which engine, how deep, and at what price.
//!
//! Pure: what is configured comes in as values. Settings, keys and price tables are read by the program.

mod fit;
mod follow_up;
mod inquiry;

use crate::{
    checking::{CheckPlan, ExamRule, JudgePlan, exam, plan::CLAIMS_PER_CALL},
    cost::{MicroUsd, Usage},
    estimate,
    limits::RunLimits,
    plan::{EngineName, EngineReason, Plan},
    price,
    query::Query,
    rounds::{Mode, RoundsPlan},
    web::{
        parent::{FollowUpKind, ParentBank},
        plan::{PageServicePlan, RoleModels, WRITTEN_WORDS_MAX, WebModel, WebPlan},
        plan_cut::CutCause,
        search::{ProviderName, SearchFilters},
        strategy::{ATTEMPTS_MAX, Strategy, StrategyHints, StrategyLevel, choose_strategy},
    },
};
use fit::PriceList;
use probity_types::inquiry::WantedFacet;

/// Tokens of one call of each kind, in and out: a prompt with its notes or its page, and a full answer.
const PLAN_TOKENS: (u64, u64) = (3_000, 500);
const CHOOSE_TOKENS: (u64, u64) = (4_000, 100);
const READ_TOKENS: (u64, u64) = (5_000, 800);
/// A writer's prompt without notes, and the notes of one page.
const WRITE_TOKENS: u64 = 2_000;
const NOTE_TOKENS: u64 = 330;
/// Tokens of a written word, with its share of JSON, in a language that takes many.
const TOKENS_PER_WORD: u64 = 2;
/// The longest report that is written in one call, in tokens.
const WRITTEN_TOKENS_MAX: u64 = 8_000;
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
    /// What it may cost, where the caller says so; else what the settings say.
    pub budget: Option<MicroUsd>,
    /// What a follow-up begins with; none for a research of its own.
    pub parent: Option<Box<ParentBank>>,
    /// Parts of the question that must be looked into; only a research that is searched in parts can keep them.
    pub facets: Vec<WantedFacet>,
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
            budget: None,
            parent: None,
            facets: Vec::new(),
        }
    }

    /// The web engine alone goes as deep, writes as long and in the language that a caller names.
    fn names_depth(&self) -> bool {
        self.hints.level.is_some() || self.hints.words.is_some() || self.hints.language.is_some()
    }

    /// Only the web engine knows what to do with these.
    fn needs_web(&self) -> bool {
        let own_sources = !self.pages.is_empty() || !self.folders.is_empty();
        let named = !self.facets.is_empty() || self.parent.is_some();
        !self.filters.is_empty() || own_sources || self.render || named
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

/// The models of a plan: one is enough, the others take its place where they are named.
#[derive(Clone, Copy)]
pub struct ModelOffers<'a> {
    pub model: ModelOffer<'a>,
    pub planner: Option<ModelOffer<'a>>,
    pub reader: Option<ModelOffer<'a>>,
    pub writer: Option<ModelOffer<'a>>,
}

impl<'a> ModelOffers<'a> {
    pub fn one(model: ModelOffer<'a>) -> Self {
        Self { model, planner: None, reader: None, writer: None }
    }

    fn roles(&self) -> RoleModels {
        let other = |offer: Option<ModelOffer<'_>>| {
            offer.filter(|offer| offer.name != self.model.name).map(|offer| offer.name.to_owned())
        };
        RoleModels { planner: other(self.planner), reader: other(self.reader), writer: other(self.writer) }
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
    pub models: Option<ModelOffers<'a>>,
    /// Tokens that the models take at once, where the user says so.
    pub window: Option<u32>,
    /// How the report will be checked, whose price belongs to the plan.
    pub checks: Option<&'a CheckPlan>,
    pub cap: PlanCap,
    /// `YYYY-MM-DD`, for the price table.
    pub today: &'a str,
}

/// The most that a plan may cost, and who said so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlanCap {
    pub most: MicroUsd,
    pub cause: CutCause,
}

impl PlanCap {
    /// The stated budget, or the guard where none is stated. Without either nothing is cut: the user is asked instead.
    pub fn of(budget: Option<MicroUsd>, guard: Option<MicroUsd>) -> Self {
        match budget {
            Some(most) => Self { most, cause: CutCause::Budget },
            None => Self { most: guard.unwrap_or(MicroUsd(u64::MAX)), cause: CutCause::Guard },
        }
    }
}

/// The named one, else the first that is configured: API, CLI, web. What only the web engine can do always goes to it, and so
/// does `deep_research` where a search provider is configured, or a question whose depth, length or language is named: it
/// goes as deep as the question needs.
pub fn choose_engine(options: &EngineOptions, asking: &PlanningRequest) -> ChosenEngine {
    let chosen = |name, reason| ChosenEngine { name, reason };
    // Before a named engine: what this call asks for would be passed over there.
    if asking.needs_web() && options.named != Some(EngineName::Web) {
        return chosen(EngineName::Web, EngineReason::OnlyWeb);
    }
    if let Some(name) = options.named {
        return chosen(name, EngineReason::Named);
    }
    if (asking.manner == Mode::DeepResearch || asking.names_depth()) && options.has_search {
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
    let price = estimate::web(&web, &limits, query);
    let rounds = RoundsPlan { rounds_max: web.attempts_max(), ..rounds };
    let engine_reason = Some(reason);
    Plan { estimate: Some(price), checks, engine_reason, ..Plan::for_web(rounds, web, limits) }
}

/// How deep the web engine goes, with whom, and what each call is expected to cost. What the cap does not carry is cut.
pub fn web_plan(options: WebOptions<'_>, asking: PlanningRequest, query: &Query) -> WebPlan {
    if let Some(bank) = asking.parent.as_deref().filter(|bank| bank.kind == FollowUpKind::Ask) {
        return follow_up::answer_plan(options, &asking, bank);
    }
    let strategy = bounded_strategy(&asking, query);
    let WebOptions { providers, unbilled, page_service, models, window, checks, cap, today } = options;
    let searches = providers
        .iter()
        .filter(|name| name.is_paid() && !unbilled.contains(name))
        .map(|name| (*name, name.facts().price.cost(strategy.search_depth)))
        .collect();
    let price = |offer: Option<ModelOffer<'_>>, tokens: (u64, u64)| {
        offer.map_or(MicroUsd(0), |model| model.expected(tokens, today))
    };
    let planner = models.map(|models| models.planner.unwrap_or(models.model));
    let reader = models.map(|models| models.reader.unwrap_or(models.model));
    let writer = models.map(|models| models.writer.unwrap_or(models.model));
    let (level, words) = (strategy.level, asking.hints.words.map(|words| words.min(WRITTEN_WORDS_MAX)));
    let prices = PriceList {
        plan: price(planner, PLAN_TOKENS),
        choose: price(planner, CHOOSE_TOKENS),
        read: price(reader, READ_TOKENS),
        write: &|pages| price(writer, write_tokens(level, pages, words)),
        judge: checks.map_or(MicroUsd(0), CheckPlan::price_per_call),
        judge_calls: judge_calls(checks, level, words),
    };
    let web = WebPlan {
        strategy,
        providers,
        filters: asking.filters,
        model: models
            .map(|models| WebModel { name: models.model.name.to_owned(), local: models.model.local }),
        prices: prices.with_searches(searches),
        pages: asking.pages,
        folders: asking.folders,
        render: asking.render,
        page_service,
        hints: asking.hints,
        roles: models.map(|models| models.roles()).unwrap_or_default(),
        cut: None,
        inquiry: None,
        parent: asking.parent,
    };
    inquiry::inquiry_plan(&web, models.as_ref(), window, today)
        .map(|whole| whole.with_facets(asking.facets))
        .and_then(|whole| inquiry::fit_to_cap(&web, whole, checks, cap))
        .unwrap_or_else(|| fit::fit_to_cap(web, &prices, cap))
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

/// What is kept back for writing: the notes of the pages that may be read, and a report as long as it is asked for.
fn write_tokens(level: StrategyLevel, pages: u32, words: Option<u32>) -> (u64, u64) {
    let usual = match level {
        StrategyLevel::None => 500,
        StrategyLevel::Shallow => 1_000,
        StrategyLevel::Medium => 3_000,
        StrategyLevel::Deep => 6_000,
        StrategyLevel::Exhaustive => WRITTEN_TOKENS_MAX,
    };
    let written = words.map_or(usual, |words| u64::from(words) * TOKENS_PER_WORD);
    (WRITE_TOKENS + u64::from(pages) * NOTE_TOKENS, written.min(WRITTEN_TOKENS_MAX))
}

/// Calls of a judge for the claims of a report, and for its exam where it must sit one.
fn judge_calls(checks: Option<&CheckPlan>, level: StrategyLevel, words: Option<u32>) -> u32 {
    /// Words of one claim: a sentence.
    const WORDS_PER_CLAIM: u32 = 20;
    let Some(judge) = checks.and_then(|checks| checks.judge.as_ref()) else { return 0 };
    let usual = match level {
        StrategyLevel::None => 100,
        StrategyLevel::Shallow => 300,
        StrategyLevel::Medium => 500,
        StrategyLevel::Deep => 1_500,
        StrategyLevel::Exhaustive => 2_500,
    };
    let claims = words.unwrap_or(usual).div_ceil(WORDS_PER_CLAIM);
    let per_call = u32::try_from(CLAIMS_PER_CALL).unwrap_or(u32::MAX);
    let exam = match judge.exam {
        ExamRule::Required => u32::try_from(exam::BATCHES).unwrap_or(u32::MAX),
        ExamRule::Trusted => 0,
    };
    claims.div_ceil(per_call).saturating_add(exam)
}

fn times(price: MicroUsd, count: u32) -> MicroUsd {
    MicroUsd(price.0.saturating_mul(u64::from(count)))
}

/// `search` stays shallow and `deep_search` goes at least halfway, whatever the question looks like; a depth that the
/// caller names wins over both.
fn bounded_strategy(asking: &PlanningRequest, query: &Query) -> Strategy {
    let chosen = choose_strategy(query, &asking.hints);
    let mut strategy = match (asking.manner, chosen.level) {
        _ if asking.hints.level.is_some() => chosen,
        (_, StrategyLevel::None) if asking.parent.is_some() => {
            Strategy::of(StrategyLevel::Shallow, "a search was asked for")
        }
        (_, StrategyLevel::None) => chosen,
        (Mode::Search, StrategyLevel::Medium | StrategyLevel::Deep | StrategyLevel::Exhaustive) => {
            Strategy::of(StrategyLevel::Shallow, "one quick search was asked for")
        }
        (Mode::DeepSearch, StrategyLevel::Shallow) => {
            Strategy::of(StrategyLevel::Medium, "a deep search was asked for")
        }
        (Mode::Search | Mode::DeepSearch | Mode::DeepResearch, _) => chosen,
    };
    if let Some(attempts) = asking.hints.max_attempts {
        strategy.max_attempts = attempts.clamp(1, ATTEMPTS_MAX);
    }
    strategy
}

#[cfg(test)]
pub(crate) mod tests;
