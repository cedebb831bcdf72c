//! `probity runs rename`: gives a research a title, which lists and the page show instead of its question.

use clap::Args;
use probity_research::shelf::Title;

use crate::{
    app_context::AppContext, command_context::CommandContext, command_error::CommandError, exit::Exit,
    identify::identify, settings::raw::RawSettings,
};

#[derive(Debug, Args)]
pub struct RenameArguments {
    /// An id, the beginning of one, or `last`
    #[arg(value_name = "ID", add = crate::tab_completion::run_id_candidates())]
    pub id: String,
    /// The new title; an empty one shows the question again
    #[arg(value_name = "TITLE")]
    pub title: String,
}

pub async fn run(context: &CommandContext, arguments: &RenameArguments) -> Result<Exit, CommandError> {
    let settings = context.settings(RawSettings::default())?.settings;
    let title = match arguments.title.trim() {
        "" => None,
        typed => Some(Title::parse(typed)?),
    };
    let app = AppContext::open(&settings, None)?;
    let id = identify(&app, &arguments.id)?;
    let told = match &title {
        Some(title) => format!("{id} is now called: {}", title.as_str()),
        None => format!("{id} is shown with its question again"),
    };
    app.store.set_title(id, title).await?;
    context.output.print_message(&told);
    Ok(Exit::Done)
}
