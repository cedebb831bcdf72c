//! `probity runs list`: newest first, from the status rows alone.

use std::collections::BTreeMap;

use clap::Args;
use probity_research::{
    Code, RunId,
    cost::Cost,
    shelf::{ShelfEntry, ShelfPart, Tag},
    status::{RunStatus, RunSummary},
    text,
};
use probity_store::{LIST_MAX, ListFilter};

use crate::{
    app_context::AppContext,
    command_context::CommandContext,
    command_error::CommandError,
    exit::Exit,
    format, library,
    output::Tone,
    render,
    settings::raw::RawSettings,
    wire::{ListDocument, RunRowDocument, SCHEMA_VERSION},
};

/// Digits of an id that are enough to name it; `runs show` takes any unique beginning.
const ID_CHARACTERS: usize = 12;
/// Columns before the cost.
const COLUMNS_BEFORE: usize = 12 + 2 + 13 + 2 + 11 + 2;
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
    /// Only those with these words in question, title or report
    #[arg(long, value_name = "WORDS", conflicts_with = "text")]
    pub search: Option<String>,
    /// Only those with this tag
    #[arg(long, value_name = "TAG")]
    pub tag: Option<String>,
    /// Those in the trash instead
    #[arg(long)]
    pub removed: bool,
    /// At most this many
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=500))]
    pub limit: u32,
    /// Print exactly one JSON document on stdout
    #[arg(long)]
    pub json: bool,
}

pub fn run(context: &CommandContext, arguments: &ListArguments) -> Result<Exit, CommandError> {
    let status = arguments.status.as_deref().map(parse_status).transpose()?;
    let settings = context.settings(RawSettings::default())?.settings;
    let limit = usize::try_from(arguments.limit).unwrap_or(LIST_MAX);
    let part = if arguments.removed { ShelfPart::Removed } else { ShelfPart::Kept };
    let tag = arguments.tag.as_deref().map(Tag::parse).transpose()?;
    let filter = ListFilter { status, limit, part, ..ListFilter::default() };
    let filter = match &arguments.search {
        Some(words) => library::searched(Some(words.clone()), tag, filter),
        None => ListFilter { text: arguments.text.clone(), tag, ..filter },
    };
    let (mut stored, mut fitting) = (0, 0);
    let mut entries = BTreeMap::new();
    let found = match AppContext::open_to_read(&settings)? {
        Some(app) => {
            stored = app.store.total(&ListFilter::default())?;
            fitting = app.store.total(&filter)?;
            let found: Vec<RunSummary> =
                app.store.list(&filter)?.into_iter().map(|summary| summary.seen_at(app.now())).collect();
            let ids: Vec<RunId> = found.iter().map(|summary| summary.id).collect();
            entries = app.store.shelf_entries(&ids)?;
            found
        }
        None => Vec::new(),
    };
    let shown = found.len() as u64;
    let total = (fitting > shown).then_some(fitting);
    if arguments.json {
        let shelved = |summary: &RunSummary| RunRowDocument::of(summary).with_shelf(entries.get(&summary.id));
        let researches = found.iter().map(shelved).collect();
        context.output.json(&ListDocument { schema_version: SCHEMA_VERSION, researches, total })?;
        return Ok(Exit::Done);
    }
    if found.is_empty() {
        context.output.print_message(&nothing_found(stored, &filter));
        return Ok(Exit::Done);
    }
    let now = probity_runner::clock::wall_now();
    let columns = context.output.columns();
    // As wide as the widest: `under $0.01` is rare.
    let priced = found.iter().map(|summary| format::visible_width(&price(summary))).max().unwrap_or(0).max(7);
    let mut lines: Vec<String> = Vec::new();
    if columns.is_some() {
        let header =
            format!("{:<12}  {:<13}  {:<11}  {:<priced$}  question", "id", "status", "asked", "cost");
        lines.push(context.output.style_out(Tone::Quiet, &header));
    }
    let rows = found.iter().map(|summary| {
        let (_, tone) = render::mark(summary.status);
        let status = format!("{:<13}", summary.status.as_str());
        let asked = format::ago(now, summary.asked_at);
        let entry = entries.get(&summary.id);
        row(summary, entry, &context.output.style_out(tone, &status), &asked, priced, columns)
    });
    lines.extend(rows);
    context.output.data(&lines.join("\n"))?;
    if let Some(total) = total {
        context.output.print_message(&left_out(shown, total));
    }
    Ok(Exit::Done)
}

/// That the list is cut, and how to see the rest.
fn left_out(shown: u64, total: u64) -> String {
    let most = LIST_MAX as u64;
    let limit = total.min(most);
    match shown < most {
        true => format!("{shown} of {total}; more with `--limit {limit}`"),
        false => format!("{shown} of {total}; `--search` or `--tag` narrows the list"),
    }
}

/// Why the list is empty: nothing is stored, or nothing of it was asked for.
fn nothing_found(stored: u64, filter: &ListFilter) -> String {
    if stored == 0 && filter.part != ShelfPart::Removed {
        return "no researches here; start one with `probity research \"…\"`".to_owned();
    }
    let status = filter.status.map(|status| format!("the status {}", status.as_str()));
    let text = filter.text.as_deref().map(|text| format!("`{}` in its question", text::line(text, 40)));
    let words = filter.words.as_ref().map(|words| format!("the words {}", words.as_slice().join(", ")));
    let tag = filter.tag.as_ref().map(|tag| format!("the tag {}", tag.as_str()));
    let wanted: Vec<String> = status.into_iter().chain(text).chain(words).chain(tag).collect();
    match (filter.part, wanted.is_empty()) {
        (ShelfPart::Removed, true) => "the trash is empty".to_owned(),
        (ShelfPart::Removed, false) => format!("nothing in the trash has {}", wanted.join(" and ")),
        (ShelfPart::Kept | ShelfPart::All, _) => {
            format!("none of {stored} stored here has {}", wanted.join(" and "))
        }
    }
}

fn parse_status(text: &str) -> Result<RunStatus, CommandError> {
    // As the page and the live line say it.
    let written = match text.trim() {
        "running" | "running async" => RunStatus::RunningAsync.as_str(),
        other => other,
    };
    RunStatus::parse(written).ok_or_else(|| {
        let names: Vec<&str> = RunStatus::ALL.iter().map(|status| status.as_str()).collect();
        let message = format!("`{}` is not a status; there are: {}", text::line(text, 40), names.join(", "));
        CommandError::new(Code::Settings, &message).with_hint("see `probity runs list --help`")
    })
}

/// Short ids and a cut question on a terminal; whole ones where stdout is piped.
fn row(
    summary: &RunSummary,
    entry: Option<&ShelfEntry>,
    status: &str,
    asked: &str,
    priced: usize,
    columns: Option<usize>,
) -> String {
    let id = summary.id.to_string();
    let question = library::heading(summary, entry);
    let tags = library::tag_words(entry);
    let question = if tags.is_empty() { question } else { format!("{question} {tags}") };
    let (id, question) = match columns {
        Some(columns) => {
            let room = columns.saturating_sub(COLUMNS_BEFORE + priced + 2).max(QUESTION_MIN);
            (id.chars().take(ID_CHARACTERS).collect(), format::fit(&question, room))
        }
        None => (id, question),
    };
    format!("{id}  {status}  {asked:<11}  {:<priced$}  {question}", price(summary))
}

fn price(summary: &RunSummary) -> String {
    match summary.cost {
        Cost::FromUsage(amount) => amount.to_string(),
        Cost::AtLeast(amount) => format!("{amount}+"),
        Cost::Unknown if summary.status.is_final() || summary.is_start_unanswered() => "unknown".to_owned(),
        Cost::Unknown => "not yet".to_owned(),
        Cost::Nothing => "nothing".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use probity_research::status::RunStatus;
    use probity_store::ListFilter;

    use super::{left_out, nothing_found};

    #[test]
    fn a_list_that_is_cut_says_so() {
        assert_eq!(left_out(20, 31), "20 of 31; more with `--limit 31`");
        assert_eq!(left_out(20, 900), "20 of 900; more with `--limit 500`");
        assert_eq!(left_out(500, 900), "500 of 900; `--search` or `--tag` narrows the list");
    }

    #[test]
    fn an_empty_list_says_whether_anything_is_stored() {
        let running = ListFilter { status: Some(RunStatus::RunningAsync), ..ListFilter::default() };
        assert!(nothing_found(0, &running).starts_with("no researches here"));
        assert_eq!(nothing_found(50, &running), "none of 50 stored here has the status running_async");
        let both = ListFilter { text: Some("tpu".to_owned()), ..running };
        assert_eq!(
            nothing_found(50, &both),
            "none of 50 stored here has the status running_async and `tpu` in its question"
        );
    }
}
