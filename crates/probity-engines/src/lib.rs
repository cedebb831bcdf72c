//! Ways to gather in rounds: the same prompts and answers at Google's API and on the Gemini CLI.
//!
//! Puts what the rules ask for into words, has it asked through `probity-models`, and brings back what was
//! written and what was searched and read. Never decides what comes next and never stores anything.

mod api;
mod cli;
mod engines;
pub mod prompts;
pub mod schema;
mod sources;

pub use api::ApiRounds;
pub use cli::CliRounds;
pub use engines::{Cli, Engines};
pub use prompts::{PromptName, Prompts};
