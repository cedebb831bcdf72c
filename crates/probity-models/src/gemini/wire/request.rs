//! The one body we send. Field order is wire order: the tests compare it byte by byte.

use serde::Serialize;

#[derive(Debug, Serialize)]
pub struct CreateInteractionRequest<'q> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<&'q str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<&'q str>,
    pub input: &'q str,
    pub stream: bool,
    pub background: bool,
    pub store: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_config: Option<AgentConfig>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub previous_interaction_id: Option<&'q str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system_instruction: Option<&'q str>,
    #[serde(skip_serializing_if = "<[InteractionTool]>::is_empty")]
    pub tools: &'q [InteractionTool],
    #[serde(skip_serializing_if = "Option::is_none")]
    pub response_format: Option<ResponseFormat<'q>>,
    pub labels: InteractionLabels<'q>,
}

/// What a model may do besides writing.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum InteractionTool {
    GoogleSearch,
    UrlContext,
}

/// Text that must be JSON of this schema.
#[derive(Debug, Serialize)]
pub struct ResponseFormat<'q> {
    #[serde(rename = "type")]
    pub kind: &'static str,
    pub mime_type: &'static str,
    pub schema: &'q serde_json::Value,
}

impl<'q> ResponseFormat<'q> {
    pub fn json(schema: &'q serde_json::Value) -> Self {
        Self { kind: "text", mime_type: "application/json", schema }
    }
}

#[derive(Debug, Serialize)]
pub struct AgentConfig {
    #[serde(rename = "type")]
    pub kind: &'static str,
    pub thinking_summaries: &'static str,
    pub visualization: &'static str,
    pub collaborative_planning: bool,
}

/// Lets an operator find a start at the provider whose response was lost.
#[derive(Debug, Serialize)]
pub struct InteractionLabels<'q> {
    pub task: &'q str,
}
