//! A library of finished researches, written through the real store.

use std::{path::Path, sync::Arc};

use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use probity_research::{
    Event, RunId, RunState, Sequence, StoredEvent,
    cost::{Cost, MicroUsd, Usage},
    ports::{Journal as _, JournalEntry, JournalWriter},
    query::Query,
    stop::RunStop,
    time::Moment,
};
use probity_runner::SystemClock;
use probity_store::{Clocks, Store, StoreOptions};

use crate::{
    foundation::laptop::{plan, random},
    output,
};

/// Written at the same time, so that the store commits them together.
const AT_ONCE: usize = 1_000;
/// When they were asked; any moment does.
const ASKED: Moment = Moment(1_790_000_000_000);

/// `count` finished researches in `directory`, and their ids.
pub fn fill(directory: &Path, count: usize) -> anyhow::Result<Vec<RunId>> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let clock = SystemClock::default();
    let options = StoreOptions::new(random(), Clocks::of(Arc::new(clock)), directory.join("rescue"));
    let store = Store::open(directory, options)?;
    let writing = stream::iter(0..count).map(|number| finished(&store, number)).buffer_unordered(AT_ONCE);
    let ids: Vec<RunId> = runtime.block_on(writing.try_collect())?;
    output::progress(&format!("{} researches stored", ids.len()));
    Ok(ids)
}

async fn finished(store: &Store, number: usize) -> anyhow::Result<RunId> {
    let id = RunId::from_random(random());
    let question = format!("question {number}: how do the tides in a narrow bay depend on its shape?");
    let asked = Event::Asked { query: Query::parse(&question)?, plan: plan() };
    let usage = Usage { input_tokens: 250_000, output_tokens: 60_000, searches: 80, ..Usage::default() };
    let ended = Event::Ended {
        stop: RunStop::Completed,
        report: None,
        raw: None,
        usage: Some(usage),
        cost: Cost::FromUsage(MicroUsd(2_070_000)),
        problem: None,
        sources: 12,
        progress: None,
    };
    let mut events = Vec::new();
    for (event, at) in [(asked, ASKED), (ended, ASKED.plus_ms(600_000))] {
        let expected = Sequence(events.len() as u64);
        let sequence = Sequence(expected.0 + 1);
        events.push(StoredEvent { sequence, at, attended_ms: 0, event: event.clone() });
        let summary = RunState::replay(id, &events)?.summary();
        store
            .append(JournalEntry {
                id,
                expected,
                writer: JournalWriter::Client,
                at,
                attended_ms: 0,
                event,
                summary,
            })
            .await?;
    }
    Ok(id)
}
