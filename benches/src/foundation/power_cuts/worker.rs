//! Starts researches through the real store and the real driver, and tells on stdout what was
//! acknowledged: one line per event, one per kept report.

use std::{path::Path, sync::Arc, time::Duration};

use anyhow::Context;
use probity_research::{
    Digest, OwnerId, Recorded, Research, ResearchId, Sequence,
    error::{Code, Problem},
    finding::{Call, Finding, Finished, RemoteEnd},
    progress::Progress,
    query::Query,
    report::{Report, SourceLink},
    seams::{Claim, Engine, Entry, Journal, JournalError, Leases},
};
use probity_runner::{LocalExecutor, Researches, RunnerSettings, SystemClock};
use probity_store::{Clocks, OpenOptions, Store};
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
        let journal = Telling(open(directory, seed)?);
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
    let options = OpenOptions::new(bits(seed, u64::MAX), clocks, directory.join("rescued"));
    Store::open(directory, options).with_context(|| format!("opening the store in {}", directory.display()))
}

pub fn researches<J>(journal: J, seed: u64) -> Researches<LocalExecutor<J, Scripted, SystemClock>>
where
    J: Journal + Leases + 'static,
{
    let settings = RunnerSettings { starts_per_second: 1e9, ..RunnerSettings::default() };
    let owner = OwnerId::from_random(bits(seed, u64::MAX));
    Researches::new(LocalExecutor::new(journal, Scripted, SystemClock::default(), owner, settings))
}

pub async fn start<J>(
    researches: &Researches<LocalExecutor<J, Scripted, SystemClock>>,
    seed: u64,
    number: u64,
) -> anyhow::Result<ResearchId>
where
    J: Journal + Leases + 'static,
{
    let id = ResearchId::from_random(bits(seed, number));
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
pub struct Scripted;

impl Engine for Scripted {
    async fn perform(&self, research: &Research, call: &Call) -> Finding {
        match call {
            Call::Create { .. } | Call::Ask(_) => {
                Finding::Started { remote_id: format!("v1_{}", research.id), cursor: None }
            }
            Call::Follow { .. } | Call::Collect { .. } => Finding::Finished(Box::new(finished(research.id))),
            Call::Web(call) => {
                call.refused(Problem::new(Code::UnknownEngine, "nothing of the kind is asked here"))
            }
            Call::Check(call) => {
                call.refused(Problem::new(Code::UnknownEngine, "nothing of the kind is asked here"))
            }
            Call::Cancel { .. } => Finding::CancelAccepted,
        }
    }
}

/// A report whose size depends on the id: most go into a row, some into a file of their own.
fn finished(id: ResearchId) -> Finished {
    let word = u64::from_be_bytes(id.to_bytes().first_chunk().copied().unwrap_or_default());
    let sentences = if word.is_multiple_of(LARGE_EVERY) { 2_500 } else { 30 + word % 100 };
    let sentence = format!("{id} says that blue light is scattered most. ");
    let source = SourceLink { url: format!("https://example.com/{id}"), title: id.to_string() };
    Finished {
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
pub struct Telling(pub Store);

impl Journal for Telling {
    async fn load(&self, id: ResearchId) -> Result<Vec<Recorded>, JournalError> {
        self.0.load(id).await
    }

    async fn append(&self, entry: Entry) -> Result<Sequence, JournalError> {
        let (id, event) = (entry.id, entry.event.encode().unwrap_or_default());
        let sequence = self.0.append(entry).await?;
        output::line(&format!("event {id} {} {event}", sequence.0));
        Ok(sequence)
    }

    async fn keep(&self, bytes: Vec<u8>) -> Result<Digest, JournalError> {
        let digest = self.0.keep(bytes).await?;
        output::line(&format!("kept {digest}"));
        Ok(digest)
    }

    async fn fetch(&self, digest: Digest) -> Result<Vec<u8>, JournalError> {
        self.0.fetch(digest).await
    }

    async fn rescue(&self, id: ResearchId, markdown: String) -> Result<String, Problem> {
        self.0.rescue(id, markdown).await
    }
}

impl Leases for Telling {
    async fn beat(&self, owner: OwnerId) -> Result<(), JournalError> {
        self.0.beat(owner).await
    }

    async fn claim_due(&self, owner: OwnerId, room: usize) -> Result<Vec<Claim>, JournalError> {
        self.0.claim_due(owner, room).await
    }

    async fn release(&self, owner: OwnerId, claim: Claim) -> Result<(), JournalError> {
        self.0.release(owner, claim).await
    }

    async fn called(&self, owner: OwnerId) -> Result<Vec<ResearchId>, JournalError> {
        self.0.called(owner).await
    }
}
