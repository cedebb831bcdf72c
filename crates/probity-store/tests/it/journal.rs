//! The journal on a laptop's files: what one commit holds, where bytes lie and who may read them.

use std::{fs, os::unix::fs::PermissionsExt, path::Path};

use probity_research::{
    Code, Digest,
    ports::{Journal, JournalError, JournalWriter},
};
use probity_store::{IntegrityDepth, ROW_BYTES_MAX, Store};

use crate::world::{Truth, World, driver, id, started};

#[tokio::test]
async fn the_status_is_that_of_what_was_asked() {
    let world = World::new();
    let store = world.open(1);
    let truth = Truth::ask(&store, 1).await;
    assert_eq!(store.status(truth.id).unwrap(), truth.summary());
    let audited = store.check_integrity(IntegrityDepth::Everything).unwrap();
    assert_eq!((audited.researches, audited.events), (1, 1));
}

#[tokio::test]
async fn one_commit_keeps_order_and_isolates_failures() {
    let world = World::new();
    let store = world.open(1);
    let mut truths = Vec::new();
    for number in 0..40 {
        truths.push(Truth::ask(&store, number).await);
    }
    let commits_before = store.health().commits.unwrap();
    // Polled together on one thread: all are queued while the first commit is under way.
    let mut appends = Vec::new();
    for truth in &truths {
        let good = truth.entry(JournalWriter::Client, started(1));
        let bad = truth.entry(JournalWriter::Client, started(2));
        let forged = truth.entry(driver(9, 9), started(3));
        appends.extend([good, bad, forged].map(|entry| {
            let store = store.clone();
            tokio::spawn(async move { store.append(entry).await })
        }));
    }
    let mut outcomes = Vec::new();
    for append in appends {
        outcomes.push(append.await.unwrap());
    }
    for three in outcomes.chunks(3) {
        assert_eq!(three[0].as_ref().unwrap().0, 2);
        assert_eq!(three[1..], [Err(JournalError::Conflict), Err(JournalError::Fenced)]);
    }
    let commits = store.health().commits.unwrap() - commits_before;
    assert!(commits < 40, "40 appends took {commits} commits");
    store.check_integrity(IntegrityDepth::Everything).unwrap();
}

#[tokio::test]
async fn kept_bytes_come_back_whole_small_and_large() {
    let world = World::new();
    let store = world.open(1);
    let sizes = [0, 1, ROW_BYTES_MAX, ROW_BYTES_MAX + 1, 3_000_000];
    let mut kept: Vec<(Digest, Vec<u8>)> = Vec::new();
    for size in sizes {
        let bytes: Vec<u8> = (0..size).map(|n| (n % 251) as u8).collect();
        kept.push((store.store_blob(bytes.clone()).await.unwrap(), bytes));
    }
    let commits = store.health().commits.unwrap();
    for (digest, bytes) in &kept {
        assert_eq!(store.store_blob(bytes.clone()).await.unwrap(), *digest);
        assert_eq!(&store.fetch_blob(*digest).await.unwrap(), bytes);
    }
    assert_eq!(store.health().commits.unwrap(), commits, "storing the same bytes twice is free");
    assert_eq!(store.check_integrity(IntegrityDepth::Everything).unwrap().blobs, 5);
    assert_eq!(store.fetch_blob(Digest([7; 32])).await.unwrap_err().code(), Code::StoreCorrupt);

    let name = kept[4].0.to_string();
    let file = world.directory().join("blobs").join(&name[..2]).join(&name[2..]);
    let mut bytes = fs::read(&file).unwrap();
    bytes[1_000_000] ^= 1;
    fs::write(&file, bytes).unwrap();
    assert_eq!(store.fetch_blob(kept[4].0).await.unwrap_err().code(), Code::StoreCorrupt);
}

#[tokio::test]
async fn a_report_that_the_journal_cannot_take_is_rescued() {
    let world = World::new();
    let store = world.open(1);
    let path = store.write_rescue_file(id(1), "# found\n".to_owned()).await.unwrap();
    assert_eq!(
        path,
        world.root.path().join("rescue").join(format!("probity-rescue-{}.md", id(1))).display().to_string()
    );
    assert_eq!(fs::read_to_string(&path).unwrap(), "# found\n");
    assert_eq!(mode(Path::new(&path)), 0o600);
    store.write_rescue_file(id(1), "# found more\n".to_owned()).await.unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "# found more\n");
}

#[tokio::test]
async fn nobody_else_may_read_any_file() {
    let world = World::new();
    fs::create_dir(world.directory()).unwrap();
    fs::set_permissions(world.directory(), fs::Permissions::from_mode(0o777)).unwrap();
    let store = world.open(1);
    Truth::ask(&store, 1).await;
    store.store_blob(vec![1; ROW_BYTES_MAX + 1]).await.unwrap();
    store.backup_aside().unwrap();
    let mut files = Vec::new();
    walk(&world.directory(), &mut files);
    let names: Vec<String> =
        files.iter().map(|path| path.file_name().unwrap().to_string_lossy().into_owned()).collect();
    for expected in ["probity.db", "probity.db-wal", "probity.db-shm", "probity.mark"] {
        assert!(names.iter().any(|name| name == expected), "{expected} is missing in {names:?}");
    }
    for path in files {
        let expected = if path.is_dir() { 0o700 } else { 0o600 };
        assert_eq!(mode(&path), expected, "{}", path.display());
    }
    assert_eq!(mode(&world.directory()), 0o700);
}

#[test]
fn a_handle_crosses_threads() {
    fn shared<T: Send + Sync + Clone + 'static>() {}
    shared::<Store>();
}

fn walk(directory: &Path, files: &mut Vec<std::path::PathBuf>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            walk(&path, files);
        }
        files.push(path);
    }
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}
