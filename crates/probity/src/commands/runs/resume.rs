//! `probity runs resume`: resumes interrupted runs. An uncertain start is paid for again only if the
//! user says so, one run at a time.

use clap::Args;
use probity_research::{
    Code, RunId,
    status::{RunStatus, RunSummary},
    way_out::way_out,
};
use probity_runner::PayAgain;

use crate::{
    app_context::AppContext,
    command_context::CommandContext,
    command_error::CommandError,
    exit::Exit,
    follow::{FollowOutcome, follow},
    identify::identify,
    keys::ProviderKeys,
    output::live::LiveProgress,
    render::{self, OutputFormat},
    settings::raw::RawSettings,
    start_run::follow_to_end,
    wire::{ListDocument, RunRowDocument, SCHEMA_VERSION},
};

#[derive(Debug, Args)]
pub struct ResumeArguments {
    /// An id, the beginning of one, or `last`; without it everything that is due
    #[arg(value_name = "ID", conflicts_with = "all", add = crate::tab_completion::run_id_candidates())]
    pub id: Option<String>,
    /// Everything that is due
    #[arg(long)]
    pub all: bool,
    /// Accept that a start nobody is sure of may be paid for a second time
    #[arg(long, requires = "id")]
    pub pay_again: bool,
    /// Print exactly one JSON document on stdout
    #[arg(long)]
    pub json: bool,
}

pub async fn run(context: &CommandContext, arguments: &ResumeArguments) -> Result<Exit, CommandError> {
    let settings = context.settings(RawSettings::default())?.settings;
    let keys = ProviderKeys::read(&context.environment)?;
    let app = AppContext::open(&settings, Some(keys))?;
    match &arguments.id {
        Some(text) => {
            let id = identify(&app, text)?;
            let pay_again = if arguments.pay_again { PayAgain::Accepted } else { PayAgain::No };
            Box::pin(one(context, &app, id, pay_again, OutputFormat::of(arguments.json, false))).await
        }
        None => everything(context, &app, arguments.json).await,
    }
}

async fn one(
    context: &CommandContext,
    app: &AppContext,
    id: RunId,
    pay_again: PayAgain,
    form: OutputFormat,
) -> Result<Exit, CommandError> {
    let before = app.summary(id)?;
    if before.status == RunStatus::Completed {
        context.output.print_message("this research is complete; nothing was resumed");
        return render::print_end(&context.output, app, &before, form).await;
    }
    if let Some(rounds) = before.rounds
        && before.status.is_final()
        && before.status != RunStatus::Unknown
    {
        let message = format!(
            "this {} {}; what ended in rounds is not taken up again",
            rounds.manner.as_str().replace('_', " "),
            before.status.predicate()
        );
        let why = before.problem.as_ref().map_or(Code::Cancelled, |problem| problem.code);
        return Err(CommandError::new(Code::AlreadyEnded, &message).with_hint(way_out(why, Some(&before))));
    }
    app.ensure_writable()?;
    if before.status == RunStatus::Unknown && pay_again == PayAgain::No {
        context.output.print_message(&unknown_explained(&before));
    }
    let resumed = Box::pin(app.researches.resume(id, pay_again)).await.map_err(|problem| {
        if problem.code == Code::AlreadyEnded {
            let why = before.problem.as_ref().map_or(Code::Cancelled, |why| why.code);
            CommandError::from(problem).with_hint(way_out(why, Some(&before)))
        } else {
            CommandError::from(problem).with_run_id(id)
        }
    })?;
    let budget = app.budget(id).await?;
    follow_to_end(context, app, &resumed, budget, form).await
}

/// Each in turn; the executor drives them all at the same time.
async fn everything(context: &CommandContext, app: &AppContext, json: bool) -> Result<Exit, CommandError> {
    let due = app.due_runs()?;
    let output = &context.output;
    if due.is_empty() {
        output.print_message("nothing is due");
    } else {
        app.ensure_writable()?;
        output.print_message(&format!(
            "taking up {}",
            crate::format::count(due.len() as u64, "research", "researches")
        ));
    }
    let mut ended = Vec::new();
    let mut exit = Exit::Done;
    for waiting in due {
        let budget = app.budget(waiting.id).await?;
        let mut live = LiveProgress::begin(output, &waiting, budget, app.now(), OutputFormat::Markdown)?;
        let followed = Box::pin(follow(app, waiting.id, &mut live, None)).await;
        live.end();
        let summary = match followed? {
            FollowOutcome::Rests(summary) => summary,
            FollowOutcome::Left(left) | FollowOutcome::OutOfTime(left) => {
                return render::print_left_running(output, &left, OutputFormat::of(json, false));
            }
        };
        let short: String = summary.id.to_string().chars().take(12).collect();
        output.print_message(&format!("{short}  {}", render::closing_line(output, &summary)));
        render::print_problem(output, &summary);
        let its = Exit::of_research(&summary);
        exit = if exit == Exit::Done { its } else { exit };
        ended.push(summary);
    }
    if json {
        let researches = ended.iter().map(|summary| RunRowDocument::of(summary)).collect();
        output.json(&ListDocument { schema_version: SCHEMA_VERSION, researches, total: None })?;
    }
    Ok(exit)
}

fn unknown_explained(summary: &RunSummary) -> String {
    let what = "Probity asked the provider to start this research and never heard whether it did.";
    let then = "If it did, it was billed, and there is no way to find it. A new start would be billed again.";
    debug_assert_eq!(summary.problem.as_ref().map(|problem| problem.code), Some(Code::CreateUncertain));
    format!("{what} {then}")
}
