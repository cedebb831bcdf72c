//! Answers that are always the same, and the schemas that say more than "an object".

use rmcp::model::{CallToolRequestParams, CallToolResult, ContentBlock, ResourceContents};
use serde_json::{Value, json};

use crate::samples;

pub fn text(text: impl Into<String>) -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text(text)])
}

/// The answer of a tool that neither reads nor does anything.
pub fn fixed(name: &str) -> Option<CallToolResult> {
    let image = || ContentBlock::image(samples::PNG, samples::PNG_TYPE);
    let content = match name {
        "test_simple_text" => vec![ContentBlock::text("This is a simple text response for testing.")],
        "test_reconnection" => vec![ContentBlock::text("The stream stayed open.")],
        "test_image_content" => vec![image()],
        "test_audio_content" => vec![ContentBlock::audio(samples::WAV, samples::WAV_TYPE)],
        "test_embedded_resource" => {
            vec![resource("test://embedded-resource", "text/plain", "This is an embedded resource content.")]
        }
        "test_multiple_content_types" => vec![
            ContentBlock::text("Multiple content types test:"),
            image(),
            resource(
                "test://mixed-content-resource",
                "application/json",
                &json!({ "test": "data", "value": 123 }).to_string(),
            ),
        ],
        "test_error_handling" => {
            let reason = "This tool intentionally returns an error for testing";
            return Some(CallToolResult::error(vec![ContentBlock::text(reason)]));
        }
        _ => return None,
    };
    Some(CallToolResult::success(content))
}

/// Says which arguments arrived.
pub fn echo(request: &CallToolRequestParams) -> CallToolResult {
    let arguments = Value::Object(request.arguments.clone().unwrap_or_default());
    text(format!("{} received {arguments}", request.name))
}

pub fn computation() -> Value {
    json!({
        "type": "object",
        "properties": {
            "seconds": { "type": "number", "minimum": 0, "description": "How long to compute" },
            "label": { "type": "string", "description": "What to call the result" },
        },
        "required": ["seconds"],
    })
}

/// The argument `region` must also be in the header `Mcp-Param-Region`.
pub fn header_parameter() -> Value {
    json!({
        "type": "object",
        "properties": {
            "region": { "type": "string", "description": "Where to look", "x-mcp-header": "Region" },
        },
        "required": ["region"],
    })
}

/// Keywords that a server must pass on and a careless one drops.
pub fn wide_schema() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
            "address": {
                "$anchor": "addressDef",
                "type": "object",
                "properties": { "street": { "type": "string" }, "city": { "type": "string" } },
            },
        },
        "properties": {
            "name": { "type": "string" },
            "address": { "$ref": "#/$defs/address" },
            "contactMethod": { "type": "string", "enum": ["phone", "email"] },
            "phone": { "type": "string" },
            "email": { "type": "string" },
        },
        "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
        "if": { "properties": { "contactMethod": { "const": "phone" } }, "required": ["contactMethod"] },
        "then": { "required": ["phone"] },
        "else": { "required": ["email"] },
        "additionalProperties": false,
    })
}

fn resource(uri: &str, kind: &str, text: &str) -> ContentBlock {
    ContentBlock::resource(ResourceContents::text(text, uri).with_mime_type(kind))
}
