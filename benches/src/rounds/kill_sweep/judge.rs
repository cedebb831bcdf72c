//! What must be true of a search in rounds after a kill and a restart, and what was not; the journals are read from
//! a copy, because looking must not count as a restart.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use anyhow::Context as _;
use probity_research::{
    Digest, Event, RunId, RunState, StoredEvent,
    rounds::{RoundsState, state::CallBilling},
    state::RunPhase,
    status::RunStatus,
};
use serde_json::Value;

use crate::{
    foundation::kill_sweep::program::{ProgramInstallation, field},
    journals,
    kill_harness::KillTally,
    rig::SimulatorProcess,
};

/// Ids that were told and are gone; answers that were recorded and are gone.
pub const LOST: &str = "lost";
/// Calls that were paid for and that no journal tells of.
pub const UNRECORDED: &str = "unrecorded";
/// Searches that did not go on where they stood, or did not end with a report.
pub const UNTRUE: &str = "untrue";

type RoundsJournals = BTreeMap<RunId, RoundsJournalState>;

/// Whether a call that was under way can be found again by another process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SweepEngine {
    /// Google keeps it under an id.
    Api,
    /// It died with the process that asked.
    Cli,
}

impl SweepEngine {
    /// Calls that one kill may leave without an answer.
    fn lost_by_a_kill_at(self, at: RoundsPosition) -> u32 {
        match (self, at) {
            (_, RoundsPosition::Intended) | (Self::Cli, RoundsPosition::Running) => 1,
            (
                _,
                RoundsPosition::BetweenCalls | RoundsPosition::Completed | RoundsPosition::EndedOtherwise,
            )
            | (Self::Api, RoundsPosition::Running) => 0,
        }
    }
}

/// One story: what was told, and what the journals held after the kill and at the end.
pub struct RoundKillStory<'a> {
    pub engine: SweepEngine,
    /// Whose turns the provider counted.
    pub key: &'a str,
    pub told: &'a BTreeSet<String>,
    pub killed: &'a RoundsJournals,
    pub ended: &'a RoundsJournals,
}

pub fn judge(
    program: &ProgramInstallation,
    simulator: &SimulatorProcess,
    story: &RoundKillStory<'_>,
) -> anyhow::Result<KillTally> {
    let mut told = KillTally::default();
    let known: BTreeSet<String> = story.ended.keys().map(ToString::to_string).collect();
    for id in story.told.iter().filter(|id| !known.contains(*id)) {
        told.fault(LOST, format!("{id} was told and is in no journal"));
    }
    for (id, then) in story.killed {
        match story.ended.get(id) {
            None => told.fault(LOST, format!("{id} was on disk and is gone")),
            Some(now) => check_progress(story.engine, id, then, now, &mut told),
        }
    }
    for (id, held) in story.ended {
        ended(program, id, held, &mut told)?;
    }
    paid(simulator, story, &mut told)?;
    Ok(told)
}

/// From where the journal stood, with everything it held.
fn check_progress(
    engine: SweepEngine,
    id: &RunId,
    then: &RoundsJournalState,
    now: &RoundsJournalState,
    told: &mut KillTally,
) {
    if !now.answered.starts_with(&then.answered) {
        let (had, has) = (then.answered.len(), now.answered.len());
        told.fault(LOST, format!("{id} had {had} recorded answers; now it has {has}, and not the same"));
    }
    let given_up = now.given_up.saturating_sub(then.given_up);
    if given_up > engine.lost_by_a_kill_at(then.at) {
        told.fault(UNTRUE, format!("{id} gave up {given_up} calls after a kill while {:?}", then.at));
    }
}

/// With a report that is shown, after rounds in order.
fn ended(
    program: &ProgramInstallation,
    id: &RunId,
    held: &RoundsJournalState,
    told: &mut KillTally,
) -> anyhow::Result<()> {
    let shown = program.run(&["runs", "show", &id.to_string(), "--json"])?;
    let document = shown.json();
    let (status, report) = (field(&document, "status"), field(&document, "report"));
    if held.at == RoundsPosition::Completed && status == "completed" && !report.is_empty() {
        told.count("completed", 1);
    } else {
        told.fault(
            UNTRUE,
            format!("{id} rests as {:?} and is shown as `{status}`: {}", held.at, shown.stderr),
        );
    }
    if !held.answered.iter().map(|(round, _)| *round).eq(1..=u32::try_from(held.answered.len())?) {
        told.fault(UNTRUE, format!("{id} answered rounds out of order: {:?}", held.answered));
    }
    told.count("answered", held.answered.len());
    told.count("perhaps paid", held.given_up as usize);
    Ok(())
}

/// Every call that the provider charged is in a journal, and none was repeated without a word about it.
fn paid(
    simulator: &SimulatorProcess,
    story: &RoundKillStory<'_>,
    told: &mut KillTally,
) -> anyhow::Result<()> {
    let ProviderCharges { charged, repeated } = ProviderCharges::charges_for(simulator, story.key)?;
    let sum = |count: fn(&RoundsJournalState) -> u32| {
        story.ended.values().map(|held| count(held) as usize).sum::<usize>()
    };
    let (calls, given_up) = (sum(|held| held.calls), sum(|held| held.given_up));
    if charged > calls {
        told.fault(UNRECORDED, format!("{charged} calls were charged and {calls} are recorded"));
    }
    if repeated > given_up {
        told.fault(
            UNRECORDED,
            format!("{repeated} calls were repeated and {given_up} recorded as perhaps paid"),
        );
    }
    told.count("charged", charged);
    told.count("never sent", calls.saturating_sub(charged));
    Ok(())
}

/// What the provider counted for one key.
pub struct ProviderCharges {
    pub charged: usize,
    /// Charged although the very same prompt had been charged before.
    repeated: usize,
}

impl ProviderCharges {
    pub fn charges_for(simulator: &SimulatorProcess, key: &str) -> anyhow::Result<Self> {
        let ledger = simulator.get("ledger")?;
        let turns = ledger.get("turns").and_then(Value::as_array).context("the ledger has no turns")?;
        let charged: Vec<&str> = turns
            .iter()
            .filter(|turn| field(turn, "key") == key)
            .filter(|turn| turn.get("charged").and_then(Value::as_bool) == Some(true))
            .map(|turn| field(turn, "prompt"))
            .collect();
        let prompts: BTreeSet<&str> = charged.iter().copied().collect();
        Ok(Self { charged: charged.len(), repeated: charged.len() - prompts.len() })
    }
}

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

#[cfg(test)]
mod tests {
    use probity_research::{Digest, RunId};

    use super::{
        KillTally, LOST, RoundsJournalState, RoundsPosition as At, SweepEngine, UNTRUE, check_progress,
    };

    fn held(at: At, answers: u8, given_up: u32) -> RoundsJournalState {
        let answered = (1..=answers).map(|round| (u32::from(round), Digest([round; 32]))).collect();
        RoundsJournalState { at, answered, calls: u32::from(answers) + given_up, given_up }
    }

    #[track_caller]
    fn check(engine: SweepEngine, then: (At, u8, u32), now: (u8, u32), expected: (usize, usize)) {
        let mut told = KillTally::default();
        let (then, now) = (held(then.0, then.1, then.2), held(At::Completed, now.0, now.1));
        check_progress(engine, &RunId::from_random(1), &then, &now, &mut told);
        assert_eq!((told.wrong(LOST), told.wrong(UNTRUE)), expected, "{told:?}");
    }

    #[test]
    fn an_answer_that_was_recorded_must_still_be_there() {
        check(SweepEngine::Api, (At::BetweenCalls, 2, 0), (3, 0), (0, 0));
        check(SweepEngine::Api, (At::BetweenCalls, 2, 0), (1, 0), (1, 0));
    }

    #[test]
    fn only_a_call_that_nobody_can_find_again_may_be_given_up() {
        check(SweepEngine::Api, (At::Intended, 1, 0), (3, 1), (0, 0));
        check(SweepEngine::Api, (At::Running, 1, 0), (3, 1), (0, 1));
        check(SweepEngine::Cli, (At::Running, 1, 1), (3, 2), (0, 0));
        check(SweepEngine::Cli, (At::Running, 1, 0), (3, 2), (0, 1));
        check(SweepEngine::Cli, (At::BetweenCalls, 1, 0), (3, 1), (0, 1));
    }
}
