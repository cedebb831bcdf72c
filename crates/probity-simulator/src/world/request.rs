//! A create request: read, checked as the service checks it, and reduced to what has to be remembered.
//!
//! Never decides what the scenario does with it.

mod format;

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Value, json, value::RawValue};

use super::interaction::{InteractionWorker, ToolAccess};

/// Letters of the input kept as the subject of the report.
const SUBJECT_LETTERS_MAX: usize = 120;
/// Documented limit of a label's value.
const LABEL_BYTES_MAX: usize = 63;

#[derive(Deserialize)]
struct RawCreateRequest<'body> {
    agent: Option<String>,
    model: Option<String>,
    #[serde(borrow)]
    input: Option<&'body RawValue>,
    background: Option<bool>,
    store: Option<bool>,
    stream: Option<bool>,
    previous_interaction_id: Option<String>,
    #[serde(default)]
    labels: BTreeMap<String, String>,
    agent_config: Option<AgentConfig>,
    generation_config: Option<CreateGenerationConfig>,
    response_format: Option<Value>,
    response_mime_type: Option<String>,
    #[serde(default)]
    tools: Option<Vec<CreateTool>>,
}

#[derive(Deserialize)]
struct AgentConfig {
    thinking_summaries: Option<String>,
    visualization: Option<String>,
    collaborative_planning: Option<bool>,
}

#[derive(Deserialize)]
struct CreateGenerationConfig {
    thinking_summaries: Option<String>,
}

#[derive(Deserialize)]
struct CreateTool {
    #[serde(rename = "type")]
    kind: String,
}

/// Request fields `get` shows again. Everything else stays with the client.
const ECHOED: [&str; 14] = [
    "agent_config",
    "cached_content",
    "environment",
    "generation_config",
    "labels",
    "previous_interaction_id",
    "response_format",
    "response_mime_type",
    "response_modalities",
    "safety_settings",
    "service_tier",
    "system_instruction",
    "tools",
    "webhook_config",
];

/// Whether the agent is asked for a plan or for its execution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PlanningChoice {
    Asked,
    NotAsked,
}

/// A create request the service would accept.
#[derive(Debug)]
pub(crate) struct CreateRequest {
    pub(crate) worker: InteractionWorker,
    /// The words of the input, all text parts joined.
    pub(crate) text: String,
    /// The input as the content list of a `user_input` step, in JSON.
    pub(crate) user_content: Box<str>,
    /// `,"field":value` for every field `get` shows again.
    pub(crate) echo: Box<str>,
    pub(crate) background: bool,
    pub(crate) stored: bool,
    pub(crate) streamed: bool,
    pub(crate) previous: Option<String>,
    pub(crate) task: Option<String>,
    pub(crate) planning: PlanningChoice,
    pub(crate) summaries: bool,
    pub(crate) images: bool,
    pub(crate) tools: ToolAccess,
}

impl CreateRequest {
    /// Reads a body; the error is the message of the 400.
    pub(crate) fn read(body: &[u8]) -> Result<Self, String> {
        let raw: RawCreateRequest<'_> = serde_json::from_slice(body)
            .map_err(|error| format!("Invalid JSON payload received. {error}"))?;
        let worker = match (raw.agent, raw.model) {
            (Some(_), Some(_)) => return Err("Only one of `model` and `agent` may be set.".to_owned()),
            (None, None) => return Err("One of `model` and `agent` must be set.".to_owned()),
            (Some(agent), None) => InteractionWorker::Agent(agent.into()),
            (None, Some(model)) => InteractionWorker::Model(model.into()),
        };
        let input: Value = raw.input.map_or(Ok(Value::Null), |input| {
            serde_json::from_str(input.get()).map_err(|error| error.to_string())
        })?;
        let content = content_of(input);
        if content.is_empty() {
            return Err("Missing input.".to_owned());
        }
        let background = raw.background.unwrap_or(false);
        let stored = raw.store.unwrap_or(true);
        if matches!(worker, InteractionWorker::Agent(_)) && !background {
            return Err("Agents require background=true.".to_owned());
        }
        if background && !stored {
            return Err("background=true requires store=true.".to_owned());
        }
        check_labels(&raw.labels)?;
        let config = raw.agent_config;
        check_config(config.as_ref())?;
        format::check(raw.response_format.as_ref(), raw.response_mime_type.as_deref())?;
        let thinking = config.as_ref().and_then(|config| config.thinking_summaries.as_deref());
        let thinking = thinking
            .or(raw.generation_config.as_ref().and_then(|config| config.thinking_summaries.as_deref()));
        let text = text_of(&content);
        Ok(Self {
            tools: tools_of(raw.tools.as_deref(), &worker),
            worker,
            text,
            user_content: Value::Array(content).to_string().into(),
            echo: echo_of(body)?,
            background,
            stored,
            streamed: raw.stream.unwrap_or(false),
            previous: raw.previous_interaction_id,
            task: raw.labels.get("task").cloned(),
            planning: match config.as_ref().and_then(|config| config.collaborative_planning) {
                Some(true) => PlanningChoice::Asked,
                Some(false) | None => PlanningChoice::NotAsked,
            },
            summaries: thinking == Some("auto"),
            images: config.as_ref().and_then(|config| config.visualization.as_deref()) != Some("off"),
        })
    }

    /// What the report will be about: the input without its scenario, cut to a headline.
    pub(crate) fn subject(&self) -> Box<str> {
        let text = match self.text.split_once("]]") {
            Some((before, after)) if before.contains("[[") => after,
            _ => self.text.as_str(),
        };
        let line = text.split(['\n', '\r']).map(str::trim).find(|line| !line.is_empty());
        line.unwrap_or("the question").chars().take(SUBJECT_LETTERS_MAX).collect::<String>().into()
    }
}

/// The four forms of `input` as one content list.
fn content_of(input: Value) -> Vec<Value> {
    match input {
        Value::String(text) if text.trim().is_empty() => Vec::new(),
        Value::String(text) => vec![json!({"type": "text", "text": text})],
        Value::Object(_) => vec![input],
        Value::Array(items) => items
            .into_iter()
            .flat_map(|mut item| match item.get("type").and_then(Value::as_str) {
                Some("user_input") => match item.get_mut("content").map(Value::take) {
                    Some(Value::Array(content)) => content,
                    _ => Vec::new(),
                },
                _ => vec![item],
            })
            .collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => Vec::new(),
    }
}

fn text_of(content: &[Value]) -> String {
    let texts: Vec<&str> =
        content.iter().filter_map(|part| part.get("text").and_then(Value::as_str)).collect();
    texts.join("\n")
}

fn tools_of(tools: Option<&[CreateTool]>, worker: &InteractionWorker) -> ToolAccess {
    let Some(tools) = tools else {
        return match worker {
            InteractionWorker::Agent(_) => {
                ToolAccess { search: true, url: true, code: true, ..ToolAccess::default() }
            }
            InteractionWorker::Model(_) => ToolAccess::default(),
        };
    };
    let has = |kind: &str| tools.iter().any(|tool| tool.kind == kind);
    ToolAccess {
        search: has("google_search"),
        url: has("url_context"),
        code: has("code_execution"),
        file: has("file_search"),
        mcp: has("mcp_server"),
        maps: has("google_maps"),
    }
}

fn check_labels(labels: &BTreeMap<String, String>) -> Result<(), String> {
    let allowed =
        |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_' || byte == b'-';
    for (name, value) in labels {
        for text in [name, value] {
            if text.len() > LABEL_BYTES_MAX || !text.bytes().all(allowed) {
                return Err(format!("Invalid label `{text}`."));
            }
        }
    }
    Ok(())
}

fn check_config(config: Option<&AgentConfig>) -> Result<(), String> {
    let Some(config) = config else { return Ok(()) };
    if !matches!(config.thinking_summaries.as_deref(), None | Some("auto" | "none")) {
        return Err("Invalid value at 'agent_config.thinking_summaries'.".to_owned());
    }
    if !matches!(config.visualization.as_deref(), None | Some("auto" | "off")) {
        return Err("Invalid value at 'agent_config.visualization'.".to_owned());
    }
    Ok(())
}

fn echo_of(body: &[u8]) -> Result<Box<str>, String> {
    let fields: BTreeMap<String, &RawValue> =
        serde_json::from_slice(body).map_err(|error| error.to_string())?;
    let mut text = String::new();
    for field in ECHOED {
        if let Some(value) = fields.get(field).filter(|value| value.get() != "null") {
            text.push_str(",\"");
            text.push_str(field);
            text.push_str("\":");
            text.push_str(value.get());
        }
    }
    Ok(text.into())
}
