//! `probity store`: copies of the database, and the way back to one. Nothing is ever deleted here.

use clap::{Args, Subcommand};
use probity_runner::clock::wall_now;
use probity_store::Store;

use crate::{
    context::Context, desk::Desk, exit::Exit, failure::Failure, settings::written::RawSettings, words,
};

#[derive(Debug, Subcommand)]
pub enum StoreVerb {
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

pub fn run(context: &Context, verb: &StoreVerb) -> Result<Exit, Failure> {
    let settings = context.settings(RawSettings::default())?.settings;
    let directory = &settings.store_directory;
    match verb {
        StoreVerb::Backup => {
            let copy = Desk::open(&settings, None)?.store.backup_aside()?;
            context.output.say(&format!("copied to {}", copy.display()));
        }
        StoreVerb::Restore(arguments) if arguments.accept_loss => {
            Store::accept_loss(directory)?;
            context.output.say("the database is used as it is; look at it with: probity runs list");
        }
        StoreVerb::Restore(_) => {
            let restored = Store::restore(directory, wall_now())?;
            let found = words::count(restored.researches, "research", "researches");
            context.output.say(&format!("restored {found} from {}", restored.backup.display()));
            for aside in &restored.set_aside {
                context.output.say(&format!("the damaged file is kept as {}", aside.display()));
            }
            context.output.say("anything started after that backup is not in it; see: probity runs list");
        }
    }
    Ok(Exit::Done)
}
