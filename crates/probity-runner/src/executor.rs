//! Drives runs in this process. `reconcile` is the only starter: for new work, after a crash, on a timer.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use probity_research::{
    OwnerId, RunId,
    ports::{Clock, Engine, Executor, Journal, JournalWriter, LeaseClaim, Leases},
};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::{
    admission::{AdmissionBucket, DRIVEN_MAX, STARTS_PER_SECOND},
    driver::{DriveExit, Driver, DriverControl},
    event_bus::EventBus,
    recorder::DriveError,
    run_service::ExecutorContext,
    tasks::TaskGroup,
};

/// How often this process renews its lease; a third of the lease time, so that two lost heartbeats do no
/// harm.
const BEAT_EVERY: Duration = Duration::from_secs(10);
/// How often the store is asked without a nudge: another process may have died, or a client may have asked
/// for a cancel.
const LOOK_EVERY: Duration = Duration::from_millis(500);
/// The same while more runs are due than may start at once.
const LOOK_BUSY: Duration = Duration::from_millis(100);
/// The same after the store did not answer.
const LOOK_FAILED: Duration = Duration::from_secs(2);
/// Pause after a failed drive, so that a broken run does not spin.
const FAILED_REST: Duration = Duration::from_secs(30);

#[derive(Debug, Clone)]
pub struct RunnerSettings {
    pub driven_max: usize,
    pub starts_per_second: f64,
}

impl Default for RunnerSettings {
    fn default() -> Self {
        Self { driven_max: DRIVEN_MAX, starts_per_second: STARTS_PER_SECOND }
    }
}

/// The executor of a laptop: one process, a lease in the store, one small task per run.
pub struct LocalExecutor<J, E, C> {
    shared: Arc<LocalExecutorInner<J, E, C>>,
}

struct LocalExecutorInner<J, E, C> {
    journal: J,
    engine: E,
    clock: C,
    event_bus: EventBus,
    owner: OwnerId,
    settings: RunnerSettings,
    nudge: Notify,
    active_runs: Arc<AtomicUsize>,
    driven: Mutex<HashMap<RunId, Arc<Notify>>>,
    resting_until: Mutex<HashMap<RunId, Duration>>,
}

impl<J, E, C> Clone for LocalExecutor<J, E, C> {
    fn clone(&self) -> Self {
        Self { shared: Arc::clone(&self.shared) }
    }
}

impl<J, E, C> Executor for LocalExecutor<J, E, C>
where
    J: Journal + Leases + 'static,
    E: Engine + 'static,
    C: Clock + 'static,
{
    /// The journal already has the work: this only wakes the loop that looks for due runs.
    async fn submit(&self, id: RunId) {
        if let Some(called) = self.shared.driven().get(&id) {
            called.notify_one();
        }
        self.shared.resting_until().remove(&id);
        self.shared.nudge.notify_one();
    }
}

impl<J, E, C> ExecutorContext for LocalExecutor<J, E, C>
where
    J: Journal + Leases + 'static,
    E: Engine + 'static,
    C: Clock + 'static,
{
    type Journal = J;
    type Clock = C;

    fn journal(&self) -> &J {
        &self.shared.journal
    }

    fn clock(&self) -> &C {
        &self.shared.clock
    }

    fn event_bus(&self) -> &EventBus {
        &self.shared.event_bus
    }
}

impl<J, E, C> LocalExecutor<J, E, C>
where
    J: Journal + Leases + 'static,
    E: Engine + 'static,
    C: Clock + 'static,
{
    pub fn new(journal: J, engine: E, clock: C, owner: OwnerId, settings: RunnerSettings) -> Self {
        let shared = LocalExecutorInner {
            journal,
            engine,
            clock,
            event_bus: EventBus::default(),
            owner,
            settings,
            nudge: Notify::new(),
            active_runs: Arc::default(),
            driven: Mutex::default(),
            resting_until: Mutex::default(),
        };
        Self { shared: Arc::new(shared) }
    }

    pub fn engine(&self) -> &E {
        &self.shared.engine
    }

    pub fn driven_count(&self) -> usize {
        self.shared.driven().len()
    }

    /// Works until `stop`; then every driver leaves its run to the next process, and is waited for.
    pub async fn run(&self, stop: CancellationToken) {
        let drivers = TaskGroup::child_of(&stop);
        let mut admission =
            AdmissionBucket::new(self.shared.settings.driven_max, self.shared.settings.starts_per_second);
        let mut beat_at = Duration::ZERO;
        let mut called_at = Duration::ZERO;
        while !stop.is_cancelled() {
            let now = self.shared.clock.monotonic();
            if now >= beat_at {
                self.shared.renew_lease().await;
                beat_at = now + BEAT_EVERY;
            }
            if now >= called_at {
                self.shared.notify_drivers_of_commands().await;
                called_at = now + LOOK_EVERY;
            }
            let pause = self.reconcile(&mut admission, &drivers).await;
            tokio::select! {
                biased;
                () = stop.cancelled() => {}
                () = self.shared.nudge.notified() => {}
                () = self.shared.clock.sleep(pause) => {}
            }
        }
        drivers.close().await;
    }

    /// Starts a driver for each run that is due and has none. Safe to call at any time; returns when to call
    /// it again.
    async fn reconcile(&self, admission: &mut AdmissionBucket, drivers: &TaskGroup) -> Duration {
        let shared = &self.shared;
        let now = shared.clock.monotonic();
        let room = admission.room(now, shared.driven().len());
        if room == 0 {
            return LOOK_BUSY;
        }
        let claims = match shared.journal.claim_due(shared.owner, room).await {
            Ok(claims) => claims,
            Err(error) => {
                tracing::warn!(%error, "could not list due runs");
                return LOOK_FAILED;
            }
        };
        admission.take(claims.len());
        let full = claims.len() == room;
        for claim in claims {
            self.start(claim, drivers);
        }
        if full { LOOK_BUSY } else { LOOK_EVERY }
    }

    fn start(&self, claim: LeaseClaim, drivers: &TaskGroup) {
        let shared = Arc::clone(&self.shared);
        let called = Arc::new(Notify::new());
        shared.change_driven(|driven| driven.insert(claim.id, Arc::clone(&called)));
        drivers.spawn_named("drive", move |stop| async move {
            let active_runs = Arc::clone(&shared.active_runs);
            shared.drive_claimed_run(claim, DriverControl { stop, called, active_runs }).await;
            shared.change_driven(|driven| driven.remove(&claim.id));
        });
    }
}

impl<J, E, C> LocalExecutorInner<J, E, C>
where
    J: Journal + Leases,
    E: Engine,
    C: Clock,
{
    async fn drive_claimed_run(&self, claim: LeaseClaim, control: DriverControl) {
        let rest = self.resting_until().get(&claim.id).copied();
        if let Some(until) = rest {
            let left = until.saturating_sub(self.clock.monotonic());
            tokio::select! {
                biased;
                () = control.stop.cancelled() => {}
                () = control.called.notified() => {}
                () = self.clock.sleep(left) => {}
            }
        }
        let driver = Driver {
            journal: &self.journal,
            engine: &self.engine,
            clock: &self.clock,
            event_bus: &self.event_bus,
        };
        let left =
            Box::pin(driver.drive(claim, JournalWriter::Driver(self.owner, claim.fence), &control)).await;
        self.resting_until().remove(&claim.id);
        self.engine.release_run(claim.id);
        match &left {
            Ok(DriveExit::Resting) => tracing::debug!(research = %claim.id, "run is at rest"),
            Ok(DriveExit::Stopped) => tracing::debug!(research = %claim.id, "driver stopped"),
            Err(DriveError::LostLease) => tracing::info!(research = %claim.id, "lease lost"),
            Err(DriveError::Journal(problem)) => {
                tracing::warn!(research = %claim.id, code = %problem.code, "drive failed; retry later");
                self.resting_until().insert(claim.id, self.clock.monotonic() + FAILED_REST);
            }
        }
        // The journal drops the lease with the event that brought a run to rest.
        if left != Ok(DriveExit::Resting) {
            self.release(claim, &control.stop).await;
        }
    }

    /// Tries until it is released or the process leaves: a lease that a living process holds without driving the run
    /// would keep everybody from it, this process too.
    async fn release(&self, claim: LeaseClaim, stop: &CancellationToken) {
        while let Err(error) = self.journal.release(self.owner, claim).await {
            tracing::debug!(research = %claim.id, %error, "could not release the lease; tried again");
            if stop.run_until_cancelled(self.clock.sleep(LOOK_FAILED)).await.is_none() {
                return;
            }
        }
    }

    /// The only place that changes the map, so that `active_runs` is always the number of runs driven.
    fn change_driven<T>(&self, change: impl FnOnce(&mut HashMap<RunId, Arc<Notify>>) -> T) {
        let mut driven = self.driven();
        change(&mut driven);
        self.active_runs.store(driven.len(), Ordering::Relaxed);
    }

    async fn renew_lease(&self) {
        if let Err(error) = self.journal.heartbeat(self.owner).await {
            tracing::warn!(%error, "could not renew the lease");
        }
    }

    async fn notify_drivers_of_commands(&self) {
        match self.journal.runs_with_commands(self.owner).await {
            Ok(called) => {
                for id in called {
                    if let Some(driver) = self.driven().get(&id) {
                        driver.notify_one();
                    }
                }
            }
            Err(error) => tracing::warn!(%error, "could not list runs with commands"),
        }
    }

    /// Every change to these maps is one call, so a panic elsewhere leaves them consistent.
    fn driven(&self) -> MutexGuard<'_, HashMap<RunId, Arc<Notify>>> {
        self.driven.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn resting_until(&self) -> MutexGuard<'_, HashMap<RunId, Duration>> {
        self.resting_until.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
