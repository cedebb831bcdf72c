//! Looks into files, command lines and environments while a story runs and after it.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::Duration,
};

use super::{canary::CanaryKey, stories::SecretsTally};
use crate::rounds::supervision::processes;

/// Between two looks: files of the CLI that live for less hold what later ones hold too.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// Far above what a story writes; a larger one would be a bug of another kind.
const FILE_BYTES_MAX: u64 = 64 * 1024 * 1024;
/// Variables that hand the key over.
const HANDING_OVER: &str = "GEMINI_API_KEY";

/// Looks again and again while the work goes on.
pub fn during<T>(
    place: &Path,
    server: u32,
    canary: &CanaryKey,
    work: impl FnOnce() -> anyhow::Result<T>,
) -> anyhow::Result<(T, SecretsTally)> {
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        let looking = scope.spawn(|| {
            let mut told = SecretsTally::default();
            while !over.load(Ordering::Relaxed) {
                search_processes(place, Some(server), canary, &mut told);
                search_files(place, canary, &mut told);
                thread::sleep(LOOK_EVERY);
            }
            told
        });
        let done = work();
        over.store(true, Ordering::Relaxed);
        let told = looking.join().unwrap_or_default();
        done.map(|done| (done, told))
    })
}

/// Every file below the place that changed since the last look; those that go away meanwhile were looked at before
/// or held nothing.
pub fn search_files(place: &Path, canary: &CanaryKey, told: &mut SecretsTally) {
    told.file_looks += 1;
    for file in files(place) {
        let Ok(found) = fs::metadata(&file) else { continue };
        let stamp = (found.len(), found.modified().ok());
        if found.len() > FILE_BYTES_MAX || told.files.get(&file) == Some(&stamp) {
            continue;
        }
        if canary.is_in(&fs::read(&file).unwrap_or_default()) {
            told.record_sighting(format!("in the file {}", file.display()));
        }
        told.files.insert(file, stamp);
    }
}

/// All of them once more, whatever their clocks say.
pub fn search_all_files(place: &Path, canary: &CanaryKey, told: &mut SecretsTally) {
    let before = std::mem::take(&mut told.files);
    search_files(place, canary, told);
    for (file, stamp) in before {
        told.files.entry(file).or_insert(stamp);
    }
}

/// Everything that was started for the place, but for the server, which was given the key.
pub fn search_processes(place: &Path, server: Option<u32>, canary: &CanaryKey, told: &mut SecretsTally) {
    // A copy of the server that has not yet become the keeper is still the server; in the moment in which it
    // becomes it, it has no command line at all. It is seen again at the next look.
    let own = server.map(processes::words).unwrap_or_default();
    let strangers = |process: &processes::LiveProcess| !process.words.is_empty() && process.words != own;
    for process in processes::processes_of(place, server).into_iter().filter(strangers) {
        told.process_looks += 1;
        if canary.is_in(process.words.as_bytes()) {
            told.record_sighting(format!("in a command line: {}", process.words));
        }
        let entries = process.environment.split(|byte| *byte == 0).filter(|entry| canary.is_in(entry));
        for entry in entries {
            let name = String::from_utf8_lossy(entry.split(|byte| *byte == b'=').next().unwrap_or_default());
            let handed =
                name == HANDING_OVER && process.variable(HANDING_OVER).as_deref() == Some(canary.key());
            if handed {
                told.holders.insert(role(&process).to_owned());
            } else {
                told.record_sighting(format!("in the variable {name} of {}", process.words));
            }
        }
    }
}

fn role(process: &processes::LiveProcess) -> &'static str {
    if process.is_keeper() { "the keeper" } else { "the CLI" }
}

fn files(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let path = entry.path();
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => found.extend(files(&path)),
            Ok(kind) if kind.is_file() => found.push(path),
            Ok(_) | Err(_) => {}
        }
    }
    found
}
