//! Takes turns: read a lease status, go on from the stored state, make one call, leave the run again.
//!
//! A turn runs in a task of its own. The engine may lose sight of it (a node dies) and hand out the same run
//! again: the second request joins the turn under way. Across workers the in-flight lock in the journal does
//! the same.

mod cache;
mod uncertain_locks;

use std::{
    collections::HashMap,
    pin::Pin,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use probity_research::{
    OwnerId, RunId, RunState, Sequence,
    driver_state::DriverState,
    error::{Code, CodedError},
    ports::{Clock, Engine, InFlightLock, InFlightLocks, Journal, JournalWriter, LeaseStatus, Leases},
};
use probity_runner::{
    EventBus,
    driver::{Driver, DriverControl, RunCursor, TurnOutcome},
    recorder::{DriveError, Recorder},
    tasks::TaskGroup,
};
use tokio::sync::{Notify, watch};
use tokio_util::sync::CancellationToken;

use crate::turn_request::{CarriedState, NextAction, TurnHandler, TurnReply, TurnRequest};
use cache::RunCache;
use uncertain_locks::UncertainLocks;

/// How often a worker renews its lease; a third of the lease time, so that two lost heartbeats do no harm.
const BEAT_EVERY: Duration = Duration::from_secs(10);
/// Another worker is in the middle of a paid call, or this one is shutting down: retry soon.
const HELD_PAUSE: Duration = Duration::from_secs(1);
const LEAVING_PAUSE: Duration = Duration::from_millis(100);
/// After the journal did not answer, or was written by a newer release than this worker's.
const FAILED_PAUSE: Duration = Duration::from_secs(3);
/// Damage does not heal by an early retry.
const DAMAGED_PAUSE: Duration = Duration::from_secs(300);

/// Longest pause that a worker waits out itself, and how long it does so within one turn.
const SHORT_WAIT: Duration = Duration::from_millis(600);
const SHORT_WAITS_MAX: Duration = Duration::from_secs(2);

/// A turn under way: receives its reply once it is over.
type TurnReceiver = watch::Receiver<Option<TurnReply>>;

#[derive(Debug, Clone, Copy)]
pub struct WorkerSettings {
    /// Bytes of states and stored texts cached between turns.
    pub cache_bytes_max: usize,
}

impl Default for WorkerSettings {
    fn default() -> Self {
        Self { cache_bytes_max: 64 * 1024 * 1024 }
    }
}

/// One worker process. Cheap to clone.
pub struct Worker<J, E, C> {
    inner: Arc<WorkerInner<J, E, C>>,
}

struct WorkerInner<J, E, C> {
    journal: J,
    engine: E,
    clock: C,
    owner: OwnerId,
    event_bus: EventBus,
    /// Runs in flight that are this worker's share; set from outside, see [`Worker::set_active_runs`].
    active_runs: Arc<AtomicUsize>,
    under_way: Mutex<HashMap<RunId, TurnReceiver>>,
    cache: Mutex<RunCache>,
    uncertain_locks: Mutex<UncertainLocks>,
    tasks: TaskGroup,
    stop: CancellationToken,
}

impl<J, E, C> Clone for Worker<J, E, C> {
    fn clone(&self) -> Self {
        Self { inner: Arc::clone(&self.inner) }
    }
}

impl<J, E, C> Worker<J, E, C>
where
    J: Journal + Leases + InFlightLocks + 'static,
    E: Engine + 'static,
    C: Clock + 'static,
{
    pub fn new(journal: J, engine: E, clock: C, owner: OwnerId, settings: WorkerSettings) -> Self {
        let stop = CancellationToken::new();
        let inner = WorkerInner {
            journal,
            engine,
            clock,
            owner,
            event_bus: EventBus::default(),
            active_runs: Arc::default(),
            under_way: Mutex::default(),
            cache: Mutex::new(RunCache::new(settings.cache_bytes_max)),
            uncertain_locks: Mutex::default(),
            // Turns outlive the stop signal: a paid call is never cut.
            tasks: TaskGroup::child_of(&CancellationToken::new()),
            stop,
        };
        Self { inner: Arc::new(inner) }
    }

    pub fn event_bus(&self) -> &EventBus {
        &self.inner.event_bus
    }

    /// How many runs are in flight: with many, each writes its progress less often.
    pub fn set_active_runs(&self, researches: usize) {
        self.inner.active_runs.store(researches, Ordering::Relaxed);
    }

    pub fn turns_under_way(&self) -> usize {
        self.inner.under_way().len()
    }

    /// Renews the lease of this worker until `stop`; then no new call begins, and those under way are waited
    /// for.
    pub async fn run(&self, stop: CancellationToken) {
        let inner = &self.inner;
        loop {
            if let Err(error) = inner.journal.heartbeat(inner.owner).await {
                tracing::warn!(%error, "could not renew the lease");
            } else {
                self.release_uncertain_locks().await;
            }
            if stop.run_until_cancelled(inner.clock.sleep(BEAT_EVERY)).await.is_none() {
                break;
            }
        }
        inner.stop.cancel();
        let beating = async {
            loop {
                inner.clock.sleep(BEAT_EVERY).await;
                drop(inner.journal.heartbeat(inner.owner).await);
            }
        };
        tokio::select! {
            () = inner.tasks.close() => {}
            () = beating => {}
        }
    }

    /// Releases in-flight locks that this worker may have without knowing. Each release counts as a turn
    /// meanwhile, so that no turn of the same run takes a lock that is then released.
    async fn release_uncertain_locks(&self) {
        let due = self.inner.uncertain_locks().due();
        for id in due {
            let Ok(sender) = self.inner.register_turn(id) else { continue };
            if let Err(error) = self.inner.journal.release_lock(self.inner.owner, id).await {
                tracing::debug!(research = %id, %error, "in-flight lock not released; retry later");
            }
            sender.send_replace(Some(TurnReply::wait(LEAVING_PAUSE, Sequence(0), CarriedState::default())));
            self.inner.under_way().remove(&id);
        }
    }

    /// Joins the turn of this run that is under way, or starts one.
    fn join_or_start_turn(&self, order: TurnRequest) -> TurnReceiver {
        let sender = match self.inner.register_turn(order.id) {
            Ok(sender) => sender,
            Err(running) => return running,
        };
        let receiver = sender.subscribe();
        let inner = Arc::clone(&self.inner);
        self.inner.tasks.spawn_named("turn", |_| async move {
            let id = order.id;
            let outcome = Box::pin(inner.turn(order)).await;
            // Sent first, then removed from the map: a request that comes between finds the reply.
            sender.send_replace(Some(outcome));
            inner.under_way().remove(&id);
        });
        receiver
    }
}

impl<J, E, C> TurnHandler for Worker<J, E, C>
where
    J: Journal + Leases + InFlightLocks + 'static,
    E: Engine + 'static,
    C: Clock + 'static,
{
    fn take_turn(&self, order: TurnRequest) -> Pin<Box<dyn Future<Output = TurnReply> + Send + '_>> {
        Box::pin(async move {
            let fallback = order.memory.clone();
            let mut outcome = self.join_or_start_turn(order);
            match outcome.wait_for(Option::is_some).await.as_deref() {
                Ok(Some(outcome)) => outcome.clone(),
                // The task died without a reply; what it did is in the journal.
                _ => TurnReply::wait(FAILED_PAUSE, Sequence(0), fallback),
            }
        })
    }
}

impl<J, E, C> WorkerInner<J, E, C>
where
    J: Journal + Leases + InFlightLocks,
    E: Engine,
    C: Clock,
{
    async fn turn(&self, order: TurnRequest) -> TurnReply {
        let (id, memory) = (order.id, order.memory.clone());
        if self.stop.is_cancelled() {
            return TurnReply::wait(LEAVING_PAUSE, Sequence(0), memory);
        }
        match self.journal.lease_status(self.owner, id).await {
            Ok(LeaseStatus::Held) => TurnReply::wait(HELD_PAUSE, Sequence(0), memory),
            Ok(LeaseStatus::Free(sequence)) => {
                // The first invocation was stored by the front end that submitted the run.
                if let Some(invocation) = order.invocation.as_ref().filter(|_| order.turns > 0)
                    && let Err(error) = self.journal.set_invocation(id, invocation).await
                {
                    tracing::warn!(research = %id, %error, "invocation not stored; commands arrive late");
                }
                match Box::pin(self.resume_turn(order, sequence)).await {
                    Ok(outcome) => outcome,
                    Err(error) => {
                        // An intent may have been appended all the same, and the in-flight lock taken with
                        // it.
                        self.uncertain_locks().remember(id);
                        failure_reply(id, &error, memory)
                    }
                }
            }
            Err(error) => failure_reply(id, &DriveError::from(error), memory),
        }
    }

    async fn resume_turn(&self, order: TurnRequest, newest: Sequence) -> Result<TurnReply, DriveError> {
        let id = order.id;
        let mut attention = order.memory.into_driver_state(self.clock.now());
        let writer = JournalWriter::Worker(self.owner, InFlightLock::Free);
        let at_hand = self.cache().take(id, newest);
        let recorder = match at_hand {
            Some(at_hand) => {
                at_hand.restore_into(&mut attention);
                Recorder::resume(&self.journal, &self.clock, at_hand.research, writer)
            }
            None => Recorder::load(&self.journal, &self.clock, id, writer).await?,
        };
        attention.attended = attention.attended.max(Duration::from_millis(recorder.research.attended_ms));
        let mut cursor = RunCursor::new(recorder, attention, &self.clock);
        let driver = Driver {
            journal: &self.journal,
            engine: &self.engine,
            clock: &self.clock,
            event_bus: &self.event_bus,
        };
        let control = DriverControl {
            stop: self.stop.clone(),
            called: Arc::new(Notify::new()),
            active_runs: Arc::clone(&self.active_runs),
        };
        let turned = Box::pin(self.turn_with_short_waits(&driver, &mut cursor, &control)).await;
        if cursor.has_in_flight_lock()
            && let Err(error) = self.journal.release_lock(self.owner, id).await
        {
            tracing::warn!(research = %id, %error, "in-flight lock not released; retry at next heartbeat");
            self.uncertain_locks().remember(id);
        }
        let (research, attention) = cursor.into_parts(&self.clock);
        Ok(self.turn_reply(turned?, research, attention))
    }

    /// A short pause is waited out here: a durable timer would cost more than it saves.
    async fn turn_with_short_waits(
        &self,
        driver: &Driver<'_, J, E, C>,
        cursor: &mut RunCursor<'_, J, C>,
        control: &DriverControl,
    ) -> Result<TurnOutcome, DriveError> {
        let mut waited = Duration::ZERO;
        loop {
            match Box::pin(driver.turn(cursor, control)).await? {
                TurnOutcome::Wait(pause) if pause <= SHORT_WAIT && waited < SHORT_WAITS_MAX => {
                    self.clock.sleep(pause).await;
                    waited += pause;
                    cursor.end_pause();
                }
                turned => return Ok(turned),
            }
        }
    }

    fn turn_reply(&self, turned: TurnOutcome, research: RunState, attention: DriverState) -> TurnReply {
        let (id, sequence) = (research.id, research.sequence);
        let memory = CarriedState {
            attention: without_cached_blobs(&attention),
            left_at: Some(self.clock.now()),
            pause_ms: 0,
        };
        if turned == TurnOutcome::Rest {
            self.engine.release_run(id);
            return TurnReply {
                then: NextAction::Rest,
                sequence: sequence.0,
                memory: CarriedState::default(),
            };
        }
        self.cache().put(research, attention);
        match turned {
            TurnOutcome::Again | TurnOutcome::Rest => {
                TurnReply { then: NextAction::Again, sequence: sequence.0, memory }
            }
            TurnOutcome::Wait(pause) => TurnReply::wait(pause, sequence, memory),
            TurnOutcome::Stopped => TurnReply::wait(LEAVING_PAUSE, sequence, memory),
        }
    }

    /// Registers this run as under way; if it is already, returns the receiver of its reply.
    fn register_turn(&self, id: RunId) -> Result<watch::Sender<Option<TurnReply>>, TurnReceiver> {
        let mut under_way = self.under_way();
        if let Some(running) = under_way.get(&id) {
            return Err(running.clone());
        }
        let (sender, receiver) = watch::channel(None);
        under_way.insert(id, receiver);
        Ok(sender)
    }

    /// Every change to these maps is one call, so a panic elsewhere leaves them consistent.
    fn under_way(&self) -> MutexGuard<'_, HashMap<RunId, TurnReceiver>> {
        self.under_way.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn uncertain_locks(&self) -> MutexGuard<'_, UncertainLocks> {
        self.uncertain_locks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn cache(&self) -> MutexGuard<'_, RunCache> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The part of the state that travels; blobs are read again where they are needed.
fn without_cached_blobs(attention: &DriverState) -> DriverState {
    DriverState {
        blobs: std::collections::BTreeMap::new(),
        recalled: std::collections::BTreeMap::new(),
        intent_is_fresh: false,
        crowd: 0,
        ..attention.clone()
    }
}

/// Retries belong to the rules; the reply only says when to come back.
fn failure_reply(id: RunId, error: &DriveError, memory: CarriedState) -> TurnReply {
    let rest = |pause| TurnReply::wait(pause, Sequence(0), memory.clone());
    match error {
        DriveError::LostLease => rest(HELD_PAUSE),
        DriveError::Journal(CodedError { code: Code::NotFound, .. }) => {
            tracing::warn!(research = %id, "no such run; nothing to do");
            TurnReply { then: NextAction::Rest, sequence: 0, memory: CarriedState::default() }
        }
        DriveError::Journal(problem) => {
            tracing::warn!(research = %id, code = %problem.code, cause = %problem.message, "turn failed");
            rest(if problem.code == Code::StoreCorrupt { DAMAGED_PAUSE } else { FAILED_PAUSE })
        }
    }
}
