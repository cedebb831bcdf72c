//! Starts, watches and ends the confined processes that parse pages. Knows nothing of formats.
//!
//! A process is reused for some pages, because starting one costs more than parsing most pages; after any
//! failure it is killed and the next page gets a fresh one. A page that kills a process costs one page, never
//! the run.
#![expect(clippy::disallowed_methods, reason = "the only module that starts parser processes")]

use std::{ffi::OsString, io, process::Stdio, sync::Mutex, time::Duration};

use bytes::Bytes;
use probity_types::{
    Code, CodedError,
    web::page::{Extract, MediaKind},
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    process::{Child, ChildStdin, ChildStdout, Command},
    sync::Semaphore,
    time::timeout,
};

use crate::{
    document::DocumentFormat,
    frame::{self, ANSWER_BYTES_MAX, PAGE_BYTES_MAX, ParseReply, ParseRequest},
};

/// Timeout for one page. The slowest real page takes a hundredth of it.
pub const PAGE_TIME_MAX: Duration = Duration::from_secs(10);
/// Pages that one process parses: long enough to amortise its start, short enough that nothing piles up.
const PAGES_PER_WORKER: u32 = 200;
/// Bytes that one process parses, together; memory is fragmented after large pages.
const BYTES_PER_WORKER: usize = 64 * 1024 * 1024;

#[derive(Debug, Clone)]
pub struct ParserSettings {
    /// Our own binary and the subcommand that serves.
    pub program: Vec<OsString>,
    /// Concurrent processes.
    pub workers_max: usize,
    /// Timeout for one page.
    pub page_time_max: Duration,
}

impl ParserSettings {
    pub fn new(program: Vec<OsString>) -> Self {
        Self { program, workers_max: 2, page_time_max: PAGE_TIME_MAX }
    }
}

#[derive(Debug)]
pub struct ParserPool {
    settings: ParserSettings,
    seats: Semaphore,
    idle: Mutex<Vec<ParserProcess>>,
}

impl ParserPool {
    pub fn new(settings: ParserSettings) -> Self {
        let seats = Semaphore::new(settings.workers_max.max(1));
        Self { settings, seats, idle: Mutex::new(Vec::new()) }
    }

    /// The readable text of one page. Every failure is this page's own.
    #[tracing::instrument(level = "debug", skip_all, fields(bytes = bytes.len()))]
    pub async fn extract(&self, media: MediaKind, url: &str, bytes: Bytes) -> Result<Extract, CodedError> {
        self.read(ParseRequest { media, url: url.to_owned(), document: None }, bytes).await
    }

    /// A document of the user's as Markdown with its links and notes in place, in `Extract::text`.
    #[tracing::instrument(level = "debug", skip_all, fields(bytes = bytes.len()))]
    pub async fn document(
        &self,
        format: DocumentFormat,
        url: &str,
        bytes: Bytes,
    ) -> Result<Extract, CodedError> {
        self.read(
            ParseRequest { media: MediaKind::Other, url: url.to_owned(), document: Some(format) },
            bytes,
        )
        .await
    }

    async fn read(&self, head: ParseRequest, bytes: Bytes) -> Result<Extract, CodedError> {
        if bytes.len() > PAGE_BYTES_MAX {
            return Err(CodedError::new(Code::PageTooLarge, &format!("a page of {} bytes", bytes.len())));
        }
        let Ok(_seat) = self.seats.acquire().await else { return Err(unreadable("the parser is closed")) };
        let mut worker = match self.idle_worker() {
            Some(worker) => worker,
            None => ParserProcess::start(&self.settings.program).map_err(|error| {
                tracing::error!(%error, "parser process did not start");
                unreadable(&format!("the parsing process does not start: {error}"))
            })?,
        };
        match timeout(self.settings.page_time_max, worker.ask(&head, &bytes)).await {
            Ok(Ok(answer)) => {
                if !answer.is_last && worker.is_reusable() {
                    self.return_worker(worker);
                }
                answer.page
            }
            Ok(Err(error)) => {
                let ended = worker.end().await;
                tracing::warn!(%error, %ended, url = head.url, "page killed its parser process");
                Err(unreadable(&format!("the page ended its parsing process ({ended})")))
            }
            Err(_) => {
                worker.end().await;
                tracing::warn!(url = head.url, "timeout: page took too long to parse");
                Err(unreadable(&format!("the page was not read within {:?}", self.settings.page_time_max)))
            }
        }
    }

    /// Process ids of the idle ones; for figures and tests.
    pub fn idle_processes(&self) -> Vec<u32> {
        self.idle
            .lock()
            .map(|idle| idle.iter().filter_map(|worker| worker.child.id()).collect())
            .unwrap_or_default()
    }

    fn idle_worker(&self) -> Option<ParserProcess> {
        let mut idle = self.idle.lock().ok()?;
        while let Some(mut worker) = idle.pop() {
            // The process may have been killed while it was idle.
            if matches!(worker.child.try_wait(), Ok(None)) {
                return Some(worker);
            }
        }
        None
    }

    fn return_worker(&self, worker: ParserProcess) {
        if let Ok(mut idle) = self.idle.lock() {
            idle.push(worker);
        }
    }
}

fn unreadable(message: &str) -> CodedError {
    CodedError::new(Code::PageUnreadable, message)
}

/// One process. Dropping it kills it.
#[derive(Debug)]
struct ParserProcess {
    child: Child,
    stdin: ChildStdin,
    stdout: ChildStdout,
    pages: u32,
    bytes: usize,
}

impl ParserProcess {
    fn start(program: &[OsString]) -> io::Result<Self> {
        let (program, arguments) =
            program.split_first().ok_or_else(|| io::Error::other("no program is named"))?;
        let mut child = Command::new(program)
            .args(arguments)
            .env_clear()
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()?;
        let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(io::Error::other("it has no pipes"));
        };
        Ok(Self { child, stdin, stdout, pages: 0, bytes: 0 })
    }

    async fn ask(&mut self, head: &ParseRequest, page: &[u8]) -> io::Result<ParseReply> {
        self.pages += 1;
        self.bytes += page.len();
        self.stdin.write_all(&frame::encode_request(head, page.len())).await?;
        self.stdin.write_all(page).await?;
        self.stdin.flush().await?;
        let mut size = [0; 4];
        self.stdout.read_exact(&mut size).await?;
        let mut answer = vec![0; frame::size_of_frame(size, ANSWER_BYTES_MAX)?];
        self.stdout.read_exact(&mut answer).await?;
        serde_json::from_slice(&answer).map_err(io::Error::other)
    }

    fn is_reusable(&self) -> bool {
        self.pages < PAGES_PER_WORKER && self.bytes < BYTES_PER_WORKER
    }

    /// Kills it, waits for it, and says how it had ended.
    async fn end(mut self) -> String {
        if let Err(error) = self.child.start_kill() {
            tracing::debug!(%error, "parser process had already ended");
        }
        match self.child.wait().await {
            Ok(status) => status.to_string(),
            Err(error) => error.to_string(),
        }
    }
}
