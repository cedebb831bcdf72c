//! The open streams, each with its permit; there are never more than permits.
#![expect(
    clippy::disallowed_methods,
    reason = "how long a stream lay unused, on tokio's clock so that a paused one works; never shown or stored"
)]

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use probity_research::id::RunId;
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::Instant,
};

use super::stream_progress::StreamProgress;
use crate::gemini::sse::SseFrameParser;

/// A stream that was not read for this long belongs to a run that another process drives by now:
/// even after failures a driver polls once a minute.
pub const STREAM_IDLE_MAX: Duration = Duration::from_secs(150);

pub(super) struct OpenStream<B> {
    pub(super) remote_id: String,
    pub(super) body: B,
    pub(super) frames: SseFrameParser,
    pub(super) watch: StreamProgress,
    /// Reads in a row that brought not one byte.
    pub(super) silences: u32,
    used_at: Instant,
    _permit: OwnedSemaphorePermit,
}

pub(super) struct StreamPool<B> {
    permits: Arc<Semaphore>,
    open: Mutex<HashMap<RunId, OpenStream<B>>>,
}

impl<B> StreamPool<B> {
    pub(super) fn new(open_max: usize) -> Self {
        let permits = Arc::new(Semaphore::new(open_max.min(Semaphore::MAX_PERMITS)));
        Self { permits, open: Mutex::default() }
    }

    /// The open stream of this run; it returns to the pool when the guard is dropped.
    pub(super) fn take(&self, id: RunId, remote_id: &str) -> Option<StreamGuard<'_, B>> {
        let stream = self.lock().remove(&id)?;
        (stream.remote_id == remote_id).then(|| StreamGuard { streams: self, id, stream: Some(stream) })
    }

    /// A permit for one more stream, if there is any.
    pub(super) fn acquire_permit(&self) -> Option<OwnedSemaphorePermit> {
        let free = || Arc::clone(&self.permits).try_acquire_owned().ok();
        free().or_else(|| {
            self.drop_idle();
            free()
        })
    }

    pub(super) fn guard(
        &self,
        id: RunId,
        remote_id: &str,
        body: B,
        frames: SseFrameParser,
        watch: StreamProgress,
        permit: OwnedSemaphorePermit,
    ) -> StreamGuard<'_, B> {
        let stream = OpenStream {
            remote_id: remote_id.to_owned(),
            body,
            frames,
            watch,
            silences: 0,
            used_at: Instant::now(),
            _permit: permit,
        };
        StreamGuard { streams: self, id, stream: Some(stream) }
    }

    /// Keeps the stream that a create returned, if there is a permit; otherwise it is closed.
    pub(super) fn keep_new(
        &self,
        id: RunId,
        remote_id: &str,
        body: B,
        frames: SseFrameParser,
        watch: StreamProgress,
    ) {
        if let Some(permit) = self.acquire_permit() {
            drop(self.guard(id, remote_id, body, frames, watch, permit));
        }
    }

    pub(super) fn drop_stream(&self, id: RunId) {
        let closed = self.lock().remove(&id);
        drop(closed);
    }

    pub(super) fn open_count(&self) -> usize {
        self.lock().len()
    }

    fn drop_idle(&self) {
        self.lock().retain(|_, stream| stream.used_at.elapsed() < STREAM_IDLE_MAX);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<RunId, OpenStream<B>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A stream while it is read. Dropped, also in the middle of a read, it returns to the pool.
pub(super) struct StreamGuard<'s, B> {
    streams: &'s StreamPool<B>,
    id: RunId,
    stream: Option<OpenStream<B>>,
}

impl<B> StreamGuard<'_, B> {
    pub(super) fn stream(&mut self) -> Option<&mut OpenStream<B>> {
        self.stream.as_mut()
    }

    /// Closes the stream and keeps its progress.
    pub(super) fn close(mut self) -> Option<StreamProgress> {
        self.stream.take().map(|stream| stream.watch)
    }
}

impl<B> Drop for StreamGuard<'_, B> {
    fn drop(&mut self) {
        if let Some(mut stream) = self.stream.take() {
            stream.used_at = Instant::now();
            let replaced = self.streams.lock().insert(self.id, stream);
            drop(replaced);
        }
    }
}
