//! The JSON schemas of the four model calls.

use probity_research::web::{
    note::{FACTS_MAX, QUOTES_MAX},
    task::WebRequest,
};
use serde_json::{Value, json};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelCallKind {
    Plan,
    Choose,
    Read,
    Write,
}

impl ModelCallKind {
    /// None for a request that needs no model, or is of the second engine.
    pub fn of(ask: &WebRequest) -> Option<Self> {
        match ask {
            WebRequest::Plan(_) => Some(Self::Plan),
            WebRequest::Choose(_) => Some(Self::Choose),
            WebRequest::Read(_) => Some(Self::Read),
            WebRequest::Write(_) => Some(Self::Write),
            WebRequest::Search(_)
            | WebRequest::Folder { .. }
            | WebRequest::Page { .. }
            | WebRequest::Brief(_)
            | WebRequest::Line(_)
            | WebRequest::Survey(_)
            | WebRequest::Outline(_)
            | WebRequest::Section(_)
            | WebRequest::Synthesis(_)
            | WebRequest::Front(_) => None,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Plan => "plan",
            Self::Choose => "choose",
            Self::Read => "read",
            Self::Write => "write",
        }
    }

    /// Room for the longest useful answer: six paragraphs copied, or a long report.
    pub fn output_tokens_max(self) -> u32 {
        match self {
            Self::Plan => 1_500,
            Self::Choose => 300,
            Self::Read => 3_000,
            Self::Write => 8_000,
        }
    }

    pub fn schema(self) -> Value {
        let text = json!({"type": "string"});
        let texts = json!({"type": "array", "items": text});
        let numbers = json!({"type": "array", "items": {"type": "integer"}});
        match self {
            Self::Plan => object(json!({
                "sub_questions": texts,
                "queries": texts,
                "enough": {"type": "boolean"},
            })),
            Self::Choose => object(json!({"indices": numbers})),
            Self::Read => object(json!({
                "relevant": {"type": "boolean"},
                "quotes": {"type": "array", "items": text, "maxItems": QUOTES_MAX},
                "facts": {"type": "array", "maxItems": FACTS_MAX, "items": object(json!({
                    "kind": {"type": "string", "enum": ["number", "date", "name", "place", "other"]},
                    "value": text,
                    "quote": {"type": "integer"},
                }))},
                "links": numbers,
            })),
            Self::Write => object(json!({
                "title": text,
                "sections": {"type": "array", "items": object(json!({
                    "heading": text,
                    "sentences": {"type": "array", "items": object(json!({"text": text, "notes": numbers}))},
                }))},
                "unanswered": texts,
            })),
        }
    }
}

/// Every field is required and no other allowed: what strict endpoints ask for.
fn object(properties: Value) -> Value {
    let names: Vec<&String> =
        properties.as_object().map(|fields| fields.keys().collect()).unwrap_or_default();
    json!({"type": "object", "required": names, "additionalProperties": false, "properties": properties.clone()})
}
