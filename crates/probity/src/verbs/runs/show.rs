//! `probity runs show`: how one research stands, from the disk alone. Its report goes to stdout.

use std::time::Duration;

use clap::Args;
use probity_research::{
    cost::Cost,
    report::Report,
    status::{Status, Summary},
    text,
};

use crate::{
    context::Context,
    desk::Desk,
    exit::Exit,
    failure::Failure,
    identify::{identify, none_yet},
    output::Output,
    settings::written::RawSettings,
    telling::{self, Form},
    wire::verification,
    words,
};

#[derive(Debug, Args)]
pub struct ShowArguments {
    /// An id, the beginning of one, or `last`
    #[arg(default_value = "last", value_name = "ID", add = crate::completing::researches())]
    pub id: String,
    /// Print exactly one JSON document on stdout
    #[arg(long)]
    pub json: bool,
    /// Print the provider's whole answer instead of the report
    #[arg(long, conflicts_with = "json")]
    pub raw: bool,
}

pub async fn run(context: &Context, arguments: &ShowArguments) -> Result<Exit, Failure> {
    let settings = context.settings(RawSettings::default())?.settings;
    let desk = Desk::open_to_read(&settings)?.ok_or_else(none_yet)?;
    let summary = desk.summary(identify(&desk, &arguments.id)?)?;
    let form = Form::of(arguments.json, arguments.raw);
    let output = &context.output;
    if form == Form::Markdown {
        let report = desk.report(&summary).await?;
        let block = block(output, &summary, report.as_ref());
        if summary.report.is_some() {
            output.say(&block);
            telling::tell_problem(output, &summary);
        } else {
            output.data(&block)?;
            telling::tell_problem(output, &summary);
        }
    }
    telling::tell_result(output, &desk, &summary, form, Exit::Done).await?;
    Ok(Exit::Done)
}

/// One fact per line; without a report this block is the answer.
fn block(output: &Output, summary: &Summary, report: Option<&Report>) -> String {
    let (mark, tone) = telling::mark(summary.status);
    let mut rows = vec![
        ("question", text::line(&summary.query, 400)),
        ("asked", summary.asked_at.to_string()),
        worker(summary, report),
    ];
    if let Some(ended) = summary.ended_at {
        let took = Duration::from_millis(ended.since_ms(summary.asked_at));
        rows.push(("ended", format!("{ended}, after {}", words::span(took))));
    } else if summary.status != Status::Unknown {
        rows.push(("now", text::line(&summary.current_action, 200)));
        rows.push(("progress", format!("{} % (estimated)", summary.progress_percent)));
    }
    let counts = telling::counts(summary);
    if !counts.is_empty() {
        rows.push(("seen", counts.join(" · ")));
    }
    rows.push(("cost", price(summary)));
    rows.extend(summary.cancel_answer.clone().map(|answer| ("cancel", answer)));
    rows.extend(summary.note.clone().map(|note| ("note", note)));
    rows.extend(report.into_iter().flat_map(|report| checked(summary, report)));
    let mut lines = vec![format!(
        "{} {} {}",
        output.err(tone, mark),
        summary.id,
        output.err(tone, &summary.status.as_str().replace('_', " "))
    )];
    lines.push(output.rows(&rows));
    lines.join("\n")
}

/// Who does the work, and in how many rounds.
fn worker(summary: &Summary, report: Option<&Report>) -> (&'static str, String) {
    let record = report.and_then(|report| report.rounds.as_ref());
    match summary.rounds {
        Some(rounds) => (
            "manner",
            format!(
                "{}, {}, model {}, round {} of {}",
                rounds.manner.as_str(),
                summary.engine,
                record.map_or(&summary.agent, |record| &record.model),
                record.map_or(rounds.round, |record| record.iterations),
                rounds.rounds_max
            ),
        ),
        None => ("agent", summary.agent.clone()),
    }
}

/// What stands behind the report, and how each round went.
fn checked(summary: &Summary, report: &Report) -> Vec<(&'static str, String)> {
    let Some(record) = &report.rounds else {
        let (_, basis) = verification(Some(report));
        return if summary.status == Status::Completed { vec![("checked", basis)] } else { Vec::new() };
    };
    let told = telling::rounds::rows(summary, record);
    let named = told.into_iter().filter(|(name, _)| !matches!(*name, "cost" | "sources" | "rounds"));
    telling::rounds::lines(record).into_iter().chain(named).collect()
}

/// The figure with its basis; what is not known yet is not called unknown.
fn price(summary: &Summary) -> String {
    let basis = crate::wire::cost_basis(summary.cost);
    match summary.cost {
        Cost::FromUsage(amount) | Cost::AtLeast(amount) => format!("{amount} ({basis})"),
        Cost::Unknown if !summary.status.is_final() => "not reported yet".to_owned(),
        Cost::Unknown | Cost::Nothing => basis.to_owned(),
    }
}
