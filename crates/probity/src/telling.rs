//! Tells how a research stands: the closing line, the problem with its hint, the report or its JSON document.

pub mod claims;
pub mod rounds;

use std::time::Duration;

use probity_research::{
    cost::Cost,
    status::{Status, Summary},
};

use crate::{
    desk::Desk,
    exit::Exit,
    failure::{Failure, hint_of},
    output::{Output, Tone, live, markdown::Markdown},
    wire::{ResearchDocument, stream::StreamLine},
    words,
};

/// What goes to stdout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    Markdown,
    Json,
    /// One typed line per change, the result as the last.
    Stream,
    /// The provider's whole answer as it was received.
    Raw,
}

impl Form {
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

/// For a command that waited: its exit code is the research's end.
pub async fn tell_end(output: &Output, desk: &Desk, summary: &Summary, form: Form) -> Result<Exit, Failure> {
    let exit = Exit::of_research(summary.status, summary.problem.as_ref());
    tell_steps(output, desk, summary).await?;
    output.say(&closing_line(output, summary));
    tell_problem(output, summary);
    tell_result(output, desk, summary, form, exit).await?;
    if form == Form::Markdown {
        tell_evidence(output, desk, summary).await?;
    }
    Ok(exit)
}

/// The tree as it stood at the end, on a terminal.
async fn tell_steps(output: &Output, desk: &Desk, summary: &Summary) -> Result<(), Failure> {
    let Some(trace) = desk.trace(summary.id).await? else { return Ok(()) };
    if let Some(steps) = live::taken(output, &trace, desk.now()) {
        output.say(&steps);
    }
    Ok(())
}

/// What stands behind the report, below it.
async fn tell_evidence(output: &Output, desk: &Desk, summary: &Summary) -> Result<(), Failure> {
    let Some(report) = desk.report(summary).await? else { return Ok(()) };
    if let Some(record) = &report.rounds {
        output.part();
        output.say(&output.rows(&rounds::rows(summary, record)));
    }
    if let Some(ledger) = &report.ledger {
        output.say(&claims::line(output, summary, ledger));
        output.say(&format!("to look at a claim: probity explain C1 --of {}", summary.id));
    }
    Ok(())
}

/// For a user who left: the work is not lost and not cancelled.
pub fn tell_left(output: &Output, summary: &Summary, form: Form) -> Result<Exit, Failure> {
    let id = summary.id;
    let where_it_is = match (summary.status, &summary.remote_id) {
        (Status::Cancelling, _) => "the cancel is saved and will be told to the provider",
        // A round under way may be lost with this process; the answers before it are not.
        _ if summary.rounds.is_some() => {
            "the rounds so far are saved; it goes on when Probity drives it again"
        }
        (_, Some(_)) => "the research goes on at the provider; what is known so far is saved",
        (_, None) => "the research is saved; the provider has not taken it yet",
    };
    output.say(&format!("left: {where_it_is}"));
    output.say(&format!("to come back: probity runs watch {id}"));
    let document = || ResearchDocument::of(summary, None, Exit::Interrupted);
    match form {
        Form::Json => output.json(&document())?,
        Form::Stream => output.json_line(&StreamLine::Result(Box::new(document())))?,
        Form::Markdown | Form::Raw => {}
    }
    Ok(Exit::Interrupted)
}

/// Only what goes to stdout.
pub async fn tell_result(
    output: &Output,
    desk: &Desk,
    summary: &Summary,
    form: Form,
    exit: Exit,
) -> Result<(), Failure> {
    match form {
        Form::Json => {
            let report = desk.report(summary).await?;
            output.json(&ResearchDocument::of(summary, report.as_ref(), exit))
        }
        Form::Stream => {
            let report = desk.report(summary).await?;
            let document = ResearchDocument::of(summary, report.as_ref(), exit);
            output.json_line(&StreamLine::Result(Box::new(document)))
        }
        Form::Raw => match desk.raw(summary).await? {
            Some(raw) => output.bytes(&raw),
            None => {
                output.say("no raw answer was kept for this research");
                Ok(())
            }
        },
        Form::Markdown => match desk.report(summary).await? {
            Some(report) => {
                output.part();
                let marks = report.ledger.as_deref().map(claims::marks).unwrap_or_default();
                output.data(&Markdown::of(output).render_report(&report.text, &marks, &report.sources))
            }
            None => Ok(()),
        },
    }
}

pub fn tell_problem(output: &Output, summary: &Summary) {
    if let Some(problem) = &summary.problem {
        output.failure(&Failure::from(problem.clone()).with_hint(hint_of(summary, problem)));
    }
}

/// `✓ completed · 12 min 03 s · 80 searches · 52 pages · 31 sources · $2.07`
pub fn closing_line(output: &Output, summary: &Summary) -> String {
    let (mark, tone) = mark(summary.status);
    let mut parts = vec![summary.status.as_str().replace('_', " ")];
    let until = summary.ended_at.unwrap_or(summary.updated_at);
    parts.push(words::span(Duration::from_millis(until.since_ms(summary.asked_at))));
    parts.extend(counts(summary));
    parts.push(cost(summary.cost));
    format!("{} {}", output.err(tone, mark), parts.join(" · "))
}

pub fn counts(summary: &Summary) -> Vec<String> {
    let counted = [
        (summary.searches, "search", "searches"),
        (summary.pages, "page", "pages"),
        (summary.sources, "source", "sources"),
    ];
    let shown = counted.iter().filter(|(number, ..)| *number > 0);
    shown.map(|(number, one, many)| words::count(u64::from(*number), one, many)).collect()
}

pub fn cost(cost: Cost) -> String {
    match cost {
        Cost::FromUsage(_) | Cost::AtLeast(_) | Cost::Unknown => cost.to_string(),
        Cost::Nothing => "nothing paid".to_owned(),
    }
}

pub fn mark(status: Status) -> (&'static str, Tone) {
    match status {
        Status::Completed => ("✓", Tone::Good),
        Status::Pending | Status::RunningAsync | Status::Cancelling => ("●", Tone::Strong),
        Status::Incomplete | Status::Cancelled | Status::TimedOut | Status::OverBudget => {
            ("⚠", Tone::Warning)
        }
        Status::Failed | Status::Expired | Status::Unknown => ("✗", Tone::Bad),
    }
}
