//! The provider keys, read once from the environment and from the user's own key file. Never printed.

pub mod file;

use std::collections::BTreeMap;

use probity_models::ApiKey;
use probity_research::{Code, plan::EngineName, web::ProviderName};
use secrecy::SecretString;

use crate::{
    command_error::CommandError,
    environment::{ANTHROPIC_KEY, CHAT_KEY, Environment, search_keys},
};

#[derive(Debug, Clone, Default)]
pub struct ProviderKeys {
    pub gemini: Option<ApiKey>,
    /// The key that the Gemini CLI keeps for itself; given to nobody but the CLI.
    pub gemini_cli: Option<ApiKey>,
    pub chat: Option<ApiKey>,
    pub anthropic: Option<ApiKey>,
    pub search: BTreeMap<ProviderName, SecretString>,
    /// By variable: those of endpoints that `chat.endpoints` names are among them.
    pub endpoints: BTreeMap<String, ApiKey>,
}

impl ProviderKeys {
    /// A key that cannot be valid is refused here: otherwise only its provider would notice.
    pub fn read(environment: &Environment) -> Result<Self, CommandError> {
        if environment.key_file().is_exposed {
            tracing::warn!(
                "keys are read from {}, which others can read too: make it private with chmod 600",
                file::NAME
            );
        }
        let gemini = environment.key().map(|(_, text)| ApiKey::parse(&text)).transpose()?;
        let chat = environment.text(CHAT_KEY).map(|text| ApiKey::parse(text.trim())).transpose()?;
        let anthropic = environment.text(ANTHROPIC_KEY).map(|text| ApiKey::parse(text.trim())).transpose()?;
        let search = search_keys()
            .filter_map(|(name, provider)| {
                let text = environment.text(name)?;
                Some((provider, SecretString::from(text.trim().to_owned())))
            })
            .collect();
        let gemini_cli = environment.cli_key().and_then(|text| match ApiKey::parse(text.trim()) {
            Ok(key) => Some(key),
            Err(problem) => {
                tracing::warn!(cause = %problem.message, "the Gemini CLI's own key cannot be a key");
                None
            }
        });
        // One that cannot be a key is somebody else's variable.
        let endpoints = environment.api_keys().into_iter();
        let endpoints =
            endpoints.filter_map(|(name, text)| Some((name, ApiKey::parse(text.trim()).ok()?))).collect();
        Ok(Self { gemini, gemini_cli, chat, anthropic, search, endpoints })
    }

    /// The key that the Gemini CLI is started with: ours, else its own.
    pub fn for_cli(&self) -> Option<&ApiKey> {
        self.gemini.as_ref().or(self.gemini_cli.as_ref())
    }

    /// Whether a run of this engine has the key it needs, or the sentence that says how to get one.
    pub fn check_engine(&self, engine: EngineName) -> Result<(), CommandError> {
        match engine {
            EngineName::Web => Ok(()),
            EngineName::GeminiCli if self.for_cli().is_some() => Ok(()),
            EngineName::GeminiCli | EngineName::GeminiApi => self.google().map(drop),
        }
    }

    /// Google's key, or the sentence that says how to get one.
    pub fn google(&self) -> Result<&ApiKey, CommandError> {
        self.gemini.as_ref().ok_or_else(|| CommandError::new(Code::KeyMissing, "there is no API key"))
    }
}
