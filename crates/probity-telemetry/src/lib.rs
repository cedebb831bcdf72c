//! What operators see of a fleet: metrics for Prometheus, traces and logs by OTLP, and the names of both.
//!
//! Nothing here is set up unless somebody asks: without [`Metrics::install`] recording does nothing, and without
//! an endpoint there is no exporter, no thread and no connection.

pub mod gen_ai;
pub mod metrics_text;
pub mod names;
pub mod observed;
pub mod otlp;
pub mod record;
pub mod tenants;

pub use metrics_text::Metrics;
pub use observed::Observed;
pub use otlp::{Guard, OtlpSettings, otlp_layer};
