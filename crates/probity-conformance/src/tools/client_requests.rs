//! Tools that send the client a request of their own and wait, as revisions before 2026-07-28 do it.
#![expect(deprecated, reason = "sampling is deprecated, and the suite still asks for it")]

use rmcp::{
    ErrorData,
    model::{
        CallToolResponse, CallToolResult, ClientCapabilities, ContentBlock, CreateMessageRequestParams,
        SamplingMessage,
    },
};
use serde_json::{Value, json};

use super::{FixtureCall, content};
use crate::questions;

const SAMPLING_TOKENS_MAX: u32 = 100;

pub async fn sampling(call: &FixtureCall<'_>) -> Result<CallToolResponse, ErrorData> {
    let messages = vec![SamplingMessage::user_text(call.text("prompt"))];
    let request = CreateMessageRequestParams::new(messages, SAMPLING_TOKENS_MAX);
    let answered = call.context.peer.create_message(request).await;
    Ok(match answered {
        Ok(answer) => {
            let answer = serde_json::to_value(answer.message.content).unwrap_or_default();
            let text = answer.get("text").and_then(Value::as_str).unwrap_or_default();
            content::text(format!("LLM response: {text}")).into()
        }
        Err(error) => failed(&error).into(),
    })
}

pub async fn user(call: &FixtureCall<'_>) -> Result<CallToolResponse, ErrorData> {
    let schema = json!({
        "type": "object",
        "properties": {
            "username": { "type": "string", "description": "User's response" },
            "email": { "type": "string", "description": "User's email address" },
        },
        "required": ["username", "email"],
    });
    elicit(call, call.text("message"), schema, "User response").await
}

pub async fn defaults(call: &FixtureCall<'_>) -> Result<CallToolResponse, ErrorData> {
    let schema = json!({
        "type": "object",
        "properties": {
            "name": { "type": "string", "default": "John Doe" },
            "age": { "type": "integer", "default": 30 },
            "score": { "type": "number", "default": 95.5 },
            "status": { "type": "string", "enum": ["active", "inactive", "pending"], "default": "active" },
            "verified": { "type": "boolean", "default": true },
        },
    });
    elicit(call, "Please review the suggested values", schema, "Elicitation completed").await
}

pub async fn choices(call: &FixtureCall<'_>) -> Result<CallToolResponse, ErrorData> {
    let titled = json!([
        { "const": "value1", "title": "First" },
        { "const": "value2", "title": "Second" },
        { "const": "value3", "title": "Third" },
    ]);
    let untitled = json!(["option1", "option2", "option3"]);
    let schema = json!({
        "type": "object",
        "properties": {
            "untitledSingle": { "type": "string", "enum": untitled },
            "titledSingle": { "type": "string", "oneOf": titled },
            "legacyEnum": {
                "type": "string",
                "enum": ["opt1", "opt2", "opt3"],
                "enumNames": ["Option One", "Option Two", "Option Three"],
            },
            "untitledMulti": { "type": "array", "items": { "type": "string", "enum": untitled } },
            "titledMulti": { "type": "array", "items": { "anyOf": titled } },
        },
    });
    elicit(call, "Please choose", schema, "Elicitation completed").await
}

/// A client without the sampling capability gets an error that names it.
pub fn needs_sampling(call: &FixtureCall<'_>) -> Result<CallToolResponse, ErrorData> {
    let declared = call.context.client_capabilities().is_some_and(|client| client.sampling.is_some());
    if !declared {
        let required = ClientCapabilities::builder().enable_sampling().build();
        return Err(ErrorData::missing_required_client_capability(required));
    }
    Ok(content::text("The client can sample.").into())
}

async fn elicit(
    call: &FixtureCall<'_>,
    message: &str,
    schema: Value,
    done: &str,
) -> Result<CallToolResponse, ErrorData> {
    let question = questions::elicitation(message, schema)?;
    Ok(match call.context.peer.create_elicitation(question).await {
        Ok(answer) => {
            let answer = serde_json::to_value(answer).unwrap_or_default();
            let action = answer.get("action").and_then(Value::as_str).unwrap_or_default();
            let entered = answer.get("content").cloned().unwrap_or_default();
            content::text(format!("{done}: action={action}, content={entered}")).into()
        }
        Err(error) => failed(&error).into(),
    })
}

fn failed(error: &dyn std::error::Error) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(format!("the client could not be asked: {error}"))])
}
