//! More endpoints of models than one: `chat.endpoints` names them, and a model is asked there as `MODEL@NAME`.

use std::collections::BTreeMap;

use probity_models::{
    ApiKey,
    chat::{ChatKind, ChatSettings},
};
use url::Url;

/// What the key of such an endpoint is called ends so; what stands before it is the endpoint's name.
pub const KEY_SUFFIX: &str = "_API_KEY";

/// The same model at the endpoint that its name asks for; unchanged where it names none that is known.
pub fn at_named_endpoint(
    endpoints: &BTreeMap<String, String>,
    keys: &BTreeMap<String, ApiKey>,
    chat: ChatSettings,
) -> ChatSettings {
    let Some((model, name)) = chat.model.rsplit_once('@') else { return chat };
    let Some(base_url) = endpoints.get(name) else { return chat };
    ChatSettings {
        base_url: base_url.clone(),
        key: keys.get(&key_variable(name)).cloned(),
        ..ChatSettings::new(kind(base_url), model)
    }
}

/// `GROQ_API_KEY` for `groq`, `MY_SERVER_API_KEY` for `my-server`.
pub fn key_variable(name: &str) -> String {
    name.replace('-', "_").to_uppercase() + KEY_SUFFIX
}

/// Lower case letters, digits and dashes: part of a model's name on one side, of a variable on the other.
pub fn is_name(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    !text.is_empty() && text.bytes().all(plain)
}

/// Which API an address speaks. Services that speak several have Anthropic's below `/anthropic`.
fn kind(base_url: &str) -> ChatKind {
    let url = Url::parse(base_url).ok();
    let host = url.as_ref().and_then(Url::host_str).unwrap_or_default();
    let path = url.as_ref().map(Url::path).unwrap_or_default();
    let is_at = |name: &str| host == name || host.strip_suffix(name).is_some_and(|rest| rest.ends_with('.'));
    if is_at("anthropic.com") || path.split('/').any(|part| part == "anthropic") {
        ChatKind::Anthropic
    } else if is_at("googleapis.com") && !path.contains("openai") {
        ChatKind::Gemini
    } else {
        ChatKind::OpenAi
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use probity_models::{
        ApiKey,
        chat::{ChatKind, ChatSettings},
    };

    use super::{at_named_endpoint, is_name};

    #[track_caller]
    fn check(model: &str, expected: &str) {
        let endpoints = [
            ("groq", "https://api.groq.com/openai/v1"),
            ("claude", "https://api.anthropic.com"),
            ("deep-seek", "https://api.deepseek.com/anthropic"),
            ("google", "https://generativelanguage.googleapis.com"),
            ("here", "http://localhost:11434/v1"),
        ]
        .map(|(name, base)| (name.to_owned(), base.to_owned()));
        let keys = ["GROQ_API_KEY", "DEEP_SEEK_API_KEY"]
            .map(|name| (name.to_owned(), ApiKey::parse(&format!("key-{name}")).unwrap()));
        let usual = ChatSettings::new(ChatKind::OpenAi, model);
        let chat = at_named_endpoint(&BTreeMap::from(endpoints), &BTreeMap::from(keys), usual);
        let key = chat.key.as_ref().map_or("no key", ApiKey::expose);
        assert_eq!(format!("{:?} {} {} {key}", chat.kind, chat.base_url, chat.model), expected);
    }

    #[test]
    fn a_model_is_asked_where_its_name_says_and_with_the_key_of_that_place() {
        check("qwen3:8b@here", "OpenAi http://localhost:11434/v1 qwen3:8b no key");
        check("a/b@groq", "OpenAi https://api.groq.com/openai/v1 a/b key-GROQ_API_KEY");
        check("claude-sonnet-5@claude", "Anthropic https://api.anthropic.com claude-sonnet-5 no key");
        check("m@deep-seek", "Anthropic https://api.deepseek.com/anthropic m key-DEEP_SEEK_API_KEY");
        check("gemini@google", "Gemini https://generativelanguage.googleapis.com gemini no key");
        // No endpoint of that name: the name is the model's own.
        check("m@20240620", "OpenAi https://api.openai.com/v1 m@20240620 no key");
        check("m", "OpenAi https://api.openai.com/v1 m no key");
    }

    #[test]
    fn names_fit_into_variables() {
        assert!(is_name("groq") && is_name("my-server2"));
        assert!(!is_name("") && !is_name("a b") && !is_name("A") && !is_name("a@b"));
    }
}
