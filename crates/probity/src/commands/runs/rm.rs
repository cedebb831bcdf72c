//! `probity runs rm`: puts researches into the trash, after saying what that takes away.

use clap::Args;
use probity_research::{Code, RunId, shelf::TRASH_DAYS};

use crate::{
    app_context::AppContext, command_context::CommandContext, command_error::CommandError, exit::Exit,
    format, identify::identify, library, settings::raw::RawSettings,
};

#[derive(Debug, Args)]
pub struct RmArguments {
    /// Ids, beginnings of ids, or `last`
    #[arg(required = true, value_name = "ID", add = crate::tab_completion::run_id_candidates())]
    pub ids: Vec<String>,
    /// Remove without being asked
    #[arg(long)]
    pub yes: bool,
}

pub async fn run(context: &CommandContext, arguments: &RmArguments) -> Result<Exit, CommandError> {
    let settings = context.settings(RawSettings::default())?.settings;
    let app = AppContext::open(&settings, None)?;
    let mut ids: Vec<RunId> = Vec::new();
    for text in &arguments.ids {
        let id = identify(&app, text)?;
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    for line in library::removal_notice(&app, &ids)? {
        context.output.print_message(&line);
    }
    let along = app.store.check_removal(&ids)?.len();
    let count = format::count((ids.len() + along) as u64, "research", "researches");
    if !confirmed(context, arguments.yes, &format!("Remove {count}?"))? {
        context.output.print_message("nothing was removed");
        return Ok(Exit::Done);
    }
    app.store.remove_runs(ids).await?;
    context.output.print_message(&format!(
        "removed {count}; `probity runs list --removed` shows the trash, which keeps it for {TRASH_DAYS} days"
    ));
    Box::pin(app.purge_expired()).await;
    Ok(Exit::Done)
}

/// The yes of a flag or of the user; where nobody can be asked, an error.
pub fn confirmed(context: &CommandContext, yes: bool, question: &str) -> Result<bool, CommandError> {
    if yes {
        return Ok(true);
    }
    if !context.output.can_ask() {
        let message = "this needs a yes, and there is no terminal to ask at; nothing was removed";
        return Err(CommandError::new(Code::InvalidArguments, message).with_hint("add `--yes`"));
    }
    Ok(context.output.confirm(question))
}
