//! What a project's `probity.toml` may change. It comes with a cloned repository: it may only tighten.

use std::{fs, io, os::unix::fs::MetadataExt as _, path::Path};

use probity_research::{Code, agent::AgentName, cost::MicroUsd};

use crate::{
    command_error::CommandError,
    format,
    settings::{
        SettingsFile,
        definitions::{self, ProjectRule, SettingKind},
        raw::{RawSettings, RawValue, SettingOrigin},
        rounds,
    },
};

/// The bits of a mode that let everybody, or its group, write.
const OTHERS_WRITE: u32 = 0o002;
const GROUP_WRITES: u32 = 0o020;
/// The bit of a directory where everybody may add files and nobody may change those of others.
const STICKY: u32 = 0o1000;
/// Limits of money and time: whoever runs into one must be told when a project's file set it.
const LIMITS: [(&str, &str); 4] = [
    ("research.deadline", "the deadline"),
    ("budget.max_usd", "the budget of a run"),
    ("budget.guard_usd", "the budget of a run without a stated one"),
    ("budget.per_day_usd", "the budget of a day"),
];

/// The limits that come from the project's file, each in words.
pub fn limits_set(raw: &RawSettings, places: &[SettingsFile]) -> Vec<String> {
    let Some(project) = places.iter().find(|place| place.role == "project") else { return Vec::new() };
    let set = |(key, name): (&str, &str)| {
        let written = raw.get(key)?;
        let is_its = matches!(&written.origin, SettingOrigin::File { path, .. } if *path == project.path);
        is_its.then(|| format!("{name}, {}, is set by {}", written.text(), written.origin))
    };
    LIMITS.into_iter().filter_map(set).collect()
}

/// Why a project's file does not count: somebody else could have put it there, who owns it or its directory or may
/// write to one of them.
pub fn foreign(path: &Path) -> Option<String> {
    let me = rustix::process::geteuid().as_raw();
    let is_foreign = |owner: u32| owner != me && owner != 0;
    let unreadable = |error: io::Error| Some(format!("its owner is unknown ({error})"));
    for place in [Some(path), path.parent()].into_iter().flatten() {
        // Not through a link: whoever owns the link chooses the file.
        for found in [fs::symlink_metadata(place), fs::metadata(place)] {
            let found = match found {
                Ok(found) => found,
                Err(error) => return unreadable(error),
            };
            if is_foreign(found.uid()) {
                return Some(format!("{} belongs to another user", place.display()));
            }
            if let Some(writers) = other_writers(&found, me) {
                return Some(format!("{} can be written by {writers}", place.display()));
            }
        }
    }
    None
}

/// Who besides `me` and the system may change what lies there.
fn other_writers(found: &fs::Metadata, me: u32) -> Option<String> {
    let is_shared_place = found.is_dir() && found.mode() & STICKY != 0;
    if found.is_symlink() || is_shared_place {
        return None;
    }
    if found.mode() & OTHERS_WRITE != 0 {
        return Some("everybody".to_owned());
    }
    // A group with the number of its user has no other member by custom; that of the system has none but the system.
    let is_own_group = found.gid() == me || found.gid() == 0;
    let open = found.mode() & GROUP_WRITES != 0 && !is_own_group;
    open.then(|| format!("its group ({})", found.gid()))
}

/// Takes stricter values, refuses what a project may not set, and reports what it did not take.
pub fn tighten(raw: &mut RawSettings, project: RawSettings) -> Result<Vec<String>, CommandError> {
    let mut notes = Vec::new();
    for (key, asked) in project.values {
        let Some(known) = definitions::find(key) else { continue };
        let stays = match known.in_project {
            ProjectRule::Refused => return Err(refused(key, &asked)),
            ProjectRule::OnlyLower => lower(known.kind, raw.get(key), &asked),
            ProjectRule::OnlyCheaper => cheaper(raw, &asked),
        };
        match stays {
            ValueChoice::Asked => {
                raw.values.insert(known.key, asked);
            }
            ValueChoice::Present => notes.push(format!(
                "{}: `{key} = {}` is looser than what is set already and was not taken",
                asked.origin,
                asked.text()
            )),
        }
    }
    Ok(notes)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ValueChoice {
    Asked,
    Present,
}

fn refused(key: &str, asked: &RawValue) -> CommandError {
    let message = format!("{}: a project may not set `{key}`", asked.origin);
    CommandError::new(Code::Settings, &message)
        .with_hint("move the line to your own file; `probity config path` shows where it is")
}

/// A value that cannot be parsed is taken, so that resolving it names the line.
fn lower(kind: SettingKind, present: Option<&RawValue>, asked: &RawValue) -> ValueChoice {
    let size = |written: &RawValue| -> Option<u128> {
        match kind {
            SettingKind::Span => format::parse_span(&written.text()).map(|span| span.as_millis()),
            SettingKind::Dollars => MicroUsd::parse_usd(&written.text()).map(|amount| u128::from(amount.0)),
            SettingKind::Count { .. } => written.text().replace('_', "").parse().ok(),
            SettingKind::Rounds => rounds::count(&written.text()).map(u128::from),
            SettingKind::Text
            | SettingKind::Address
            | SettingKind::Names
            | SettingKind::Agent
            | SettingKind::Directory
            | SettingKind::Socket
            | SettingKind::Switch
            | SettingKind::Choice(_)
            | SettingKind::Model
            | SettingKind::Program
            | SettingKind::Secret => None,
        }
    };
    match (present.and_then(size), size(asked)) {
        (Some(present), Some(asked)) if asked > present => ValueChoice::Present,
        _ => ValueChoice::Asked,
    }
}

fn cheaper(raw: &RawSettings, asked: &RawValue) -> ValueChoice {
    let price = |name: &str| AgentName::parse(name, &[]).ok().map(|agent| agent.facts().cost_max_micro_usd);
    let present = raw.get("research.agent").map(RawValue::text).unwrap_or_default();
    match (price(&present), price(&asked.text())) {
        (Some(present), Some(asked)) if asked > present => ValueChoice::Present,
        // An agent that only the user's settings allow has no documented price.
        (Some(_), None) if raw.get("gemini.agents").is_some() => ValueChoice::Present,
        _ => ValueChoice::Asked,
    }
}
