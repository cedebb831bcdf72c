//! One small function per thing that happens, so that callers never write the name of a metric.
//!
//! Labels come from closed sets: a label with free text would grow the process without end.

use std::time::Duration;

use metrics::{counter, gauge, histogram};
use probity_research::{
    cost::MicroUsd,
    engine_call::{EngineCall, EngineOutcome},
    plan::EngineName,
    status::RunStatus,
    text,
};

use crate::metric_names;

/// Longest label: providers and routes have short names; anything longer is a mistake that must not cost memory.
const LABEL_CHARACTERS_MAX: usize = 64;

/// What this process does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProcessRole {
    Serve,
    Worker,
}

impl ProcessRole {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Serve => "serve",
            Self::Worker => "worker",
        }
    }
}

pub fn build(version: &'static str, role: ProcessRole) {
    gauge!(metric_names::BUILD_INFO.name, "version" => version, "role" => role.as_str()).set(1.0);
}

/// What a process needs to be ready.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadinessDependency {
    Database,
    Engine,
    Objects,
}

impl ReadinessDependency {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Database => "database",
            Self::Engine => "engine",
            Self::Objects => "objects",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reachability {
    Yes,
    No,
}

pub fn ready(part: ReadinessDependency, reachable: Reachability) {
    let value = if reachable == Reachability::Yes { 1.0 } else { 0.0 };
    gauge!(metric_names::READY.name, "part" => part.as_str()).set(value);
}

/// From now on this process accepts no new work.
pub fn draining() {
    gauge!(metric_names::DRAINING.name).set(1.0);
}

/// The kind of a step, as a label.
pub fn kind_of(call: &EngineCall) -> &'static str {
    match call {
        EngineCall::Create { .. } => "create",
        EngineCall::Ask(_) => "ask",
        EngineCall::Follow { .. } => "follow",
        EngineCall::Cancel { .. } => "cancel",
        EngineCall::Web(_) => "web",
        EngineCall::Check(_) => "check",
        EngineCall::Collect { .. } => "collect",
    }
}

/// The outcome of a step, as a label.
pub fn outcome_of(finding: &EngineOutcome) -> &'static str {
    match finding {
        EngineOutcome::Started { .. } => "started",
        EngineOutcome::Refused(_) => "refused",
        EngineOutcome::Uncertain(_) => "uncertain",
        EngineOutcome::Running(_) => "seen",
        EngineOutcome::Finished(_) => "finished",
        EngineOutcome::Answered(_) => "answered",
        EngineOutcome::Lost(_) => "lost",
        EngineOutcome::NotThere(_) => "not_there",
        EngineOutcome::Unreachable(_) => "unreachable",
        EngineOutcome::Unreadable(_) => "unreadable",
        EngineOutcome::Web(_) => "web",
        EngineOutcome::Check(_) => "check",
        EngineOutcome::CancelAccepted => "cancel_accepted",
        EngineOutcome::CancelRefused(_) => "cancel_refused",
    }
}

pub fn step(kind: &'static str, outcome: &'static str, took: Duration) {
    counter!(metric_names::STEPS.name, "kind" => kind, "outcome" => outcome).increment(1);
    histogram!(metric_names::STEP_SECONDS.name, "kind" => kind).record(took);
}

/// Counts one up for as long as it lives.
#[derive(Debug)]
#[must_use = "it stops counting when dropped"]
pub struct InFlightGauge(&'static str);

impl InFlightGauge {
    fn start(name: &'static str) -> Self {
        gauge!(name).increment(1.0);
        Self(name)
    }
}

impl Drop for InFlightGauge {
    fn drop(&mut self) {
        gauge!(self.0).decrement(1.0);
    }
}

/// A turn of a run begins on this worker.
pub fn turn() -> InFlightGauge {
    InFlightGauge::start(metric_names::TURNS_RUNNING.name)
}

/// A client listens to events.
pub fn sse_stream() -> InFlightGauge {
    InFlightGauge::start(metric_names::SSE_STREAMS.name)
}

pub fn research_started(engine: EngineName) {
    counter!(metric_names::RESEARCHES_STARTED.name, "engine" => engine.as_str()).increment(1);
}

pub fn research_ended(status: RunStatus) {
    counter!(metric_names::RESEARCHES_ENDED.name, "status" => status.as_str()).increment(1);
}

pub fn money_spent(provider: &str, amount: MicroUsd) {
    counter!(metric_names::MONEY_SPENT.name, "provider" => label(provider)).increment(amount.0);
}

/// How a provider answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProviderCallOutcome {
    Good,
    /// 429, 503, or a text that means the same.
    Throttled,
    Failed,
    /// It is unknown whether the call was accepted.
    Uncertain,
}

impl ProviderCallOutcome {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Throttled => "throttled",
            Self::Failed => "failed",
            Self::Uncertain => "uncertain",
        }
    }
}

pub fn provider_call(provider: &str, answer: ProviderCallOutcome, took: Duration) {
    let provider = label(provider);
    if answer == ProviderCallOutcome::Throttled {
        counter!(metric_names::PROVIDER_THROTTLED.name, "provider" => provider.clone()).increment(1);
    }
    histogram!(metric_names::PROVIDER_SECONDS.name, "provider" => provider.clone()).record(took);
    counter!(metric_names::PROVIDER_CALLS.name, "provider" => provider, "outcome" => answer.as_str())
        .increment(1);
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BreakerGaugeState {
    Closed,
    HalfOpen,
    Open,
}

pub fn breaker(provider: &str, state: BreakerGaugeState) {
    let value = match state {
        BreakerGaugeState::Closed => 0.0,
        BreakerGaugeState::HalfOpen => 1.0,
        BreakerGaugeState::Open => 2.0,
    };
    gauge!(metric_names::BREAKER_STATE.name, "provider" => label(provider)).set(value);
}

pub fn slots(provider: &str, in_use: u32, limit: u32) {
    let provider = label(provider);
    gauge!(metric_names::SLOTS_IN_USE.name, "provider" => provider.clone()).set(f64::from(in_use));
    gauge!(metric_names::SLOTS_LIMIT.name, "provider" => provider).set(f64::from(limit));
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AppendOutcome {
    Stored,
    /// Another writer was first, or has the in-flight lock of the run.
    Refused,
    Failed,
}

pub fn append(outcome: AppendOutcome, took: Duration) {
    let said = match outcome {
        AppendOutcome::Stored => "stored",
        AppendOutcome::Refused => "refused",
        AppendOutcome::Failed => "failed",
    };
    counter!(metric_names::APPENDS.name, "outcome" => said).increment(1);
    histogram!(metric_names::APPEND_SECONDS.name).record(took);
}

pub fn pool(in_use: u32, size: u32, waiting: u32) {
    gauge!(metric_names::POOL_IN_USE.name).set(f64::from(in_use));
    gauge!(metric_names::POOL_SIZE.name).set(f64::from(size));
    gauge!(metric_names::POOL_WAITING.name).set(f64::from(waiting));
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SubmissionOutcome {
    Accepted,
    Failed,
}

pub fn engine_submission(outcome: SubmissionOutcome) {
    let said = if outcome == SubmissionOutcome::Accepted { "accepted" } else { "failed" };
    counter!(metric_names::ENGINE_SUBMISSIONS.name, "outcome" => said).increment(1);
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AdmissionRoundOutcome {
    Admitted(u32),
    /// Another front end had the admission lock.
    Busy,
    Failed,
}

pub fn admission_round(round: AdmissionRoundOutcome, took: Duration) {
    let said = match round {
        AdmissionRoundOutcome::Admitted(0) => "empty",
        AdmissionRoundOutcome::Admitted(_) => "admitted",
        AdmissionRoundOutcome::Busy => "busy",
        AdmissionRoundOutcome::Failed => "failed",
    };
    counter!(metric_names::ADMISSION_ROUNDS.name, "outcome" => said).increment(1);
    if let AdmissionRoundOutcome::Admitted(count) = round {
        counter!(metric_names::ADMITTED.name).increment(u64::from(count));
        histogram!(metric_names::ADMISSION_SECONDS.name).record(took);
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WebhookDeliveryOutcome {
    Taken,
    Retried,
    /// Given up.
    Dead,
}

pub fn webhook_delivery(outcome: WebhookDeliveryOutcome) {
    let said = match outcome {
        WebhookDeliveryOutcome::Taken => "delivered",
        WebhookDeliveryOutcome::Retried => "retried",
        WebhookDeliveryOutcome::Dead => "dead",
    };
    counter!(metric_names::WEBHOOK_DELIVERIES.name, "outcome" => said).increment(1);
}

/// `route` is the pattern (`/v1/researches/{id}`), never the path: ids are no labels.
pub fn http_request(route: &str, method: &str, status: u16, took: Duration) {
    let route = label(route);
    histogram!(metric_names::HTTP_SECONDS.name, "route" => route.clone()).record(took);
    let method = method_label(method);
    counter!(metric_names::HTTP_REQUESTS.name, "route" => route, "method" => method, "status" => status.to_string())
        .increment(1);
}

/// Clients may send any text as a method.
fn method_label(method: &str) -> &'static str {
    const KNOWN: [&str; 7] = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];
    KNOWN.into_iter().find(|known| *known == method).unwrap_or("other")
}

pub(crate) fn export_failed() {
    counter!(metric_names::EXPORT_FAILURES.name).increment(1);
}

fn label(value: &str) -> String {
    text::line(value, LABEL_CHARACTERS_MAX)
}
