//! Gets runs driven by the fleet: admits them fairly, submits them to the engine, wakes those that wait, and
//! keeps the subscribers at a front end up to date.
//!
//! The database is the queue; the engine only ever gets admitted runs. Everything here may run in several
//! processes at once and may be repeated.

use std::{collections::HashMap, sync::Arc, time::Duration};

use probity_research::{
    CodedError, RunId, Sequence,
    ports::{Clock as _, Executor},
    tenant::TenantQuota,
};
use probity_runner::{EventBus, ExecutorContext, SystemClock};
use probity_store::postgres::{AdmissionRound, AdmittedRun, InvocationState, Postgres};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::{Ingress, endpoint::RunCommand};

/// How often a front end checks whether a queued run can be admitted.
const ADMIT_EVERY: Duration = Duration::from_millis(200);
/// The same when the queue is empty: another front end may have died between a start and its admission.
const ADMIT_IDLE: Duration = Duration::from_secs(1);
/// Runs admitted in one round; a round is one short transaction.
const ADMIT_MAX: usize = 256;
/// Submissions on their way to the engine at once.
const SUBMITTING_MAX: usize = 32;
/// An admitted run that was not submitted for this long is submitted again.
const SUBMIT_AGAIN: Duration = Duration::from_secs(5);
/// How often the status of the runs with subscribers is read, all in one query.
const WATCH_EVERY: Duration = Duration::from_millis(300);

/// What a fleet as a whole may have under way.
#[derive(Debug, Clone, Copy)]
pub struct FleetLimits {
    pub in_flight_max: usize,
    /// Quota of a tenant that the administrator did not set up.
    pub unknown: TenantQuota,
}

pub struct FleetExecutor {
    inner: Arc<FleetExecutorInner>,
}

struct FleetExecutorInner {
    postgres: Postgres,
    ingress: Ingress,
    clock: SystemClock,
    event_bus: EventBus,
    round: AdmissionRound,
    nudge: Notify,
}

impl Clone for FleetExecutor {
    fn clone(&self) -> Self {
        Self { inner: Arc::clone(&self.inner) }
    }
}

impl Executor for FleetExecutor {
    /// The journal already has the work. A run that waits in the engine is woken; a queued one is considered
    /// in the next round.
    async fn submit(&self, id: RunId) {
        if let Err(problem) = self.wake_invocation(id).await {
            // The event is in the journal; the worker of the next turn sees it.
            tracing::warn!(research = %id, code = %problem.code, cause = %problem.message, "run not woken");
        }
        self.inner.nudge.notify_one();
    }
}

impl ExecutorContext for FleetExecutor {
    type Journal = Postgres;
    type Clock = SystemClock;

    fn journal(&self) -> &Postgres {
        &self.inner.postgres
    }

    fn clock(&self) -> &SystemClock {
        &self.inner.clock
    }

    fn event_bus(&self) -> &EventBus {
        &self.inner.event_bus
    }
}

impl FleetExecutor {
    pub fn new(postgres: Postgres, ingress: Ingress, clock: SystemClock, limits: FleetLimits) -> Self {
        let round =
            AdmissionRound { room: ADMIT_MAX, fleet_max: limits.in_flight_max, unknown: limits.unknown };
        let inner = FleetExecutorInner {
            postgres,
            ingress,
            clock,
            event_bus: EventBus::default(),
            round,
            nudge: Notify::new(),
        };
        Self { inner: Arc::new(inner) }
    }

    pub fn postgres(&self) -> &Postgres {
        &self.inner.postgres
    }

    pub fn ingress(&self) -> &Ingress {
        &self.inner.ingress
    }

    /// A run was stored and waits in the queue.
    pub fn nudge(&self) {
        self.inner.nudge.notify_one();
    }

    /// Works until `stop`.
    pub async fn run(&self, stop: CancellationToken) {
        tokio::select! {
            () = stop.cancelled() => {}
            () = self.keep_admitting() => {}
            () = self.keep_watching() => {}
        }
    }

    async fn keep_admitting(&self) {
        let inner = &self.inner;
        loop {
            let pause = match self.admit().await {
                Ok(0) => ADMIT_IDLE,
                Ok(full) if full >= ADMIT_MAX => Duration::ZERO,
                Ok(_) => ADMIT_EVERY,
                Err(problem) => {
                    tracing::warn!(code = %problem.code, cause = %problem.message, "admission failed");
                    ADMIT_IDLE
                }
            };
            tokio::select! {
                () = inner.nudge.notified() => {}
                () = inner.clock.sleep(pause) => {}
            }
        }
    }

    /// One round: admits runs while there is room, submits them, and submits again those that were lost on
    /// the way.
    async fn admit(&self) -> Result<usize, CodedError> {
        let inner = &self.inner;
        let mut admitted = inner.postgres.admit(inner.round).await?;
        let count = admitted.len();
        if count == 0 {
            admitted = inner.postgres.unsubmitted(SUBMIT_AGAIN, ADMIT_MAX).await?;
        }
        self.hand_over(admitted).await?;
        Ok(count)
    }

    async fn hand_over(&self, admitted: Vec<AdmittedRun>) -> Result<(), CodedError> {
        let inner = &self.inner;
        let mut handed = Vec::with_capacity(admitted.len());
        let mut refused = None;
        for together in admitted.chunks(SUBMITTING_MAX) {
            let submissions = together.iter().map(|one| inner.ingress.submit(one.id, one.sequence));
            let answers = futures_util::future::join_all(submissions).await;
            for (one, answer) in together.iter().zip(answers) {
                match answer {
                    Ok(invocation) => handed.push((*one, invocation)),
                    Err(problem) => refused = Some(problem),
                }
            }
            if refused.is_some() {
                break;
            }
        }
        if !handed.is_empty() {
            inner.postgres.mark_submitted(&handed).await?;
        }
        refused.map_or(Ok(()), Err)
    }

    /// Makes a worker that waits for the provider poll at once, although nothing was appended.
    pub async fn poll_now(&self, id: RunId) -> Result<(), CodedError> {
        let inner = &self.inner;
        match inner.postgres.invocation_state(id).await? {
            InvocationState { sequence, due: true, invocation: Some(invocation), .. } => {
                inner.ingress.wake(&invocation, sequence, RunCommand::Look).await
            }
            _ => Ok(()),
        }
    }

    async fn wake_invocation(&self, id: RunId) -> Result<(), CodedError> {
        let inner = &self.inner;
        let InvocationState { sequence, invocation: Some(invocation), .. } =
            inner.postgres.invocation_state(id).await?
        else {
            return Ok(());
        };
        // The waiting turn knew everything but the event that was just appended.
        inner.ingress.wake(&invocation, Sequence(sequence.0.saturating_sub(1)), RunCommand::Read).await
    }

    /// Reads the status of every run that has subscribers at this front end.
    async fn keep_watching(&self) {
        let inner = &self.inner;
        let mut shown: HashMap<RunId, Sequence> = HashMap::new();
        loop {
            inner.clock.sleep(WATCH_EVERY).await;
            let watched = inner.event_bus.subscribed_runs();
            shown.retain(|id, _| watched.contains(id));
            if watched.is_empty() {
                continue;
            }
            match inner.postgres.statuses(&watched).await {
                Ok(found) => {
                    for (sequence, summary) in found {
                        if shown.insert(summary.id, sequence) != Some(sequence) {
                            inner.event_bus.publish(summary.id, || summary);
                        }
                    }
                }
                Err(problem) => {
                    tracing::debug!(code = %problem.code, "could not read the status of watched runs");
                }
            }
        }
    }
}
