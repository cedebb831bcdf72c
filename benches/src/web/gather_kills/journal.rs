//! What the journals of a data directory tell of researches on the web engine, read from a copy: looking must not
//! count as a restart.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use probity_research::{
    Event, Recorded, Research, ResearchId,
    status::Status,
    web::{
        BillBasis,
        search::ProviderName,
        task::{Outcome, Task},
    },
};

use crate::journals;

/// A call that somebody may pay for, as the journal tells of it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Paid {
    Search(String),
    /// `plan`, `choose`, `read` or `write`.
    Model(&'static str),
}

#[derive(Debug, Clone)]
pub struct Held {
    pub status: Status,
    pub events: Vec<Recorded>,
    /// Addresses of pages whose bytes are stored and named.
    pub stored: BTreeSet<String>,
    /// Calls with an answer, and calls recorded as perhaps paid.
    pub answered: BTreeMap<Paid, usize>,
    pub perhaps: BTreeMap<Paid, usize>,
}

impl Held {
    pub fn recorded(&self, paid: &Paid) -> usize {
        let count = |map: &BTreeMap<Paid, usize>| map.get(paid).copied().unwrap_or(0);
        count(&self.answered) + count(&self.perhaps)
    }
}

/// Every research on the web engine below `data`.
pub fn held(data: &Path, scratch: &Path) -> anyhow::Result<BTreeMap<ResearchId, Held>> {
    let all = journals::all(data, scratch)?.into_iter();
    let on_the_web = all.filter(|(research, _)| research.plan.web.is_some());
    Ok(on_the_web.map(|(research, events)| (research.id, held_by(&research, events))).collect())
}

fn held_by(research: &Research, events: Vec<Recorded>) -> Held {
    let mut held = Held {
        status: Status::of(research),
        events: Vec::new(),
        stored: BTreeSet::new(),
        answered: BTreeMap::new(),
        perhaps: BTreeMap::new(),
    };
    for recorded in &events {
        let Event::GatherDone { task, outcome, bill } = &recorded.event else { continue };
        if let Outcome::Page(kept) = outcome {
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
fn paid(research: &Research, task: Task) -> Option<Paid> {
    match task {
        Task::Search { query, provider: ProviderName::Tavily } => {
            let queries = &research.gathering.as_ref()?.queries;
            Some(Paid::Search(queries.get(usize::try_from(query).ok()?)?.query.clone()))
        }
        Task::Search { .. } | Task::Folder { .. } | Task::Page { .. } => None,
        Task::Plan { .. } => Some(Paid::Model("plan")),
        Task::Choose { .. } => Some(Paid::Model("choose")),
        Task::Read { .. } => Some(Paid::Model("read")),
        Task::Write => Some(Paid::Model("write")),
    }
}
