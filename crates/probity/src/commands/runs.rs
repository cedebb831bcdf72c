//! `probity runs`: the stored runs.

pub mod cancel;
pub mod list;
pub mod open;
pub mod purge;
pub mod raise;
pub mod rename;
pub mod restore;
pub mod resume;
pub mod rm;
pub mod show;
pub mod steer;
pub mod tag;
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
    /// Open the report of one on the local page, or write it as a file
    Open(open::OpenArguments),
    /// Give one a title, shown instead of its question
    Rename(rename::RenameArguments),
    /// Add tags to one, or take them away: `+tag` and `-tag`
    Tag(tag::TagArguments),
    /// Put some into the trash; says first what is removed and what is not
    Rm(rm::RmArguments),
    /// Take some out of the trash
    Restore(restore::RunRestoreArguments),
    /// Delete everything in the trash for good
    Purge(purge::PurgeArguments),
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
            Self::Open(_)
            | Self::Rename(_)
            | Self::Tag(_)
            | Self::Rm(_)
            | Self::Restore(_)
            | Self::Purge(_) => false,
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
        RunsCommand::Open(arguments) => Box::pin(open::run(context, arguments)).await,
        RunsCommand::Rename(arguments) => Box::pin(rename::run(context, arguments)).await,
        RunsCommand::Tag(arguments) => Box::pin(tag::run(context, arguments)).await,
        RunsCommand::Rm(arguments) => Box::pin(rm::run(context, arguments)).await,
        RunsCommand::Restore(arguments) => Box::pin(restore::run(context, arguments)).await,
        RunsCommand::Purge(arguments) => Box::pin(purge::run(context, arguments)).await,
    }
}
