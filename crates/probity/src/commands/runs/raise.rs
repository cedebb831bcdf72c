//! `probity runs raise`: lets a run that is under way spend more than it began with.

use clap::Args;
use probity_research::{Code, cost::MicroUsd};

use crate::{
    app_context::AppContext, command_context::CommandContext, command_error::CommandError, exit::Exit,
    identify::identify, settings::raw::RawSettings, wire::ResearchDocument,
};

#[derive(Debug, Args)]
pub struct RaiseArguments {
    /// An id, the beginning of one, or `last`
    #[arg(value_name = "ID", add = crate::tab_completion::run_id_candidates())]
    pub id: String,
    /// What it may cost altogether, such as 5.00
    #[arg(long, value_name = "USD")]
    pub budget: String,
    /// Print exactly one JSON document on stdout
    #[arg(long)]
    pub json: bool,
}

pub async fn run(context: &CommandContext, arguments: &RaiseArguments) -> Result<Exit, CommandError> {
    let budget = MicroUsd::parse_usd(&arguments.budget).ok_or_else(|| {
        CommandError::new(
            Code::InvalidArguments,
            &format!("--budget is `{}`, which is not an amount in US dollars", arguments.budget),
        )
        .with_hint("write it like `--budget 5.00`")
    })?;
    let settings = context.settings(RawSettings::default())?.settings;
    let app = AppContext::open(&settings, None)?;
    let id = identify(&app, &arguments.id)?;
    let raised = Box::pin(app.researches.raise_budget(id, budget)).await;
    let summary = raised.map_err(|problem| match problem.code {
        Code::Budget => CommandError::from(problem)
            .with_hint(format!("it goes on as it is; follow it with `probity runs watch {id}`")),
        _ => CommandError::from(problem).with_run_id(id),
    })?;
    match arguments.json {
        true => context.output.json(&ResearchDocument::of(&summary, None, Exit::Done))?,
        false => context.output.print_message(&format!("{id} may now cost {budget}")),
    }
    Ok(Exit::Done)
}
