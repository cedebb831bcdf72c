//! One live call that costs nothing: asks the provider for an interaction that cannot exist.

use std::time::Duration;

use probity_models::{
    ApiKey, HttpTransport,
    gemini::client::{Answer, Client},
};
use probity_research::{Code, Problem, seams::Clock as _};
use probity_runner::SystemClock;

use super::Check;
use crate::settings::Settings;

const PROBE: &str = "Probe";
/// No id of the provider's looks like this.
const NO_INTERACTION: &str = "probity-doctor-probe";

pub async fn all(settings: &Settings, key: Option<ApiKey>) -> Vec<Check> {
    let Some(key) = key else {
        return vec![Check::failed(
            PROBE,
            "provider",
            "not asked: there is no API key",
            "export GEMINI_API_KEY=…",
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
        Answer::Success(_) => Check::fine(PROBE, "provider", format!("answers ({} ms)", took.as_millis())),
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
        return Check::fine(PROBE, "provider", detail);
    }
    Check::failed(PROBE, "provider", format!("{}: {detail}", problem.code), problem.code.hint())
}
