//! `probity runs restore`: takes researches out of the trash.

use clap::Args;
use probity_research::{Code, CodedError, RunId};

use crate::{
    app_context::AppContext, command_context::CommandContext, command_error::CommandError, exit::Exit,
    identify::identify, settings::raw::RawSettings,
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
            Err(_) => app.store.find_removed(text).map_err(|problem| not_removed(&app, text, problem))?,
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

/// A research that is not in the trash is there, where it always was.
fn not_removed(app: &AppContext, text: &str, problem: CodedError) -> CommandError {
    match identify(app, text) {
        Ok(id) => CommandError::new(Code::InvalidArguments, &format!("{id} is not in the trash"))
            .with_hint(format!("it is where it was: `probity runs show {id}`")),
        Err(_) => {
            CommandError::from(problem).with_hint("`probity runs list --removed` shows what is in the trash")
        }
    }
}
