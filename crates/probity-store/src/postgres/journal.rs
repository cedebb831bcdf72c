//! The store of a fleet as the drivers see it.

use probity_research::{
    checking::task::Answer,
    error::{Code, Problem},
    event::Recorded,
    id::{Digest, ResearchId, Sequence},
    seams::{Entry, Journal, JournalError},
};

use super::{Postgres, events::Admission};
use crate::files;

impl Journal for Postgres {
    async fn load(&self, id: ResearchId) -> Result<Vec<Recorded>, JournalError> {
        let client = self.client().await?;
        let found = match self.load_with(&client, id).await {
            // As all connections are after a restart of the database.
            Err(_) if client.is_closed() => self.load_with(&self.client().await?, id).await?,
            found => found?,
        };
        found.ok_or_else(|| not_found(id).into())
    }

    async fn append(&self, entry: Entry) -> Result<Sequence, JournalError> {
        let client = self.client().await?;
        self.append_with(&client, entry, Admission::Given).await
    }

    async fn keep(&self, bytes: Vec<u8>) -> Result<Digest, JournalError> {
        Ok(self.keep_bytes(bytes).await?)
    }

    async fn fetch(&self, digest: Digest) -> Result<Vec<u8>, JournalError> {
        Ok(self.fetch_bytes(digest).await?)
    }

    async fn recall(&self, questions: Vec<Digest>) -> Result<Vec<Answer>, JournalError> {
        self.known(&questions).await
    }

    async fn rescue(&self, id: ResearchId, markdown: String) -> Result<String, Problem> {
        files::rescue(&self.inner.rescue_directory, id, self.inner.owner, &markdown)
    }
}

pub(super) fn not_found(id: ResearchId) -> Problem {
    Problem::new(Code::NotFound, &format!("there is no research {id}"))
}
