//! Talks to language models. One provider so far: Google's Interactions API, through a thin client of our own.
//!
//! `DeepResearch` is the engine the rules call; `Transport` is its only way out, so that a simulation can
//! stand in for the network. Never retries a create, never writes, never decides when to stop.

pub mod deep_research;
pub mod gemini;
pub mod gemini_cli;
pub mod secret;
pub mod transport;

pub use deep_research::{DeepResearch, DeepResearchSettings};
pub use secret::ApiKey;
pub use transport::{
    Connection, HeaderText, HttpRequest, HttpResponse, Method, Reached, ResponseBody, ResponseHeaders,
    Transport, TransportError, http::HttpTransport,
};
