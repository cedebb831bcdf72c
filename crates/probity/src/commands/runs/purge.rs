//! `probity runs purge`: empties the trash. Nothing brings back what was in it.

use clap::Args;
use probity_research::{
    list::{LIST_MAX, ListFilter},
    shelf::ShelfPart,
    text,
};
use probity_store::PurgeChoice;

use crate::{
    app_context::AppContext, command_context::CommandContext, command_error::CommandError,
    commands::runs::rm, exit::Exit, format, settings::raw::RawSettings,
};

#[derive(Debug, Args)]
pub struct PurgeArguments {
    /// Purge without being asked
    #[arg(long)]
    pub yes: bool,
}

pub async fn run(context: &CommandContext, arguments: &PurgeArguments) -> Result<Exit, CommandError> {
    let settings = context.settings(RawSettings::default())?.settings;
    let app = AppContext::open(&settings, None)?;
    let trash = ListFilter { part: ShelfPart::Removed, limit: LIST_MAX, ..ListFilter::default() };
    let (removed, total) = (app.store.list(&trash)?, app.store.total(&trash)?);
    if removed.is_empty() {
        context.output.print_message("the trash is empty");
        return Ok(Exit::Done);
    }
    for summary in &removed {
        context.output.print_message(&format!("{}: {}", summary.id, text::line(&summary.query, 100)));
    }
    let count = format::count(total, "research", "researches");
    context.output.print_message(
        "Their journals, reports, words, saved files and copies in `backups` are deleted for good.",
    );
    if !rm::confirmed(context, arguments.yes, &format!("Purge {count}?"))? {
        context.output.print_message("nothing was purged");
        return Ok(Exit::Done);
    }
    let purged = app.store.purge(PurgeChoice::Everything, app.purge_places.clone()).await?;
    context.output.print_message(&format!(
        "purged {}, with {} and {}",
        format::count(purged.runs.len() as u64, "research", "researches"),
        format::count(purged.blobs, "stored page or text", "stored pages and texts"),
        format::count(purged.exports.len() as u64, "saved file", "saved files"),
    ));
    Ok(Exit::Done)
}
