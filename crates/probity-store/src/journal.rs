//! The store as the drivers see it.

use std::sync::Arc;

use probity_research::{
    checking::task::JudgeAnswer,
    error::CodedError,
    event::StoredEvent,
    id::{Digest, OwnerId, RunId, Sequence},
    ports::{GatedAppend, Journal, JournalEntry, JournalError, LeaseClaim, Leases},
    spending::SpendingGate,
};

use crate::{
    blobs,
    error::Error,
    events,
    events::SqliteAppend,
    files, judgements,
    leases::{self, Claimant},
    results::{self, ReadableResult},
    shelf,
    store::{Store, StoreInner, WriteAccess},
};

impl Journal for Store {
    async fn load(&self, id: RunId) -> Result<Vec<StoredEvent>, JournalError> {
        let inner = &self.inner;
        let found = inner.readers.with_snapshot(|connection| match shelf::is_removed(connection, id)? {
            true => Ok(None),
            false => events::load(connection, id),
        });
        let found = found.map_err(|error| inner.problem(&error))?;
        found.ok_or_else(|| inner.not_found(id).into())
    }

    async fn append(&self, entry: JournalEntry) -> Result<Sequence, JournalError> {
        self.inner.owners.note_asked(&entry);
        let prepared = self.prepared(entry)?;
        self.inner.write(prepared.bytes(), move |change| prepared.append(change)).await
    }

    async fn append_gated(
        &self,
        entry: JournalEntry,
        gate: SpendingGate,
    ) -> Result<GatedAppend, JournalError> {
        self.inner.owners.note_asked(&entry);
        let prepared = self.prepared(entry)?;
        self.inner.write(prepared.bytes(), move |change| prepared.append_gated(change, gate)).await
    }

    async fn store_blob(&self, bytes: Vec<u8>) -> Result<Digest, JournalError> {
        let digest = events::digest(&bytes);
        if bytes.len() > blobs::ROW_BYTES_MAX {
            return keep_file(&self.inner, digest, bytes).await;
        }
        let inner = &self.inner;
        let length = bytes.len();
        let is_there = inner.readers.with(|connection| blobs::is_row(connection, digest, length));
        if !is_there.map_err(|error| inner.problem(&error))? {
            inner.write(length, move |change| blobs::keep_row(change, digest, &bytes)).await?;
        }
        Ok(digest)
    }

    async fn fetch_blob(&self, digest: Digest) -> Result<Vec<u8>, JournalError> {
        Ok(self.inner.fetch_blob(digest).map_err(|error| self.inner.problem(&error))?)
    }

    async fn recall_answers(&self, questions: Vec<Digest>) -> Result<Vec<JudgeAnswer>, JournalError> {
        let inner = &self.inner;
        let found = inner.readers.with_snapshot(|connection| judgements::recall(connection, &questions));
        Ok(found.map_err(|error| inner.problem(&error))?)
    }

    async fn write_rescue_file(&self, id: RunId, markdown: String) -> Result<String, CodedError> {
        files::rescue(&self.inner.rescue_directory, id, self.inner.owner, &markdown)
    }
}

impl Store {
    /// Boxed: what waits for the writer stays small.
    fn prepared(&self, entry: JournalEntry) -> Result<Box<SqliteAppend>, CodedError> {
        let result = self.readable_result(&entry);
        let prepared = SqliteAppend::new(entry).map_err(|error| self.inner.problem(&error))?;
        Ok(Box::new(prepared.with_result(result)))
    }

    /// What SQL readers get of a run that ends. A report that cannot be read now is no reason to lose the end.
    fn readable_result(&self, entry: &JournalEntry) -> Option<ReadableResult> {
        let digest = entry.summary.report.filter(|_| results::ends_with_report(entry))?;
        match self.inner.fetch_blob(digest) {
            Ok(bytes) => ReadableResult::of(&bytes),
            Err(error) => {
                tracing::warn!(research = %entry.id, %error, "report is not in the view of results");
                None
            }
        }
    }
}

impl Leases for Store {
    async fn heartbeat(&self, owner: OwnerId) -> Result<(), JournalError> {
        let inner = &self.inner;
        inner.acquire_owner_lock(owner)?;
        let now = (inner.clocks.wall)();
        inner.write(0, move |change| leases::beat(change, owner, now)).await
    }

    async fn claim_due(&self, owner: OwnerId, room: usize) -> Result<Vec<LeaseClaim>, JournalError> {
        let inner = &self.inner;
        if room == 0 {
            return Ok(Vec::new());
        }
        inner.acquire_owner_lock(owner)?;
        let engines = inner.claims_only.clone();
        let view = inner
            .readers
            .with_snapshot(|connection| leases::overview(connection, engines.as_deref()))
            .map_err(|error| inner.problem(&error))?;
        let is_known = view.owners.iter().any(|(known, beats)| *known == owner && beats.is_some());
        let gone = inner.owners.find_dead(&inner.layout, view.owners, (inner.clocks.monotonic)());
        if gone.is_empty() && !view.is_unclaimed {
            return Ok(Vec::new());
        }
        let freed: Vec<_> = gone.iter().map(|gone| (gone.owner, gone.beats)).collect();
        let now = (inner.clocks.wall)();
        let claimant = Claimant { owner, engines, asked: inner.owners.asked(), now };
        let claimed = inner
            .write(0, move |change| {
                if !is_known {
                    leases::beat(change, owner, now)?;
                }
                freed.into_iter().try_for_each(|(gone, beats)| leases::free_owner(change, gone, beats))?;
                leases::claim_runs(change, &claimant, room)
            })
            .await?;
        inner.owners.remove_dead(&inner.layout, gone);
        inner.owners.forget_asked(&claimed);
        Ok(claimed)
    }

    async fn release(&self, owner: OwnerId, claim: LeaseClaim) -> Result<(), JournalError> {
        self.inner.write(0, move |change| leases::release(change, owner, claim)).await
    }

    async fn runs_with_commands(&self, owner: OwnerId) -> Result<Vec<RunId>, JournalError> {
        let inner = &self.inner;
        let is_called = inner.readers.with(|connection| leases::is_called(connection, owner));
        if !is_called.map_err(|error| inner.problem(&error))? {
            return Ok(Vec::new());
        }
        inner.write(0, move |change| leases::take_calls(change, owner)).await
    }
}

impl StoreInner {
    fn acquire_owner_lock(&self, owner: OwnerId) -> Result<(), JournalError> {
        match &self.writing {
            WriteAccess::Open(_) => {
                Ok(self.owners.acquire_lock(&self.layout, owner).map_err(|error| self.problem(&error))?)
            }
            WriteAccess::Refused(problem) => Err(problem.clone().into()),
        }
    }

    pub fn fetch_blob(&self, digest: Digest) -> Result<Vec<u8>, Error> {
        let bytes = match self.readers.with(|connection| blobs::fetch_row(connection, digest))? {
            Some(bytes) => Some(bytes),
            None => blobs::fetch_file(&self.layout, digest)?,
        };
        blobs::checked(digest, bytes)
    }

    fn keep_file(&self, digest: Digest, bytes: &[u8]) -> Result<(), Error> {
        match &self.writing {
            WriteAccess::Open(_) => blobs::keep_file(&self.layout, self.owner, digest, bytes),
            WriteAccess::Refused(problem) => Err(problem.clone().into()),
        }
    }
}

/// A file costs several syncs, so it is written beside the runtime's threads where there is a runtime.
async fn keep_file(inner: &Arc<StoreInner>, digest: Digest, bytes: Vec<u8>) -> Result<Digest, JournalError> {
    let length = bytes.len();
    let kept = match tokio::runtime::Handle::try_current() {
        Ok(runtime) => {
            let inner = Arc::clone(inner);
            let work = runtime.spawn_blocking(move || inner.keep_file(digest, &bytes));
            work.await.unwrap_or_else(|_| Err(Error::Damaged("the writing thread failed".to_owned())))
        }
        Err(_) => inner.keep_file(digest, &bytes),
    };
    match kept {
        Ok(()) => Ok(digest),
        Err(error) => Err(error.problem(&inner.layout.blob(digest), length).into()),
    }
}
