//! A few connections for reading, used on the caller's own thread: a read takes microseconds.

use std::{
    ops::Deref,
    path::PathBuf,
    sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError},
};

use rusqlite::Connection;

use crate::{
    connection::{self, Access},
    error::Error,
    files,
    layout::Layout,
    writer::{OpenedLog, check_opened},
};

/// Connections for reading. A caller beyond this waits for one; each costs up to `CACHE_KIB` of cache.
const READERS_MAX: usize = 8;

#[derive(Debug)]
pub struct ReaderPool {
    database: PathBuf,
    log: PathBuf,
    opened_log: OpenedLog,
    access: Access,
    pool: Mutex<PoolState>,
    returned: Condvar,
    /// The file that was opened first, to notice when its name no longer leads to it: what is read from it then is what
    /// nobody finds again.
    opened: OnceLock<Option<(u64, u64)>>,
}

#[derive(Debug, Default)]
struct PoolState {
    idle: Vec<Connection>,
    lent: usize,
}

/// Lent for one read; goes back when dropped.
pub struct PooledReader<'a> {
    readers: &'a ReaderPool,
    connection: Option<Connection>,
}

impl ReaderPool {
    pub fn new(layout: &Layout, access: Access, opened_log: OpenedLog) -> Self {
        Self {
            database: layout.database().to_owned(),
            log: layout.log(),
            opened_log,
            access,
            pool: Mutex::new(PoolState::default()),
            returned: Condvar::new(),
            opened: OnceLock::new(),
        }
    }

    fn check_file(&self) -> Result<(), Error> {
        check_opened(&self.database, self.opened.get().copied().flatten())?;
        check_opened(&self.log, self.opened_log.get())
    }

    /// Do not ask for a second one while using the first: with every reader lent that would wait for ever.
    pub fn with<T>(&self, read: impl FnOnce(&Connection) -> Result<T, Error>) -> Result<T, Error> {
        let mut reader = self.take()?;
        let result = match reader.connection.as_ref() {
            Some(connection) => read(connection),
            None => Err(Error::Damaged("a reader without a connection".to_owned())),
        };
        if result.as_ref().is_err_and(Error::spoils_connection) {
            reader.connection = None;
        }
        result
    }

    /// Several reads of one state of the database.
    pub fn with_snapshot<T>(&self, read: impl FnOnce(&Connection) -> Result<T, Error>) -> Result<T, Error> {
        self.with(|connection| {
            let snapshot = connection.unchecked_transaction()?;
            read(snapshot.deref())
        })
    }

    pub fn close(&self) {
        self.lock().idle.clear();
    }

    fn take(&self) -> Result<PooledReader<'_>, Error> {
        self.check_file()?;
        let mut pool = self.lock();
        while pool.lent >= READERS_MAX {
            pool = self.returned.wait(pool).unwrap_or_else(PoisonError::into_inner);
        }
        pool.lent += 1;
        let idle = pool.idle.pop();
        drop(pool);
        // Lent before it is opened, so that dropping it returns the slot whatever happens.
        let mut reader = PooledReader { readers: self, connection: idle };
        if reader.connection.is_none() {
            reader.connection = Some(connection::open(&self.database, self.access)?);
            let identity = files::identity(&self.database);
            let identity = identity.map_err(|source| Error::file("look at", &self.database, source))?;
            self.opened.get_or_init(|| identity);
        }
        Ok(reader)
    }

    fn lock(&self) -> MutexGuard<'_, PoolState> {
        self.pool.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for PooledReader<'_> {
    fn drop(&mut self) {
        let mut pool = self.readers.lock();
        pool.lent = pool.lent.saturating_sub(1);
        pool.idle.extend(self.connection.take());
        drop(pool);
        self.readers.returned.notify_one();
    }
}
