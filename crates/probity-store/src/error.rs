//! What went wrong inside the store, and which of the public codes it is.
//!
//! Every error that leaves the crate is a `CodedError` or a `JournalError`; this type only carries the cause.

use std::{
    io,
    path::{Path, PathBuf},
};

use probity_research::{
    error::{Code, CodedError},
    ports::JournalError,
};
use rusqlite::ErrorCode;

use crate::files;

/// `SQLITE_IOERR_SHMSIZE`: the shared index could not grow, which is a full disk in practice.
const SHARED_INDEX_COULD_NOT_GROW: i32 = 4874;
/// `SQLITE_IOERR_DATA`: a page does not match its checksum. `SQLITE_IOERR_CORRUPTFS` is not the same: SQLite calls every
/// read that the system answers with an input/output error so.
const BYTES_ARE_BAD: i32 = 8202;
/// `EIO` and `ENXIO`: the device does not answer, or is no longer there.
const DEVICE_FAILS: [i32; 2] = [5, 6];

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("the database refused")]
    Sql(#[from] rusqlite::Error),
    #[error("could not {doing} `{}`", path.display())]
    File { doing: &'static str, path: PathBuf, source: io::Error },
    /// Bytes that do not match what was written.
    #[error("{0}")]
    Damaged(String),
    /// The database is not the file that it was.
    #[error("{0}")]
    Gone(String),
    #[error("the journal has moved on")]
    Conflict,
    #[error("another driver holds this research")]
    Fenced,
    #[error(transparent)]
    Refused(#[from] CodedError),
}

impl Error {
    pub fn file(doing: &'static str, path: &Path, source: io::Error) -> Self {
        Self::File { doing, path: path.to_owned(), source }
    }

    pub fn code(&self) -> Code {
        match self {
            Self::Sql(error) => sql_code(error),
            Self::File { source, .. } => io_code(source),
            Self::Damaged(_) => Code::StoreCorrupt,
            Self::Gone(_) => Code::StoreGone,
            Self::Conflict | Self::Fenced => Code::LeaseLost,
            Self::Refused(problem) => problem.code,
        }
    }

    /// After these the state of the connection is unknown: it must be opened anew.
    pub fn spoils_connection(&self) -> bool {
        match self {
            Self::Sql(error) => {
                matches!(sql_code(error), Code::StoreFailed | Code::StoreDisk | Code::StoreCorrupt)
            }
            Self::File { .. }
            | Self::Damaged(_)
            | Self::Gone(_)
            | Self::Conflict
            | Self::Fenced
            | Self::Refused(_) => false,
        }
    }

    /// The error that callers get: with the path, and for a full disk with the bytes that did not fit.
    pub fn problem(&self, database: &Path, bytes_needed: usize) -> CodedError {
        let (code, cause) = match self.system_error(database) {
            Some(system) => (io_code(&system), format!("{}: {system}", self.cause())),
            None => (self.code(), self.cause()),
        };
        let place = database.display();
        let message = match (self, code) {
            (Self::Refused(problem), _) => return problem.clone(),
            (_, Code::StoreGone) => cause,
            (_, Code::StoreFull) => format!("no room for {bytes_needed} more bytes beside `{place}`"),
            (_, Code::StoreReadOnly) => format!("`{place}` cannot be written: {cause}"),
            (_, Code::StoreBusy) => format!("`{place}` is held by another process: {cause}"),
            (_, Code::StoreCorrupt) => format!("`{place}` is damaged: {cause}"),
            (_, Code::StoreDisk) => format!("the disk under `{place}` fails: {cause}"),
            _ => format!("`{place}` could not be used: {cause}"),
        };
        CodedError::new(code, &message)
    }

    pub fn journal_error(&self, database: &Path, bytes_needed: usize) -> JournalError {
        match self {
            Self::Conflict => JournalError::Conflict,
            Self::Fenced => JournalError::Fenced,
            Self::Sql(_) | Self::File { .. } | Self::Damaged(_) | Self::Gone(_) | Self::Refused(_) => {
                JournalError::Refused(self.problem(database, bytes_needed))
            }
        }
    }

    /// A `CodedError` has no source, so the cause goes into its message.
    fn cause(&self) -> String {
        match self {
            Self::Sql(error) => error.to_string(),
            Self::File { source, .. } => format!("{self}: {source}"),
            Self::Damaged(_) | Self::Gone(_) | Self::Conflict | Self::Fenced | Self::Refused(_) => {
                self.to_string()
            }
        }
    }

    /// SQLite says that it cannot open or write a file and not why: the system says it of the same files. What SQLite
    /// calls malformed is a disk that no longer answers if the system says so.
    fn system_error(&self, database: &Path) -> Option<io::Error> {
        let Self::Sql(error) = self else { return None };
        match sql_code(error) {
            Code::StoreReadOnly | Code::StoreDisk => files::access_error(database),
            Code::StoreCorrupt => {
                files::access_error(database).filter(|system| io_code(system) == Code::StoreDisk)
            }
            _ => None,
        }
    }
}

fn sql_code(error: &rusqlite::Error) -> Code {
    let failure = match error {
        rusqlite::Error::SqliteFailure(failure, _) => failure,
        rusqlite::Error::SqlInputError { error, .. } => error,
        // Our own SQL asks for types that STRICT tables guarantee: anything else is not what we wrote.
        _ => return Code::StoreCorrupt,
    };
    match failure.code {
        ErrorCode::DiskFull => Code::StoreFull,
        ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied => Code::StoreReadOnly,
        ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked | ErrorCode::FileLockingProtocolFailed => {
            Code::StoreBusy
        }
        ErrorCode::SystemIoFailure if failure.extended_code == SHARED_INDEX_COULD_NOT_GROW => Code::StoreFull,
        ErrorCode::SystemIoFailure if failure.extended_code == BYTES_ARE_BAD => Code::StoreCorrupt,
        ErrorCode::SystemIoFailure => Code::StoreDisk,
        ErrorCode::OutOfMemory
        | ErrorCode::OperationInterrupted
        | ErrorCode::OperationAborted
        | ErrorCode::TooBig
        | ErrorCode::ApiMisuse => Code::StoreFailed,
        // Includes SQLITE_ERROR: our statements are fixed, so only a damaged schema makes one fail.
        _ => Code::StoreCorrupt,
    }
}

fn io_code(error: &io::Error) -> Code {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Code::StoreFull,
        io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::PermissionDenied => Code::StoreReadOnly,
        _ if error.raw_os_error().is_some_and(|code| DEVICE_FAILS.contains(&code)) => Code::StoreDisk,
        _ => Code::StoreFailed,
    }
}
