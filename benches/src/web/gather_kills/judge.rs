//! What must be true of a research on the web engine after kills and restarts, and what was not: the journals, read
//! from a copy because looking must not count as a restart, against what the outside world counted.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use anyhow::Context as _;
use probity_research::{
    Event, RunId, RunState, StoredEvent,
    status::RunStatus,
    web::{
        BillBasis,
        search::ProviderName,
        task::{WebTask, WebTaskOutcome},
    },
};
use serde_json::Value;

use crate::{
    foundation::kill_sweep::program::field,
    journals,
    kill_harness::{KillTally, requests::page_fetches},
    rig::SimulatorProcess,
};

/// Pages that were stored and were fetched again.
pub const AGAIN: &str = "fetched again";
/// Paid calls of which no journal tells.
pub const UNRECORDED: &str = "unrecorded";
/// Ids or events that are gone, and researches that did not complete.
pub const LOST: &str = "lost";

/// Stages in which a model is asked, of the first engine and of the second.
const MODEL_STAGES: [&str; 11] = [
    "plan",
    "choose",
    "read",
    "write",
    "brief",
    "line",
    "survey",
    "outline",
    "section",
    "synthesis",
    "front",
];

pub type GatherJournals = BTreeMap<RunId, GatherJournalState>;

/// A call that somebody may pay for, as the journal tells of it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum PaidCall {
    Search(String),
    /// One of `MODEL_STAGES`.
    Model(&'static str),
}

#[derive(Debug, Clone)]
pub struct GatherJournalState {
    pub status: RunStatus,
    pub events: Vec<StoredEvent>,
    /// Addresses of pages whose bytes are stored and named.
    pub stored: BTreeSet<String>,
    /// Calls with an answer, and calls recorded as perhaps paid.
    pub answered: BTreeMap<PaidCall, usize>,
    pub perhaps: BTreeMap<PaidCall, usize>,
}

impl GatherJournalState {
    pub fn recorded(&self, paid: &PaidCall) -> usize {
        let count = |map: &BTreeMap<PaidCall, usize>| map.get(paid).copied().unwrap_or(0);
        count(&self.answered) + count(&self.perhaps)
    }
}

/// Every research on the web engine below `data`.
pub fn gather_states(data: &Path, scratch: &Path) -> anyhow::Result<GatherJournals> {
    let all = journals::all(data, scratch)?.into_iter();
    let on_the_web = all.filter(|(research, _)| research.plan.web.is_some());
    Ok(on_the_web.map(|(research, events)| (research.id, gather_state(&research, events))).collect())
}

fn gather_state(research: &RunState, events: Vec<StoredEvent>) -> GatherJournalState {
    let mut held = GatherJournalState {
        status: research.status(),
        events: Vec::new(),
        stored: BTreeSet::new(),
        answered: BTreeMap::new(),
        perhaps: BTreeMap::new(),
    };
    for recorded in &events {
        let Event::GatherDone { task, outcome, bill } = &recorded.event else { continue };
        if let WebTaskOutcome::Page(kept) = outcome {
            held.stored.insert(kept.record.asked_url.clone());
        }
        let Some(paid) = paid(research, *task) else { continue };
        match (outcome, bill.basis) {
            (_, BillBasis::Nothing) => {}
            (_, BillBasis::Unknown) => *held.perhaps.entry(paid).or_default() += 1,
            (_, BillBasis::Counted | BillBasis::AtLeast) => *held.answered.entry(paid).or_default() += 1,
        }
    }
    held.events = events;
    held
}

/// Who would be paid for a task; nobody for pages, files and free searches.
fn paid(research: &RunState, task: WebTask) -> Option<PaidCall> {
    match task {
        WebTask::Search { query, provider: ProviderName::Tavily } => {
            let queries = &research.web_state.as_ref()?.queries;
            Some(PaidCall::Search(queries.get(usize::try_from(query).ok()?)?.query.clone()))
        }
        WebTask::Search { .. } | WebTask::Folder { .. } | WebTask::Page { .. } => None,
        WebTask::Plan { .. }
        | WebTask::Choose { .. }
        | WebTask::Read { .. }
        | WebTask::Write
        | WebTask::Brief
        | WebTask::Line { .. }
        | WebTask::Survey { .. }
        | WebTask::Outline { .. }
        | WebTask::Section { .. }
        | WebTask::Synthesis
        | WebTask::Front => Some(PaidCall::Model(stage(&task))),
    }
}

/// What a task is called; a model call as the simulator's ledger calls it.
fn stage(task: &WebTask) -> &'static str {
    match task {
        WebTask::Plan { .. } => "plan",
        WebTask::Search { .. } => "search",
        WebTask::Folder { .. } => "folder",
        WebTask::Choose { .. } => "choose",
        WebTask::Page { .. } => "page",
        WebTask::Read { .. } => "read",
        WebTask::Write => "write",
        WebTask::Brief => "brief",
        WebTask::Line { .. } => "line",
        WebTask::Survey { .. } => "survey",
        WebTask::Outline { .. } => "outline",
        WebTask::Section { .. } => "section",
        WebTask::Synthesis => "synthesis",
        WebTask::Front => "front",
    }
}

/// Where a research was when its process died: at the calls that it had begun last.
fn stage_at_kill(then: &GatherJournalState) -> Option<&'static str> {
    then.events.iter().rev().find_map(|recorded| match &recorded.event {
        Event::GatherIntended { tasks } => tasks.first().map(stage),
        Event::GatherDone { task, .. } => Some(stage(task)),
        Event::CheckIntended { .. } | Event::CheckDone { .. } => Some("check"),
        _ => None,
    })
}

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
        let mut world = Self { fetches: page_fetches(simulator)?, ..Self::default() };
        let searches = web.get("searches").and_then(Value::as_array).context("the ledger has no searches")?;
        let number = |value: &Value, name: &str| value.get(name).and_then(Value::as_u64).unwrap_or(0);
        for search in searches.iter().filter(|search| number(search, "charged_micro_usd") > 0) {
            *world.paid.entry(PaidCall::Search(field(search, "query").to_owned())).or_default() += 1;
        }
        for entry in chat.get("entries").and_then(Value::as_array).context("the ledger has no entries")? {
            let kind = MODEL_STAGES.into_iter().find(|kind| *kind == field(entry, "asked"));
            *world.paid.entry(PaidCall::Model(kind.unwrap_or("unknown"))).or_default() += 1;
        }
        world.repeated = usize::try_from(number(&chat, "repeated"))?;
        Ok(world)
    }
}

/// One kill: what the journals held and what the world had counted.
#[derive(Clone)]
pub struct KillRecord {
    pub journals: GatherJournals,
    pub world: OutsideCounts,
}

pub fn judge(
    told: &BTreeSet<String>,
    kills: &[KillRecord],
    ended: &GatherJournals,
    world: &OutsideCounts,
) -> KillTally {
    let mut judged = KillTally::default();
    let known: BTreeSet<String> = ended.keys().map(ToString::to_string).collect();
    for id in told.iter().filter(|id| !known.contains(*id)) {
        judged.fault(LOST, format!("{id} was told and is in no journal"));
    }
    for kill in kills {
        for (id, then) in &kill.journals {
            if let Some(stage) = stage_at_kill(then) {
                judged.count(stage, 1);
            }
            check_after_restart(id, then, ended.get(id), &mut judged);
            not_fetched_again(then, &kill.world, world, &mut judged);
        }
    }
    for (id, held) in ended {
        if held.status == RunStatus::Completed {
            judged.count("completed", 1);
        } else {
            judged.fault(LOST, format!("{id} rests as {:?}", held.status));
        }
        judged.count("perhaps paid", held.perhaps.values().sum());
    }
    check_payments(ended, world, &mut judged);
    judged.count("pages", world.fetches.values().sum::<u64>() as usize);
    judged
}

fn check_after_restart(
    id: &RunId,
    then: &GatherJournalState,
    now: Option<&GatherJournalState>,
    judged: &mut KillTally,
) {
    match now {
        None => judged.fault(LOST, format!("{id} was on disk and is gone")),
        Some(now) if !now.events.starts_with(&then.events) => {
            judged.fault(LOST, format!("{id} lost events that were on disk"));
        }
        Some(_) => {}
    }
}

fn not_fetched_again(
    then: &GatherJournalState,
    at_kill: &OutsideCounts,
    world: &OutsideCounts,
    judged: &mut KillTally,
) {
    let count = |world: &OutsideCounts, page: &String| world.fetches.get(page).copied().unwrap_or(0);
    judged.count("stored at kill", then.stored.len());
    for page in &then.stored {
        let (before, after) = (count(at_kill, page), count(world, page));
        if after > before {
            judged.fault(AGAIN, format!("{page} was stored and fetched {} times more", after - before));
        }
    }
}

/// Every call that the world charged is in a journal, answered or as perhaps paid; so is every repetition.
fn check_payments(ended: &GatherJournals, world: &OutsideCounts, judged: &mut KillTally) {
    for (paid, charged) in &world.paid {
        let recorded: usize = ended.values().map(|held| held.recorded(paid)).sum();
        if *charged > recorded {
            judged.fault(
                UNRECORDED,
                format!("{paid:?} was charged {charged} times and is recorded {recorded} times"),
            );
        }
        judged.count("charged", *charged);
    }
    let perhaps = |wanted: fn(&PaidCall) -> bool| -> usize {
        let maps = ended.values().flat_map(|held| &held.perhaps);
        maps.filter(|(paid, _)| wanted(paid)).map(|(_, count)| count).sum()
    };
    let of_model = perhaps(|paid| matches!(paid, PaidCall::Model(_)));
    if world.repeated > of_model {
        judged.fault(
            UNRECORDED,
            format!(
                "{} model calls were repeated and {of_model} are recorded as perhaps paid",
                world.repeated
            ),
        );
    }
    let again = |(paid, count): (&PaidCall, &usize)| {
        if matches!(paid, PaidCall::Search(_)) { count.saturating_sub(1) } else { 0 }
    };
    judged.count("repeated", world.repeated + world.paid.iter().map(again).sum::<usize>());
    let kinds: BTreeSet<&PaidCall> =
        ended.values().flat_map(|held| held.answered.keys().chain(held.perhaps.keys())).collect();
    for kind in kinds {
        let recorded: usize = ended.values().map(|held| held.recorded(kind)).sum();
        judged.count("never sent", recorded.saturating_sub(world.paid.get(kind).copied().unwrap_or(0)));
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
        assert_eq!(judged(&["http://a.example/"]).wrong(AGAIN), 1);
        assert_eq!(judged(&[]).wrong(AGAIN), 0);
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
        assert_eq!(judged(2, 1, 1).wrong(UNRECORDED), 0);
        assert_eq!(judged(2, 1, 0).wrong(UNRECORDED), 1);
        assert_eq!((judged(1, 1, 1).get("never sent"), judged(1, 1, 1).wrong(UNRECORDED)), (1, 0));
    }

    #[test]
    fn what_was_told_must_be_there_and_completed() {
        let told = BTreeSet::from(["res_x".to_owned()]);
        let judged = judge(&told, &[], &held(RunStatus::Failed, &[], 0, 0), &OutsideCounts::default());
        assert_eq!((judged.wrong(LOST), judged.get("completed")), (2, 0));
    }
}
