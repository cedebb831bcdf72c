//! A status read with a hundred thousand researches stored, beside a bare SQLite read of one row as large.
#![expect(
    clippy::disallowed_methods,
    reason = "the bare side opens SQLite by itself: that is what bare means"
)]

use std::{path::Path, sync::Arc, time::Duration};

use probity_research::RunId;
use rusqlite::{Connection, OpenFlags};

use crate::{
    figure::{Figure, MeasurementSize},
    foundation::laptop::LaptopTestBed,
    output, rig,
    simulation::simulation_random::SimulationRandom,
};

const RATIO_GOAL: f64 = 2.0;
/// Reads are measured in turns, so that a noisy moment hits both sides.
const ROUNDS: usize = 20;
const READS_PER_ROUND: usize = 2_000;

pub fn measure(size: MeasurementSize) -> anyhow::Result<Vec<Figure>> {
    let count: usize = size.pick(20_000, 100_000);
    let directory = tempfile::tempdir()?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let laptop = Arc::new(
        runtime.block_on(async { LaptopTestBed::open("http://127.0.0.1:9", directory.path(), 1.0) })?,
    );
    let ids = runtime.block_on(fill(&laptop, count))?;
    let bare = bare_copy(&laptop, directory.path(), &ids)?;
    // The same kind of random walk over the ids for both sides.
    let dice = SimulationRandom::new(42);
    let pick = || dice.pick(&ids).copied().unwrap_or_else(|| RunId::from_random(0));
    let (mut ours_median, mut bare_median) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let (_, time) =
            rig::timed(|| (0..READS_PER_ROUND).try_for_each(|_| laptop.store.status(pick()).map(drop)));
        ours_median.push(time / READS_PER_ROUND as u32);
        let (read, time) =
            rig::timed(|| (0..READS_PER_ROUND).try_for_each(|_| bare_read(&bare, pick()).map(drop)));
        read?;
        bare_median.push(time / READS_PER_ROUND as u32);
    }
    let (ours, bare) = (rig::percentile(&mut ours_median, 0.5), rig::percentile(&mut bare_median, 0.5));
    let ratio = ours.as_secs_f64() / bare.as_secs_f64().max(1e-9);
    let micro = |time: Duration| time.as_secs_f64() * 1e6;
    Ok(vec![
        Figure::judged(
            &format!("status read with {count} researches stored, against a bare SQLite single-row read"),
            ratio <= RATIO_GOAL,
            format!("{ratio:.2} times ({:.1} µs against {:.1} µs)", micro(ours), micro(bare)),
            "at most 2 times",
        )
        .with_note("ours is checked against its hash and parsed; the bare read returns the text as it lies")
        // The bare side is C and always optimised; ours is so in the full run alone.
        .timing(),
    ])
}

async fn fill(laptop: &Arc<LaptopTestBed>, count: usize) -> anyhow::Result<Vec<RunId>> {
    let mut ids = Vec::with_capacity(count);
    let mut asks = tokio::task::JoinSet::new();
    for number in 0..count {
        let laptop = Arc::clone(laptop);
        let question = format!("question {number}: how do the tides in a narrow bay depend on its shape?");
        asks.spawn(async move { laptop.ask(&question).await });
        if asks.len() >= 1_000 || number + 1 == count {
            while let Some(asked) = asks.join_next().await {
                ids.push(asked??);
            }
        }
    }
    output::progress(&format!("{} researches stored", ids.len()));
    Ok(ids)
}

/// The same texts under the same keys in a plain table of their own.
fn bare_copy(laptop: &LaptopTestBed, directory: &Path, ids: &[RunId]) -> anyhow::Result<Connection> {
    let path = directory.join("bare.db");
    let mut bare = Connection::open(&path)?;
    bare.execute_batch(
        "PRAGMA journal_mode=WAL; CREATE TABLE status (id BLOB PRIMARY KEY, body TEXT) WITHOUT ROWID;",
    )?;
    let change = bare.transaction()?;
    for id in ids {
        let text = serde_json::to_string(&laptop.store.status(*id)?)?;
        change.execute("INSERT INTO status VALUES (?1, ?2)", (id.to_bytes(), text))?;
    }
    change.commit()?;
    drop(bare);
    Ok(Connection::open_with_flags(
        &path,
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )?)
}

fn bare_read(bare: &Connection, id: RunId) -> rusqlite::Result<String> {
    let mut statement = bare.prepare_cached("SELECT body FROM status WHERE id = ?1")?;
    statement.query_row([id.to_bytes()], |row| row.get(0))
}
