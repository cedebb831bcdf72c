//! The service itself: calls and times in, answers out. Same calls at the same times, same answers.
//!
//! Has no clock, no socket and no task. Time is milliseconds since the world began; it never goes back
//! by itself, and a caller's time may.

mod body;
mod create;
mod errors;
mod events;
pub(crate) mod generate;
mod interaction;
mod interaction_operations;
mod key;
mod redirect;
mod report;
mod request;
pub(crate) mod round;
pub(crate) mod route;
mod script;
mod step;
mod stream;
mod usage;

use std::collections::BTreeMap;

use crate::{
    call::{SimulatorAnswer, SimulatorCall, StreamPull},
    fault::{Fault, FaultKind, FaultQueue},
    ledger::WorldLedger,
    reports::Reports,
    scenario::Scenario,
};
use interaction::Interaction;
pub(crate) use interaction::mix;
use round::register::ScriptRegister;
use route::WorldRoute;
pub use stream::StreamCursor;

/// 2026-11-14T12:00:00Z, the moment of the canonical fixtures.
pub const EPOCH_SECONDS: i64 = 1_794_657_600;

#[derive(Debug, Clone, Copy)]
pub struct WorldSettings {
    /// For creates that name no scenario.
    pub default_scenario: Scenario,
    /// Other seed, other ids.
    pub seed: u64,
    /// What the wall clock shows at time zero.
    pub epoch_seconds: i64,
}

impl Default for WorldSettings {
    fn default() -> Self {
        Self { default_scenario: Scenario::default(), seed: 1, epoch_seconds: EPOCH_SECONDS }
    }
}

#[derive(Debug)]
pub struct World {
    settings: WorldSettings,
    /// An id contains its position here, so that a lookup needs no map.
    interactions: Vec<Interaction>,
    /// How often a create was tried, by the fingerprint of its task and input.
    tries: BTreeMap<u64, u32>,
    /// Which script is at which turn.
    rounds: ScriptRegister,
    /// Texts that are asked for by name.
    reports: Reports,
    faults: FaultQueue,
    ledger: WorldLedger,
}

impl World {
    pub fn new(settings: WorldSettings) -> Self {
        Self {
            settings,
            interactions: Vec::new(),
            tries: BTreeMap::new(),
            rounds: ScriptRegister::default(),
            reports: Reports::default(),
            faults: FaultQueue::default(),
            ledger: WorldLedger::default(),
        }
    }

    /// Resets everything but the texts that are asked for by name.
    pub fn start_over(&mut self, settings: WorldSettings) {
        let reports = std::mem::take(&mut self.reports);
        *self = Self { reports, ..Self::new(settings) };
    }

    /// Answers one call.
    pub fn handle(&mut self, now_ms: u64, call: &SimulatorCall) -> SimulatorAnswer {
        let route = WorldRoute::parse(call.method, &call.target);
        // Following a redirect is what browsers do: no key, no fault of the service.
        if let WorldRoute::Redirect { token } = &route {
            return redirect::follow(token);
        }
        if let Some(refusal) = key::refusal(call) {
            return self.count_refusal_of(&route, refusal);
        }
        match route
            .fault_route()
            .and_then(|kind| self.faults.take(|fault| fault.route == kind))
            .map(|fault| fault.kind)
        {
            None => self.dispatch(now_ms, call, &route),
            Some(FaultKind::Lost) => {
                drop(self.dispatch(now_ms, call, &route));
                SimulatorAnswer::Lost
            }
            Some(FaultKind::Drop) => self.count_refusal_of(&route, SimulatorAnswer::Lost),
            Some(FaultKind::Hang) => self.count_refusal_of(&route, SimulatorAnswer::Hang),
            Some(FaultKind::Html) => self.count_refusal_of(&route, errors::html(200)),
            Some(FaultKind::Status(status)) => self.count_refusal_of(&route, errors::plain(status)),
            Some(FaultKind::RetryAfter(seconds)) => {
                self.count_refusal_of(&route, errors::retry_after(&seconds.to_string()))
            }
        }
    }

    /// What is due on a stream now. The cursor remembers what was sent.
    pub fn pull(&mut self, now_ms: u64, cursor: &mut StreamCursor) -> StreamPull {
        stream::pull(self, now_ms, cursor)
    }

    /// Accepted and refused creates; charges are those of the last `settle` or call.
    pub fn ledger(&self) -> &WorldLedger {
        &self.ledger
    }

    /// Brings every charge up to this time.
    pub fn settle(&mut self, now_ms: u64) {
        for (interaction, entry) in self.interactions.iter().zip(&mut self.ledger.entries) {
            entry.charged_micro_usd = interaction.charge(now_ms);
        }
        self.ledger.settle_turns();
    }

    pub fn set_default_scenario(&mut self, scenario: Scenario) {
        self.settings.default_scenario = scenario;
    }

    /// Texts that questions ask for by name.
    pub fn set_reports(&mut self, reports: Reports) {
        self.reports = reports;
    }

    /// The next calls of a route go wrong.
    pub fn add_fault(&mut self, fault: Fault) {
        self.faults.add(fault);
    }

    /// How many interactions were accepted since the world began.
    pub fn interaction_count(&self) -> usize {
        self.interactions.len()
    }

    /// How many accepted interactions have not ended at this time.
    pub fn unfinished_count(&self, now_ms: u64) -> usize {
        self.interactions.iter().filter(|interaction| !interaction.has_ended(now_ms)).count()
    }

    /// Memory that the interactions and their ledger entries take, near enough to bound it.
    pub fn memory_bytes(&self) -> usize {
        let interactions: usize = self.interactions.iter().map(Interaction::memory_bytes).sum();
        let texts: usize = self
            .ledger
            .entries
            .iter()
            .map(|entry| {
                size_of_val(entry)
                    + entry.interaction_id.len()
                    + entry.agent.len()
                    + entry.task.as_ref().map_or(0, String::len)
            })
            .sum();
        interactions + texts + self.rounds.memory_bytes() + self.ledger.turns_bytes()
    }

    fn dispatch(&mut self, now_ms: u64, call: &SimulatorCall, route: &WorldRoute) -> SimulatorAnswer {
        match route {
            WorldRoute::Create => create::create(self, now_ms, call),
            WorldRoute::Get { id } => interaction_operations::get(self, now_ms, id),
            WorldRoute::Stream { id, after } => {
                interaction_operations::stream(self, now_ms, id, after.as_deref())
            }
            WorldRoute::Cancel { id } => interaction_operations::cancel(self, now_ms, id),
            WorldRoute::Delete { id } => interaction_operations::delete(self, now_ms, id),
            WorldRoute::Generate { model, action } => generate::answer(self, now_ms, call, model, *action),
            WorldRoute::Redirect { token } => redirect::follow(token),
            WorldRoute::Unknown => errors::array(404, "Method not found.", "NOT_FOUND"),
        }
    }

    /// Records a refused create and passes the answer on.
    fn count_refusal_of(&mut self, route: &WorldRoute, answer: SimulatorAnswer) -> SimulatorAnswer {
        if matches!(route, WorldRoute::Create) { self.count_refusal(answer) } else { answer }
    }

    fn count_refusal(&mut self, answer: SimulatorAnswer) -> SimulatorAnswer {
        let status = if let SimulatorAnswer::Whole { status, .. } = &answer { *status } else { 0 };
        self.ledger.record_refusal(status);
        answer
    }

    /// The position of an id this world gave out, deleted or not.
    fn position(&self, id: &str) -> Option<usize> {
        let (_, digits) = id.split_at_checked(id.len().checked_sub(interaction::NUMBER_DIGITS)?)?;
        let position = usize::try_from(u32::from_str_radix(digits, 16).ok()?).ok()?;
        let found = self.interactions.get(position)?;
        (&*found.id == id).then_some(position)
    }

    fn settle_one(&mut self, now_ms: u64, position: usize) {
        if let (Some(interaction), Some(entry)) =
            (self.interactions.get(position), self.ledger.entries.get_mut(position))
        {
            entry.charged_micro_usd = interaction.charge(now_ms);
        }
    }
}

/// A number for some texts (FNV-1a): equal texts, equal number.
pub(crate) fn fingerprint(texts: &[Option<&str>]) -> u64 {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for text in texts {
        for byte in text.unwrap_or("\u{0}").bytes().chain([0xff]) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
    hash
}
