//! The metrics of this process as the text that Prometheus reads. The caller serves it; nothing listens here.

use std::sync::OnceLock;

use metrics::{describe_counter, describe_gauge, describe_histogram};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};

use crate::metric_names::{ALL, Metric, MetricKind};

/// A process has one recorder: the facade allows no second.
static INSTALLED: OnceLock<PrometheusHandle> = OnceLock::new();

/// From here on recorded values are kept. Cheap to clone.
#[derive(Clone)]
pub struct Metrics {
    handle: PrometheusHandle,
}

impl Metrics {
    /// Starts recording in this process. Another call returns the same recorder.
    pub fn install() -> Self {
        let handle = INSTALLED.get_or_init(|| {
            let recorder = builder().build_recorder();
            let handle = recorder.handle();
            if metrics::set_global_recorder(recorder).is_err() {
                tracing::warn!("another metrics recorder is installed; /metrics stays empty");
            }
            ALL.iter().for_each(describe);
            handle
        });
        Self { handle: handle.clone() }
    }

    /// The text for `/metrics`, in the format `text/plain; version=0.0.4`.
    pub fn render(&self) -> String {
        self.handle.render()
    }

    /// Puts recorded durations into their buckets. To be called every few seconds: durations wait in memory
    /// until then, also when Prometheus does not scrape.
    pub fn upkeep(&self) {
        self.handle.run_upkeep();
    }
}

/// The content type for the response header.
pub const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Refused only if a histogram had no bounds, and a test checks that each has some.
fn builder() -> PrometheusBuilder {
    let with_bounds = ALL.iter().try_fold(PrometheusBuilder::new(), |builder, metric| {
        let MetricKind::Histogram(bounds) = metric.kind else { return Ok(builder) };
        let seconds: Vec<f64> = bounds.iter().map(|ms| f64::from(*ms) / 1_000.0).collect();
        builder.set_buckets_for_metric(Matcher::Full(metric.name.to_owned()), &seconds)
    });
    with_bounds.unwrap_or_else(|error| {
        tracing::warn!(%error, "histogram buckets not set; durations go without buckets");
        PrometheusBuilder::new()
    })
}

fn describe(metric: &Metric) {
    match metric.kind {
        MetricKind::Counter => describe_counter!(metric.name, metric.help),
        MetricKind::Gauge => describe_gauge!(metric.name, metric.help),
        MetricKind::Histogram(_) => describe_histogram!(metric.name, metric.help),
    }
}
