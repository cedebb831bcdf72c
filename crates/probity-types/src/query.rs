//! The question, checked once at the edge.

use serde::{Deserialize, Serialize};

use crate::error::{Code, CodedError};

/// Longest question in bytes. Deep Research takes far more; a question beyond this is a pasted document,
/// which belongs into sources, and every journal and status row would contain it.
pub const QUERY_BYTES_MAX: usize = 32 * 1024;

/// A question that is not empty, not too long and free of characters that act on a terminal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Query(String);

impl Query {
    pub fn parse(text: &str) -> Result<Self, CodedError> {
        let cleaned = crate::text::block(text);
        let trimmed = cleaned.trim();
        if trimmed.is_empty() {
            return Err(CodedError::new(Code::InvalidQuery, "the question is empty"));
        }
        if trimmed.len() > QUERY_BYTES_MAX {
            let message =
                format!("the question has {} bytes; at most {QUERY_BYTES_MAX} are taken", trimmed.len());
            return Err(CodedError::new(Code::InvalidQuery, &message));
        }
        Ok(Self(trimmed.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// For lists and titles.
    pub fn headline(&self) -> String {
        crate::text::line(&self.0, 120)
    }
}

#[cfg(test)]
mod tests {
    use super::{QUERY_BYTES_MAX, Query};
    use crate::error::Code;

    #[track_caller]
    fn check(text: &str, expected: Result<&str, Code>) {
        let actual = Query::parse(text);
        assert_eq!(actual.as_ref().map(Query::as_str).map_err(|problem| problem.code), expected);
    }

    #[test]
    fn a_question_is_trimmed_and_cleaned() {
        check("  why is the sky blue?\n", Ok("why is the sky blue?"));
        check("a\u{1b}[2Jb\nc", Ok("a[2Jb\nc"));
    }

    #[test]
    fn nothing_and_too_much_are_refused_before_any_money_is_spent() {
        check("", Err(Code::InvalidQuery));
        check(" \u{200b}\n ", Err(Code::InvalidQuery));
        check(&"x".repeat(QUERY_BYTES_MAX), Ok(&"x".repeat(QUERY_BYTES_MAX)));
        check(&"x".repeat(QUERY_BYTES_MAX + 1), Err(Code::InvalidQuery));
    }
}
