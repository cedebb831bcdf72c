//! Ways to gather: rounds at Google's API and on the Gemini CLI, and our own web engine with any chat model or none.
//!
//! Puts what the rules ask for into words, has it asked through `probity-models`, and brings back what was
//! written and what was searched and read. Never decides what comes next and never stores anything.

mod api;
mod cli;
mod dispatcher;
pub mod judge;
pub mod prompts;
pub mod schema;
mod sources;
pub mod web;

pub use api::ApiRounds;
pub use cli::CliRounds;
pub use dispatcher::{CliRoundsResult, EngineDispatcher, GoogleEngines};
pub use prompts::{PromptName, Prompts};
pub use web::WebEngine;
