//! Which processes belong to a place: everything that was started for it carries its path in its environment or works
//! below it, whatever group, session or parent it moved to.

use std::{fs, path::Path, thread, time::Duration};

use crate::rig;

/// After this long nothing may be left of a child.
pub const GONE_MAX: Duration = Duration::from_secs(5);
/// Between two looks.
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// Longer than any command line here; a stranger's must not make the measuring program large.
const WORDS_CHARACTERS_MAX: usize = 16 * 1024;

#[derive(Debug, Clone)]
pub struct LiveProcess {
    pub pid: u32,
    /// Its command line.
    pub words: String,
}

/// All living processes with `place` in their environment or working below it, but for the one with the number `except`.
pub fn processes_of(place: &Path, except: Option<u32>) -> Vec<LiveProcess> {
    let needle = place.as_os_str().as_encoded_bytes();
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let ids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    ids.filter(|pid| Some(*pid) != except && *pid != std::process::id())
        .filter_map(|pid| {
            // Those that end while we look are passed over; the dead have no environment.
            let environment = fs::read(format!("/proc/{pid}/environ")).ok()?;
            let works_here =
                || fs::read_link(format!("/proc/{pid}/cwd")).is_ok_and(|folder| folder.starts_with(place));
            (names(&environment, needle) || works_here()).then(|| LiveProcess { pid, words: words(pid) })
        })
        .collect()
}

/// What is left of them after `GONE_MAX`; looks until nothing is.
pub fn wait_until_gone(place: &Path, except: Option<u32>) -> Vec<LiveProcess> {
    let until = rig::now() + GONE_MAX;
    loop {
        let living = processes_of(place, except);
        if living.is_empty() || rig::now() >= until {
            return living;
        }
        thread::sleep(LOOK_EVERY);
    }
}

/// Waits until a condition holds; says whether it did in time.
pub fn within(limit: Duration, mut holds: impl FnMut() -> bool) -> bool {
    let until = rig::now() + limit;
    loop {
        if holds() {
            return true;
        }
        if rig::now() >= until {
            return false;
        }
        thread::sleep(LOOK_EVERY);
    }
}

/// The path itself or one below it; `trial-1` is not `trial-12`.
fn names(environment: &[u8], path: &[u8]) -> bool {
    let mut starts = environment.windows(path.len()).enumerate().filter(|(_, part)| *part == path);
    starts.any(|(at, _)| matches!(environment.get(at + path.len()), None | Some(b'/' | b'\0')))
}

/// Its command line; empty when it is gone.
pub fn words(pid: u32) -> String {
    let words = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let words = String::from_utf8_lossy(&words).replace('\0', " ");
    words.chars().take(WORDS_CHARACTERS_MAX).collect()
}
