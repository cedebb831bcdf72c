//! Watches the memory of this process's children while a measurement runs.

use std::{
    fs,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
    time::Duration,
};

/// Often enough to meet a process that fills its memory within a tenth of a second.
const EVERY: Duration = Duration::from_millis(5);

pub struct ChildMemoryWatch {
    over: Arc<AtomicBool>,
    peak: Arc<AtomicU64>,
    thread: thread::JoinHandle<()>,
}

impl ChildMemoryWatch {
    pub fn start() -> Self {
        let (over, peak) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
        let (ending, highest) = (Arc::clone(&over), Arc::clone(&peak));
        let thread = thread::spawn(move || {
            while !ending.load(Ordering::Relaxed) {
                for bytes in children() {
                    highest.fetch_max(bytes, Ordering::Relaxed);
                }
                thread::sleep(EVERY);
            }
        });
        Self { over, peak, thread }
    }

    /// The most that one child held, in bytes.
    pub fn end(self) -> u64 {
        self.over.store(true, Ordering::Relaxed);
        // A watch that panicked has seen nothing, and its zero fails the figure.
        self.thread.join().ok();
        self.peak.load(Ordering::Relaxed)
    }
}

/// Peak memory of each child that has become another program: before that its memory is ours.
fn children() -> Vec<u64> {
    let own = std::process::id();
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries
        .filter_map(|entry| {
            let status = fs::read_to_string(entry.path().join("status")).ok()?;
            let field = |name: &str| status.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
            let parent: u32 = field("PPid:")?.parse().ok()?;
            if parent != own || field("Name:")? == "figures" {
                return None;
            }
            let kib: u64 = field("VmHWM:")?.split_whitespace().next()?.parse().ok()?;
            Some(kib * 1024)
        })
        .collect()
}
