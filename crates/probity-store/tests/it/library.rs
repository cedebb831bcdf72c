//! A library that can be kept in order: titles, tags, a search in reports, a trash, and a purge that leaves nothing but
//! what other runs use and what was spent.

use std::{fs, path::Path, time::Duration};

use probity_research::{
    Code, Digest, Event, RunId,
    cost::{Cost, MicroUsd},
    ports::{Journal as _, JournalWriter, Leases as _},
    report::Report,
    shelf::{SearchWords, ShelfPart, Tag, TagEdit, Title, trash_ms},
    stop::RunStop,
    time::Moment,
    watch::Watch,
};
use probity_store::{
    FileExportRequest, IntegrityDepth, ListFilter, PurgeChoice, PurgePlaces, ROW_BYTES_MAX, ReportExporter,
    Store,
};
use rusqlite::{Connection, types::ValueRef};

use crate::world::{ASKED_MS, Truth, World, asked, id, owner, started};

/// A word that is in nothing but the run that is purged.
const MARKER: &str = "zebrafink";
const CLIENT: JournalWriter = JournalWriter::Client;

fn ended(report: Digest, raw: Digest) -> Event {
    Event::Ended {
        stop: RunStop::Completed,
        report: Some(report),
        raw: Some(raw),
        usage: None,
        cost: Cost::FromUsage(MicroUsd(700)),
        problem: None,
        sources: 1,
        progress: None,
    }
}

/// A finished run whose answer names these pages.
pub async fn finished(store: &Store, number: u128, question: &str, text: &str, pages: &[Digest]) -> RunId {
    let report = Report { text: text.to_owned(), ..Report::default() };
    let report = store.store_blob(report.encode()).await.unwrap();
    let named: Vec<String> = pages.iter().map(|page| format!("\"{page}\"")).collect();
    let raw = format!("{{\"of\":{number},\"pages\":[{}]}}", named.join(","));
    let raw = store.store_blob(raw.into_bytes()).await.unwrap();
    let mut truth = Truth::new(id(number));
    for event in [asked(question), Event::CreateIntended { attempt: 1 }, started(1), ended(report, raw)] {
        truth.append(store, CLIENT, event).await.unwrap();
    }
    truth.id
}

pub fn ids(store: &Store, filter: &ListFilter) -> Vec<RunId> {
    let mut ids: Vec<RunId> = store.list(filter).unwrap().into_iter().map(|summary| summary.id).collect();
    assert_eq!(store.total(filter).unwrap(), ids.len() as u64);
    ids.sort();
    ids
}

pub fn sorted(mut ids: Vec<RunId>) -> Vec<RunId> {
    ids.sort();
    ids
}

fn words(text: &str) -> ListFilter {
    ListFilter { words: SearchWords::parse(text), ..ListFilter::default() }
}

pub fn of_part(part: ShelfPart) -> ListFilter {
    ListFilter { part, ..ListFilter::default() }
}

/// Every place in a file or a row where one of these stands.
pub fn traces(directory: &Path, marks: &[Vec<u8>]) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![directory.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let name = path.display().to_string();
            let bytes = fs::read(&path).unwrap().to_ascii_lowercase();
            if marks.iter().any(|mark| holds(&bytes, mark) || holds(name.as_bytes(), mark)) {
                found.push(name);
            }
        }
    }
    found
}

fn table_traces(database: &Path, marks: &[Vec<u8>]) -> Vec<String> {
    let connection = Connection::open(database).unwrap();
    let mut statement =
        connection.prepare("SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')").unwrap();
    let tables: Vec<String> =
        statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    let mut found = Vec::new();
    for table in tables {
        let mut statement = connection.prepare(&format!("SELECT * FROM \"{table}\"")).unwrap();
        let columns = statement.column_count();
        let mut rows = statement.query([]).unwrap();
        while let Some(row) = rows.next().unwrap() {
            for column in 0..columns {
                let bytes = match row.get_ref(column).unwrap() {
                    ValueRef::Text(bytes) | ValueRef::Blob(bytes) => bytes.to_ascii_lowercase(),
                    ValueRef::Null | ValueRef::Integer(_) | ValueRef::Real(_) => continue,
                };
                if marks.iter().any(|mark| holds(&bytes, mark)) {
                    found.push(format!("{table}, column {column}"));
                }
            }
        }
    }
    found
}

fn holds(bytes: &[u8], mark: &[u8]) -> bool {
    bytes.windows(mark.len()).any(|window| window == mark)
}

#[tokio::test]
async fn reports_are_found_by_words_titles_and_tags() {
    let world = World::new();
    let store = world.open(1);
    let first =
        finished(&store, 1, "Why does ice melt?", "# Glaciers\n\nThe café measured 12 metres.", &[]).await;
    let second = finished(&store, 2, "Which bridge fell?", "# Tacoma\n\nIt fell in 1940.", &[]).await;
    let running = Truth::ask(&store, 3).await.id;
    for (typed, expected) in [
        ("cafe METRES", vec![first]),
        ("ice glac", vec![first]),
        ("1940", vec![second]),
        ("ridge", vec![second]),
        ("number 3", vec![running]),
        ("ice 1940", vec![]),
        ("\"fell\" AND (", vec![]),
        ("*) OR 1=1 --", vec![]),
    ] {
        assert_eq!(ids(&store, &words(typed)), expected, "{typed}");
    }
    store.set_title(second, Some(Title::parse("Galloping Gertie").unwrap())).await.unwrap();
    store.set_title(running, Some(Title::parse("Slow one").unwrap())).await.unwrap();
    assert_eq!(ids(&store, &words("gertie 1940")), [second]);
    assert_eq!(ids(&store, &words("slow")), [running]);
    store.set_title(second, None).await.unwrap();
    assert_eq!(ids(&store, &words("gertie")), []);

    let edit = |typed: &[&str]| {
        let typed: Vec<String> = typed.iter().map(|word| (*word).to_owned()).collect();
        TagEdit::parse(&typed).unwrap()
    };
    store.edit_tags(first, edit(&["+Work", "+ice"])).await.unwrap();
    store.edit_tags(second, edit(&["work"])).await.unwrap();
    let tagged = |tag: &str| ListFilter { tag: Some(Tag::parse(tag).unwrap()), ..ListFilter::default() };
    assert_eq!(ids(&store, &tagged("work")), sorted(vec![first, second]));
    let both = ListFilter { words: SearchWords::parse("melt"), ..tagged("work") };
    assert_eq!(ids(&store, &both), [first]);
    let left = store.edit_tags(first, edit(&["-work", "-never-there"])).await.unwrap();
    assert_eq!(left, [Tag::parse("ice").unwrap()]);
    drop(store);
    let store = world.open(2);
    let entries = store.shelf_entries(&[first, second, running, id(99)]).unwrap();
    assert_eq!(entries.len(), 3);
    assert_eq!(entries[&running].title, Some(Title::parse("Slow one").unwrap()));
    assert_eq!(store.set_title(id(99), None).await.unwrap_err().code, Code::NotFound);
    store.check_integrity(IntegrityDepth::Everything).unwrap();
}

#[tokio::test]
async fn a_removed_run_is_hidden_counts_for_money_and_comes_back() {
    let world = World::new();
    let store = world.open(1);
    let first = finished(&store, 1, "Why does ice melt?", "# Glaciers", &[]).await;
    let second = finished(&store, 2, "Which bridge fell?", "# Tacoma", &[]).await;
    let running = Truth::ask(&store, 3).await.id;
    let refused = store.remove_runs(vec![first, running]).await.unwrap_err();
    assert_eq!(refused.code, Code::NotFinished);
    assert!(refused.message.contains(&format!("probity runs cancel {running}")), "{refused}");
    assert_eq!(ids(&store, &ListFilter::default()), sorted(vec![first, second, running]));

    let now = Moment(ASKED_MS + 60_000);
    let spent = store.charged(now).unwrap();
    store.remove_runs(vec![second]).await.unwrap();
    assert_eq!(ids(&store, &ListFilter::default()), sorted(vec![first, running]));
    assert_eq!(ids(&store, &of_part(ShelfPart::Removed)), [second]);
    assert_eq!(ids(&store, &of_part(ShelfPart::All)), sorted(vec![first, second, running]));
    assert_eq!(ids(&store, &words("tacoma")), []);
    assert_eq!(store.counts().unwrap().iter().map(|(_, count)| count).sum::<u64>(), 2);
    assert_eq!(store.charged(now).unwrap(), spent);
    for problem in [
        store.status(second).unwrap_err(),
        store.load(second).await.unwrap_err().into(),
        store.set_title(second, None).await.unwrap_err(),
        store.remove_runs(vec![second]).await.unwrap_err(),
    ] {
        assert_eq!(problem.code, Code::NotFound);
        assert!(problem.message.contains(&format!("probity runs restore {second}")), "{problem}");
    }
    let beginning: String = second.to_string().chars().take(12).collect();
    assert_eq!(store.find_by_prefix(&beginning).unwrap_err().code, Code::NotFound);
    assert_eq!(store.find_removed(&beginning).unwrap(), second);
    let database = Connection::open(world.database()).unwrap();
    for (view, expected) in [("research_tasks", 2), ("research_results", 1)] {
        let count =
            database.query_row(&format!("SELECT count(*) FROM {view}"), [], |row| row.get::<_, u32>(0));
        assert_eq!(count.unwrap(), expected, "{view}");
    }
    drop(database);

    assert_eq!(store.restore_runs(vec![first]).await.unwrap_err().code, Code::NotFound);
    store.restore_runs(vec![second]).await.unwrap();
    assert_eq!(ids(&store, &words("tacoma")), [second]);
    assert_eq!(store.load(second).await.unwrap().len(), 4);
    store.check_integrity(IntegrityDepth::Everything).unwrap();
}

#[tokio::test]
async fn a_purge_leaves_nothing_but_what_others_use_and_what_was_spent() {
    let world = World::new();
    let store = world.open(1);
    let shared = store.store_blob(b"a page that both have read".to_vec()).await.unwrap();
    let small = store.store_blob(format!("a page about the {MARKER}").into_bytes()).await.unwrap();
    let large = format!("{MARKER} {}", "words ".repeat(ROW_BYTES_MAX / 6 + 1));
    let large = store.store_blob(large.into_bytes()).await.unwrap();
    let question = format!("What does the {MARKER} eat?");
    let text = format!("# The {MARKER}\n\n{}", format!("A {MARKER} eats seeds. ").repeat(200));
    let gone = finished(&store, 1, &question, &text, &[shared, small, large]).await;
    let kept = finished(&store, 2, "Which bridge fell?", "# Tacoma", &[shared]).await;
    store.set_title(gone, Some(Title::parse(&format!("The {MARKER}")).unwrap())).await.unwrap();
    let week = Duration::from_secs(7 * 86_400);
    store.add_watch(Watch::new(gone, &question, week, Moment(5))).await.unwrap();
    let feed = format!(r#"{{"items":[{{"id":"probity:{gone}","title":"{MARKER}"}},{{"id":"other"}}]}}"#);
    store.write_watch_feed(feed.as_bytes()).unwrap();
    store.write_rescue_file(gone, MARKER.to_owned()).await.unwrap();
    let reports = world.root.path().join("reports");
    let wanted = FileExportRequest {
        output_dir: "birds",
        filename_prefix: "report",
        id: gone,
        at: Moment(ASKED_MS),
        markdown: MARKER.as_bytes(),
    };
    let saved = ReportExporter::new(vec![reports.clone()]).save(&wanted).unwrap();
    store.backup_aside().unwrap();
    let (now, spent) = (Moment(ASKED_MS + 60_000), store.charged(Moment(ASKED_MS + 60_000)).unwrap());
    let digests = [small, large].map(|digest| digest.to_string().into_bytes());
    let bytes = [gone.to_bytes().to_ascii_lowercase(), small.0.to_ascii_lowercase()];
    let marks: Vec<Vec<u8>> = [MARKER.as_bytes().to_vec(), gone.to_string().into_bytes()]
        .into_iter()
        .chain(digests)
        .chain(bytes)
        .collect();
    assert!(table_traces(&world.database(), &marks).len() > 10);

    let places = || PurgePlaces { report_roots: vec![reports.clone()], page_cache: None };
    assert_eq!(store.purge(PurgeChoice::Everything, places()).await.unwrap().runs, []);
    store.remove_runs(vec![gone]).await.unwrap();
    let purged = store.purge(PurgeChoice::Everything, places()).await.unwrap();
    assert_eq!((purged.runs, purged.exports), (vec![gone], vec![saved.path]));
    // Its report, its answer, a small and a large page.
    assert_eq!(purged.blobs, 4);

    assert_eq!(store.charged(now).unwrap(), spent);
    assert_eq!(store.fetch_blob(shared).await.unwrap(), b"a page that both have read");
    assert_eq!(ids(&store, &of_part(ShelfPart::All)), [kept]);
    assert_eq!(ids(&store, &words("tacoma")), [kept]);
    assert_eq!(store.status(gone).unwrap_err().message, format!("there is no research {gone}"));
    assert_eq!(store.watches().unwrap(), []);
    store.check_integrity(IntegrityDepth::Everything).unwrap();
    // The next run gets the number that is free again.
    let next = finished(&store, 4, "Who built it?", "# Built", &[]).await;
    assert_eq!(ids(&store, &ListFilter::default()), sorted(vec![kept, next]));
    drop(store);
    assert_eq!(table_traces(&world.database(), &marks), Vec::<String>::new());
    assert_eq!(traces(world.root.path(), &marks), Vec::<String>::new());
    world.open(3).check_integrity(IntegrityDepth::Everything).unwrap();
}

#[tokio::test]
async fn the_upkeep_purges_what_was_in_the_trash_long_enough_and_never_beside_a_driven_run() {
    let world = World::new();
    let store = world.open(1);
    let first = finished(&store, 1, "Why does ice melt?", "# Glaciers", &[]).await;
    store.remove_runs(vec![first]).await.unwrap();
    let purge = || store.purge(PurgeChoice::Expired, PurgePlaces::default());
    assert_eq!(purge().await.unwrap().runs, []);
    world.time.pass(u64::try_from(trash_ms()).unwrap() - 1);
    assert_eq!(purge().await.unwrap().runs, []);
    Truth::ask(&store, 2).await;
    let claimed = store.claim_due(owner(1), 1).await.unwrap();
    world.time.pass(1);
    assert_eq!(purge().await.unwrap_err().code, Code::NotFinished);
    for claim in claimed {
        store.release(owner(1), claim).await.unwrap();
    }
    assert_eq!(purge().await.unwrap().runs, [first]);
}

#[tokio::test]
async fn a_removal_that_nobody_wrote_removes_nothing() {
    let world = World::new();
    let store = world.open(1);
    let first = finished(&store, 1, "Why does ice melt?", "# Glaciers", &[]).await;
    store.set_title(first, Some(Title::parse("Ice").unwrap())).await.unwrap();
    drop(store);
    Connection::open(world.database()).unwrap().execute("UPDATE shelf SET removed_at = 1", []).unwrap();
    let store = world.open(2);
    let purged = store.purge(PurgeChoice::Everything, PurgePlaces::default()).await;
    assert_eq!(purged.unwrap_err().code, Code::StoreCorrupt);
    assert_eq!(store.status(first).unwrap_err().code, Code::StoreCorrupt);
    assert_eq!(store.list(&ListFilter::default()).unwrap_err().code, Code::StoreCorrupt);
    assert_eq!(store.check_integrity(IntegrityDepth::Everything).unwrap_err().code, Code::StoreCorrupt);
}
