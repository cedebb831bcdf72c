//! `probity runs restore`: takes researches out of the trash.

use clap::Args;
use probity_research::RunId;

use crate::{
    app_context::AppContext, command_context::CommandContext, command_error::CommandError, exit::Exit,
    settings::raw::RawSettings,
};

#[derive(Debug, Args)]
pub struct RunRestoreArguments {
    /// Ids or beginnings of ids, as `probity runs list --removed` shows them
    #[arg(required = true, value_name = "ID")]
    pub ids: Vec<String>,
}

pub async fn run(context: &CommandContext, arguments: &RunRestoreArguments) -> Result<Exit, CommandError> {
    let settings = context.settings(RawSettings::default())?.settings;
    let app = AppContext::open(&settings, None)?;
    let mut ids: Vec<RunId> = Vec::new();
    for text in &arguments.ids {
        let id = match text.parse::<RunId>() {
            Ok(id) => id,
            Err(_) => app.store.find_removed(text)?,
        };
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    app.store.restore_runs(ids.clone()).await?;
    for id in ids {
        context.output.print_message(&format!("restored {id}; it is watched no longer, if it was"));
    }
    Ok(Exit::Done)
}
