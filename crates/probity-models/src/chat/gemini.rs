//! Google's `generateContent` as a chat: no tools, JSON by schema, nothing kept at the provider.

use probity_research::{
    cost::Usage,
    error::{Code, CodedError},
};
use serde_json::{Map, Value, json};

use super::{
    ChatCall,
    answer::{ChatAnswer, declined_error, require_text, truncation_error, unreadable_error},
    dialect::{RequestStyle, SchemaPlacement, system_text},
    price::ChatUsageCount,
};

pub(super) fn body(call: &ChatCall, manner: RequestStyle) -> Value {
    let mut config = Map::new();
    config.insert("maxOutputTokens".to_owned(), json!(call.output_tokens_max));
    if let Some(schema) = &call.schema {
        config.insert("responseMimeType".to_owned(), json!("application/json"));
        if manner.schema == SchemaPlacement::Parameter {
            config.insert("responseJsonSchema".to_owned(), titled(schema, call.schema_name));
        }
    }
    json!({
        "systemInstruction": {"parts": [{"text": system_text(call, manner)}]},
        "contents": [{"role": "user", "parts": [{"text": call.user}]}],
        "generationConfig": config,
    })
}

/// The schema's name has no other field in this API.
fn titled(schema: &Value, name: &str) -> Value {
    let mut schema = schema.clone();
    if let Some(fields) = schema.as_object_mut() {
        fields.entry("title").or_insert_with(|| json!(name));
    }
    schema
}

pub(super) fn read(body: &[u8]) -> ChatAnswer {
    let Ok(answer) = serde_json::from_slice::<Value>(body) else {
        return ChatAnswer::not_json();
    };
    let model = answer.get("modelVersion").and_then(Value::as_str).filter(|name| !name.is_empty());
    ChatAnswer {
        text: text(&answer),
        model: model.map(str::to_owned),
        count: count(answer.get("usageMetadata")),
    }
}

fn text(answer: &Value) -> Result<String, CodedError> {
    if let Some(reason) = answer.pointer("/promptFeedback/blockReason").and_then(Value::as_str) {
        return declined_error(reason);
    }
    let Some(candidate) = answer.pointer("/candidates/0") else {
        return unreadable_error("has no candidate in it");
    };
    let parts = candidate.pointer("/content/parts").and_then(Value::as_array).into_iter().flatten();
    let is_thought = |part: &&Value| part.get("thought").and_then(Value::as_bool) == Some(true);
    let text: String =
        parts.filter(|part| !is_thought(part)).filter_map(|part| part.get("text")?.as_str()).collect();
    match candidate.get("finishReason").and_then(Value::as_str).unwrap_or("STOP") {
        "STOP" | "FINISH_REASON_UNSPECIFIED" => require_text(text),
        "MAX_TOKENS" => Err(truncation_error()),
        reason @ ("SAFETY" | "RECITATION" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII" | "LANGUAGE") => {
            declined_error(reason)
        }
        reason => Err(CodedError::new(
            Code::UnusableAnswer,
            &format!("the chat model ended its answer with {reason}"),
        )),
    }
}

fn count(usage: Option<&Value>) -> ChatUsageCount {
    let Some(usage) = usage.filter(|usage| usage.is_object()) else { return ChatUsageCount::default() };
    let number = |name: &str| usage.get(name).and_then(Value::as_u64);
    let zero = |name: &str| number(name).unwrap_or(0);
    let Some(input_tokens) = number("promptTokenCount") else { return ChatUsageCount::default() };
    // Proto JSON leaves zeroes out: an empty answer has no token count.
    let usage = Usage {
        input_tokens,
        cached_tokens: zero("cachedContentTokenCount"),
        output_tokens: zero("candidatesTokenCount"),
        thought_tokens: zero("thoughtsTokenCount"),
        tool_use_tokens: zero("toolUsePromptTokenCount"),
        total_tokens: zero("totalTokenCount"),
        searches: 0,
    };
    ChatUsageCount { usage: Some(usage), part: None, paid: None }
}
