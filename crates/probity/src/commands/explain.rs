//! `probity explain`: one claim with everything that was checked, who checked it, and the passage behind it; or what
//! an error code means and what to do.

use clap::Args;
use probity_research::{Code, ledger::ClaimId, status::RunSummary};
use serde_json::json;

use crate::{
    app_context::AppContext,
    command_context::CommandContext,
    command_error::{CommandError, error_page_path, without_report},
    error_docs,
    exit::Exit,
    identify::{identify, no_runs_error},
    missing_bytes,
    output::markdown::MarkdownRenderer,
    render::claims,
    settings::raw::{RawSettings, closest},
    wire::SCHEMA_VERSION,
};

#[derive(Debug, Args)]
pub struct ExplainArguments {
    /// A claim, such as C17, or an error code, such as KEY_MISSING
    #[arg(value_name = "CLAIM|CODE")]
    pub what: String,
    /// The research that a claim belongs to: an id, the beginning of one, or `last`
    #[arg(long, value_name = "ID", default_value = "last", add = crate::tab_completion::run_id_candidates())]
    pub of: String,
    /// Print exactly one JSON document on stdout
    #[arg(long)]
    pub json: bool,
}

pub async fn run(context: &CommandContext, arguments: &ExplainArguments) -> Result<Exit, CommandError> {
    match code_of(&arguments.what) {
        Some(code) => explain_code(context, code, arguments.json)?,
        None => explain_claim(context, arguments).await?,
    }
    Ok(Exit::Done)
}

/// Codes may be typed in any spelling: `key-missing` is `KEY_MISSING`.
fn code_of(text: &str) -> Option<Code> {
    let wanted = text.trim().trim_start_matches("error[").trim_end_matches(']').to_ascii_uppercase();
    let wanted = wanted.replace(['-', ' '], "_");
    Code::ALL.iter().copied().find(|code| code.as_str() == wanted)
}

fn explain_code(context: &CommandContext, code: Code, json: bool) -> Result<(), CommandError> {
    if json {
        return context.output.json(&json!({
            "schema_version": SCHEMA_VERSION,
            "code": code.as_str(),
            "what_happened": error_docs::what_happened(code),
            "hint": code.hint(),
            "page": error_page_path(code),
        }));
    }
    context.output.data(&MarkdownRenderer::of(&context.output).render(&error_docs::error_page(code)))
}

async fn explain_claim(context: &CommandContext, arguments: &ExplainArguments) -> Result<(), CommandError> {
    let id: ClaimId = arguments.what.parse().map_err(|why: String| {
        let known = Code::ALL.iter().map(|code| code.as_str());
        match closest(&arguments.what.to_ascii_uppercase().replace('-', "_"), known) {
            Some(code) => {
                CommandError::new(Code::InvalidArguments, &format!("{why}, and no error code either"))
                    .with_hint(format!("did you mean `probity explain {code}`?"))
            }
            None => CommandError::new(Code::InvalidArguments, &why)
                .with_hint("give the code of an error, as `probity explain NOT_FOUND`, or a claim of a report: C1, C2, …"),
        }
    })?;
    let settings = context.settings(RawSettings::default())?.settings;
    let app = AppContext::open_to_read(&settings)?.ok_or_else(no_runs_error)?;
    let summary = app.summary(identify(&app, &arguments.of)?)?;
    let report = app.report(&summary).await?;
    let Some(report) = report else { return Err(without_report(&summary)) };
    let ledger = report.ledger.as_deref().ok_or_else(|| not_checked(&summary))?;
    let Some(explained) = claims::ClaimExplanation::of(ledger, id) else {
        let known = ledger.claims.first().zip(ledger.claims.last());
        let message = match known {
            None => format!("there is no {id} in {}: no claim was found in it", summary.id),
            Some((first, last)) => {
                format!("there is no {id} in {}; its claims are {} to {}", summary.id, first.id, last.id)
            }
        };
        let hint = match known {
            None => format!("read it: `probity runs show {}`", summary.id),
            Some((first, _)) => {
                format!("look at another: `probity explain {} --of {}`", first.id, summary.id)
            }
        };
        return Err(CommandError::new(Code::NotFound, &message).with_hint(hint));
    };
    if let Some(note) = missing_bytes::missing_note(&app.store, summary.id) {
        context.output.print_message(&note);
    }
    match arguments.json {
        true => context.output.json(&explained.document()),
        false => context.output.data(&explained.text(&context.output)),
    }
}

fn not_checked(summary: &RunSummary) -> CommandError {
    let id = summary.id;
    CommandError::new(Code::NotFound, &format!("the claims of {id} were not checked"))
        .with_hint(format!("check them with `probity recheck {id}`"))
}
