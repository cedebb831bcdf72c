//! Which of the public codes an error of the database is.

use std::error::Error as _;

use probity_research::error::{Code, CodedError};
use tokio_postgres::error::SqlState;

pub(super) fn problem_from_postgres(error: &tokio_postgres::Error, place: &str) -> CodedError {
    let code = error.code().map_or(Code::StoreFailed, code_of);
    let cause = cause(error);
    let message = match code {
        Code::StoreFull => format!("`{place}` has no room left: {cause}"),
        Code::StoreBusy => format!("`{place}` is busy: {cause}"),
        Code::StoreReadOnly => format!("`{place}` may not be written: {cause}"),
        Code::StoreCorrupt => format!("`{place}` is damaged: {cause}"),
        _ => format!("`{place}` could not be used: {cause}"),
    };
    CodedError::new(code, &message)
}

fn code_of(state: &SqlState) -> Code {
    if [SqlState::DISK_FULL, SqlState::OUT_OF_MEMORY].contains(state) {
        return Code::StoreFull;
    }
    if [SqlState::DATA_CORRUPTED, SqlState::INDEX_CORRUPTED].contains(state) {
        return Code::StoreCorrupt;
    }
    if *state == SqlState::INSUFFICIENT_PRIVILEGE {
        return Code::StoreReadOnly;
    }
    let busy = [
        SqlState::T_R_SERIALIZATION_FAILURE,
        SqlState::T_R_DEADLOCK_DETECTED,
        SqlState::LOCK_NOT_AVAILABLE,
        SqlState::QUERY_CANCELED,
        SqlState::TOO_MANY_CONNECTIONS,
    ];
    if busy.contains(state) {
        return Code::StoreBusy;
    }
    // Includes a server that starts, stops, or became a standby: a retry is worth it.
    Code::StoreFailed
}

/// The database's own message; details may contain values of rows and are left out.
fn cause(error: &tokio_postgres::Error) -> String {
    match error.as_db_error() {
        Some(said) => said.message().to_owned(),
        None => match error.source() {
            Some(source) => format!("{error}: {source}"),
            None => error.to_string(),
        },
    }
}
