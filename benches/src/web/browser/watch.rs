//! Watches the processes of a browser from beside it: how many, how large, and which are left.
//!
//! Chromium writes its titles over its environment, so its processes are known by their group, which is found by the
//! folder that the first of them carries.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

use crate::rounds::supervision::processes;

/// Between two looks; a render takes a second.
const LOOK_EVERY: Duration = Duration::from_millis(50);

#[derive(Debug, Clone, Default)]
pub struct BrowserProcesses {
    pub groups: BTreeSet<i32>,
    pub processes_max: usize,
    /// Shared pages counted once.
    pub bytes_max: u64,
}

pub struct BrowserProcessWatch {
    seen: Arc<Mutex<BrowserProcesses>>,
    over: Arc<AtomicBool>,
    thread: Option<thread::JoinHandle<()>>,
}

impl BrowserProcessWatch {
    pub fn start(place: &Path) -> Self {
        let (seen, over) =
            (Arc::new(Mutex::new(BrowserProcesses::default())), Arc::new(AtomicBool::new(false)));
        let (place, to, until): (PathBuf, _, _) = (place.to_owned(), Arc::clone(&seen), Arc::clone(&over));
        let thread = thread::spawn(move || {
            while !until.load(Ordering::Relaxed) {
                sample_processes(&place, &to);
                thread::sleep(LOOK_EVERY);
            }
        });
        Self { seen, over, thread: Some(thread) }
    }

    pub fn so_far(&self) -> BrowserProcesses {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub fn stop(mut self) -> BrowserProcesses {
        self.over.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.join().ok();
        }
        self.so_far()
    }
}

fn sample_processes(place: &Path, to: &Mutex<BrowserProcesses>) {
    let leaders = processes::processes_of(place, None);
    let mut seen = to.lock().unwrap_or_else(PoisonError::into_inner);
    // The starting process itself is in the group of whoever measures until it has its own.
    let own = group(std::process::id());
    seen.groups
        .extend(leaders.iter().filter_map(|leader| group(leader.pid)).filter(|group| Some(*group) != own));
    let members = members(&seen.groups);
    seen.processes_max = seen.processes_max.max(members.len());
    let bytes = members.iter().map(|pid| share(*pid)).sum();
    seen.bytes_max = seen.bytes_max.max(bytes);
}

/// Living processes of these groups.
pub fn members(groups: &BTreeSet<i32>) -> Vec<u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let ids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    ids.filter(|pid| group(*pid).is_some_and(|group| groups.contains(&group))).collect()
}

/// The group of a living process; the dead that nobody has counted yet have none.
fn group(pid: u32) -> Option<i32> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
    let state = fields.next()?;
    fields.nth(1)?.parse().ok().filter(|_| state != "Z" && state != "X")
}

fn share(pid: u32) -> u64 {
    let text = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("Pss:")).unwrap_or("0 kB");
    line.split_whitespace().next().and_then(|number| number.parse::<u64>().ok()).unwrap_or(0) * 1024
}
