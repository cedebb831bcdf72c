//! The secret that both ends of a webhook know: `whsec_…`. Shown once, to the client that made the webhook.

use std::fmt;

use aws_lc_rs::hmac;
use base64::{
    Engine as _, alphabet,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};
use probity_research::error::{Code, CodedError};

const PREFIX: &str = "whsec_";
/// What the standard allows, in bytes.
const BYTES_MIN: usize = 24;
const BYTES_MAX: usize = 64;
/// As much as HMAC-SHA256 can use.
const BYTES_MADE: usize = 32;
/// Secrets of one webhook that are valid at once: the new one and the one that it replaces.
const VALID_MAX: usize = 2;

/// Secrets are written with padding; some senders leave it out.
pub(super) const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// Neither `Debug` nor any error shows it.
#[derive(Clone)]
pub struct WebhookSecret {
    key: hmac::Key,
    text: String,
}

impl WebhookSecret {
    /// A new one, from the system's randomness.
    pub fn make() -> Result<Self, CodedError> {
        let mut bytes = [0; BYTES_MADE];
        getrandom::fill(&mut bytes).map_err(|_| {
            CodedError::new(Code::StoreFailed, "the system has no randomness for a new secret")
        })?;
        Ok(Self::of(&bytes))
    }

    /// As it was shown or configured, with or without the prefix.
    pub fn parse(text: &str) -> Result<Self, CodedError> {
        let refused = || {
            let form = format!("`{PREFIX}` and {BYTES_MIN} to {BYTES_MAX} bytes in base64");
            CodedError::new(Code::Settings, &format!("the webhook's secret is not of the form {form}"))
        };
        let text = text.trim();
        let bytes = BASE64.decode(text.strip_prefix(PREFIX).unwrap_or(text)).map_err(|_| refused())?;
        match (BYTES_MIN..=BYTES_MAX).contains(&bytes.len()) {
            true => Ok(Self::of(&bytes)),
            false => Err(refused()),
        }
    }

    /// For the one answer that shows it, and for keeping it.
    pub fn expose(&self) -> &str {
        &self.text
    }

    /// The secrets of one webhook as they are kept in one place: the newest first, with spaces between them.
    pub fn parse_all(text: &str) -> Result<Vec<Self>, CodedError> {
        text.split_ascii_whitespace().take(VALID_MAX).map(Self::parse).collect()
    }

    pub fn write_all(secrets: &[Self]) -> String {
        let texts: Vec<&str> = secrets.iter().map(Self::expose).collect();
        texts.join(" ")
    }

    fn of(bytes: &[u8]) -> Self {
        let key = hmac::Key::new(hmac::HMAC_SHA256, bytes);
        Self { key, text: format!("{PREFIX}{}", BASE64.encode(bytes)) }
    }

    pub(super) fn tag(&self, parts: &[&[u8]]) -> Vec<u8> {
        self.context(parts).sign().as_ref().to_vec()
    }

    /// In constant time.
    pub(super) fn matches(&self, parts: &[&[u8]], tag: &[u8]) -> bool {
        aws_lc_rs::constant_time::verify_slices_are_equal(self.context(parts).sign().as_ref(), tag).is_ok()
    }

    fn context(&self, parts: &[&[u8]]) -> hmac::Context {
        let mut context = hmac::Context::with_key(&self.key);
        for part in parts {
            context.update(part);
        }
        context
    }
}

impl fmt::Debug for WebhookSecret {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Secret(hidden)")
    }
}
