use std::{path::Path, sync::Arc, time::Duration};

use probity_research::{Code, CodedError, time::Moment};
use rusqlite::Connection;

use crate::{
    backup::BACKUPS_MAX,
    connection::{self, Access},
    options::{Clocks, StoreOptions},
    schema::STEPS,
    store::Store,
};

const NEXT: &str = "ALTER TABLE owner ADD COLUMN host TEXT; CREATE TABLE note (text TEXT) STRICT;";
const BROKEN: &str = "CREATE TABLE note (text TEXT) STRICT; CREATE TABLE note (text TEXT) STRICT;";

fn open(directory: &Path, owner_bits: u128, more: &[&str]) -> Result<Store, CodedError> {
    let clocks =
        Clocks { wall: Arc::new(|| Moment(1_790_000_000_000)), monotonic: Arc::new(|| Duration::ZERO) };
    let options = StoreOptions::new(owner_bits, clocks, directory);
    let steps: Vec<&str> = STEPS.iter().chain(more).copied().collect();
    Store::open_with(directory, options, &steps)
}

fn version(path: &Path) -> i64 {
    let connection: Connection = connection::open(path, Access::Read).unwrap();
    connection.query_row("PRAGMA user_version", [], |row| row.get(0)).unwrap()
}

#[test]
fn an_existing_database_is_copied_before_it_is_migrated() {
    let root = tempfile::tempdir().unwrap();
    drop(open(root.path(), 1, &[]).unwrap());
    let store = open(root.path(), 2, &[NEXT]).unwrap();
    let backups = store.health().backups;
    assert_eq!(backups.len(), 1);
    let name = backups[0].file_name().unwrap().to_str().unwrap().to_owned();
    assert_eq!(name, "probity-v7-20260921T141320000Z.db");
    assert_eq!((version(&backups[0]), version(&store.health().database)), (7, 8));
    drop(store);
    // Nothing more to do, so nothing more is copied; the older program refuses.
    assert_eq!(open(root.path(), 3, &[NEXT]).unwrap().health().backups.len(), 1);
    assert_eq!(open(root.path(), 4, &[]).unwrap_err().code, Code::StoreNewer);
}

#[test]
fn a_migration_that_fails_changes_nothing() {
    let root = tempfile::tempdir().unwrap();
    drop(open(root.path(), 1, &[]).unwrap());
    for bits in 2..8 {
        assert_eq!(open(root.path(), bits, &[BROKEN]).unwrap_err().code, Code::StoreCorrupt);
    }
    let store = open(root.path(), 9, &[]).unwrap();
    assert_eq!(store.health().backups.len(), BACKUPS_MAX);
    assert_eq!(version(&store.health().database), 7);
}

#[test]
fn two_that_start_together_create_and_migrate_once() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path();
    for (round, more) in [&[][..], &[NEXT][..]].into_iter().enumerate() {
        std::thread::scope(|scope| {
            for bits in 0..4 {
                let bits = bits + 10 * (round as u128 + 1);
                scope.spawn(move || drop(open(path, bits, more).unwrap()));
            }
        });
    }
    assert_eq!(open(root.path(), 1, &[NEXT]).unwrap().health().backups.len(), 1);
}
