//! How the network is reached; with `--probe` one live call that costs nothing: asks the provider for an
//! interaction that cannot exist.

use std::time::Duration;

use probity_models::{
    ApiKey, HttpTransport,
    gemini::client::{InteractionsClient, InteractionsReply},
};
use probity_research::{Code, CodedError, ports::Clock as _};
use probity_runner::SystemClock;
use probity_web::fetch::ReachRules;

use super::{DoctorCheck, NETWORK, ProviderProbe, web::SETTING_FIX};
use crate::settings::{Settings, openable};

/// No id of the provider has this form.
const NO_INTERACTION: &str = "probity-doctor-probe";
/// A provider that takes longer to answer is not well.
const ANSWER_MAX: Duration = Duration::from_secs(15);

pub async fn all(settings: &Settings, key: Option<ApiKey>, provider: ProviderProbe) -> Vec<DoctorCheck> {
    let unopened = openable::of_web(settings);
    let mut checks = vec![match settings.web.proxy {
        _ if !unopened.is_empty() => {
            let why: Vec<String> = unopened.iter().map(|one| one.problem().message).collect();
            DoctorCheck::failed(NETWORK, "pages", why.join("; "), SETTING_FIX)
        }
        Some(_) => DoctorCheck::fine(NETWORK, "pages", "read through the proxy that `web.proxy` names"),
        None if settings.web.reach != ReachRules::default() => DoctorCheck::fine(
            NETWORK,
            "pages",
            "read directly; public addresses, and the hosts that `web.reach` opens",
        ),
        None => DoctorCheck::fine(NETWORK, "pages", "read directly; public addresses only"),
    }];
    match provider {
        // The check of the key says what is missing without one; a web engine with another model needs none.
        ProviderProbe::Asked if key.is_none() => {
            checks.push(DoctorCheck::fine(NETWORK, "provider", "not asked: there is no key for Google"));
        }
        ProviderProbe::Asked => checks.push(ask_google(settings, key).await),
        ProviderProbe::LeftAlone => {
            checks.push(DoctorCheck::fine(
                NETWORK,
                "provider",
                "not asked; `probity doctor --probe` does, for nothing",
            ));
        }
    }
    checks
}

/// Whether Google's API takes the key: one call that costs nothing.
pub async fn ask_google(settings: &Settings, key: Option<ApiKey>) -> DoctorCheck {
    let Some(key) = key else {
        return DoctorCheck::failed(
            NETWORK,
            "provider",
            "not asked: there is no API key",
            "probity setup --gemini-key - < key.txt",
        );
    };
    let base_url = settings.base_url.as_str();
    let network = match HttpTransport::new(base_url) {
        Ok(network) => network,
        Err(problem) => return probe_check(&problem, Duration::ZERO),
    };
    let client = InteractionsClient::new(network, base_url, &settings.api_version, key, 1);
    let clock = SystemClock::default();
    let begun = clock.monotonic();
    let answer = Box::pin(client.get(NO_INTERACTION, ANSWER_MAX)).await;
    let took = clock.monotonic().saturating_sub(begun);
    match answer {
        InteractionsReply::Success(_) => {
            DoctorCheck::fine(NETWORK, "provider", format!("answers ({} ms)", took.as_millis()))
        }
        InteractionsReply::Refused(refusal) => probe_check(&refusal.problem, took),
        InteractionsReply::Broken(answer) => probe_check(&answer.problem, took),
    }
}

/// "No such interaction" is the expected answer.
fn probe_check(problem: &CodedError, took: Duration) -> DoctorCheck {
    let detail = format!("{} ({} ms)", problem.message, took.as_millis());
    let not_there = problem.http_status == Some(404) || problem.code == Code::NotFound;
    if not_there {
        let detail = format!("reached, and the key was not refused; {detail}");
        return DoctorCheck::fine(NETWORK, "provider", detail);
    }
    DoctorCheck::failed(NETWORK, "provider", format!("{}: {detail}", problem.code), problem.code.hint())
}
