//! One small function per thing that happens, so that nobody types the name of a metric.
//!
//! Labels come from closed sets: a label with free text would grow the process without end.

use std::time::Duration;

use metrics::{counter, gauge, histogram};
use probity_research::{
    cost::MicroUsd,
    finding::{Call, Finding},
    plan::EngineName,
    status::Status,
    text,
};

use crate::names;

/// Longest label: providers and routes have short names; anything longer is a mistake that must not cost memory.
const LABEL_CHARACTERS_MAX: usize = 64;

/// What this process does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    Serve,
    Worker,
}

impl Role {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Serve => "serve",
            Self::Worker => "worker",
        }
    }
}

pub fn build(version: &'static str, role: Role) {
    gauge!(names::BUILD_INFO.name, "version" => version, "role" => role.as_str()).set(1.0);
}

/// What a process needs to be ready.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    Database,
    Engine,
    Objects,
}

impl Part {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Database => "database",
            Self::Engine => "engine",
            Self::Objects => "objects",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reachable {
    Yes,
    No,
}

pub fn ready(part: Part, reachable: Reachable) {
    let value = if reachable == Reachable::Yes { 1.0 } else { 0.0 };
    gauge!(names::READY.name, "part" => part.as_str()).set(value);
}

/// From now on this process takes nothing new.
pub fn draining() {
    gauge!(names::DRAINING.name).set(1.0);
}

/// What a step does, as a label.
pub fn kind_of(call: &Call) -> &'static str {
    match call {
        Call::Create { .. } => "create",
        Call::Ask(_) => "ask",
        Call::Follow { .. } => "follow",
        Call::Cancel { .. } => "cancel",
        Call::Web(_) => "web",
        Call::Check(_) => "check",
        Call::Collect { .. } => "collect",
    }
}

/// What a step brought, as a label.
pub fn outcome_of(finding: &Finding) -> &'static str {
    match finding {
        Finding::Started { .. } => "started",
        Finding::Refused(_) => "refused",
        Finding::Uncertain(_) => "uncertain",
        Finding::Seen(_) => "seen",
        Finding::Finished(_) => "finished",
        Finding::Answered(_) => "answered",
        Finding::Lost(_) => "lost",
        Finding::NotThere(_) => "not_there",
        Finding::Unreachable(_) => "unreachable",
        Finding::Web(_) => "web",
        Finding::Check(_) => "check",
        Finding::CancelAccepted => "cancel_accepted",
        Finding::CancelRefused(_) => "cancel_refused",
    }
}

pub fn step(kind: &'static str, outcome: &'static str, took: Duration) {
    counter!(names::STEPS.name, "kind" => kind, "outcome" => outcome).increment(1);
    histogram!(names::STEP_SECONDS.name, "kind" => kind).record(took);
}

/// Counts as long as it lives.
#[derive(Debug)]
#[must_use = "it stops counting when dropped"]
pub struct Counted(&'static str);

impl Counted {
    fn begun(name: &'static str) -> Self {
        gauge!(name).increment(1.0);
        Self(name)
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        gauge!(self.0).decrement(1.0);
    }
}

/// A turn of a research begins on this worker.
pub fn turn() -> Counted {
    Counted::begun(names::TURNS_RUNNING.name)
}

/// A client listens to events.
pub fn sse_stream() -> Counted {
    Counted::begun(names::SSE_STREAMS.name)
}

pub fn research_started(engine: EngineName) {
    counter!(names::RESEARCHES_STARTED.name, "engine" => engine.as_str()).increment(1);
}

pub fn research_ended(status: Status) {
    counter!(names::RESEARCHES_ENDED.name, "status" => status.as_str()).increment(1);
}

pub fn money_spent(provider: &str, amount: MicroUsd) {
    counter!(names::MONEY_SPENT.name, "provider" => label(provider)).increment(amount.0);
}

/// How a provider answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    Good,
    /// 429, 503, or words that mean the same.
    Throttled,
    Failed,
    /// Nobody knows whether the call was accepted.
    Uncertain,
}

impl Answer {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Throttled => "throttled",
            Self::Failed => "failed",
            Self::Uncertain => "uncertain",
        }
    }
}

pub fn provider_call(provider: &str, answer: Answer, took: Duration) {
    let provider = label(provider);
    if answer == Answer::Throttled {
        counter!(names::PROVIDER_THROTTLED.name, "provider" => provider.clone()).increment(1);
    }
    histogram!(names::PROVIDER_SECONDS.name, "provider" => provider.clone()).record(took);
    counter!(names::PROVIDER_CALLS.name, "provider" => provider, "outcome" => answer.as_str()).increment(1);
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Breaker {
    Closed,
    HalfOpen,
    Open,
}

pub fn breaker(provider: &str, state: Breaker) {
    let value = match state {
        Breaker::Closed => 0.0,
        Breaker::HalfOpen => 1.0,
        Breaker::Open => 2.0,
    };
    gauge!(names::BREAKER_STATE.name, "provider" => label(provider)).set(value);
}

pub fn slots(provider: &str, in_use: u32, limit: u32) {
    let provider = label(provider);
    gauge!(names::SLOTS_IN_USE.name, "provider" => provider.clone()).set(f64::from(in_use));
    gauge!(names::SLOTS_LIMIT.name, "provider" => provider).set(f64::from(limit));
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Appended {
    Stored,
    /// Somebody else was first, or holds the research.
    Refused,
    Failed,
}

pub fn append(outcome: Appended, took: Duration) {
    let said = match outcome {
        Appended::Stored => "stored",
        Appended::Refused => "refused",
        Appended::Failed => "failed",
    };
    counter!(names::APPENDS.name, "outcome" => said).increment(1);
    histogram!(names::APPEND_SECONDS.name).record(took);
}

pub fn pool(in_use: u32, size: u32, waiting: u32) {
    gauge!(names::POOL_IN_USE.name).set(f64::from(in_use));
    gauge!(names::POOL_SIZE.name).set(f64::from(size));
    gauge!(names::POOL_WAITING.name).set(f64::from(waiting));
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Submitted {
    Accepted,
    Failed,
}

pub fn engine_submission(outcome: Submitted) {
    let said = if outcome == Submitted::Accepted { "accepted" } else { "failed" };
    counter!(names::ENGINE_SUBMISSIONS.name, "outcome" => said).increment(1);
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Round {
    Admitted(u32),
    /// Another front end held the round.
    Busy,
    Failed,
}

pub fn admission_round(round: Round, took: Duration) {
    let said = match round {
        Round::Admitted(0) => "empty",
        Round::Admitted(_) => "admitted",
        Round::Busy => "busy",
        Round::Failed => "failed",
    };
    counter!(names::ADMISSION_ROUNDS.name, "outcome" => said).increment(1);
    if let Round::Admitted(count) = round {
        counter!(names::ADMITTED.name).increment(u64::from(count));
        histogram!(names::ADMISSION_SECONDS.name).record(took);
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delivered {
    Taken,
    Retried,
    /// Given up.
    Dead,
}

pub fn webhook_delivery(outcome: Delivered) {
    let said = match outcome {
        Delivered::Taken => "delivered",
        Delivered::Retried => "retried",
        Delivered::Dead => "dead",
    };
    counter!(names::WEBHOOK_DELIVERIES.name, "outcome" => said).increment(1);
}

/// `route` is the pattern (`/v1/researches/{id}`), never the path: ids are no labels.
pub fn http_request(route: &str, method: &str, status: u16, took: Duration) {
    let route = label(route);
    histogram!(names::HTTP_SECONDS.name, "route" => route.clone()).record(took);
    let method = method_label(method);
    counter!(names::HTTP_REQUESTS.name, "route" => route, "method" => method, "status" => status.to_string())
        .increment(1);
}

/// Clients may send any word as a method.
fn method_label(method: &str) -> &'static str {
    const KNOWN: [&str; 7] = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];
    KNOWN.into_iter().find(|known| *known == method).unwrap_or("other")
}

pub(crate) fn export_failed() {
    counter!(names::EXPORT_FAILURES.name).increment(1);
}

fn label(value: &str) -> String {
    text::line(value, LABEL_CHARACTERS_MAX)
}
