//! Parses an answer of either API, and the ways in which it is empty.

use probity_research::error::{Code, CodedError};

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
