//! `probity runs cancel`: puts the wish on disk, then sees to it that the provider is told.

use std::time::Duration;

use clap::Args;
use probity_research::{
    Code,
    status::{Status, Summary},
    stop::Partial,
};

use crate::{
    context::Context,
    desk::{Desk, Drives},
    exit::Exit,
    failure::Failure,
    follow::{Followed, follow},
    identify::identify,
    keys::Keys,
    output::live::Live,
    settings::written::RawSettings,
    telling,
    wire::ResearchDocument,
};

/// One call to the provider and three looks for what is left take about ten seconds; a slow line gets more.
const WAIT_MAX: Duration = Duration::from_secs(45);

#[derive(Debug, Args)]
pub struct CancelArguments {
    /// An id, the beginning of one, or `last`
    #[arg(value_name = "ID", add = crate::completing::researches())]
    pub id: String,
    /// Throw away what exists so far
    #[arg(long)]
    pub drop_partial: bool,
    /// Print exactly one JSON document on stdout
    #[arg(long)]
    pub json: bool,
}

pub async fn run(context: &Context, arguments: &CancelArguments) -> Result<Exit, Failure> {
    let settings = context.settings(RawSettings::default())?.settings;
    let keys = Keys::read(&context.environment).ok();
    let desk = Desk::open(&settings, keys)?;
    let id = identify(&desk, &arguments.id)?;
    let partial = if arguments.drop_partial { Partial::Drop } else { Partial::Keep };
    let wished =
        desk.researches.cancel(id, partial).await.map_err(|problem| Failure::from(problem).about(id))?;
    let mut live = Live::begin(&context.output, &wished, None, desk.now(), telling::Form::Markdown)?;
    let followed = Box::pin(follow(&desk, id, &mut live, Some(WAIT_MAX))).await;
    live.end();
    match followed? {
        Followed::Rests(summary) => tell(context, &desk, &summary, arguments.json).await,
        Followed::Left(summary) => {
            telling::tell_left(&context.output, &summary, telling::Form::of(arguments.json, false))
        }
        Followed::OutOfTime(_) => Err(not_told(&desk).about(id)),
    }
}

async fn tell(context: &Context, desk: &Desk, summary: &Summary, json: bool) -> Result<Exit, Failure> {
    let output = &context.output;
    output.say(&telling::closing_line(output, summary));
    let answer = summary.cancel_answer.clone().unwrap_or_else(|| "the provider had not taken it".to_owned());
    output.say(&format!("  {answer}"));
    if summary.status == Status::Completed {
        output.say("  it finished first; nothing was cancelled");
    }
    if summary.report.is_some() {
        output.say(&format!("  what exists is kept: probity runs show {}", summary.id));
    }
    if json {
        let report = desk.report(summary).await?;
        output.json(&ResearchDocument::of(summary, report.as_ref(), Exit::Done))?;
    }
    Ok(Exit::Done)
}

/// The wish is on disk: whoever drives next tells the provider.
fn not_told(desk: &Desk) -> Failure {
    if desk.drives != Drives::Nothing {
        return Failure::new(
            Code::NotFinished,
            "the cancel is saved, but the provider has not answered it yet",
        );
    }
    Failure::new(Code::KeyMissing, "the cancel is saved, but without an API key the provider cannot be told")
}
