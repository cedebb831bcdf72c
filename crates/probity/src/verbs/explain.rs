//! `probity explain`: one claim with everything that was checked, who checked it, and the passage behind it; or what
//! an error code means and what to do.

use clap::Args;
use probity_research::{Code, ledger::ClaimId, status::Summary};
use serde_json::json;

use crate::{
    context::Context,
    desk::Desk,
    exit::Exit,
    explained,
    failure::{Failure, page},
    identify::{identify, none_yet},
    output::markdown::Markdown,
    settings::written::RawSettings,
    telling::claims,
    wire::SCHEMA_VERSION,
};

#[derive(Debug, Args)]
pub struct ExplainArguments {
    /// A claim, such as C17, or an error code, such as KEY_MISSING
    #[arg(value_name = "CLAIM|CODE")]
    pub what: String,
    /// The research that a claim belongs to: an id, the beginning of one, or `last`
    #[arg(long, value_name = "ID", default_value = "last", add = crate::completing::researches())]
    pub of: String,
    /// Print exactly one JSON document on stdout
    #[arg(long)]
    pub json: bool,
}

pub async fn run(context: &Context, arguments: &ExplainArguments) -> Result<Exit, Failure> {
    match code_of(&arguments.what) {
        Some(code) => explain_code(context, code, arguments.json)?,
        None => explain_claim(context, arguments).await?,
    }
    Ok(Exit::Done)
}

/// Codes are typed as people like: `key-missing` is `KEY_MISSING`.
fn code_of(text: &str) -> Option<Code> {
    let wanted = text.trim().trim_start_matches("error[").trim_end_matches(']').to_ascii_uppercase();
    let wanted = wanted.replace(['-', ' '], "_");
    Code::ALL.iter().copied().find(|code| code.as_str() == wanted)
}

fn explain_code(context: &Context, code: Code, json: bool) -> Result<(), Failure> {
    if json {
        return context.output.json(&json!({
            "schema_version": SCHEMA_VERSION,
            "code": code.as_str(),
            "what_happened": explained::what_happened(code),
            "hint": code.hint(),
            "page": page(code),
        }));
    }
    context.output.data(&Markdown::of(&context.output).render(&explained::page(code)))
}

async fn explain_claim(context: &Context, arguments: &ExplainArguments) -> Result<(), Failure> {
    let id: ClaimId = arguments.what.parse().map_err(|why: String| {
        Failure::new(Code::InvalidArguments, &why)
            .with_hint("a claim is called C1, C2, …; error codes are listed in `docs/errors/index.md`")
    })?;
    let settings = context.settings(RawSettings::default())?.settings;
    let desk = Desk::open_to_read(&settings)?.ok_or_else(none_yet)?;
    let summary = desk.summary(identify(&desk, &arguments.of)?)?;
    let report = desk.report(&summary).await?;
    let ledger = report.as_ref().and_then(|report| report.ledger.as_deref());
    let ledger = ledger.ok_or_else(|| not_checked(&summary))?;
    let Some(explained) = claims::Explained::of(ledger, id) else {
        let message = format!("there is no {id} in {}; it has {} claims", summary.id, ledger.claims.len());
        return Err(Failure::new(Code::NotFound, &message));
    };
    match arguments.json {
        true => context.output.json(&explained.document()),
        false => context.output.data(&explained.text(&context.output)),
    }
}

fn not_checked(summary: &Summary) -> Failure {
    let id = summary.id;
    let message = format!("the claims of {id} were not checked; check them with `probity recheck {id}`");
    Failure::new(Code::NotFound, &message)
}
