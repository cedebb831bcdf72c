//! What an answer says, whoever's shape it came in, and the ways in which it says nothing.

use probity_research::error::{Code, Problem};

use super::price::Count;

#[derive(Debug)]
pub(super) struct Heard {
    pub(super) text: Result<String, Problem>,
    pub(super) model: Option<String>,
    pub(super) count: Count,
}

impl Heard {
    pub(super) fn not_json() -> Self {
        Self { text: unreadable("is not JSON"), model: None, count: Count::default() }
    }
}

pub(super) fn unreadable(why: &str) -> Result<String, Problem> {
    Err(Problem::new(Code::UnreadableAnswer, &format!("the chat model's answer {why}")))
}

/// A text with at least one word in it.
pub(super) fn spoken(text: String) -> Result<String, Problem> {
    if text.trim().is_empty() {
        return Err(Problem::new(Code::UnusableAnswer, "the chat model answered without a word"));
    }
    Ok(text)
}

pub(super) fn declined(words: &str) -> Result<String, Problem> {
    Err(Problem::new(Code::ProviderFailed, &format!("the chat model declines to answer: {words}")))
}

pub(super) fn cut() -> Problem {
    Problem::new(Code::Incomplete, "the chat model's answer was cut at its limit of output tokens")
}
