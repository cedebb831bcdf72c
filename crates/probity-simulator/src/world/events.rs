//! The events of a stream: what each step looks like while it is being made.
//!
//! Derived from the same JSON `get` shows, so that the two can never disagree.

use bytes::Bytes;
use serde_json::{Value, json};

use super::{
    body::{self, BodyShape},
    interaction::{IN_PROGRESS, Interaction},
    step::WorkStep,
    usage::WorkUsage,
};
use crate::scenario::Name;

/// A text delta is at most this long; longer texts arrive in pieces.
const DELTA_BYTES_MAX: usize = 1_024;

/// One event without its number.
#[derive(Debug)]
pub(crate) struct StreamEvent {
    kind: &'static str,
    /// The fields after `event_type`, as JSON text without braces.
    fields: String,
}

/// How frames are written.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EventFraming {
    pub(crate) newline: &'static str,
    /// What the `event_id` of the event is, if it has one.
    pub(crate) id_suffix: Option<&'static str>,
}

impl StreamEvent {
    fn new(kind: &'static str, fields: String) -> Self {
        Self { kind, fields }
    }

    pub(crate) fn frame(&self, number: u32, framing: EventFraming) -> Bytes {
        let Self { kind, fields } = self;
        let newline = framing.newline;
        let id = match framing.id_suffix {
            Some(suffix) => format!(",\"event_id\":\"evt_{number:04}{suffix}\""),
            None => String::new(),
        };
        Bytes::from(format!(
            "event: {kind}{newline}data: {{\"event_type\":\"{kind}\",{fields}{id}}}{newline}{newline}"
        ))
    }
}

/// The frame that ends a stream properly.
pub(crate) const DONE: &[u8] = b"event: done\ndata: [DONE]\n\n";
/// A comment, sent to keep proxies from closing an idle connection.
pub(crate) const KEEP_ALIVE: &[u8] = b": keep-alive\r\n\r\n";

pub(crate) fn opening(interaction: &Interaction, epoch_seconds: i64) -> Vec<StreamEvent> {
    let created = body::created(interaction, epoch_seconds);
    vec![
        StreamEvent::new("interaction.created", format!("\"interaction\":{created}")),
        status_update(interaction, interaction.first_status()),
    ]
}

/// The work leaves the queue.
pub(crate) fn begun(interaction: &Interaction) -> Vec<StreamEvent> {
    vec![status_update(interaction, IN_PROGRESS)]
}

pub(crate) fn closing(interaction: &Interaction, epoch_seconds: i64, now_ms: u64) -> Vec<StreamEvent> {
    let mut events = Vec::new();
    if interaction.scenario.name == Name::UnknownEnums {
        events.push(StreamEvent::new("step.hologram", "\"index\":9,\"foo\":\"bar\"".to_owned()));
        events.push(delta(3, &json!({"type": "brand_new_delta", "x": 1})));
    }
    let ended = body::text(interaction, epoch_seconds, now_ms, BodyShape::Event);
    events.push(StreamEvent::new("interaction.completed", format!("\"interaction\":{ended}")));
    events
}

pub(crate) fn error() -> StreamEvent {
    let error =
        json!({"code": "gateway_timeout", "message": "Deadline expired before operation could complete."});
    StreamEvent::new("error", format!("\"error\":{error}"))
}

/// The events of one step. `index` counts steps as the stream does, without the user's input.
pub(crate) fn of_step(interaction: &Interaction, index: usize, step: WorkStep) -> Vec<StreamEvent> {
    let whole = step.json(interaction);
    let kind = whole.get("type").and_then(Value::as_str).unwrap_or_default();
    let mut events = Vec::new();
    match kind {
        "thought" => {
            events.push(start(index, &json!({"type": kind})));
            for content in list(&whole, "summary") {
                events.push(delta(index, &json!({"type": "thought_summary", "content": content})));
            }
            let signature = whole.get("signature");
            events.push(delta(index, &json!({"type": "thought_signature", "signature": signature})));
        }
        "model_output" => {
            events.push(start(index, &json!({"type": kind})));
            let tokens = WorkUsage::of(std::iter::once(&step)).total_tokens();
            for content in list(&whole, "content") {
                push_content(&mut events, index, content, tokens);
            }
            let usage = json!({"total_tokens": tokens});
            events.push(StreamEvent::new("step.stop", format!("\"index\":{index},\"step_usage\":{usage}")));
            return events;
        }
        _ if kind.ends_with("_call") => {
            events.push(start(index, &emptied(&whole, &["type", "id", "name", "server_name", "arguments"])));
            events.push(delta(index, &picked(&whole, &["type", "name", "server_name", "arguments"])));
        }
        _ if kind.ends_with("_result") => {
            events
                .push(start(index, &emptied(&whole, &["type", "call_id", "name", "server_name", "result"])));
            let mut result = picked(&whole, &["type", "name", "server_name", "result", "is_error"]);
            if let Some(fields) = result.as_object_mut() {
                fields.entry("result").or_insert_with(|| json!([]));
            }
            events.push(delta(index, &result));
        }
        _ => events.push(start(index, &whole)),
    }
    events.push(StreamEvent::new("step.stop", format!("\"index\":{index}")));
    events
}

fn push_content(events: &mut Vec<StreamEvent>, index: usize, content: &Value, tokens: u64) {
    let Some(text) = content.get("text").and_then(Value::as_str) else {
        events.push(delta(index, content));
        return;
    };
    for (number, piece) in pieces(text).into_iter().enumerate() {
        let mut event = delta(index, &json!({"type": "text", "text": piece}));
        if number == 0 {
            let metadata = json!({"total_usage": {"total_tokens": tokens}});
            event.fields.push_str(&format!(",\"metadata\":{metadata}"));
        }
        events.push(event);
    }
    if let Some(annotations) = content.get("annotations") {
        events.push(delta(index, &json!({"type": "text_annotation_delta", "annotations": annotations})));
    }
}

/// Cuts a text between letters into pieces of at most `DELTA_BYTES_MAX`.
fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while rest.len() > DELTA_BYTES_MAX {
        let end = (0..=DELTA_BYTES_MAX).rev().find(|end| rest.is_char_boundary(*end)).unwrap_or(0);
        let (piece, behind) = rest.split_at(end);
        pieces.push(piece);
        rest = behind;
    }
    pieces.push(rest);
    pieces
}

fn status_update(interaction: &Interaction, status: &str) -> StreamEvent {
    StreamEvent::new(
        "interaction.status_update",
        format!("\"interaction_id\":\"{}\",\"status\":\"{status}\"", interaction.id),
    )
}

fn start(index: usize, step: &Value) -> StreamEvent {
    StreamEvent::new("step.start", format!("\"index\":{index},\"step\":{step}"))
}

fn delta(index: usize, delta: &Value) -> StreamEvent {
    StreamEvent::new("step.delta", format!("\"index\":{index},\"delta\":{delta}"))
}

fn list<'value>(value: &'value Value, field: &str) -> impl Iterator<Item = &'value Value> {
    value.get(field).and_then(Value::as_array).into_iter().flatten()
}

/// These fields of a step.
fn picked(step: &Value, fields: &[&str]) -> Value {
    fields
        .iter()
        .filter_map(|field| step.get(*field).map(|value| ((*field).to_owned(), value.clone())))
        .collect()
}

/// These fields of a step before its contents arrive: texts that name things stay, contents are empty.
fn emptied(step: &Value, fields: &[&str]) -> Value {
    let mut start = picked(step, fields);
    for field in ["arguments", "result"] {
        if let Some(value) = start.get_mut(field) {
            *value = match value {
                Value::Object(_) => json!({}),
                Value::Array(_) => json!([]),
                _ => json!(""),
            };
        }
    }
    start
}
