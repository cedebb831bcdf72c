//! A journal and leases in memory, with the meaning of the real store. What was acknowledged survives every
//! crash; an append under way at a crash may or may not have happened.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use probity_research::{
    Code, Digest, Fence, OwnerId, Problem, Recorded, ResearchId, Sequence,
    seams::{Claim, Clock, Entry, Journal, JournalError, Leases, Writer},
    status::Summary,
};

use super::{clock::SimulatedClock, dice::Dice, life::Life};

/// As the real store: an owner that is silent for longer, by the watcher's own monotonic clock, has lost its
/// claims. No wall clock is compared between processes.
const LEASE: Duration = Duration::from_secs(30);

#[derive(Default)]
pub struct Disk {
    rows: BTreeMap<ResearchId, Row>,
    blobs: BTreeMap<Digest, Vec<u8>>,
    beats: BTreeMap<OwnerId, u64>,
}

struct Row {
    events: Vec<Recorded>,
    summary: Summary,
    owner: Option<OwnerId>,
    fence: u64,
    called: bool,
}

/// The disk as one process reaches it.
#[derive(Clone)]
pub struct SimulatedStore {
    pub disk: Arc<Mutex<Disk>>,
    pub clock: SimulatedClock,
    pub dice: Dice,
    pub life: Life,
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

    fn lock(&self) -> MutexGuard<'_, Disk> {
        self.disk.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn summaries(&self) -> Vec<Summary> {
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

impl Disk {
    fn append(&mut self, entry: Entry) -> Result<Sequence, JournalError> {
        let recorded = Recorded {
            sequence: entry.expected.next(),
            at: entry.at,
            attended_ms: entry.attended_ms,
            event: entry.event,
        };
        let Some(row) = self.rows.get_mut(&entry.id) else {
            if entry.expected != Sequence(0) {
                return Err(Problem::new(Code::NotFound, "no such research").into());
            }
            let row =
                Row { events: vec![recorded], summary: entry.summary, owner: None, fence: 0, called: false };
            self.rows.insert(entry.id, row);
            return Ok(Sequence(1));
        };
        if let Writer::Driver(owner, fence) = entry.writer
            && (row.owner != Some(owner) || row.fence != fence.0)
        {
            return Err(JournalError::Fenced);
        }
        if row.events.len() as u64 != entry.expected.0 {
            return Err(JournalError::Conflict);
        }
        let sequence = recorded.sequence;
        row.events.push(recorded);
        row.called |= entry.writer == Writer::Guest && row.owner.is_some();
        if !entry.summary.due {
            row.owner = None;
        }
        row.summary = entry.summary;
        Ok(sequence)
    }

    fn claim(&mut self, owner: OwnerId, living: &BTreeSet<OwnerId>, room: usize) -> Vec<Claim> {
        let free = |row: &Row| row.summary.due && row.owner.is_none_or(|holder| !living.contains(&holder));
        let mut claims = Vec::new();
        for (id, row) in self.rows.iter_mut().filter(|(_, row)| free(row)).take(room) {
            row.owner = Some(owner);
            row.fence += 1;
            claims.push(Claim { id: *id, fence: Fence(row.fence) });
        }
        claims
    }
}

impl Journal for SimulatedStore {
    async fn load(&self, id: ResearchId) -> Result<Vec<Recorded>, JournalError> {
        self.life.needed().await;
        let events = self.lock().rows.get(&id).map(|row| row.events.clone());
        events.ok_or_else(|| Problem::new(Code::NotFound, "no such research").into())
    }

    async fn append(&self, entry: Entry) -> Result<Sequence, JournalError> {
        self.spend_time().await;
        if self.dice.chance(1) {
            return Err(Problem::new(Code::StoreBusy, "a simulated busy disk").into());
        }
        let appended = self.lock().append(entry);
        self.spend_time().await;
        appended
    }

    async fn keep(&self, bytes: Vec<u8>) -> Result<Digest, JournalError> {
        self.spend_time().await;
        let digest = digest(&bytes);
        self.lock().blobs.insert(digest, bytes);
        self.spend_time().await;
        Ok(digest)
    }

    async fn fetch(&self, digest: Digest) -> Result<Vec<u8>, JournalError> {
        self.blob(digest).ok_or_else(|| Problem::new(Code::StoreCorrupt, "a digest without its bytes").into())
    }

    async fn rescue(&self, _: ResearchId, _: String) -> Result<String, Problem> {
        Err(Problem::new(Code::StoreFailed, "there is no other disk in this simulation"))
    }
}

impl Leases for SimulatedStore {
    async fn beat(&self, owner: OwnerId) -> Result<(), JournalError> {
        self.spend_time().await;
        *self.lock().beats.entry(owner).or_default() += 1;
        Ok(())
    }

    async fn claim_due(&self, owner: OwnerId, room: usize) -> Result<Vec<Claim>, JournalError> {
        self.life.needed().await;
        let living = self.living();
        Ok(self.lock().claim(owner, &living, room))
    }

    async fn release(&self, owner: OwnerId, claim: Claim) -> Result<(), JournalError> {
        self.spend_time().await;
        if let Some(row) = self.lock().rows.get_mut(&claim.id)
            && row.owner == Some(owner)
            && row.fence == claim.fence.0
        {
            row.owner = None;
        }
        Ok(())
    }

    async fn called(&self, owner: OwnerId) -> Result<Vec<ResearchId>, JournalError> {
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
