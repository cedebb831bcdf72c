//! What the journals of a data directory hold, read from a copy: looking must not count as a restart.

use std::{collections::BTreeMap, fs, path::Path, sync::Arc};

use anyhow::Context as _;
use probity_research::{
    Digest, Event, Recorded, Research, ResearchId,
    rounds::{Course, course::Billed},
    seams::Journal as _,
    state::Phase,
    status::Status,
};
use probity_runner::SystemClock;
use probity_store::{Clocks, ListFilter, OpenOptions, Store};

use crate::foundation::laptop::random;

/// Folders below a data directory; it has two levels.
const DEPTH_MAX: usize = 8;

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
    let mut held = BTreeMap::new();
    for row in store.list(&ListFilter::default())? {
        let events = runtime.block_on(store.load(row.id)).context("loading a journal")?;
        let research = Research::replay(row.id, &events)?;
        if let Some(course) = &research.course {
            held.insert(row.id, held_by(&research, course, &events));
        }
    }
    Ok(held)
}

fn held_by(research: &Research, course: &Course, events: &[Recorded]) -> Held {
    let at = match (&research.phase, Status::of(research)) {
        (_, Status::Completed) => At::Completed,
        (Phase::Asked, _) => At::BetweenCalls,
        (Phase::Intended { .. }, _) => At::Intended,
        (Phase::Running, _) => At::Running,
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
