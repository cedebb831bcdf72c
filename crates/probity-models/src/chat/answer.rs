//! Parses an answer of any of the APIs, and the ways in which it is empty.

use probity_research::error::{Code, CodedError};

use serde_json::Value;

use super::price::ChatUsageCount;

#[derive(Debug)]
pub(super) struct ChatAnswer {
    pub(super) text: Result<String, CodedError>,
    pub(super) model: Option<String>,
    pub(super) count: ChatUsageCount,
}

impl ChatAnswer {
    pub(super) fn not_json() -> Self {
        Self { text: unreadable_error("is not JSON"), model: None, count: ChatUsageCount::default() }
    }
}

pub(super) fn unreadable_error(why: &str) -> Result<String, CodedError> {
    Err(CodedError::new(Code::UnreadableAnswer, &format!("the chat model's answer {why}")))
}

/// A text with at least one visible character.
pub(super) fn require_text(text: String) -> Result<String, CodedError> {
    if text.trim().is_empty() {
        return Err(CodedError::new(Code::UnusableAnswer, "the chat model answered without a word"));
    }
    Ok(text)
}

pub(super) fn declined_error(words: &str) -> Result<String, CodedError> {
    Err(CodedError::new(Code::ProviderFailed, &format!("the chat model declines to answer: {words}")))
}

pub(super) fn truncation_error() -> CodedError {
    CodedError::new(Code::Incomplete, "the chat model's answer was cut at its limit of output tokens")
}

/// The text of an answer that was cut, whichever API it is from; none if nothing was written yet.
pub(super) fn cut_text(body: &[u8]) -> Option<String> {
    let answer: Value = serde_json::from_slice(body).ok()?;
    let written = ["/choices/0/message/content", "/candidates/0/content/parts", "/content"]
        .iter()
        .find_map(|place| answer.pointer(place))?;
    let is_thought = |part: &&Value| part.get("thought").and_then(Value::as_bool) == Some(true);
    let text = match written {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts
            .iter()
            .filter(|part| !is_thought(part))
            .filter_map(|part| part.get("text")?.as_str())
            .collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => return None,
    };
    let text = match text.split_once("</think>") {
        Some((_, behind)) => behind.to_owned(),
        // Cut while it was still thinking.
        None if text.trim_start().starts_with("<think>") => return None,
        None => text,
    };
    (!text.trim().is_empty()).then_some(text)
}
