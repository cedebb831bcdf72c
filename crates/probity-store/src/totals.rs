//! How many runs there are and the combined hash of their rows.
//!
//! Changed in the same transaction as the rows, so that a vanished or swapped row shows in an integrity
//! check.

use rusqlite::{Connection, params};

use crate::{
    error::Error,
    row::{self, Hash, signed},
};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Totals {
    pub researches: u64,
    /// All row hashes, combined by exclusive or: order does not matter, and a change costs two of them.
    pub fold: Hash,
    /// Counts the commits; compared with the mark to notice a log that lost its end.
    pub commits: u64,
}

impl Totals {
    pub fn read(connection: &Connection) -> Result<Self, Error> {
        let mut statement =
            connection.prepare_cached("SELECT researches, fold, commits, hash FROM totals WHERE one = 1")?;
        let mut rows = statement.query([])?;
        let missing = || Error::Damaged("the totals are missing".to_owned());
        let found = rows.next()?.ok_or_else(missing)?;
        let totals = Self {
            researches: row::count(found, 0)?,
            fold: row::bytes(found, 1)?,
            commits: row::count(found, 2)?,
        };
        if totals.hash() != row::bytes::<32>(found, 3)? {
            return Err(Error::Damaged("the totals do not match their hash".to_owned()));
        }
        Ok(totals)
    }

    pub fn write(&self, connection: &Connection) -> Result<(), Error> {
        let mut statement = connection.prepare_cached(
            "INSERT OR REPLACE INTO totals (one, researches, fold, commits, hash) VALUES (1, ?1, ?2, ?3, ?4)",
        )?;
        statement.execute(params![signed(self.researches), self.fold, signed(self.commits), self.hash()])?;
        Ok(())
    }

    /// Puts a row's hash in, or takes it out again.
    pub fn toggle(&mut self, hash: &Hash) {
        for (total, byte) in self.fold.iter_mut().zip(hash) {
            *total ^= byte;
        }
    }

    fn hash(&self) -> Hash {
        let mut hasher = blake3::Hasher::new();
        hasher.update(b"probity totals 1");
        hasher.update(&self.researches.to_le_bytes());
        hasher.update(&self.fold);
        hasher.update(&self.commits.to_le_bytes());
        *hasher.finalize().as_bytes()
    }
}
