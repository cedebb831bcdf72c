//! A generateContent request: its messages, which functions may be called, what the request is for.

use serde::Deserialize;
use serde_json::Value;

/// How the Gemini CLI begins the message in which it introduces itself. It lists file names, so it must not
/// be taken for the prompt.
const SESSION_CONTEXT: &str = "<session_context>";
/// How the Gemini CLI begins the question about pages it has fetched, or wants fetched.
const FETCH_PROMPT: &str = "Follow the user's instructions";

/// How the Gemini CLI asks once more after an empty answer: still the same turn.
const ASKED_AGAIN: &str = "[System: You previously returned an empty response";

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawGenerateRequest {
    contents: Option<Vec<MessageContent>>,
    #[serde(default)]
    tools: Option<Vec<GenerateTool>>,
    generation_config: Option<GenerateConfig>,
    /// `countTokens` may wrap the request.
    generate_content_request: Option<Value>,
}

#[derive(Deserialize)]
struct MessageContent {
    role: Option<String>,
    #[serde(default)]
    parts: Vec<ContentPart>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ContentPart {
    text: Option<String>,
    function_call: Option<FunctionCall>,
    function_response: Option<FunctionResponse>,
}

#[derive(Deserialize)]
struct FunctionCall {
    name: String,
}

#[derive(Deserialize)]
struct FunctionResponse {
    #[serde(default)]
    response: Value,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct GenerateTool {
    #[serde(default)]
    function_declarations: Vec<FunctionDeclaration>,
    google_search: Option<Value>,
    url_context: Option<Value>,
}

#[derive(Deserialize)]
struct FunctionDeclaration {
    name: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct GenerateConfig {
    response_json_schema: Option<Value>,
    response_schema: Option<Value>,
}

/// What a request is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RequestPurpose {
    /// Fill a schema: the CLI's choice of a model, and its other questions about the conversation.
    Schema,
    Search,
    Fetch,
    /// A turn of the conversation.
    Turn,
}

/// The role of the last message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NewestMessage {
    UserText,
    /// A repetition, because the model's answer was empty.
    AskedAgain,
    ToolResults,
}

#[derive(Debug)]
pub(super) struct Conversation {
    /// The newest message of the user.
    pub(super) prompt: String,
    /// Tool results since.
    pub(super) results: String,
    /// The functions the model has called since.
    pub(super) called: Vec<String>,
    pub(super) newest: NewestMessage,
    pub(super) functions: Vec<String>,
    pub(super) built_in_search: bool,
    pub(super) built_in_url: bool,
    pub(super) schema: Option<Value>,
    /// Size of everything that was said.
    pub(super) bytes: usize,
}

impl Conversation {
    /// Reads a body; the error is the message of the 400.
    pub(super) fn read(body: &[u8]) -> Result<Self, String> {
        let invalid = |error: serde_json::Error| format!("Invalid JSON payload received. {error}");
        let mut raw: RawGenerateRequest = serde_json::from_slice(body).map_err(invalid)?;
        if let Some(inner) = raw.generate_content_request.take() {
            raw = serde_json::from_value(inner).map_err(invalid)?;
        }
        let contents = raw.contents.filter(|contents| !contents.is_empty());
        let contents = contents.ok_or("* GenerateContentRequest.contents: contents is not specified")?;
        let tools = raw.tools.unwrap_or_default();
        let config = raw.generation_config;
        let mut conversation = Self {
            prompt: String::new(),
            results: String::new(),
            called: Vec::new(),
            newest: NewestMessage::UserText,
            functions: tools
                .iter()
                .flat_map(|tool| tool.function_declarations.iter().map(|function| function.name.clone()))
                .collect(),
            built_in_search: tools.iter().any(|tool| tool.google_search.is_some()),
            built_in_url: tools.iter().any(|tool| tool.url_context.is_some()),
            schema: config.and_then(|config| config.response_json_schema.or(config.response_schema)),
            bytes: body.len(),
        };
        for content in contents {
            conversation.add_content(content);
        }
        Ok(conversation)
    }

    pub(super) fn role(&self) -> RequestPurpose {
        let asks_for_report =
            self.schema.as_ref().is_some_and(|schema| schema.pointer("/properties/report").is_some());
        let scripted = matches!(crate::rounds::RoundsScript::in_text(&self.prompt), Ok(Some(_)) | Err(_));
        if self.schema.is_some() && !asks_for_report {
            RequestPurpose::Schema
        } else if self.functions.is_empty() && self.prompt.starts_with(FETCH_PROMPT) {
            RequestPurpose::Fetch
        } else if !self.functions.is_empty() || scripted || self.built_in_search == self.built_in_url {
            RequestPurpose::Turn
        } else if self.built_in_search {
            RequestPurpose::Search
        } else {
            RequestPurpose::Fetch
        }
    }

    pub(super) fn declares(&self, function: &str) -> bool {
        self.functions.iter().any(|name| name == function)
    }

    pub(super) fn has_called(&self, function: &str) -> bool {
        self.called.iter().any(|name| name == function)
    }

    /// The prompt and all tool results for it.
    pub(super) fn prompt_and_results(&self) -> String {
        [self.prompt.as_str(), &self.results].join("\n")
    }

    fn add_content(&mut self, content: MessageContent) {
        if content.role.as_deref() == Some("model") {
            self.called.extend(content.parts.into_iter().filter_map(|part| Some(part.function_call?.name)));
            return;
        }
        if content.parts.iter().any(|part| part.function_response.is_some()) {
            self.newest = NewestMessage::ToolResults;
            let responses = content.parts.iter().filter_map(|part| part.function_response.as_ref());
            responses.for_each(|response| push_texts(&response.response, &mut self.results));
            return;
        }
        let texts: Vec<String> = content
            .parts
            .into_iter()
            .filter_map(|part| part.text)
            .filter(|text| !text.starts_with(SESSION_CONTEXT))
            .collect();
        if !texts.is_empty() {
            let again = texts.iter().any(|text| text.contains(ASKED_AGAIN));
            self.newest = if again { NewestMessage::AskedAgain } else { NewestMessage::UserText };
            self.prompt = texts.join("\n");
            self.results.clear();
            self.called.clear();
        }
    }
}

/// Every string inside a value, one line each: answers of tools have no fixed shape.
fn push_texts(value: &Value, texts: &mut String) {
    match value {
        Value::String(text) => {
            texts.push_str(text);
            texts.push('\n');
        }
        Value::Array(items) => items.iter().for_each(|item| push_texts(item, texts)),
        Value::Object(fields) => fields.values().for_each(|item| push_texts(item, texts)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
