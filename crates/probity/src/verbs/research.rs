//! `probity research`: asks one question and stays with it until the report is there.

use clap::Args;
use probity_research::{
    ResearchId,
    cost::MicroUsd,
    estimate::Estimate,
    plan::{Limits, Plan},
    query::Query,
    status::Summary,
};

use crate::{
    context::Context,
    desk::{self, Desk},
    detach,
    exit::Exit,
    failure::Failure,
    follow::{Followed, follow},
    output::{Tone, live::Live},
    settings::{
        Settings,
        written::{Origin, RawSettings, Written},
    },
    telling::{self, Form},
    wire::{HandleDocument, PlanDocument, SCHEMA_VERSION},
    words,
};

#[derive(Debug, Args)]
pub struct ResearchArguments {
    /// The question, best in quotes
    #[arg(required = true, value_name = "QUESTION")]
    pub question: Vec<String>,
    /// The agent that researches; `probity doctor` lists them
    #[arg(long, value_name = "NAME")]
    pub agent: Option<String>,
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
    let loaded = context.settings(flags(arguments))?;
    loaded.notes.iter().for_each(|note| context.output.say(&format!("note: {note}")));
    let settings = loaded.settings;
    let price = desk::expected(&settings, &settings.agent, &query)?;
    let plan = Plan { estimate: Some(price), ..plan(&settings) };
    if arguments.plan {
        show_plan(context, arguments, &query, &plan, &price)?;
        if !arguments.yes && !context.output.can_ask() {
            context.output.say("nothing was started; add `--yes` to start without being asked");
            return Ok(Exit::Done);
        }
    }
    let key = desk::key(&context.environment)?;
    if arguments.plan && !arguments.yes && !context.output.ask("Start this research?") {
        context.output.say("nothing was started");
        return Ok(Exit::Done);
    }
    let desk = Desk::open(&settings, Some(key))?;
    let started = desk.researches.start(desk::new_id()?, query, plan.clone()).await?;
    say_started(context, &started, &plan, arguments.plan);
    if arguments.detach {
        drop(desk);
        return hand_over(context, started.id, arguments.json);
    }
    stay(context, &desk, &started, plan.limits.budget, Form::of(arguments.json, arguments.raw)).await
}

/// Stays until it rests or the user leaves. Leaving never cancels paid work.
pub async fn stay(
    context: &Context,
    desk: &Desk,
    summary: &Summary,
    budget: Option<MicroUsd>,
    form: Form,
) -> Result<Exit, Failure> {
    let mut live = Live::begin(&context.output, summary, budget, desk.now());
    let followed = Box::pin(follow(desk, summary.id, &mut live, None)).await;
    live.end();
    match followed? {
        Followed::Rests(summary) => telling::tell_end(&context.output, desk, &summary, form).await,
        Followed::Left(summary) | Followed::OutOfTime(summary) => {
            telling::tell_left(&context.output, &summary, form)
        }
    }
}

fn hand_over(context: &Context, id: ResearchId, json: bool) -> Result<Exit, Failure> {
    detach::start()?;
    if json {
        context.output.json(&HandleDocument::of(id))?;
    } else {
        context.output.data(&id.to_string())?;
        context.output.say(&format!("to follow it: probity runs watch {id}"));
    }
    Ok(Exit::Done)
}

fn flags(arguments: &ResearchArguments) -> RawSettings {
    let given = [
        ("research.agent", &arguments.agent, "--agent"),
        ("budget.max_usd", &arguments.budget, "--budget"),
        ("research.deadline", &arguments.max_time, "--max-time"),
    ];
    let mut raw = RawSettings::default();
    for (key, text, flag) in given {
        if let Some(text) = text {
            raw.values.insert(key, Written::one(text, Origin::Flag(flag)));
        }
    }
    raw
}

fn plan(settings: &Settings) -> Plan {
    Plan::new(settings.agent.clone(), Limits::new(settings.deadline, settings.budget))
}

fn show_plan(
    context: &Context,
    arguments: &ResearchArguments,
    query: &Query,
    plan: &Plan,
    price: &Estimate,
) -> Result<(), Failure> {
    if arguments.json && !arguments.yes && !context.output.can_ask() {
        return context.output.json(&document(query, plan, price));
    }
    let budget = plan.limits.budget.map_or_else(|| "none set".to_owned(), |budget| budget.to_string());
    let rows = [
        ("question", query.headline()),
        ("agent", plan.agent.as_str().to_owned()),
        ("searches", format!("about {}", plan.agent.facts().searches_typical)),
        ("cost", format!("{} to {}, likely {}", price.cost_min, price.cost_max, price.cost_likely)),
        ("budget", budget),
        (
            "time",
            format!("{} to {} min, likely {}", price.minutes_min, price.minutes_max, price.minutes_likely),
        ),
        ("deadline", words::span(plan.limits.deadline())),
        ("basis", price.basis.sentence()),
    ];
    context.output.say(&context.output.err(Tone::Strong, "plan"));
    context.output.say(&context.output.rows(&rows));
    Ok(())
}

fn document(query: &Query, plan: &Plan, price: &Estimate) -> PlanDocument {
    PlanDocument {
        schema_version: SCHEMA_VERSION,
        started: false,
        query: query.as_str().to_owned(),
        engine: plan.engine.as_str(),
        agent: plan.agent.as_str().to_owned(),
        superseded_by: plan.agent.facts().superseded_by,
        deadline_seconds: plan.limits.deadline().as_secs(),
        note: plan.limits.deadline_note(),
        budget_usd: plan.limits.budget.map(MicroUsd::as_usd),
        cost_usd_min: price.cost_min.as_usd(),
        cost_usd_likely: price.cost_likely.as_usd(),
        cost_usd_max: price.cost_max.as_usd(),
        minutes_min: price.minutes_min,
        minutes_likely: price.minutes_likely,
        minutes_max: price.minutes_max,
        basis: price.basis.sentence(),
    }
}

fn say_started(context: &Context, started: &Summary, plan: &Plan, price_was_shown: bool) {
    let output = &context.output;
    output.say(&format!("research {} started", output.err(Tone::Strong, &started.id.to_string())));
    if let (Some(price), false) = (plan.estimate, price_was_shown) {
        output.say(&format!(
            "estimate: {} to {} and {} to {} min; basis: {}",
            price.cost_min,
            price.cost_max,
            price.minutes_min,
            price.minutes_max,
            price.basis.sentence()
        ));
    }
    if let Some(note) = plan.limits.deadline_note() {
        output.say(&format!("note: {note}"));
    }
    if let Some(newer) = plan.agent.facts().superseded_by {
        output.say(&format!("note: {} is superseded by {newer}", plan.agent.as_str()));
    }
}
