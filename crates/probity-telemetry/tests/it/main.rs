//! Telemetry and packaging judged by other people's programs: Prometheus, OTLP's definitions, Kubernetes' schemas.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "tests panic"
)]
#![expect(clippy::disallowed_methods, reason = "the tests start those programs and look at the clock")]

mod metrics_text;
mod otlp;
mod packaging;
mod tools;
