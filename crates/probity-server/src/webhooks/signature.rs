//! Signing and verifying one message: HMAC-SHA256 over `id.timestamp.body`. Pure; the time comes in.
//!
//! While a secret is being replaced there are two of them: we sign with both, and accept either.

use base64::Engine as _;
use probity_research::time::Moment;

use super::secret::{BASE64, WebhookSecret};

pub const ID: &str = "webhook-id";
pub const TIMESTAMP: &str = "webhook-timestamp";
pub const SIGNATURE: &str = "webhook-signature";

const VERSION: &str = "v1";
/// How far a message's clock may be from ours: what the standard and its libraries accept.
pub const TOLERANCE_SECONDS: u64 = 5 * 60;
/// Signatures checked in one message: a sender that replaces its secret has two.
const SIGNATURES_MAX: usize = 8;
/// Receivers write ids into logs and rows.
const ID_BYTES_MAX: usize = 256;

/// The three headers of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignatureHeaders {
    /// The same for every try to deliver the same message.
    pub id: String,
    /// Seconds since 1970 at which this try was signed.
    pub timestamp: String,
    pub signature: String,
}

impl SignatureHeaders {
    pub fn named(&self) -> [(&'static str, &str); 3] {
        [(ID, &self.id), (TIMESTAMP, &self.timestamp), (SIGNATURE, &self.signature)]
    }

    /// From a request, by looking up names in lower case.
    pub fn read<'a>(find: impl Fn(&'static str) -> Option<&'a str>) -> Result<Self, SignatureError> {
        let text = |name| find(name).map(str::to_owned).ok_or(SignatureError::HeaderMissing);
        Ok(Self { id: text(ID)?, timestamp: text(TIMESTAMP)?, signature: text(SIGNATURE)? })
    }
}

/// Why a message is refused. For our own log: the sender gets only a 401.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SignatureError {
    #[error("the message lacks one of the webhook headers")]
    HeaderMissing,
    #[error("the message has an id or a time that cannot be read")]
    HeaderUnreadable,
    #[error("the message was signed too long ago")]
    TooOld,
    #[error("the message comes from the future")]
    TooNew,
    #[error("no signature of the message is by a secret that is known here")]
    Unsigned,
}

/// Signed by every secret that is valid, the newest first.
pub fn sign(secrets: &[WebhookSecret], id: &str, at: Moment, body: &[u8]) -> SignatureHeaders {
    let timestamp = at.0.div_euclid(1000).to_string();
    let parts = signed_parts(id, &timestamp, body);
    let signatures: Vec<String> =
        secrets.iter().map(|secret| format!("{VERSION},{}", BASE64.encode(secret.tag(&parts)))).collect();
    SignatureHeaders { id: id.to_owned(), timestamp, signature: signatures.join(" ") }
}

/// Whether one of the secrets signed exactly this, not long ago. A message that was seen before verifies
/// again: acting on one must be idempotent.
pub fn verify(
    secrets: &[WebhookSecret],
    headers: &SignatureHeaders,
    body: &[u8],
    now: Moment,
) -> Result<(), SignatureError> {
    let SignatureHeaders { id, timestamp, signature } = headers;
    let readable =
        !id.is_empty() && id.len() <= ID_BYTES_MAX && id.bytes().all(|byte| byte.is_ascii_graphic());
    let digits = !timestamp.is_empty() && timestamp.bytes().all(|byte| byte.is_ascii_digit());
    let signed_at = timestamp.parse().ok().filter(|_: &i64| readable && digits);
    let signed_at = signed_at.ok_or(SignatureError::HeaderUnreadable)?;
    let now = now.0.div_euclid(1000);
    if now.abs_diff(signed_at) > TOLERANCE_SECONDS {
        return Err(if signed_at < now { SignatureError::TooOld } else { SignatureError::TooNew });
    }
    let parts = signed_parts(id, timestamp, body);
    let tags = signature.split(' ').take(SIGNATURES_MAX).filter_map(|text| {
        let (version, tag) = text.split_once(',')?;
        (version == VERSION).then(|| BASE64.decode(tag).ok()).flatten()
    });
    let is_ours = |tag: Vec<u8>| secrets.iter().any(|secret| secret.matches(&parts, &tag));
    tags.map(is_ours).find(|found| *found).map(drop).ok_or(SignatureError::Unsigned)
}

fn signed_parts<'a>(id: &'a str, timestamp: &'a str, body: &'a [u8]) -> [&'a [u8]; 5] {
    [id.as_bytes(), b".", timestamp.as_bytes(), b".", body]
}

#[cfg(test)]
mod tests;
