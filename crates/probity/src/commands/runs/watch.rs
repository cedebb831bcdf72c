//! `probity runs watch`: follows one run until it ends, and drives it if no other process does.

use clap::Args;
use probity_research::plan::EngineName;

use crate::{
    app_context::AppContext,
    command_context::CommandContext,
    command_error::CommandError,
    exit::Exit,
    identify::identify,
    keys::ProviderKeys,
    output::live,
    render::{self, OutputFormat},
    settings::raw::RawSettings,
    start_run::follow_to_end,
};

#[derive(Debug, Args)]
pub struct WatchArguments {
    /// An id, the beginning of one, or `last`
    #[arg(default_value = "last", value_name = "ID", add = crate::tab_completion::run_id_candidates())]
    pub id: String,
    /// Print exactly one JSON document on stdout
    #[arg(long)]
    pub json: bool,
    /// Print one typed JSON line per change on stdout, the result as the last
    #[arg(long, conflicts_with_all = ["json"])]
    pub stream_json: bool,
}

pub async fn run(context: &CommandContext, arguments: &WatchArguments) -> Result<Exit, CommandError> {
    let settings = context.settings(RawSettings::default())?.settings;
    let app = AppContext::open(&settings, ProviderKeys::read(&context.environment).ok())?;
    let id = identify(&app, &arguments.id)?;
    let summary = app.summary(id)?;
    let form = OutputFormat::of(arguments.json, false).or_stream(arguments.stream_json);
    if summary.status.is_final() {
        return render::print_end(&context.output, &app, &summary, form).await;
    }
    let of_web = summary.engine == EngineName::Web.as_str();
    if !app.drives.can_drive(if of_web { EngineName::Web } else { EngineName::GeminiApi }) {
        context.output.print_message(
            "note: there is no API key here, so this only watches; another Probity must drive it",
        );
    }
    let budget = app.budget(id).await?;
    if let Some(left) = live::what_is_left(&summary, budget, app.now()) {
        context.output.print_message(&left);
    }
    follow_to_end(context, &app, &summary, budget, form).await
}
