//! What is stored, for a caller that looks at everything: journals of removed runs too, and bytes without reading them.

use probity_research::{
    error::CodedError,
    event::StoredEvent,
    id::{Digest, RunId},
};

use crate::{blobs, events, files, store::Store};

impl Store {
    /// The journal of a run, also of one in the trash.
    pub fn journal_even_removed(&self, id: RunId) -> Result<Vec<StoredEvent>, CodedError> {
        let inner = &self.inner;
        let found = inner.readers.with_snapshot(|connection| events::load(connection, id));
        found.map_err(|error| inner.problem(&error))?.map_or_else(|| Err(inner.not_found(id)), Ok)
    }

    /// Whether these bytes are here; the check of everything says whether they are what was written.
    pub fn has_blob(&self, digest: Digest) -> Result<bool, CodedError> {
        let inner = &self.inner;
        if files::length(&inner.layout.blob(digest)).is_some() {
            return Ok(true);
        }
        let found = inner.readers.with(|connection| blobs::has_row(connection, digest));
        found.map_err(|error| inner.problem(&error))
    }

    /// Stored bytes, for a caller that cannot wait.
    pub fn read_blob(&self, digest: Digest) -> Result<Vec<u8>, CodedError> {
        self.inner.fetch_blob(digest).map_err(|error| self.inner.problem(&error))
    }
}
