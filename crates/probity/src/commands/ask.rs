//! `probity ask`: one round of search, answered while you wait. A question in quotes needs no subcommand.

use clap::Args;
use probity_research::{query::Query, rounds::Mode};

use crate::{
    app_context,
    approve::{ApprovalArguments, ApprovalRequest},
    command_context::CommandContext,
    command_error::CommandError,
    exit::Exit,
    keys::ProviderKeys,
    planning::{self, PlanningRequest},
    render::OutputFormat,
    source_arguments::SourceArguments,
    start_run::{self, CliStartOptions, flags},
};

#[derive(Debug, Args)]
pub struct AskArguments {
    /// The question, best in quotes
    #[arg(required = true, value_name = "QUESTION")]
    pub question: Vec<String>,
    /// What answers: auto, gemini-api, gemini-cli or web
    #[arg(long, value_name = "NAME")]
    pub engine: Option<String>,
    /// The model that answers; else the engine chooses
    #[arg(long, value_name = "NAME")]
    pub model: Option<String>,
    /// What the answer may cost, such as 0.50
    #[arg(long, value_name = "USD")]
    pub budget: Option<String>,
    /// How long it may take, such as 2m
    #[arg(long, value_name = "SPAN")]
    pub max_time: Option<String>,
    /// Show the plan and its price first, and ask before starting
    #[arg(long)]
    pub plan: bool,
    #[command(flatten)]
    pub approval: ApprovalArguments,
    /// Print exactly one JSON document on stdout
    #[arg(long)]
    pub json: bool,
    /// Print one typed JSON line per change on stdout, the result as the last
    #[arg(long, conflicts_with_all = ["json", "raw"])]
    pub stream_json: bool,
    /// Print the provider's whole answer instead of the report
    #[arg(long, conflicts_with = "json")]
    pub raw: bool,
    #[command(flatten)]
    pub sources: SourceArguments,
}

pub async fn run(context: &CommandContext, arguments: &AskArguments) -> Result<Exit, CommandError> {
    let query = Query::parse(&arguments.question.join(" "))?;
    let loaded = context.settings(flags(&[
        ("research.engine", arguments.engine.as_ref(), "--engine"),
        ("rounds.model", arguments.model.as_ref(), "--model"),
        ("budget.max_usd", arguments.budget.as_ref(), "--budget"),
        ("research.deadline", arguments.max_time.as_ref(), "--max-time"),
    ]))?;
    loaded.notes.iter().for_each(|note| context.output.print_message(&format!("note: {note}")));
    let settings = loaded.settings;
    let keys = ProviderKeys::read(&context.environment)?;
    let asking = arguments.sources.apply_to(PlanningRequest::new(Mode::Search))?;
    let plan = app_context::with_history(&settings, planning::plan(&settings, &keys, asking, &query)?)?;
    let wishes = CliStartOptions {
        approval: ApprovalRequest {
            yes: arguments.approval.yes,
            budget: arguments.budget.is_some(),
            plan_shown: arguments.plan,
        },
        repeat: arguments.approval.repeat(),
        detach: false,
        form: OutputFormat::of(arguments.json, arguments.raw).or_stream(arguments.stream_json),
    };
    Box::pin(start_run::start(context, &settings, query, plan, wishes)).await
}
