//! Talks to language models: Google's Interactions API through a thin client of our own, and any chat endpoint.
//!
//! `DeepResearch` is the engine the rules call, `Chat` asks a model one question; `Transport` is their only way
//! out, so that a simulation can stand in for the network. Never retries a create, never writes, never decides when to stop.

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
