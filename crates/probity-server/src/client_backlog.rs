//! What one client of a byte stream may have waiting here: requests under way, and answers that it has not
//! read.
//!
//! Beyond the bound the server reads nothing more from that client. A client that writes and never reads then
//! fills its own pipe and not this process's memory, and other clients notice nothing.

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use rmcp::model::{ClientRequest, ServerJsonRpcMessage};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

use crate::tools::ToolName;

/// Memory of one client's requests under way. Each is charged its own length and what its answer may take.
const UNDER_WAY_BYTES_MAX: usize = 8 * 1024 * 1024;
/// Charged for an answer: a page of a report with its sources. So 128 requests may wait at the same time; an
/// editor with its agents has some ten.
const ANSWER_BYTES: usize = 64 * 1024;
/// The same for a request that decodes a whole report to answer: three at the same time.
const LONG_ANSWER_BYTES: usize = UNDER_WAY_BYTES_MAX / 3;
/// Answers and notifications that the client has not read. A client that asks for everything at its start
/// has fewer.
const UNREAD_MAX: usize = 64;
/// Their bytes. One answer of any length is always written.
const UNREAD_BYTES_MAX: usize = 2 * 1024 * 1024;
/// Requests are charged in units of this, so that the largest charge is a small number of permits.
const UNIT_BYTES: usize = 1024;

/// The bounds of one client.
#[derive(Debug)]
pub(crate) struct ClientBacklog {
    under_way: Arc<Semaphore>,
    unread: Arc<UnreadAnswers>,
}

/// A request under way: travels with it and is dropped with the last that works on it.
#[derive(Debug, Clone)]
pub(crate) struct RequestCharge {
    _permit: Arc<OwnedSemaphorePermit>,
}

/// An answer on its way to the client. Dropped once it is written, or given up.
#[derive(Debug)]
pub(crate) struct UnreadAnswer {
    all: Arc<UnreadAnswers>,
    bytes: usize,
}

#[derive(Debug, Default)]
struct UnreadAnswers {
    count: AtomicUsize,
    bytes: AtomicUsize,
    /// Written so far: a client that reads makes it grow.
    written: AtomicUsize,
    freed: Notify,
}

impl Default for ClientBacklog {
    fn default() -> Self {
        let units = UNDER_WAY_BYTES_MAX / UNIT_BYTES;
        Self { under_way: Arc::new(Semaphore::new(units)), unread: Arc::default() }
    }
}

impl ClientBacklog {
    /// Returns once the client has read enough of its answers for another request.
    pub(crate) async fn wait_until_read(&self) {
        while !self.unread.has_room() {
            self.unread.freed.notified().await;
        }
    }

    /// Charges a request of this many bytes, once there is room for it.
    pub(crate) async fn charge_request(&self, request: &ClientRequest, bytes: usize) -> RequestCharge {
        let charge = (bytes + answer_bytes(request)).min(UNDER_WAY_BYTES_MAX) / UNIT_BYTES;
        let charge = u32::try_from(charge).unwrap_or(u32::MAX);
        match Arc::clone(&self.under_way).acquire_many_owned(charge).await {
            Ok(permit) => RequestCharge { _permit: Arc::new(permit) },
            // The semaphore is never closed.
            Err(_) => std::future::pending().await,
        }
    }

    /// Where it can be seen whether the client reads.
    pub(crate) fn reading(&self) -> ReadingProgress {
        ReadingProgress(Arc::clone(&self.unread))
    }

    /// Counts a message until the guard is dropped.
    pub(crate) fn add_answer(&self, message: &ServerJsonRpcMessage) -> UnreadAnswer {
        let waiting = self.unread.count.fetch_add(1, Ordering::AcqRel);
        // A client that reads has no other answer waiting: its answers need not be measured.
        let bytes = if waiting == 0 { 0 } else { serialized_bytes(message) };
        self.unread.bytes.fetch_add(bytes, Ordering::AcqRel);
        UnreadAnswer { all: Arc::clone(&self.unread), bytes }
    }
}

/// How far a client has come with its answers.
#[derive(Debug, Clone)]
pub(crate) struct ReadingProgress(Arc<UnreadAnswers>);

impl ReadingProgress {
    /// Returns once answers have waited as long as `patience` and the client has read none of them.
    pub(crate) async fn stalls(&self, patience: Duration) {
        loop {
            let before = self.0.written.load(Ordering::Acquire);
            tokio::time::sleep(patience).await;
            let is_waiting = self.0.count.load(Ordering::Acquire) > 0;
            if is_waiting && self.0.written.load(Ordering::Acquire) == before {
                return;
            }
        }
    }
}

impl UnreadAnswer {
    /// To the client, as far as this process can know.
    pub(crate) fn was_written(&self) {
        self.all.written.fetch_add(1, Ordering::AcqRel);
    }
}

impl UnreadAnswers {
    fn has_room(&self) -> bool {
        self.count.load(Ordering::Acquire) < UNREAD_MAX
            && self.bytes.load(Ordering::Acquire) < UNREAD_BYTES_MAX
    }
}

impl Drop for UnreadAnswer {
    fn drop(&mut self) {
        self.all.count.fetch_sub(1, Ordering::AcqRel);
        self.all.bytes.fetch_sub(self.bytes, Ordering::AcqRel);
        self.all.freed.notify_one();
    }
}

fn answer_bytes(request: &ClientRequest) -> usize {
    let decodes_report = match request {
        ClientRequest::ReadResourceRequest(_) => true,
        ClientRequest::CallToolRequest(call) => {
            let reads = [ToolName::GetResearchResults, ToolName::CheckCitations];
            reads.iter().any(|tool| tool.as_str() == call.params.name)
        }
        _ => false,
    };
    if decodes_report { LONG_ANSWER_BYTES } else { ANSWER_BYTES }
}

fn serialized_bytes(message: &ServerJsonRpcMessage) -> usize {
    struct ByteCount(usize);
    impl io::Write for ByteCount {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut count = ByteCount(0);
    match serde_json::to_writer(&mut count, message) {
        Ok(()) => count.0,
        // The transport refuses such a message too.
        Err(_) => 0,
    }
}
