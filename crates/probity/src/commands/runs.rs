//! `probity runs`: the stored runs.

pub mod cancel;
pub mod list;
pub mod raise;
pub mod resume;
pub mod show;
pub mod steer;
pub mod watch;

use clap::Subcommand;

use crate::{command_context::CommandContext, command_error::CommandError, exit::Exit};

#[derive(Debug, Subcommand)]
pub enum RunsCommand {
    /// List researches, newest change first
    List(list::ListArguments),
    /// Show how one stands, and its report
    Show(show::RunShowArguments),
    /// Follow one until it ends; drives it if nobody else does
    Watch(watch::WatchArguments),
    /// Cancel one, here and at the provider
    Cancel(cancel::CancelArguments),
    /// Let one that is under way cost more than it began with
    Raise(raise::RaiseArguments),
    /// Tell one that is under way what to do otherwise; without a flag, list its parts
    Steer(steer::SteerArguments),
    /// Take up what was interrupted: one research, or all that are due
    Resume(resume::ResumeArguments),
}

impl RunsCommand {
    pub fn wants_stream(&self) -> bool {
        matches!(self, Self::Watch(arguments) if arguments.stream_json)
    }

    pub fn wants_json(&self) -> bool {
        match self {
            Self::List(arguments) => arguments.json,
            Self::Show(arguments) => arguments.json,
            Self::Watch(arguments) => arguments.json,
            Self::Cancel(arguments) => arguments.json,
            Self::Raise(arguments) => arguments.json,
            Self::Steer(arguments) => arguments.json,
            Self::Resume(arguments) => arguments.json,
        }
    }
}

pub async fn run(context: &CommandContext, verb: &RunsCommand) -> Result<Exit, CommandError> {
    match verb {
        RunsCommand::List(arguments) => list::run(context, arguments),
        RunsCommand::Show(arguments) => show::run(context, arguments).await,
        RunsCommand::Watch(arguments) => Box::pin(watch::run(context, arguments)).await,
        RunsCommand::Cancel(arguments) => Box::pin(cancel::run(context, arguments)).await,
        RunsCommand::Raise(arguments) => Box::pin(raise::run(context, arguments)).await,
        RunsCommand::Steer(arguments) => Box::pin(steer::run(context, arguments)).await,
        RunsCommand::Resume(arguments) => Box::pin(resume::run(context, arguments)).await,
    }
}
