//! Ways to gather: rounds at Google's API and on the Gemini CLI, and our own web engine with any chat model or none.
//!
//! Builds prompts from what the rules ask for, sends them through `probity-models`, and returns what was
//! written, searched and read. Never decides what comes next and never stores anything.

mod api;
mod cli;
mod dispatcher;
mod inquiry;
pub mod judge;
pub mod prompts;
pub mod schema;
mod sources;
pub mod web;

pub use api::ApiRounds;
pub use cli::CliRounds;
pub use dispatcher::{CliRoundsResult, EngineDispatcher, GoogleEngines};
pub use prompts::{PromptName, Prompts};
pub use web::{RoleClients, WebEngine};
