//! Traces and logs to a collector by OTLP, where an endpoint is named; else nothing is set up at all.
//!
//! The settings come as arguments. What is left at its default (sampling, batch sizes) the SDK itself reads from
//! the standard `OTEL_*` variables.

use std::{collections::HashMap, time::Duration};

use opentelemetry::{KeyValue, trace::TracerProvider as _};
use opentelemetry_appender_tracing::layer::OpenTelemetryTracingBridge;
use opentelemetry_otlp::{LogExporter, Protocol, SpanExporter, WithExportConfig as _, WithHttpConfig as _};
use opentelemetry_sdk::{Resource, logs::SdkLoggerProvider, trace::SdkTracerProvider};
use probity_research::error::{Code, CodedError};
use tracing::Subscriber;
use tracing_subscriber::{Layer, filter::LevelFilter, filter::Targets, registry::LookupSpan};

use crate::gen_ai::ContentCapture;

mod client;
mod settings;

pub use settings::{OtlpSettings, ServiceIdentity, variable};

/// One batch must be accepted within this time; the next one waits behind it.
const EXPORT_MAX: Duration = Duration::from_secs(10);
/// How long a process that ends waits for its last batches.
const LAST_BATCHES_MAX: Duration = Duration::from_secs(5);
/// Lines of the exporter itself must not be exported: each batch would make the next.
const OWN_TARGETS: [&str; 6] = ["opentelemetry", "reqwest", "hyper", "hyper_util", "h2", "rustls"];

/// Sends the last batches when dropped.
#[derive(Debug)]
pub struct OtlpGuard {
    tracers: SdkTracerProvider,
    loggers: SdkLoggerProvider,
}

impl OtlpGuard {
    /// Sends what is waiting now. Blocks; not for a thread that drives tasks.
    pub fn flush(&self) -> bool {
        let traces = self.tracers.force_flush();
        let logs = self.loggers.force_flush();
        traces.is_ok() && logs.is_ok()
    }
}

impl Drop for OtlpGuard {
    fn drop(&mut self) {
        let traces = self.tracers.shutdown_with_timeout(LAST_BATCHES_MAX);
        let logs = self.loggers.shutdown_with_timeout(LAST_BATCHES_MAX);
        if traces.is_err() || logs.is_err() {
            tracing::debug!("the last traces or logs were not taken by the collector");
        }
    }
}

/// A layer for the process's subscriber. What it sends is lost when the collector is away for long: queues are
/// bounded and nothing waits for them.
pub fn otlp_layer<S>(settings: &OtlpSettings) -> Result<(impl Layer<S> + use<S>, OtlpGuard), CodedError>
where
    S: Subscriber + for<'span> LookupSpan<'span>,
{
    let refused = |what: &str| CodedError::new(Code::Settings, &format!("{}: {what}", variable::ENDPOINT));
    let client = client::CollectorClient::new(EXPORT_MAX).map_err(|error| refused(&error.to_string()))?;
    let spans = SpanExporter::builder()
        .with_http()
        .with_http_client(client.clone())
        .with_protocol(Protocol::HttpBinary)
        .with_endpoint(settings.address("v1/traces"))
        .with_headers(headers(settings))
        .with_timeout(EXPORT_MAX)
        .build()
        .map_err(|_| refused("is not an address of a collector"))?;
    let logs = LogExporter::builder()
        .with_http()
        .with_http_client(client)
        .with_protocol(Protocol::HttpBinary)
        .with_endpoint(settings.address("v1/logs"))
        .with_headers(headers(settings))
        .with_timeout(EXPORT_MAX)
        .build()
        .map_err(|_| refused("is not an address of a collector"))?;

    let resource = resource(settings);
    let tracers =
        SdkTracerProvider::builder().with_resource(resource.clone()).with_batch_exporter(spans).build();
    let loggers = SdkLoggerProvider::builder().with_resource(resource).with_batch_exporter(logs).build();
    let tracer = tracers.tracer("probity");
    let layer = tracing_opentelemetry::layer()
        .with_tracer(tracer)
        // Lines go out as logs of their span; as events of the span they would go out twice.
        .with_location(false)
        .with_threads(false)
        .with_tracked_inactivity(false)
        .with_filter(export_filter())
        .and_then(OpenTelemetryTracingBridge::new(&loggers).with_filter(export_filter()));
    Ok((layer, OtlpGuard { tracers, loggers }))
}

/// Lines of `probity` and its libraries from `info` up, and none about exporting.
fn export_filter() -> Targets {
    let all = Targets::new().with_default(LevelFilter::INFO);
    OWN_TARGETS.into_iter().fold(all, |targets, own| targets.with_target(own, LevelFilter::OFF))
}

fn headers(settings: &OtlpSettings) -> HashMap<String, String> {
    use secrecy::ExposeSecret as _;
    settings.headers.iter().map(|(name, value)| (name.clone(), value.expose_secret().to_owned())).collect()
}

fn resource(settings: &OtlpSettings) -> Resource {
    let service = &settings.service;
    let mut attributes = vec![
        KeyValue::new("service.namespace", "probity"),
        KeyValue::new("service.version", service.version),
        KeyValue::new("service.instance.id", service.instance.clone()),
    ];
    attributes
        .extend(settings.attributes.iter().map(|(name, value)| KeyValue::new(name.clone(), value.clone())));
    Resource::builder().with_attributes(attributes).with_service_name(settings.service_name.clone()).build()
}

/// Whether content was asked for, from the text of the variable.
pub fn content_capture(text: Option<String>) -> ContentCapture {
    match text {
        Some(text) if text.trim().eq_ignore_ascii_case("true") => ContentCapture::Content,
        _ => ContentCapture::Nothing,
    }
}
