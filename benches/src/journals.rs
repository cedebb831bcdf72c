//! The journals of a data directory, read from a copy: looking must not count as a restart.

use std::{fs, path::Path, sync::Arc};

use anyhow::Context as _;
use probity_research::{RunState, StoredEvent, ports::Journal as _};
use probity_runner::SystemClock;
use probity_store::{Clocks, ListFilter, Store, StoreOptions};

use crate::foundation::laptop::random;

/// Folders below a data directory; it has two levels, and pages that are kept have two more.
const DEPTH_MAX: usize = 8;

/// Every research below `data`, with its events.
pub fn all(data: &Path, scratch: &Path) -> anyhow::Result<Vec<(RunState, Vec<StoredEvent>)>> {
    if !data.is_dir() {
        return Ok(Vec::new());
    }
    let copy = scratch.join("copy");
    fs::remove_dir_all(&copy).ok();
    copy_folder(data, &copy)?;
    let read = read(&copy);
    fs::remove_dir_all(&copy).ok();
    read
}

fn read(data: &Path) -> anyhow::Result<Vec<(RunState, Vec<StoredEvent>)>> {
    let clocks = Clocks::of(Arc::new(SystemClock::default()));
    let store = Store::open(data, StoreOptions::new(random(), clocks, data.join("rescue")))?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let mut all = Vec::new();
    for row in store.list(&ListFilter::default())? {
        let events = runtime.block_on(store.load(row.id)).context("loading a journal")?;
        all.push((RunState::replay(row.id, &events)?, events));
    }
    Ok(all)
}

/// Files and folders; sockets and links are nothing a journal lies in.
pub fn copy_folder(from: &Path, to: &Path) -> anyhow::Result<()> {
    copy_below(from, to, DEPTH_MAX)
}

fn copy_below(from: &Path, to: &Path, depth: usize) -> anyhow::Result<()> {
    anyhow::ensure!(depth > 0, "a data directory that deep is none: {}", from.display());
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from).with_context(|| format!("reading {}", from.display()))? {
        let entry = entry?;
        let kind = entry.file_type()?;
        let target = to.join(entry.file_name());
        if kind.is_dir() {
            copy_below(&entry.path(), &target, depth - 1)?;
        } else if kind.is_file() {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}
