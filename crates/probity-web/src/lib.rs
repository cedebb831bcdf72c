//! Talks to the web. `fetch` brings pages and connects to public addresses only; `search` asks providers, one file
//! each; `browser` renders pages that scripts build. Never asks a model, never decides what to read.

pub mod browser;
pub mod fetch;
pub mod search;
