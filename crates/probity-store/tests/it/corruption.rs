//! Damages stores on purpose. Every answer must be the truth or an error; never something else.

use std::{
    fs,
    path::{Path, PathBuf},
};

use probity_research::{
    Code, CodedError, Digest, RunId,
    ports::{Journal, JournalError, JournalWriter},
    status::{RunStatus, RunSummary},
};
use probity_store::{CarriedSpending, IntegrityDepth, LIST_MAX, ListFilter, Store};
use rusqlite::Connection;

use crate::world::{Random, Truth, World, ended, id, observed, open_at, started};

const RESEARCHES: u128 = 50;
const TRIALS: u64 = 200;

/// What is in the pristine store.
struct PristineStore {
    truths: Vec<Truth>,
    listed: Vec<RunSummary>,
    blobs: Vec<(Digest, Vec<u8>)>,
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Tally {
    right: u64,
    refused: u64,
    wrong: Vec<String>,
}

impl Tally {
    fn count<T: PartialEq + std::fmt::Debug>(&mut self, what: &str, answer: Result<T, Code>, truth: &T) {
        match answer {
            Ok(answer) if answer == *truth => self.right += 1,
            Ok(answer) => self.wrong.push(format!("{what}: {answer:?}")),
            Err(Code::NotFound) => self.wrong.push(format!("{what}: not found")),
            Err(_) => self.refused += 1,
        }
    }
}

async fn fill(store: &Store) -> PristineStore {
    let mut truths = Vec::new();
    let mut blobs = Vec::new();
    for number in 0..RESEARCHES {
        let mut truth = Truth::ask(store, number).await;
        for event in [started(1), observed(number as u32), observed(number as u32 + 5)] {
            truth.append(store, JournalWriter::Client, event).await.unwrap();
        }
        if number % 3 == 0 {
            truth.append(store, JournalWriter::Client, ended()).await.unwrap();
        }
        if number % 10 == 0 {
            let bytes: Vec<u8> = (0..3000).map(|n| (n * number % 251) as u8).collect();
            blobs.push((store.store_blob(bytes.clone()).await.unwrap(), bytes));
        }
        truths.push(truth);
    }
    let listed = store.list(&everything()).unwrap();
    assert_eq!(listed.len() as u128, RESEARCHES);
    PristineStore { truths, listed, blobs }
}

fn everything() -> ListFilter {
    ListFilter { limit: LIST_MAX, ..ListFilter::default() }
}

async fn read_all(directory: &Path, known: &PristineStore, tally: &mut Tally) {
    let store = match open_at(directory, 77) {
        Ok(store) => store,
        Err(problem) => {
            assert_ne!(problem.code, Code::NotFound);
            tally.refused += 1;
            return;
        }
    };
    let code = |problem: CodedError| problem.code;
    for truth in &known.truths {
        tally.count("status", store.status(truth.id).map_err(code), &truth.summary());
        let loaded = store.load(truth.id).await.map_err(|error: JournalError| error.code());
        tally.count("load", loaded, &truth.journal);
        let digits: String = truth.id.to_string().chars().take(14).collect();
        tally.count("prefix", store.find_by_prefix(&digits).map_err(code), &truth.id);
    }
    tally.count("list", store.list(&everything()).map_err(code), &known.listed);
    let filter = ListFilter { text: Some("question number 4".to_owned()), ..everything() };
    let fours = known.listed.iter().filter(|summary| summary.query.contains("Question number 4"));
    tally.count("filter", store.list(&filter).map_err(code), &fours.cloned().collect());
    let total = store.counts().map(|counts| counts.iter().map(|(_, count)| *count).sum::<u64>());
    tally.count("counts", total.map_err(code), &(RESEARCHES as u64));
    let newest = known.truths.last().map(Truth::summary);
    tally.count("latest", store.latest().map_err(code), &newest);
    for (digest, bytes) in &known.blobs {
        tally.count("fetch", store.fetch_blob(*digest).await.map_err(|error| error.code()), bytes);
    }
}

/// A new directory with the same database, log and mark.
fn copied(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for name in ["probity.db", "probity.db-wal", "probity.mark"] {
        if from.join(name).exists() {
            fs::copy(from.join(name), to.join(name)).unwrap();
        }
    }
}

fn flip(path: &Path, random: &mut Random, count: usize) {
    let mut bytes = fs::read(path).unwrap();
    for _ in 0..count {
        let at = random.below(bytes.len() as u64) as usize;
        bytes[at] ^= 1 + random.below(255) as u8;
    }
    fs::write(path, bytes).unwrap();
}

/// A pristine merged database, and beside it one whose newest commits are only in the log.
async fn pristine(world: &World) -> (PathBuf, PathBuf, PristineStore) {
    let store = world.open(1);
    let known = fill(&store).await;
    let logged = world.root.path().join("logged");
    // Copied while open: as after a crash, with the log not merged.
    copied(&world.directory(), &logged);
    assert!(fs::metadata(logged.join("probity.db-wal")).unwrap().len() > 100_000);
    drop(store);
    assert!(!world.directory().join("probity.db-wal").exists(), "closing merges the log");
    (world.directory(), logged, known)
}

#[tokio::test]
async fn flipped_bytes_are_never_served() {
    let world = World::new();
    let (merged, logged, known) = pristine(&world).await;
    let mut whole = Tally::default();
    for directory in [&merged, &logged] {
        let copy = world.root.path().join("whole");
        copied(directory, &copy);
        read_all(&copy, &known, &mut whole).await;
        fs::remove_dir_all(&copy).unwrap();
    }
    assert_eq!((whole.refused, whole.wrong.len()), (0, 0), "undamaged copies answer everything");

    let mut tally = Tally::default();
    for seed in 0..TRIALS {
        let mut random = Random(seed);
        let copy = world.root.path().join(format!("trial-{seed}"));
        // Every third trial damages the log instead.
        if seed % 3 == 2 {
            copied(&logged, &copy);
            flip(&copy.join("probity.db-wal"), &mut random, 16);
        } else {
            copied(&merged, &copy);
            flip(&copy.join("probity.db"), &mut random, 16);
        }
        let before = tally.wrong.len();
        read_all(&copy, &known, &mut tally).await;
        assert_eq!(tally.wrong.len(), before, "seed {seed}: {:?}", tally.wrong.last());
        fs::remove_dir_all(&copy).unwrap();
    }
    println!(
        "{TRIALS} trials: {} right, {} refused, {} wrong",
        tally.right,
        tally.refused,
        tally.wrong.len()
    );
    assert!(tally.right > 1000 && tally.refused > 1000, "{tally:?}");
}

#[tokio::test]
async fn a_single_flipped_byte_is_never_served() {
    let world = World::new();
    let (merged, _, known) = pristine(&world).await;
    let mut tally = Tally::default();
    for seed in 1000..1000 + TRIALS {
        let copy = world.root.path().join(format!("trial-{seed}"));
        copied(&merged, &copy);
        flip(&copy.join("probity.db"), &mut Random(seed), 1);
        let before = tally.wrong.len();
        read_all(&copy, &known, &mut tally).await;
        assert_eq!(tally.wrong.len(), before, "seed {seed}: {:?}", tally.wrong.last());
        fs::remove_dir_all(&copy).unwrap();
    }
    assert!(tally.right > 1000 && tally.refused > 50, "{tally:?}");
}

#[tokio::test]
async fn a_log_that_lost_its_end_is_noticed() {
    let world = World::new();
    let (_, logged, known) = pristine(&world).await;
    let length = fs::metadata(logged.join("probity.db-wal")).unwrap().len();
    let mut tally = Tally::default();
    for number in 0..40 {
        let copy = world.root.path().join(format!("cut-{number}"));
        copied(&logged, &copy);
        let log = fs::File::options().write(true).open(copy.join("probity.db-wal")).unwrap();
        // The last part of the file may be left from before the log was last merged: losing it is no loss.
        log.set_len(length * number / 40).unwrap();
        read_all(&copy, &known, &mut tally).await;
    }
    assert_eq!(tally.wrong, [""; 0]);
    assert!(tally.refused > 0);
    let copy = world.root.path().join("cut-0");
    let problem = open_at(&copy, 5).unwrap_err();
    assert_eq!(problem.code, Code::StoreCorrupt);
    assert!(problem.message.ends_with("were acknowledged: the newest are lost"), "{}", problem.message);
    // On the user's word the older state is used.
    let accepted = Store::accept_loss(&copy, known.listed[0].asked_at).unwrap();
    assert!(matches!(accepted.spending, CarriedSpending::Unreadable { .. }), "{accepted:?}");
    assert_eq!(
        Store::accept_loss(&copy, known.listed[0].asked_at).unwrap_err().code,
        Code::StoreWhole,
        "nothing is missing now"
    );
    let listed = open_at(&copy, 6).unwrap().list(&everything()).unwrap();
    assert_ne!(listed, known.listed);
}

#[tokio::test]
async fn an_emptied_or_vanished_database_is_not_taken_for_a_new_one() {
    let world = World::new();
    pristine(&world).await;
    fs::write(world.database(), b"").unwrap();
    assert_eq!(open_at(&world.directory(), 5).unwrap_err().code, Code::StoreCorrupt);
    fs::remove_file(world.database()).unwrap();
    assert_eq!(open_at(&world.directory(), 6).unwrap_err().code, Code::StoreGone);
    fs::write(world.database(), b"this is not a database, but some text that is long enough to be read")
        .unwrap();
    assert_eq!(open_at(&world.directory(), 7).unwrap_err().code, Code::StoreCorrupt);
}

#[track_caller]
fn damage(world: &World, sql: &str) {
    let connection = Connection::open(world.database()).unwrap();
    connection.execute_batch(sql).unwrap();
    connection.close().unwrap();
}

async fn check(sql: &str, answers: impl AsyncFn(&Store) -> Vec<Code>, expected: &[Code]) {
    let world = World::new();
    let store = world.open(1);
    for number in 0..3 {
        let mut truth = Truth::ask(&store, number).await;
        truth.append(&store, JournalWriter::Client, started(1)).await.unwrap();
    }
    drop(store);
    damage(&world, sql);
    let found = match open_at(&world.directory(), 2) {
        Ok(store) => answers(&store).await,
        Err(problem) => vec![problem.code],
    };
    assert_eq!(found, expected, "{sql}");
}

async fn lookups(store: &Store) -> Vec<Code> {
    let code = |result: Result<RunSummary, CodedError>| result.err().map(|problem| problem.code);
    let loaded = store.load(id(1)).await.err().map(|error| error.code());
    let listed = store.list(&ListFilter::default()).err().map(|problem| problem.code);
    [code(store.status(id(1))), loaded, listed].into_iter().flatten().collect()
}

#[tokio::test]
async fn vanished_swapped_and_edited_rows_are_noticed() {
    use Code::StoreCorrupt as Corrupt;
    check("DELETE FROM research WHERE number = 2", lookups, &[Corrupt, Corrupt, Corrupt]).await;
    check("DELETE FROM research WHERE number = 1", lookups, &[Corrupt]).await;
    check("UPDATE research SET status = 'failed' WHERE number = 2", lookups, &[Corrupt, Corrupt]).await;
    check("UPDATE research SET words = 'x' WHERE number = 2", lookups, &[Corrupt, Corrupt]).await;
    check("UPDATE research SET fence = 9 WHERE number = 2", lookups, &[Corrupt, Corrupt]).await;
    check("UPDATE research SET summary = summary || ' ' WHERE number = 2", lookups, &[Corrupt, Corrupt])
        .await;
    check("UPDATE research SET id = zeroblob(16) WHERE number = 2", lookups, &[Corrupt, Corrupt, Corrupt])
        .await;
    let exchange = "UPDATE research SET summary = (SELECT summary FROM research WHERE number = 3),
                    seal = (SELECT seal FROM research WHERE number = 3) WHERE number = 2";
    check(exchange, lookups, &[Corrupt, Corrupt, Corrupt]).await;
    check("DELETE FROM totals", lookups, &[Corrupt]).await;
    check("UPDATE totals SET researches = 4", lookups, &[Corrupt]).await;
    // Events of research 2 start at place 2^21.
    check("DELETE FROM event WHERE place = 2097154", lookups, &[Corrupt]).await;
    check("DELETE FROM event WHERE place = 2097153", lookups, &[Corrupt]).await;
    check("UPDATE event SET at = at + 1 WHERE place = 2097153", lookups, &[Corrupt]).await;
    let swap = "UPDATE event SET place = 9 WHERE place = 2097153;
                UPDATE event SET place = 2097153 WHERE place = 3145729;
                UPDATE event SET place = 3145729 WHERE place = 9;";
    check(swap, lookups, &[Corrupt]).await;
}

#[tokio::test]
async fn a_damaged_row_is_not_the_base_of_a_change() {
    let world = World::new();
    let store = world.open(1);
    let truth = Truth::ask(&store, 1).await;
    let mut other = Truth::ask(&store, 2).await;
    drop(store);
    damage(&world, "UPDATE research SET sequence = 0, fence = 3 WHERE number = 1");
    let store = world.open(2);
    let refused = store.append(truth.entry(JournalWriter::Client, started(1))).await.unwrap_err();
    assert_eq!(refused.code(), Code::StoreCorrupt);
    other.append(&store, JournalWriter::Client, started(1)).await.unwrap();
    assert_eq!(store.check_integrity(IntegrityDepth::Rows).unwrap_err().code, Code::StoreCorrupt);
}

#[tokio::test]
async fn a_damaged_database_is_set_aside_and_the_newest_whole_backup_takes_its_place() {
    let world = World::new();
    let store = world.open(1);
    let truth = Truth::ask(&store, 1).await;
    let good = store.backup_aside().unwrap();
    Truth::ask(&store, 2).await;
    world.time.pass(1000);
    let bad = store.backup_aside().unwrap();
    assert_eq!(Store::restore(&world.directory(), truth.journal[0].at).unwrap_err().code, Code::StoreBusy);
    drop(store);
    flip(&bad, &mut Random(1), 3000);
    flip(&world.database(), &mut Random(2), 3000);
    assert_eq!(open_at(&world.directory(), 3).unwrap_err().code, Code::StoreCorrupt);
    let restored = Store::restore(&world.directory(), truth.journal[0].at).unwrap();
    assert_eq!((restored.backup, restored.researches, restored.loss.unknown), (good, 1, 1));
    assert!(restored.set_aside[0].exists());
    let store = world.open(4);
    let journal = store.load(truth.id).await.unwrap();
    assert_eq!(journal[..truth.journal.len()], truth.journal);
    // Whether it was sent since the backup is not known.
    let listed = store.list(&everything()).unwrap();
    assert_eq!(listed.iter().map(|found| found.status).collect::<Vec<_>>(), [RunStatus::Unknown]);
    assert!(store.check_integrity(IntegrityDepth::Everything).is_ok());
    Truth::ask(&store, 3).await;
}

#[tokio::test]
async fn what_is_gone_or_empty_is_not_gone_on_with_and_backups_alone_are_no_new_store() {
    let world = World::new();
    let store = world.open(1);
    let truth = Truth::ask(&store, 1).await;
    store.backup_aside().unwrap();
    drop(store);
    let now = truth.journal[0].at;
    let accepted = || Store::accept_loss(&world.directory(), now).unwrap_err().code;
    assert_eq!(accepted(), Code::StoreWhole);
    fs::write(world.database(), b"").unwrap();
    assert_eq!(accepted(), Code::StoreGone);
    fs::remove_file(world.database()).unwrap();
    assert_eq!(accepted(), Code::StoreGone);
    // Without the mark only the backup says that there was something.
    fs::remove_file(world.directory().join("probity.mark")).unwrap();
    assert_eq!(Store::is_new(&world.directory()).unwrap_err().code, Code::StoreGone);
    assert_eq!(open_at(&world.directory(), 2).unwrap_err().code, Code::StoreGone);
    fs::create_dir(world.database()).unwrap();
    assert_eq!(Store::restore(&world.directory(), now).unwrap().researches, 1);
}

#[tokio::test]
async fn of_two_restores_at_once_one_waits_for_nobody_and_the_other_changes_nothing() {
    let world = World::new();
    let store = world.open(1);
    let truth = Truth::ask(&store, 1).await;
    store.backup_aside().unwrap();
    drop(store);
    for _ in 0..20 {
        flip(&world.database(), &mut Random(3), 3000);
        let restore =
            || Store::restore(&world.directory(), truth.journal[0].at).map_err(|problem| problem.code);
        let ends = std::thread::scope(|scope| {
            let threads = [scope.spawn(restore), scope.spawn(restore)];
            threads.map(|thread| thread.join().unwrap())
        });
        assert!(ends.iter().any(Result::is_ok), "{ends:?}");
        let refused = ends.iter().filter_map(|end| end.as_ref().err());
        assert!(refused.clone().all(|code| matches!(code, Code::StoreBusy | Code::StoreWhole)), "{ends:?}");
        assert_eq!(world.open(5).list(&everything()).unwrap().len(), 1);
    }
}

#[test]
fn ids_of_the_tests_differ() {
    let ids: std::collections::HashSet<RunId> = (0..1000).map(id).collect();
    assert_eq!(ids.len(), 1000);
}
