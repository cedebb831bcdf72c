//! The engine as this program uses it: built when driving begins, because starting TLS costs milliseconds
//! that a status answer need not pay.

use std::sync::OnceLock;

use probity_models::{ApiKey, DeepResearch, DeepResearchSettings, HttpTransport};
use probity_research::{
    Code, Problem, Research,
    finding::{Call, Finding},
    seams::Engine,
};

use crate::settings::Settings;

type Google = DeepResearch<HttpTransport>;

pub struct LazyEngine {
    settings: Settings,
    key: Option<ApiKey>,
    built: OnceLock<Result<Google, Problem>>,
}

impl LazyEngine {
    pub fn new(settings: &Settings, key: Option<ApiKey>) -> Self {
        Self { settings: settings.clone(), key, built: OnceLock::new() }
    }

    /// Builds it now, before anything is driven: whoever dies between the intent and the paid call cannot
    /// say whether money was spent, so nothing slow may lie between the two. A failure is told at the call.
    pub fn prepare(&self) {
        if let Err(problem) = self.google() {
            tracing::debug!(code = %problem.code, "the engine could not be prepared");
        }
    }

    fn google(&self) -> Result<&Google, Problem> {
        let built = self.built.get_or_init(|| match &self.key {
            Some(key) => build(&self.settings, key.clone()),
            None => Err(Problem::new(Code::KeyMissing, "there is no API key")),
        });
        built.as_ref().map_err(Problem::clone)
    }
}

impl Engine for LazyEngine {
    async fn perform(&self, research: &Research, call: &Call) -> Finding {
        match (self.google(), call) {
            (Ok(google), _) => google.perform(research, call).await,
            // No byte was sent: nothing can have been billed.
            (Err(problem), Call::Create { .. } | Call::Ask(_)) => Finding::Refused(problem),
            (Err(problem), Call::Follow { .. } | Call::Cancel { .. } | Call::Collect { .. }) => {
                Finding::Unreachable(problem)
            }
        }
    }
}

fn build(settings: &Settings, key: ApiKey) -> Result<Google, Problem> {
    DeepResearch::connect(DeepResearchSettings {
        base_url: settings.base_url.as_str().to_owned(),
        api_version: settings.api_version.clone(),
        calls_in_flight_max: settings.calls_in_flight,
        streams_open_max: settings.streams_open,
        ..DeepResearchSettings::new(key)
    })
}
