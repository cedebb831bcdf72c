//! What operators see of a fleet: metrics for Prometheus, traces and logs by OTLP, and the names of both.
//!
//! Nothing here is set up unless the program asks: without [`Metrics::install`] recording does nothing, and
//! without an endpoint there is no exporter, no thread and no connection.

pub mod gen_ai;
pub mod metric_names;
pub mod metrics_text;
pub mod observed_engine;
pub mod otlp;
pub mod record;
pub mod tenant_gauges;

pub use metrics_text::Metrics;
pub use observed_engine::ObservedEngine;
pub use otlp::{OtlpGuard, OtlpSettings, otlp_layer};
