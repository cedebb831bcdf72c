//! `probity runs list`: newest first, from the status rows alone.

use clap::Args;
use probity_research::{
    Code,
    status::{Status, Summary},
    text,
};
use probity_store::{LIST_MAX, ListFilter};

use crate::{
    context::Context,
    desk::Desk,
    exit::Exit,
    failure::Failure,
    settings::written::RawSettings,
    telling,
    wire::{ListDocument, RowDocument, SCHEMA_VERSION},
    words,
};

/// Digits of an id that are enough to name it; `runs show` takes any unique beginning.
const ID_CHARACTERS: usize = 12;
/// Columns before the question.
const COLUMNS_BEFORE: usize = 12 + 2 + 13 + 2 + 11 + 2 + 12 + 2;
/// Narrowest question worth showing.
const QUESTION_MIN: usize = 20;

#[derive(Debug, Args)]
pub struct ListArguments {
    /// Only those with this status, such as completed or unknown
    #[arg(long, value_name = "STATUS")]
    pub status: Option<String>,
    /// Only those whose question contains this
    #[arg(long, value_name = "TEXT")]
    pub text: Option<String>,
    /// At most this many
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=500))]
    pub limit: u32,
    /// Print exactly one JSON document on stdout
    #[arg(long)]
    pub json: bool,
}

pub fn run(context: &Context, arguments: &ListArguments) -> Result<Exit, Failure> {
    let status = arguments.status.as_deref().map(parse_status).transpose()?;
    let settings = context.settings(RawSettings::default())?.settings;
    let limit = usize::try_from(arguments.limit).unwrap_or(LIST_MAX);
    let filter = ListFilter { status, text: arguments.text.clone(), limit, ..ListFilter::default() };
    let found = match Desk::open_to_read(&settings)? {
        Some(desk) => desk.store.list(&filter)?,
        None => Vec::new(),
    };
    if arguments.json {
        let researches = found.iter().map(RowDocument::of).collect();
        context.output.json(&ListDocument { schema_version: SCHEMA_VERSION, researches })?;
        return Ok(Exit::Done);
    }
    if found.is_empty() {
        context.output.say("no researches here; start one with `probity research \"…\"`");
        return Ok(Exit::Done);
    }
    let now = probity_runner::clock::wall_now();
    let columns = context.output.columns();
    let lines: Vec<String> = found
        .iter()
        .map(|summary| {
            let (_, tone) = telling::mark(summary.status);
            let status = format!("{:<13}", summary.status.as_str());
            row(summary, &context.output.out(tone, &status), &words::ago(now, summary.asked_at), columns)
        })
        .collect();
    context.output.data(&lines.join("\n"))?;
    Ok(Exit::Done)
}

fn parse_status(text: &str) -> Result<Status, Failure> {
    Status::parse(text).ok_or_else(|| {
        let names: Vec<&str> = Status::ALL.iter().map(|status| status.as_str()).collect();
        let message = format!("`{}` is not a status; there are: {}", text::line(text, 40), names.join(", "));
        Failure::new(Code::Settings, &message).with_hint("see `probity runs list --help`")
    })
}

/// Short ids and a cut question on a terminal; whole ones for whoever pipes.
fn row(summary: &Summary, status: &str, asked: &str, columns: Option<usize>) -> String {
    let id = summary.id.to_string();
    let cost = telling::cost(summary.cost);
    match columns {
        Some(columns) => {
            let id: String = id.chars().take(ID_CHARACTERS).collect();
            let room = columns.saturating_sub(COLUMNS_BEFORE).max(QUESTION_MIN);
            format!("{id}  {status}  {asked:<11}  {cost:<12}  {}", text::line(&summary.query, room))
        }
        None => format!("{id}  {status}  {asked:<11}  {cost:<12}  {}", text::line(&summary.query, 200)),
    }
}
