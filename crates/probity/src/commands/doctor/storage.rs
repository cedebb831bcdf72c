//! Where runs are kept: the directory, the disk, the database and its contents.

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};

use probity_research::{Code, CodedError, RunId, status::RunStatus};
use probity_store::{IntegrityDepth, Store};

use super::{DoctorCheck, STORAGE};
use crate::{app_context::AppContext, format, missing_bytes, settings::Settings};

/// A run with a large report takes a few megabytes; below this the next one may not fit.
const FREE_BYTES_MIN: u64 = 200 * 1024 * 1024;
/// Researches named in one line.
const RUNS_NAMED_MAX: usize = 5;

pub fn all(settings: &Settings) -> Vec<DoctorCheck> {
    let directory = &settings.store_directory;
    let mut checks = vec![place(directory)];
    checks.extend(space(directory));
    match AppContext::open_to_read(settings) {
        Ok(None) => checks.push(DoctorCheck::fine(
            STORAGE,
            "database",
            "not there yet; the first research creates it",
        )),
        Ok(Some(app)) => checks.extend(database(settings, &app.store)),
        Err(failure) => checks.push(broken(settings, &failure.problem)),
    }
    checks
}

/// Checks the directory without creating it.
fn place(directory: &Path) -> DoctorCheck {
    let shown = directory.display().to_string();
    let nearest = directory.ancestors().find(|path| path.exists()).unwrap_or(directory);
    let writable = rustix::fs::access(nearest, rustix::fs::Access::WRITE_OK).is_ok();
    if !writable {
        let fix = "make it writable, or set `store.directory` in your own settings";
        return DoctorCheck::failed(STORAGE, "directory", format!("{shown} cannot be written"), fix);
    }
    match fs::metadata(directory) {
        Err(_) => DoctorCheck::fine(STORAGE, "directory", format!("{shown} (will be created)")),
        Ok(found) if found.permissions().mode() & 0o077 != 0 => DoctorCheck::warning(
            STORAGE,
            "directory",
            format!("{shown} can be read by others"),
            format!("chmod 700 {shown}"),
        ),
        Ok(_) => DoctorCheck::fine(STORAGE, "directory", format!("{shown}, private and writable")),
    }
}

fn space(directory: &Path) -> Option<DoctorCheck> {
    let nearest = directory.ancestors().find(|path| path.exists())?;
    let found = rustix::fs::statvfs(nearest).ok()?;
    let free = found.f_bavail.saturating_mul(found.f_frsize);
    let detail = format!("{} free", format::bytes(free));
    Some(match free >= FREE_BYTES_MIN {
        true => DoctorCheck::fine(STORAGE, "disk", detail),
        false => DoctorCheck::warning(STORAGE, "disk", detail, "free some disk space"),
    })
}

fn database(settings: &Settings, store: &Store) -> Vec<DoctorCheck> {
    let health = store.health();
    let detail = format!(
        "SQLite {}, version {}, {}",
        health.sqlite_version,
        health.schema_version,
        format::bytes(health.database_bytes + health.log_bytes)
    );
    let mut checks = vec![DoctorCheck::fine(STORAGE, "database", detail)];
    let checked = store.check_integrity(IntegrityDepth::Everything);
    let checked = checked.and_then(|found| Ok((found, missing_bytes::missing_by_run(store)?)));
    checks.push(match checked {
        Ok((_, missing)) if !missing.is_empty() => incomplete(settings, &missing),
        Ok((found, _)) => DoctorCheck::fine(
            STORAGE,
            "audit",
            format!(
                "whole: {}, {}, {}",
                format::count(found.researches, "research", "researches"),
                format::count(found.events, "event", "events"),
                format::count(found.blobs, "stored text", "stored texts")
            ),
        ),
        Err(problem) => broken(settings, &problem),
    });
    match store.counts() {
        Ok(counts) => checks.extend(researches(&counts)),
        Err(problem) => checks.push(broken(settings, &problem)),
    }
    checks
}

fn researches(counts: &[(RunStatus, u64)]) -> Vec<DoctorCheck> {
    let listed: Vec<String> = counts
        .iter()
        .map(|(status, number)| format!("{number} {}", status.as_str().replace('_', " ")))
        .collect();
    let detail = if listed.is_empty() { "none yet".to_owned() } else { listed.join(" · ") };
    let mut checks = vec![DoctorCheck::fine(STORAGE, "researches", detail)];
    let unknown =
        counts.iter().find(|(status, _)| *status == RunStatus::Unknown).map_or(0, |(_, number)| *number);
    if unknown > 0 {
        checks.push(DoctorCheck::warning(
            STORAGE,
            "unknown",
            format!(
                "{} may have been billed without an answer",
                format::count(unknown, "research", "researches")
            ),
            "probity runs list --status unknown",
        ));
    }
    checks
}

/// Nothing in the database is wrong: files beside it are gone, which no backup holds.
fn incomplete(settings: &Settings, missing: &[(RunId, u64)]) -> DoctorCheck {
    let count: u64 = missing.iter().map(|(_, count)| count).sum();
    let named: Vec<String> = missing.iter().take(RUNS_NAMED_MAX).map(|(id, _)| format!("`{id}`")).collect();
    let more = if missing.len() > named.len() { ", …" } else { "" };
    let detail = format!(
        "{}, of {}: {}{more}; verdicts that rest on them cannot be looked at again",
        missing_bytes::missing_words(count),
        format::count(missing.len() as u64, "research", "researches"),
        named.join(", "),
    );
    let fix = format!(
        "put them back below {} from a copy of your own (backups have none), or read the cited pages again: \
         probity recheck ID",
        settings.store_directory.join("blobs").display()
    );
    DoctorCheck::failed(STORAGE, "audit", detail, fix)
}

/// The message names the damaged file. Nothing is repaired here: a copy comes first.
fn broken(settings: &Settings, problem: &CodedError) -> DoctorCheck {
    let fix = match problem.code {
        Code::StoreCorrupt => damaged(settings),
        code => code.hint().to_owned(),
    };
    DoctorCheck::failed(STORAGE, "audit", format!("{}: {}", problem.code, problem.message), fix)
}

fn damaged(settings: &Settings) -> String {
    let directory = &settings.store_directory;
    let backups = fs::read_dir(directory.join("backups")).into_iter().flatten().flatten();
    // Copies under way have another ending.
    let is_copy = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "db");
    let copies = backups.map(|entry| entry.path()).filter(is_copy);
    match copies.max() {
        Some(backup) => format!("probity store restore (the newest backup is {})", backup.display()),
        None => format!(
            "there is no backup; keep a copy of {} and set `store.directory` anew",
            directory.display()
        ),
    }
}
