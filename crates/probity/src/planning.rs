//! Makes a plan of a question before it starts: which engine, how deep, which model, and at what price.
//! The same for the command line and for MCP clients.

use probity_engines::judge;
use probity_models::{
    HttpTransport,
    chat::{ChatClient, ChatKind, ChatSettings},
    entailment::{EntailmentModel, EntailmentSettings},
};
use probity_research::{
    CodedError,
    checking::{CheckPlan, JudgePlan},
    cost::{MicroUsd, Usage},
    estimate,
    model::DEFAULT_MODEL,
    plan::{EngineName, Plan},
    ports::Clock as _,
    price,
    query::Query,
    rounds::{Mode, RoundsPlan},
    time::Moment,
    web::{
        ProviderName, SearchFilters, Strategy, StrategyHints, StrategyLevel, TaskType,
        plan::{WebCallPrices, WebModel, WebPlan},
        strategy::choose_strategy,
    },
};
use probity_runner::SystemClock;
use probity_web::search::SearchSettings;

use crate::{
    app_context,
    keys::ProviderKeys,
    settings::{Settings, checks::JudgeChoice, rounds::EngineChoice, web::ChatChoice},
};

/// Tokens of one call of each kind, in and out: a prompt with its notes or its page, and a full answer.
const PLAN_TOKENS: (u64, u64) = (3_000, 500);
const CHOOSE_TOKENS: (u64, u64) = (4_000, 100);
const READ_TOKENS: (u64, u64) = (7_000, 800);
/// Eight claims with five passages each, and as many answers with quotations.
const JUDGE_TOKENS: (u64, u64) = (4_500, 1_200);
/// Version segment of Gemini's own chat address.
const GEMINI_VERSION: &str = "v1beta";

/// What the caller asks for besides the question.
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

    /// Only the web engine supports these.
    fn needs_web(&self) -> bool {
        !self.filters.is_empty() || !self.pages.is_empty() || !self.folders.is_empty() || self.render
    }
}

/// The plan with its price. Local: no request is made.
pub fn plan(
    settings: &Settings,
    keys: &ProviderKeys,
    asking: PlanningRequest,
    query: &Query,
) -> Result<Plan, CodedError> {
    let engine = choose_engine(settings, keys, &asking);
    let rounds = settings.rounds.plan(asking.manner, asking.rounds);
    if engine != EngineName::Web {
        let price = estimate::rounds(&rounds, query, &app_context::today());
        let written_by = rounds.model_name().to_owned();
        let checks = check_plan(settings, keys, &written_by)?;
        return Ok(Plan {
            estimate: Some(price),
            checks,
            ..Plan::for_rounds(engine, rounds, settings.limits())
        });
    }
    let web = web_plan(settings, keys, asking, query)?;
    let price = estimate::web(&web, query);
    let rounds = RoundsPlan { rounds_max: web.strategy.max_attempts, ..rounds };
    let written_by = web.model.as_ref().map(|model| model.name.clone()).unwrap_or_default();
    let checks = check_plan(settings, keys, &written_by)?;
    Ok(Plan { estimate: Some(price), checks, ..Plan::for_web(rounds, web, settings.limits()) })
}

/// The first engine that is configured. `deep_research` goes as deep as the question needs, which only the
/// web engine can, if a search provider is configured.
pub fn choose_engine(settings: &Settings, keys: &ProviderKeys, asking: &PlanningRequest) -> EngineName {
    match settings.engine {
        EngineChoice::Named(name) => name,
        EngineChoice::Auto if keys.gemini.is_none() || asking.needs_web() => EngineName::Web,
        EngineChoice::Auto if asking.manner == Mode::DeepResearch && has_search(settings, keys) => {
            EngineName::Web
        }
        EngineChoice::Auto => EngineName::GeminiApi,
    }
}

/// A search provider for the whole web was chosen.
fn has_search(settings: &Settings, keys: &ProviderKeys) -> bool {
    !settings.web.providers.is_empty() || search_settings(settings, keys).has_chosen_search()
}

pub fn search_settings(settings: &Settings, keys: &ProviderKeys) -> SearchSettings {
    SearchSettings {
        keys: keys.search.clone(),
        bases: settings.web.bases.clone(),
        contact: settings.web.contact.contains('@').then(|| settings.web.contact.clone()),
    }
}

/// The search providers, best first: the user's list, or those that are configured and fit the kind of
/// question.
pub fn choose_providers(
    settings: &Settings,
    keys: &ProviderKeys,
    hints: &StrategyHints,
) -> Vec<ProviderName> {
    if !settings.web.providers.is_empty() {
        return settings.web.providers.clone();
    }
    let available = search_settings(settings, keys).available();
    let fits = |name: &ProviderName| match (name.facts().coverage, hints.task_type_hint) {
        (SearchCoverage::WholeWeb | SearchCoverage::Encyclopedia, _) => true,
        (SearchCoverage::Papers, Some(TaskType::Research)) => true,
        (SearchCoverage::Code, Some(TaskType::Debug | TaskType::Architecture)) => true,
        (
            SearchCoverage::Papers,
            Some(TaskType::Debug | TaskType::Architecture | TaskType::Reference) | None,
        ) => false,
        (SearchCoverage::Code, Some(TaskType::Research | TaskType::Reference) | None) => false,
    };
    available.into_iter().filter(fits).collect()
}

fn web_plan(
    settings: &Settings,
    keys: &ProviderKeys,
    asking: PlanningRequest,
    query: &Query,
) -> Result<WebPlan, CodedError> {
    let strategy = strategy(&asking, query);
    let chat = chat_client(settings, keys)?;
    let providers = choose_providers(settings, keys, &asking.hints);
    let searches = providers
        .iter()
        .filter(|name| name.is_paid())
        .map(|name| (*name, name.facts().price.cost(strategy.search_depth)))
        .collect();
    let price = |tokens: (u64, u64)| chat.as_ref().map_or(MicroUsd(0), |chat| expected(chat, tokens));
    let prices = WebCallPrices {
        plan: price(PLAN_TOKENS),
        choose: price(CHOOSE_TOKENS),
        read: price(READ_TOKENS),
        write: price(write_tokens(strategy.level)),
        searches,
    };
    Ok(WebPlan {
        strategy,
        providers,
        filters: asking.filters,
        model: chat.map(|chat| WebModel { name: chat.model().to_owned(), local: chat.is_local() }),
        prices,
        pages: asking.pages,
        folders: asking.folders,
        render: asking.render,
        hints: asking.hints,
    })
}

/// What is reserved for writing: the notes that a level can bring, and a report as long as it asks for.
fn write_tokens(level: StrategyLevel) -> (u64, u64) {
    match level {
        StrategyLevel::None => (1_000, 500),
        StrategyLevel::Shallow => (5_000, 1_000),
        StrategyLevel::Medium => (12_000, 3_000),
        StrategyLevel::Deep => (24_000, 6_000),
    }
}

/// `search` stays shallow and `deep_search` goes at least to medium depth, whatever the question looks like.
fn strategy(asking: &PlanningRequest, query: &Query) -> Strategy {
    let chosen = choose_strategy(query, &asking.hints);
    match (asking.manner, chosen.level) {
        (_, StrategyLevel::None) => chosen,
        (Mode::Search, StrategyLevel::Medium | StrategyLevel::Deep) => {
            Strategy::of(StrategyLevel::Shallow, "one quick search was asked for")
        }
        (Mode::DeepSearch, StrategyLevel::Shallow) => {
            Strategy::of(StrategyLevel::Medium, "a deep search was asked for")
        }
        _ => chosen,
    }
}

/// A model without a price is planned for at the dearest one: a budget must hold.
fn expected(chat: &ChatClient<HttpTransport>, (input, output): (u64, u64)) -> MicroUsd {
    let usage = Usage { input_tokens: input, output_tokens: output, ..Usage::default() };
    chat.expected_cost(input, output).unwrap_or_else(|| price::of_model("", &usage, &app_context::today()))
}

/// The language model of the web engine, if there is one.
pub fn chat_client(
    settings: &Settings,
    keys: &ProviderKeys,
) -> Result<Option<ChatClient<HttpTransport>>, CodedError> {
    let Some(chat) = chat_settings(settings, keys) else { return Ok(None) };
    ChatClient::connect(chat, now).map(Some)
}

pub fn chat_settings(settings: &Settings, keys: &ProviderKeys) -> Option<ChatSettings> {
    let web = &settings.web;
    let endpoint = || {
        let model = web.chat_model.clone().unwrap_or_default();
        let mut chat = ChatSettings::new(ChatKind::OpenAi, &model);
        if let Some(base_url) = &web.chat_base_url {
            chat.base_url.clone_from(base_url);
        }
        ChatSettings { key: keys.chat.clone(), stands_for: web.chat_stands_for.clone(), ..chat }
    };
    let gemini = || {
        let named = settings.rounds.model.as_ref().map(|model| model.as_str().to_owned());
        let model = web.chat_model.clone().or(named).unwrap_or_else(|| DEFAULT_MODEL.to_owned());
        let base_url = format!("{}/{GEMINI_VERSION}", settings.base_url.as_str().trim_end_matches('/'));
        ChatSettings { base_url, key: keys.gemini.clone(), ..ChatSettings::new(ChatKind::Gemini, &model) }
    };
    match web.chat {
        ChatChoice::None => None,
        ChatChoice::OpenAi => Some(endpoint()),
        ChatChoice::Gemini => Some(gemini()),
        ChatChoice::Auto if web.chat_model.is_some() => Some(endpoint()),
        ChatChoice::Auto => keys.gemini.is_some().then(gemini),
    }
}

/// How the claims of a report written by `written_by` are checked; none if the user switched that off.
pub fn check_plan(
    settings: &Settings,
    keys: &ProviderKeys,
    written_by: &str,
) -> Result<Option<Box<CheckPlan>>, CodedError> {
    if !settings.checks.enabled {
        return Ok(None);
    }
    if let Some(local) = local_judge(settings) {
        let judge = JudgePlan {
            name: EntailmentModel::name(local),
            version: "entailment/1".to_owned(),
            local: true,
            price: MicroUsd(0),
            wrote_it: false,
        };
        return Ok(Some(Box::new(CheckPlan { judge: Some(judge), ..CheckPlan::without_judge() })));
    }
    let judge = match judge_settings(settings, keys) {
        Some(chat) => Some(ChatClient::connect(chat, now)?),
        None => None,
    };
    let judge = judge.map(|chat| JudgePlan {
        name: chat.model().to_owned(),
        version: judge::VERSION.to_owned(),
        local: chat.is_local(),
        price: if chat.is_local() { MicroUsd(0) } else { expected(&chat, JUDGE_TOKENS) },
        wrote_it: chat.model() == written_by,
    });
    Ok(Some(Box::new(CheckPlan { judge, ..CheckPlan::without_judge() })))
}

/// The entailment model of this machine, where it is the one that judges.
pub fn local_judge(settings: &Settings) -> Option<&EntailmentSettings> {
    let wanted = matches!(settings.checks.judge, JudgeChoice::Auto | JudgeChoice::Program);
    settings.checks.entailment.as_ref().filter(|_| wanted)
}

/// The model that judges: at the chat model's endpoint, under a name of its own if there is one.
pub fn judge_settings(settings: &Settings, keys: &ProviderKeys) -> Option<ChatSettings> {
    if matches!(settings.checks.judge, JudgeChoice::None | JudgeChoice::Program) {
        return None;
    }
    let chat = chat_settings(settings, keys)?;
    match &settings.checks.judge_model {
        Some(model) => Some(ChatSettings { model: model.clone(), ..chat }),
        None => Some(chat),
    }
}

pub fn now() -> Moment {
    SystemClock::default().now()
}
