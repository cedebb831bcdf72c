//! `response_format` of a create: what the service takes, and the 400 for what it does not.

use serde_json::Value;

/// The kinds of output that can be asked for.
const KINDS: [&str; 4] = ["text", "audio", "image", "video"];
/// What a text may be.
const TEXT_TYPES: [&str; 2] = ["application/json", "text/plain"];

/// Checks one format or a list of them. The old form, a bare JSON schema with `response_mime_type`
/// beside it, is still taken.
pub(super) fn check(format: Option<&Value>, mime_type: Option<&str>) -> Result<(), String> {
    match format {
        None | Some(Value::Null) => Ok(()),
        Some(Value::Array(formats)) => formats.iter().try_for_each(|format| check_one(format, mime_type)),
        Some(format) => check_one(format, mime_type),
    }
}

fn check_one(format: &Value, mime_type: Option<&str>) -> Result<(), String> {
    let invalid = |field: &str| Err(format!("Invalid value at 'response_format{field}'."));
    let Some(fields) = format.as_object() else { return invalid("") };
    let kind = fields.get("type").and_then(Value::as_str);
    if mime_type == Some("application/json") && !kind.is_some_and(|kind| KINDS.contains(&kind)) {
        return Ok(());
    }
    if !kind.is_some_and(|kind| KINDS.contains(&kind)) {
        return invalid(".type");
    }
    if kind != Some("text") {
        return Ok(());
    }
    let text_type = match fields.get("mime_type") {
        None | Some(Value::Null) => None,
        Some(Value::String(text_type)) if TEXT_TYPES.contains(&text_type.as_str()) => {
            Some(text_type.as_str())
        }
        Some(_) => return invalid(".mime_type"),
    };
    match fields.get("schema") {
        None | Some(Value::Null) => Ok(()),
        // A schema says nothing about plain text.
        Some(Value::Object(_)) if text_type == Some("application/json") => Ok(()),
        Some(Value::Object(_)) => invalid(".mime_type"),
        Some(_) => invalid(".schema"),
    }
}
