//! Anthropic's Messages API as a chat: one turn, JSON as the input of one tool that must be called and is never run.

use probity_research::{
    cost::Usage,
    error::{Code, CodedError},
};
use serde_json::{Map, Value, json};

use super::{
    ChatCall,
    answer::{ChatAnswer, declined_error, require_text, truncation_error, unreadable_error},
    dialect::{EndpointDialect, RequestStyle, SchemaPlacement, system_text},
    price::ChatUsageCount,
    refusal,
};

/// The version of the API whose shapes are read here.
pub(super) const VERSION: (&str, &str) = ("anthropic-version", "2023-06-01");

pub(super) fn body(model: &str, call: &ChatCall, manner: RequestStyle, dialect: &EndpointDialect) -> Value {
    let mut body = Map::new();
    let mut put = |name: &str, value: Value| body.insert(name.to_owned(), value);
    put("model", json!(model));
    put("max_tokens", json!(call.output_tokens_max));
    put("system", json!(system_text(call, manner)));
    put("messages", json!([{"role": "user", "content": call.user}]));
    if let Some(schema) = call.schema.as_ref().filter(|_| manner.schema == SchemaPlacement::Parameter) {
        let tool =
            json!({"name": call.schema_name, "description": "Give the answer.", "input_schema": schema});
        put("tools", json!([tool]));
        let only = json!({"type": "tool", "name": call.schema_name, "disable_parallel_tool_use": true});
        put("tool_choice", only);
    }
    // Same page, same answer; the newest hosted models refuse the parameter.
    if dialect.loopback {
        put("temperature", json!(0));
    }
    Value::Object(body)
}

/// `tool` is the name of the schema that the call asked for.
pub(super) fn read(body: &[u8], tool: &str) -> ChatAnswer {
    let Ok(answer) = serde_json::from_slice::<Value>(body) else {
        return ChatAnswer::not_json();
    };
    let model = answer.get("model").and_then(Value::as_str).filter(|name| !name.is_empty());
    ChatAnswer {
        text: text(&answer, tool),
        model: model.map(str::to_owned),
        count: count(answer.get("usage")),
    }
}

fn text(answer: &Value, tool: &str) -> Result<String, CodedError> {
    if let Some(error) = answer.get("error").filter(|error| !error.is_null()) {
        return Err(refusal::embedded_error(error));
    }
    let Some(blocks) = answer.get("content").and_then(Value::as_array) else {
        return unreadable_error("has no content in it");
    };
    match answer.get("stop_reason").and_then(Value::as_str).unwrap_or("end_turn") {
        "end_turn" | "stop_sequence" | "tool_use" => said(blocks, tool),
        "max_tokens" | "model_context_window_exceeded" => Err(truncation_error()),
        "refusal" => {
            let detail = |name: &str| answer.get("stop_details")?.get(name)?.as_str();
            declined_error(detail("explanation").or(detail("category")).unwrap_or("no reason given"))
        }
        reason => Err(CodedError::new(
            Code::UnusableAnswer,
            &format!("the chat model ended its answer with {reason}"),
        )),
    }
}

/// The input of our tool, else the text. Thoughts are no answer, and a call of any other tool is not read.
fn said(blocks: &[Value], tool: &str) -> Result<String, CodedError> {
    let of_kind = |kind: &'static str| {
        blocks.iter().filter(move |block| block.get("type").and_then(Value::as_str) == Some(kind))
    };
    let is_ours = |block: &&Value| block.get("name").and_then(Value::as_str) == Some(tool);
    let mut calls = of_kind("tool_use");
    if let Some(input) = calls.clone().find(is_ours).and_then(|block| block.get("input")) {
        return require_text(input.to_string());
    }
    let text: String = of_kind("text").filter_map(|block| block.get("text")?.as_str()).collect();
    if text.trim().is_empty() && calls.next().is_some() {
        return Err(CodedError::new(
            Code::UnusableAnswer,
            "the chat model wants to call tools, and there are none",
        ));
    }
    require_text(text)
}

/// `input_tokens` counts only what neither came from a cache nor went into one.
fn count(usage: Option<&Value>) -> ChatUsageCount {
    let Some(usage) = usage.filter(|usage| usage.is_object()) else { return ChatUsageCount::default() };
    let number = |place: &str| usage.pointer(place).and_then(Value::as_u64);
    let (input, written) = (number("/input_tokens"), number("/output_tokens"));
    let cached = number("/cache_read_input_tokens").unwrap_or(0);
    let stored = number("/cache_creation_input_tokens").unwrap_or(0);
    let thought = number("/output_tokens_details/thinking_tokens").unwrap_or(0).min(written.unwrap_or(0));
    let input_tokens = input.unwrap_or(0).saturating_add(cached).saturating_add(stored);
    let known = Usage {
        input_tokens,
        cached_tokens: cached,
        output_tokens: written.unwrap_or(0).saturating_sub(thought),
        thought_tokens: thought,
        total_tokens: input_tokens.saturating_add(written.unwrap_or(0)),
        ..Usage::NONE
    };
    // We never ask for a cache. What an endpoint stores all the same costs more than plain input: a lower bound.
    match (input, written, stored) {
        (Some(_), Some(_), 0) => ChatUsageCount { usage: Some(known), ..ChatUsageCount::default() },
        _ if known == Usage::NONE => ChatUsageCount::default(),
        _ => ChatUsageCount { part: Some(known), ..ChatUsageCount::default() },
    }
}
