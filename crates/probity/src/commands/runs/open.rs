//! `probity runs open`: one report on the local page, or as a file whose path is printed.

use clap::Args;
use probity_report::ReportFormat;

use crate::{
    app_context::AppContext,
    command_context::CommandContext,
    command_error::CommandError,
    commands::{report, ui},
    exit::Exit,
    identify::{identify, no_runs_error},
    settings::raw::RawSettings,
};

#[derive(Debug, Args)]
pub struct OpenArguments {
    /// An id, the beginning of one, or `last`
    #[arg(default_value = "last", value_name = "ID", add = crate::tab_completion::run_id_candidates())]
    pub id: String,
    /// Write it as one HTML file here and print its path, instead of starting the local page
    #[arg(long)]
    pub file: bool,
    #[command(flatten)]
    pub page: ui::UiArguments,
}

pub async fn run(context: &CommandContext, arguments: &OpenArguments) -> Result<Exit, CommandError> {
    if arguments.file {
        let wanted = report::ReportArguments {
            id: arguments.id.clone(),
            format: ReportFormat::Html,
            output: None,
            cite: None,
        };
        return Box::pin(report::run(context, &wanted)).await;
    }
    let settings = context.settings(RawSettings::default())?.settings;
    let app = AppContext::open_to_read(&settings)?.ok_or_else(no_runs_error)?;
    let id = app.summary(identify(&app, &arguments.id)?)?.id;
    drop(app);
    Box::pin(ui::open_page(context, &arguments.page, Some(id))).await
}
