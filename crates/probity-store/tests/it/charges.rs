//! The money gate of the SQLite store: decided inside the write transaction, whichever handle asks.

use std::{
    thread,
    time::{Duration, Instant},
};

use probity_research::{
    Code, CodedError,
    cost::{Cost, MicroUsd},
    event::Event,
    ports::{GatedAppend, Journal as _, JournalEntry, JournalError, JournalWriter},
    spending::{RepeatRule, SpendingGate},
    status::RunSummary,
    stop::RunStop,
};
use probity_store::{IntegrityDepth, Store};

use crate::{
    tenants::{ended_for, question},
    world::{World, id},
};

const LIMIT: u64 = 6_000;
const PRICE: u64 = 2_000;

fn gate(per_day: u64) -> SpendingGate {
    SpendingGate { per_day: Some(MicroUsd(per_day)), repeat: RepeatRule::ReturnRunning }
}

fn is_over(result: &Result<GatedAppend, JournalError>) -> bool {
    matches!(result, Err(JournalError::Refused(problem)) if problem.code == Code::DayLimit)
}

async fn start(store: &Store, number: u128) -> Result<GatedAppend, JournalError> {
    store.append_gated(question(number, None, PRICE).1, gate(LIMIT)).await
}

#[test]
fn handles_that_start_at_once_never_exceed_the_day() {
    let world = World::new();
    let stores: Vec<Store> = (1..9).map(|bits| world.open(bits)).collect();
    let started: usize = thread::scope(|scope| {
        let working: Vec<_> = stores
            .iter()
            .enumerate()
            .map(|(place, store)| {
                scope.spawn(move || {
                    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
                    let numbers = (0..20).map(|number| (place * 100 + number + 1) as u128);
                    numbers
                        .filter(|number| {
                            let result = runtime.block_on(start(store, *number));
                            assert!(result.is_ok() || is_over(&result), "{result:?}");
                            result.is_ok()
                        })
                        .count()
                })
            })
            .collect();
        working.into_iter().map(|work| work.join().unwrap()).sum()
    });
    assert_eq!(started as u64, LIMIT / PRICE);
    stores[0].check_integrity(IntegrityDepth::Everything).unwrap();
}

#[tokio::test]
async fn what_ended_sets_its_reservation_free() {
    let world = World::new();
    let store = world.open(1);
    let (mut first, entry) = question(1, None, PRICE);
    let now = entry.at;
    store.append_gated(entry, gate(LIMIT)).await.unwrap();
    assert_eq!(store.charged(now).unwrap(), MicroUsd(PRICE));
    for number in [2, 3] {
        start(&store, number).await.unwrap();
    }
    assert!(is_over(&start(&store, 4).await));
    first.append(&store, JournalWriter::Client, ended_for(500)).await.unwrap();
    assert_eq!(store.charged(now).unwrap(), MicroUsd(4_500));
    assert!(is_over(&start(&store, 4).await), "2,000 more are too much");
    let cheap = question(5, None, 1_500).1;
    store.append_gated(cheap, gate(LIMIT)).await.unwrap();
    store.append_gated(question(6, None, 0).1, gate(LIMIT)).await.unwrap();
}

#[tokio::test]
async fn a_day_later_only_what_still_runs_counts() {
    const DAY_MS: i64 = 24 * 3_600_000;
    let world = World::new();
    let store = world.open(1);
    let (mut first, entry) = question(1, None, PRICE);
    let later = entry.at.plus_ms(DAY_MS + 60_000);
    store.append_gated(entry, gate(LIMIT)).await.unwrap();
    start(&store, 2).await.unwrap();
    first.append(&store, JournalWriter::Client, ended_for(PRICE)).await.unwrap();
    assert_eq!(store.charged(later).unwrap(), MicroUsd(PRICE), "the second is still running");
}

#[tokio::test]
async fn an_equal_start_leads_to_the_one_that_runs() {
    let world = World::new();
    let (one, two) = (world.open(1), world.open(2));
    let (mut first, entry) = question(1, None, PRICE);
    let same = numbered(2, entry.clone());
    let is_new = |result: &Result<GatedAppend, JournalError>| matches!(result, Ok(GatedAppend::Appended(_)));
    one.append_gated(entry.clone(), gate(LIMIT)).await.unwrap();
    assert_eq!(two.append_gated(same.clone(), gate(LIMIT)).await, Ok(GatedAppend::Running(first.id)));
    let of_anna = numbered(3, question(1, Some("anna"), PRICE).1);
    assert!(is_new(&two.append_gated(of_anna, gate(LIMIT)).await), "another caller");
    first.append(&one, JournalWriter::Client, ended_for(1)).await.unwrap();
    assert!(is_new(&two.append_gated(same, gate(LIMIT)).await), "the first has ended");
    let again = SpendingGate { repeat: RepeatRule::StartAnother, ..gate(100 * LIMIT) };
    assert!(is_new(&two.append_gated(numbered(4, entry), again).await), "another is wanted");
}

#[tokio::test]
async fn a_cancel_does_not_make_an_uncertain_start_certain() {
    let world = World::new();
    let store = world.open(1);
    let (mut first, entry) = question(1, None, PRICE);
    let same = numbered(2, entry.clone());
    store.append_gated(entry, gate(LIMIT)).await.unwrap();
    let problem = CodedError::new(Code::CreateUncertain, "no answer came");
    first.append(&store, JournalWriter::Client, Event::CreateIntended { attempt: 1 }).await.unwrap();
    let uncertain = Event::CreateUncertain { attempt: 1, problem: problem.clone() };
    first.append(&store, JournalWriter::Client, uncertain).await.unwrap();
    let ended = Event::Ended {
        stop: RunStop::Cancelled,
        report: None,
        raw: None,
        usage: None,
        cost: Cost::Unknown,
        problem: Some(problem),
        sources: 0,
        progress: None,
    };
    first.append(&store, JournalWriter::Client, ended).await.unwrap();
    assert_eq!(store.append_gated(same, gate(LIMIT)).await, Ok(GatedAppend::Running(first.id)));
}

/// The same start under another id.
pub fn numbered(number: u128, entry: JournalEntry) -> JournalEntry {
    let summary = RunSummary { id: id(number), ..entry.summary };
    JournalEntry { id: id(number), summary, ..entry }
}

#[tokio::test]
async fn a_start_after_a_hundred_thousand_others_takes_no_longer_than_a_blink() {
    const BLINK: Duration = Duration::from_millis(500);
    let world = World::new();
    let store = world.open(1);
    let entry = question(1, None, 1).1;
    let database = rusqlite::Connection::open(world.directory().join("probity.db")).unwrap();
    database
        .execute(
            "INSERT INTO charge (number, asked_at, amount, open)
             WITH RECURSIVE runs(number) AS (SELECT 10 UNION ALL SELECT number + 1 FROM runs LIMIT 100000)
             SELECT number, ?1, 10, number % 100 = 0 FROM runs",
            [entry.at.0],
        )
        .unwrap();
    drop(database);
    let begun = Instant::now();
    assert!(is_over(&store.append_gated(entry.clone(), gate(1_000_000)).await));
    store.append_gated(entry, gate(1_000_001)).await.unwrap();
    let took = begun.elapsed();
    println!("two starts after 100,000 others: {took:?}");
    assert!(took < BLINK, "{took:?}");
}

#[tokio::test]
async fn runs_of_an_older_database_count_too() {
    let world = World::new();
    let store = world.open(1);
    let (mut first, entry) = question(1, None, PRICE);
    let now = entry.at;
    store.append(entry).await.unwrap();
    first.append(&store, JournalWriter::Client, ended_for(300)).await.unwrap();
    store.append(question(2, None, PRICE).1).await.unwrap();
    drop(store);
    let database = rusqlite::Connection::open(world.directory().join("probity.db")).unwrap();
    database
        .execute_batch(
            "DROP VIEW research_tasks; DROP VIEW research_results; DROP TABLE result; DROP TABLE charge;
             DROP TABLE watch; DROP TABLE shelf; DROP TABLE search;
             PRAGMA user_version = 2;",
        )
        .unwrap();
    drop(database);
    let store = world.open(2);
    assert_eq!(store.charged(now).unwrap(), MicroUsd(300 + PRICE));
    store.check_integrity(IntegrityDepth::Everything).unwrap();
}
