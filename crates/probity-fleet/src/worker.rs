//! Takes turns: glance at the research, go on from what is stored, carry out one call, lay it down again.
//!
//! A turn runs in a task of its own. The engine may lose sight of it (a node dies) and hand the same research out
//! again: whoever comes second joins the turn under way. Across workers the hold in the journal does the same.

mod cache;
mod lingering;

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
    OwnerId, Research, ResearchId, Sequence,
    attention::Attention,
    error::{Code, Problem},
    seams::{Clock, Engine, Glance, Hold, Holds, Journal, Leases, Writer},
};
use probity_runner::{
    Board,
    drive::{Control, Driver, Hand, Turned},
    recorder::{DriveError, Recorder},
    tasks::Tasks,
};
use tokio::sync::{Notify, watch};
use tokio_util::sync::CancellationToken;

use crate::order::{Memory, Order, Outcome, TakesTurns, Then};
use cache::Cache;
use lingering::Lingering;

/// How often a worker says that it is alive; a third of the lease, so that two lost beats do no harm.
const BEAT_EVERY: Duration = Duration::from_secs(10);
/// Another worker is in the middle of a paid call, or this one is leaving: come back soon.
const HELD_PAUSE: Duration = Duration::from_secs(1);
const LEAVING_PAUSE: Duration = Duration::from_millis(100);
/// After the journal did not answer, or was written by a newer release than this worker's.
const FAILED_PAUSE: Duration = Duration::from_secs(3);
/// Damage does not heal by looking again soon.
const DAMAGED_PAUSE: Duration = Duration::from_secs(300);

/// Longest wait that a worker waits itself, and how long it does so within one turn.
const SHORT_WAIT: Duration = Duration::from_millis(600);
const SHORT_WAITS_MAX: Duration = Duration::from_secs(2);

/// A turn under way: what it comes to, once it is over.
type Running = watch::Receiver<Option<Outcome>>;

#[derive(Debug, Clone, Copy)]
pub struct WorkerSettings {
    /// Bytes of states and stored texts that stay at hand between turns.
    pub cache_bytes_max: usize,
}

impl Default for WorkerSettings {
    fn default() -> Self {
        Self { cache_bytes_max: 64 * 1024 * 1024 }
    }
}

/// One worker process. Cheap to clone.
pub struct Worker<J, E, C> {
    inner: Arc<Inner<J, E, C>>,
}

struct Inner<J, E, C> {
    journal: J,
    engine: E,
    clock: C,
    owner: OwnerId,
    board: Board,
    /// Researches in flight that this worker's share is; set from outside, see [`Worker::crowd`].
    crowd: Arc<AtomicUsize>,
    under_way: Mutex<HashMap<ResearchId, Running>>,
    cache: Mutex<Cache>,
    lingering: Mutex<Lingering>,
    tasks: Tasks,
    stop: CancellationToken,
}

impl<J, E, C> Clone for Worker<J, E, C> {
    fn clone(&self) -> Self {
        Self { inner: Arc::clone(&self.inner) }
    }
}

impl<J, E, C> Worker<J, E, C>
where
    J: Journal + Leases + Holds + 'static,
    E: Engine + 'static,
    C: Clock + 'static,
{
    pub fn new(journal: J, engine: E, clock: C, owner: OwnerId, settings: WorkerSettings) -> Self {
        let stop = CancellationToken::new();
        let inner = Inner {
            journal,
            engine,
            clock,
            owner,
            board: Board::default(),
            crowd: Arc::default(),
            under_way: Mutex::default(),
            cache: Mutex::new(Cache::new(settings.cache_bytes_max)),
            lingering: Mutex::default(),
            // Turns outlive the wish to stop: a paid call is never cut.
            tasks: Tasks::below(&CancellationToken::new()),
            stop,
        };
        Self { inner: Arc::new(inner) }
    }

    pub fn board(&self) -> &Board {
        &self.inner.board
    }

    /// How crowded it is: a crowd writes its progress down less often.
    pub fn set_crowd(&self, researches: usize) {
        self.inner.crowd.store(researches, Ordering::Relaxed);
    }

    pub fn turns_under_way(&self) -> usize {
        self.inner.under_way().len()
    }

    /// Says that this worker lives, until `stop`; then no new call begins, and those under way are waited for.
    pub async fn run(&self, stop: CancellationToken) {
        let inner = &self.inner;
        loop {
            if let Err(error) = inner.journal.beat(inner.owner).await {
                tracing::warn!(%error, "could not renew the lease");
            } else {
                self.let_go_of_what_lingers().await;
            }
            if stop.run_until_cancelled(inner.clock.sleep(BEAT_EVERY)).await.is_none() {
                break;
            }
        }
        inner.stop.cancel();
        let beating = async {
            loop {
                inner.clock.sleep(BEAT_EVERY).await;
                drop(inner.journal.beat(inner.owner).await);
            }
        };
        tokio::select! {
            () = inner.tasks.close() => {}
            () = beating => {}
        }
    }

    /// Holds that this worker may have without knowing. Each counts as a turn meanwhile, so that no turn of the same
    /// research takes a hold that is then let go.
    async fn let_go_of_what_lingers(&self) {
        let due = self.inner.lingering().due();
        for id in due {
            let Ok(sender) = self.inner.begin(id) else { continue };
            if let Err(error) = self.inner.journal.let_go(self.inner.owner, id).await {
                tracing::debug!(research = %id, %error, "its hold is let go later");
            }
            sender.send_replace(Some(Outcome::wait(LEAVING_PAUSE, Sequence(0), Memory::default())));
            self.inner.under_way().remove(&id);
        }
    }

    /// Joins the turn of this research that is under way, or begins one.
    fn joined(&self, order: Order) -> Running {
        let sender = match self.inner.begin(order.id) {
            Ok(sender) => sender,
            Err(running) => return running,
        };
        let receiver = sender.subscribe();
        let inner = Arc::clone(&self.inner);
        self.inner.tasks.spawn_named("turn", |_| async move {
            let id = order.id;
            let outcome = Box::pin(inner.turn(order)).await;
            // Told first, then taken off the list: whoever comes between finds the outcome.
            sender.send_replace(Some(outcome));
            inner.under_way().remove(&id);
        });
        receiver
    }
}

impl<J, E, C> TakesTurns for Worker<J, E, C>
where
    J: Journal + Leases + Holds + 'static,
    E: Engine + 'static,
    C: Clock + 'static,
{
    fn take(&self, order: Order) -> Pin<Box<dyn Future<Output = Outcome> + Send + '_>> {
        Box::pin(async move {
            let fallback = order.memory.clone();
            let mut outcome = self.joined(order);
            match outcome.wait_for(Option::is_some).await.as_deref() {
                Ok(Some(outcome)) => outcome.clone(),
                // The task died without a word; what it did stands in the journal.
                _ => Outcome::wait(FAILED_PAUSE, Sequence(0), fallback),
            }
        })
    }
}

impl<J, E, C> Inner<J, E, C>
where
    J: Journal + Leases + Holds,
    E: Engine,
    C: Clock,
{
    async fn turn(&self, order: Order) -> Outcome {
        let (id, memory) = (order.id, order.memory.clone());
        if self.stop.is_cancelled() {
            return Outcome::wait(LEAVING_PAUSE, Sequence(0), memory);
        }
        match self.journal.glance(self.owner, id).await {
            Ok(Glance::Held) => Outcome::wait(HELD_PAUSE, Sequence(0), memory),
            Ok(Glance::Free(sequence)) => {
                // The first invocation was told by whoever handed the research in.
                if let Some(invocation) = order.invocation.as_ref().filter(|_| order.turns > 0)
                    && let Err(error) = self.journal.carried_by(id, invocation).await
                {
                    tracing::warn!(research = %id, %error, "a wish for it will be heard after its next pause");
                }
                match Box::pin(self.go_on(order, sequence)).await {
                    Ok(outcome) => outcome,
                    Err(error) => {
                        // An intent may have been taken all the same, and its hold with it.
                        self.lingering().remember(id);
                        failed(id, &error, memory)
                    }
                }
            }
            Err(error) => failed(id, &DriveError::from(error), memory),
        }
    }

    async fn go_on(&self, order: Order, newest: Sequence) -> Result<Outcome, DriveError> {
        let id = order.id;
        let mut attention = order.memory.taken_up(self.clock.now());
        let writer = Writer::Stepper(self.owner, Hold::Free);
        let at_hand = self.cache().take(id, newest);
        let recorder = match at_hand {
            Some(at_hand) => {
                at_hand.give(&mut attention);
                Recorder::resume(&self.journal, &self.clock, at_hand.research, writer)
            }
            None => Recorder::load(&self.journal, &self.clock, id, writer).await?,
        };
        attention.attended = attention.attended.max(Duration::from_millis(recorder.research.attended_ms));
        let mut hand = Hand::new(recorder, attention, &self.clock);
        let driver =
            Driver { journal: &self.journal, engine: &self.engine, clock: &self.clock, board: &self.board };
        let control = Control {
            stop: self.stop.clone(),
            called: Arc::new(Notify::new()),
            crowd: Arc::clone(&self.crowd),
        };
        let turned = Box::pin(self.turn_with_short_waits(&driver, &mut hand, &control)).await;
        if hand.is_held()
            && let Err(error) = self.journal.let_go(self.owner, id).await
        {
            tracing::warn!(research = %id, %error, "its hold is let go at the next beat");
            self.lingering().remember(id);
        }
        let (research, attention) = hand.lay_down(&self.clock);
        Ok(self.outcome(turned?, research, attention))
    }

    /// A wait of a moment is waited here: a durable timer would cost more than it saves.
    async fn turn_with_short_waits(
        &self,
        driver: &Driver<'_, J, E, C>,
        hand: &mut Hand<'_, J, C>,
        control: &Control,
    ) -> Result<Turned, DriveError> {
        let mut waited = Duration::ZERO;
        loop {
            match Box::pin(driver.turn(hand, control)).await? {
                Turned::Wait(pause) if pause <= SHORT_WAIT && waited < SHORT_WAITS_MAX => {
                    self.clock.sleep(pause).await;
                    waited += pause;
                    hand.rested();
                }
                turned => return Ok(turned),
            }
        }
    }

    fn outcome(&self, turned: Turned, research: Research, attention: Attention) -> Outcome {
        let (id, sequence) = (research.id, research.sequence);
        let memory = Memory { attention: light(&attention), left_at: Some(self.clock.now()), pause_ms: 0 };
        if turned == Turned::Rest {
            self.engine.forget(id);
            return Outcome { then: Then::Rest, sequence: sequence.0, memory: Memory::default() };
        }
        self.cache().put(research, attention);
        match turned {
            Turned::Again | Turned::Rest => Outcome { then: Then::Again, sequence: sequence.0, memory },
            Turned::Wait(pause) => Outcome::wait(pause, sequence, memory),
            Turned::Stopped => Outcome::wait(LEAVING_PAUSE, sequence, memory),
        }
    }

    /// Puts this research on the list of those under way; if it is there, what to listen to.
    fn begin(&self, id: ResearchId) -> Result<watch::Sender<Option<Outcome>>, Running> {
        let mut under_way = self.under_way();
        if let Some(running) = under_way.get(&id) {
            return Err(running.clone());
        }
        let (sender, receiver) = watch::channel(None);
        under_way.insert(id, receiver);
        Ok(sender)
    }

    /// Every change to these is one call, so a panic elsewhere leaves them whole.
    fn under_way(&self) -> MutexGuard<'_, HashMap<ResearchId, Running>> {
        self.under_way.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lingering(&self) -> MutexGuard<'_, Lingering> {
        self.lingering.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn cache(&self) -> MutexGuard<'_, Cache> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The part of it that travels; the rest is read again where it is needed.
fn light(attention: &Attention) -> Attention {
    Attention {
        blobs: std::collections::BTreeMap::new(),
        recalled: std::collections::BTreeMap::new(),
        intent_is_fresh: false,
        crowd: 0,
        ..attention.clone()
    }
}

/// Retries belong to the rules; here it is only said when to look again.
fn failed(id: ResearchId, error: &DriveError, memory: Memory) -> Outcome {
    let rest = |pause| Outcome::wait(pause, Sequence(0), memory.clone());
    match error {
        DriveError::LostClaim => rest(HELD_PAUSE),
        DriveError::Journal(Problem { code: Code::NotFound, .. }) => {
            tracing::warn!(research = %id, "there is no such research here; nothing to do");
            Outcome { then: Then::Rest, sequence: 0, memory: Memory::default() }
        }
        DriveError::Journal(problem) => {
            tracing::warn!(research = %id, code = %problem.code, message = %problem.message, "turn failed");
            rest(if problem.code == Code::StoreCorrupt { DAMAGED_PAUSE } else { FAILED_PAUSE })
        }
    }
}
