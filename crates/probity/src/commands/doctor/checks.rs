//! The single checks of `probity doctor`, in the order they are shown.

use probity_research::agent::KNOWN;

use super::{
    DoctorCheck, ENVIRONMENT, MODELS, ProviderProbe, clients, evidence, network, pdf, rounds, storage,
    updates, web,
};
use crate::{
    app_context,
    command_context::CommandContext,
    environment::{self, BASE_URL, KEYS},
    keys::{ProviderKeys, file},
    notify,
    settings::{LoadedSettings, Settings, raw::RawSettings},
};

pub async fn all(context: &CommandContext, provider: ProviderProbe) -> Vec<DoctorCheck> {
    let mut checks = vec![key(context)];
    checks.extend(key_file(context));
    checks.extend(clients::all(context, provider).await);
    match context.settings(RawSettings::default()) {
        Ok(loaded) => {
            checks.push(base_url(&loaded.settings));
            checks.extend(settings(&loaded));
            let channel = notify::channel(&loaded.settings);
            let told = notify::system::in_words(std::env::consts::OS, channel);
            checks.push(DoctorCheck::fine(ENVIRONMENT, "notifier", told));
            checks.extend(agents(&loaded.settings));
            let keys = ProviderKeys::read(&context.environment).unwrap_or_default();
            let api_key = keys.gemini.clone();
            let today = app_context::today();
            checks.extend(rounds::all(&loaded.settings, &keys).await);
            checks.extend(updates::all(&loaded.settings, &today));
            checks.extend(web::all(&loaded.settings, &keys, provider).await);
            checks.extend(Box::pin(evidence::all(&loaded.settings, &keys)).await);
            checks.extend(storage::all(&loaded.settings));
            checks.extend(network::all(&loaded.settings, api_key, provider).await);
        }
        Err(failure) => {
            checks.push(DoctorCheck::failed(ENVIRONMENT, "settings", failure.problem.message, failure.hint));
        }
    }
    checks.extend(pdf::all());
    checks
}

/// Whether there is a key, and from where; never its value.
fn key(context: &CommandContext) -> DoctorCheck {
    let set: Vec<&str> = KEYS.into_iter().filter(|name| context.environment.is_set(name)).collect();
    match (ProviderKeys::read(&context.environment).and_then(|keys| keys.google().cloned()), set.as_slice()) {
        (Ok(_), [only]) => {
            DoctorCheck::fine(MODELS, "API key", format!("present, from {}", origin(context, only)))
        }
        (Ok(_), [first, second, ..]) => DoctorCheck::warning(
            MODELS,
            "API key",
            format!("present, from {first}; {second} is set too and not used"),
            format!("unset {second} if the two differ"),
        ),
        (Ok(_), []) => DoctorCheck::fine(MODELS, "API key", "present"),
        // The web engine needs no key of Google's; agents and rounds at Google do.
        (Err(failure), []) => DoctorCheck::warning(
            MODELS,
            "API key",
            failure.problem.message,
            "probity setup --gemini-key - < key.txt, or export GEMINI_API_KEY=…",
        ),
        (Err(failure), _) => DoctorCheck::failed(
            MODELS,
            "API key",
            failure.problem.message,
            "probity setup --gemini-key - < key.txt, or export GEMINI_API_KEY=…",
        ),
    }
}

fn origin(context: &CommandContext, name: &str) -> String {
    match context.environment.is_stored(name) {
        true => format!("{name} in {}", file::NAME),
        false => name.to_owned(),
    }
}

/// Shown only where there is one.
fn key_file(context: &CommandContext) -> Option<DoctorCheck> {
    let stored = context.environment.key_file();
    let path = environment::user_directories()?.config.join(file::NAME).display().to_string();
    let keys = crate::format::count(stored.values.len() as u64, "key", "keys");
    match &stored.problem {
        _ if !stored.is_there => None,
        None => Some(DoctorCheck::fine(ENVIRONMENT, "key file", format!("{path}, {keys}, for you only"))),
        Some(problem) if problem.contains("others") => Some(DoctorCheck::failed(
            ENVIRONMENT,
            "key file",
            format!("{path} {problem}"),
            format!("chmod 600 {path}"),
        )),
        Some(problem) => Some(DoctorCheck::warning(
            ENVIRONMENT,
            "key file",
            format!("{path}: {problem}"),
            "write NAME=VALUE lines, or store a key with `probity setup --gemini-key - < key.txt`",
        )),
    }
}

fn base_url(settings: &Settings) -> DoctorCheck {
    let address = settings.base_url.as_str().trim_end_matches('/');
    let detail = format!("{address}/{}", settings.api_version);
    if settings.base_url.host_str() == Some("generativelanguage.googleapis.com") {
        return DoctorCheck::fine(MODELS, "base URL", detail);
    }
    let fix =
        format!("the key is sent there; unset {BASE_URL} or `gemini.base_url` for Google's own address");
    DoctorCheck::warning(MODELS, "base URL", format!("{detail} (not Google's)"), fix)
}

fn settings(loaded: &LoadedSettings) -> Vec<DoctorCheck> {
    let mut checks: Vec<DoctorCheck> = loaded
        .places
        .iter()
        .map(|place| {
            let absent = if place.found { "" } else { " (not there, not needed)" };
            DoctorCheck::fine(ENVIRONMENT, place.role, format!("{}{absent}", place.path.display()))
        })
        .collect();
    checks.extend(loaded.notes.iter().map(|note| {
        DoctorCheck::warning(ENVIRONMENT, "project", note.clone(), "see `probity config show --origin`")
    }));
    let budget = loaded.settings.budget;
    checks.push(match budget {
        Some(budget) => DoctorCheck::fine(ENVIRONMENT, "budget", format!("{budget} for each research")),
        None => DoctorCheck::fine(ENVIRONMENT, "budget", "none set; `probity setup --spend-cap 5` sets one"),
    });
    checks
}

fn agents(settings: &Settings) -> Vec<DoctorCheck> {
    let mut checks = Vec::new();
    for agent in KNOWN {
        let used = if agent.name == settings.agent.as_str() { ", used by default" } else { "" };
        let price =
            format!("${} to ${}", agent.cost_min_micro_usd / 1_000_000, agent.cost_max_micro_usd / 1_000_000);
        let detail = format!("{} ({price}{used})", agent.name);
        checks.push(match agent.superseded_by {
            None => DoctorCheck::fine(MODELS, "agent", detail),
            Some(newer) if used.is_empty() => {
                DoctorCheck::fine(MODELS, "agent", format!("{detail}, superseded by {newer}"))
            }
            Some(newer) => DoctorCheck::warning(
                MODELS,
                "agent",
                format!("{detail}, superseded"),
                format!("set `research.agent = \"{newer}\"`"),
            ),
        });
    }
    checks.extend(
        settings.agents.iter().map(|name| DoctorCheck::fine(MODELS, "agent", format!("{name} (settings)"))),
    );
    checks
}
