//! Calls language models: Google's Interactions API through a thin client of our own, and any chat endpoint.
//!
//! `DeepResearch` is the engine that drivers call, `ChatClient` asks a model one question; `Transport` is
//! their only access to the network, so that a simulation can replace it. Never retries a create, never
//! writes, never decides when to stop.

pub mod chat;
pub mod deep_research;
pub mod entailment;
pub mod gemini;
pub mod gemini_cli;
pub mod secret;
pub mod transport;

pub use chat::{ChatCall, ChatClient, ChatError, ChatKind, ChatReply, ChatSettings};
pub use deep_research::{DeepResearch, DeepResearchSettings};
pub use secret::ApiKey;
pub use transport::{
    ConnectionReuse, HeaderText, HttpMethod, HttpRequest, HttpResponse, ResponseBody, ResponseHeaders,
    SendState, Transport, TransportError, http::HttpTransport,
};
