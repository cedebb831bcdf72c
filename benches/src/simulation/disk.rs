//! A journal and leases in memory, with the meaning of the real store. What was acknowledged survives every
//! crash; an append under way at a crash may or may not have happened.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use probity_research::{
    Code, CodedError, Digest, Fence, OwnerId, RunId, Sequence, StoredEvent,
    ports::{Clock, Journal, JournalEntry, JournalError, JournalWriter, LeaseClaim, Leases},
    status::RunSummary,
};

use super::{clock::SimulatedClock, process_life::ProcessLife, simulation_random::SimulationRandom};

/// As the real store: an owner that is silent for longer, by the watcher's own monotonic clock, has lost its
/// claims. No wall clock is compared between processes.
const LEASE: Duration = Duration::from_secs(30);

#[derive(Default)]
pub struct SimulatedDisk {
    rows: BTreeMap<RunId, SimulatedRunRow>,
    blobs: BTreeMap<Digest, Vec<u8>>,
    beats: BTreeMap<OwnerId, u64>,
}

struct SimulatedRunRow {
    events: Vec<StoredEvent>,
    summary: RunSummary,
    owner: Option<OwnerId>,
    fence: u64,
    called: bool,
}

/// The disk as one process reaches it.
#[derive(Clone)]
pub struct SimulatedStore {
    pub disk: Arc<Mutex<SimulatedDisk>>,
    pub clock: SimulatedClock,
    pub dice: SimulationRandom,
    pub life: ProcessLife,
    /// The last beat that this process saw of each owner, and when.
    pub seen: Arc<Mutex<BTreeMap<OwnerId, (u64, Duration)>>>,
}

impl SimulatedStore {
    /// Owners whose beat changed within the lease, as far as this process has seen.
    fn living(&self) -> BTreeSet<OwnerId> {
        let now = self.clock.monotonic();
        let beats = self.lock().beats.clone();
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        for (owner, beat) in beats {
            let known = seen.entry(owner).or_insert((beat, now));
            if known.0 != beat {
                *known = (beat, now);
            }
        }
        seen.iter().filter(|(_, (_, at))| now.saturating_sub(*at) <= LEASE).map(|(owner, _)| *owner).collect()
    }

    fn lock(&self) -> MutexGuard<'_, SimulatedDisk> {
        self.disk.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn summaries(&self) -> Vec<RunSummary> {
        self.lock().rows.values().map(|row| row.summary.clone()).collect()
    }

    pub fn blob(&self, digest: Digest) -> Option<Vec<u8>> {
        self.lock().blobs.get(&digest).cloned()
    }

    /// Time passes around every write, and a process may die on either side of it.
    async fn spend_time(&self) {
        self.life.needed().await;
        tokio::time::sleep(Duration::from_millis(self.dice.within(0..15))).await;
        self.life.needed().await;
    }
}

impl SimulatedDisk {
    fn append(&mut self, entry: JournalEntry) -> Result<Sequence, JournalError> {
        let recorded = StoredEvent {
            sequence: entry.expected.next(),
            at: entry.at,
            attended_ms: entry.attended_ms,
            event: entry.event,
        };
        let Some(row) = self.rows.get_mut(&entry.id) else {
            if entry.expected != Sequence(0) {
                return Err(CodedError::new(Code::NotFound, "no such research").into());
            }
            let row = SimulatedRunRow {
                events: vec![recorded],
                summary: entry.summary,
                owner: None,
                fence: 0,
                called: false,
            };
            self.rows.insert(entry.id, row);
            return Ok(Sequence(1));
        };
        if let JournalWriter::Driver(owner, fence) = entry.writer
            && (row.owner != Some(owner) || row.fence != fence.0)
        {
            return Err(JournalError::Fenced);
        }
        if row.events.len() as u64 != entry.expected.0 {
            return Err(JournalError::Conflict);
        }
        let sequence = recorded.sequence;
        row.events.push(recorded);
        row.called |= entry.writer == JournalWriter::Client && row.owner.is_some();
        if !entry.summary.due {
            row.owner = None;
        }
        row.summary = entry.summary;
        Ok(sequence)
    }

    fn claim(&mut self, owner: OwnerId, living: &BTreeSet<OwnerId>, room: usize) -> Vec<LeaseClaim> {
        let free = |row: &SimulatedRunRow| {
            row.summary.due && row.owner.is_none_or(|holder| !living.contains(&holder))
        };
        let mut claims = Vec::new();
        for (id, row) in self.rows.iter_mut().filter(|(_, row)| free(row)).take(room) {
            row.owner = Some(owner);
            row.fence += 1;
            claims.push(LeaseClaim { id: *id, fence: Fence(row.fence) });
        }
        claims
    }
}

impl Journal for SimulatedStore {
    async fn load(&self, id: RunId) -> Result<Vec<StoredEvent>, JournalError> {
        self.life.needed().await;
        let events = self.lock().rows.get(&id).map(|row| row.events.clone());
        events.ok_or_else(|| CodedError::new(Code::NotFound, "no such research").into())
    }

    async fn append(&self, entry: JournalEntry) -> Result<Sequence, JournalError> {
        self.spend_time().await;
        if self.dice.chance(1) {
            return Err(CodedError::new(Code::StoreBusy, "a simulated busy disk").into());
        }
        let appended = self.lock().append(entry);
        self.spend_time().await;
        appended
    }

    async fn store_blob(&self, bytes: Vec<u8>) -> Result<Digest, JournalError> {
        self.spend_time().await;
        let digest = digest(&bytes);
        self.lock().blobs.insert(digest, bytes);
        self.spend_time().await;
        Ok(digest)
    }

    async fn fetch_blob(&self, digest: Digest) -> Result<Vec<u8>, JournalError> {
        self.blob(digest)
            .ok_or_else(|| CodedError::new(Code::StoreCorrupt, "a digest without its bytes").into())
    }

    async fn write_rescue_file(&self, _: RunId, _: String) -> Result<String, CodedError> {
        Err(CodedError::new(Code::StoreFailed, "there is no other disk in this simulation"))
    }
}

impl Leases for SimulatedStore {
    async fn heartbeat(&self, owner: OwnerId) -> Result<(), JournalError> {
        self.spend_time().await;
        *self.lock().beats.entry(owner).or_default() += 1;
        Ok(())
    }

    async fn claim_due(&self, owner: OwnerId, room: usize) -> Result<Vec<LeaseClaim>, JournalError> {
        self.life.needed().await;
        let living = self.living();
        Ok(self.lock().claim(owner, &living, room))
    }

    async fn release(&self, owner: OwnerId, claim: LeaseClaim) -> Result<(), JournalError> {
        self.spend_time().await;
        if let Some(row) = self.lock().rows.get_mut(&claim.id)
            && row.owner == Some(owner)
            && row.fence == claim.fence.0
        {
            row.owner = None;
        }
        Ok(())
    }

    async fn runs_with_commands(&self, owner: OwnerId) -> Result<Vec<RunId>, JournalError> {
        self.life.needed().await;
        let mut disk = self.lock();
        let mine = disk.rows.iter_mut().filter(|(_, row)| row.owner == Some(owner) && row.called);
        Ok(mine
            .map(|(id, row)| {
                row.called = false;
                *id
            })
            .collect())
    }
}

/// Any function of the bytes will do here; the real store uses BLAKE3.
fn digest(bytes: &[u8]) -> Digest {
    let mut state = [0xCBF2_9CE4_8422_2325_u64, 1, 2, 3];
    for byte in bytes {
        for (lane, word) in state.iter_mut().enumerate() {
            *word = (*word ^ u64::from(*byte) ^ lane as u64).wrapping_mul(0x0000_0100_0000_01B3);
        }
    }
    let mut digest = [0_u8; 32];
    for (target, word) in digest.chunks_exact_mut(8).zip(state) {
        target.copy_from_slice(&word.to_be_bytes());
    }
    Digest(digest)
}
