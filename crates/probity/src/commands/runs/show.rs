//! `probity runs show`: the state of one run, from the disk alone. Its report goes to stdout.

use std::time::Duration;

use clap::Args;
use probity_research::{
    cost::Cost,
    list::{LIST_MAX, ListFilter},
    plan::EngineName,
    report::Report,
    shelf::ShelfEntry,
    status::{RunStatus, RunSummary},
    text,
};

use crate::{
    app_context::AppContext,
    command_context::CommandContext,
    command_error::CommandError,
    commands::runs::steer,
    exit::Exit,
    format,
    identify::{identify, no_runs_error},
    library, missing_bytes,
    output::ConsoleOutput,
    render::{self, OutputFormat},
    settings::raw::RawSettings,
};

#[derive(Debug, Args)]
pub struct RunShowArguments {
    /// An id, the beginning of one, or `last`
    #[arg(default_value = "last", value_name = "ID", add = crate::tab_completion::run_id_candidates())]
    pub id: String,
    /// Print exactly one JSON document on stdout
    #[arg(long)]
    pub json: bool,
    /// Print the provider's whole answer instead of the report
    #[arg(long, conflicts_with = "json")]
    pub raw: bool,
}

pub async fn run(context: &CommandContext, arguments: &RunShowArguments) -> Result<Exit, CommandError> {
    let settings = context.settings(RawSettings::default())?.settings;
    let app = AppContext::open_to_read(&settings)?.ok_or_else(no_runs_error)?;
    let summary = app.summary(identify(&app, &arguments.id)?)?;
    let form = OutputFormat::of(arguments.json, arguments.raw);
    let output = &context.output;
    if form == OutputFormat::Markdown {
        let report = app.report(&summary).await?;
        let further = further_questions(&app, &summary)?;
        let entry = app.store.shelf_entries(&[summary.id])?.remove(&summary.id).unwrap_or_default();
        let block = block(output, &summary, &entry, report.as_ref(), app.is_driven(&summary)?, &further);
        let block = Box::pin(with_steering(output, block, &app, &summary)).await;
        if summary.report.is_some() {
            output.print_message(&block);
            render::print_problem(output, &summary);
        } else {
            output.data(&block)?;
            render::print_problem(output, &summary);
        }
        if let Some(note) = missing_bytes::missing_note(&app.store, summary.id) {
            output.print_message(&note);
        }
    }
    render::print_result(output, &app, &summary, form, Exit::Done).await?;
    Ok(Exit::Done)
}

/// Further questions on this research, newest first; its rechecks are none.
fn further_questions(app: &AppContext, summary: &RunSummary) -> Result<Vec<String>, CommandError> {
    let newest = app.store.list(&ListFilter { limit: LIST_MAX, ..ListFilter::default() })?;
    let further = newest.iter().filter(|other| other.follows == Some(summary.id) && !other.given);
    Ok(further.map(|other| other.id.to_string()).collect())
}

/// The parts of a research on the web that goes on, and what its user said to it.
async fn with_steering(
    output: &ConsoleOutput,
    block: String,
    app: &AppContext,
    summary: &RunSummary,
) -> String {
    if summary.engine != EngineName::Web.as_str() {
        return block;
    }
    // A journal that cannot be rebuilt is shown by its summary alone.
    let research = app.researches.load(summary.id).await.ok();
    let rows = research.map(|research| steer::rows(&research)).unwrap_or_default();
    if rows.is_empty() { block } else { format!("{block}\n{}", output.rows(&rows)) }
}

/// One fact per line; without a report this block is the answer.
fn block(
    output: &ConsoleOutput,
    summary: &RunSummary,
    entry: &ShelfEntry,
    report: Option<&Report>,
    driven: Option<bool>,
    further: &[String],
) -> String {
    let (mark, tone) = render::mark(summary.status);
    let mut rows: Vec<(&str, String)> = Vec::new();
    rows.extend(entry.title.as_ref().map(|title| ("title", title.as_str().to_owned())));
    rows.push(("question", text::line(&summary.query, 400)));
    if !entry.tags.is_empty() {
        rows.push(("tags", library::tag_words(Some(entry))));
    }
    rows.push(("asked", summary.asked_at.to_string()));
    rows.push(worker(summary, report));
    rows.extend(summary.engine_reason.clone().map(|reason| ("engine", reason)));
    rows.extend(summary.follows.map(|parent| ("follows", parent.to_string())));
    if !further.is_empty() {
        rows.push(("follow-ups", further.join(", ")));
    }
    if let Some(ended) = summary.ended_at {
        let took = Duration::from_millis(ended.since_ms(summary.asked_at));
        rows.push(("ended", format!("{ended}, after {}", format::span(took))));
    } else if summary.status != RunStatus::Unknown {
        // What it did last is not what happens now, where no process drives it.
        let word = if driven == Some(false) { "last" } else { "now" };
        rows.push((word, text::line(&summary.current_action, 200)));
        rows.push(("progress", format!("{} % (estimated)", summary.progress_percent)));
    }
    if driven == Some(false) {
        let words = "nobody is driving this run at the moment";
        rows.push(("driver", format!("{words}; `probity runs watch {}` takes it up", summary.id)));
    }
    let counts = render::counts(summary);
    if !counts.is_empty() {
        rows.push(("seen", counts.join(" · ")));
    }
    rows.push(("cost", price(summary)));
    rows.extend(summary.approval.map(|approval| ("approved", approval.to_string())));
    rows.extend(summary.cancel_answer.clone().map(|answer| ("cancel", answer)));
    rows.extend(summary.note.clone().map(|note| ("note", note)));
    rows.extend(report.into_iter().flat_map(|report| checked(summary, report)));
    let mut lines = vec![format!(
        "{} {} {}",
        output.style_err(tone, mark),
        summary.id,
        output.style_err(tone, &summary.status.as_str().replace('_', " "))
    )];
    lines.push(output.rows(&rows));
    lines.join("\n")
}

/// The engine and model, and the number of rounds.
fn worker(summary: &RunSummary, report: Option<&Report>) -> (&'static str, String) {
    let record = report.and_then(|report| report.rounds.as_ref());
    match summary.rounds {
        Some(rounds) => (
            "manner",
            format!(
                "{}, model {}, round {} of {}",
                // An engine that was chosen has a row of its own.
                match summary.engine_reason {
                    Some(_) => rounds.manner.as_str().to_owned(),
                    None => format!("{}, {}", rounds.manner.as_str(), summary.engine),
                },
                record.map_or(&summary.agent, |record| &record.model),
                record.map_or(rounds.round, |record| record.iterations),
                rounds.rounds_max
            ),
        ),
        None => ("agent", summary.agent.clone()),
    }
}

/// The sources of the report, and the outcome of each round.
fn checked(summary: &RunSummary, report: &Report) -> Vec<(&'static str, String)> {
    let Some(record) = &report.rounds else {
        let outcome = report.verification();
        let verified = if outcome.verified { "yes" } else { "no" };
        let judge = report.ledger.as_ref().map(|_| ("judge", outcome.judge_as_value()));
        let verified = ("verified", format!("{verified}; {}", outcome.reason));
        return std::iter::once(verified).chain(judge).collect();
    };
    let rows = render::rounds::rows(summary, report, record);
    let named = rows.into_iter().filter(|(name, _)| !matches!(*name, "cost" | "sources" | "rounds"));
    render::rounds::lines(report, record).into_iter().chain(named).collect()
}

/// The figure with its basis; what is not known yet is not called unknown.
fn price(summary: &RunSummary) -> String {
    let basis = summary.cost.basis_in_words();
    match summary.cost {
        Cost::FromUsage(amount) | Cost::AtLeast(amount) => format!("{amount} ({basis})"),
        Cost::Unknown if !summary.status.is_final() => "not reported yet".to_owned(),
        Cost::Unknown | Cost::Nothing => basis.to_owned(),
    }
}
