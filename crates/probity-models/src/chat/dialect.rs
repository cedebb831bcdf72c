//! What endpoints differ in: the path, the fields they accept, and what a refusal teaches.

use std::sync::atomic::{AtomicU8, Ordering};

use probity_research::error::{Code, CodedError};
use serde_json::Value;
use url::Url;

use super::{
    ANTHROPIC_BASE_URL, ChatCall, ChatKind, GEMINI_BASE_URL, OPENAI_BASE_URL, anthropic,
    refusal::{CallAcceptance, ChatRefusal},
};
use crate::transport::http;

/// What is known of a kind of endpoint. There is no default: whoever adds one says all of it, and where it differs in
/// more than words (`address`, `body`, `read`) the compiler asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ChatKindFacts {
    pub(super) base_url: &'static str,
    /// What stands behind a bare host.
    version: &'static str,
    pub(super) key: KeyHeader,
    /// A header that every request carries.
    pub(super) version_header: Option<(&'static str, &'static str)>,
    pub(super) prices: PriceListing,
    limit: LimitSpelling,
}

/// How the key is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KeyHeader {
    Bearer,
    Named(&'static str),
}

/// Whose prices hold, unless the settings say whom the endpoint stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PriceListing {
    /// This provider's of the table, wherever the endpoint is.
    Provider(&'static str),
    /// Those of the address; free on this machine.
    Address,
}

/// Whether endpoints disagree about the name of the limit on what is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LimitSpelling {
    One,
    Two,
}

impl ChatKind {
    pub(super) const fn facts(self) -> ChatKindFacts {
        match self {
            Self::OpenAi => ChatKindFacts {
                base_url: OPENAI_BASE_URL,
                version: "/v1",
                key: KeyHeader::Bearer,
                version_header: None,
                prices: PriceListing::Address,
                limit: LimitSpelling::Two,
            },
            Self::Gemini => ChatKindFacts {
                base_url: GEMINI_BASE_URL,
                version: "/v1beta",
                key: KeyHeader::Named("x-goog-api-key"),
                version_header: None,
                prices: PriceListing::Provider("google"),
                limit: LimitSpelling::One,
            },
            Self::Anthropic => ChatKindFacts {
                base_url: ANTHROPIC_BASE_URL,
                version: "/v1",
                key: KeyHeader::Named("x-api-key"),
                version_header: Some(anthropic::VERSION),
                prices: PriceListing::Address,
                limit: LimitSpelling::One,
            },
        }
    }
}

/// What is known of an endpoint before the first word.
#[derive(Debug, Clone)]
pub(super) struct EndpointDialect {
    pub(super) kind: ChatKind,
    /// With its version, without a slash at the end.
    pub(super) base: String,
    pub(super) loopback: bool,
    /// Lower case.
    host: String,
}

impl EndpointDialect {
    pub(super) fn of(kind: ChatKind, base_url: &str) -> Result<Self, CodedError> {
        let Ok(url) = Url::parse(base_url) else {
            return Err(CodedError::new(Code::Settings, "the base URL of the chat model is not a URL"));
        };
        let mut base = base_url.trim().trim_end_matches('/').to_owned();
        if matches!(url.path(), "" | "/") {
            base.push_str(kind.facts().version);
        }
        let host = url.host_str().unwrap_or_default().to_ascii_lowercase();
        Ok(Self { kind, base, loopback: http::is_loopback(&url), host })
    }

    /// The URL of the call; `None` if the model's name cannot be part of an address.
    pub(super) fn address(&self, model: &str) -> Option<String> {
        match self.kind {
            ChatKind::OpenAi => Some(format!("{}/chat/completions", self.base)),
            ChatKind::Anthropic => Some(format!("{}/messages", self.base)),
            ChatKind::Gemini => {
                let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_');
                let fits = !model.starts_with('.') && model.bytes().all(plain);
                fits.then(|| format!("{}/models/{model}:generateContent", self.base))
            }
        }
    }

    /// Hosted endpoints all want a key; a company's own may not.
    pub(super) fn needs_key(&self) -> bool {
        let hosted = ["openai.com", "openrouter.ai", "googleapis.com", "anthropic.com"];
        hosted.iter().any(|name| self.is_at(name))
    }

    pub(super) fn is_openrouter(&self) -> bool {
        self.is_at("openrouter.ai")
    }

    /// The field for the output limit: OpenAI's newer models refuse the one that all other endpoints know.
    fn newer_limit(&self) -> bool {
        self.is_at("openai.com")
    }

    fn is_at(&self, name: &str) -> bool {
        self.host.strip_suffix(name).is_some_and(|before| before.is_empty() || before.ends_with('.'))
    }
}

/// How a request is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RequestStyle {
    pub(super) schema: SchemaPlacement,
    limit: LimitField,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SchemaPlacement {
    /// The endpoint's own parameter.
    Parameter,
    /// As text in the prompt.
    Words,
}

/// The name of the output limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LimitField {
    /// As this endpoint's host suggests.
    Usual,
    Other,
}

impl RequestStyle {
    pub(super) fn limit_name(self, dialect: &EndpointDialect) -> &'static str {
        if dialect.newer_limit() == (self.limit == LimitField::Usual) {
            "max_completion_tokens"
        } else {
            "max_tokens"
        }
    }

    /// How to retry after an unbilled refusal that blames the request's form; `None` if a retry would not
    /// help.
    pub(super) fn fallback_after(
        self,
        refused: &ChatRefusal,
        dialect: &EndpointDialect,
        call: &ChatCall,
    ) -> Option<Self> {
        let blames_request = refused.accepted == CallAcceptance::No
            && refused.problem.code == Code::BadRequest
            && matches!(refused.problem.http_status, Some(400 | 422));
        if !blames_request {
            return None;
        }
        let blames_limit = dialect.kind.facts().limit == LimitSpelling::Two
            && self.limit == LimitField::Usual
            && refused.problem.message.contains(self.limit_name(dialect))
            && ["nsupported", "not supported", "nknown", "nrecognized", "extra"]
                .iter()
                .any(|word| refused.problem.message.contains(word));
        if blames_limit {
            return Some(Self { limit: LimitField::Other, ..self });
        }
        let asked = call.schema.is_some() && self.schema == SchemaPlacement::Parameter;
        asked.then_some(Self { schema: SchemaPlacement::Words, ..self })
    }
}

/// The form that worked last: the refused one is not tried before every call.
#[derive(Debug, Default)]
pub(super) struct RequestStyleMemory(AtomicU8);

const WORDS: u8 = 1;
const OTHER_LIMIT: u8 = 2;

impl RequestStyleMemory {
    pub(super) fn style(&self) -> RequestStyle {
        let bits = self.0.load(Ordering::Relaxed);
        RequestStyle {
            schema: if bits & WORDS == 0 { SchemaPlacement::Parameter } else { SchemaPlacement::Words },
            limit: if bits & OTHER_LIMIT == 0 { LimitField::Usual } else { LimitField::Other },
        }
    }

    pub(super) fn remember(&self, manner: RequestStyle) {
        let words = if manner.schema == SchemaPlacement::Words { WORDS } else { 0 };
        let limit = if manner.limit == LimitField::Other { OTHER_LIMIT } else { 0 };
        self.0.fetch_or(words | limit, Ordering::Relaxed);
    }
}

/// The system text, with the schema as text where the endpoint takes none.
pub(super) fn system_text(call: &ChatCall, manner: RequestStyle) -> String {
    match &call.schema {
        Some(schema) if manner.schema == SchemaPlacement::Words => format!(
            "{}\n\nAnswer with one JSON object and nothing around it. It must fit this JSON schema:\n{schema}",
            call.system
        ),
        Some(_) | None => call.system.clone(),
    }
}

/// Whether a schema follows the rules under which OpenAI guarantees that answers match it: every object
/// closed, every property required.
pub(super) fn is_strict(schema: &Value) -> bool {
    match schema {
        Value::Object(fields) => {
            let properties = fields.get("properties").and_then(Value::as_object);
            let required = fields.get("required").and_then(Value::as_array);
            let is_object = fields.get("type").and_then(Value::as_str) == Some("object");
            let closed = fields.get("additionalProperties") == Some(&Value::Bool(false));
            let all_required = properties.into_iter().flat_map(|names| names.keys()).all(|name| {
                required.is_some_and(|required| required.iter().any(|one| one.as_str() == Some(name)))
            });
            (!is_object || (closed && all_required)) && fields.values().all(is_strict)
        }
        Value::Array(members) => members.iter().all(is_strict),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{EndpointDialect, RequestStyleMemory, is_strict};
    use crate::chat::ChatKind;

    #[track_caller]
    fn check(kind: ChatKind, base: &str, address: &str, limit: &str) {
        let dialect = EndpointDialect::of(kind, base).unwrap();
        assert_eq!(dialect.address("m-1.5").as_deref(), Some(address));
        assert_eq!(RequestStyleMemory::default().style().limit_name(&dialect), limit, "{base}");
    }

    #[test]
    fn a_bare_host_gets_the_usual_version_and_a_path_is_kept() {
        let (old, new) = ("max_tokens", "max_completion_tokens");
        let openai = ChatKind::OpenAi;
        check(openai, "https://api.openai.com", "https://api.openai.com/v1/chat/completions", new);
        check(openai, "http://localhost:11434/", "http://localhost:11434/v1/chat/completions", old);
        check(openai, "https://openrouter.ai/api/v1/", "https://openrouter.ai/api/v1/chat/completions", old);
        check(openai, "https://notopenai.com/v1", "https://notopenai.com/v1/chat/completions", old);
        let google = "https://generativelanguage.googleapis.com";
        let address = format!("{google}/v1beta/models/m-1.5:generateContent");
        check(ChatKind::Gemini, google, &address, old);
        let anthropic = "https://api.anthropic.com";
        check(ChatKind::Anthropic, anthropic, &format!("{anthropic}/v1/messages"), old);
    }

    #[test]
    fn a_name_cannot_leave_its_place_in_the_address() {
        let dialect = EndpointDialect::of(ChatKind::Gemini, "http://127.0.0.1:1").unwrap();
        for name in ["../files", "a/b", "a?key=1", "a#b", "a:b"] {
            assert_eq!(dialect.address(name), None, "{name}");
        }
    }

    #[test]
    fn only_closed_schemas_are_promised_to_be_kept() {
        let closed = json!({"type": "object", "additionalProperties": false, "required": ["a"],
            "properties": {"a": {"type": "array", "items": {"type": "integer"}}}});
        assert!(is_strict(&closed));
        let mut open = closed.clone();
        open["properties"]["a"]["items"] = json!({"type": "object", "properties": {}});
        assert!(!is_strict(&open));
        let mut optional = closed;
        optional["required"] = json!([]);
        assert!(!is_strict(&optional));
    }
}
