//! `probity store`: backups of the database, and restoring one. Nothing is ever deleted here.

use clap::{Args, Subcommand};
use probity_runner::clock::wall_now;
use probity_store::Store;

use crate::{
    app_context::AppContext, command_context::CommandContext, command_error::CommandError, exit::Exit,
    format, settings::raw::RawSettings,
};

#[derive(Debug, Subcommand)]
pub enum StoreCommand {
    /// Copy the database into its `backups` folder; the newest three are kept
    Backup,
    /// Set a damaged database aside and put the newest whole backup in its place
    Restore(RestoreArguments),
}

#[derive(Debug, Args)]
pub struct RestoreArguments {
    /// Keep the database as it is although its newest changes are missing
    #[arg(long)]
    pub accept_loss: bool,
}

pub fn run(context: &CommandContext, verb: &StoreCommand) -> Result<Exit, CommandError> {
    let settings = context.settings(RawSettings::default())?.settings;
    let directory = &settings.store_directory;
    match verb {
        StoreCommand::Backup => {
            let copy = AppContext::open(&settings, None)?.store.backup_aside()?;
            context.output.print_message(&format!("copied to {}", copy.display()));
        }
        StoreCommand::Restore(arguments) if arguments.accept_loss => {
            Store::accept_loss(directory)?;
            context.output.print_message("the database is used as it is; look at it with: probity runs list");
        }
        StoreCommand::Restore(_) => {
            let restored = Store::restore(directory, wall_now())?;
            let found = format::count(restored.researches, "research", "researches");
            context.output.print_message(&format!("restored {found} from {}", restored.backup.display()));
            for aside in &restored.set_aside {
                context.output.print_message(&format!("the damaged file is kept as {}", aside.display()));
            }
            context
                .output
                .print_message("anything started after that backup is not in it; see: probity runs list");
        }
    }
    Ok(Exit::Done)
}
