//! What must be true of a research on the web engine after kills and restarts, and what was not.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Context as _;
use probity_research::{RunId, status::RunStatus};
use serde_json::Value;

use super::journal::{GatherJournalState, PaidCall};
use crate::rig::SimulatorProcess;

pub type GatherJournals = BTreeMap<RunId, GatherJournalState>;

/// What the outside world counted.
#[derive(Debug, Clone, Default)]
pub struct OutsideCounts {
    /// How often each page was asked for.
    pub fetches: BTreeMap<String, u64>,
    pub paid: BTreeMap<PaidCall, usize>,
    /// Model calls that were charged although their very prompt had been charged before.
    pub repeated: usize,
}

impl OutsideCounts {
    pub fn of(simulator: &SimulatorProcess) -> anyhow::Result<Self> {
        let (web, chat) = (simulator.get("web/ledger")?, simulator.get("chat/ledger")?);
        let mut world = Self::default();
        let fetches = web.get("fetches").and_then(Value::as_object).context("the ledger has no fetches")?;
        for (address, count) in fetches.iter().filter(|(address, _)| !address.ends_with("/robots.txt")) {
            world.fetches.insert(address.clone(), count.as_u64().unwrap_or(0));
        }
        let searches = web.get("searches").and_then(Value::as_array).context("the ledger has no searches")?;
        let number = |value: &Value, name: &str| value.get(name).and_then(Value::as_u64).unwrap_or(0);
        let text = |value: &Value, name: &str| {
            value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        for search in searches.iter().filter(|search| number(search, "charged_micro_usd") > 0) {
            *world.paid.entry(PaidCall::Search(text(search, "query"))).or_default() += 1;
        }
        for entry in chat.get("entries").and_then(Value::as_array).context("the ledger has no entries")? {
            let asked = text(entry, "asked");
            let kind = ["plan", "choose", "read", "write"].into_iter().find(|kind| *kind == asked);
            *world.paid.entry(PaidCall::Model(kind.unwrap_or("unknown"))).or_default() += 1;
        }
        world.repeated = usize::try_from(number(&chat, "repeated"))?;
        Ok(world)
    }
}

/// What one story left behind, counted.
#[derive(Debug, Default, Clone)]
pub struct GatherKillJudgement {
    /// Pages that were stored and were fetched again.
    pub fetched_again: Vec<String>,
    /// Paid calls of which no journal tells.
    pub unrecorded: Vec<String>,
    /// Ids or events that are gone, and researches that did not complete.
    pub lost: Vec<String>,
    pub completed: usize,
    pub stored_at_kill: usize,
    pub pages: u64,
    pub charged: usize,
    pub repeated: usize,
    pub perhaps_paid: usize,
    /// Recorded as perhaps paid, and the world never heard of it.
    pub never_sent: usize,
}

impl GatherKillJudgement {
    pub fn add(&mut self, other: Self) {
        self.fetched_again.extend(other.fetched_again);
        self.unrecorded.extend(other.unrecorded);
        self.lost.extend(other.lost);
        self.completed += other.completed;
        self.stored_at_kill += other.stored_at_kill;
        self.pages += other.pages;
        self.charged += other.charged;
        self.repeated += other.repeated;
        self.perhaps_paid += other.perhaps_paid;
        self.never_sent += other.never_sent;
    }

    pub fn wrong(&mut self) -> impl Iterator<Item = &mut String> {
        self.fetched_again.iter_mut().chain(&mut self.unrecorded).chain(&mut self.lost)
    }
}

/// One kill: what the journals held and what the world had counted.
pub struct KillRecord {
    pub journals: GatherJournals,
    pub world: OutsideCounts,
}

pub fn judge(
    told: &BTreeSet<String>,
    kills: &[KillRecord],
    ended: &GatherJournals,
    world: &OutsideCounts,
) -> GatherKillJudgement {
    let mut judged = GatherKillJudgement::default();
    let known: BTreeSet<String> = ended.keys().map(ToString::to_string).collect();
    for id in told.iter().filter(|id| !known.contains(*id)) {
        judged.lost.push(format!("{id} was told and is in no journal"));
    }
    for kill in kills {
        for (id, then) in &kill.journals {
            check_after_restart(id, then, ended.get(id), &mut judged);
            not_fetched_again(then, &kill.world, world, &mut judged);
        }
    }
    for (id, held) in ended {
        if held.status == RunStatus::Completed {
            judged.completed += 1;
        } else {
            judged.lost.push(format!("{id} rests as {:?}", held.status));
        }
        judged.perhaps_paid += held.perhaps.values().sum::<usize>();
    }
    paid(ended, world, &mut judged);
    judged.pages += world.fetches.values().sum::<u64>();
    judged
}

fn check_after_restart(
    id: &RunId,
    then: &GatherJournalState,
    now: Option<&GatherJournalState>,
    judged: &mut GatherKillJudgement,
) {
    match now {
        None => judged.lost.push(format!("{id} was on disk and is gone")),
        Some(now) if !now.events.starts_with(&then.events) => {
            judged.lost.push(format!("{id} lost events that were on disk"));
        }
        Some(_) => {}
    }
}

fn not_fetched_again(
    then: &GatherJournalState,
    at_kill: &OutsideCounts,
    world: &OutsideCounts,
    judged: &mut GatherKillJudgement,
) {
    let count = |world: &OutsideCounts, page: &String| world.fetches.get(page).copied().unwrap_or(0);
    judged.stored_at_kill += then.stored.len();
    for page in &then.stored {
        let (before, after) = (count(at_kill, page), count(world, page));
        if after > before {
            judged.fetched_again.push(format!("{page} was stored and fetched {} times more", after - before));
        }
    }
}

/// Every call that the world charged is in a journal, answered or as perhaps paid; so is every repetition.
fn paid(ended: &GatherJournals, world: &OutsideCounts, judged: &mut GatherKillJudgement) {
    for (paid, charged) in &world.paid {
        let recorded: usize = ended.values().map(|held| held.recorded(paid)).sum();
        if *charged > recorded {
            judged
                .unrecorded
                .push(format!("{paid:?} was charged {charged} times and is recorded {recorded} times"));
        }
        judged.charged += charged;
    }
    let perhaps = |wanted: fn(&PaidCall) -> bool| -> usize {
        let maps = ended.values().flat_map(|held| &held.perhaps);
        maps.filter(|(paid, _)| wanted(paid)).map(|(_, count)| count).sum()
    };
    let of_model = perhaps(|paid| matches!(paid, PaidCall::Model(_)));
    if world.repeated > of_model {
        judged.unrecorded.push(format!(
            "{} model calls were repeated and {of_model} are recorded as perhaps paid",
            world.repeated
        ));
    }
    let again = |(paid, count): (&PaidCall, &usize)| {
        if matches!(paid, PaidCall::Search(_)) { count.saturating_sub(1) } else { 0 }
    };
    judged.repeated += world.repeated + world.paid.iter().map(again).sum::<usize>();
    let kinds: BTreeSet<&PaidCall> =
        ended.values().flat_map(|held| held.answered.keys().chain(held.perhaps.keys())).collect();
    for kind in kinds {
        let recorded: usize = ended.values().map(|held| held.recorded(kind)).sum();
        judged.never_sent += recorded.saturating_sub(world.paid.get(kind).copied().unwrap_or(0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held(status: RunStatus, stored: &[&str], answered: usize, perhaps: usize) -> GatherJournals {
        let search = || PaidCall::Search("q".to_owned());
        let held = GatherJournalState {
            status,
            events: Vec::new(),
            stored: stored.iter().map(|page| (*page).to_owned()).collect(),
            answered: BTreeMap::from([(search(), answered)]),
            perhaps: BTreeMap::from([(search(), perhaps)]),
        };
        BTreeMap::from([(RunId::from_random(1), held)])
    }

    fn world(fetches: u64, searches: usize) -> OutsideCounts {
        OutsideCounts {
            fetches: BTreeMap::from([("http://a.example/".to_owned(), fetches)]),
            paid: BTreeMap::from([(PaidCall::Search("q".to_owned()), searches)]),
            repeated: 0,
        }
    }

    #[test]
    fn a_stored_page_must_not_be_fetched_again_and_another_may() {
        let judged = |stored: &[&str]| {
            let kill =
                KillRecord { journals: held(RunStatus::RunningAsync, stored, 1, 0), world: world(1, 1) };
            judge(&BTreeSet::new(), &[kill], &held(RunStatus::Completed, stored, 1, 0), &world(2, 1))
        };
        assert_eq!(judged(&["http://a.example/"]).fetched_again.len(), 1);
        assert_eq!(judged(&[]).fetched_again.len(), 0);
    }

    #[test]
    fn a_payment_is_recorded_with_its_answer_or_as_perhaps_paid() {
        let judged = |charged, answered, perhaps| {
            judge(
                &BTreeSet::new(),
                &[],
                &held(RunStatus::Completed, &[], answered, perhaps),
                &world(0, charged),
            )
        };
        assert!(judged(2, 1, 1).unrecorded.is_empty());
        assert_eq!(judged(2, 1, 0).unrecorded.len(), 1);
        assert_eq!((judged(1, 1, 1).never_sent, judged(1, 1, 1).unrecorded.len()), (1, 0));
    }

    #[test]
    fn what_was_told_must_be_there_and_completed() {
        let told = BTreeSet::from(["res_x".to_owned()]);
        let judged = judge(&told, &[], &held(RunStatus::Failed, &[], 0, 0), &OutsideCounts::default());
        assert_eq!((judged.lost.len(), judged.completed), (2, 0));
    }
}
