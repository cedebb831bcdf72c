//! Stores in temporary directories, clocks that the test turns, and researches that grow by events.

use std::{
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicI64, AtomicU64, Ordering},
    },
    time::Duration,
};

use probity_research::{
    Event, OwnerId, RunId, RunState, Sequence, StoredEvent,
    agent::AgentName,
    cost::Cost,
    id::Fence,
    plan::{Plan, RunLimits},
    ports::{Journal, JournalEntry, JournalError, JournalWriter},
    progress::{Progress, ProgressLine},
    query::Query,
    status::RunSummary,
    stop::RunStop,
    time::Moment,
};
use probity_store::{Clocks, Store, StoreOptions};
use tempfile::TempDir;

/// When the first event of every run is written.
pub const ASKED_MS: i64 = 1_790_000_000_000;

/// Time as the test tells it.
#[derive(Debug, Clone, Default)]
pub struct Time {
    pub wall_ms: Arc<AtomicI64>,
    pub monotonic_ms: Arc<AtomicU64>,
}

impl Time {
    pub fn clocks(&self) -> Clocks {
        let (wall, monotonic) = (self.clone(), self.clone());
        Clocks {
            wall: Arc::new(move || Moment(wall.wall_ms.load(Ordering::Relaxed))),
            monotonic: Arc::new(move || {
                Duration::from_millis(monotonic.monotonic_ms.load(Ordering::Relaxed))
            }),
        }
    }

    pub fn pass(&self, milliseconds: u64) {
        self.monotonic_ms.fetch_add(milliseconds, Ordering::Relaxed);
        self.wall_ms.fetch_add(i64::try_from(milliseconds).unwrap(), Ordering::Relaxed);
    }
}

/// A data directory and the time in it.
pub struct World {
    pub root: TempDir,
    pub time: Time,
}

impl World {
    pub fn new() -> Self {
        let time = Time::default();
        // A while after these runs were asked for: anybody may take them.
        time.wall_ms.store(ASKED_MS + 60_000, Ordering::Relaxed);
        Self { root: tempfile::tempdir().unwrap(), time }
    }

    pub fn directory(&self) -> PathBuf {
        self.root.path().join("data")
    }

    pub fn database(&self) -> PathBuf {
        self.directory().join("probity.db")
    }

    pub fn options(&self, owner_bits: u128) -> StoreOptions {
        StoreOptions::new(owner_bits, self.time.clocks(), self.root.path().join("rescue"))
    }

    pub fn open(&self, owner_bits: u128) -> Store {
        Store::open(&self.directory(), self.options(owner_bits)).unwrap()
    }
}

/// Opens a directory that is not a `World`'s.
pub fn open_at(directory: &Path, owner_bits: u128) -> Result<Store, probity_research::CodedError> {
    Store::open(directory, StoreOptions::new(owner_bits, Time::default().clocks(), directory.join("rescue")))
}

pub fn id(number: u128) -> RunId {
    // Spread over the key space, as random ids are.
    RunId::from_random(number.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835))
}

pub fn owner(bits: u128) -> OwnerId {
    OwnerId::from_random(bits)
}

pub fn asked(question: &str) -> Event {
    Event::Asked {
        query: Query::parse(question).unwrap(),
        plan: Plan::new(AgentName::default(), RunLimits::new(Duration::from_secs(3600), None)),
    }
}

pub fn started(attempt: u32) -> Event {
    Event::RemoteStarted { attempt, remote_id: format!("remote-{attempt}"), cursor: None }
}

pub fn observed(searches: u32) -> Event {
    let news =
        (0..8).map(|n| ProgressLine::Search(format!("search number {searches} of kind {n}"))).collect();
    let progress = Progress {
        report_bytes_sent: None,
        remote_status: "in_progress".to_owned(),
        steps: searches,
        searches,
        news,
        ..Progress::default()
    };
    Event::Observed { progress, cursor: Some(format!("cursor-{searches}")) }
}

pub fn ended() -> Event {
    Event::Ended {
        stop: RunStop::Completed,
        report: None,
        raw: None,
        usage: None,
        cost: Cost::Unknown,
        problem: None,
        sources: 3,
        progress: None,
    }
}

/// A research and its journal, kept by the test beside the store.
#[derive(Debug, Clone)]
pub struct Truth {
    pub id: RunId,
    pub journal: Vec<StoredEvent>,
}

impl Truth {
    pub fn new(id: RunId) -> Self {
        Self { id, journal: Vec::new() }
    }

    pub fn sequence(&self) -> Sequence {
        Sequence(self.journal.len() as u64)
    }

    pub fn summary(&self) -> RunSummary {
        RunState::replay(self.id, &self.journal).unwrap().summary()
    }

    /// The entry that would add `event`, without adding it.
    pub fn entry(&self, writer: JournalWriter, event: Event) -> JournalEntry {
        let mut after = self.clone();
        let at = Moment(ASKED_MS + i64::try_from(self.journal.len()).unwrap() * 1000);
        let attended_ms = self.journal.len() as u64 * 500;
        after.journal.push(StoredEvent {
            sequence: self.sequence().next(),
            at,
            attended_ms,
            event: event.clone(),
        });
        JournalEntry {
            id: self.id,
            expected: self.sequence(),
            writer,
            at,
            attended_ms,
            event,
            summary: after.summary(),
        }
    }

    pub async fn append(
        &mut self,
        store: &impl Journal,
        writer: JournalWriter,
        event: Event,
    ) -> Result<Sequence, JournalError> {
        let entry = self.entry(writer, event.clone());
        let (at, attended_ms) = (entry.at, entry.attended_ms);
        let sequence = store.append(entry).await?;
        self.journal.push(StoredEvent { sequence, at, attended_ms, event });
        Ok(sequence)
    }

    pub async fn ask(store: &impl Journal, number: u128) -> Self {
        let mut truth = Self::new(id(number));
        let question = format!("Why is Question number {number} asked?");
        truth.append(store, JournalWriter::Client, asked(&question)).await.unwrap();
        truth
    }
}

pub fn driver(bits: u128, fence: u64) -> JournalWriter {
    JournalWriter::Driver(owner(bits), Fence(fence))
}

/// Small seeded generator: a failing trial is named by its seed.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        word ^ (word >> 31)
    }

    pub fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }
}
