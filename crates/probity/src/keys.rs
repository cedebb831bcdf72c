//! The provider keys, read once from the environment and from the user's own key file. Never printed.

pub mod file;

use std::collections::BTreeMap;

use probity_models::ApiKey;
use probity_research::{Code, web::ProviderName};
use secrecy::SecretString;

use crate::{
    command_error::CommandError,
    environment::{CHAT_KEY, Environment, search_keys},
};

#[derive(Debug, Clone, Default)]
pub struct ProviderKeys {
    pub gemini: Option<ApiKey>,
    pub chat: Option<ApiKey>,
    pub search: BTreeMap<ProviderName, SecretString>,
}

impl ProviderKeys {
    /// A key that cannot be valid is refused here: otherwise only its provider would notice.
    pub fn read(environment: &Environment) -> Result<Self, CommandError> {
        let gemini = environment.key().map(|(_, text)| ApiKey::parse(&text)).transpose()?;
        let chat = environment.text(CHAT_KEY).map(|text| ApiKey::parse(text.trim())).transpose()?;
        let search = search_keys()
            .filter_map(|(name, provider)| {
                let text = environment.text(name)?;
                Some((provider, SecretString::from(text.trim().to_owned())))
            })
            .collect();
        Ok(Self { gemini, chat, search })
    }

    /// Google's key, or the sentence that says how to get one.
    pub fn google(&self) -> Result<&ApiKey, CommandError> {
        self.gemini.as_ref().ok_or_else(|| CommandError::new(Code::KeyMissing, "there is no API key"))
    }
}
