//! A chat completion request: its messages, the schema of the answer, the script it asks for.

use serde::Deserialize;
use serde_json::Value;

use super::script::Script;
use crate::named_set::named;

named! {
    /// What the web engine asks a model for; also the names of the schemas. Those of the second engine come first: fields
    /// of the first one's schemas are also in theirs.
    pub enum Asked {
        Brief = "brief",
        Line = "line",
        Survey = "survey",
        Outline = "outline",
        Section = "section",
        Synthesis = "synthesis",
        Front = "front",
        Plan = "plan",
        Choose = "choose",
        Read = "read",
        Write = "write",
        /// Whether passages support claims.
        Judge = "judge",
    }
}

impl Asked {
    /// A field that only the schema of this question has.
    fn field(self) -> &'static str {
        match self {
            Self::Brief => "\"reader_wants\"",
            Self::Line => "\"gap\"",
            Self::Survey => "\"new_terms\"",
            Self::Outline => "\"operations\"",
            Self::Section => "\"blocks\"",
            Self::Synthesis => "\"rests_on\"",
            Self::Front => "\"key_points\"",
            Self::Plan => "\"sub_questions\"",
            Self::Choose => "\"indices\"",
            Self::Read => "\"quotes\"",
            Self::Write => "\"sections\"",
            Self::Judge => "\"answers\"",
        }
    }
}

#[derive(Deserialize)]
struct RawChatRequest {
    model: Option<String>,
    messages: Option<Vec<ChatMessage>>,
    #[serde(default)]
    stream: bool,
    response_format: Option<Value>,
}

#[derive(Deserialize)]
pub(super) struct ChatMessage {
    pub(super) role: String,
    pub(super) content: Option<Value>,
}

#[derive(Debug)]
pub(super) struct ChatRequest {
    pub(super) model: String,
    pub(super) system: String,
    pub(super) user: String,
    pub(super) stream: bool,
    pub(super) schema_name: Option<String>,
}

/// `[[chat key=K script=forgetful duration_ms=5000]]` anywhere in the prompt.
#[derive(Debug, Default)]
pub(super) struct ChatTag {
    pub(super) key: Option<String>,
    pub(super) script: Option<Script>,
    pub(super) duration_ms: Option<u64>,
}

impl ChatRequest {
    /// Reads a body; the error is the message of the 400.
    pub(super) fn read(body: &[u8]) -> Result<Self, String> {
        let raw: RawChatRequest = serde_json::from_slice(body)
            .map_err(|error| format!("We could not parse the JSON body of your request. ({error})"))?;
        let model = raw.model.filter(|name| !name.is_empty()).ok_or("you must provide a model parameter")?;
        let messages = raw.messages.filter(|messages| !messages.is_empty());
        let messages = messages.ok_or("Missing required parameter: 'messages'.")?;
        let format = raw.response_format;
        let name = format.as_ref().and_then(|format| format.pointer("/json_schema/name"));
        let schema_name = name.and_then(Value::as_str).map(str::to_owned);
        if format.as_ref().is_some_and(is_schema) && schema_name.is_none() {
            return Err("Missing required parameter: 'response_format.json_schema.name'.".to_owned());
        }
        let said = |is_wanted: fn(&str) -> bool| {
            let texts = messages.iter().filter(|message| is_wanted(&message.role));
            texts.map(|message| text(message.content.as_ref())).collect::<Vec<_>>().join("\n")
        };
        let system = said(|role| matches!(role, "system" | "developer"));
        let user = said(|role| role == "user");
        Ok(Self { model, system, user, stream: raw.stream, schema_name })
    }

    /// A question that came by another way.
    pub(super) fn of_user(user: &str, schema_name: &str) -> Self {
        Self {
            model: String::new(),
            system: String::new(),
            user: user.to_owned(),
            stream: false,
            schema_name: Some(schema_name.to_owned()),
        }
    }

    pub(super) fn has_schema_parameter(&self) -> bool {
        self.schema_name.is_some()
    }

    /// Which of the questions this is: by the schema's name, by the schema given as text, or as lines.
    pub(super) fn asked(&self) -> Option<Asked> {
        match &self.schema_name {
            Some(name) => Asked::parse(name),
            None => {
                let in_words = Asked::ALL.iter().copied().find(|asked| self.system.contains(asked.field()));
                in_words.or_else(|| self.asked_in_lines())
            }
        }
    }

    /// The question whose answer is wanted as plain lines.
    pub(super) fn asked_in_lines(&self) -> Option<Asked> {
        let (before, _) = self.user.rsplit_once("` as plain lines")?;
        Asked::parse(before.rsplit_once('`')?.1)
    }

    pub(super) fn tag(&self) -> ChatTag {
        let mut tag = ChatTag::default();
        let in_text = |text: &str| -> Option<String> {
            let (_, behind) = text.split_once("[[chat ")?;
            behind.split_once("]]").map(|(words, _)| words.to_owned())
        };
        let words = in_text(&self.user).or_else(|| in_text(&self.system)).unwrap_or_default();
        for word in words.split_whitespace() {
            match word.split_once('=') {
                Some(("key", key)) => tag.key = Some(key.to_owned()),
                Some(("script", name)) => tag.script = Script::parse(name),
                Some(("duration_ms", number)) => tag.duration_ms = number.parse().ok(),
                _ => {}
            }
        }
        tag
    }
}

fn is_schema(format: &Value) -> bool {
    format.get("type").and_then(Value::as_str) == Some("json_schema")
}

/// One string, or parts of which those with text count.
pub(super) fn text(content: Option<&Value>) -> String {
    match content {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => {
            parts.iter().filter_map(|part| part.get("text")?.as_str()).collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}
