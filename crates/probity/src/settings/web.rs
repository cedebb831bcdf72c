//! Settings of our own web engine: search providers, the chat model, and how the web is reached.

use std::{collections::BTreeMap, path::PathBuf};

use probity_research::{
    Code,
    web::{ProviderName, plan::RoleModels},
};
use probity_web::fetch::ReachRules;
use url::Url;

use crate::{
    chat_endpoints,
    command_error::CommandError,
    environment::OPENAI_BASE_URL,
    settings::{SettingsReader, directory, raw::SettingOrigin},
};

/// Which language model the web engine calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChatChoice {
    Auto,
    OpenAi,
    Gemini,
    Anthropic,
    None,
}

#[derive(Debug, Clone)]
pub struct WebSettings {
    /// Empty: all that are configured, best first.
    pub providers: Vec<ProviderName>,
    pub bases: BTreeMap<ProviderName, String>,
    pub chat: ChatChoice,
    pub chat_base_url: Option<String>,
    pub chat_model: Option<String>,
    pub chat_stands_for: Option<String>,
    /// Tokens that the chat model takes at once, where the user says so.
    pub chat_window: Option<u32>,
    /// Models that take a part of the chat model's work.
    pub roles: RoleModels,
    /// Further endpoints by name; a model is asked there as `MODEL@NAME`.
    pub chat_endpoints: BTreeMap<String, String>,
    pub reach: ReachRules,
    pub contact: String,
    pub proxy: Option<String>,
    pub archive: bool,
    /// Ask Firecrawl, where it is configured, for pages that cannot be read directly.
    pub page_service: bool,
    pub browser: bool,
    pub browser_program: Option<PathBuf>,
}

pub(super) fn resolve(read: &SettingsReader<'_>) -> Result<WebSettings, CommandError> {
    let text = |key| Some(read.text(key)).filter(|text| !text.is_empty());
    let mut bases = BTreeMap::new();
    for written in names(read, "search.bases") {
        let (name, base) =
            written.split_once('=').ok_or_else(|| wrong(read, "search.bases", &written, "NAME=ADDRESS"))?;
        bases.insert(provider(read, "search.bases", name)?, base.trim().to_owned());
    }
    if let Some(base) = text("search.searxng_url") {
        bases.insert(ProviderName::Searxng, base);
    }
    if let Some(base) = text("search.firecrawl_url") {
        bases.insert(ProviderName::Firecrawl, base);
    }
    let mut chat_endpoints = BTreeMap::new();
    for written in names(read, "chat.endpoints") {
        let parts = written.split_once('=').filter(|(name, _)| chat_endpoints::is_name(name.trim()));
        let (name, base) = parts.ok_or_else(|| {
            wrong(read, "chat.endpoints", &written, "NAME=ADDRESS, the name in small letters")
        })?;
        chat_endpoints.insert(name.trim().to_owned(), base.trim().to_owned());
    }
    let providers = names(read, "search.providers");
    let mut reached = names(read, "web.reach");
    // A server of the user's own may be on any network, internal ones too.
    for own in [ProviderName::Searxng, ProviderName::Firecrawl] {
        reached.extend(bases.get(&own).and_then(|base| own_host(base)));
    }
    let reach = ReachRules::parse(reached).map_err(|problem| {
        CommandError::new(problem.code, &format!("{}: {}", read.origin("web.reach"), problem.message))
    })?;
    let chat = read.value("chat.kind", chat)?;
    // Another program's address for OpenAI's key is no address for Anthropic's.
    let is_openais = read.origin("chat.base_url") == SettingOrigin::Variable(OPENAI_BASE_URL.to_owned());
    let base_url_meant = !(chat == ChatChoice::Anthropic && is_openais);
    Ok(WebSettings {
        providers: providers
            .iter()
            .map(|name| provider(read, "search.providers", name))
            .collect::<Result<_, _>>()?,
        bases,
        chat,
        chat_base_url: text("chat.base_url").filter(|_| base_url_meant),
        chat_model: text("chat.model"),
        chat_stands_for: text("chat.stands_for"),
        chat_window: u32::try_from(read.count("chat.window_tokens")?).ok().filter(|tokens| *tokens > 0),
        roles: RoleModels {
            planner: text("chat.planner_model"),
            reader: text("chat.reader_model"),
            writer: text("chat.writer_model"),
        },
        chat_endpoints,
        reach,
        contact: read.text("web.contact"),
        proxy: text("web.proxy"),
        archive: read.switch("web.archive")?,
        page_service: read.switch("web.page_service")?,
        browser: read.value("web.browser", browser)?,
        browser_program: read.optional("web.browser_program", directory)?,
    })
}

/// An allow rule for an address of this machine or of the user's network that a setting names.
pub fn own_host(base: &str) -> Option<String> {
    let url = Url::parse(base).ok()?;
    let port = url.port_or_known_default()?;
    let (host, address) = match url.host()? {
        url::Host::Ipv4(address) => (address.to_string(), address.to_string()),
        url::Host::Ipv6(address) => (format!("[{address}]"), format!("[{address}]")),
        url::Host::Domain("localhost") => ("localhost".to_owned(), "127.0.0.1".to_owned()),
        url::Host::Domain(_) => return None,
    };
    Some(format!("{host}:{port}={address}:{port}"))
}

fn names(read: &SettingsReader<'_>, key: &str) -> Vec<String> {
    let texts = read.raw.get(key).map(|written| written.texts.clone()).unwrap_or_default();
    texts.into_iter().filter(|text| !text.is_empty()).collect()
}

fn provider(read: &SettingsReader<'_>, key: &'static str, name: &str) -> Result<ProviderName, CommandError> {
    let known: Vec<&str> = ProviderName::ALL.iter().map(|name| name.as_str()).collect();
    ProviderName::parse(name.trim()).ok_or_else(|| wrong(read, key, name, &known.join(", ")))
}

fn wrong(read: &SettingsReader<'_>, key: &'static str, text: &str, expected: &str) -> CommandError {
    let text = probity_research::text::line(text, 80);
    let message = format!("{}: `{key}` holds `{text}`; expected: {expected}", read.origin(key));
    CommandError::new(Code::Settings, &message)
}

fn chat(text: &str) -> Option<ChatChoice> {
    match text {
        "auto" => Some(ChatChoice::Auto),
        "openai" => Some(ChatChoice::OpenAi),
        "gemini" => Some(ChatChoice::Gemini),
        "anthropic" => Some(ChatChoice::Anthropic),
        "none" => Some(ChatChoice::None),
        _ => None,
    }
}

fn browser(text: &str) -> Option<bool> {
    match text {
        "auto" => Some(true),
        "off" => Some(false),
        _ => None,
    }
}
