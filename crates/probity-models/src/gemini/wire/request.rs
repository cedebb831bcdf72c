//! The one body we send. Field order is wire order: the tests compare it byte by byte.

use serde::Serialize;

#[derive(Debug, Serialize)]
pub struct Create<'q> {
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
    pub labels: Labels<'q>,
}

#[derive(Debug, Serialize)]
pub struct AgentConfig {
    #[serde(rename = "type")]
    pub kind: &'static str,
    pub thinking_summaries: &'static str,
    pub visualization: &'static str,
    pub collaborative_planning: bool,
}

/// Found again at the provider by whoever has to clear up a start whose answer was lost.
#[derive(Debug, Serialize)]
pub struct Labels<'q> {
    pub task: &'q str,
}
