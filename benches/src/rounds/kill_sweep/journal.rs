//! What the journals of a data directory hold, read from a copy: looking must not count as a restart.

use std::{collections::BTreeMap, path::Path};

use probity_research::{
    Digest, Event, RunId, RunState, StoredEvent,
    rounds::{RoundsState, state::CallBilling},
    state::RunPhase,
    status::RunStatus,
};

use crate::journals;

/// Where a search in rounds stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RoundsPosition {
    BetweenCalls,
    /// The call may be under way, or may never have been sent.
    Intended,
    /// The call is under way and can be found again where the engine can find it.
    Running,
    Completed,
    EndedOtherwise,
}

/// One search in rounds, as its journal tells it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoundsJournalState {
    pub at: RoundsPosition,
    /// Rounds that were answered, and their answers.
    pub answered: Vec<(u32, Digest)>,
    /// Calls recorded as paid, or as perhaps paid.
    pub calls: u32,
    /// Those of them that brought nothing, and of which nobody knows what they cost.
    pub given_up: u32,
}

/// Every search in rounds below `data`.
pub fn rounds_states(data: &Path, scratch: &Path) -> anyhow::Result<BTreeMap<RunId, RoundsJournalState>> {
    let all = journals::all(data, scratch)?;
    let in_rounds = all.iter().filter_map(|(research, events)| {
        Some((research.id, rounds_state(research, research.rounds_state.as_ref()?, events)))
    });
    Ok(in_rounds.collect())
}

fn rounds_state(research: &RunState, course: &RoundsState, events: &[StoredEvent]) -> RoundsJournalState {
    let at = match (&research.phase, research.status()) {
        (_, RunStatus::Completed) => RoundsPosition::Completed,
        (RunPhase::Asked, _) => RoundsPosition::BetweenCalls,
        (RunPhase::Intended { .. }, _) => RoundsPosition::Intended,
        (RunPhase::Running | RunPhase::Gathered(_), _) => RoundsPosition::Running,
        (RunPhase::Refused { .. } | RunPhase::Uncertain { .. } | RunPhase::Ended(_), _) => {
            RoundsPosition::EndedOtherwise
        }
    };
    RoundsJournalState {
        at,
        answered: course.answered.iter().map(|answered| (answered.round, answered.answer)).collect(),
        calls: course.calls,
        given_up: u32::try_from(events.iter().filter(|recorded| is_given_up(&recorded.event)).count())
            .unwrap_or(u32::MAX),
    }
}

fn is_given_up(event: &Event) -> bool {
    matches!(event, Event::RoundStumbled { billed: CallBilling::Unknown, .. })
}
