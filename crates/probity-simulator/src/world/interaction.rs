//! One accepted create: what has to be remembered, and what follows from it at a given time.
//!
//! Steps and events are derived on demand from the script, never stored: ten thousand of these have to fit.

use std::sync::Arc;

use super::{round::ScriptedRound, script, step::WorkStep, usage::WorkUsage};
use crate::{
    reports::GivenReport,
    rounds::Item,
    scenario::{Name, Scenario},
};

/// Hexadecimal digits at the end of an id that say where the interaction is kept.
pub(crate) const NUMBER_DIGITS: usize = 8;

/// The agent or model of the interaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum InteractionWorker {
    Agent(Box<str>),
    Model(Box<str>),
}

impl InteractionWorker {
    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Agent(name) | Self::Model(name) => name,
        }
    }
}

/// Tools the work may use.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct ToolAccess {
    pub(crate) search: bool,
    pub(crate) url: bool,
    pub(crate) code: bool,
    pub(crate) file: bool,
    pub(crate) mcp: bool,
    pub(crate) maps: bool,
}

/// What kind of work was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SimulatedTurnKind {
    Research,
    /// A plan to be agreed on; later revisions have higher numbers.
    Plan {
        revision: u32,
    },
    /// Research after an agreed plan.
    Execution,
    /// A model's answer, at once.
    Answer,
    /// A turn of the scripted model.
    Round,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StoragePresence {
    Kept,
    /// Deleted, or never stored.
    Gone,
}

#[derive(Debug)]
pub(crate) struct Interaction {
    pub(crate) id: Box<str>,
    pub(crate) scenario: Scenario,
    pub(crate) worker: InteractionWorker,
    pub(crate) turn: SimulatedTurnKind,
    pub(crate) tools: ToolAccess,
    pub(crate) summaries: bool,
    pub(crate) images: bool,
    pub(crate) created_ms: u64,
    pub(crate) cancelled_ms: Option<u64>,
    pub(crate) presence: StoragePresence,
    /// Polls so far, for scenarios that count them.
    pub(crate) polls: u32,
    /// Streams opened so far, for scenarios that disturb the first ones.
    pub(crate) streams: u32,
    /// Which turn of which script, for a model that follows one.
    pub(crate) round: Option<Box<ScriptedTurn>>,
    pub(crate) subject: Box<str>,
    /// The text that was asked for by name.
    pub(crate) given: Option<Arc<GivenReport>>,
    pub(crate) user_content: Box<str>,
    pub(crate) echo: Box<str>,
}

/// A turn of the scripted model, and the base address of its citations' redirects.
#[derive(Debug)]
pub(crate) struct ScriptedTurn {
    pub(crate) round: ScriptedRound,
    /// The address the caller used.
    pub(crate) base: Box<str>,
}

/// The word `get` shows for the state.
pub(crate) const IN_PROGRESS: &str = "in_progress";

impl Interaction {
    /// The id of the interaction kept at this position. Other seed, other ids.
    pub(crate) fn id_at(seed: u64, position: u32) -> Box<str> {
        let noise = mix(seed ^ (u64::from(position) << 32));
        format!("v1_Chd{noise:016x}{position:0NUMBER_DIGITS$x}").into()
    }

    pub(crate) fn begins_ms(&self) -> u64 {
        let wait = if self.scenario.name == Name::Queued { self.scenario.for_ms } else { 0 };
        self.created_ms.saturating_add(wait)
    }

    /// When the work ends if it is not cancelled; never for `stuck`.
    fn scripted_end_ms(&self) -> u64 {
        if self.scenario.name == Name::Stuck {
            return u64::MAX;
        }
        self.begins_ms().saturating_add(self.duration_ms())
    }

    fn duration_ms(&self) -> u64 {
        match self.turn {
            // A plan is made in a fraction of the time.
            SimulatedTurnKind::Plan { .. } => self.scenario.duration_ms / 10,
            SimulatedTurnKind::Research
            | SimulatedTurnKind::Execution
            | SimulatedTurnKind::Answer
            | SimulatedTurnKind::Round => self.scenario.duration_ms,
        }
    }

    pub(crate) fn end_ms(&self) -> u64 {
        self.cancelled_ms.unwrap_or(u64::MAX).min(self.scripted_end_ms())
    }

    pub(crate) fn has_ended(&self, now_ms: u64) -> bool {
        self.end_ms() <= now_ms
    }

    /// Whether a cancel has reached `get` yet.
    fn shows_cancel(&self, now_ms: u64) -> bool {
        let lag = if self.scenario.name == Name::CancelLag { self.scenario.for_ms } else { 0 };
        self.cancelled_ms.is_some_and(|cancelled| cancelled.saturating_add(lag) <= now_ms)
    }

    /// Whether readers see the end.
    pub(crate) fn shows_end(&self, now_ms: u64) -> bool {
        if self.cancelled_ms.is_some() { self.shows_cancel(now_ms) } else { self.has_ended(now_ms) }
    }

    /// When readers will see the end, as far as is known now.
    pub(crate) fn shown_end_ms(&self) -> u64 {
        let lag = if self.scenario.name == Name::CancelLag { self.scenario.for_ms } else { 0 };
        match self.cancelled_ms {
            Some(cancelled) => cancelled.saturating_add(lag),
            None => self.scripted_end_ms(),
        }
    }

    pub(crate) fn status(&self, now_ms: u64) -> &'static str {
        if self.shows_end(now_ms) {
            return self.end_status();
        }
        if now_ms < self.begins_ms() {
            return "queued";
        }
        let half = self.begins_ms().saturating_add(self.duration_ms() / 2);
        if self.scenario.name == Name::UnknownEnums && now_ms < half {
            "weird_new_status"
        } else {
            IN_PROGRESS
        }
    }

    /// The status right after the create.
    pub(crate) fn first_status(&self) -> &'static str {
        if self.begins_ms() > self.created_ms { "queued" } else { IN_PROGRESS }
    }

    fn end_status(&self) -> &'static str {
        if self.cancelled_ms.is_some() {
            return "cancelled";
        }
        match self.scenario.name {
            Name::Failed => "failed",
            Name::Incomplete => "incomplete",
            Name::BudgetExceeded => "budget_exceeded",
            Name::RequiresActionFinished => "requires_action",
            // The limit on output tokens was reached.
            _ if self.item() == Some(Item::Cut) => "incomplete",
            _ => "completed",
        }
    }

    /// The outcome of the turn, for a model that follows a script.
    pub(crate) fn item(&self) -> Option<Item> {
        self.round.as_ref().map(|scripted| scripted.round.item)
    }

    /// Every step of the work, in order.
    pub(crate) fn steps(&self) -> Vec<WorkStep> {
        script::steps(self)
    }

    /// When a step is done. `count` is how many steps there are.
    pub(crate) fn step_due_ms(&self, index: usize, count: usize) -> u64 {
        let (index, count) = (index as u64, count as u64);
        let share = u128::from(self.duration_ms()) * u128::from(index + 1) / u128::from(count + 1);
        self.begins_ms().saturating_add(u64::try_from(share).unwrap_or(u64::MAX))
    }

    /// How many of `count` steps are done.
    pub(crate) fn steps_done(&self, now_ms: u64, count: usize) -> usize {
        let now_ms = now_ms.min(self.end_ms());
        (0..count).take_while(|index| self.step_due_ms(*index, count) <= now_ms).count()
    }

    /// When something last happened to it.
    pub(crate) fn updated_ms(&self, now_ms: u64) -> u64 {
        if self.shows_end(now_ms) { self.end_ms() } else { now_ms.max(self.created_ms) }
    }

    pub(crate) fn usage(&self, now_ms: u64) -> WorkUsage {
        let steps = self.steps();
        let done = self.steps_done(now_ms, steps.len());
        WorkUsage::of(steps.iter().take(done))
    }

    /// What the work done so far costs.
    pub(crate) fn charge(&self, now_ms: u64) -> u64 {
        self.usage(now_ms).micro_usd()
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        size_of_val(self)
            + self.id.len()
            + self.worker.name().len()
            + self.subject.len()
            + self.user_content.len()
            + self.echo.len()
            + self.round.as_ref().map_or(0, |scripted| scripted.round.memory_bytes() + scripted.base.len())
    }
}

/// Spreads the bits of a number (splitmix64).
pub(crate) fn mix(number: u64) -> u64 {
    let mut bits = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}
