//! Google's Interactions API: its JSON, its errors, its streams. Knows nothing of runs.

pub mod client;
pub mod error;
pub mod redirects;
pub mod report;
pub mod sse;
pub mod wire;
