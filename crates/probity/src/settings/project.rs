//! What a project's `probity.toml` may change. It comes with a cloned repository: it may only tighten.

use probity_research::{Code, agent::AgentName, cost::MicroUsd};

use crate::{
    command_error::CommandError,
    format,
    settings::{
        definitions::{self, ProjectRule, SettingKind},
        raw::{RawSettings, RawValue},
        rounds,
    },
};

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
