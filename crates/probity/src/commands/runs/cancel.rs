//! `probity runs cancel`: stores the cancel command, then sees to it that the provider is asked to cancel.

use std::time::Duration;

use clap::Args;
use probity_research::{
    Code,
    status::{RunStatus, RunSummary},
    stop::PartialResults,
};

use crate::{
    app_context::{AppContext, DriveCapability},
    command_context::CommandContext,
    command_error::CommandError,
    exit::Exit,
    follow::{FollowOutcome, follow},
    identify::identify,
    keys::ProviderKeys,
    output::live::LiveProgress,
    render,
    settings::raw::RawSettings,
};

/// One call to the provider and three polls for its last state take about ten seconds; a slow line gets more.
const WAIT_MAX: Duration = Duration::from_secs(45);

#[derive(Debug, Args)]
pub struct CancelArguments {
    /// An id, the beginning of one, or `last`
    #[arg(value_name = "ID", add = crate::tab_completion::run_id_candidates())]
    pub id: String,
    /// Keep no text of it, nor the provider's answer; its searches and pages stay listed
    #[arg(long)]
    pub drop_partial: bool,
    /// Print exactly one JSON document on stdout
    #[arg(long)]
    pub json: bool,
}

pub async fn run(context: &CommandContext, arguments: &CancelArguments) -> Result<Exit, CommandError> {
    let settings = context.settings(RawSettings::default())?.settings;
    let keys = ProviderKeys::read(&context.environment).ok();
    let app = AppContext::open(&settings, keys)?;
    let id = identify(&app, &arguments.id)?;
    let partial = if arguments.drop_partial { PartialResults::Drop } else { PartialResults::Keep };
    let wished = Box::pin(app.researches.cancel(id, partial))
        .await
        .map_err(|problem| CommandError::from(problem).with_run_id(id))?;
    let mut live =
        LiveProgress::begin(&context.output, &wished, None, app.now(), render::OutputFormat::Markdown)?;
    let followed = Box::pin(follow(&app, id, &mut live, Some(WAIT_MAX))).await;
    live.end();
    match followed? {
        FollowOutcome::Rests(summary) => print_cancel(context, &app, &summary, arguments.json).await,
        FollowOutcome::Left(summary) => render::print_left_running(
            &context.output,
            &summary,
            render::OutputFormat::of(arguments.json, false),
        ),
        FollowOutcome::OutOfTime(_) => Err(not_cancelled_yet(&app).with_run_id(id)),
    }
}

async fn print_cancel(
    context: &CommandContext,
    app: &AppContext,
    summary: &RunSummary,
    json: bool,
) -> Result<Exit, CommandError> {
    let output = &context.output;
    output.print_message(&render::closing_line(output, summary));
    let unasked = if summary.is_start_uncertain() {
        "nobody knows whether the provider had taken it: it may be billed"
    } else {
        "the provider had not taken it"
    };
    let answer = summary.cancel_answer.clone().unwrap_or_else(|| unasked.to_owned());
    output.print_message(&format!("  {answer}"));
    if summary.status == RunStatus::Completed {
        output.print_message("  it finished first; nothing was cancelled");
    }
    if summary.report.is_some() {
        output.print_message(&format!("  what exists is kept: probity runs show {}", summary.id));
    }
    if json {
        output.json(&render::document(app, summary, Exit::Done).await?)?;
    }
    Ok(Exit::Done)
}

/// The cancel command is stored: the next driver of this run sends it to the provider.
fn not_cancelled_yet(app: &AppContext) -> CommandError {
    if app.drives != DriveCapability::Nothing {
        return CommandError::new(
            Code::NotFinished,
            "the cancel is saved, but the provider has not answered it yet",
        );
    }
    CommandError::new(
        Code::KeyMissing,
        "the cancel is saved, but without an API key the provider cannot be told",
    )
}
