//! Appends per second of the fleet's store, beside the same bytes written by the bare client in the same run.

use std::{future::Future, time::Instant};

use probity_research::ports::{Journal, JournalEntry, JournalWriter};
use tokio_postgres::NoTls;

use crate::{
    postgres_server::{Commits, Database, Server},
    world::{Truth, asked, id, observed, started},
};

const WRITERS: u128 = 16;
const APPENDS: u32 = 60;

/// Entries of one research, made before the clock runs.
fn entries(number: u128) -> Vec<JournalEntry> {
    let mut truth = Truth::new(id(number));
    let mut entries = Vec::new();
    for next in 0..APPENDS {
        let event = match next {
            0 => asked(&format!("question {number}?")),
            1 => started(1),
            _ => observed(next),
        };
        let entry = truth.entry(JournalWriter::Client, event.clone());
        let (at, attended_ms) = (entry.at, entry.attended_ms);
        let sequence = truth.sequence().next();
        truth.journal.push(probity_research::StoredEvent { sequence, at, attended_ms, event });
        entries.push(entry);
    }
    entries
}

/// Appends per second of all writers together.
async fn timed<W, F>(writer: W) -> f64
where
    W: Fn(u128, Vec<JournalEntry>) -> F,
    F: Future<Output = ()> + Send + 'static,
{
    let prepared: Vec<_> = (0..WRITERS).map(|number| writer(number, entries(number))).collect();
    let begin = Instant::now();
    let tasks: Vec<_> = prepared.into_iter().map(tokio::spawn).collect();
    for task in tasks {
        task.await.unwrap();
    }
    WRITERS as f64 * f64::from(APPENDS) / begin.elapsed().as_secs_f64()
}

async fn bare_client(database: &Database) -> tokio_postgres::Client {
    let (client, connection) = tokio_postgres::connect(&database.url, NoTls).await.unwrap();
    tokio::spawn(connection);
    client
}

const ADD: &str = "INSERT INTO bare_event (research, sequence, at, body, hash) VALUES ($1, $2, $3, $4, $5)";
const CHANGE: &str =
    "UPDATE bare_research SET sequence = $2, summary = $3, chain = $4, hash = $4 WHERE id = $1";

/// A plain transaction: begin, insert, update, commit.
async fn write_plainly(mut client: tokio_postgres::Client, entries: Vec<JournalEntry>) {
    let (add, change) = (client.prepare(ADD).await.unwrap(), client.prepare(CHANGE).await.unwrap());
    for (sequence, entry) in (1_i64..).zip(entries) {
        let id = entry.id.to_bytes();
        let (id, hash) = (id.as_slice(), [7_u8; 32]);
        let body = entry.event.encode().unwrap();
        let summary = serde_json::to_string(&entry.summary).unwrap();
        let transaction = client.transaction().await.unwrap();
        transaction.execute(&add, &[&id, &sequence, &entry.at.0, &body, &hash.as_slice()]).await.unwrap();
        transaction.execute(&change, &[&id, &sequence, &summary, &hash.as_slice()]).await.unwrap();
        transaction.commit().await.unwrap();
    }
}

/// The least there is: both in one statement, nothing checked.
async fn write_in_one(client: tokio_postgres::Client, entries: Vec<JournalEntry>) {
    let sql = "WITH changed AS (UPDATE bare_research SET sequence = $2, summary = $6, chain = $5, hash = $5 \
               WHERE id = $1 RETURNING id) \
               INSERT INTO bare_event (research, sequence, at, body, hash) SELECT id, $2, $3, $4, $5 FROM changed";
    let statement = client.prepare(sql).await.unwrap();
    for (sequence, entry) in (1_i64..).zip(entries) {
        let id = entry.id.to_bytes();
        let (id, hash) = (id.as_slice(), [7_u8; 32]);
        let body = entry.event.encode().unwrap();
        let summary = serde_json::to_string(&entry.summary).unwrap();
        let values: [&(dyn tokio_postgres::types::ToSql + Sync); 6] =
            [&id, &sequence, &entry.at.0, &body, &hash.as_slice(), &summary];
        assert_eq!(client.execute(&statement, &values).await.unwrap(), 1);
    }
}

fn make_bare_tables(server: &Server, database: &Database) {
    let ids: Vec<String> = (0..WRITERS)
        .map(|n| format!("('\\x{:032x}', 0, '', '', '')", u128::from_be_bytes(id(n).to_bytes())))
        .collect();
    server.sql(
        &database.name,
        &format!(
            "DROP TABLE IF EXISTS bare_event, bare_research;
             CREATE TABLE bare_research (id BYTEA PRIMARY KEY, sequence BIGINT NOT NULL, summary TEXT NOT NULL,
                                         chain BYTEA NOT NULL, hash BYTEA NOT NULL);
             CREATE TABLE bare_event (research BYTEA NOT NULL, sequence BIGINT NOT NULL, at BIGINT NOT NULL,
                                      body TEXT NOT NULL, hash BYTEA NOT NULL, PRIMARY KEY (research, sequence));
             INSERT INTO bare_research VALUES {}",
            ids.join(", ")
        ),
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn appends_keep_up_with_the_bare_client() {
    let Some(server) = Server::start_with(Commits::Durable) else { return };
    let (mut ours, mut plain, mut least) = (0_f64, 0_f64, 0_f64);
    for _ in 0..2 {
        let database = server.fresh().await;
        let store = database.open(1).await;
        // Connections are opened before the clock runs, as those of the bare client are.
        let warm: Vec<_> = (0..WRITERS)
            .map(|_| {
                let store = store.clone();
                tokio::spawn(async move { store.ping().await.unwrap() })
            })
            .collect();
        for task in warm {
            task.await.unwrap();
        }
        ours = ours.max(
            timed(|_, entries| {
                let store = store.clone();
                async move {
                    for entry in entries {
                        store.append(entry).await.unwrap();
                    }
                }
            })
            .await,
        );
        for kind in ["plain", "least"] {
            make_bare_tables(&server, &database);
            let mut clients = Vec::new();
            for _ in 0..WRITERS {
                clients.push(Some(bare_client(&database).await));
            }
            let clients = std::sync::Mutex::new(clients);
            let client = |number: u128| clients.lock().unwrap()[number as usize].take().unwrap();
            match kind {
                "plain" => plain = plain.max(timed(|n, entries| write_plainly(client(n), entries)).await),
                _ => least = least.max(timed(|n, entries| write_in_one(client(n), entries)).await),
            }
        }
    }
    println!(
        "appends per second by {WRITERS} writers: ours {ours:.0}, plain insert and update {plain:.0}, \
         both in one bare statement {least:.0}"
    );
    // Wide: the machine may be busy.
    assert!(ours > plain * 0.4, "ours {ours:.0}, plain {plain:.0}");
    assert!(ours > 50.0);
}
