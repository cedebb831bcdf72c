//! One suite, two stores: what a journal, its claims and its lists mean, on a laptop and in a fleet.

use std::{collections::HashSet, future::Future, path::PathBuf};

use probity_research::{
    Code, CodedError, Digest, Fence, RunId, StoredEvent,
    ports::{Journal, JournalError, JournalWriter, LeaseClaim, Leases},
    status::{RunStatus, RunSummary},
    time::Moment,
};
use probity_store::{CLAIMS_MAX, IntegrityDepth, LEASE, ListFilter, Postgres, ROW_BYTES_MAX, Store};

use crate::{
    postgres_server::{self, Database},
    world::{Truth, World, asked, driver, ended, id, observed, owner, started},
};

/// A store with its lists.
trait Library: Journal + Leases + Clone + 'static {
    fn status(&self, id: RunId) -> impl Future<Output = Result<RunSummary, CodedError>> + Send;
    fn list(&self, filter: ListFilter) -> impl Future<Output = Result<Vec<RunSummary>, CodedError>> + Send;
    fn counts(&self) -> impl Future<Output = Result<Vec<(RunStatus, u64)>, CodedError>> + Send;
    fn latest(&self) -> impl Future<Output = Result<Option<RunSummary>, CodedError>> + Send;
    fn has_due(&self) -> impl Future<Output = Result<bool, CodedError>> + Send;
    fn find_by_prefix(&self, text: &str) -> impl Future<Output = Result<RunId, CodedError>> + Send;
    /// Reads everything and says how many events there are.
    fn audit(&self) -> impl Future<Output = u64> + Send;
}

/// Where stores are opened that share everything.
trait Place: Sized {
    type Store: Library;
    /// `None` where this kind of store cannot be had.
    fn new() -> impl Future<Output = Option<Self>>;
    fn open(&self, owner_bits: u128) -> impl Future<Output = Self::Store>;
    fn rescue_directory(&self) -> PathBuf;
    /// Makes every owner silent for longer than the lease.
    fn pass_lease(&self);
}

impl Library for Store {
    async fn status(&self, id: RunId) -> Result<RunSummary, CodedError> {
        Store::status(self, id)
    }
    async fn list(&self, filter: ListFilter) -> Result<Vec<RunSummary>, CodedError> {
        Store::list(self, &filter)
    }
    async fn counts(&self) -> Result<Vec<(RunStatus, u64)>, CodedError> {
        Store::counts(self)
    }
    async fn latest(&self) -> Result<Option<RunSummary>, CodedError> {
        Store::latest(self)
    }
    async fn has_due(&self) -> Result<bool, CodedError> {
        Store::has_due(self)
    }
    async fn find_by_prefix(&self, text: &str) -> Result<RunId, CodedError> {
        Store::find_by_prefix(self, text)
    }
    async fn audit(&self) -> u64 {
        Store::check_integrity(self, IntegrityDepth::Everything).unwrap().events
    }
}

impl Place for World {
    type Store = Store;
    async fn new() -> Option<Self> {
        Some(World::new())
    }
    async fn open(&self, owner_bits: u128) -> Store {
        World::open(self, owner_bits)
    }
    fn rescue_directory(&self) -> PathBuf {
        self.root.path().join("rescue")
    }
    fn pass_lease(&self) {
        self.time.pass(u64::try_from(LEASE.as_millis()).unwrap() + 1);
    }
}

impl Library for Postgres {
    async fn status(&self, id: RunId) -> Result<RunSummary, CodedError> {
        Postgres::status(self, id).await
    }
    async fn list(&self, filter: ListFilter) -> Result<Vec<RunSummary>, CodedError> {
        Postgres::list(self, &filter).await
    }
    async fn counts(&self) -> Result<Vec<(RunStatus, u64)>, CodedError> {
        Postgres::counts(self).await
    }
    async fn latest(&self) -> Result<Option<RunSummary>, CodedError> {
        Postgres::latest(self).await
    }
    async fn has_due(&self) -> Result<bool, CodedError> {
        Postgres::has_due(self).await
    }
    async fn find_by_prefix(&self, text: &str) -> Result<RunId, CodedError> {
        Postgres::find_by_prefix(self, text).await
    }
    async fn audit(&self) -> u64 {
        let all = Postgres::list(self, &ListFilter { limit: 500, ..ListFilter::default() }).await.unwrap();
        let mut events = 0;
        for summary in all {
            let journal = self.load(summary.id).await.unwrap();
            assert_eq!(Truth { id: summary.id, journal: journal.clone() }.summary(), summary);
            events += journal.len() as u64;
        }
        events
    }
}

struct Shared {
    server: &'static postgres_server::Server,
    database: Database,
}

impl Place for Shared {
    type Store = Postgres;
    async fn new() -> Option<Self> {
        let server = postgres_server::shared()?;
        Some(Self { server, database: server.fresh().await })
    }
    async fn open(&self, owner_bits: u128) -> Postgres {
        self.database.open(owner_bits).await
    }
    fn rescue_directory(&self) -> PathBuf {
        self.database.files.path().join("rescue")
    }
    fn pass_lease(&self) {
        let sql = format!("UPDATE owner SET beat_at = beat_at - interval '{} s'", LEASE.as_secs());
        self.server.sql(&self.database.name, &sql);
    }
}

macro_rules! for_both {
    ($($name:ident;)*) => {
        mod laptop {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() {
                Box::pin(super::$name::<super::World>()).await;
            })*
        }
        mod fleet {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() {
                Box::pin(super::$name::<super::Shared>()).await;
            })*
        }
    };
}

for_both! {
    what_was_appended_is_loaded_also_by_the_next_process;
    an_unknown_research_is_not_found;
    the_second_of_two_appends_to_one_place_is_a_conflict;
    of_many_that_append_at_once_exactly_one_wins;
    only_the_driver_with_the_claim_may_append;
    kept_bytes_come_back_whole_small_and_large;
    a_report_that_the_journal_cannot_take_is_rescued;
    due_researches_are_claimed_once_oldest_first_and_at_most_as_many_as_asked_for;
    a_released_claim_can_be_taken_and_the_old_driver_is_refused;
    work_is_due_until_the_last_research_has_ended;
    a_guest_calls_the_driver_once;
    an_owner_that_falls_silent_loses_its_claims_and_its_appends_are_refused;
    an_owner_that_beats_keeps_its_claims;
    four_stores_share_the_work_without_a_double_claim;
    a_large_room_is_filled_in_turns;
    lists_show_the_newest_change_first_and_filter;
    an_empty_store_lists_nothing;
    the_first_digits_of_an_id_are_enough_when_they_fit_one;
}

async fn what_was_appended_is_loaded_also_by_the_next_process<P: Place>() {
    let Some(place) = P::new().await else { return };
    let store = place.open(1).await;
    let mut truth = Truth::ask(&store, 1).await;
    for event in [started(1), observed(3), observed(9), ended()] {
        truth.append(&store, JournalWriter::Client, event).await.unwrap();
    }
    assert_eq!(store.load(truth.id).await.unwrap(), truth.journal);
    drop(store);
    let store = place.open(2).await;
    assert_eq!(store.load(truth.id).await.unwrap(), truth.journal);
    assert_eq!(store.status(truth.id).await.unwrap(), truth.summary());
    assert_eq!(store.audit().await, 5);
}

async fn an_unknown_research_is_not_found<P: Place>() {
    let Some(place) = P::new().await else { return };
    let store = place.open(1).await;
    assert_eq!(store.status(id(7)).await.unwrap_err().code, Code::NotFound);
    assert_eq!(store.load(id(7)).await.unwrap_err().code(), Code::NotFound);
}

async fn the_second_of_two_appends_to_one_place_is_a_conflict<P: Place>() {
    let Some(place) = P::new().await else { return };
    let store = place.open(1).await;
    let mut truth = Truth::ask(&store, 1).await;
    let late = truth.entry(JournalWriter::Client, started(2));
    truth.append(&store, JournalWriter::Client, started(1)).await.unwrap();
    assert_eq!(store.append(late).await, Err(JournalError::Conflict));
    let again = Truth::new(truth.id).entry(JournalWriter::Client, asked("once more?"));
    assert_eq!(store.append(again).await, Err(JournalError::Conflict));
    let ahead =
        Truth { id: id(99), journal: truth.journal.clone() }.entry(JournalWriter::Client, observed(1));
    assert_eq!(store.append(ahead).await, Err(JournalError::Conflict));
    assert_eq!(store.load(truth.id).await.unwrap(), truth.journal);
}

async fn of_many_that_append_at_once_exactly_one_wins<P: Place>() {
    let Some(place) = P::new().await else { return };
    let stores = [place.open(1).await, place.open(2).await];
    let mut truth = Truth::new(id(1));
    for round in 0..12 {
        let mut racing = Vec::new();
        for number in 0..8_u32 {
            let event = match round {
                0 => asked(&format!("question {number}?")),
                1 => started(number + 1),
                _ => observed(number),
            };
            let entry = truth.entry(JournalWriter::Client, event);
            let store = stores[number as usize % 2].clone();
            racing.push(tokio::spawn(async move { (entry.clone(), store.append(entry).await) }));
        }
        let mut won = Vec::new();
        for racer in racing {
            let (entry, outcome) = racer.await.unwrap();
            match outcome {
                Ok(sequence) => won.push(StoredEvent {
                    sequence,
                    at: entry.at,
                    attended_ms: entry.attended_ms,
                    event: entry.event,
                }),
                Err(error) => assert_eq!(error, JournalError::Conflict),
            }
        }
        assert_eq!(won.len(), 1, "round {round}");
        truth.journal.append(&mut won);
        for store in &stores {
            assert_eq!(store.load(truth.id).await.unwrap(), truth.journal);
        }
    }
}

async fn only_the_driver_with_the_claim_may_append<P: Place>() {
    let Some(place) = P::new().await else { return };
    let store = place.open(1).await;
    let mut truth = Truth::ask(&store, 1).await;
    let before = truth.entry(driver(1, 1), started(1));
    assert_eq!(store.append(before.clone()).await, Err(JournalError::Fenced));
    assert_eq!(store.claim_due(owner(1), 5).await.unwrap().len(), 1);
    for stranger in [driver(2, 1), driver(1, 0), driver(1, 2)] {
        assert_eq!(store.append(truth.entry(stranger, started(1))).await, Err(JournalError::Fenced));
    }
    truth.append(&store, driver(1, 1), started(1)).await.unwrap();
    // The end gives the claim back in the same commit.
    truth.append(&store, driver(1, 1), ended()).await.unwrap();
    assert_eq!(store.append(truth.entry(driver(1, 1), observed(1))).await, Err(JournalError::Fenced));
    assert_eq!(store.load(truth.id).await.unwrap(), truth.journal);
}

async fn kept_bytes_come_back_whole_small_and_large<P: Place>() {
    let Some(place) = P::new().await else { return };
    let (store, other) = (place.open(1).await, place.open(2).await);
    for size in [0, 1, ROW_BYTES_MAX, ROW_BYTES_MAX + 1, 3_000_000] {
        let bytes: Vec<u8> = (0..size).map(|n| (n % 251) as u8).collect();
        let digest = store.store_blob(bytes.clone()).await.unwrap();
        assert_eq!(other.store_blob(bytes.clone()).await.unwrap(), digest);
        assert_eq!(other.fetch_blob(digest).await.unwrap(), bytes);
    }
    assert_eq!(store.fetch_blob(Digest([7; 32])).await.unwrap_err().code(), Code::StoreCorrupt);
}

async fn a_report_that_the_journal_cannot_take_is_rescued<P: Place>() {
    let Some(place) = P::new().await else { return };
    let store = place.open(1).await;
    let path = store.write_rescue_file(id(1), "# found\n".to_owned()).await.unwrap();
    let expected = place.rescue_directory().join(format!("probity-rescue-{}.md", id(1)));
    assert_eq!(path, expected.display().to_string());
    store.write_rescue_file(id(1), "# found more\n".to_owned()).await.unwrap();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "# found more\n");
}

async fn due_researches_are_claimed_once_oldest_first_and_at_most_as_many_as_asked_for<P: Place>() {
    let Some(place) = P::new().await else { return };
    let (first, second) = (place.open(1).await, place.open(2).await);
    let mut truths = Vec::new();
    for number in 0..5 {
        truths.push(Truth::ask(&first, number).await);
    }
    truths[1].append(&first, JournalWriter::Client, ended()).await.unwrap();
    let claim = |truth: &Truth| LeaseClaim { id: truth.id, fence: Fence(1) };
    assert_eq!(first.claim_due(owner(1), 0).await.unwrap(), []);
    assert_eq!(first.claim_due(owner(1), 2).await.unwrap(), [claim(&truths[0]), claim(&truths[2])]);
    assert_eq!(second.claim_due(owner(2), 9).await.unwrap(), [claim(&truths[3]), claim(&truths[4])]);
    assert_eq!(first.claim_due(owner(1), 9).await.unwrap(), []);
    assert_eq!(second.claim_due(owner(2), 9).await.unwrap(), []);
}

async fn a_released_claim_can_be_taken_and_the_old_driver_is_refused<P: Place>() {
    let Some(place) = P::new().await else { return };
    let store = place.open(1).await;
    let truth = Truth::ask(&store, 1).await;
    let claim = store.claim_due(owner(1), 1).await.unwrap()[0];
    store.release(owner(2), claim).await.unwrap();
    store.release(owner(1), LeaseClaim { fence: Fence(7), ..claim }).await.unwrap();
    assert_eq!(store.claim_due(owner(2), 1).await.unwrap(), [], "only the holder can release");
    store.release(owner(1), claim).await.unwrap();
    let next = store.claim_due(owner(2), 1).await.unwrap();
    assert_eq!(next, [LeaseClaim { id: truth.id, fence: Fence(2) }]);
    assert_eq!(store.append(truth.entry(driver(1, 1), started(1))).await, Err(JournalError::Fenced));
    store.release(owner(1), claim).await.unwrap();
    store.append(truth.entry(driver(2, 2), started(1))).await.unwrap();
}

async fn work_is_due_until_the_last_research_has_ended<P: Place>() {
    let Some(place) = P::new().await else { return };
    let store = place.open(1).await;
    assert!(!store.has_due().await.unwrap());
    let mut truth = Truth::ask(&store, 1).await;
    assert!(store.has_due().await.unwrap());
    store.claim_due(owner(1), 1).await.unwrap();
    assert!(store.has_due().await.unwrap(), "claimed work is still due");
    truth.append(&store, JournalWriter::Client, ended()).await.unwrap();
    assert!(!store.has_due().await.unwrap());
}

async fn a_guest_calls_the_driver_once<P: Place>() {
    let Some(place) = P::new().await else { return };
    let store = place.open(1).await;
    let mut truth = Truth::ask(&store, 1).await;
    truth.append(&store, JournalWriter::Client, started(1)).await.unwrap();
    assert_eq!(store.runs_with_commands(owner(1)).await.unwrap(), [], "nobody holds it");
    store.claim_due(owner(1), 1).await.unwrap();
    assert_eq!(store.runs_with_commands(owner(1)).await.unwrap(), []);
    truth.append(&store, JournalWriter::Client, observed(1)).await.unwrap();
    truth.append(&store, driver(1, 1), observed(2)).await.unwrap();
    assert_eq!(store.runs_with_commands(owner(2)).await.unwrap(), []);
    assert_eq!(store.runs_with_commands(owner(1)).await.unwrap(), [truth.id]);
    assert_eq!(store.runs_with_commands(owner(1)).await.unwrap(), []);
    assert_eq!(store.audit().await, 4);
}

async fn an_owner_that_falls_silent_loses_its_claims_and_its_appends_are_refused<P: Place>() {
    let Some(place) = P::new().await else { return };
    let (hung, other) = (place.open(1).await, place.open(2).await);
    let truth = Truth::ask(&hung, 1).await;
    hung.claim_due(owner(1), 1).await.unwrap();
    assert_eq!(other.claim_due(owner(2), 1).await.unwrap(), []);
    place.pass_lease();
    assert_eq!(other.claim_due(owner(2), 1).await.unwrap(), [LeaseClaim { id: truth.id, fence: Fence(2) }]);
    // It wakes up.
    hung.heartbeat(owner(1)).await.unwrap();
    assert_eq!(hung.append(truth.entry(driver(1, 1), started(1))).await, Err(JournalError::Fenced));
    other.append(truth.entry(driver(2, 2), started(1))).await.unwrap();
}

async fn an_owner_that_beats_keeps_its_claims<P: Place>() {
    let Some(place) = P::new().await else { return };
    let (alive, other) = (place.open(1).await, place.open(2).await);
    let truth = Truth::ask(&alive, 1).await;
    alive.claim_due(owner(1), 1).await.unwrap();
    for _ in 0..5 {
        place.pass_lease();
        alive.heartbeat(owner(1)).await.unwrap();
        assert_eq!(other.claim_due(owner(2), 1).await.unwrap(), []);
    }
    alive.append(truth.entry(driver(1, 1), started(1))).await.unwrap();
}

/// Four stores on one place, each with its own connections.
async fn four_stores_share_the_work_without_a_double_claim<P: Place>() {
    const TASKS: usize = 300;
    let Some(place) = P::new().await else { return };
    let mut stores = Vec::new();
    for bits in 1..=4 {
        stores.push((owner(bits), place.open(bits).await));
    }
    let asking = stores.iter().cloned().enumerate().map(|(first, (_, store))| {
        tokio::spawn(async move {
            for number in (first..TASKS).step_by(4) {
                Truth::ask(&store, number as u128).await;
            }
        })
    });
    for asked in asking.collect::<Vec<_>>() {
        asked.await.unwrap();
    }
    let mut workers = Vec::new();
    for (me, store) in stores.clone() {
        workers.push(tokio::spawn(async move {
            let mut done = Vec::new();
            loop {
                let claims = store.claim_due(me, 7).await.unwrap();
                if claims.is_empty() {
                    return done;
                }
                for claim in claims {
                    let mut truth = Truth { id: claim.id, journal: store.load(claim.id).await.unwrap() };
                    let writer = JournalWriter::Driver(me, claim.fence);
                    truth.append(&store, writer, started(1)).await.unwrap();
                    truth.append(&store, writer, ended()).await.unwrap();
                    done.push(claim);
                }
            }
        }));
    }
    let mut claims = Vec::new();
    for worker in workers {
        claims.extend(worker.await.unwrap());
    }
    assert!(claims.iter().all(|claim| claim.fence == Fence(1)));
    let distinct: HashSet<_> = claims.iter().map(|claim| claim.id).collect();
    assert_eq!((claims.len(), distinct.len()), (TASKS, TASKS));
    assert_eq!(stores[0].1.audit().await, TASKS as u64 * 3);
}

async fn a_large_room_is_filled_in_turns<P: Place>() {
    let Some(place) = P::new().await else { return };
    let store = place.open(1).await;
    for number in 0..CLAIMS_MAX as u128 + 10 {
        Truth::ask(&store, number).await;
    }
    assert_eq!(store.claim_due(owner(1), 100_000).await.unwrap().len(), CLAIMS_MAX);
    assert_eq!(store.claim_due(owner(1), 100_000).await.unwrap().len(), 10);
}

/// Twelve researches; every third has ended, and the questions alternate between two subjects.
async fn library(store: &impl Journal) -> Vec<Truth> {
    let mut truths = Vec::new();
    for number in 0..12_u128 {
        let subject = if number % 2 == 0 { "the Sky" } else { "ÄPFEL" };
        let mut truth = Truth::new(id(number));
        truth
            .append(store, JournalWriter::Client, asked(&format!("What of {subject} {number}?")))
            .await
            .unwrap();
        if number % 3 == 0 {
            truth.append(store, JournalWriter::Client, started(1)).await.unwrap();
            truth.append(store, JournalWriter::Client, ended()).await.unwrap();
        }
        truths.push(truth);
    }
    truths
}

async fn lists_show_the_newest_change_first_and_filter<P: Place>() {
    let Some(place) = P::new().await else { return };
    let store = place.open(1).await;
    let truths = library(&store).await;
    let ids = |numbers: &[u128]| numbers.iter().map(|number| id(*number)).collect::<Vec<_>>();
    let all = ListFilter::default;
    // Those with more events changed later; among equals the one asked last comes first.
    let order = ids(&[9, 6, 3, 0, 11, 10, 8, 7, 5, 4, 2, 1]);
    let asked_at = truths[0].summary().asked_at;
    let text = |text: &str| ListFilter { text: Some(text.to_owned()), ..all() };
    let cases = [
        (all(), order.clone()),
        (ListFilter { limit: 3, ..all() }, order[..3].to_vec()),
        (ListFilter { limit: 3, offset: 3, ..all() }, order[3..6].to_vec()),
        (ListFilter { offset: 12, ..all() }, vec![]),
        (ListFilter { limit: 0, ..all() }, vec![]),
        (ListFilter { status: Some(RunStatus::Completed), ..all() }, ids(&[9, 6, 3, 0])),
        (ListFilter { status: Some(RunStatus::Failed), ..all() }, vec![]),
        (text("SKY 1"), ids(&[10])),
        (text("äpfel 1?"), ids(&[1])),
        (text("%' OR 1=1"), vec![]),
        (ListFilter { engine: Some("gemini-api".to_owned()), limit: 1, ..all() }, ids(&[9])),
        (ListFilter { engine: Some("other".to_owned()), ..all() }, vec![]),
        (ListFilter { asked_after: Some(asked_at), limit: 1, ..all() }, ids(&[9])),
        (ListFilter { asked_after: Some(Moment(asked_at.0 + 1)), ..all() }, vec![]),
        (ListFilter { asked_before: Some(asked_at), ..all() }, vec![]),
    ];
    for (filter, expected) in cases {
        let listed = store.list(filter.clone()).await.unwrap();
        let found: Vec<RunId> = listed.into_iter().map(|summary| summary.id).collect();
        assert_eq!(found, expected, "{filter:?}");
    }
    let summaries: Vec<_> = store.list(all()).await.unwrap();
    assert_eq!(summaries[11], truths[1].summary());
    assert_eq!(store.counts().await.unwrap(), [(RunStatus::Pending, 8), (RunStatus::Completed, 4)]);
    assert_eq!(store.latest().await.unwrap(), Some(truths[11].summary()));
}

async fn an_empty_store_lists_nothing<P: Place>() {
    let Some(place) = P::new().await else { return };
    let store = place.open(1).await;
    assert_eq!(store.list(ListFilter::default()).await.unwrap(), []);
    assert_eq!(store.counts().await.unwrap(), []);
    assert_eq!(store.latest().await.unwrap(), None);
}

async fn the_first_digits_of_an_id_are_enough_when_they_fit_one<P: Place>() {
    let Some(place) = P::new().await else { return };
    let store = place.open(1).await;
    for bits in [0xABCD_1000 << 96, 0xABCD_2000 << 96, u128::MAX] {
        let mut truth = Truth::new(RunId::from_random(bits));
        truth.append(&store, JournalWriter::Client, asked("why?")).await.unwrap();
    }
    let found = async |text: &str| {
        store.find_by_prefix(text).await.map_err(|problem| (problem.code, problem.message))
    };
    assert_eq!(found("abcd1").await.unwrap(), RunId::from_random(0xABCD_1000 << 96));
    assert_eq!(found("res_ABCD2").await.unwrap(), RunId::from_random(0xABCD_2000 << 96));
    assert_eq!(found("ffff").await.unwrap(), RunId::from_random(u128::MAX));
    let whole = RunId::from_random(u128::MAX);
    assert_eq!(found(&whole.to_string()).await.unwrap(), whole);
    let (code, message) = found("abcd").await.unwrap_err();
    assert_eq!(code, Code::NotFound);
    assert!(message.starts_with("several research ids start with `abcd`: res_abcd1"), "{message}");
    for refused in ["abc", "", "res_", "wxyz", "abce", &"f".repeat(33), "ä123456"] {
        assert_eq!(found(refused).await.unwrap_err().0, Code::NotFound, "{refused}");
    }
    assert_eq!(store.load(whole).await.unwrap().len(), 1);
}
