//! `probity recheck`: fetches the cited pages of a finished run again and says which claims flipped.

use clap::Args;
use probity_evidence::verdict_changes::{VerdictChange, rests_on_files, verdict_changes};
use probity_research::{ledger::Ledger, text};
use serde::Serialize;

use crate::{
    app_context::AppContext,
    approve::ApprovalArguments,
    checks,
    command_context::CommandContext,
    command_error::{CommandError, without_report},
    commands::verify::{self, CheckFlags},
    exit::Exit,
    format,
    identify::{identify, no_runs_error},
    start_run::flags,
    wire::SCHEMA_VERSION,
};

#[derive(Debug, Args)]
pub struct RecheckArguments {
    /// An id, the beginning of one, or `last`
    #[arg(default_value = "last", value_name = "ID", add = crate::tab_completion::run_id_candidates())]
    pub id: String,
    /// Print exactly one JSON document on stdout
    #[arg(long)]
    pub json: bool,
    /// What the judge may cost, such as 0.50
    #[arg(long, value_name = "USD")]
    pub budget: Option<String>,
    /// How long it may take, such as 2m
    #[arg(long, value_name = "SPAN")]
    pub max_time: Option<String>,
    #[command(flatten)]
    pub approval: ApprovalArguments,
}

#[derive(Debug, Serialize)]
struct RecheckDocument {
    schema_version: u32,
    task_id: String,
    rechecked: String,
    before: String,
    now: String,
    flips: Vec<VerdictChange>,
}

pub async fn run(context: &CommandContext, arguments: &RecheckArguments) -> Result<Exit, CommandError> {
    let typed = flags(&[
        ("budget.max_usd", arguments.budget.as_ref(), "--budget"),
        ("research.deadline", arguments.max_time.as_ref(), "--max-time"),
    ]);
    let settings = context.settings(typed)?.settings;
    let app = AppContext::open_to_read(&settings)?.ok_or_else(no_runs_error)?;
    let summary = app.summary(identify(&app, &arguments.id)?)?;
    let old = app.report(&summary).await?;
    drop(app);
    let Some(old) = old else {
        return Err(without_report(&summary));
    };
    let before = old.ledger.as_deref().cloned().unwrap_or_default();
    let given = checks::again(&summary, old);
    let flags = CheckFlags { approval: arguments.approval, budget: arguments.budget.is_some() };
    let Some((again, report)) = Box::pin(verify::check(context, &settings, &given, flags)).await? else {
        return Ok(Exit::Done);
    };
    let Some(report) = report else { return Ok(Exit::Interrupted) };
    let now = report.ledger.as_deref().cloned().unwrap_or_default();
    let flipped = verdict_changes(&before, &now);
    print_flips(
        context,
        arguments,
        (&summary.id.to_string(), &again.id.to_string()),
        (&before, &now),
        flipped,
    )
}

fn print_flips(
    context: &CommandContext,
    arguments: &RecheckArguments,
    (old, again): (&str, &str),
    (before, now): (&Ledger, &Ledger),
    flipped: Vec<VerdictChange>,
) -> Result<Exit, CommandError> {
    let worse = flipped.iter().any(|flip| flip.worse);
    let output = &context.output;
    if arguments.json {
        output.json(&RecheckDocument {
            schema_version: SCHEMA_VERSION,
            task_id: again.to_owned(),
            rechecked: old.to_owned(),
            before: before.tally().line(),
            now: now.tally().line(),
            flips: flipped,
        })?;
    } else {
        output.data(&format!("before: {}\nnow:    {}", before.tally().line(), now.tally().line()))?;
        if flipped.is_empty() {
            output.data("no claim flipped")?;
        }
        for flip in &flipped {
            output.data(&format!(
                "\n{} {} -> {}: {}",
                flip.claim,
                flip.before,
                flip.now,
                text::line(&flip.words, 300)
            ))?;
            for line in flip.difference.lines() {
                output.data(&format!("  {line}"))?;
            }
        }
        let of_files = before.claims.iter().filter(|claim| rests_on_files(before, claim)).count();
        if of_files > 0 {
            let claims =
                format::count(u64::try_from(of_files).unwrap_or(u64::MAX), "claim cites", "claims cite");
            output.print_message(&format!("{claims} files of this machine alone: those are not read again"));
        }
        if let Some(first) = flipped.first() {
            output.print_message(&format!("to look at one: probity explain {} --of {again}", first.claim));
        }
    }
    Ok(if worse { Exit::Contradicted } else { Exit::Done })
}
