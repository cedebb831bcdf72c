//! Disks that are full, directories that cannot be written, versions that do not fit.

use std::{fs, path::Path, process::Command};

use probity_research::{
    Code,
    ports::{Journal, JournalError, JournalWriter, Leases},
};
use probity_store::{IntegrityDepth, ListFilter, OpenMode, Store};
use rusqlite::Connection;

use crate::world::{Truth, World, asked, id, observed, open_at, owner, started};

/// A small file system of its own; `None`, with a notice, where mounting is not allowed.
struct TmpfsMount<'a>(&'a Path);

impl<'a> TmpfsMount<'a> {
    fn new(path: &'a Path, size: &str) -> Option<Self> {
        fs::create_dir_all(path).unwrap();
        if mount(&["-t", "tmpfs", "-o", &format!("size={size},mode=700"), "tmpfs"], path) {
            return Some(Self(path));
        }
        println!("skipped: mounting a tmpfs needs root");
        None
    }

    #[track_caller]
    fn remount(&self, options: &str) {
        assert!(mount(&["-o", &format!("remount,{options}")], self.0), "remount,{options}");
    }
}

impl Drop for TmpfsMount<'_> {
    fn drop(&mut self) {
        let unmounted = Command::new("umount").arg("-l").arg(self.0).status();
        assert!(unmounted.is_ok_and(|status| status.success()));
    }
}

fn mount(arguments: &[&str], path: &Path) -> bool {
    Command::new("mount").args(arguments).arg(path).status().is_ok_and(|status| status.success())
}

#[tokio::test]
async fn a_full_disk_refuses_clearly_loses_nothing_and_recovers() {
    let world = World::new();
    let directory = world.root.path().join("small");
    let Some(disk) = TmpfsMount::new(&directory, "1m") else { return };
    let store = open_at(&directory, 1).unwrap();
    let mut truth = Truth::new(id(1));
    truth.append(&store, JournalWriter::Client, asked("how full?")).await.unwrap();
    let mut refused = None;
    for searches in 0..2000 {
        match truth.append(&store, JournalWriter::Client, observed(searches)).await {
            Ok(_) => {}
            Err(JournalError::Refused(problem)) => {
                refused = Some(problem);
                break;
            }
            Err(other) => panic!("{other}"),
        }
    }
    let problem = refused.expect("1 MiB must not hold 2000 events");
    assert_eq!(problem.code, Code::StoreFull, "{}", problem.message);
    assert!(
        problem.message.contains(" more bytes beside `") && problem.message.contains("small/probity.db"),
        "{}",
        problem.message
    );
    assert!(truth.journal.len() > 10);
    let kept = store.store_blob(vec![7; 2_000_000]).await.unwrap_err();
    assert_eq!(kept.code(), Code::StoreFull, "{kept}");
    // Everything acknowledged can still be read, also by a process that starts now.
    assert_eq!(store.load(truth.id).await.unwrap(), truth.journal);
    let late = open_at(&directory, 2).unwrap();
    assert_eq!(late.status(truth.id).unwrap(), truth.summary());
    drop(late);

    disk.remount("size=8m");
    truth.append(&store, JournalWriter::Client, observed(5000)).await.unwrap();
    store.store_blob(vec![7; 2_000_000]).await.unwrap();
    assert_eq!(store.load(truth.id).await.unwrap(), truth.journal);
    store.check_integrity(IntegrityDepth::Everything).unwrap();
    drop(store);
}

#[tokio::test]
async fn a_read_only_disk_still_shows_everything() {
    let world = World::new();
    let directory = world.root.path().join("small");
    let Some(disk) = TmpfsMount::new(&directory, "8m") else { return };
    let store = open_at(&directory, 1).unwrap();
    let truth = Truth::ask(&store, 1).await;
    let small = store.store_blob(b"small".to_vec()).await.unwrap();
    drop(store);
    disk.remount("ro");
    check_read_only(&open_at(&directory, 2).unwrap(), &truth).await;
    assert_eq!(open_at(&directory, 2).unwrap().fetch_blob(small).await.unwrap(), b"small");

    // The same after a crash, with the newest commits only in the log and no shared index.
    disk.remount("rw");
    let elsewhere = world.open(3);
    let truth = Truth::ask(&elsewhere, 2).await;
    for name in ["probity.db", "probity.db-wal", "probity.mark"] {
        fs::copy(world.directory().join(name), directory.join(name)).unwrap();
    }
    disk.remount("ro");
    check_read_only(&open_at(&directory, 4).unwrap(), &truth).await;
}

async fn check_read_only(store: &Store, truth: &Truth) {
    assert_eq!(store.status(truth.id).unwrap(), truth.summary());
    assert_eq!(store.load(truth.id).await.unwrap(), truth.journal);
    assert_eq!(store.list(&ListFilter::default()).unwrap(), [truth.summary()]);
    assert_eq!(store.status(id(99)).unwrap_err().code, Code::NotFound);
    let refused = store.append(truth.entry(JournalWriter::Client, started(1))).await.unwrap_err();
    assert_eq!(refused.code(), Code::StoreReadOnly);
    assert!(refused.to_string().contains("probity.db` cannot be written"), "{refused}");
    assert_eq!(store.store_blob(vec![1]).await.unwrap_err().code(), Code::StoreReadOnly);
    assert_eq!(store.store_blob(vec![1; 100_000]).await.unwrap_err().code(), Code::StoreReadOnly);
    assert_eq!(store.claim_due(owner(1), 1).await.unwrap_err().code(), Code::StoreReadOnly);
    assert_eq!(store.health().refusal.unwrap().code, Code::StoreReadOnly);
}

#[tokio::test]
async fn a_store_can_be_opened_for_reading_beside_one_that_writes() {
    let world = World::new();
    let writing = world.open(1);
    let reading = Store::open(
        &world.directory(),
        probity_store::StoreOptions { mode: OpenMode::ReadOnly, ..world.options(2) },
    )
    .unwrap();
    let truth = Truth::ask(&writing, 1).await;
    assert_eq!(reading.status(truth.id).unwrap(), truth.summary());
    assert_eq!(
        reading.append(truth.entry(JournalWriter::Client, started(1))).await.unwrap_err().code(),
        Code::StoreReadOnly
    );
}

#[tokio::test]
async fn a_directory_that_cannot_be_made_says_so() {
    let world = World::new();
    let file = world.root.path().join("file");
    fs::write(&file, b"").unwrap();
    let problem = open_at(&file.join("data"), 1).unwrap_err();
    assert_eq!(problem.code, Code::StoreFailed);
    assert!(problem.message.contains("file/data"), "{}", problem.message);
}

#[tokio::test]
async fn a_database_of_a_newer_probity_is_left_alone() {
    let world = World::new();
    drop(world.open(1));
    Connection::open(world.database()).unwrap().execute_batch("PRAGMA user_version = 99").unwrap();
    assert_eq!(open_at(&world.directory(), 2).unwrap_err().code, Code::StoreNewer);
}

#[tokio::test]
async fn another_programs_database_is_left_alone() {
    let world = World::new();
    fs::create_dir_all(world.directory()).unwrap();
    Connection::open(world.database()).unwrap().execute_batch("CREATE TABLE notes (text)").unwrap();
    assert_eq!(open_at(&world.directory(), 2).unwrap_err().code, Code::StoreCorrupt);
}

#[test]
fn the_bundled_sqlite_has_the_fix_for_resetting_the_log() {
    assert!(rusqlite::version_number() >= 3_051_003, "{}", rusqlite::version());
}
