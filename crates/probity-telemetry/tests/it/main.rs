//! Telemetry and packaging judged by other people's programs: Prometheus, OTLP's definitions, Kubernetes' schemas.
#![expect(clippy::disallowed_methods, reason = "the tests start those programs and look at the clock")]

mod metrics_text;
mod otlp;
mod packaging;
mod tools;
