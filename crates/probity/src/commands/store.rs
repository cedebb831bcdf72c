//! `probity store`: backups of the database, and restoring one. Nothing is ever deleted here.

use clap::{Args, Subcommand};
use probity_research::cost::MicroUsd;
use probity_runner::clock::wall_now;
use probity_store::{CarriedSpending, LossReport, Store};

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
            let loss = Store::accept_loss(directory, wall_now())?;
            context.output.print_message("the database is used without what it lost; see: probity runs list");
            print_loss(context, &loss);
        }
        StoreCommand::Restore(_) => {
            let restored = Store::restore(directory, wall_now())?;
            let found = format::count(restored.researches, "research", "researches");
            context.output.print_message(&format!("restored {found} from {}", restored.backup.display()));
            for aside in &restored.set_aside {
                context.output.print_message(&format!("the damaged file is kept as {}", aside.display()));
            }
            if !restored.set_aside.is_empty() {
                context.output.print_message(
                    "to use what is kept again: end every Probity, move `probity.db` away and rename the kept files to \
                     their names without `.damaged-` and the number",
                );
            }
            print_loss(context, &restored.loss);
            context
                .output
                .print_message("anything started after that backup is not in it; see: probity runs list");
        }
    }
    Ok(Exit::Done)
}

fn print_loss(context: &CommandContext, loss: &LossReport) {
    if loss.unknown > 0 {
        let unknown = format::count(loss.unknown, "research", "researches");
        context.output.print_message(&format!(
            "{unknown} may have been sent and paid for since: not sent again without `--pay-again`; see: probity runs \
             list --status unknown"
        ));
    }
    let counted = match loss.spending {
        CarriedSpending::Known(MicroUsd(0)) => return,
        CarriedSpending::Known(amount) => format!(
            "{amount} that the kept file had spent or reserved in the last 24 hours counts for budget.per_day_usd"
        ),
        CarriedSpending::Unreadable { room_at } => format!(
            "what was spent since cannot be read: all of budget.per_day_usd counts as spent; it has room again at \
             {room_at}"
        ),
    };
    context.output.print_message(&counted);
}
