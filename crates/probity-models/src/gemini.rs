//! Google's Interactions API: its words, its errors, its streams. Knows nothing of researches.

pub mod client;
pub mod error;
pub mod redirects;
pub mod report;
pub mod sse;
pub mod wire;
