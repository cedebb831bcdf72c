//! What is configured, put before the rules that make a plan (`probity_research::planning`): keys, models, providers.
//! The same for the command line and for MCP clients.

use probity_engines::{PromptName, judge};
use probity_models::{
    ApiKey, HttpTransport,
    chat::{ChatClient, ChatKind, ChatSettings},
    entailment::{EntailmentModel, EntailmentSettings},
    gemini_cli::locate,
};
use probity_research::{
    Code, CodedError,
    checking::{CheckPlan, JudgePlan},
    cost::MicroUsd,
    limits::RunLimits,
    model::DEFAULT_MODEL,
    plan::{EngineName, Plan},
    planning::{
        CliReadiness, EngineOptions, ModelOffer, ModelOffers, PlanCap, WebOptions, choose_engine, judge_plan,
        plan_rounds, plan_web, web_plan,
    },
    ports::Clock as _,
    query::Query,
    time::Moment,
    web::{
        ProviderName, StrategyHints, TaskType,
        plan::PageServicePlan,
        providers::{FIRECRAWL_CREDIT_MAX, SearchCoverage},
    },
};
use probity_runner::SystemClock;
use probity_web::{
    page_service::{self, PageService},
    search::SearchSettings,
};

use crate::{
    app_context,
    chat_endpoints::at_named_endpoint,
    engine,
    keys::ProviderKeys,
    settings::{
        Settings,
        checks::JudgeChoice,
        openable::{self, UnopenableSetting},
        rounds::EngineChoice,
        web::ChatChoice,
    },
};

pub use probity_research::planning::PlanningRequest;

/// Version segment of Gemini's own chat address.
const GEMINI_VERSION: &str = "v1beta";
/// Enough of a hash to tell a user's endpoints and prompts apart.
const MARK_CHARACTERS: usize = 12;

/// The plan with its price. Local: no request is made.
pub fn plan(
    settings: &Settings,
    keys: &ProviderKeys,
    asking: PlanningRequest,
    query: &Query,
) -> Result<Plan, CodedError> {
    let engine = choose_engine(&engine_options(settings, keys), &asking);
    check_openable(settings, engine.name)?;
    let today = app_context::today();
    let limits = RunLimits { budget: asking.budget.or(settings.budget), ..settings.limits() };
    let rounds = settings.rounds.plan(asking.manner, asking.rounds);
    if engine.name != EngineName::Web {
        // Rounds at the API have a model even where the user names none; that of the CLI is seen when it answers.
        let written_by = match (engine.name, &rounds.model) {
            (EngineName::GeminiApi, None) => DEFAULT_MODEL,
            _ => rounds.model_name(),
        };
        let checks = check_plan(settings, keys, written_by)?;
        return Ok(plan_rounds(engine, rounds, limits, checks, query, &today));
    }
    let chats = PricedRoles::connect(settings, keys).map_err(|problem| named_chat(settings, problem))?;
    let written_by = chats.as_ref().map(PricedRoles::written_by).unwrap_or_default();
    let checks = check_plan(settings, keys, written_by)?;
    let providers = choose_providers(settings, keys, &asking.hints);
    let search = search_settings(settings, keys);
    let options = WebOptions {
        unbilled: providers.iter().copied().filter(|name| !search.is_billed(*name)).collect(),
        page_service: page_service(settings, keys).map(|service| PageServicePlan {
            name: page_service::NAME.to_owned(),
            price: if service.is_billed() { FIRECRAWL_CREDIT_MAX } else { MicroUsd(0) },
        }),
        providers,
        models: chats.as_ref().map(PricedRoles::offers),
        window: settings.web.chat_window,
        checks: checks.as_deref(),
        cap: PlanCap::of(limits.budget, settings.guard),
        today: &today,
    };
    let web = web_plan(options, asking, query);
    Ok(plan_web(engine.reason, rounds, web, limits, checks, query))
}

/// What the choice of an engine depends on. Files are looked at, no program is started.
pub fn engine_options(settings: &Settings, keys: &ProviderKeys) -> EngineOptions {
    let cli = match (locate(settings.cli.program.as_deref(), &settings.path), keys.for_cli()) {
        (Err(_), _) => CliReadiness::Missing,
        (Ok(_), None) => CliReadiness::WithoutKey,
        (Ok(_), Some(_)) => CliReadiness::Ready,
    };
    EngineOptions {
        named: match settings.engine {
            EngineChoice::Named(name) => Some(name),
            EngineChoice::Auto => None,
        },
        has_gemini_key: keys.gemini.is_some(),
        cli,
        has_search: has_search(settings, keys),
    }
}

/// A search provider for the whole web was chosen.
fn has_search(settings: &Settings, keys: &ProviderKeys) -> bool {
    !settings.web.providers.is_empty() || search_settings(settings, keys).has_chosen_search()
}

/// Who is asked for pages that cannot be read directly.
pub fn page_service(settings: &Settings, keys: &ProviderKeys) -> Option<PageService> {
    PageService::configured(&search_settings(settings, keys)).filter(|_| settings.web.page_service)
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

/// The language model of the web engine, if there is one.
pub fn chat_client(
    settings: &Settings,
    keys: &ProviderKeys,
) -> Result<Option<ChatClient<HttpTransport>>, CodedError> {
    let Some(chat) = chat_settings(settings, keys) else { return Ok(None) };
    ChatClient::connect(chat, now).map(Some)
}

/// A model with its price table: what a plan needs to know of it.
struct PricedModel {
    name: String,
    local: bool,
    price: Box<dyn Fn(u64, u64) -> Option<MicroUsd>>,
}

impl PricedModel {
    fn connect(chat: ChatSettings) -> Result<Self, CodedError> {
        let endpoint = chat.model.rsplit_once('@').map(|(_, name)| name.to_owned());
        let chat = ChatClient::connect(chat, now).map_err(|problem| match endpoint {
            // A name that has an endpoint behind it lost that part before.
            Some(name) if problem.code == Code::UnknownModel => CodedError::new(
                problem.code,
                &format!("{}, and no endpoint in `chat.endpoints` is called `{name}`", problem.message),
            ),
            Some(_) | None => problem,
        })?;
        let (name, local) = (chat.model().to_owned(), chat.is_local());
        Ok(Self { name, local, price: Box::new(move |input, output| chat.expected_cost(input, output)) })
    }

    fn offer(&self) -> ModelOffer<'_> {
        ModelOffer { name: &self.name, local: self.local, price: &*self.price }
    }
}

/// The chat model, and those that take a part of its work.
struct PricedRoles {
    model: PricedModel,
    planner: Option<PricedModel>,
    reader: Option<PricedModel>,
    writer: Option<PricedModel>,
}

impl PricedRoles {
    fn connect(settings: &Settings, keys: &ProviderKeys) -> Result<Option<Self>, CodedError> {
        let Some(chat) = chat_settings(settings, keys) else { return Ok(None) };
        let roles = &settings.web.roles;
        let of = |name: &Option<String>| {
            role_settings(settings, keys, &chat, name).map(PricedModel::connect).transpose()
        };
        Ok(Some(Self {
            planner: of(&roles.planner)?,
            reader: of(&roles.reader)?,
            writer: of(&roles.writer)?,
            model: PricedModel::connect(chat)?,
        }))
    }

    fn written_by(&self) -> &str {
        &self.writer.as_ref().unwrap_or(&self.model).name
    }

    fn offers(&self) -> ModelOffers<'_> {
        ModelOffers {
            model: self.model.offer(),
            planner: self.planner.as_ref().map(PricedModel::offer),
            reader: self.reader.as_ref().map(PricedModel::offer),
            writer: self.writer.as_ref().map(PricedModel::offer),
        }
    }
}

/// What no research of this engine could open is named before anything is started.
fn check_openable(settings: &Settings, engine: EngineName) -> Result<(), CodedError> {
    let is_web = engine == EngineName::Web;
    let mut found = if is_web || settings.checks.enabled { openable::of_web(settings) } else { Vec::new() };
    if is_web {
        found.extend(openable::of_search(settings));
    }
    found.first().map_or(Ok(()), |first| Err(first.problem()))
}

/// The setting whose address was refused, where it is one.
fn named_chat(settings: &Settings, problem: CodedError) -> CodedError {
    let found = openable::of_chat(settings);
    found.first().filter(|_| problem.code == Code::Settings).map_or(problem, UnopenableSetting::problem)
}

/// Whether every model that the settings name for the web engine can be asked at all. No request is made.
pub fn check_models(settings: &Settings, keys: &ProviderKeys) -> Result<(), CodedError> {
    PricedRoles::connect(settings, keys).map(drop)
}

/// The model of a role, at the chat model's address or the one that its name asks for; none where the chat model does the work itself.
pub fn role_settings(
    settings: &Settings,
    keys: &ProviderKeys,
    chat: &ChatSettings,
    name: &Option<String>,
) -> Option<ChatSettings> {
    let name = name.as_ref().filter(|name| **name != chat.model)?;
    Some(at_endpoint(settings, keys, ChatSettings { model: name.clone(), ..chat.clone() }))
}

/// A model at the endpoint that its name asks for.
pub fn at_endpoint(settings: &Settings, keys: &ProviderKeys, chat: ChatSettings) -> ChatSettings {
    at_named_endpoint(&settings.web.chat_endpoints, &keys.endpoints, chat)
}

pub fn chat_settings(settings: &Settings, keys: &ProviderKeys) -> Option<ChatSettings> {
    usual_chat_settings(settings, keys).map(|chat| at_endpoint(settings, keys, chat))
}

/// The chat model at the one endpoint that the settings describe.
fn usual_chat_settings(settings: &Settings, keys: &ProviderKeys) -> Option<ChatSettings> {
    let web = &settings.web;
    let endpoint = |kind: ChatKind, key: &Option<ApiKey>| {
        let model = web.chat_model.clone().unwrap_or_default();
        let mut chat = ChatSettings::new(kind, &model);
        if let Some(base_url) = &web.chat_base_url {
            chat.base_url.clone_from(base_url);
        }
        ChatSettings { key: key.clone(), stands_for: web.chat_stands_for.clone(), ..chat }
    };
    let openai = || endpoint(ChatKind::OpenAi, &keys.chat);
    let anthropic = || endpoint(ChatKind::Anthropic, &keys.anthropic);
    let gemini = || {
        let named = settings.rounds.model.as_ref().map(|model| model.as_str().to_owned());
        let model = web.chat_model.clone().or(named).unwrap_or_else(|| DEFAULT_MODEL.to_owned());
        let base_url = format!("{}/{GEMINI_VERSION}", settings.base_url.as_str().trim_end_matches('/'));
        ChatSettings { base_url, key: keys.gemini.clone(), ..ChatSettings::new(ChatKind::Gemini, &model) }
    };
    let is_claude = || web.chat_model.as_ref().is_some_and(|model| model.starts_with("claude"));
    match web.chat {
        ChatChoice::None => None,
        ChatChoice::OpenAi => Some(openai()),
        ChatChoice::Gemini => Some(gemini()),
        ChatChoice::Anthropic => Some(anthropic()),
        ChatChoice::Auto if is_claude() && keys.anthropic.is_some() && web.chat_base_url.is_none() => {
            Some(anthropic())
        }
        ChatChoice::Auto if web.chat_model.is_some() => Some(openai()),
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
    let limits = CheckPlan {
        pages_max: settings.checks.pages_max,
        claims_max: settings.checks.claims_max,
        ..CheckPlan::without_judge()
    };
    let chat_judge = |chat| chat_judge(settings, chat, written_by);
    let second = second_judge_settings(settings, keys).map(chat_judge).transpose()?;
    if let Some(local) = local_judge(settings) {
        let judge = JudgePlan {
            name: EntailmentModel::name(local),
            version: "entailment/1".to_owned(),
            local: true,
            price: MicroUsd(0),
            wrote_it: false,
            // Its name has the hash of its weights.
            endpoint: String::new(),
            exam: settings.checks.exam,
        };
        return Ok(Some(Box::new(CheckPlan { judge: Some(judge), second, ..limits })));
    }
    let judge = judge_settings(settings, keys).map(chat_judge).transpose()?;
    Ok(Some(Box::new(CheckPlan { judge, second, ..limits })))
}

/// A chat model as a judge of a report written by `written_by`.
fn chat_judge(settings: &Settings, chat: ChatSettings, written_by: &str) -> Result<JudgePlan, CodedError> {
    let endpoint = endpoint_mark(&chat.base_url);
    let chat = ChatClient::connect(chat, now)?;
    let price = |input, output| chat.expected_cost(input, output);
    let offer = ModelOffer { name: chat.model(), local: chat.is_local(), price: &price };
    let plan = judge_plan(&offer, &judge_version(settings), written_by, &app_context::today());
    Ok(JudgePlan { endpoint, exam: settings.checks.exam, ..plan })
}

/// The version of the judge's prompt; a user's own one is another version for every wording.
fn judge_version(settings: &Settings) -> String {
    // A prompt that cannot be read ends the run before it asks: that is said there.
    let prompts = engine::prompts(&settings.prompts).unwrap_or_default();
    let own =
        prompts.replaced().iter().filter(|name| matches!(name, PromptName::Judge | PromptName::WebSystem));
    let texts: String = own.map(|name| prompts.text(*name)).collect();
    match texts.is_empty() {
        true => judge::VERSION.to_owned(),
        false => format!("{}+{}", judge::VERSION, short_hash(&texts)),
    }
}

/// Tells endpoints apart without naming them: a plan travels with a bundle, and an address may be nobody's business.
fn endpoint_mark(base_url: &str) -> String {
    short_hash(base_url.trim_end_matches('/'))
}

fn short_hash(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex().chars().take(MARK_CHARACTERS).collect()
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
        Some(model) => Some(at_endpoint(settings, keys, ChatSettings { model: model.clone(), ..chat })),
        None => Some(chat),
    }
}

/// The model that is asked about what the judge calls supported, named as the judge is. None where it would be the judge
/// itself, or where nobody judges.
pub fn second_judge_settings(settings: &Settings, keys: &ProviderKeys) -> Option<ChatSettings> {
    let model = settings.checks.second_judge.clone()?;
    let is_local = local_judge(settings).is_some();
    let first = judge_settings(settings, keys).filter(|_| !is_local);
    let chat = chat_settings(settings, keys).filter(|_| is_local || first.is_some())?;
    let second = at_endpoint(settings, keys, ChatSettings { model, ..chat });
    let identity = |chat: &ChatSettings| (chat.model.clone(), endpoint_mark(&chat.base_url));
    let is_first = first.is_some_and(|first| identity(&first) == identity(&second));
    (!is_first).then_some(second)
}

pub fn now() -> Moment {
    SystemClock::default().now()
}
