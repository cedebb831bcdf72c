//! The same model behind Anthropic's `/v1/messages`: its requests, its answers whole or in frames, its errors.

use bytes::Bytes;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    Script,
    reply::{self, ChatModelReply, PIECE_BYTES_MAX},
    request::{ChatMessage, ChatRequest, text},
};
use crate::call::{SimulatorAnswer, SimulatorCall};

const ID: &str = "msg_simulator";
const REQUEST_ID: &str = "req_simulator";
/// 2026-11-14T12:00:00Z, like every other date of the simulator.
const CREATED: &str = "2026-11-14T12:00:00Z";

#[derive(Deserialize)]
struct RawMessagesRequest {
    model: Option<String>,
    max_tokens: Option<u64>,
    messages: Option<Vec<ChatMessage>>,
    system: Option<Value>,
    #[serde(default)]
    stream: bool,
    #[serde(default)]
    tools: Vec<Value>,
    tool_choice: Option<Value>,
}

/// The refusal of a call without a usable key, or without the version that every call must name.
pub(super) fn header_refusal(call: &SimulatorCall) -> Option<SimulatorAnswer> {
    let bearer = call.header("authorization").and_then(|value| value.strip_prefix("Bearer "));
    match call.header("x-api-key").or(bearer) {
        None => return Some(error(401, "x-api-key header is required")),
        Some("invalid" | "unauthorized") => return Some(error(401, "invalid x-api-key")),
        Some(_) => {}
    }
    let versioned = call.header("anthropic-version").is_some();
    (!versioned).then(|| error(400, "anthropic-version: header is required"))
}

/// Reads a body; the error is the message of the 400.
pub(super) fn read(body: &[u8]) -> Result<ChatRequest, String> {
    let raw: RawMessagesRequest = serde_json::from_slice(body)
        .map_err(|error| format!("The request body is not valid JSON: {error}"))?;
    let missing = |field: &str| format!("{field}: Field required");
    let model = raw.model.filter(|name| !name.is_empty()).ok_or_else(|| missing("model"))?;
    raw.max_tokens.ok_or_else(|| missing("max_tokens"))?;
    let messages = raw.messages.ok_or_else(|| missing("messages"))?;
    if messages.is_empty() {
        return Err("messages: at least one message is required".to_owned());
    }
    if messages.iter().any(|message| !matches!(message.role.as_str(), "user" | "assistant")) {
        return Err("messages: Unexpected role. Allowed roles are \"user\" or \"assistant\".".to_owned());
    }
    let is_object =
        |tool: &Value| tool.pointer("/input_schema/type").and_then(Value::as_str) == Some("object");
    if !raw.tools.iter().all(is_object) {
        return Err("tools.0.custom.input_schema.type: Field required".to_owned());
    }
    let user = messages.iter().filter(|message| message.role == "user");
    Ok(ChatRequest {
        model,
        system: text(raw.system.as_ref()),
        user: user.map(|message| text(message.content.as_ref())).collect::<Vec<_>>().join("\n"),
        stream: raw.stream,
        schema_name: forced_tool(raw.tool_choice.as_ref(), &raw.tools)?,
    })
}

/// The tool that must be called; its name is that of the answer's schema.
fn forced_tool(choice: Option<&Value>, tools: &[Value]) -> Result<Option<String>, String> {
    let part = |name: &str| choice.and_then(|choice| choice.get(name)?.as_str());
    if part("type") != Some("tool") {
        return Ok(None);
    }
    let name = part("name").ok_or("tool_choice.tool.name: Field required")?;
    let offered = tools.iter().any(|tool| tool.get("name").and_then(Value::as_str) == Some(name));
    match offered {
        true => Ok(Some(name.to_owned())),
        false => Err(format!("Tool '{name}' not found in provided tools")),
    }
}

pub(super) fn answer(reply: &ChatModelReply, request: &ChatRequest) -> SimulatorAnswer {
    let message = whole(reply, request);
    if !request.stream {
        return json_body(200, &message);
    }
    let headers = vec![("content-type".to_owned(), "text/event-stream".to_owned()), request_id()];
    SimulatorAnswer::Whole { status: 200, headers, body: Bytes::from(frames(&message)) }
}

fn whole(reply: &ChatModelReply, request: &ChatRequest) -> Value {
    let mut message = json!({
        "id": ID, "type": "message", "role": "assistant", "model": request.model, "content": content(reply, request),
        "stop_reason": stop_reason(reply), "stop_sequence": null,
    });
    let Some(fields) = message.as_object_mut() else { return message };
    if reply.counted {
        let read = reply.tokens.map_or_else(|| reply::input_tokens(request), |(read, _)| read);
        fields.insert(
            "usage".to_owned(),
            json!({
                "input_tokens": read, "output_tokens": reply.output_tokens(),
                "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "service_tier": "standard",
            }),
        );
    }
    if fields.get("stop_reason") == Some(&json!("refusal")) {
        let details = json!({"type": "refusal", "category": null, "explanation": reply.refusal});
        fields.insert("stop_details".to_owned(), details);
    } else if fields.get("content").and_then(Value::as_array).is_some_and(|blocks| blocks.iter().any(is_call))
    {
        let cut = reply.finish == "length";
        fields.insert("stop_reason".to_owned(), json!(if cut { "max_tokens" } else { "tool_use" }));
    }
    message
}

fn stop_reason(reply: &ChatModelReply) -> &'static str {
    match (reply.refusal, reply.finish) {
        (Some(_), _) | (None, "content_filter") => "refusal",
        (None, "length") => "max_tokens",
        (None, _) => "end_turn",
    }
}

fn is_call(block: &Value) -> bool {
    block.get("type").and_then(Value::as_str) == Some("tool_use")
}

/// The input of the forced tool where the answer is an object, else text; then the tools that nobody offered.
fn content(reply: &ChatModelReply, request: &ChatRequest) -> Vec<Value> {
    let input: Option<Value> = serde_json::from_str(&reply.text).ok().filter(Value::is_object);
    let mut blocks = Vec::new();
    match (&request.schema_name, input) {
        (Some(name), Some(input)) => {
            blocks.push(json!({"type": "tool_use", "id": "toolu_simulator", "name": name, "input": input}));
        }
        _ if reply.text.is_empty() => {}
        _ => blocks.push(json!({"type": "text", "text": reply.text, "citations": null})),
    }
    blocks.extend(reply.tool_calls.iter().enumerate().map(|(place, call)| {
        let arguments = call.pointer("/function/arguments").and_then(Value::as_str).unwrap_or("{}");
        let input: Value = serde_json::from_str(arguments).unwrap_or_default();
        let name = call.pointer("/function/name").unwrap_or(&Value::Null);
        json!({"type": "tool_use", "id": format!("toolu_{place}"), "name": name, "input": input})
    }));
    blocks
}

/// The message as events: its start, each block in pieces, its end.
fn frames(message: &Value) -> String {
    let mut out = String::new();
    let mut frame = |kind: &str, mut data: Value| {
        if let Some(fields) = data.as_object_mut() {
            fields.insert("type".to_owned(), json!(kind));
        }
        out.push_str(&format!("event: {kind}\ndata: {data}\n\n"));
    };
    let mut start = message.clone();
    if let Some(fields) = start.as_object_mut() {
        fields.insert("content".to_owned(), json!([]));
        fields.insert("stop_reason".to_owned(), Value::Null);
        fields.entry("usage").or_insert_with(|| json!({"input_tokens": 0, "output_tokens": 0}));
    }
    frame("message_start", json!({"message": start}));
    let blocks = message.get("content").and_then(Value::as_array).into_iter().flatten();
    for (index, block) in blocks.enumerate() {
        let (field, delta, part, said) = match block.get("text").and_then(Value::as_str) {
            Some(text) => ("text", "text_delta", "text", text.to_owned()),
            None => {
                let input = block.get("input").cloned().unwrap_or_default();
                ("input", "input_json_delta", "partial_json", input.to_string())
            }
        };
        let mut empty = block.clone();
        if let Some(fields) = empty.as_object_mut() {
            fields.insert(field.to_owned(), if field == "text" { json!("") } else { json!({}) });
        }
        frame("content_block_start", json!({"index": index, "content_block": empty}));
        let mut rest = said.as_str();
        while !rest.is_empty() {
            let (piece, behind) = rest.split_at(rest.floor_char_boundary(PIECE_BYTES_MAX));
            frame("content_block_delta", json!({"index": index, "delta": {"type": delta, part: piece}}));
            rest = behind;
        }
        frame("content_block_stop", json!({"index": index}));
    }
    let end = json!({"stop_reason": message.get("stop_reason"), "stop_sequence": null});
    let usage = message.get("usage").cloned().unwrap_or_else(|| json!({"output_tokens": 0}));
    frame("message_delta", json!({"delta": end, "usage": usage}));
    frame("message_stop", json!({}));
    out
}

/// The list of models, in Anthropic's shape.
pub(super) fn models() -> SimulatorAnswer {
    let names: Vec<&str> = Script::ALL.iter().map(|script| script.as_str()).collect();
    let models: Vec<Value> = names
        .iter()
        .map(|name| json!({"type": "model", "id": name, "display_name": name, "created_at": CREATED}))
        .collect();
    let (first, last) = (names.first(), names.last());
    json_body(200, &json!({"data": models, "has_more": false, "first_id": first, "last_id": last}))
}

pub(super) fn error(status: u16, message: &str) -> SimulatorAnswer {
    let kind = match status {
        401 => "authentication_error",
        402 => "billing_error",
        403 => "permission_error",
        404 => "not_found_error",
        413 => "request_too_large",
        429 => "rate_limit_error",
        503 | 529 => "overloaded_error",
        504 => "timeout_error",
        500.. => "api_error",
        _ => "invalid_request_error",
    };
    let error = json!({"type": kind, "message": message});
    json_body(status, &json!({"type": "error", "error": error, "request_id": REQUEST_ID}))
}

/// An error of this status as the API words it.
pub(super) fn plain(status: u16) -> SimulatorAnswer {
    error(
        status,
        match status {
            401 => "invalid x-api-key",
            404 => "model: unknown",
            429 => "This request would exceed the rate limit of your organization.",
            503 | 529 => "Overloaded",
            _ => "The request could not be served.",
        },
    )
}

fn json_body(status: u16, body: &Value) -> SimulatorAnswer {
    let headers = vec![("content-type".to_owned(), "application/json".to_owned()), request_id()];
    SimulatorAnswer::Whole { status, headers, body: Bytes::from(body.to_string()) }
}

fn request_id() -> (String, String) {
    ("request-id".to_owned(), REQUEST_ID.to_owned())
}
