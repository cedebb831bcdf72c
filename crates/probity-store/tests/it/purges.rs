//! What goes with a removed run, a purge that was killed on its way, and copies that were.

use std::{fs, time::Duration};

use probity_research::{
    Code, Digest, Event, RunId,
    agent::AgentName,
    plan::{Plan, RunLimits},
    ports::{Journal as _, JournalWriter},
    query::Query,
    report::Report,
    shelf::{SearchWords, ShelfPart},
};
use probity_store::{
    BACKUPS_MAX, IntegrityDepth, ListFilter, PurgeChoice, PurgePlaces, ROW_BYTES_MAX, Store,
};

use crate::{
    library::{finished, ids, of_part, sorted, traces},
    world::{Truth, World, ended, id},
};

const CLIENT: JournalWriter = JournalWriter::Client;
const MARKER: &str = "zebrafink";

/// A check of a run's text that was made again: it holds all of it.
async fn rechecked(store: &Store, number: u128, parent: RunId, text: &str) -> RunId {
    let report = Report { text: text.to_owned(), ..Report::default() };
    let given = store.store_blob(report.encode()).await.unwrap();
    let limits = RunLimits::new(Duration::from_secs(3600), None);
    let plan = Plan { given: Some(given), follows: Some(parent), ..Plan::new(AgentName::default(), limits) };
    let query = Query::parse("check of it").unwrap();
    let mut truth = Truth::new(id(number));
    truth.append(store, CLIENT, Event::Asked { query, plan }).await.unwrap();
    truth.append(store, CLIENT, ended()).await.unwrap();
    truth.id
}

fn purge_record(world: &World, run: RunId, digests: &[Digest]) {
    let folder = world.directory().join("purging");
    fs::create_dir_all(&folder).unwrap();
    let named: Vec<String> = digests.iter().map(|digest| format!("\"{digest}\"")).collect();
    let body = format!("{{\"runs\":[\"{run}\"],\"digests\":[{}]}}", named.join(","));
    fs::write(folder.join(format!("{run}.json")), body).unwrap();
}

#[tokio::test]
async fn rechecks_go_and_come_back_with_the_run_that_they_check() {
    let world = World::new();
    let store = world.open(1);
    let first = finished(&store, 1, "Why does ice melt?", "# Glaciers", &[]).await;
    let recheck = rechecked(&store, 2, first, "# Glaciers").await;
    let second = rechecked(&store, 3, recheck, "# Glaciers").await;
    let other = finished(&store, 4, "Which bridge fell?", "# Tacoma", &[]).await;
    assert_eq!(sorted(store.check_removal(&[first]).unwrap()), sorted(vec![recheck, second]));
    assert_eq!(store.check_removal(&[other]).unwrap(), []);
    store.remove_runs(vec![first]).await.unwrap();
    assert_eq!(ids(&store, &ListFilter::default()), [other]);
    assert_eq!(ids(&store, &of_part(ShelfPart::Removed)), sorted(vec![first, recheck, second]));

    store.restore_runs(vec![first, second]).await.unwrap();
    assert_eq!(ids(&store, &ListFilter::default()), sorted(vec![first, recheck, second, other]));
    // One that was removed by itself before stays where it was put.
    store.remove_runs(vec![second]).await.unwrap();
    world.time.pass(1);
    store.remove_runs(vec![first]).await.unwrap();
    store.restore_runs(vec![first]).await.unwrap();
    assert_eq!(ids(&store, &of_part(ShelfPart::Removed)), [second]);

    store.remove_runs(vec![first]).await.unwrap();
    let purged = store.purge(PurgeChoice::Everything, PurgePlaces::default()).await.unwrap();
    assert_eq!((sorted(purged.runs), purged.is_unfinished), (sorted(vec![first, recheck, second]), false));
    assert_eq!(ids(&store, &of_part(ShelfPart::All)), [other]);
    store.check_integrity(IntegrityDepth::Everything).unwrap();
}

#[tokio::test]
async fn a_purge_that_was_killed_is_finished_by_the_next() {
    let world = World::new();
    let store = world.open(1);
    let large = format!("{MARKER} {}", "words ".repeat(ROW_BYTES_MAX / 6 + 1));
    let large = store.store_blob(large.into_bytes()).await.unwrap();
    let name = large.to_string();
    let page = world.directory().join("blobs").join(&name[..2]).join(&name[2..]);
    let gone = finished(&store, 1, &format!("What eats the {MARKER}?"), "# Birds", &[large]).await;
    let kept = finished(&store, 2, "Which bridge fell?", "# Tacoma", &[]).await;
    let backup = store.backup_aside().unwrap();
    let (page_bytes, backup_bytes) = (fs::read(&page).unwrap(), fs::read(&backup).unwrap());
    let purge = |choice| store.purge(choice, PurgePlaces::default());

    // Its rows are still there: it was killed before they were deleted, and nothing of it is missing.
    purge_record(&world, gone, &[large]);
    assert_eq!(purge(PurgeChoice::Everything).await.unwrap().runs, []);
    assert!(page.exists() && !store.has_unfinished_purge());
    assert_eq!(ids(&store, &ListFilter::default()), sorted(vec![gone, kept]));

    store.remove_runs(vec![gone]).await.unwrap();
    assert_eq!(purge(PurgeChoice::Everything).await.unwrap().runs, [gone]);
    assert!(!page.exists() && !store.has_unfinished_purge());

    // Its rows are gone, a file and a backup are not.
    fs::write(&page, page_bytes).unwrap();
    fs::write(&backup, backup_bytes).unwrap();
    purge_record(&world, gone, &[large]);
    assert!(store.has_unfinished_purge());
    assert_eq!(store.restore_runs(vec![gone]).await.unwrap_err().code, Code::NotFound);
    let finished = purge(PurgeChoice::Expired).await.unwrap();
    assert_eq!((finished.runs, finished.blobs, finished.is_unfinished), (vec![gone], 1, false));
    assert!(!page.exists() && !backup.exists() && !store.has_unfinished_purge());
    assert_eq!(ids(&store, &of_part(ShelfPart::All)), [kept]);
    drop(store);
    let marks = [MARKER.as_bytes().to_vec(), gone.to_string().into_bytes(), name.into_bytes()];
    assert_eq!(traces(world.root.path(), &marks), Vec::<String>::new());
}

#[tokio::test]
async fn a_file_that_another_run_came_to_use_stays() {
    let world = World::new();
    let store = world.open(1);
    let large = store.store_blob("words ".repeat(ROW_BYTES_MAX / 6 + 1).into_bytes()).await.unwrap();
    finished(&store, 2, "Which bridge fell?", "# Tacoma", &[large]).await;
    purge_record(&world, id(99), &[large]);
    store.purge(PurgeChoice::Expired, PurgePlaces::default()).await.unwrap();
    assert!(!store.has_unfinished_purge() && store.has_blob(large).unwrap());
    assert!(!store.has_blob(Digest([7; 32])).unwrap());
}

#[test]
fn a_copy_that_was_killed_is_no_backup() {
    let world = World::new();
    let store = world.open(1);
    let folder = world.directory().join("backups");
    fs::create_dir_all(&folder).unwrap();
    let (empty, half) = (folder.join("probity-v7-a.db"), folder.join("probity-v7-b.db.unfinished"));
    fs::write(&empty, b"").unwrap();
    fs::write(&half, b"half").unwrap();
    for _ in 0..BACKUPS_MAX {
        store.backup_aside().unwrap();
        world.time.pass(1_000);
    }
    let backups = store.health().backups;
    assert_eq!(backups.len(), BACKUPS_MAX);
    assert!(!backups.contains(&empty) && !backups.contains(&half));
    let own = world.root.path().join("own.db");
    store.backup(&own).unwrap();
    assert!(store.backup(&own).is_err(), "a file of the user's is not replaced");
    assert!(!world.root.path().join("own.db.unfinished").exists());
}

#[tokio::test]
async fn words_inside_a_run_of_letters_are_found() {
    let world = World::new();
    let store = world.open(1);
    let first = finished(&store, 1, "Which number?", "日本語の資料も同じ数を示す。", &[]).await;
    let second = finished(&store, 2, "Wie lang?", "Die große Straße ist lang.", &[]).await;
    for (typed, expected) in [
        ("日本語", vec![first]),
        ("資料", vec![first]),
        ("同じ数", vec![first]),
        ("数", vec![first]),
        ("料資", vec![]),
        ("strasse GROSS", vec![second]),
        ("Straße", vec![second]),
    ] {
        let filter = ListFilter { words: SearchWords::parse(typed), ..ListFilter::default() };
        assert_eq!(ids(&store, &filter), expected, "{typed}");
    }
}
