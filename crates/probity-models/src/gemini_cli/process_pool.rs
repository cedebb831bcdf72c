//! The idle processes that wait for the next question of their run, and the limit for all of them.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    time::Duration,
};

use probity_research::{
    error::{Code, CodedError},
    model::ModelName,
};
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    task::JoinSet,
    time::sleep,
};

use super::acp_agent::AcpAgent;

/// Processes at a time, busy or idle. Each takes about 250 MB.
pub const PROCESSES_MAX: usize = 4;
/// How long an idle process waits for the next question of its run. Judging a round takes less.
const IDLE_MAX: Duration = Duration::from_secs(120);

/// The key of a process. A question for another model needs another process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PoolKey {
    pub session: String,
    pub model: Option<ModelName>,
}

#[derive(Debug)]
pub struct ProcessPool {
    room: Arc<Semaphore>,
    state: Mutex<ProcessPoolState>,
}

#[derive(Debug, Default)]
struct ProcessPoolState {
    idle: Vec<IdleAgent>,
    returned: u64,
    closed: bool,
    /// Tasks that end processes which were idle too long. They end with the pool.
    clocks: JoinSet<()>,
}

#[derive(Debug)]
struct IdleAgent {
    place: PoolKey,
    agent: AcpAgent,
    /// The number of this return: the timer of an earlier one must not end it.
    number: u64,
}

impl ProcessPool {
    pub fn new() -> Arc<Self> {
        Arc::new(Self { room: Arc::new(Semaphore::new(PROCESSES_MAX)), state: Mutex::default() })
    }

    /// The idle process of this key, if it is still alive.
    pub fn take(&self, place: &PoolKey) -> Option<AcpAgent> {
        let mut state = self.state();
        let at = state.idle.iter().position(|idle| idle.place == *place)?;
        let mut agent = state.idle.swap_remove(at).agent;
        (!agent.is_dead()).then_some(agent)
    }

    /// A slot for one more process. Ends the longest idle one if all slots are taken; waits if all are busy.
    pub async fn acquire_slot(&self) -> Result<OwnedSemaphorePermit, CodedError> {
        if let Ok(room) = Arc::clone(&self.room).try_acquire_owned() {
            return Ok(room);
        }
        let oldest = {
            let mut state = self.state();
            let at = state.idle.iter().enumerate().min_by_key(|(_, idle)| idle.number).map(|(at, _)| at);
            at.map(|at| state.idle.swap_remove(at))
        };
        if let Some(oldest) = oldest {
            oldest.agent.stop().await;
        }
        let room = Arc::clone(&self.room).acquire_owned().await;
        room.map_err(|_| CodedError::new(Code::CliFailed, "the Gemini CLI is being closed"))
    }

    /// Keeps a process for the next question; ends it after a while.
    pub fn put(self: &Arc<Self>, place: PoolKey, agent: AcpAgent) {
        let mut state = self.state();
        if state.closed {
            return;
        }
        state.returned += 1;
        let number = state.returned;
        state.idle.push(IdleAgent { place, agent, number });
        while state.clocks.try_join_next().is_some() {}
        let pool = Arc::downgrade(self);
        state.clocks.spawn(async move {
            sleep(IDLE_MAX).await;
            end_if_idle(&pool, number).await;
        });
    }

    /// Ends the idle process of a session.
    pub async fn end(&self, session: &str) {
        let taken = self.drain(|idle| idle.place.session == session);
        stop_all(taken).await;
    }

    /// Drops the idle process of a session; dropping a process ends it.
    pub fn forget(&self, session: &str) {
        drop(self.drain(|idle| idle.place.session == session));
    }

    /// Ends all idle processes, and keeps none from now on.
    pub async fn close(&self) {
        self.state().closed = true;
        let taken = self.drain(|_| true);
        stop_all(taken).await;
    }

    fn drain(&self, which: impl Fn(&IdleAgent) -> bool) -> Vec<AcpAgent> {
        let mut state = self.state();
        state.idle.extract_if(.., |idle| which(idle)).map(|idle| idle.agent).collect()
    }

    fn state(&self) -> MutexGuard<'_, ProcessPoolState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn end_if_idle(pool: &Weak<ProcessPool>, number: u64) {
    let taken = pool.upgrade().map(|pool| pool.drain(|idle| idle.number == number));
    stop_all(taken.unwrap_or_default()).await;
}

/// Ending one after the other would take the sum of their times; closing the pipes ends all at once.
async fn stop_all(agents: Vec<AcpAgent>) {
    let mut stops = JoinSet::new();
    for agent in agents {
        stops.spawn(agent.stop());
    }
    while stops.join_next().await.is_some() {}
}
