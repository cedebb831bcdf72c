//! What the journals of a data directory tell of researches on the web engine, read from a copy: looking must not
//! count as a restart.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
    sync::Arc,
};

use anyhow::Context as _;
use probity_research::{
    Event, Recorded, Research, ResearchId,
    seams::Journal as _,
    status::Status,
    web::{
        BillBasis,
        search::ProviderName,
        task::{Outcome, Task},
    },
};
use probity_runner::SystemClock;
use probity_store::{Clocks, ListFilter, OpenOptions, Store};

use crate::foundation::laptop::random;

/// Folders below a data directory; it has two levels, and pages that are kept have two more.
const DEPTH_MAX: usize = 8;

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
    if !data.is_dir() {
        return Ok(BTreeMap::new());
    }
    let copy = scratch.join("copy");
    fs::remove_dir_all(&copy).ok();
    copy_folder(data, &copy, DEPTH_MAX)?;
    let held = read(&copy);
    fs::remove_dir_all(&copy).ok();
    held
}

fn read(data: &Path) -> anyhow::Result<BTreeMap<ResearchId, Held>> {
    let clocks = Clocks::of(Arc::new(SystemClock::default()));
    let store = Store::open(data, OpenOptions::new(random(), clocks, data.join("rescue")))?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let mut all = BTreeMap::new();
    for row in store.list(&ListFilter::default())? {
        let events = runtime.block_on(store.load(row.id)).context("loading a journal")?;
        let research = Research::replay(row.id, &events)?;
        if research.plan.web.is_some() {
            all.insert(row.id, held_by(&research, events));
        }
    }
    Ok(all)
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

/// Files and folders; sockets and links are nothing a journal lies in.
fn copy_folder(from: &Path, to: &Path, depth: usize) -> anyhow::Result<()> {
    anyhow::ensure!(depth > 0, "a data directory that deep is none: {}", from.display());
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from).with_context(|| format!("reading {}", from.display()))? {
        let entry = entry?;
        let kind = entry.file_type()?;
        let target = to.join(entry.file_name());
        if kind.is_dir() {
            copy_folder(&entry.path(), &target, depth - 1)?;
        } else if kind.is_file() {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}
