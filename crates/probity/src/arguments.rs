//! The command line: verbs and flags. What they do is in `verbs`.

use clap::{Parser, Subcommand};

use crate::verbs::{config, doctor, keep, research, runs, serve, store};

/// Deep research whose every sentence can be checked.
#[derive(Debug, Parser)]
#[command(name = "probity", version, propagate_version = true, disable_help_subcommand = true)]
#[command(after_help = "Start with `probity doctor`, then `probity research \"your question\"`.")]
pub struct Arguments {
    /// Say more on stderr; twice for everything
    #[arg(short, long, global = true, action = clap::ArgAction::Count, display_order = 900)]
    pub verbose: u8,
    #[command(subcommand)]
    pub verb: Verb,
}

#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Research a question and print the report
    Research(research::ResearchArguments),
    /// List, show, watch, cancel and resume researches
    #[command(subcommand)]
    Runs(runs::RunsVerb),
    /// Check that everything is in place, and say how to mend what is not
    Doctor(doctor::DoctorArguments),
    /// Show the settings and where each comes from
    #[command(subcommand)]
    Config(config::ConfigVerb),
    /// Serve MCP on stdin and stdout, for clients that start this program
    Mcp,
    /// Serve MCP for many clients over HTTP, and drive what is due
    Serve(serve::ServeArguments),
    /// Copy the database, or go back to a copy
    #[command(subcommand)]
    Store(store::StoreVerb),
    /// Drive what is due in the background; started by `research --detach`
    #[command(hide = true)]
    Drive,
    /// Run a program confined and end everything it started; started by the Gemini CLI engine
    #[command(hide = true)]
    Keep(keep::KeepArguments),
}
