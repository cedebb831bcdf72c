//! Bytes under their own digest: small ones in a table, large ones in the object storage.

use probity_research::{error::CodedError, id::Digest};

use super::Postgres;
use crate::{ROW_BYTES_MAX, events};

impl Postgres {
    pub(super) async fn keep_bytes(&self, bytes: Vec<u8>) -> Result<Digest, CodedError> {
        let digest = events::digest(&bytes);
        if bytes.len() > ROW_BYTES_MAX {
            self.inner.objects.put(digest, bytes).await?;
            return Ok(digest);
        }
        let to_error = |error| self.problem(&error);
        let client = self.client().await?;
        // A blob that is there already costs no write; a damaged row is repaired.
        let statement = client
            .prepare_cached(
                "INSERT INTO blob (digest, bytes) VALUES ($1, $2)
                 ON CONFLICT (digest) DO UPDATE SET bytes = excluded.bytes WHERE blob.bytes <> excluded.bytes",
            )
            .await
            .map_err(to_error)?;
        client.execute(&statement, &[&digest.0.as_slice(), &bytes]).await.map_err(to_error)?;
        Ok(digest)
    }

    /// Digests come out of events, so bytes that are not there were there once.
    pub(super) async fn fetch_bytes(&self, digest: Digest) -> Result<Vec<u8>, CodedError> {
        let to_error = |error| self.problem(&error);
        let client = self.client().await?;
        let statement =
            client.prepare_cached("SELECT bytes FROM blob WHERE digest = $1").await.map_err(to_error)?;
        let row = client.query_opt(&statement, &[&digest.0.as_slice()]).await.map_err(to_error)?;
        drop(client);
        let bytes = match row {
            Some(row) => Some(row.try_get::<_, Vec<u8>>(0).map_err(to_error)?),
            None => self.inner.objects.get(digest).await?,
        };
        let bytes = bytes.ok_or_else(|| self.damaged(&format!("the bytes of {digest} are missing")))?;
        if events::digest(&bytes) != digest {
            return Err(self.damaged(&format!("the bytes of {digest} have another digest")));
        }
        Ok(bytes)
    }
}
