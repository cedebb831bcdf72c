//! The calls of the second engine: their names, the JSON schemas of their answers, and how long these may be.

use probity_research::{
    inquiry::{
        BlockKind, InferenceMove, QuoteRole, RequirementKind,
        answer::{
            BLOCKS_MAX, CLARIFICATIONS_MAX, LINE_QUERIES_MAX, OPERATIONS_MAX, REQUIREMENTS_MAX, TERMS_MAX,
        },
    },
    web::task::WebRequest,
};
use serde_json::{Value, json};

/// Tokens of an answer that are not counted by its items: brackets, names of fields, a reason.
const FRAME_TOKENS: u32 = 600;
/// One sentence of a report in JSON has about twenty words; ids and names of fields are as long again. Scripts other than
/// Latin need more tokens for a word.
const TOKENS_PER_WORD: u32 = 4;
const TOKENS_PER_FACET: u32 = 150;
const TOKENS_PER_QUOTE: u32 = 260;
const TOKENS_PER_GIST: u32 = 16;
const TOKENS_PER_SECTION: u32 = 120;
/// No answer is longer: what hosted models write at once.
const OUTPUT_TOKENS_MAX: u32 = 16_000;
/// Models that think before they write count their thoughts as output.
const THINKING_TIMES: u32 = 2;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum InquiryCallKind {
    Brief,
    Line,
    Survey,
    Outline,
    Section,
    Synthesis,
    Front,
}

impl InquiryCallKind {
    /// None for a request of the first engine, or one that needs no model.
    pub(super) fn of(ask: &WebRequest) -> Option<Self> {
        match ask {
            WebRequest::Brief(_) => Some(Self::Brief),
            WebRequest::Line(_) => Some(Self::Line),
            WebRequest::Survey(_) => Some(Self::Survey),
            WebRequest::Outline(_) => Some(Self::Outline),
            WebRequest::Section(_) => Some(Self::Section),
            WebRequest::Synthesis(_) => Some(Self::Synthesis),
            WebRequest::Front(_) => Some(Self::Front),
            WebRequest::Plan(_)
            | WebRequest::Search(_)
            | WebRequest::Folder { .. }
            | WebRequest::Choose(_)
            | WebRequest::Page { .. }
            | WebRequest::Read(_)
            | WebRequest::Write(_) => None,
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Brief => "brief",
            Self::Line => "line",
            Self::Survey => "survey",
            Self::Outline => "outline",
            Self::Section => "section",
            Self::Synthesis => "synthesis",
            Self::Front => "front",
        }
    }

    /// Closed objects where every field is always there; open ones where a form has fields that others lack, so that
    /// no tokens are spent on empty fields.
    pub(super) fn schema(self) -> Value {
        let text = json!({"type": "string"});
        let texts = json!({"type": "array", "items": text});
        match self {
            Self::Brief => closed(json!({
                "reader_wants": text,
                "language": text,
                "requirements": list(&closed(json!({"text": text, "kind": one_of(RequirementKind::ALL.map(RequirementKind::as_str))})), REQUIREMENTS_MAX),
                "facets": {"type": "array", "items": closed(json!({"question": text, "why": text, "query": text}))},
                "clarifications": list(&closed(json!({"question": text, "default_answer": text})), CLARIFICATIONS_MAX),
            })),
            Self::Line => closed(json!({
                "queries": list(&closed(json!({"query": text, "gap": text})), LINE_QUERIES_MAX),
                "done": {"type": "boolean"},
                "reason": text,
            })),
            Self::Survey => closed(json!({
                "quotes": {"type": "array", "items": closed(json!({
                    "text": text,
                    "facets": texts,
                    "role": one_of(QuoteRole::ALL.map(QuoteRole::as_str)),
                    "facts": {"type": "array", "items": closed(json!({
                        "entity": text, "attribute": text, "value": text, "unit": text, "period": text, "as_of": text,
                    }))},
                }))},
                "links": {"type": "array", "items": {"type": "integer"}},
                "new_terms": list(&text, TERMS_MAX),
            })),
            Self::Outline => {
                let forms = ["add", "bind", "want", "form", "retitle", "merge", "split", "move", "drop"];
                let node = json!({
                    "heading": text, "question": text, "wants": texts, "quotes": texts,
                    "block": one_of(BlockKind::ALL.map(BlockKind::as_str)),
                });
                let mut fields = node.clone();
                if let Some(fields) = fields.as_object_mut() {
                    fields.insert("operation".to_owned(), one_of(forms));
                    fields.insert("node".to_owned(), text.clone());
                    fields.insert("nodes".to_owned(), texts.clone());
                    fields.insert("parent".to_owned(), text.clone());
                    fields.insert("position".to_owned(), json!({"type": "integer"}));
                    fields.insert(
                        "into".to_owned(),
                        json!({"type": "array", "items": open(&node, &["heading"])}),
                    );
                }
                closed(
                    json!({"operations": list(&open(&fields, &["operation"]), OPERATIONS_MAX), "met": texts}),
                )
            }
            Self::Section => {
                let sentence = closed(
                    json!({"text": text, "kind": one_of(["fact", "inference", "link"]), "quotes": texts}),
                );
                let cell = closed(json!({"text": text, "quotes": texts}));
                let row = closed(json!({"name": text, "cells": {"type": "array", "items": cell}}));
                let fields = json!({
                    "kind": one_of(["paragraph", "list", "heading", "table"]),
                    "text": text,
                    "sentences": {"type": "array", "items": sentence},
                    "caption": text,
                    "columns": {"type": "array", "items": closed(json!({"heading": text, "unit": text}))},
                    "rows": {"type": "array", "items": row},
                });
                closed(json!({"blocks": list(&open(&fields, &["kind"]), BLOCKS_MAX), "thin": texts}))
            }
            Self::Synthesis => closed(json!({
                "heading": text,
                "points": {"type": "array", "items": closed(json!({
                    "text": text, "rests_on": texts, "move": one_of(InferenceMove::ALL.map(InferenceMove::as_str)),
                }))},
            })),
            Self::Front => {
                let sentences =
                    json!({"type": "array", "items": closed(json!({"text": text, "claims": texts}))});
                closed(
                    json!({"title": text, "answer": sentences, "key_points": sentences, "points_heading": text}),
                )
            }
        }
    }
}

/// Room for the longest useful answer to this request.
pub(super) fn output_tokens_max(ask: &WebRequest) -> u32 {
    let many = |items: usize| u32::try_from(items).unwrap_or(OUTPUT_TOKENS_MAX);
    let items = match ask {
        WebRequest::Brief(ask) => ask.facets_max.saturating_mul(TOKENS_PER_FACET),
        WebRequest::Line(ask) => ask.queries_max.saturating_mul(TOKENS_PER_GIST * 3),
        WebRequest::Survey(ask) => ask.quotes_max.saturating_mul(TOKENS_PER_QUOTE),
        WebRequest::Outline(ask) => ask
            .sections_max
            .saturating_mul(TOKENS_PER_SECTION)
            .saturating_add(many(ask.quotes.len()).saturating_mul(TOKENS_PER_GIST)),
        WebRequest::Section(ask) => ask.words.saturating_mul(TOKENS_PER_WORD),
        WebRequest::Synthesis(ask) => ask.words.saturating_mul(TOKENS_PER_WORD),
        WebRequest::Front(ask) => ask.words.saturating_mul(TOKENS_PER_WORD),
        WebRequest::Plan(_)
        | WebRequest::Search(_)
        | WebRequest::Folder { .. }
        | WebRequest::Choose(_)
        | WebRequest::Page { .. }
        | WebRequest::Read(_)
        | WebRequest::Write(_) => 0,
    };
    items.saturating_add(FRAME_TOKENS).saturating_mul(THINKING_TIMES).min(OUTPUT_TOKENS_MAX)
}

fn one_of<const COUNT: usize>(words: [&str; COUNT]) -> Value {
    json!({"type": "string", "enum": words.to_vec()})
}

fn list(items: &Value, most: usize) -> Value {
    json!({"type": "array", "items": items, "maxItems": most})
}

/// Every field is required and no other allowed: what strict endpoints ask for.
fn closed(properties: Value) -> Value {
    let names: Vec<&String> =
        properties.as_object().map(|fields| fields.keys().collect()).unwrap_or_default();
    json!({"type": "object", "required": names, "additionalProperties": false, "properties": properties.clone()})
}

fn open(properties: &Value, required: &[&str]) -> Value {
    json!({"type": "object", "required": required, "additionalProperties": false, "properties": properties})
}
