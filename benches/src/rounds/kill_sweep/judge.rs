//! What must be true of a search in rounds after a kill and a restart, and what was not.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Context as _;
use probity_research::RunId;
use serde_json::Value;

use super::journal::{RoundsJournalState, RoundsPosition};
use crate::{
    foundation::kill_sweep::program::{ProgramInstallation, field},
    rig::SimulatorProcess,
};

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

/// What one search left behind, counted.
#[derive(Debug, Default, Clone)]
pub struct RoundKillJudgement {
    /// Ids that were told and are gone; answers that were recorded and are gone.
    pub lost: Vec<String>,
    /// Calls that were paid for and that no journal tells of.
    pub unrecorded: Vec<String>,
    /// Searches that did not go on where they stood, or did not end with a report.
    pub untrue: Vec<String>,
    pub completed: usize,
    /// Rounds with an answer.
    pub answered: usize,
    /// Calls paid for, as the provider counts them.
    pub charged: usize,
    /// Calls recorded as perhaps paid.
    pub perhaps_paid: usize,
    /// Those of them that the provider never saw.
    pub never_sent: usize,
}

impl RoundKillJudgement {
    pub fn add(&mut self, other: Self) {
        self.lost.extend(other.lost);
        self.unrecorded.extend(other.unrecorded);
        self.untrue.extend(other.untrue);
        self.completed += other.completed;
        self.answered += other.answered;
        self.charged += other.charged;
        self.perhaps_paid += other.perhaps_paid;
        self.never_sent += other.never_sent;
    }

    pub fn wrong(&mut self) -> impl Iterator<Item = &mut String> {
        self.lost.iter_mut().chain(&mut self.unrecorded).chain(&mut self.untrue)
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
) -> anyhow::Result<RoundKillJudgement> {
    let mut judged = RoundKillJudgement::default();
    let known: BTreeSet<String> = story.ended.keys().map(ToString::to_string).collect();
    for id in story.told.iter().filter(|id| !known.contains(*id)) {
        judged.lost.push(format!("{id} was told and is in no journal"));
    }
    for (id, then) in story.killed {
        match story.ended.get(id) {
            None => judged.lost.push(format!("{id} was on disk and is gone")),
            Some(now) => check_progress(story.engine, id, then, now, &mut judged),
        }
    }
    for (id, held) in story.ended {
        ended(program, id, held, &mut judged)?;
    }
    paid(simulator, story, &mut judged)?;
    Ok(judged)
}

/// From where the journal stood, with everything it held.
fn check_progress(
    engine: SweepEngine,
    id: &RunId,
    then: &RoundsJournalState,
    now: &RoundsJournalState,
    judged: &mut RoundKillJudgement,
) {
    if !now.answered.starts_with(&then.answered) {
        let (had, has) = (then.answered.len(), now.answered.len());
        judged.lost.push(format!("{id} had {had} recorded answers; now it has {has}, and not the same"));
    }
    let given_up = now.given_up.saturating_sub(then.given_up);
    if given_up > engine.lost_by_a_kill_at(then.at) {
        judged.untrue.push(format!("{id} gave up {given_up} calls after a kill while {:?}", then.at));
    }
}

/// With a report that is shown, after rounds in order.
fn ended(
    program: &ProgramInstallation,
    id: &RunId,
    held: &RoundsJournalState,
    judged: &mut RoundKillJudgement,
) -> anyhow::Result<()> {
    let shown = program.run(&["runs", "show", &id.to_string(), "--json"])?;
    let document = shown.json();
    let (status, report) = (field(&document, "status"), field(&document, "report"));
    if held.at == RoundsPosition::Completed && status == "completed" && !report.is_empty() {
        judged.completed += 1;
    } else {
        judged
            .untrue
            .push(format!("{id} rests as {:?} and is shown as `{status}`: {}", held.at, shown.stderr));
    }
    if !held.answered.iter().map(|(round, _)| *round).eq(1..=u32::try_from(held.answered.len())?) {
        judged.untrue.push(format!("{id} answered rounds out of order: {:?}", held.answered));
    }
    judged.answered += held.answered.len();
    judged.perhaps_paid += held.given_up as usize;
    Ok(())
}

/// Every call that the provider charged is in a journal, and none was repeated without a word about it.
fn paid(
    simulator: &SimulatorProcess,
    story: &RoundKillStory<'_>,
    judged: &mut RoundKillJudgement,
) -> anyhow::Result<()> {
    let ProviderCharges { charged, repeated } = ProviderCharges::charges_for(simulator, story.key)?;
    let sum = |count: fn(&RoundsJournalState) -> u32| {
        story.ended.values().map(|held| count(held) as usize).sum::<usize>()
    };
    let (calls, given_up) = (sum(|held| held.calls), sum(|held| held.given_up));
    if charged > calls {
        judged.unrecorded.push(format!("{charged} calls were charged and {calls} are recorded"));
    }
    if repeated > given_up {
        judged
            .unrecorded
            .push(format!("{repeated} calls were repeated and {given_up} recorded as perhaps paid"));
    }
    judged.charged += charged;
    judged.never_sent += calls.saturating_sub(charged);
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

#[cfg(test)]
mod tests {
    use probity_research::{Digest, RunId};

    use super::{RoundKillJudgement, RoundsJournalState, RoundsPosition, SweepEngine, check_progress};

    fn held(at: RoundsPosition, answers: u8, given_up: u32) -> RoundsJournalState {
        let answered = (1..=answers).map(|round| (u32::from(round), Digest([round; 32]))).collect();
        RoundsJournalState { at, answered, calls: u32::from(answers) + given_up, given_up }
    }

    #[track_caller]
    fn check(
        engine: SweepEngine,
        then: &RoundsJournalState,
        now: &RoundsJournalState,
        lost: usize,
        untrue: usize,
    ) {
        let mut judged = RoundKillJudgement::default();
        check_progress(engine, &RunId::from_random(1), then, now, &mut judged);
        assert_eq!((judged.lost.len(), judged.untrue.len()), (lost, untrue), "{judged:?}");
    }

    #[test]
    fn an_answer_that_was_recorded_must_still_be_there() {
        check(
            SweepEngine::Api,
            &held(RoundsPosition::BetweenCalls, 2, 0),
            &held(RoundsPosition::Completed, 3, 0),
            0,
            0,
        );
        check(
            SweepEngine::Api,
            &held(RoundsPosition::BetweenCalls, 2, 0),
            &held(RoundsPosition::Completed, 1, 0),
            1,
            0,
        );
    }

    #[test]
    fn only_a_call_that_nobody_can_find_again_may_be_given_up() {
        check(
            SweepEngine::Api,
            &held(RoundsPosition::Intended, 1, 0),
            &held(RoundsPosition::Completed, 3, 1),
            0,
            0,
        );
        check(
            SweepEngine::Api,
            &held(RoundsPosition::Running, 1, 0),
            &held(RoundsPosition::Completed, 3, 1),
            0,
            1,
        );
        check(
            SweepEngine::Cli,
            &held(RoundsPosition::Running, 1, 1),
            &held(RoundsPosition::Completed, 3, 2),
            0,
            0,
        );
        check(
            SweepEngine::Cli,
            &held(RoundsPosition::Running, 1, 0),
            &held(RoundsPosition::Completed, 3, 2),
            0,
            1,
        );
        check(
            SweepEngine::Cli,
            &held(RoundsPosition::BetweenCalls, 1, 0),
            &held(RoundsPosition::Completed, 3, 1),
            0,
            1,
        );
    }
}
