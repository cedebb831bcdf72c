//! The store of a fleet as the drivers see it.

use probity_research::{
    checking::task::JudgeAnswer,
    error::{Code, CodedError},
    event::StoredEvent,
    id::{Digest, RunId, Sequence},
    ports::{Journal, JournalEntry, JournalError},
};

use super::{Postgres, events::StartAdmission};
use crate::files;

impl Journal for Postgres {
    async fn load(&self, id: RunId) -> Result<Vec<StoredEvent>, JournalError> {
        let client = self.client().await?;
        let found = match self.load_with(&client, id).await {
            // As all connections are after a restart of the database.
            Err(_) if client.is_closed() => self.load_with(&self.client().await?, id).await?,
            found => found?,
        };
        found.ok_or_else(|| not_found(id).into())
    }

    async fn append(&self, entry: JournalEntry) -> Result<Sequence, JournalError> {
        let client = self.client().await?;
        self.append_with(&client, entry, StartAdmission::Given).await
    }

    async fn store_blob(&self, bytes: Vec<u8>) -> Result<Digest, JournalError> {
        Ok(self.keep_bytes(bytes).await?)
    }

    async fn fetch_blob(&self, digest: Digest) -> Result<Vec<u8>, JournalError> {
        Ok(self.fetch_bytes(digest).await?)
    }

    async fn recall_answers(&self, questions: Vec<Digest>) -> Result<Vec<JudgeAnswer>, JournalError> {
        self.known_judgements(&questions).await
    }

    async fn write_rescue_file(&self, id: RunId, markdown: String) -> Result<String, CodedError> {
        files::rescue(&self.inner.rescue_directory, id, self.inner.owner, &markdown)
    }
}

pub(super) fn not_found(id: RunId) -> CodedError {
    CodedError::new(Code::NotFound, &format!("there is no research {id}"))
}
