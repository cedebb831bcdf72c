//! Starts that a client may repeat: the same idempotency key and the same request give the same run.
//!
//! Read and written under the lock of the tenant's starts, so that of two at once one is first.

use probity_research::{
    error::{Code, CodedError},
    id::{Digest, RunId},
    text,
};

use super::Postgres;

/// A client that repeats later than this means a new start.
pub const KEY_HOURS_MAX: i32 = 24;
/// Longest key; clients draw a UUID or write a short sentence.
pub const KEY_BYTES_MAX: usize = 255;
/// Rows deleted at a time: the next call deletes the rest.
const PURGED_MAX: i64 = 10_000;

/// The client's own name for a start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdempotencyKey {
    pub key: String,
    /// Hash of everything that was asked for.
    pub request: Digest,
}

/// Stores a start; an expired key is taken over.
pub(super) const REMEMBER: &str =
    "INSERT INTO idempotency (tenant, key, request, research) VALUES ($1, $2, $3, $4)
     ON CONFLICT (tenant, key) DO UPDATE SET request = $3, research = $4, made_at = now()";

impl IdempotencyKey {
    pub(super) fn check(&self) -> Result<(), CodedError> {
        if (1..=KEY_BYTES_MAX).contains(&self.key.len()) && !self.key.contains('\0') {
            return Ok(());
        }
        let message = format!("an idempotency key has 1 to {KEY_BYTES_MAX} bytes");
        Err(CodedError::new(Code::InvalidArguments, &message))
    }

    /// The result of a start under a key that was used before.
    pub(super) fn check_repeat(&self, request: &[u8], research: RunId) -> Result<RunId, CodedError> {
        if request == self.request.0 {
            return Ok(research);
        }
        let key = text::line(&self.key, 60);
        let message = format!("the key `{key}` was used for another request within {KEY_HOURS_MAX} hours");
        Err(CodedError::new(Code::KeyReused, &message))
    }
}

impl Postgres {
    /// Deletes expired keys; returns how many. Any process may call it now and then.
    pub async fn purge_idempotency(&self) -> Result<u64, CodedError> {
        let sql = format!(
            "DELETE FROM idempotency WHERE (tenant, key) IN (
                 SELECT tenant, key FROM idempotency WHERE made_at < now() - interval '{KEY_HOURS_MAX} hours'
                 ORDER BY made_at LIMIT {PURGED_MAX} FOR UPDATE SKIP LOCKED)"
        );
        self.execute(&sql, &[]).await
    }
}
