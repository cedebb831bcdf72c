//! Telemetry judged by other people's programs.
