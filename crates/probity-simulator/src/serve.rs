//! The world behind HTTP: a listener in, connections answered until the returned future is dropped.
//!
//! Built on hyper alone, because cutting a connection without one byte is an answer here and frameworks
//! cannot give it. The world's lock is never held across an await.

mod admin;
mod body;
mod chat;
mod clock;
mod connection;
mod stats;
mod web;

use std::{
    future::Future,
    io,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use tokio::{net::TcpListener, task::JoinSet};

use crate::{
    chat::{ChatLedger, ChatModel},
    fault::Fault,
    ledger::WorldLedger,
    reports::Reports,
    research::{ResearchLimits, ResearchModel, ResearchWorld},
    scenario::Scenario,
    web::{SmallWeb, WebFault, WebLedger},
    world::{World, WorldSettings},
};
pub use clock::TimeMode;
use clock::WorldClock;
use stats::LoadStats;
pub use stats::LoadStatsView;

/// Pause after a failed accept: usually too many open files, which passes.
const ACCEPT_PAUSE: Duration = Duration::from_millis(10);

/// The running world as tests and routes see it. Cheap to clone.
#[derive(Debug, Clone)]
pub struct SimulatorHandle(Arc<SimulatorState>);

#[derive(Debug)]
struct SimulatorState {
    world: Mutex<World>,
    web: Mutex<SmallWeb>,
    chat: Mutex<ChatModel>,
    settings: Mutex<WorldSettings>,
    clock: WorldClock,
    stats: LoadStats,
}

impl SimulatorHandle {
    pub fn new(settings: WorldSettings, time: TimeMode) -> Self {
        Self(Arc::new(SimulatorState {
            world: Mutex::new(World::new(settings)),
            web: Mutex::new(SmallWeb::new()),
            chat: Mutex::default(),
            settings: Mutex::new(settings),
            clock: WorldClock::new(time),
            stats: LoadStats::default(),
        }))
    }

    /// Calls a function with the world at its present time.
    pub fn with_world<Out>(&self, look: impl FnOnce(&mut World, u64) -> Out) -> Out {
        let now_ms = self.now_ms();
        let mut world = self.0.world.lock().unwrap_or_else(PoisonError::into_inner);
        look(&mut world, now_ms)
    }

    pub fn now_ms(&self) -> u64 {
        self.0.clock.now_ms()
    }

    /// Lets world time pass. With a real clock the time is added to it.
    pub fn advance(&self, by_ms: u64) {
        self.0.clock.advance(by_ms);
    }

    /// The ledger with every charge brought up to now.
    pub fn ledger(&self) -> WorldLedger {
        self.with_world(|world, now_ms| {
            world.settle(now_ms);
            world.ledger().clone()
        })
    }

    pub fn stats(&self) -> LoadStatsView {
        self.0.stats.view()
    }

    pub fn set_default_scenario(&self, scenario: Scenario) {
        self.with_world(|world, _| world.set_default_scenario(scenario));
    }

    /// Texts that questions ask for by name, from any model.
    pub fn set_reports(&self, reports: &Reports) {
        self.with_world(|world, _| world.set_reports(reports.clone()));
        self.with_chat(|chat, _| chat.set_reports(reports.clone()));
    }

    pub fn add_fault(&self, fault: Fault) {
        self.with_world(|world, _| world.add_fault(fault));
    }

    /// Calls a function with the small web at the world's present time.
    pub fn with_web<Out>(&self, look: impl FnOnce(&mut SmallWeb, u64) -> Out) -> Out {
        let now_ms = self.now_ms();
        let mut web = self.0.web.lock().unwrap_or_else(PoisonError::into_inner);
        look(&mut web, now_ms)
    }

    /// Calls a function with the chat model at the world's present time.
    pub fn with_chat<Out>(&self, look: impl FnOnce(&mut ChatModel, u64) -> Out) -> Out {
        let now_ms = self.now_ms();
        let mut chat = self.0.chat.lock().unwrap_or_else(PoisonError::into_inner);
        look(&mut chat, now_ms)
    }

    /// Serves a research world: its pages, and a model with these limits that never sees it.
    pub fn set_research_world(&self, world: &ResearchWorld, limits: ResearchLimits) {
        self.set_web(world.web());
        self.with_chat(|chat, _| chat.set_research(ResearchModel::new(limits, world.trap_markers())));
    }

    pub fn chat_ledger(&self) -> ChatLedger {
        self.with_chat(|chat, _| chat.ledger().clone())
    }

    /// Replaces all pages.
    pub fn set_web(&self, web: SmallWeb) {
        self.with_web(|place, _| *place = web);
    }

    pub fn web_ledger(&self) -> WebLedger {
        self.with_web(|web, _| web.ledger().clone())
    }

    pub fn add_web_fault(&self, fault: WebFault) {
        self.with_web(|web, _| web.add_fault(fault));
    }

    /// Starts over with an empty world; pages of the small web stay. Ids given out before mean nothing afterwards; time goes on.
    pub fn reset(&self) {
        let settings = {
            let mut settings = self.0.settings.lock().unwrap_or_else(PoisonError::into_inner);
            settings.seed = settings.seed.wrapping_add(1);
            *settings
        };
        self.with_world(|world, _| world.start_over(settings));
        self.with_web(|web, _| web.start_over());
        self.with_chat(|chat, _| chat.start_over());
        self.0.stats.reset();
    }
}

/// Answers connections until `stop` is ready; open ones are then cut.
pub async fn serve(
    listener: TcpListener,
    handle: SimulatorHandle,
    stop: impl Future<Output = ()>,
) -> io::Result<()> {
    let mut connections = JoinSet::new();
    tokio::pin!(stop);
    loop {
        tokio::select! {
            biased;
            () = &mut stop => return Ok(()),
            Some(_) = connections.join_next() => {}
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    stream.set_nodelay(true)?;
                    connections.spawn(connection::answer_all(stream, handle.clone()));
                }
                Err(_) => tokio::time::sleep(ACCEPT_PAUSE).await,
            },
        }
    }
}
