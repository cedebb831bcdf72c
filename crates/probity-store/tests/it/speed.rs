//! Sanity of speed, with wide margins: the figures themselves are measured in `benches/`.

use std::time::{Duration, Instant};

use probity_research::{
    ports::{JournalWriter, Leases},
    status::RunStatus,
};
use probity_store::{ListFilter, Store};
use rusqlite::{Connection, OpenFlags};

use crate::world::{Truth, World, asked, id, observed, started};

const RESEARCHES: u128 = 20_000;

async fn fill(store: &Store) {
    let mut tasks = Vec::new();
    for worker in 0..200_u128 {
        let store = store.clone();
        tasks.push(tokio::spawn(async move {
            for number in (worker..RESEARCHES).step_by(200) {
                let mut truth = Truth::new(id(number));
                truth
                    .append(&store, JournalWriter::Client, asked(&format!("question {number}")))
                    .await
                    .unwrap();
                if number % 2000 == 0 {
                    truth.append(&store, JournalWriter::Client, started(1)).await.unwrap();
                    truth.append(&store, JournalWriter::Client, observed(7)).await.unwrap();
                }
            }
        }));
    }
    for task in tasks {
        task.await.unwrap();
    }
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let begin = Instant::now();
    let result = work();
    (result, begin.elapsed())
}

/// The same row without hash, pool or type: what SQLite alone costs.
fn bare_reads(world: &World, numbers: &[u128]) -> Duration {
    let connection = Connection::open_with_flags(
        world.database(),
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )
    .unwrap();
    let mut statement = connection.prepare("SELECT summary FROM research WHERE id = ?1").unwrap();
    let read = |number: &u128| -> String {
        statement.query_row([id(*number).to_bytes()], |row| row.get(0)).unwrap()
    };
    timed(|| numbers.iter().map(read).map(|text| text.len()).sum::<usize>()).1
}

#[tokio::test]
async fn twenty_thousand_researches_are_read_in_microseconds() {
    let world = World::new();
    let store = world.open(1);
    let begin = Instant::now();
    fill(&store).await;
    let filled = begin.elapsed();
    let (audited, audit_time) = timed(|| store.check_integrity(probity_store::IntegrityDepth::Rows));
    assert_eq!(u128::from(audited.unwrap().researches), RESEARCHES);

    let numbers: Vec<u128> = (0..20_000).map(|n| n * 7919 % RESEARCHES).collect();
    let (mut bare, mut status) = (Duration::MAX, Duration::MAX);
    for _ in 0..3 {
        bare = bare.min(bare_reads(&world, &numbers));
        status = status.min(timed(|| numbers.iter().for_each(|n| drop(store.status(id(*n)).unwrap()))).1);
    }
    let filter = ListFilter { status: Some(RunStatus::RunningAsync), ..ListFilter::default() };
    let (running, list_time) = timed(|| store.list(&filter).unwrap());
    let (all, all_time) = timed(|| store.list(&ListFilter::default()).unwrap());
    let begin = Instant::now();
    let claims = store.claim_due(store.owner(), 100).await.unwrap();
    let claim_time = begin.elapsed();
    let begin = Instant::now();
    for number in 0..100 {
        Truth::ask(&store, RESEARCHES + number).await;
    }
    let alone = begin.elapsed() / 100;
    let per = |time: Duration| time.as_nanos() / numbers.len() as u128;
    println!(
        "appends/s {:.0}; per read: bare {} ns, status {} ns; audit {audit_time:?}; \
         list by status {list_time:?}, list {all_time:?}; 100 claims {claim_time:?}; one append alone {alone:?}",
        RESEARCHES as f64 / filled.as_secs_f64(),
        per(bare),
        per(status)
    );
    assert_eq!((running.len(), all.len(), claims.len()), (10, 20, 100));
    // Wide: the machine may be busy, and this build is not optimised. The ratio is judged by the benches.
    assert!(status < bare * 20, "status {status:?}, bare {bare:?}");
    assert!(list_time < Duration::from_millis(100) && all_time < Duration::from_millis(100));
}

#[tokio::test]
async fn the_questions_that_are_asked_often_use_an_index() {
    let world = World::new();
    drop(world.open(1));
    let connection = Connection::open(world.database()).unwrap();
    let plan = |sql: &str| -> String {
        let mut statement = connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
        let details = statement.query_map([], |row| row.get::<_, String>(3)).unwrap();
        details.map(Result::unwrap).collect::<Vec<_>>().join("; ")
    };
    let due = plan(
        "SELECT id FROM research WHERE due = 1 AND owner IS NULL AND called = 0 ORDER BY number LIMIT 5",
    );
    assert_eq!(due, "SEARCH research USING INDEX research_due (owner=? AND called=?)");
    let listed = plan(
        "SELECT number, updated_at FROM research WHERE status = 'failed' ORDER BY updated_at DESC, number DESC LIMIT 5",
    );
    assert_eq!(listed, "SEARCH research USING COVERING INDEX research_listed (status=?)");
    let counted = plan("SELECT status, count(*) FROM research GROUP BY status");
    assert_eq!(counted, "SCAN research USING COVERING INDEX research_listed");
}
