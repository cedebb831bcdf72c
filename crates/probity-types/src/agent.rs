//! The Deep Research agents Probity knows, with what the provider documents about each.
//!
//! Names are configuration: a new agent is one row here, or one line in the settings.

use serde::{Deserialize, Serialize};

use crate::error::{Code, CodedError};

/// The agent that `start_deep_research` named before the current ones existed; still accepted.
pub const SEED_AGENT: &str = "deep-research-pro-preview-12-2025";
pub const DEFAULT_AGENT: &str = "deep-research-preview-04-2026";

/// What the provider's documentation says of one task (read 2026-10-07). Assumed, not measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnownAgent {
    pub name: &'static str,
    pub searches_typical: u32,
    pub cost_min_micro_usd: u64,
    pub cost_likely_micro_usd: u64,
    pub cost_max_micro_usd: u64,
    pub superseded_by: Option<&'static str>,
}

pub const KNOWN: &[KnownAgent] = &[
    KnownAgent {
        name: DEFAULT_AGENT,
        searches_typical: 80,
        cost_min_micro_usd: 1_000_000,
        cost_likely_micro_usd: 2_000_000,
        cost_max_micro_usd: 3_000_000,
        superseded_by: None,
    },
    KnownAgent {
        name: "deep-research-max-preview-04-2026",
        searches_typical: 160,
        cost_min_micro_usd: 3_000_000,
        cost_likely_micro_usd: 5_000_000,
        cost_max_micro_usd: 7_000_000,
        superseded_by: None,
    },
    KnownAgent {
        name: SEED_AGENT,
        searches_typical: 80,
        cost_min_micro_usd: 1_000_000,
        cost_likely_micro_usd: 2_000_000,
        cost_max_micro_usd: 3_000_000,
        superseded_by: Some(DEFAULT_AGENT),
    },
];

/// Name of an agent that is known here or listed in the user's settings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct AgentName(String);

impl Default for AgentName {
    fn default() -> Self {
        Self(DEFAULT_AGENT.to_owned())
    }
}

impl AgentName {
    /// `also_allowed` are names from the settings: preview agents appear and die between releases.
    pub fn parse(text: &str, also_allowed: &[String]) -> Result<Self, CodedError> {
        let known = KNOWN.iter().any(|agent| agent.name == text);
        if known || (well_formed(text) && also_allowed.iter().any(|name| name == text)) {
            return Ok(Self(text.to_owned()));
        }
        let names: Vec<&str> = KNOWN.iter().map(|agent| agent.name).collect();
        let message =
            format!("`{}` is not a known agent; known: {}", crate::text::line(text, 80), names.join(", "));
        Err(CodedError::new(Code::UnknownAgent, &message))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Facts of this agent; an agent from the settings is taken to behave like the default one.
    pub fn facts(&self) -> &'static KnownAgent {
        const FALLBACK: &KnownAgent = match KNOWN.first() {
            Some(agent) => agent,
            None => &KnownAgent {
                name: DEFAULT_AGENT,
                searches_typical: 80,
                cost_min_micro_usd: 0,
                cost_likely_micro_usd: 0,
                cost_max_micro_usd: 0,
                superseded_by: None,
            },
        };
        KNOWN.iter().find(|agent| agent.name == self.0).unwrap_or(FALLBACK)
    }
}

/// The form of an agent's or a model's name: it travels in addresses and on command lines.
pub(crate) fn well_formed(text: &str) -> bool {
    let allowed =
        |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'.');
    (1..=64).contains(&text.len()) && !text.starts_with(['-', '.']) && text.bytes().all(allowed)
}

#[cfg(test)]
mod tests {
    use super::{AgentName, SEED_AGENT};

    #[test]
    fn the_old_name_is_accepted_and_an_unknown_one_is_answered_with_the_known_ones() {
        assert_eq!(
            AgentName::parse(SEED_AGENT, &[]).map(|agent| agent.as_str().to_owned()),
            Ok(SEED_AGENT.to_owned())
        );
        let refused = AgentName::parse("gpt-99", &[]).unwrap_err();
        assert!(refused.message.contains("deep-research-preview-04-2026"), "{}", refused.message);
    }

    #[test]
    fn a_name_from_the_settings_must_still_be_a_name() {
        let settings = vec!["deep-research-preview-01-2027".to_owned(), "--flag".to_owned()];
        assert!(AgentName::parse("deep-research-preview-01-2027", &settings).is_ok());
        assert!(AgentName::parse("--flag", &settings).is_err());
    }
}
