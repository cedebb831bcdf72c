//! One small call with the settings as they are now: Google's key, the chat model, a search provider. The calls are those
//! of `probity doctor`; here the user asks for one that may cost something, and is told so before.

use probity_page::backend::{SettingTrial, TrialOutcome};
use probity_research::{
    Code, CodedError,
    web::{ProviderName, SearchDepth, StrategyHints},
};

use super::CurrentSettings;
use crate::{
    commands::doctor::{DoctorCheck, network, web},
    engine,
    keys::ProviderKeys,
    local_backend::run_blocking,
    planning,
    settings::Settings,
};

const GOOGLE: &str = "google";
const MODEL: &str = "model";
const SEARCH: &str = "search:";
/// Tokens of the question and of what the endpoint adds, generously.
const QUESTION_TOKENS_MAX: u64 = 100;

/// What there is to try.
pub fn offered(settings: &Settings, keys: &ProviderKeys) -> Vec<SettingTrial> {
    let google = keys.gemini.as_ref().map(|_| SettingTrial {
        name: GOOGLE.to_owned(),
        label: "Google's API key".to_owned(),
        cost: "costs nothing: asks for something that cannot exist".to_owned(),
    });
    let searches = planning::choose_providers(settings, keys, &StrategyHints::default()).into_iter();
    let searches = searches.map(|provider| SettingTrial {
        name: format!("{SEARCH}{}", provider.as_str()),
        label: provider.as_str().to_owned(),
        cost: search_cost(settings, keys, provider),
    });
    google.into_iter().chain(model(settings, keys)).chain(searches).collect()
}

pub async fn try_setting(name: String) -> Result<TrialOutcome, CodedError> {
    let (settings, keys) = run_blocking(|| {
        let current = CurrentSettings::read().map_err(super::super::problem)?;
        let keys = ProviderKeys::read(&current.environment).map_err(super::super::problem)?;
        Ok((current.loaded.settings, keys))
    })
    .await?;
    let unknown = || CodedError::new(Code::InvalidArguments, "there is nothing of that name to try");
    let check = match name.as_str() {
        GOOGLE => Box::pin(network::ask_google(&settings, keys.gemini.clone())).await,
        MODEL => {
            let chat = planning::chat_client(&settings, &keys)?.ok_or_else(unknown)?;
            Box::pin(web::ask_model(&chat)).await
        }
        other => {
            let provider = other.strip_prefix(SEARCH).and_then(ProviderName::parse).ok_or_else(unknown)?;
            let client = engine::search_client(&settings, &keys)?;
            Box::pin(web::ask_provider(&client, provider)).await
        }
    };
    Ok(outcome(&check))
}

fn outcome(check: &DoctorCheck) -> TrialOutcome {
    let (is_good, sentence) = check.told();
    TrialOutcome { is_good, sentence: sentence.to_owned() }
}

fn model(settings: &Settings, keys: &ProviderKeys) -> Option<SettingTrial> {
    let trial = |label: String, cost: String| SettingTrial { name: MODEL.to_owned(), label, cost };
    match planning::chat_client(settings, keys) {
        Ok(Some(chat)) => {
            let most = chat.expected_cost(QUESTION_TOKENS_MAX, u64::from(web::MODEL_TOKENS_MAX));
            let cost = match (chat.is_local(), most) {
                (true, _) => "one question of a few words; costs nothing, on this machine".to_owned(),
                (false, Some(most)) => format!("one question of a few words; at most {most}"),
                (false, None) => "one question of a few words; its price is unknown".to_owned(),
            };
            Some(trial(format!("the model {}", chat.model()), cost))
        }
        Ok(None) => None,
        // Trying it says what is wrong.
        Err(_) => {
            Some(trial("the model".to_owned(), "costs nothing: it cannot be asked as it is set".to_owned()))
        }
    }
}

fn search_cost(settings: &Settings, keys: &ProviderKeys, provider: ProviderName) -> String {
    match planning::search_settings(settings, keys).is_billed(provider) {
        true => format!("one search; at most {}", provider.facts().price.cost(SearchDepth::default())),
        false => "one search; costs nothing".to_owned(),
    }
}
