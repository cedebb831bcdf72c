//! What the journals of a data directory hold, read from a copy: looking must not count as a restart.

use std::{collections::BTreeMap, path::Path};

use probity_research::{
    Digest, Event, Recorded, Research, ResearchId,
    rounds::{Course, course::Billed},
    state::Phase,
    status::Status,
};

use crate::journals;

/// Where a search in rounds stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum At {
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
pub struct Held {
    pub at: At,
    /// Rounds that were answered, and their answers.
    pub answered: Vec<(u32, Digest)>,
    /// Calls recorded as paid, or as perhaps paid.
    pub calls: u32,
    /// Those of them that brought nothing, and of which nobody knows what they cost.
    pub given_up: u32,
}

/// Every search in rounds below `data`.
pub fn held(data: &Path, scratch: &Path) -> anyhow::Result<BTreeMap<ResearchId, Held>> {
    let all = journals::all(data, scratch)?;
    let in_rounds = all.iter().filter_map(|(research, events)| {
        Some((research.id, held_by(research, research.course.as_ref()?, events)))
    });
    Ok(in_rounds.collect())
}

fn held_by(research: &Research, course: &Course, events: &[Recorded]) -> Held {
    let at = match (&research.phase, Status::of(research)) {
        (_, Status::Completed) => At::Completed,
        (Phase::Asked, _) => At::BetweenCalls,
        (Phase::Intended { .. }, _) => At::Intended,
        (Phase::Running | Phase::Gathered(_), _) => At::Running,
        (Phase::Refused { .. } | Phase::Uncertain { .. } | Phase::Ended(_), _) => At::EndedOtherwise,
    };
    Held {
        at,
        answered: course.answered.iter().map(|answered| (answered.round, answered.answer)).collect(),
        calls: course.calls,
        given_up: u32::try_from(events.iter().filter(|recorded| is_given_up(&recorded.event)).count())
            .unwrap_or(u32::MAX),
    }
}

fn is_given_up(event: &Event) -> bool {
    matches!(event, Event::RoundStumbled { billed: Billed::Unknown, .. })
}
