//! Everything that can be recorded, read back by the parser of the Prometheus client.

use std::{path::Path, time::Duration};

use probity_research::{cost::MicroUsd, plan::EngineName, status::RunStatus};
use probity_telemetry::{
    Metrics,
    metric_names::{ALL, MetricKind},
    record::{
        self, AdmissionRoundOutcome, AppendOutcome, BreakerGaugeState, ProcessRole, ProviderCallOutcome,
        Reachability, ReadinessDependency, SubmissionOutcome, WebhookDeliveryOutcome,
    },
    tenant_gauges::{TenantGauges, TenantLoad},
};
use serde_json::Value;

use crate::tools;

/// One of everything.
fn record_everything() {
    let took = Duration::from_millis(30);
    record::build("0.1.0", ProcessRole::Worker);
    record::ready(ReadinessDependency::Database, Reachability::Yes);
    record::ready(ReadinessDependency::Engine, Reachability::No);
    record::draining();
    record::step("create", "started", took);
    record::step("follow", "seen", Duration::from_secs(7_200));
    record::research_started(EngineName::Web);
    record::research_ended(RunStatus::Completed);
    record::money_spent("gemini-api", MicroUsd(1_250_000));
    record::provider_call("gemini-api", ProviderCallOutcome::Good, took);
    record::provider_call("gemini-api", ProviderCallOutcome::Throttled, took);
    record::breaker("gemini-api", BreakerGaugeState::HalfOpen);
    record::slots("gemini-api", 3, 8);
    record::append(AppendOutcome::Stored, took);
    record::pool(5, 16, 1);
    record::engine_submission(SubmissionOutcome::Accepted);
    record::admission_round(AdmissionRoundOutcome::Admitted(4), took);
    record::admission_round(AdmissionRoundOutcome::Busy, took);
    record::webhook_delivery(WebhookDeliveryOutcome::Dead);
    record::http_request("/v1/researches/{id}", "GET", 200, took);
    record::http_request("/v1/researches", "BREW", 405, took);
    TenantGauges::default().set(&[(Some("anna"), TenantLoad { in_flight: 2, waiting: 9 })]);
}

/// The value of the sample with this name and these labels.
#[track_caller]
fn value(families: &Value, family: &str, sample: &str, labels: &Value) -> f64 {
    let samples = families[family]["samples"].as_array().unwrap_or_else(|| panic!("no {family}"));
    let found = samples.iter().find(|one| one["name"] == sample && one["labels"] == *labels);
    found.unwrap_or_else(|| panic!("no {sample}{labels} in {samples:?}"))["value"].as_f64().unwrap()
}

#[test]
fn prometheus_reads_every_metric_with_its_help_and_kind() {
    let metrics = Metrics::install();
    record_everything();
    let stream = record::sse_stream();
    let turn = record::turn();
    drop(turn);
    metrics.upkeep();
    let text = metrics.render();
    let sorted = |text: &str| -> Vec<String> {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    assert_eq!(sorted(&Metrics::install().render()), sorted(&text), "asked again, it gives the same");
    if let Some(promtool) = tools::promtool() {
        tools::run(&promtool, &[Path::new("check"), Path::new("metrics")], &text);
    }
    let Some(python) = tools::python() else { return };
    let families: Value =
        serde_json::from_str(&tools::run(&python, &[&tools::check("read_metrics.py")], &text)).unwrap();

    for metric in ALL.iter().filter(|metric| metric.name != "probity_telemetry_export_failures_total") {
        let family = match metric.kind {
            MetricKind::Counter => metric.name.trim_end_matches("_total"),
            MetricKind::Gauge | MetricKind::Histogram(_) => metric.name,
        };
        let kind = match metric.kind {
            MetricKind::Counter => "counter",
            MetricKind::Gauge => "gauge",
            MetricKind::Histogram(_) => "histogram",
        };
        assert_eq!(families[family]["type"], kind, "{}", metric.name);
        assert_eq!(families[family]["help"], metric.help, "{}", metric.name);
        for sample in families[family]["samples"].as_array().unwrap() {
            let mut labels: Vec<&String> = sample["labels"].as_object().unwrap().keys().collect();
            labels.retain(|label| *label != "le");
            let mut named = metric.labels.to_vec();
            named.sort_unstable();
            assert_eq!(labels, named, "{}", metric.name);
        }
    }

    let check = |family: &str, sample: &str, labels: Value, expected: f64| {
        assert!((value(&families, family, sample, &labels) - expected).abs() < 1e-9, "{sample} {labels}");
    };
    let provider = serde_json::json!({ "provider": "gemini-api" });
    check("probity_provider_throttled", "probity_provider_throttled_total", provider.clone(), 1.0);
    check("probity_provider_breaker_state", "probity_provider_breaker_state", provider.clone(), 1.0);
    check("probity_money_spent_micro_usd", "probity_money_spent_micro_usd_total", provider, 1_250_000.0);
    check("probity_admitted", "probity_admitted_total", serde_json::json!({}), 4.0);
    check("probity_sse_streams", "probity_sse_streams", serde_json::json!({}), 1.0);
    check("probity_turns_running", "probity_turns_running", serde_json::json!({}), 0.0);
    let anna = serde_json::json!({ "tenant": "anna" });
    check("probity_researches_waiting", "probity_researches_waiting", anna, 9.0);
    let odd = serde_json::json!({ "route": "/v1/researches", "method": "other", "status": "405" });
    check("probity_http_requests", "probity_http_requests_total", odd, 1.0);
    // 30 ms lie in the bucket up to 50 ms and not in the one up to 10; two hours lie past the last bound.
    let bucket = |kind: &str, bound: &str| {
        let labels = serde_json::json!({ "kind": kind, "le": bound });
        value(&families, "probity_step_duration_seconds", "probity_step_duration_seconds_bucket", &labels)
    };
    let seen = [
        bucket("create", "0.01"),
        bucket("create", "0.05"),
        bucket("follow", "3600"),
        bucket("follow", "+Inf"),
    ];
    assert_eq!(seen.map(|value| value > 0.5), [false, true, false, true]);
    drop(stream);
}

#[test]
fn the_genai_names_are_the_published_ones() {
    let Some(python) = tools::python() else { return };
    let published = tools::run(&python, &[&tools::check("gen_ai_names.py")], "");
    let published: Vec<&str> = published.lines().collect();
    assert!(published.len() > 30, "the published table was not read: {published:?}");
    for name in probity_telemetry::gen_ai::attribute::ALL {
        assert!(published.contains(name), "{name} is not in the conventions");
    }
}
