//! What the doctor reports of our own web engine: search providers, chat model, page reader, browser.

use std::time::Duration;

use probity_extract::PAGE_TIME_MAX;
use probity_models::{
    HttpTransport,
    chat::{ChatCall, ChatClient},
};
use probity_research::{
    text,
    web::{ProviderName, SearchCall, SearchDepth, SearchFilters, StrategyHints},
};
use probity_web::{browser, fetch::ReachRules, search::SearchClient};

use super::{DoctorCheck, MODELS, ProviderProbe, SEARCH};
use crate::{
    engine,
    keys::ProviderKeys,
    planning,
    settings::{Settings, openable},
};

/// Everybody finds something about it.
const PROBE_QUERY: &str = "water";
/// A provider that takes longer to answer is not well.
const ANSWER_MAX: Duration = Duration::from_secs(15);
/// Some endpoints refuse a call without any.
const MODEL_ROLE: &str = "You are asked whether you can be reached.";
/// Any model has something to say to it.
const MODEL_QUESTION: &str = "Answer with one word: ready?";
/// Some models think before their first word; what they think is billed as an answer.
pub const MODEL_TOKENS_MAX: u32 = 256;
/// A model on this machine may have to be loaded first.
const MODEL_ANSWER_MAX: Duration = Duration::from_secs(60);
const SEARCH_FIX: &str =
    "add another, such as TAVILY_API_KEY or SEARXNG_URL, or name those that answer in `search.providers`";

/// What helps where a value cannot be opened.
pub const SETTING_FIX: &str = "see where it is set with `probity config show --origin`, and write it anew";

pub async fn all(settings: &Settings, keys: &ProviderKeys, probe: ProviderProbe) -> Vec<DoctorCheck> {
    let mut checks = vec![search(settings, keys)];
    if probe == ProviderProbe::Asked {
        checks.extend(ask_providers(settings, keys).await);
    }
    checks.extend([model(settings, keys), parser(), chromium(settings)]);
    checks.extend(reach(settings));
    checks
}

fn search(settings: &Settings, keys: &ProviderKeys) -> DoctorCheck {
    if let Some(unopened) = openable::of_search(settings).first() {
        return DoctorCheck::failed(SEARCH, "search", unopened.problem().message, SETTING_FIX);
    }
    let asked: Vec<&str> = planning::choose_providers(settings, keys, &StrategyHints::default())
        .iter()
        .map(|name| name.as_str())
        .collect();
    match asked.first() {
        Some(&"tavily-keyless") => DoctorCheck::warning(
            SEARCH,
            "search",
            format!("{} (no key: costs nothing, and is capped)", asked.join(", ")),
            "for more: TAVILY_API_KEY=… in a file and `probity setup --key-file FILE`, or your own SEARXNG_URL",
        ),
        Some(_) => DoctorCheck::fine(SEARCH, "search", asked.join(", ")),
        None => DoctorCheck::failed(
            SEARCH,
            "search",
            "nobody to ask",
            "`probity config unset search.providers`, or name one there",
        ),
    }
}

/// Which search providers answer: one small search each. Where a search is billed, nobody is asked.
async fn ask_providers(settings: &Settings, keys: &ProviderKeys) -> Vec<DoctorCheck> {
    let billing = planning::search_settings(settings, keys);
    let client = match engine::search_client(settings, keys) {
        Ok(client) => client,
        Err(problem) => return vec![DoctorCheck::warning(SEARCH, "asked", problem.message, SEARCH_FIX)],
    };
    let mut checks = Vec::new();
    for provider in planning::choose_providers(settings, keys, &StrategyHints::default()) {
        let name = provider.as_str();
        if billing.is_billed(provider) {
            checks.push(DoctorCheck::fine(
                SEARCH,
                "asked",
                format!("{name}: not asked, a search there is billed"),
            ));
            continue;
        }
        checks.push(ask_provider(&client, provider).await);
    }
    checks
}

/// One small search, billed where this provider's searches are.
pub async fn ask_provider(client: &SearchClient, provider: ProviderName) -> DoctorCheck {
    let name = provider.as_str();
    let call = SearchCall {
        provider,
        query: PROBE_QUERY.to_owned(),
        max_results: 1,
        depth: SearchDepth::default(),
        filters: SearchFilters::default(),
    };
    let answer = tokio::time::timeout(ANSWER_MAX, Box::pin(client.ask(&call))).await;
    match answer {
        Ok(Ok(_)) => DoctorCheck::fine(SEARCH, "asked", format!("{name} answers")),
        Ok(Err(failed)) => {
            let detail = format!("{name} does not answer: {}", failed.problem.message);
            DoctorCheck::warning(SEARCH, "asked", detail, SEARCH_FIX)
        }
        Err(_) => {
            let detail = format!("{name} does not answer within {} s", ANSWER_MAX.as_secs());
            DoctorCheck::warning(SEARCH, "asked", detail, SEARCH_FIX)
        }
    }
}

/// One question of a few words to the chat model, billed where the model is.
pub async fn ask_model(chat: &ChatClient<HttpTransport>) -> DoctorCheck {
    let call = ChatCall {
        system: MODEL_ROLE.to_owned(),
        user: MODEL_QUESTION.to_owned(),
        schema: None,
        schema_name: "trial",
        output_tokens_max: MODEL_TOKENS_MAX,
        deadline: MODEL_ANSWER_MAX,
    };
    match Box::pin(chat.ask_or_cut(call)).await {
        Ok(reply) => {
            let by = reply.model.unwrap_or_else(|| chat.model().to_owned());
            DoctorCheck::fine(MODELS, "chat model", format!("{} answers", text::line(&by, 100)))
        }
        Err(failed) => DoctorCheck::failed(
            MODELS,
            "chat model",
            format!("{} does not answer: {}", chat.model(), failed.problem.message),
            failed.problem.code.hint(),
        ),
    }
}

fn model(settings: &Settings, keys: &ProviderKeys) -> DoctorCheck {
    let checked = planning::check_models(settings, keys);
    match checked.and_then(|()| planning::chat_client(settings, keys)) {
        Ok(Some(chat)) => {
            let place = if chat.is_local() {
                "on this machine"
            } else {
                "elsewhere: your question and quotations go there"
            };
            let roles =
                settings.web.roles.named().into_iter().map(|(role, name)| format!(", {role}: {name}"));
            let roles: String = roles.collect();
            DoctorCheck::fine(MODELS, "chat model", format!("{} ({place}){roles}", chat.model()))
        }
        Ok(None) => DoctorCheck::warning(
            MODELS,
            "chat model",
            "none: reports are made of quotations",
            "probity setup --model-endpoint http://127.0.0.1:11434/v1 --model NAME, or store a Gemini key",
        ),
        Err(problem) => DoctorCheck::failed(
            MODELS,
            "chat model",
            problem.message,
            "look at `chat.*` in `probity config show --origin`",
        ),
    }
}

fn parser() -> DoctorCheck {
    let seconds = PAGE_TIME_MAX.as_secs();
    match cfg!(target_os = "linux") {
        true => DoctorCheck::fine(
            SEARCH,
            "parser",
            format!("a process of its own: {seconds} s a page, no files, no network, few system calls"),
        ),
        false => DoctorCheck::warning(
            SEARCH,
            "parser",
            format!(
                "a process of its own: {seconds} s a page; this system does not keep it from files and network"
            ),
            "run Probity on Linux for pages that you do not trust",
        ),
    }
}

/// A missing browser is fine: only pages that scripts build need it, and only where the user asks for it.
fn chromium(settings: &Settings) -> DoctorCheck {
    if !settings.web.browser {
        return DoctorCheck::fine(SEARCH, "Chromium", "switched off");
    }
    match browser::find(settings.web.browser_program.as_deref(), &settings.path) {
        Ok(program) => DoctorCheck::fine(
            SEARCH,
            "Chromium",
            format!("{}; {}", program.display(), browser::confinement().sentence()),
        ),
        Err(_) => DoctorCheck::fine(SEARCH, "Chromium", "not found; pages that scripts build stay unread"),
    }
}

fn reach(settings: &Settings) -> Option<DoctorCheck> {
    let open = settings.web.reach != ReachRules::default();
    open.then(|| {
        DoctorCheck::warning(
            SEARCH,
            "reach",
            "hosts are opened that are not public",
            "look at `web.reach` in `probity config show --origin`",
        )
    })
}
