//! `probity runs tag`: adds tags to a research and takes them away.

use clap::Args;
use probity_research::shelf::{ShelfEntry, TagEdit};

use crate::{
    app_context::AppContext, command_context::CommandContext, command_error::CommandError, exit::Exit,
    identify::identify, library, settings::raw::RawSettings,
};

#[derive(Debug, Args)]
pub struct TagArguments {
    /// An id, the beginning of one, or `last`
    #[arg(value_name = "ID", add = crate::tab_completion::run_id_candidates())]
    pub id: String,
    /// `+tag` or `tag` adds one, `-tag` takes one away
    #[arg(required = true, value_name = "TAG", allow_hyphen_values = true)]
    pub tags: Vec<String>,
}

pub async fn run(context: &CommandContext, arguments: &TagArguments) -> Result<Exit, CommandError> {
    let settings = context.settings(RawSettings::default())?.settings;
    let edit = TagEdit::parse(&arguments.tags)?;
    let app = AppContext::open(&settings, None)?;
    let id = identify(&app, &arguments.id)?;
    let tags = app.store.edit_tags(id, edit).await?;
    let words = library::tag_words(Some(&ShelfEntry { tags, ..ShelfEntry::default() }));
    let shown = if words.is_empty() { "no tags".to_owned() } else { words };
    context.output.print_message(&format!("{id}: {shown}"));
    Ok(Exit::Done)
}
