//! `probity runs raise`: lets a research that is under way spend more than it began with.

use clap::Args;
use probity_research::{Code, cost::MicroUsd};

use crate::{
    context::Context, desk::Desk, exit::Exit, failure::Failure, identify::identify,
    settings::written::RawSettings, wire::ResearchDocument,
};

#[derive(Debug, Args)]
pub struct RaiseArguments {
    /// An id, the beginning of one, or `last`
    #[arg(value_name = "ID", add = crate::completing::researches())]
    pub id: String,
    /// What it may cost altogether, such as 5.00
    #[arg(long, value_name = "USD")]
    pub budget: String,
    /// Print exactly one JSON document on stdout
    #[arg(long)]
    pub json: bool,
}

pub async fn run(context: &Context, arguments: &RaiseArguments) -> Result<Exit, Failure> {
    let budget = MicroUsd::parse_usd(&arguments.budget).ok_or_else(|| {
        Failure::new(Code::InvalidArguments, &format!("--budget is `{}`; write it as 5.00", arguments.budget))
    })?;
    let settings = context.settings(RawSettings::default())?.settings;
    let desk = Desk::open(&settings, None)?;
    let id = identify(&desk, &arguments.id)?;
    let raised = desk.researches.raise_budget(id, budget).await;
    let summary = raised.map_err(|problem| Failure::from(problem).about(id))?;
    match arguments.json {
        true => context.output.json(&ResearchDocument::of(&summary, None, Exit::Done))?,
        false => context.output.say(&format!("{id} may now cost {budget}")),
    }
    Ok(Exit::Done)
}
