//! What a project's `probity.toml` may change. It comes with a cloned repository: it may only tighten.

use probity_research::{Code, agent::AgentName, cost::MicroUsd};

use crate::{
    failure::Failure,
    settings::{
        known::{self, InProject, Kind},
        rounds,
        written::{RawSettings, Written},
    },
    words,
};

/// Takes what is stricter, refuses what a project may not say, and tells what it did not take.
pub fn tighten(raw: &mut RawSettings, project: RawSettings) -> Result<Vec<String>, Failure> {
    let mut notes = Vec::new();
    for (key, asked) in project.values {
        let Some(known) = known::find(key) else { continue };
        let stays = match known.in_project {
            InProject::Refused => return Err(refused(key, &asked)),
            InProject::OnlyLower => lower(known.kind, raw.get(key), &asked),
            InProject::OnlyCheaper => cheaper(raw, &asked),
        };
        match stays {
            Stays::Asked => {
                raw.values.insert(known.key, asked);
            }
            Stays::Present => notes.push(format!(
                "{}: `{key} = {}` is looser than what is set already and was not taken",
                asked.origin,
                asked.text()
            )),
        }
    }
    Ok(notes)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stays {
    Asked,
    Present,
}

fn refused(key: &str, asked: &Written) -> Failure {
    let message = format!("{}: a project may not set `{key}`", asked.origin);
    Failure::new(Code::Settings, &message)
        .with_hint("move the line to your own file; `probity config path` shows where it is")
}

/// A value that cannot be read is taken, so that resolving it names the line.
fn lower(kind: Kind, present: Option<&Written>, asked: &Written) -> Stays {
    let size = |written: &Written| -> Option<u128> {
        match kind {
            Kind::Span => words::parse_span(&written.text()).map(|span| span.as_millis()),
            Kind::Dollars => MicroUsd::parse_usd(&written.text()).map(|amount| u128::from(amount.0)),
            Kind::Count { .. } => written.text().replace('_', "").parse().ok(),
            Kind::Rounds => rounds::count(&written.text()).map(u128::from),
            Kind::Text
            | Kind::Address
            | Kind::Names
            | Kind::Agent
            | Kind::Directory
            | Kind::Socket
            | Kind::Switch
            | Kind::Choice(_)
            | Kind::Model
            | Kind::Program
            | Kind::Secret => None,
        }
    };
    match (present.and_then(size), size(asked)) {
        (Some(present), Some(asked)) if asked > present => Stays::Present,
        _ => Stays::Asked,
    }
}

fn cheaper(raw: &RawSettings, asked: &Written) -> Stays {
    let price = |name: &str| AgentName::parse(name, &[]).ok().map(|agent| agent.facts().cost_max_micro_usd);
    let present = raw.get("research.agent").map(Written::text).unwrap_or_default();
    match (price(&present), price(&asked.text())) {
        (Some(present), Some(asked)) if asked > present => Stays::Present,
        // An agent that only the user's settings allow has no documented price.
        (Some(_), None) if raw.get("gemini.agents").is_some() => Stays::Present,
        _ => Stays::Asked,
    }
}
