//! `/v1/chat/completions`: the body we send, the answer in all the shapes that servers send.

use probity_research::{
    cost::{MicroUsd, Usage},
    error::{Code, CodedError},
};
use serde_json::{Map, Value, json};

use super::{
    ChatCall,
    answer::{ChatAnswer, declined_error, require_text, truncation_error, unreadable_error},
    dialect::{EndpointDialect, RequestStyle, SchemaPlacement, is_strict, system_text},
    price::ChatUsageCount,
    refusal,
};

pub(super) fn body(model: &str, call: &ChatCall, manner: RequestStyle, dialect: &EndpointDialect) -> Value {
    let mut body = Map::new();
    let mut put = |name: &str, value: Value| body.insert(name.to_owned(), value);
    put("model", json!(model));
    put(
        "messages",
        json!([
            {"role": "system", "content": system_text(call, manner)},
            {"role": "user", "content": call.user},
        ]),
    );
    put("stream", json!(false));
    put(manner.limit_name(dialect), json!(call.output_tokens_max));
    if let Some(schema) = call.schema.as_ref().filter(|_| manner.schema == SchemaPlacement::Parameter) {
        let named = json!({"name": call.schema_name, "strict": is_strict(schema), "schema": schema});
        put("response_format", json!({"type": "json_schema", "json_schema": named}));
    }
    // Same page, same answer. Hosted reasoning models refuse the parameter, so only a local one gets it.
    if dialect.loopback {
        put("temperature", json!(0));
    }
    if dialect.is_openrouter() {
        put("usage", json!({"include": true}));
    }
    Value::Object(body)
}

pub(super) fn read(body: &[u8]) -> ChatAnswer {
    let Ok(answer) = serde_json::from_slice::<Value>(body) else {
        return ChatAnswer::not_json();
    };
    let model = answer.get("model").and_then(Value::as_str).filter(|name| !name.is_empty());
    ChatAnswer { text: text(&answer), model: model.map(str::to_owned), count: count(answer.get("usage")) }
}

fn text(answer: &Value) -> Result<String, CodedError> {
    if let Some(error) = answer.get("error").filter(|error| !error.is_null()) {
        return Err(refusal::embedded_error(error));
    }
    let Some(choice) = answer.pointer("/choices/0") else { return unreadable_error("has no choice in it") };
    if let Some(error) = choice.get("error").filter(|error| !error.is_null()) {
        return Err(refusal::embedded_error(error));
    }
    let message = choice.get("message").unwrap_or(&Value::Null);
    let refusal = message.get("refusal").and_then(Value::as_str).filter(|words| !words.is_empty());
    let finish = choice.get("finish_reason").and_then(Value::as_str).unwrap_or_default();
    let text = content(message.get("content"));
    match (refusal, finish) {
        (Some(words), _) => declined_error(words),
        (None, "content_filter") => declined_error("its content filter stopped it"),
        (None, "length") => Err(truncation_error()),
        (None, "error") => Err(CodedError::new(
            Code::ProviderUnavailable,
            "the chat model failed in the middle of its answer",
        )),
        (None, "tool_calls" | "function_call") if text.trim().is_empty() => Err(CodedError::new(
            Code::UnusableAnswer,
            "the chat model wants to call tools, and there are none",
        )),
        _ => require_text(text),
    }
}

/// Text is one string, or parts of which only those of type `text` are the answer; thoughts are not.
fn content(content: Option<&Value>) -> String {
    match content {
        Some(Value::String(text)) => without_thoughts(text).to_owned(),
        Some(Value::Array(parts)) => {
            let is_text = |part: &&Value| part.get("type").and_then(Value::as_str) == Some("text");
            parts.iter().filter(is_text).filter_map(|part| part.get("text")?.as_str()).collect()
        }
        _ => String::new(),
    }
}

/// Open models behind a plain server write their reasoning before the answer.
fn without_thoughts(text: &str) -> &str {
    let opened = text.trim_start().strip_prefix("<think>");
    opened.and_then(|rest| rest.split_once("</think>")).map_or(text, |(_, answer)| answer.trim_start())
}

fn count(usage: Option<&Value>) -> ChatUsageCount {
    let Some(usage) = usage.filter(|usage| usage.is_object()) else { return ChatUsageCount::default() };
    let number = |place: &str| usage.pointer(place).and_then(Value::as_u64);
    let (input, written) = (number("/prompt_tokens"), number("/completion_tokens"));
    let thought = number("/completion_tokens_details/reasoning_tokens").unwrap_or(0);
    let thought = thought.min(written.unwrap_or(0));
    let cached = number("/prompt_tokens_details/cached_tokens").or(number("/prompt_cache_hit_tokens"));
    let input_tokens = input.unwrap_or(0);
    let known = Usage {
        input_tokens,
        cached_tokens: cached.unwrap_or(0).min(input_tokens),
        output_tokens: written.unwrap_or(0).saturating_sub(thought),
        thought_tokens: thought,
        total_tokens: number("/total_tokens").unwrap_or(input_tokens.saturating_add(written.unwrap_or(0))),
        ..Usage::NONE
    };
    let usage_known = match (input, written) {
        (Some(_), Some(_)) => Some(known),
        _ => None,
    };
    ChatUsageCount {
        usage: usage_known,
        part: (usage_known.is_none() && known != Usage::NONE).then_some(known),
        paid: paid(usage),
    }
}

/// The endpoint's own dollars. With the user's own key at the model's host, that host's share is added.
fn paid(usage: &Value) -> Option<MicroUsd> {
    let dollars = |place: &str| usage.pointer(place).and_then(Value::as_f64).filter(|usd| *usd >= 0.0);
    let cost = dollars("/cost")?;
    let own_key = usage.get("is_byok").and_then(Value::as_bool) == Some(true);
    let upstream = dollars("/cost_details/upstream_inference_cost").filter(|_| own_key).unwrap_or(0.0);
    Some(super::price::micro_usd(cost + upstream))
}
