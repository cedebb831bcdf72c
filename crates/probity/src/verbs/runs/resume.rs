//! `probity runs resume`: takes up what was interrupted. An uncertain start is paid for again only on the
//! user's word, one research at a time.

use clap::Args;
use probity_research::{
    Code, ResearchId,
    status::{Status, Summary},
};
use probity_runner::PayAgain;

use crate::{
    context::Context,
    desk::Desk,
    exit::Exit,
    failure::Failure,
    follow::{Followed, follow},
    identify::identify,
    keys::Keys,
    output::live::Live,
    settings::written::RawSettings,
    starting::stay,
    telling::{self, Form},
    wire::{ListDocument, RowDocument, SCHEMA_VERSION},
};

#[derive(Debug, Args)]
pub struct ResumeArguments {
    /// An id, the beginning of one, or `last`; without it everything that is due
    #[arg(value_name = "ID", conflicts_with = "all", add = crate::completing::researches())]
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

pub async fn run(context: &Context, arguments: &ResumeArguments) -> Result<Exit, Failure> {
    let settings = context.settings(RawSettings::default())?.settings;
    let keys = Keys::read(&context.environment)?;
    let desk = Desk::open(&settings, Some(keys))?;
    match &arguments.id {
        Some(text) => {
            let id = identify(&desk, text)?;
            let pay_again = if arguments.pay_again { PayAgain::Accepted } else { PayAgain::No };
            Box::pin(one(context, &desk, id, pay_again, Form::of(arguments.json, false))).await
        }
        None => everything(context, &desk, arguments.json).await,
    }
}

async fn one(
    context: &Context,
    desk: &Desk,
    id: ResearchId,
    pay_again: PayAgain,
    form: Form,
) -> Result<Exit, Failure> {
    let before = desk.summary(id)?;
    if before.status == Status::Completed {
        context.output.say("this research is complete; nothing was resumed");
        return telling::tell_end(&context.output, desk, &before, form).await;
    }
    if let Some(rounds) = before.rounds
        && before.status.is_final()
        && before.status != Status::Unknown
    {
        let status = before.status.as_str().replace('_', " ");
        let message = format!(
            "this {} is {status}; what ended in rounds is not taken up again",
            rounds.manner.as_str().replace('_', " ")
        );
        return Err(Failure::new(Code::AlreadyEnded, &message).about(id));
    }
    desk.writable()?;
    if before.status == Status::Unknown && pay_again == PayAgain::No {
        context.output.say(&unknown_explained(&before));
    }
    let resumed =
        desk.researches.resume(id, pay_again).await.map_err(|problem| Failure::from(problem).about(id))?;
    let budget = desk.budget(id).await?;
    stay(context, desk, &resumed, budget, form).await
}

/// Each in turn; the executor drives them all at the same time.
async fn everything(context: &Context, desk: &Desk, json: bool) -> Result<Exit, Failure> {
    let due = desk.due()?;
    let output = &context.output;
    if due.is_empty() {
        output.say("nothing is due");
    } else {
        desk.writable()?;
        output.say(&format!("taking up {}", crate::words::count(due.len() as u64, "research", "researches")));
    }
    let mut ended = Vec::new();
    let mut exit = Exit::Done;
    for waiting in due {
        let budget = desk.budget(waiting.id).await?;
        let mut live = Live::begin(output, &waiting, budget, desk.now(), Form::Markdown)?;
        let followed = Box::pin(follow(desk, waiting.id, &mut live, None)).await;
        live.end();
        let summary = match followed? {
            Followed::Rests(summary) => summary,
            Followed::Left(left) | Followed::OutOfTime(left) => {
                return telling::tell_left(output, &left, Form::of(json, false));
            }
        };
        let short: String = summary.id.to_string().chars().take(12).collect();
        output.say(&format!("{short}  {}", telling::closing_line(output, &summary)));
        telling::tell_problem(output, &summary);
        let its = Exit::of_research(summary.status, summary.problem.as_ref());
        exit = if exit == Exit::Done { its } else { exit };
        ended.push(summary);
    }
    if json {
        let researches = ended.iter().map(|summary| RowDocument::of(summary)).collect();
        output.json(&ListDocument { schema_version: SCHEMA_VERSION, researches })?;
    }
    Ok(exit)
}

fn unknown_explained(summary: &Summary) -> String {
    let what = "Probity asked the provider to start this research and never heard whether it did.";
    let then = "If it did, it was billed, and there is no way to find it. A new start would be billed again.";
    debug_assert_eq!(summary.problem.as_ref().map(|problem| problem.code), Some(Code::CreateUncertain));
    format!("{what} {then}")
}
