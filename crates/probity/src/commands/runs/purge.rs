//! `probity runs purge`: empties the trash. Nothing brings back what was in it.

use clap::Args;
use probity_research::{
    RunId,
    list::{LIST_MAX, ListFilter},
    shelf::ShelfPart,
    text,
};
use probity_store::{PurgeChoice, PurgeReport};

use crate::{
    app_context::AppContext, command_context::CommandContext, command_error::CommandError,
    commands::runs::rm, exit::Exit, format, library, settings::raw::RawSettings, shutdown::ShutdownSignals,
};

const WHAT_GOES: &str = "Their journals, reports, words, saved files and copies in `backups`";
const LEFT: &str = "They are gone from the library; stored files or backups of them are left and go with the next \
                    `probity runs purge`, or when Probity next ends some work.";

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
    if removed.is_empty() && !app.store.has_unfinished_purge() {
        context.output.print_message("the trash is empty");
        return Ok(Exit::Done);
    }
    if removed.is_empty() {
        context.output.print_message("the trash is empty; finishing a purge that was interrupted");
    } else {
        let ids: Vec<RunId> = removed.iter().map(|summary| summary.id).collect();
        let entries = app.store.shelf_entries(&ids)?;
        for summary in &removed {
            let heading = text::line(&library::heading(summary, entries.get(&summary.id)), 100);
            context.output.print_message(&format!("{}: {heading}", summary.id));
        }
        let count = format::count(total, "research", "researches");
        let question = format!("Purge {count}? {WHAT_GOES} would be deleted for good.");
        if !rm::confirmed(context, arguments.yes, &question)? {
            context.output.print_message("nothing was purged");
            return Ok(Exit::Done);
        }
    }
    let (purged, exit) = purge_to_end(context, &app).await?;
    if purged.runs.is_empty() {
        context.output.print_message("nothing was left to purge");
        return Ok(exit);
    }
    context.output.print_message(&format!(
        "purged {}, with {} and {}",
        format::count(purged.runs.len() as u64, "research", "researches"),
        format::count(purged.blobs, "stored page or text", "stored pages and texts"),
        format::count(purged.exports.len() as u64, "saved file", "saved files"),
    ));
    let told = match purged.is_unfinished {
        false => format!("{WHAT_GOES} are deleted for good."),
        true => LEFT.to_owned(),
    };
    context.output.print_message(&told);
    Ok(exit)
}

/// A purge is not left in the middle: whoever asks this process to end gets the exit code of that when it is done.
async fn purge_to_end(
    context: &CommandContext,
    app: &AppContext,
) -> Result<(PurgeReport, Exit), CommandError> {
    let mut leave = ShutdownSignals::new();
    let mut purging = Box::pin(app.store.purge(PurgeChoice::Everything, app.purge_places.clone()));
    let mut exit = Exit::Done;
    loop {
        tokio::select! {
            biased;
            purged = &mut purging => return Ok((purged?, exit)),
            _ = leave.wait(), if exit == Exit::Done => {
                exit = Exit::Interrupted;
                context.output.print_message("the purge is ended first: what is half purged helps nobody");
            }
        }
    }
}
