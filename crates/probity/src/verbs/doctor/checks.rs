//! The single checks of `probity doctor`, in the order they are shown.

use std::{fs, os::unix::fs::PermissionsExt as _, path::Path};

use probity_research::{Code, Problem, agent::KNOWN, status::Status};
use probity_store::{Depth, Store};

use super::{Check, Provider, probe, rounds, web};
use crate::{
    context::Context,
    desk::{self, Desk},
    environment::{BASE_URL, KEYS},
    keys::Keys,
    settings::{Loaded, Settings, written::RawSettings},
    words,
};

const ENVIRONMENT: &str = "Environment";
const SETTINGS: &str = "Settings";
const AGENTS: &str = "Agents";
const STORE: &str = "Store";

/// A research with a large report takes a few megabytes; below this the next one may not fit.
const FREE_BYTES_MIN: u64 = 200 * 1024 * 1024;

pub async fn all(context: &Context, provider: Provider) -> Vec<Check> {
    let mut checks = vec![key(context)];
    match context.settings(RawSettings::default()) {
        Ok(loaded) => {
            checks.push(base_url(&loaded.settings));
            checks.extend(settings(&loaded));
            checks.extend(agents(&loaded.settings));
            let keys = Keys::read(&context.environment).unwrap_or_default();
            let api_key = keys.gemini.clone();
            checks.extend(rounds::all(&loaded.settings, api_key.clone(), &desk::today()).await);
            checks.extend(web::all(&loaded.settings, &keys));
            checks.extend(store(&loaded.settings));
            if provider == Provider::Asked {
                checks.extend(probe::all(&loaded.settings, api_key).await);
            }
        }
        Err(failure) => {
            checks.push(Check::failed(SETTINGS, "files", failure.problem.message, failure.hint));
        }
    }
    checks
}

/// Whether there is one, and from where; never what it is.
fn key(context: &Context) -> Check {
    let set: Vec<&str> = KEYS.into_iter().filter(|name| context.environment.is_set(name)).collect();
    match (Keys::read(&context.environment).and_then(|keys| keys.google().cloned()), set.as_slice()) {
        (Ok(_), [only]) => Check::fine(ENVIRONMENT, "API key", format!("present, from {only}")),
        (Ok(_), [first, second, ..]) => Check::warning(
            ENVIRONMENT,
            "API key",
            format!("present, from {first}; {second} is set too and not used"),
            format!("unset {second} if the two differ"),
        ),
        (Ok(_), []) => Check::fine(ENVIRONMENT, "API key", "present"),
        // The web engine needs none; agents and rounds at Google do.
        (Err(failure), []) => {
            Check::warning(ENVIRONMENT, "API key", failure.problem.message, "export GEMINI_API_KEY=…")
        }
        (Err(failure), _) => {
            Check::failed(ENVIRONMENT, "API key", failure.problem.message, "export GEMINI_API_KEY=…")
        }
    }
}

fn base_url(settings: &Settings) -> Check {
    let address = settings.base_url.as_str().trim_end_matches('/');
    let detail = format!("{address}/{}", settings.api_version);
    if settings.base_url.host_str() == Some("generativelanguage.googleapis.com") {
        return Check::fine(ENVIRONMENT, "base URL", detail);
    }
    let fix =
        format!("the key is sent there; unset {BASE_URL} or `gemini.base_url` for Google's own address");
    Check::warning(ENVIRONMENT, "base URL", format!("{detail} (not Google's)"), fix)
}

fn settings(loaded: &Loaded) -> Vec<Check> {
    let mut checks: Vec<Check> = loaded
        .places
        .iter()
        .map(|place| {
            let absent = if place.found { "" } else { " (not there, not needed)" };
            Check::fine(SETTINGS, place.role, format!("{}{absent}", place.path.display()))
        })
        .collect();
    checks.extend(
        loaded.notes.iter().map(|note| {
            Check::warning(SETTINGS, "project", note.clone(), "see `probity config show --origin`")
        }),
    );
    let budget = loaded.settings.budget;
    checks.push(match budget {
        Some(budget) => Check::fine(SETTINGS, "budget", format!("{budget} for each research")),
        None => Check::fine(SETTINGS, "budget", "none set; `budget.max_usd` or `--budget` sets one"),
    });
    checks
}

fn agents(settings: &Settings) -> Vec<Check> {
    let mut checks = Vec::new();
    for agent in KNOWN {
        let used = if agent.name == settings.agent.as_str() { ", used by default" } else { "" };
        let price =
            format!("${} to ${}", agent.cost_min_micro_usd / 1_000_000, agent.cost_max_micro_usd / 1_000_000);
        let detail = format!("{} ({price}{used})", agent.name);
        checks.push(match agent.superseded_by {
            None => Check::fine(AGENTS, "known", detail),
            Some(newer) if used.is_empty() => {
                Check::fine(AGENTS, "known", format!("{detail}, superseded by {newer}"))
            }
            Some(newer) => Check::warning(
                AGENTS,
                "known",
                format!("{detail}, superseded"),
                format!("set `research.agent = \"{newer}\"`"),
            ),
        });
    }
    checks.extend(
        settings.agents.iter().map(|name| Check::fine(AGENTS, "allowed", format!("{name} (settings)"))),
    );
    checks
}

fn store(settings: &Settings) -> Vec<Check> {
    let directory = &settings.store_directory;
    let mut checks = vec![place(directory)];
    checks.extend(space(directory));
    match Desk::open_to_read(settings) {
        Ok(None) => {
            checks.push(Check::fine(STORE, "database", "not there yet; the first research creates it"))
        }
        Ok(Some(desk)) => checks.extend(database(settings, &desk.store)),
        Err(failure) => checks.push(broken(settings, &failure.problem)),
    }
    checks
}

/// Looks at the directory without creating it.
fn place(directory: &Path) -> Check {
    let shown = directory.display().to_string();
    let nearest = directory.ancestors().find(|path| path.exists()).unwrap_or(directory);
    let writable = rustix::fs::access(nearest, rustix::fs::Access::WRITE_OK).is_ok();
    if !writable {
        let fix = "make it writable, or set `store.directory` in your own settings";
        return Check::failed(STORE, "directory", format!("{shown} cannot be written"), fix);
    }
    match fs::metadata(directory) {
        Err(_) => Check::fine(STORE, "directory", format!("{shown} (will be created)")),
        Ok(found) if found.permissions().mode() & 0o077 != 0 => Check::warning(
            STORE,
            "directory",
            format!("{shown} can be read by others"),
            format!("chmod 700 {shown}"),
        ),
        Ok(_) => Check::fine(STORE, "directory", format!("{shown}, private and writable")),
    }
}

fn space(directory: &Path) -> Option<Check> {
    let nearest = directory.ancestors().find(|path| path.exists())?;
    let found = rustix::fs::statvfs(nearest).ok()?;
    let free = found.f_bavail.saturating_mul(found.f_frsize);
    let detail = format!("{} free", words::bytes(free));
    Some(match free >= FREE_BYTES_MIN {
        true => Check::fine(STORE, "disk", detail),
        false => Check::warning(STORE, "disk", detail, "free some disk space"),
    })
}

fn database(settings: &Settings, store: &Store) -> Vec<Check> {
    let health = store.health();
    let detail = format!(
        "SQLite {}, version {}, {}",
        health.sqlite_version,
        health.schema_version,
        words::bytes(health.database_bytes + health.log_bytes)
    );
    let mut checks = vec![Check::fine(STORE, "database", detail)];
    checks.push(match store.audit(Depth::Everything) {
        Ok(found) => Check::fine(
            STORE,
            "audit",
            format!(
                "whole: {}, {}, {}",
                words::count(found.researches, "research", "researches"),
                words::count(found.events, "event", "events"),
                words::count(found.blobs, "stored text", "stored texts")
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

fn researches(counts: &[(Status, u64)]) -> Vec<Check> {
    let listed: Vec<String> = counts
        .iter()
        .map(|(status, number)| format!("{number} {}", status.as_str().replace('_', " ")))
        .collect();
    let detail = if listed.is_empty() { "none yet".to_owned() } else { listed.join(" · ") };
    let mut checks = vec![Check::fine(STORE, "researches", detail)];
    let unknown =
        counts.iter().find(|(status, _)| *status == Status::Unknown).map_or(0, |(_, number)| *number);
    if unknown > 0 {
        checks.push(Check::warning(
            STORE,
            "unknown",
            format!(
                "{} may have been billed without an answer",
                words::count(unknown, "research", "researches")
            ),
            "probity runs list --status unknown",
        ));
    }
    checks
}

/// The message names the damaged file. Nothing is mended here: a copy comes first.
fn broken(settings: &Settings, problem: &Problem) -> Check {
    let fix = match problem.code {
        Code::StoreCorrupt => damaged(settings),
        code => code.hint().to_owned(),
    };
    Check::failed(STORE, "audit", format!("{}: {}", problem.code, problem.message), fix)
}

fn damaged(settings: &Settings) -> String {
    let directory = &settings.store_directory;
    let backups = fs::read_dir(directory.join("backups")).into_iter().flatten().flatten();
    match backups.map(|entry| entry.path()).max() {
        Some(backup) => format!("probity store restore (the newest backup is {})", backup.display()),
        None => format!(
            "there is no backup; keep a copy of {} and set `store.directory` anew",
            directory.display()
        ),
    }
}
