//! `probity research`: one question, one report; in rounds with `--rounds`. `--detach` leaves the work to a
//! background process and prints the handle.

use clap::Args;
use probity_research::{plan::Plan, query::Query, rounds::Manner};

use crate::{
    context::Context,
    desk,
    exit::Exit,
    failure::Failure,
    settings::{Settings, written::RawSettings},
    starting::{self, Wishes, flags},
    telling::Form,
};

#[derive(Debug, Args)]
pub struct ResearchArguments {
    /// The question, best in quotes
    #[arg(required = true, value_name = "QUESTION")]
    pub question: Vec<String>,
    /// The agent that researches; `probity doctor` lists them
    #[arg(long, value_name = "NAME", conflicts_with = "rounds")]
    pub agent: Option<String>,
    /// Search, verify and correct in rounds until the answer is verified: minutes and cents
    #[arg(long)]
    pub rounds: bool,
    /// Rounds at most, from 2 to 20
    #[arg(long, value_name = "N", requires = "rounds", allow_negative_numbers = true)]
    pub max_iterations: Option<String>,
    /// What works in rounds: auto, gemini-api or gemini-cli
    #[arg(long, value_name = "NAME", requires = "rounds")]
    pub engine: Option<String>,
    /// The model that works in rounds; else the engine chooses
    #[arg(long, value_name = "NAME", requires = "rounds")]
    pub model: Option<String>,
    /// What this research may cost, such as 2.50
    #[arg(long, value_name = "USD")]
    pub budget: Option<String>,
    /// How long it may take, such as 20m
    #[arg(long, value_name = "SPAN")]
    pub max_time: Option<String>,
    /// Show the plan and its price first, and ask before starting
    #[arg(long)]
    pub plan: bool,
    /// Do not ask
    #[arg(long, requires = "plan")]
    pub yes: bool,
    /// Go on in the background and print the handle at once
    #[arg(long)]
    pub detach: bool,
    /// Print exactly one JSON document on stdout
    #[arg(long)]
    pub json: bool,
    /// Print the provider's whole answer instead of the report
    #[arg(long, conflicts_with_all = ["json", "detach"])]
    pub raw: bool,
}

pub async fn run(context: &Context, arguments: &ResearchArguments) -> Result<Exit, Failure> {
    let query = Query::parse(&arguments.question.join(" "))?;
    let loaded = context.settings(overrides(arguments))?;
    loaded.notes.iter().for_each(|note| context.output.say(&format!("note: {note}")));
    let settings = loaded.settings;
    let plan = match arguments.rounds {
        true => starting::in_rounds(&settings, Manner::DeepSearch, &query),
        false => with_agent(&settings, &query)?,
    };
    let wishes = Wishes {
        plan: arguments.plan,
        yes: arguments.yes,
        detach: arguments.detach,
        form: Form::of(arguments.json, arguments.raw),
    };
    Box::pin(starting::start(context, &settings, query, plan, wishes)).await
}

fn with_agent(settings: &Settings, query: &Query) -> Result<Plan, Failure> {
    let price = desk::expected(settings, &settings.agent, query)?;
    Ok(Plan { estimate: Some(price), ..Plan::new(settings.agent.clone(), settings.limits()) })
}

fn overrides(arguments: &ResearchArguments) -> RawSettings {
    flags(&[
        ("research.agent", arguments.agent.as_ref(), "--agent"),
        ("rounds.max_iterations", arguments.max_iterations.as_ref(), "--max-iterations"),
        ("research.engine", arguments.engine.as_ref(), "--engine"),
        ("rounds.model", arguments.model.as_ref(), "--model"),
        ("budget.max_usd", arguments.budget.as_ref(), "--budget"),
        ("research.deadline", arguments.max_time.as_ref(), "--max-time"),
    ])
}
