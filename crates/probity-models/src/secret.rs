//! The API key: checked once, shown never.

use std::{fmt, sync::Arc};

use probity_research::error::{Code, CodedError};
use secrecy::{ExposeSecret, SecretString};

/// Longest key taken. Google's have 39 characters; a header line must stay small.
const KEY_BYTES_MAX: usize = 512;

/// What replaces the key in texts.
const HIDDEN: &str = "[key]";

/// Shorter texts are not searched for in foreign messages: they would be found everywhere.
const HIDE_BYTES_MIN: usize = 6;

/// A key that fits into a header. Cloning shares it.
#[derive(Clone)]
pub struct ApiKey(Arc<SecretString>);

impl ApiKey {
    pub fn parse(text: &str) -> Result<Self, CodedError> {
        let text = text.trim();
        if text.is_empty() {
            return Err(CodedError::new(Code::KeyMissing, "there is no API key"));
        }
        if text.len() > KEY_BYTES_MAX || !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(CodedError::new(Code::KeyRefused, "the API key has characters that no key has"));
        }
        Ok(Self(Arc::new(SecretString::from(text.to_owned()))))
    }

    /// For the request header, and nothing else.
    pub fn expose(&self) -> &str {
        self.0.expose_secret()
    }

    /// The text without the key, should a provider have repeated it.
    pub fn redact(&self, text: &str) -> String {
        let key = self.expose();
        if key.len() < HIDE_BYTES_MIN { text.to_owned() } else { text.replace(key, HIDDEN) }
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(HIDDEN)
    }
}

#[cfg(test)]
mod tests {
    use probity_research::error::Code;

    use super::ApiKey;

    #[test]
    fn a_key_is_trimmed_and_one_that_would_break_a_header_is_refused() {
        let read =
            |text| ApiKey::parse(text).map(|key| key.expose().to_owned()).map_err(|problem| problem.code);
        assert_eq!(read(" AIza-canary \n"), Ok("AIza-canary".to_owned()));
        assert_eq!(read("  "), Err(Code::KeyMissing));
        assert_eq!(read("a b"), Err(Code::KeyRefused));
        assert_eq!(read("schlüssel"), Err(Code::KeyRefused));
        assert_eq!(read(&"k".repeat(600)), Err(Code::KeyRefused));
    }

    #[test]
    fn neither_debug_nor_a_foreign_message_shows_it() {
        let key = ApiKey::parse("AIza-canary").unwrap();
        assert_eq!(format!("{key:?}"), "[key]");
        assert_eq!(key.redact("API key AIza-canary not valid"), "API key [key] not valid");
    }
}
