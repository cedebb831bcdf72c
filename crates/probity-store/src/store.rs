//! The handle that the program, the server and the drivers share. Cheap to clone.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use probity_research::{
    cost::MicroUsd,
    error::{Code, CodedError},
    id::{OwnerId, RunId},
    list::ListFilter,
    ports::JournalError,
    status::{RunStatus, RunSummary},
    time::Moment,
};

use crate::{
    backup, charges, commit_mark,
    connection::Access,
    error::Error,
    files,
    integrity::{self, IntegrityDepth, IntegrityReport},
    layout::Layout,
    leases, list,
    opening::{self, OpenOutcome},
    options::{Clocks, StoreOptions},
    owners::OwnerRegistry,
    reader_pool::ReaderPool,
    restore::{self, LossReport, RestoreReport},
    row, shelf,
    totals::Totals,
    writer::{OpenedLog, WriteContext, WriterHandle},
};

#[derive(Debug, Clone)]
pub struct Store {
    pub(crate) inner: Arc<StoreInner>,
}

#[derive(Debug)]
pub(crate) struct StoreInner {
    pub layout: Layout,
    pub owner: OwnerId,
    pub clocks: Clocks,
    pub rescue_directory: PathBuf,
    pub readers: ReaderPool,
    pub owners: OwnerRegistry,
    pub writing: WriteAccess,
    /// Names of engines as a JSON list, as the queries take it.
    pub claims_only: Option<String>,
    /// The last integrity check that found nothing; it is made once, and again only after it failed.
    audited: Mutex<Option<IntegrityReport>>,
}

#[derive(Debug)]
pub(crate) enum WriteAccess {
    Open(WriterHandle),
    /// Why every write is refused.
    Refused(CodedError),
}

/// What `probity doctor` shows of the store.
#[derive(Debug, Clone, PartialEq)]
pub struct StoreHealth {
    pub directory: PathBuf,
    pub database: PathBuf,
    pub database_bytes: u64,
    pub log_bytes: u64,
    pub sqlite_version: &'static str,
    pub schema_version: usize,
    /// Why it cannot be written, if so.
    pub refusal: Option<CodedError>,
    pub researches: Result<u64, CodedError>,
    pub commits: Result<u64, CodedError>,
    pub last_audit: Option<IntegrityReport>,
    pub backups: Vec<PathBuf>,
}

impl Store {
    /// Opens the store in `directory`, creates or migrates it as needed.
    /// Blocking; takes milliseconds, more only if a migration has to copy the database first.
    pub fn open(directory: &Path, options: StoreOptions) -> Result<Self, CodedError> {
        Self::open_with(directory, options, crate::schema::STEPS)
    }

    pub(crate) fn open_with(
        directory: &Path,
        options: StoreOptions,
        steps: &[&str],
    ) -> Result<Self, CodedError> {
        let layout = Layout::new(directory);
        let owners = OwnerRegistry::default();
        let opened = opening::open(&layout, &options, &owners, steps)
            .map_err(|error| error.problem(layout.database(), 0))?;
        let (access, log, writing) = match opened {
            OpenOutcome::ForWriting(writer) => (Access::Read, writer.opened_log(), WriteAccess::Open(writer)),
            OpenOutcome::ForReading(access, refusal) => {
                (access, OpenedLog::default(), WriteAccess::Refused(refusal))
            }
        };
        let store = Self {
            inner: Arc::new(StoreInner {
                readers: ReaderPool::new(&layout, access, log),
                layout,
                owner: options.owner,
                clocks: options.clocks,
                rescue_directory: options.rescue_directory,
                owners,
                writing,
                claims_only: options.claims_only.as_deref().map(leases::engine_list),
                audited: Mutex::new(None),
            }),
        };
        Ok(store)
    }

    /// Whether there is nothing to read in `directory` yet; an error if there was a database and it is gone.
    pub fn is_new(directory: &Path) -> Result<bool, CodedError> {
        let layout = Layout::new(directory);
        commit_mark::is_new(&layout).map_err(|error| error.problem(layout.database(), 0))
    }

    /// Where the report of a run is whose journal did not take it; `None` if there is no such file.
    pub fn rescue_file(&self, id: RunId) -> Option<PathBuf> {
        let path = files::rescue_path(&self.inner.rescue_directory, id);
        files::length(&path).map(|_| path)
    }

    /// Names this process in leases.
    pub fn owner(&self) -> OwnerId {
        self.inner.owner
    }

    /// Why nothing can be written, or `None` if it can.
    pub fn refusal(&self) -> Option<&CodedError> {
        match &self.inner.writing {
            WriteAccess::Open(_) => None,
            WriteAccess::Refused(problem) => Some(problem),
        }
    }

    /// The status of a run: one row, checked against its hash.
    pub fn status(&self, id: RunId) -> Result<RunSummary, CodedError> {
        self.find(id, list::parse_summary)
    }

    /// Whether a living process has the lease of this run.
    pub fn is_driven(&self, id: RunId) -> Result<bool, CodedError> {
        let inner = &self.inner;
        let owner = inner
            .readers
            .with(|connection| leases::owner_of_run(connection, id))
            .map_err(|error| inner.problem(&error))?;
        Ok(owner.is_some_and(|owner| inner.owners.is_alive(&inner.layout, owner)))
    }

    /// Newest change first.
    pub fn list(&self, filter: &ListFilter) -> Result<Vec<RunSummary>, CodedError> {
        self.inner.read_complete(|connection| list::list(connection, filter))
    }

    /// How many a list by text and status alone would have on all its pages together.
    pub fn total(&self, filter: &ListFilter) -> Result<u64, CodedError> {
        self.inner.read_complete(|connection| list::total(connection, filter))
    }

    /// How many runs have each status.
    pub fn counts(&self) -> Result<Vec<(RunStatus, u64)>, CodedError> {
        self.inner.read_complete(list::counts)
    }

    /// What the runs of the 24 hours before `now`, and all that are running, have cost or may still.
    pub fn charged(&self, now: Moment) -> Result<MicroUsd, CodedError> {
        self.inner.read_complete(|connection| charges::charged(connection, now, None))
    }

    /// Whether any run is due; one index read, for a caller that waits until there is none.
    pub fn has_due(&self) -> Result<bool, CodedError> {
        let engines = self.inner.claims_only.as_deref();
        self.inner.read_complete(|connection| list::has_due(connection, engines))
    }

    /// The run that was started last.
    pub fn latest(&self) -> Result<Option<RunSummary>, CodedError> {
        self.inner.read_complete(list::latest)
    }

    /// The one run whose id starts like this; at least four digits.
    pub fn find_by_prefix(&self, text: &str) -> Result<RunId, CodedError> {
        let found = self.inner.read_complete(|connection| list::find_ids_by_prefix(connection, text))?;
        list::single_match(&found, text)
    }

    /// Finds damage. `IntegrityDepth::Rows` reads every status row, `IntegrityDepth::Everything` all that is
    /// stored.
    pub fn check_integrity(&self, depth: IntegrityDepth) -> Result<IntegrityReport, CodedError> {
        self.inner.check_integrity(depth).map_err(|error| self.inner.problem(&error))
    }

    /// Copies the database to a new private file.
    pub fn backup(&self, path: &Path) -> Result<(), CodedError> {
        let database = self.inner.layout.database();
        backup::copy(database, path).map_err(|error| error.problem(path, file_bytes(database)))
    }

    /// Copies the database into `backups/`, where `restore` looks; keeps the newest few.
    pub fn backup_aside(&self) -> Result<PathBuf, CodedError> {
        let now = (self.inner.clocks.wall)();
        backup::copy_aside(&self.inner.layout, crate::schema::STEPS.len(), now).map_err(|error| {
            error.problem(self.inner.layout.database(), file_bytes(self.inner.layout.database()))
        })
    }

    /// Sets a damaged database aside and puts the newest whole backup in its place. What was spent since that backup
    /// and cannot be read counts as more than any day's limit.
    pub fn restore(directory: &Path, now: Moment) -> Result<RestoreReport, CodedError> {
        let layout = Layout::new(directory);
        restore::restore(&layout, now).map_err(|error| error.problem(layout.database(), 0))
    }

    /// Goes on with a database that lost its newest commits; only when the user said so.
    pub fn accept_loss(directory: &Path, now: Moment) -> Result<LossReport, CodedError> {
        let layout = Layout::new(directory);
        restore::accept_loss(&layout, now).map_err(|error| error.problem(layout.database(), 0))
    }

    pub fn health(&self) -> StoreHealth {
        let layout = &self.inner.layout;
        let totals = self.inner.readers.with(Totals::read).map_err(|error| self.inner.problem(&error));
        StoreHealth {
            directory: layout.directory().to_owned(),
            database: layout.database().to_owned(),
            database_bytes: files::length(layout.database()).unwrap_or(0),
            log_bytes: files::length(&layout.log()).unwrap_or(0),
            sqlite_version: rusqlite::version(),
            schema_version: crate::schema::STEPS.len(),
            refusal: self.refusal().cloned(),
            researches: totals.clone().map(|totals| totals.researches),
            commits: totals.map(|totals| totals.commits),
            last_audit: *self.inner.audited.lock().unwrap_or_else(PoisonError::into_inner),
            backups: backup::all(layout),
        }
    }

    fn find<T>(&self, id: RunId, with: impl FnOnce(&str) -> Result<T, Error>) -> Result<T, CodedError> {
        let inner = &self.inner;
        let found = inner
            .readers
            .with(|connection| row::find_summary(connection, id, with))
            .map_err(|error| inner.problem(&error))?;
        found.map_or_else(|| Err(inner.not_found(id)), Ok)
    }
}

impl StoreInner {
    /// Reads whose answer depends on no row being missing.
    pub fn read_complete<T>(
        &self,
        read: impl FnOnce(&rusqlite::Connection) -> Result<T, Error>,
    ) -> Result<T, CodedError> {
        self.check_integrity_once()?;
        self.readers.with_snapshot(read).map_err(|error| self.problem(&error))
    }

    /// "Not found" is only answered after the rows were found complete.
    pub fn not_found(&self, id: RunId) -> CodedError {
        match self.check_integrity_once() {
            Ok(()) => {
                let is_removed = self.readers.with(|connection| shelf::is_removed(connection, id));
                let message = match is_removed {
                    Ok(true) => shelf::in_trash(id),
                    Ok(false) | Err(_) => format!("there is no research {id}"),
                };
                CodedError::new(Code::NotFound, &message)
            }
            Err(problem) => problem,
        }
    }

    pub fn problem(&self, error: &Error) -> CodedError {
        error.problem(self.layout.database(), 0)
    }

    pub async fn write<T: Send + 'static>(
        &self,
        bytes: usize,
        work: impl FnOnce(&mut WriteContext<'_>) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, JournalError> {
        match &self.writing {
            WriteAccess::Open(writer) => writer.write(bytes, work).await,
            WriteAccess::Refused(problem) => Err(problem.clone().into()),
        }
    }

    fn check_integrity_once(&self) -> Result<(), CodedError> {
        // Locked during the check: callers that come meanwhile wait for the one check.
        let mut audited = self.audited.lock().unwrap_or_else(PoisonError::into_inner);
        if audited.is_none() {
            *audited =
                Some(self.run_integrity_check(IntegrityDepth::Rows).map_err(|error| self.problem(&error))?);
        }
        Ok(())
    }

    fn check_integrity(&self, depth: IntegrityDepth) -> Result<IntegrityReport, Error> {
        let found = self.run_integrity_check(depth);
        *self.audited.lock().unwrap_or_else(PoisonError::into_inner) = found.as_ref().ok().copied();
        found
    }

    fn run_integrity_check(&self, depth: IntegrityDepth) -> Result<IntegrityReport, Error> {
        self.readers.with_snapshot(|connection| integrity::check_integrity(connection, &self.layout, depth))
    }
}

impl Drop for StoreInner {
    fn drop(&mut self) {
        // Readers first: the last connection to close is then the writer's, which merges the log.
        self.readers.close();
        if let WriteAccess::Open(writer) = &mut self.writing {
            let ours = self.owners.all_held();
            writer.finish(move |change| {
                ours.into_iter().try_for_each(|owner| crate::leases::free_owner(change, owner, None))
            });
            self.owners.release_all(&self.layout);
        }
    }
}

fn file_bytes(path: &Path) -> usize {
    usize::try_from(files::length(path).unwrap_or(0)).unwrap_or(usize::MAX)
}
