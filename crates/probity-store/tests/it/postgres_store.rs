//! What only the fleet's store has: holds of steppers, search, and a database that dies and comes back.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use probity_research::{
    Code, Event, Sequence, StoredEvent,
    checking::{CheckTask, CheckTaskOutcome, task::JudgeAnswer},
    id::Digest,
    ledger::Opinion,
    ports::{
        InFlightLock, InFlightLocks, Journal, JournalEntry, JournalError, JournalWriter, LeaseStatus, Leases,
    },
    principal::{Principal, RunAccess},
};
use probity_store::{Postgres, PostgresSettings};

use crate::{
    postgres_server::{self, Server},
    world::{Truth, asked, ended, id, observed, owner, started},
};

fn stepper(bits: u128, hold: InFlightLock) -> JournalWriter {
    JournalWriter::Worker(owner(bits), hold)
}

#[tokio::test]
async fn a_hold_keeps_others_away_while_its_owner_beats_and_is_dropped_after_the_lease() {
    let Some(server) = postgres_server::shared() else { return };
    let database = server.fresh().await;
    let lease = Duration::from_secs(2);
    let short = |bits| PostgresSettings { lease, ..database.settings(bits) };
    let first = Postgres::connect(short(1)).await.unwrap();
    let second = Postgres::connect(short(2)).await.unwrap();
    let mut truth = Truth::ask(&first, 1).await;
    first.heartbeat(owner(1)).await.unwrap();
    let at = |truth: &Truth| Ok(LeaseStatus::Free(truth.sequence()));
    assert_eq!(second.lease_status(owner(2), truth.id).await, at(&truth), "nobody has hold of it");
    truth.append(&first, stepper(1, InFlightLock::Keep), started(1)).await.unwrap();
    assert_eq!(second.lease_status(owner(2), truth.id).await, Ok(LeaseStatus::Held));
    assert_eq!(first.lease_status(owner(1), truth.id).await, at(&truth), "one's own hold is no obstacle");
    let stranger = truth.entry(stepper(2, InFlightLock::Free), observed(1));
    assert_eq!(second.append(stranger).await, Err(JournalError::Fenced));
    second.release_lock(owner(2), truth.id).await.unwrap();
    assert_eq!(
        second.lease_status(owner(2), truth.id).await,
        Ok(LeaseStatus::Held),
        "only the owner lets go"
    );
    // A guest's wish goes through, and the hold stays.
    truth.append(&second, JournalWriter::Client, observed(2)).await.unwrap();
    assert_eq!(second.lease_status(owner(2), truth.id).await, Ok(LeaseStatus::Held));

    let silent_since = Instant::now();
    while second.lease_status(owner(2), truth.id).await == Ok(LeaseStatus::Held) {
        assert!(silent_since.elapsed() < Duration::from_secs(30), "a dead owner's hold must go");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    // By the wall: the owner beat once, before its append.
    assert!(silent_since.elapsed() < lease + Duration::from_secs(10));
    assert_eq!(second.lease_status(owner(2), truth.id).await, at(&truth));
    truth.append(&second, stepper(2, InFlightLock::Keep), observed(3)).await.unwrap();
    // The first wakes up: its append is refused whatever it believes.
    let late = truth.entry(stepper(1, InFlightLock::Free), observed(4));
    second.heartbeat(owner(2)).await.unwrap();
    assert_eq!(first.append(late).await, Err(JournalError::Fenced));
    assert_eq!(first.lease_status(owner(1), truth.id).await, Ok(LeaseStatus::Held));
    truth.append(&second, stepper(2, InFlightLock::Free), observed(4)).await.unwrap();
    assert_eq!(first.lease_status(owner(1), truth.id).await, at(&truth), "the last step let go");
    assert_eq!(first.load(truth.id).await.unwrap(), truth.journal);
    assert_eq!(first.lease_status(owner(1), id(77)).await.unwrap_err().code(), Code::NotFound);
}

#[tokio::test]
async fn an_end_lets_go_and_a_reopening_waits_for_its_turn_again() {
    let Some(server) = postgres_server::shared() else { return };
    let database = server.fresh().await;
    let store = database.open(1).await;
    let mut truth = Truth::ask(&store, 1).await;
    let row = || {
        server.sql(
            &database.name,
            "UPDATE research SET submitted_at = coalesce(submitted_at, now());
             SELECT due, admitted, due_sequence, owner IS NULL FROM research",
        )
    };
    assert_eq!(row(), "t|t|1|t");
    truth.append(&store, stepper(1, InFlightLock::Keep), started(1)).await.unwrap();
    assert_eq!(row(), "t|t|1|f");
    truth.append(&store, stepper(1, InFlightLock::Keep), ended()).await.unwrap();
    assert_eq!(row(), "f|t|1|t");
    truth.append(&store, JournalWriter::Client, Event::Reopened).await.unwrap();
    assert_eq!(server.sql(&database.name, "SELECT submitted_at IS NULL FROM research"), "t");
    assert_eq!(row(), "t|f|4|t");
}

#[tokio::test]
async fn what_was_changed_by_hand_is_refused() {
    let Some(server) = postgres_server::shared() else { return };
    let database = server.fresh().await;
    let store = database.open(1).await;
    let mut truth = Truth::ask(&store, 1).await;
    truth.append(&store, JournalWriter::Client, started(1)).await.unwrap();
    let kept = store.store_blob(b"a page".to_vec()).await.unwrap();
    let damages = [
        ("research", "status = 'failed'", "status"),
        ("research", "tenant = 'mallory'", "status"),
        ("research", "spent = spent + 1", "status"),
        ("research", "summary = replace(summary, 'Question', 'Answer')", "status"),
        ("research", "updated_at = updated_at + interval '1 ms'", "status"),
        ("research", "sequence = sequence - 1", "load"),
        ("event", "body = replace(body, 'remote-1', 'remote-2')", "load"),
        ("event", "attended_ms = attended_ms + 1", "load"),
        ("event", "sequence = sequence + 10", "load"),
        ("blob", "bytes = bytes || '\\x00'::bytea", "fetch"),
    ];
    for (table, damage, by) in damages {
        server.sql(
            &database.name,
            &format!("DROP TABLE IF EXISTS before; CREATE TABLE before AS TABLE {table}"),
        );
        server.sql(&database.name, &format!("UPDATE {table} SET {damage}"));
        let found = match by {
            "status" => store.status(truth.id).await.map(drop).map_err(|problem| problem.code),
            "load" => store.load(truth.id).await.map(drop).map_err(|error| error.code()),
            _ => store.fetch_blob(kept).await.map(drop).map_err(|error| error.code()),
        };
        assert_eq!(found, Err(Code::StoreCorrupt), "{damage}");
        let columns = match table {
            "research" => {
                "status = b.status, tenant = b.tenant, spent = b.spent, summary = b.summary, \
                           updated_at = b.updated_at, sequence = b.sequence"
            }
            "event" => "body = b.body, attended_ms = b.attended_ms, sequence = b.sequence",
            _ => "bytes = b.bytes",
        };
        let same = if table == "blob" { "t.digest = b.digest" } else { "t.hash = b.hash" };
        server.sql(&database.name, &format!("UPDATE {table} t SET {columns} FROM before b WHERE {same}"));
    }
    assert_eq!(store.load(truth.id).await.unwrap(), truth.journal);
    assert_eq!(store.status(truth.id).await.unwrap(), truth.summary());
    server.sql(&database.name, "DELETE FROM event WHERE sequence = 2");
    assert_eq!(store.load(truth.id).await.unwrap_err().code(), Code::StoreCorrupt);
    // A journal that is not the one that was read takes nothing more.
    server.sql(&database.name, "UPDATE research SET chain = sha256(chain)");
    let next = truth.entry(JournalWriter::Client, observed(1));
    assert_eq!(store.append(next).await, Err(JournalError::Conflict));
}

#[tokio::test]
async fn watchers_get_many_statuses_at_once_and_events_from_where_they_were() {
    let Some(server) = postgres_server::shared() else { return };
    let store = server.fresh().await.open(1).await;
    let mut truths = Vec::new();
    for number in 0..5 {
        truths.push(Truth::ask(&store, number).await);
    }
    for event in [started(1), observed(1), observed(2), ended()] {
        truths[2].append(&store, JournalWriter::Client, event).await.unwrap();
    }
    let mut told = store.statuses(&[id(2), id(0), id(99)]).await.unwrap();
    told.sort_by_key(|(sequence, _)| *sequence);
    let expected = [(Sequence(1), truths[0].summary()), (Sequence(5), truths[2].summary())];
    assert_eq!(told, expected);
    let after = async |sequence: u64, limit: usize| -> Vec<StoredEvent> {
        store.events_after(id(2), Sequence(sequence), limit).await.unwrap()
    };
    assert_eq!(after(0, 100).await, truths[2].journal);
    assert_eq!(after(0, 2).await, truths[2].journal[..2]);
    assert_eq!(after(3, 100).await, truths[2].journal[3..]);
    assert_eq!(after(2, 1).await, truths[2].journal[2..3]);
    assert_eq!(after(5, 100).await, []);
    assert_eq!(after(6, 100).await, []);
    assert_eq!(store.events_after(id(99), Sequence(0), 10).await.unwrap(), []);
}

fn asked_by(name: &str, question: &str) -> Event {
    let Event::Asked { query, mut plan } = asked(question) else { unreachable!() };
    plan.asked_by = Some(Principal::parse(name).unwrap());
    Event::Asked { query, plan }
}

#[tokio::test]
async fn words_of_questions_and_reports_are_found_within_reach() {
    let Some(server) = postgres_server::shared() else { return };
    let store = server.fresh().await.open(1).await;
    let questions = [
        ("anna", "Why are ÄPFEL red?"),
        ("anna", "How tall is the tower?"),
        ("ben", "Which apples are red and sweet?"),
    ];
    for (number, (name, question)) in questions.into_iter().enumerate() {
        let mut truth = Truth::new(id(number as u128));
        truth.append(&store, JournalWriter::Client, asked_by(name, question)).await.unwrap();
    }
    let mut own = Truth::new(id(3));
    own.append(&store, JournalWriter::Client, asked("Is the operator's sky red?")).await.unwrap();
    store
        .index_report(id(1), "The Tower of Pisa", "It leans.\0 It is 57 metres tall, and not red.")
        .await
        .unwrap();
    let of = |name: &str| RunAccess::Of(Principal::parse(name).unwrap());
    let found = async |reach: RunAccess, words: &str| {
        let mut ids: Vec<_> =
            store.search(&reach, words, 10).await.unwrap().into_iter().map(|found| found.id).collect();
        ids.sort();
        ids
    };
    let ids = |numbers: &[u128]| {
        let mut ids: Vec<_> = numbers.iter().map(|number| id(*number)).collect();
        ids.sort();
        ids
    };
    assert_eq!(found(RunAccess::Everything, "RED").await, ids(&[0, 1, 2, 3]));
    assert_eq!(found(of("anna"), "red").await, ids(&[0, 1]));
    assert_eq!(found(of("ben"), "red").await, ids(&[2]));
    assert_eq!(found(of("carl"), "red").await, []);
    assert_eq!(found(RunAccess::Nothing, "red").await, []);
    assert_eq!(found(of("anna"), "äpfel").await, ids(&[0]));
    assert_eq!(found(of("anna"), "red -pisa").await, ids(&[0]));
    assert_eq!(found(of("anna"), "\"57 metres\"").await, ids(&[1]));
    // Nothing that a tenant types leads to another's, nor breaks the search.
    for words in ["", "@ben", "' | '@ben", "''", "red or @ben", ":*", "\\", "!", "(", "\0", "@ben & sweet"] {
        assert!(found(of("anna"), words).await.iter().all(|found| *found != id(2)), "{words}");
    }
    store.index_report(id(1), "", &"word ".repeat(300_000)).await.unwrap();
    assert_eq!(found(of("anna"), "word").await, ids(&[1]));
    let long: String = (0..200_000).map(|n| format!("w{n} ")).collect();
    store.index_report(id(1), "", &long).await.unwrap();
    assert_eq!(found(of("anna"), "w100 tower").await, ids(&[1]));
}

#[tokio::test]
async fn judgements_are_bought_once_for_the_whole_fleet() {
    let Some(server) = postgres_server::shared() else { return };
    let database = server.fresh().await;
    let (store, other) = (database.open(1).await, database.open(2).await);
    let truth = Truth::ask(&store, 1).await;
    let answer = |byte: u8, opinion| -> JudgeAnswer {
        let text = format!(
            r#"{{"claim":"C1","key":"{}","opinion":{},"confidence":90}}"#,
            Digest([byte; 32]),
            serde_json::to_string(&opinion).unwrap()
        );
        serde_json::from_str(&text).unwrap()
    };
    let answers =
        vec![answer(2, Opinion::Supports), answer(1, Opinion::Supports), answer(3, Opinion::Abstains)];
    let event = Event::CheckDone {
        task: CheckTask::Judge { claims: Vec::new() },
        outcome: CheckTaskOutcome::Judged { answers: answers.clone() },
        bill: probity_research::web::bill::Bill::default(),
    };
    let entry = JournalEntry { event, ..truth.entry(JournalWriter::Client, started(1)) };
    // Whoever uses them again can say of when they are.
    let dated = |answer: &JudgeAnswer| JudgeAnswer { judged_at: Some(entry.at), ..answer.clone() };
    let answers: Vec<JudgeAnswer> = answers.iter().map(dated).collect();
    store.append(entry.clone()).await.unwrap();
    assert_eq!(store.append(entry).await, Err(JournalError::Conflict));
    let questions = [3, 1, 9, 2].map(|byte| Digest([byte; 32])).to_vec();
    let expected = vec![answers[1].clone(), answers[0].clone()];
    assert_eq!(other.recall_answers(questions.clone()).await.unwrap(), expected);
    server.sql(
        &database.name,
        "UPDATE judgement SET answer = replace(answer, '90', '10') WHERE get_byte(question, 0) = 1",
    );
    assert_eq!(
        other.recall_answers(questions).await.unwrap(),
        [answers[0].clone()],
        "a damaged one is bought again"
    );
}

/// Writers that try again until their fact is on disk, as drivers do.
async fn write_through(store: Postgres, number: u128, events: u32, stop: Arc<AtomicBool>) -> Truth {
    let mut truth = Truth::new(id(number));
    let mut next = 0;
    while next < events || !stop.load(Ordering::Relaxed) {
        let event = match next {
            0 => asked("does it survive?"),
            1 => started(1),
            _ => observed(next),
        };
        match truth.append(&store, JournalWriter::Client, event.clone()).await {
            Ok(_) => next += 1,
            // Nobody knows whether it is there: look.
            Err(_) => loop {
                tokio::time::sleep(Duration::from_millis(50)).await;
                match store.load(truth.id).await {
                    Ok(journal) => {
                        let newest = journal.last().is_some_and(|newest| newest.event == event);
                        if newest && journal.len() == truth.journal.len() + 1 {
                            next += 1;
                        }
                        truth.journal = journal;
                        break;
                    }
                    Err(error) if error.code() == Code::NotFound => break,
                    Err(_) => {}
                }
            },
        }
    }
    truth
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_that_crashes_and_comes_back_loses_nothing_and_doubles_nothing() {
    const WRITERS: u128 = 8;
    const CRASHES: u32 = 3;
    let Some(server) = Server::start() else { return };
    let database = server.fresh().await;
    let store = database.open(1).await;
    let stop = Arc::new(AtomicBool::new(false));
    let writers: Vec<_> = (0..WRITERS)
        .map(|number| tokio::spawn(write_through(store.clone(), number, 40, Arc::clone(&stop))))
        .collect();
    let server = Arc::new(server);
    for _ in 0..CRASHES {
        tokio::time::sleep(Duration::from_millis(400)).await;
        let server = Arc::clone(&server);
        tokio::task::spawn_blocking(move || {
            server.crash();
            std::thread::sleep(Duration::from_millis(200));
            server.launch();
        })
        .await
        .unwrap();
    }
    stop.store(true, Ordering::Relaxed);
    let mut events = 0;
    for writer in writers {
        let truth = writer.await.unwrap();
        assert_eq!(store.load(truth.id).await.unwrap(), truth.journal);
        // Each fact once: the writer counted on with every one that it found.
        let facts: Vec<&Event> = truth.journal.iter().map(|recorded| &recorded.event).collect();
        let expected: Vec<Event> = (2..facts.len() as u32).map(observed).collect();
        assert_eq!(facts[2..], expected.iter().collect::<Vec<_>>()[..]);
        assert_eq!(store.status(truth.id).await.unwrap(), truth.summary());
        events += facts.len();
    }
    println!("{events} events through {CRASHES} crashes of the database");
    let health = store.health().await;
    let answer = health.answer.unwrap();
    assert!(answer.steps_missing.is_empty() && !answer.is_standby, "{answer:?}");
    assert!(health.connections_open <= health.connections_max);
}

#[tokio::test]
async fn a_database_that_is_away_is_said_so_without_the_password() {
    let Some(server) = postgres_server::shared() else { return };
    let database = server.fresh().await;
    let mut settings = database.settings(1);
    settings.url = "postgresql://anna:s3cret@127.0.0.1:1/library".to_owned().into();
    assert!(!format!("{settings:?}").contains("s3cret"));
    let problem = Postgres::connect(settings).await.unwrap_err();
    assert_eq!(problem.code, Code::StoreFailed);
    assert!(
        problem.message.contains("127.0.0.1/library") && !problem.message.contains("s3cret"),
        "{problem}"
    );
}

#[tokio::test]
async fn one_connection_serves_many_and_a_month_that_is_missing_hurts_nobody() {
    let Some(server) = postgres_server::shared() else { return };
    let database = server.fresh().await;
    let settings = PostgresSettings { connections_max: 1, ..database.settings(1) };
    let store = Postgres::connect(settings).await.unwrap();
    let tasks: Vec<_> = (0..50_u128)
        .map(|number| {
            let store = store.clone();
            tokio::spawn(async move { Truth::ask(&store, number).await })
        })
        .collect();
    for task in tasks {
        let truth = task.await.unwrap();
        assert_eq!(store.load(truth.id).await.unwrap(), truth.journal);
    }
    assert_eq!(store.health().await.connections_open, 1);
    // The tests' own time lies before the months that were made.
    assert!(store.health().await.answer.unwrap().outside_months);
    let kept = store.upkeep().await.unwrap();
    assert_eq!((kept.partitions.len(), kept.judgements_forgotten, kept.owners_forgotten), (0, 0, 0));
}
