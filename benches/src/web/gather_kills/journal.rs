//! What the journals of a data directory tell of researches on the web engine, read from a copy: looking must not
//! count as a restart.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use probity_research::{
    Event, RunId, RunState, StoredEvent,
    status::RunStatus,
    web::{
        BillBasis,
        search::ProviderName,
        task::{WebTask, WebTaskOutcome},
    },
};

use crate::journals;

/// A call that somebody may pay for, as the journal tells of it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum PaidCall {
    Search(String),
    /// `plan`, `choose`, `read` or `write`.
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
pub fn gather_states(data: &Path, scratch: &Path) -> anyhow::Result<BTreeMap<RunId, GatherJournalState>> {
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
        WebTask::Plan { .. } => Some(PaidCall::Model("plan")),
        WebTask::Choose { .. } => Some(PaidCall::Model("choose")),
        WebTask::Read { .. } => Some(PaidCall::Model("read")),
        WebTask::Write => Some(PaidCall::Model("write")),
    }
}
