//! Starts researches through the real store and the real driver, and tells on stdout what was
//! acknowledged: one line per event, one per kept report.

use std::{path::Path, sync::Arc, time::Duration};

use anyhow::Context;
use probity_research::{
    Digest, OwnerId, RunId, RunState, Sequence, StoredEvent,
    engine_call::{EngineCall, EngineOutcome, RemoteEnd, RemoteResult},
    error::{Code, CodedError},
    ports::{Engine, Journal, JournalEntry, JournalError, LeaseClaim, Leases},
    progress::Progress,
    query::Query,
    report::{Report, SourceLink},
};
use probity_runner::{LocalExecutor, RunService, RunnerSettings, SystemClock};
use probity_store::{Clocks, Store, StoreOptions};
use tokio_util::sync::CancellationToken;

use crate::{foundation::laptop::plan, output};

/// Researches under way at once: enough that commits are shared, few enough that every kind of event is
/// somewhere in the middle when the cut comes.
const UNDER_WAY_MAX: usize = 8;
/// Pause between two starts, so that an image of a few hundred MiB lasts for a while.
const START_PAUSE: Duration = Duration::from_millis(4);
/// Every so many reports one is too large for a row and becomes a file.
const LARGE_EVERY: u64 = 7;

/// Works until it is killed.
pub fn work(directory: &Path, seed: u64) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(async {
        let journal = PrintingStore(open(directory, seed)?);
        let researches = researches(journal, seed);
        let stop = CancellationToken::new();
        let starting = async {
            for number in 0_u64.. {
                while researches.executor().driven_count() >= UNDER_WAY_MAX {
                    tokio::time::sleep(START_PAUSE).await;
                }
                Box::pin(start(&researches, seed, number)).await?;
                tokio::time::sleep(START_PAUSE).await;
            }
            anyhow::Ok(())
        };
        tokio::select! {
            () = researches.executor().run(stop.clone()) => Ok(()),
            ended = starting => ended,
        }
    })
}

pub fn open(directory: &Path, seed: u64) -> anyhow::Result<Store> {
    let clocks = Clocks::of(Arc::new(SystemClock::default()));
    let options = StoreOptions::new(bits(seed, u64::MAX), clocks, directory.join("rescued"));
    Store::open(directory, options).with_context(|| format!("opening the store in {}", directory.display()))
}

pub fn researches<J>(journal: J, seed: u64) -> RunService<LocalExecutor<J, InstantEngine, SystemClock>>
where
    J: Journal + Leases + 'static,
{
    let settings = RunnerSettings { starts_per_second: 1e9, ..RunnerSettings::default() };
    let owner = OwnerId::from_random(bits(seed, u64::MAX));
    RunService::new(LocalExecutor::new(journal, InstantEngine, SystemClock::default(), owner, settings))
}

pub async fn start<J>(
    researches: &RunService<LocalExecutor<J, InstantEngine, SystemClock>>,
    seed: u64,
    number: u64,
) -> anyhow::Result<RunId>
where
    J: Journal + Leases + 'static,
{
    let id = RunId::from_random(bits(seed, number));
    let query = Query::parse(&format!("question {number} of {seed}: why is the sky blue?"))?;
    researches.start(id, query, plan()).await?;
    Ok(id)
}

/// 128 bits that depend on both numbers; not random, only different.
pub fn bits(seed: u64, number: u64) -> u128 {
    let low = scramble(seed ^ scramble(number));
    (u128::from(scramble(low ^ 0x5bd1_e995)) << 64) | u128::from(low)
}

/// One step of SplitMix64.
pub fn scramble(number: u64) -> u64 {
    let mut word = number.wrapping_add(0x9E37_79B9_7F4A_7C15);
    word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    word ^ (word >> 31)
}

/// A provider that accepts at once and has the report at the first look.
pub struct InstantEngine;

impl Engine for InstantEngine {
    async fn perform(&self, research: &RunState, call: &EngineCall) -> EngineOutcome {
        match call {
            EngineCall::Create { .. } | EngineCall::Ask(_) => {
                EngineOutcome::Started { remote_id: format!("v1_{}", research.id), cursor: None }
            }
            EngineCall::Follow { .. } | EngineCall::Collect { .. } => {
                EngineOutcome::Finished(Box::new(finished(research.id)))
            }
            EngineCall::Web(call) => {
                call.refused(CodedError::new(Code::UnknownEngine, "nothing of the kind is asked here")).into()
            }
            EngineCall::Check(call) => {
                call.refused(CodedError::new(Code::UnknownEngine, "nothing of the kind is asked here")).into()
            }
            EngineCall::Cancel { .. } => EngineOutcome::CancelAccepted,
        }
    }
}

/// A report whose size depends on the id: most go into a row, some into a file of their own.
fn finished(id: RunId) -> RemoteResult {
    let word = u64::from_be_bytes(id.to_bytes().first_chunk().copied().unwrap_or_default());
    let sentences = if word.is_multiple_of(LARGE_EVERY) { 2_500 } else { 30 + word % 100 };
    let sentence = format!("{id} says that blue light is scattered most. ");
    let source = SourceLink { url: format!("https://example.com/{id}"), title: id.to_string() };
    RemoteResult {
        end: RemoteEnd::Completed,
        report: Report {
            text: sentence.repeat(usize::try_from(sentences).unwrap_or(1)),
            sources: vec![source],
            ..Report::default()
        },
        usage: None,
        progress: Progress::default(),
        problem: None,
        raw: format!("{{\"id\":\"v1_{id}\"}}").into_bytes(),
    }
}

/// The store, and a line on stdout for everything it acknowledged.
#[derive(Clone)]
pub struct PrintingStore(pub Store);

impl Journal for PrintingStore {
    async fn load(&self, id: RunId) -> Result<Vec<StoredEvent>, JournalError> {
        self.0.load(id).await
    }

    async fn append(&self, entry: JournalEntry) -> Result<Sequence, JournalError> {
        let (id, event) = (entry.id, entry.event.encode().unwrap_or_default());
        let sequence = self.0.append(entry).await?;
        output::line(&format!("event {id} {} {event}", sequence.0));
        Ok(sequence)
    }

    async fn store_blob(&self, bytes: Vec<u8>) -> Result<Digest, JournalError> {
        let digest = self.0.store_blob(bytes).await?;
        output::line(&format!("kept {digest}"));
        Ok(digest)
    }

    async fn fetch_blob(&self, digest: Digest) -> Result<Vec<u8>, JournalError> {
        self.0.fetch_blob(digest).await
    }

    async fn write_rescue_file(&self, id: RunId, markdown: String) -> Result<String, CodedError> {
        self.0.write_rescue_file(id, markdown).await
    }
}

impl Leases for PrintingStore {
    async fn heartbeat(&self, owner: OwnerId) -> Result<(), JournalError> {
        self.0.heartbeat(owner).await
    }

    async fn claim_due(&self, owner: OwnerId, room: usize) -> Result<Vec<LeaseClaim>, JournalError> {
        self.0.claim_due(owner, room).await
    }

    async fn release(&self, owner: OwnerId, claim: LeaseClaim) -> Result<(), JournalError> {
        self.0.release(owner, claim).await
    }

    async fn runs_with_commands(&self, owner: OwnerId) -> Result<Vec<RunId>, JournalError> {
        self.0.runs_with_commands(owner).await
    }
}
