//! Prints the state of a run: the closing line, the problem with its hint, the report or its JSON document.

pub mod claims;
pub mod rounds;

use std::time::Duration;

use probity_research::{
    Code,
    cost::Cost,
    status::{RunStatus, RunSummary},
    text,
    way_out::way_out,
    work_done::WorkDone,
};

use crate::{
    app_context::AppContext,
    command_error::CommandError,
    exit::Exit,
    format,
    output::{ConsoleOutput, Tone, live, markdown::MarkdownRenderer},
    wire::{ResearchDocument, stream::StreamLine},
};

/// What goes to stdout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputFormat {
    Markdown,
    Json,
    /// One typed line per change, the result as the last.
    Stream,
    /// The provider's whole answer as it was received.
    Raw,
}

impl OutputFormat {
    pub fn of(json: bool, raw: bool) -> Self {
        match (json, raw) {
            (true, _) => Self::Json,
            (false, true) => Self::Raw,
            (false, false) => Self::Markdown,
        }
    }

    /// The same where changes can be streamed.
    pub fn or_stream(self, stream: bool) -> Self {
        if stream { Self::Stream } else { self }
    }
}

/// For a command that waited: its exit code is that of the run's outcome.
pub async fn print_end(
    output: &ConsoleOutput,
    app: &AppContext,
    summary: &RunSummary,
    form: OutputFormat,
) -> Result<Exit, CommandError> {
    let exit = Exit::of_research(summary);
    print_steps(output, app, summary).await?;
    output.print_message(&closing_line(output, summary));
    print_problem(output, summary);
    print_result(output, app, summary, form, exit).await?;
    if form == OutputFormat::Markdown {
        print_evidence(output, app, summary).await?;
    }
    Ok(exit)
}

/// The tree as it was at the end, on a terminal.
async fn print_steps(
    output: &ConsoleOutput,
    app: &AppContext,
    summary: &RunSummary,
) -> Result<(), CommandError> {
    let Some(trace) = app.trace(summary.id).await? else { return Ok(()) };
    if let Some(steps) = live::finished_steps(output, &trace, app.now()) {
        output.print_message(&steps);
    }
    Ok(())
}

/// The sources and verdicts behind the report, below it.
async fn print_evidence(
    output: &ConsoleOutput,
    app: &AppContext,
    summary: &RunSummary,
) -> Result<(), CommandError> {
    let Some(report) = app.report(summary).await? else { return Ok(()) };
    if let Some(record) = &report.rounds {
        output.print_blank_line();
        let mut rows = rounds::rows(summary, &report, record);
        // The line below says the same, and more.
        rows.retain(|(name, _)| !matches!(*name, "verified" | "judge") || report.ledger.is_none());
        output.print_message(&output.rows(&rows));
    }
    if let Some(ledger) = &report.ledger {
        output.print_message(&claims::summary_line(output, summary, &report, ledger));
        if let Some(first) = ledger.claims.first() {
            let words = format!("to look at a claim: probity explain {} --of {}", first.id, summary.id);
            output.print_message(&words);
        }
    }
    Ok(())
}

/// For a user who interrupts: the work is not lost and not cancelled.
pub fn print_left_running(
    output: &ConsoleOutput,
    summary: &RunSummary,
    form: OutputFormat,
) -> Result<Exit, CommandError> {
    let id = summary.id;
    let where_it_is = match (summary.status, &summary.remote_id) {
        (RunStatus::Cancelling, _) => "the cancel is saved and will be told to the provider",
        _ if summary.given => "the check is saved; it goes on when Probity drives it again",
        // A round under way may be lost with this process; the answers before it are not.
        _ if summary.rounds.is_some() => {
            "the rounds so far are saved; it goes on when Probity drives it again"
        }
        (_, Some(_)) => "the research goes on at the provider; what is known so far is saved",
        (_, None) if summary.is_start_unanswered() => {
            "the research is saved; the provider was asked to start it, and whether it did is not known yet"
        }
        (_, None) => "the research is saved; the provider has not taken it yet",
    };
    output.print_message(&format!("left: {where_it_is}"));
    output.print_message(&format!("to come back: probity runs watch {id}"));
    let document = || ResearchDocument::of(summary, None, Exit::Interrupted);
    match form {
        OutputFormat::Json => output.json(&document())?,
        OutputFormat::Stream => output.json_line(&StreamLine::Result(Box::new(document())))?,
        OutputFormat::Markdown | OutputFormat::Raw => {}
    }
    Ok(Exit::Interrupted)
}

/// All that is known of a run: its report, or what was done without one.
pub async fn document(
    app: &AppContext,
    summary: &RunSummary,
    exit: Exit,
) -> Result<ResearchDocument, CommandError> {
    let report = app.report(summary).await?;
    let driven = app.is_driven(summary)?;
    let document = ResearchDocument::of(summary, report.as_ref(), exit).with_driver(driven);
    let is_over = summary.status.is_final();
    if report.is_some() && is_over {
        return Ok(document);
    }
    // What a run that goes on has searched for is in its steps alone, as it is of one that left no report.
    let Some(done) = app.trace(summary.id).await?.as_ref().map(WorkDone::of) else { return Ok(document) };
    let document = document.with_searches(&done);
    Ok(document.with_work_done(Some(done).filter(|done| is_over && !done.is_empty())))
}

/// What a run that ended without a report had done.
pub async fn work_done(app: &AppContext, summary: &RunSummary) -> Result<Option<WorkDone>, CommandError> {
    if !summary.status.is_final() || summary.report.is_some() {
        return Ok(None);
    }
    let done = app.trace(summary.id).await?.as_ref().map(WorkDone::of);
    Ok(done.filter(|done| !done.is_empty()))
}

/// Only what goes to stdout.
pub async fn print_result(
    output: &ConsoleOutput,
    app: &AppContext,
    summary: &RunSummary,
    form: OutputFormat,
    exit: Exit,
) -> Result<(), CommandError> {
    match form {
        OutputFormat::Json => output.json(&document(app, summary, exit).await?),
        OutputFormat::Stream => {
            output.json_line(&StreamLine::Result(Box::new(document(app, summary, exit).await?)))
        }
        OutputFormat::Raw => match app.raw_answer(summary).await? {
            Some(raw) => output.bytes(&raw),
            None => {
                output.print_message("no raw answer was kept for this research");
                Ok(())
            }
        },
        OutputFormat::Markdown => match app.report(summary).await? {
            Some(report) => {
                output.print_blank_line();
                if output.columns().is_none() {
                    return output.data(&text::into_block(report.text_with_sources()));
                }
                // The marks of verdicts are places in this text; the renderer numbers its links.
                let marks = report.ledger.as_deref().map(claims::marks).unwrap_or_default();
                output.data(&MarkdownRenderer::of(output).render_report(
                    report.text_without_own_list(),
                    &marks,
                    &report.numbered_sources(),
                ))
            }
            None => match work_done(app, summary).await? {
                Some(done) => output.data(&done.text()),
                None => Ok(()),
            },
        },
    }
}

pub fn print_problem(output: &ConsoleOutput, summary: &RunSummary) {
    if let Some(problem) = &summary.problem {
        output.failure(&CommandError::from(problem.clone()).with_hint(way_out(problem.code, Some(summary))));
    } else if summary.status == RunStatus::Cancelled {
        output.print_message(&format!("hint: {}", way_out(Code::Cancelled, Some(summary))));
    } else if summary.is_cut_short || summary.model_problem.is_some() {
        // It is completed all the same: the exit code alone would not say what is missing.
        summary.note.iter().for_each(|note| output.print_message(&format!("warning: {note}")));
    }
}

/// `✓ completed · 12 min 03 s · 80 searches · 52 pages · 31 sources · $2.07`
pub fn closing_line(output: &ConsoleOutput, summary: &RunSummary) -> String {
    let (mark, tone) = mark(summary.status);
    let mut parts = vec![summary.status.as_str().replace('_', " ")];
    let until = summary.ended_at.unwrap_or(summary.updated_at);
    parts.push(format::span(Duration::from_millis(until.since_ms(summary.asked_at))));
    parts.extend(counts(summary));
    parts.push(cost(summary.cost));
    format!("{} {}", output.style_err(tone, mark), parts.join(" · "))
}

pub fn counts(summary: &RunSummary) -> Vec<String> {
    let counted = [
        (summary.searches, "search", "searches"),
        (summary.pages, "page", "pages"),
        (summary.sources, "source", "sources"),
    ];
    let shown = counted.iter().filter(|(number, ..)| *number > 0);
    shown.map(|(number, one, many)| format::count(u64::from(*number), one, many)).collect()
}

pub fn cost(cost: Cost) -> String {
    match cost {
        Cost::FromUsage(_) | Cost::AtLeast(_) | Cost::Unknown => cost.to_string(),
        Cost::Nothing => cost.basis_in_words().to_owned(),
    }
}

pub fn mark(status: RunStatus) -> (&'static str, Tone) {
    match status {
        RunStatus::Completed => ("✓", Tone::Good),
        RunStatus::Pending | RunStatus::RunningAsync | RunStatus::Cancelling => ("●", Tone::Strong),
        RunStatus::Incomplete | RunStatus::Cancelled | RunStatus::TimedOut | RunStatus::OverBudget => {
            ("⚠", Tone::Warning)
        }
        RunStatus::Failed | RunStatus::Expired | RunStatus::Unknown => ("✗", Tone::Bad),
    }
}
