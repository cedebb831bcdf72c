//! `probity explain`: one claim with everything that was checked, who checked it, and the passage behind it.

use clap::Args;
use probity_research::{Code, ledger::ClaimId};

use crate::{
    context::Context,
    desk::Desk,
    exit::Exit,
    failure::Failure,
    identify::{identify, none_yet},
    settings::written::RawSettings,
    telling::claims,
};

#[derive(Debug, Args)]
pub struct ExplainArguments {
    /// A claim, such as C17
    #[arg(value_name = "CLAIM")]
    pub claim: String,
    /// The research it belongs to: an id, the beginning of one, or `last`
    #[arg(long, value_name = "ID", default_value = "last")]
    pub of: String,
    /// Print exactly one JSON document on stdout
    #[arg(long)]
    pub json: bool,
}

pub async fn run(context: &Context, arguments: &ExplainArguments) -> Result<Exit, Failure> {
    let id: ClaimId =
        arguments.claim.parse().map_err(|why: String| Failure::new(Code::InvalidArguments, &why))?;
    let settings = context.settings(RawSettings::default())?.settings;
    let desk = Desk::open_to_read(&settings)?.ok_or_else(none_yet)?;
    let summary = desk.summary(identify(&desk, &arguments.of)?)?;
    let report = desk.report(&summary).await?;
    let ledger = report.as_ref().and_then(|report| report.ledger.as_deref());
    let Some(ledger) = ledger else {
        let message = format!(
            "the claims of {} were not checked; check them with `probity recheck {}`",
            summary.id, summary.id
        );
        return Err(Failure::new(Code::NotFound, &message));
    };
    let Some(explained) = claims::Explained::of(ledger, id) else {
        let message = format!("there is no {id} in {}; it has {} claims", summary.id, ledger.claims.len());
        return Err(Failure::new(Code::NotFound, &message));
    };
    match arguments.json {
        true => context.output.json(&explained.document())?,
        false => context.output.data(&explained.text(&context.output))?,
    }
    Ok(Exit::Done)
}
