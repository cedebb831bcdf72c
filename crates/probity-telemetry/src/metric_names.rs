//! Every metric by name, with its help text, its labels and, for a histogram, its buckets.
//!
//! The dashboard and the alert rules are checked against this table.

/// How a metric counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MetricKind {
    Counter,
    Gauge,
    Histogram(&'static [BucketBound]),
}

/// Upper bound of a bucket in milliseconds: whole numbers can be compared and are exact.
pub type BucketBound = u32;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Metric {
    pub name: &'static str,
    pub help: &'static str,
    pub kind: MetricKind,
    pub labels: &'static [&'static str],
}

/// Database and engine: a healthy append takes a few milliseconds, a waiting one up to the pool's 5 s.
const QUICK: &[BucketBound] = &[1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000];
/// HTTP requests: from a status in a millisecond to a report of many megabytes.
const REQUEST: &[BucketBound] = &[1, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000];
/// Steps and calls to providers: a poll takes a second, a round of a model up to an hour.
const LONG: &[BucketBound] = &[
    10, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000, 120_000, 300_000, 600_000, 1_800_000,
    3_600_000,
];

macro_rules! metrics {
    ($($constant:ident = $kind:expr, $name:literal, [$($label:literal),*], $help:literal;)+) => {
        $(
            #[doc = $help]
            pub const $constant: Metric = Metric { name: $name, help: $help, kind: $kind, labels: &[$($label),*] };
        )+
        /// All of them.
        pub const ALL: &[Metric] = &[$($constant),+];
    };
}

metrics! {
    BUILD_INFO = MetricKind::Gauge, "probity_build_info", ["version", "role"],
        "Always 1; says which version this process is and what it does (serve or worker).";
    READY = MetricKind::Gauge, "probity_ready", ["part"],
        "1 if the part (database, engine, objects) answered the last readiness check, else 0.";
    DRAINING = MetricKind::Gauge, "probity_draining", [],
        "1 while this process finishes what it has and takes nothing new.";

    STEPS = MetricKind::Counter, "probity_steps_total", ["kind", "outcome"],
        "Steps performed.";
    STEP_SECONDS = MetricKind::Histogram(LONG), "probity_step_duration_seconds", ["kind"],
        "How long a step took.";
    TURNS_RUNNING = MetricKind::Gauge, "probity_turns_running", [],
        "Turns of researches that this worker carries out right now; workers are scaled by it.";

    RESEARCHES_STARTED = MetricKind::Counter, "probity_researches_started_total", ["engine"],
        "Researches accepted.";
    RESEARCHES_ENDED = MetricKind::Counter, "probity_researches_ended_total", ["status"],
        "Researches that came to rest, by how they ended.";
    RESEARCHES_IN_FLIGHT = MetricKind::Gauge, "probity_researches_in_flight", ["tenant"],
        "Researches given to the engine and not at rest. Tenants past the named ones count as other.";
    RESEARCHES_WAITING = MetricKind::Gauge, "probity_researches_waiting", ["tenant"],
        "Researches accepted and not yet admitted. Tenants past the named ones count as other.";
    MONEY_SPENT = MetricKind::Counter, "probity_money_spent_micro_usd_total", ["provider"],
        "Money spent at providers, in millionths of a US dollar.";

    PROVIDER_CALLS = MetricKind::Counter, "probity_provider_calls_total", ["provider", "outcome"],
        "Calls to providers.";
    PROVIDER_SECONDS = MetricKind::Histogram(LONG), "probity_provider_call_duration_seconds", ["provider"],
        "How long a call to a provider took.";
    PROVIDER_THROTTLED = MetricKind::Counter, "probity_provider_throttled_total", ["provider"],
        "Calls that a provider answered with 429 or another sign of overload.";
    BREAKER_STATE = MetricKind::Gauge, "probity_provider_breaker_state", ["provider"],
        "0 closed, 1 half-open (one probe at a time), 2 open (no calls are made).";
    SLOTS_IN_USE = MetricKind::Gauge, "probity_provider_slots_in_use", ["provider"],
        "Calls under way from this worker.";
    SLOTS_LIMIT = MetricKind::Gauge, "probity_provider_slots_limit", ["provider"],
        "Calls this worker may have under way: its share of the fleet's limit.";

    APPENDS = MetricKind::Counter, "probity_store_appends_total", ["outcome"],
        "Events appended to the journal.";
    APPEND_SECONDS = MetricKind::Histogram(QUICK), "probity_store_append_duration_seconds", [],
        "How long an append to the journal took.";
    POOL_IN_USE = MetricKind::Gauge, "probity_store_pool_in_use", [],
        "Database connections in use by this process.";
    POOL_SIZE = MetricKind::Gauge, "probity_store_pool_size", [],
        "Database connections this process may open.";
    POOL_WAITING = MetricKind::Gauge, "probity_store_pool_waiting", [],
        "Requests of this process that wait for a database connection.";

    ENGINE_SUBMISSIONS = MetricKind::Counter, "probity_engine_submissions_total", ["outcome"],
        "Researches handed to the engine. Handing one over twice is harmless.";
    ADMISSION_ROUNDS = MetricKind::Counter, "probity_admission_rounds_total", ["outcome"],
        "Rounds of admission that this front end held (admitted, empty, busy, failed).";
    ADMITTED = MetricKind::Counter, "probity_admitted_total", [],
        "Researches admitted.";
    ADMISSION_SECONDS = MetricKind::Histogram(QUICK), "probity_admission_round_duration_seconds", [],
        "How long a round of admission took.";

    WEBHOOK_DELIVERIES = MetricKind::Counter, "probity_webhook_deliveries_total", ["outcome"],
        "Attempts to deliver a webhook (delivered, retried, dead).";
    HTTP_REQUESTS = MetricKind::Counter, "probity_http_requests_total", ["route", "method", "status"],
        "HTTP requests answered, by the route's pattern.";
    HTTP_SECONDS = MetricKind::Histogram(REQUEST), "probity_http_request_duration_seconds", ["route"],
        "How long an HTTP request took.";
    SSE_STREAMS = MetricKind::Gauge, "probity_sse_streams", [],
        "Open streams of server-sent events.";
    EXPORT_FAILURES = MetricKind::Counter, "probity_telemetry_export_failures_total", [],
        "Batches of traces or logs that the collector did not take.";
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{ALL, MetricKind};

    #[test]
    fn names_follow_the_rules_of_prometheus() {
        let mut seen = BTreeSet::new();
        for metric in ALL {
            assert!(seen.insert(metric.name), "{} stands twice", metric.name);
            let plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
            assert!(metric.name.starts_with("probity_") && plain(metric.name), "{}", metric.name);
            assert!(metric.labels.iter().all(|label| plain(label)), "{}", metric.name);
            assert!(metric.help.ends_with('.'), "{}", metric.name);
            let suffix = match metric.kind {
                MetricKind::Counter => metric.name.ends_with("_total"),
                MetricKind::Histogram(_) => metric.name.ends_with("_seconds"),
                MetricKind::Gauge => !metric.name.ends_with("_total"),
            };
            assert!(suffix, "{} does not end as its kind asks", metric.name);
            if let MetricKind::Histogram(bounds) = metric.kind {
                assert!(!bounds.is_empty(), "{}", metric.name);
                assert!(bounds.is_sorted_by(|left, right| left < right), "{}", metric.name);
            }
        }
    }
}
