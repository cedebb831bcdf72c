//! How the network is reached; with `--probe` one live call that costs nothing: asks the provider for an
//! interaction that cannot exist.

use std::time::Duration;

use probity_models::{
    ApiKey, HttpTransport,
    gemini::client::{Answer, Client},
};
use probity_research::{Code, Problem, seams::Clock as _};
use probity_runner::SystemClock;

use super::{Check, NETWORK, Provider};
use crate::settings::Settings;

/// No id of the provider's looks like this.
const NO_INTERACTION: &str = "probity-doctor-probe";

pub async fn all(settings: &Settings, key: Option<ApiKey>, provider: Provider) -> Vec<Check> {
    let mut checks = vec![match settings.web.proxy {
        Some(_) => Check::fine(NETWORK, "pages", "read through the proxy that `web.proxy` names"),
        None => Check::fine(NETWORK, "pages", "read directly; public addresses only"),
    }];
    match provider {
        Provider::Asked => checks.extend(asked(settings, key).await),
        Provider::LeftAlone => {
            checks.push(Check::fine(
                NETWORK,
                "provider",
                "not asked; `probity doctor --probe` does, for nothing",
            ));
        }
    }
    checks
}

async fn asked(settings: &Settings, key: Option<ApiKey>) -> Vec<Check> {
    let Some(key) = key else {
        return vec![Check::failed(
            NETWORK,
            "provider",
            "not asked: there is no API key",
            "probity setup --gemini-key - < key.txt",
        )];
    };
    let base_url = settings.base_url.as_str();
    let network = match HttpTransport::new(base_url) {
        Ok(network) => network,
        Err(problem) => return vec![said(&problem, Duration::ZERO)],
    };
    let client = Client::new(network, base_url, &settings.api_version, key, 1);
    let clock = SystemClock::default();
    let begun = clock.monotonic();
    let answer = Box::pin(client.get(NO_INTERACTION)).await;
    let took = clock.monotonic().saturating_sub(begun);
    vec![match answer {
        Answer::Success(_) => Check::fine(NETWORK, "provider", format!("answers ({} ms)", took.as_millis())),
        Answer::Refused(refusal) => said(&refusal.problem, took),
        Answer::Nothing(problem) => said(&problem, took),
    }]
}

/// That there is no such interaction is the answer that was hoped for.
fn said(problem: &Problem, took: Duration) -> Check {
    let detail = format!("{} ({} ms)", problem.message, took.as_millis());
    let not_there = problem.http_status == Some(404) || problem.code == Code::NotFound;
    if not_there {
        let detail = format!("reached, and the key was not refused; {detail}");
        return Check::fine(NETWORK, "provider", detail);
    }
    Check::failed(NETWORK, "provider", format!("{}: {detail}", problem.code), problem.code.hint())
}
