//! The thread that writes: takes the requests that wait, commits them together, answers each.
//!
//! Requests are isolated by savepoints. A single writer is never delayed; while many write, the thread waits
//! a moment before each commit, so that more of them share its sync. A failed write never ends the thread.

use std::{
    io, mem,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    thread,
    time::Duration,
};

use probity_research::{
    error::{Code, CodedError},
    ports::JournalError,
};
use rusqlite::Connection;
use tokio::sync::{mpsc, oneshot};

use crate::{
    commit_mark::CommitMark,
    connection::{self, Access},
    error::Error,
    files,
    layout::Layout,
    row::Hash,
    totals::Totals,
};

/// Requests that wait for the writer; a sender beyond this waits for room.
const WAITING_MAX: usize = 1024;
/// Requests in one commit: enough to share its sync among thousands per second, few enough to answer soon.
const BATCH_MAX: usize = 256;
/// A commit shared by this many requests means that many are writing.
const BUSY_BATCH_MIN: usize = 4;
/// How long a busy writer waits for more requests: fewer commits, and far below what a user notices.
const BATCH_WAIT: Duration = Duration::from_millis(8);

/// What a request may touch while it runs inside the shared transaction.
pub struct WriteContext<'a> {
    pub connection: &'a Connection,
    totals: Totals,
    changed: ChangeFlag,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ChangeFlag {
    No,
    Yes,
}

impl WriteContext<'_> {
    pub fn row_added(&mut self, hash: &Hash) {
        self.totals.researches += 1;
        self.totals.toggle(hash);
        self.changed = ChangeFlag::Yes;
    }

    pub fn row_replaced(&mut self, old: &Hash, new: &Hash) {
        self.totals.toggle(old);
        self.totals.toggle(new);
        self.changed = ChangeFlag::Yes;
    }

    pub fn row_removed(&mut self, hash: &Hash) {
        self.totals.researches = self.totals.researches.saturating_sub(1);
        self.totals.toggle(hash);
        self.changed = ChangeFlag::Yes;
    }

    pub fn other_changed(&mut self) {
        self.changed = ChangeFlag::Yes;
    }
}

trait WriteJob: Send {
    fn bytes(&self) -> usize;
    fn perform(&mut self, change: &mut WriteContext<'_>) -> Result<(), Error>;
    fn fail(&mut self, error: JournalError);
    fn reply(self: Box<Self>);
}

struct PendingWrite<T, W> {
    work: Option<W>,
    bytes: usize,
    result: Option<Result<T, JournalError>>,
    reply: oneshot::Sender<Result<T, JournalError>>,
}

impl<T, W> WriteJob for PendingWrite<T, W>
where
    T: Send,
    W: FnOnce(&mut WriteContext<'_>) -> Result<T, Error> + Send,
{
    fn bytes(&self) -> usize {
        self.bytes
    }

    fn perform(&mut self, change: &mut WriteContext<'_>) -> Result<(), Error> {
        if let Some(work) = self.work.take() {
            self.result = Some(Ok(work(change)?));
        }
        Ok(())
    }

    fn fail(&mut self, error: JournalError) {
        self.result = Some(Err(error));
    }

    fn reply(self: Box<Self>) {
        if let Some(result) = self.result {
            // A caller that stopped waiting needs no answer.
            drop(self.reply.send(result));
        }
    }
}

/// The sending side of the writer thread.
#[derive(Debug)]
pub struct WriterHandle {
    jobs: mpsc::Sender<Box<dyn WriteJob>>,
    thread: Option<thread::JoinHandle<()>>,
    database: PathBuf,
    opened_log: OpenedLog,
}

/// Which file is the log, once the writer has written to it: it keeps its name while a connection is open. Shared with
/// the readers, for whom a log that is gone is a database that stands still.
#[derive(Debug, Clone, Default)]
pub struct OpenedLog(Arc<Mutex<Option<(u64, u64)>>>);

impl OpenedLog {
    pub fn get(&self) -> Option<(u64, u64)> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set(&self, log: Option<(u64, u64)>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = log;
    }
}

impl WriterHandle {
    /// Starts the thread with a connection that is already open and checked.
    pub fn start(layout: &Layout, connection: Connection, mark: CommitMark) -> Result<Self, Error> {
        let (jobs, waiting) = mpsc::channel(WAITING_MAX);
        let database = layout.database().to_owned();
        let opened = OpenedFiles::of(layout)?;
        let opened_log = opened.log.clone();
        let writer_thread =
            WriterThread { database: database.clone(), connection: Some(connection), mark, opened };
        let thread = thread::Builder::new()
            .name("probity-store".to_owned())
            .spawn(move || writer_thread.serve(waiting))
            .map_err(|source| Error::file("start the writer of", &database, source))?;
        Ok(Self { jobs, thread: Some(thread), database, opened_log })
    }

    pub fn opened_log(&self) -> OpenedLog {
        self.opened_log.clone()
    }

    /// Performs `work` in the next commit; `Ok` means that it is on disk.
    pub async fn write<T: Send + 'static>(
        &self,
        bytes: usize,
        work: impl FnOnce(&mut WriteContext<'_>) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, JournalError> {
        let (reply, answer) = oneshot::channel();
        let job = PendingWrite { work: Some(work), bytes, result: None, reply };
        self.jobs.send(Box::new(job)).await.map_err(|_| self.ended_error())?;
        answer.await.map_err(|_| self.ended_error())?
    }

    /// The last request of a store that closes; waits for the thread to end.
    pub fn finish(&mut self, work: impl FnOnce(&mut WriteContext<'_>) -> Result<(), Error> + Send + 'static) {
        let (reply, _answer) = oneshot::channel();
        let job = PendingWrite { work: Some(work), bytes: 0, result: None, reply };
        let sent = self.jobs.try_send(Box::new(job)).is_ok();
        let (closed, _) = mpsc::channel(1);
        drop(mem::replace(&mut self.jobs, closed));
        let ended = self.thread.take().is_none_or(|thread| thread.join().is_ok());
        if !sent || !ended {
            tracing::warn!("the writer did not finish; its leases are freed by the next process");
        }
    }

    fn ended_error(&self) -> JournalError {
        let message = format!("the writer of `{}` has ended", self.database.display());
        CodedError::new(Code::StoreFailed, &message).into()
    }
}

/// What the writer thread owns.
struct WriterThread {
    database: PathBuf,
    /// `None` after an error that leaves the connection in doubt.
    connection: Option<Connection>,
    mark: CommitMark,
    opened: OpenedFiles,
}

/// The files that the writer has open, to notice when their names no longer lead to them: SQLite would go on writing
/// to what nobody finds again.
struct OpenedFiles {
    layout: Layout,
    database: Option<(u64, u64)>,
    log: OpenedLog,
}

impl OpenedFiles {
    fn of(layout: &Layout) -> Result<Self, Error> {
        let path = layout.database();
        let database = files::identity(path).map_err(|source| Error::file("look at", path, source))?;
        Ok(Self { layout: layout.clone(), database, log: OpenedLog::default() })
    }

    fn check(&self) -> Result<(), Error> {
        check_opened(self.layout.database(), self.database)?;
        check_opened(&self.layout.log(), self.log.get())
    }

    fn committed(&self) {
        if self.log.get().is_none() {
            self.log.set(files::identity(&self.layout.log()).ok().flatten());
        }
    }
}

/// An error if this name no longer leads to the file that was opened under it.
pub fn check_opened(path: &Path, opened: Option<(u64, u64)>) -> Result<(), Error> {
    let Some(opened) = opened else { return Ok(()) };
    let what = match files::identity(path) {
        Ok(now) if now == Some(opened) => return Ok(()),
        Ok(_) => "replaced",
        Err(error) if error.kind() == io::ErrorKind::NotFound => "removed or moved",
        Err(source) => return Err(Error::file("look at", path, source)),
    };
    Err(Error::Gone(format!(
        "`{}` was {what} while this process had it open: nothing more is recorded until it is back",
        path.display()
    )))
}

impl WriterThread {
    fn serve(mut self, mut waiting: mpsc::Receiver<Box<dyn WriteJob>>) {
        let mut batch = Vec::new();
        let mut shared_by = 0;
        while let Some(first) = waiting.blocking_recv() {
            batch.push(first);
            if shared_by >= BUSY_BATCH_MIN {
                thread::sleep(BATCH_WAIT);
            }
            while batch.len() < BATCH_MAX
                && let Ok(next) = waiting.try_recv()
            {
                batch.push(next);
            }
            shared_by = batch.len();
            if let Err(error) = self.commit(&mut batch) {
                self.refuse(&mut batch, &error);
            }
            batch.drain(..).for_each(WriteJob::reply);
        }
    }

    fn commit(&mut self, batch: &mut [Box<dyn WriteJob>]) -> Result<(), Error> {
        self.opened.check()?;
        let connection = match self.connection.take() {
            Some(connection) => connection,
            None => connection::open(&self.database, Access::Write)?,
        };
        let committed = commit(&connection, batch, &self.database);
        if !connection.is_autocommit() {
            // Only after an error; a connection that cannot even roll back is not used again.
            connection.prepare_cached("ROLLBACK")?.execute([])?;
        }
        if committed.as_ref().is_err_and(Error::spoils_connection) {
            // Closing the last connection takes the log away.
            self.opened.log.set(None);
            tracing::warn!("reopening the database after a failed write");
        } else {
            self.connection = Some(connection);
        }
        if let Some(commits) = committed? {
            self.opened.committed();
            self.mark.set(commits);
        }
        Ok(())
    }

    fn refuse(&self, batch: &mut [Box<dyn WriteJob>], error: &Error) {
        let problem = error.problem(&self.database, batch.iter().map(|job| job.bytes()).sum());
        tracing::warn!(requests = batch.len(), code = %problem.code, cause = %problem.message, "commit failed");
        for job in batch {
            job.fail(problem.clone().into());
        }
    }
}

/// One transaction on a database that only this caller knows of.
pub fn write_alone<T>(
    connection: &Connection,
    work: impl FnOnce(&mut WriteContext<'_>) -> Result<T, Error>,
) -> Result<T, Error> {
    connection.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
    let mut change = WriteContext { connection, totals: Totals::read(connection)?, changed: ChangeFlag::Yes };
    let done = work(&mut change)?;
    change.totals.commits += 1;
    change.totals.write(connection)?;
    connection.prepare_cached("COMMIT")?.execute([])?;
    Ok(done)
}

/// One transaction for all jobs. The number of the commit, or `None` if nothing was changed.
fn commit(
    connection: &Connection,
    batch: &mut [Box<dyn WriteJob>],
    database: &std::path::Path,
) -> Result<Option<u64>, Error> {
    connection.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
    let totals = Totals::read(connection)?;
    let mut change = WriteContext { connection, totals, changed: ChangeFlag::No };
    for job in batch {
        let before = (change.totals, change.changed);
        connection.prepare_cached("SAVEPOINT request")?.execute([])?;
        if let Err(error) = job.perform(&mut change) {
            (change.totals, change.changed) = before;
            if error.spoils_connection() || connection.is_autocommit() {
                return Err(error);
            }
            connection.prepare_cached("ROLLBACK TO request")?.execute([])?;
            job.fail(error.journal_error(database, job.bytes()));
        }
        connection.prepare_cached("RELEASE request")?.execute([])?;
    }
    if change.changed == ChangeFlag::No {
        connection.prepare_cached("ROLLBACK")?.execute([])?;
        return Ok(None);
    }
    change.totals.commits += 1;
    change.totals.write(connection)?;
    connection.prepare_cached("COMMIT")?.execute([])?;
    Ok(Some(change.totals.commits))
}
