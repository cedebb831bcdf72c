//! Starts a research for the person at the terminal: shows the plan if asked to, starts it, and stays until it
//! rests or the user leaves. The same for every verb that starts one.

use probity_research::{
    ResearchId,
    cost::MicroUsd,
    estimate::Estimate,
    plan::Plan,
    query::Query,
    rounds::{Manner, RoundsPlan, plan::ROUNDS_MIN},
    status::Summary,
    web::plan::WebPlan,
};

use crate::{
    context::Context,
    desk::{self, Desk},
    detach,
    exit::Exit,
    failure::Failure,
    follow::{Followed, follow},
    keys::Keys,
    output::{Tone, live::Live},
    settings::{
        Settings,
        written::{Origin, RawSettings, Written},
    },
    telling::{self, Form},
    wire::{HandleDocument, PlanDocument, SCHEMA_VERSION},
    words,
};

/// What the user wants of a start besides the answer.
#[derive(Debug, Clone, Copy)]
pub struct Wishes {
    /// Show the plan and its price first.
    pub plan: bool,
    /// Do not ask.
    pub yes: bool,
    pub detach: bool,
    pub form: Form,
}

/// `plan` carries its price.
pub async fn start(
    context: &Context,
    settings: &Settings,
    query: Query,
    plan: Plan,
    wishes: Wishes,
) -> Result<Exit, Failure> {
    if wishes.plan {
        show_plan(context, wishes, &query, &plan)?;
        if !wishes.yes && !context.output.can_ask() {
            context.output.say("nothing was started; add `--yes` to start without being asked");
            return Ok(Exit::Done);
        }
    }
    let keys = Keys::read(&context.environment)?;
    if plan.web.is_none() {
        keys.google()?;
    }
    if wishes.plan && !wishes.yes && !context.output.ask("Start this research?") {
        context.output.say("nothing was started");
        return Ok(Exit::Done);
    }
    let desk = Desk::open(settings, Some(keys))?;
    desk.researches.executor().engine().prepare_for(&plan);
    let started = desk.researches.start(desk::new_id()?, query, plan.clone()).await?;
    say_started(context, &started, &plan, wishes.plan);
    if wishes.detach {
        drop(desk);
        return hand_over(context, started.id, wishes.form);
    }
    stay(context, &desk, &started, plan.limits.budget, wishes.form).await
}

/// Stays until it rests or the user leaves. Leaving never cancels paid work.
pub async fn stay(
    context: &Context,
    desk: &Desk,
    summary: &Summary,
    budget: Option<MicroUsd>,
    form: Form,
) -> Result<Exit, Failure> {
    let mut live = Live::begin(&context.output, summary, budget, desk.now(), form)?;
    let followed = Box::pin(follow(desk, summary.id, &mut live, None)).await;
    live.end();
    match followed? {
        Followed::Rests(summary) => telling::tell_end(&context.output, desk, &summary, form).await,
        Followed::Left(summary) | Followed::OutOfTime(summary) => {
            telling::tell_left(&context.output, &summary, form)
        }
    }
}

/// Settings that the command line overrides: the key, what was typed, and the flag's name.
pub fn flags(given: &[(&'static str, Option<&String>, &'static str)]) -> RawSettings {
    let mut raw = RawSettings::default();
    for (key, text, flag) in given {
        if let Some(text) = text {
            raw.values.insert(key, Written::one(*text, Origin::Flag(flag)));
        }
    }
    raw
}

fn hand_over(context: &Context, id: ResearchId, form: Form) -> Result<Exit, Failure> {
    detach::start()?;
    if form == Form::Json {
        context.output.json(&HandleDocument::of(id))?;
    } else {
        context.output.data(&id.to_string())?;
        context.output.say(&format!("to follow it: probity runs watch {id}"));
    }
    Ok(Exit::Done)
}

fn show_plan(context: &Context, wishes: Wishes, query: &Query, plan: &Plan) -> Result<(), Failure> {
    if wishes.form == Form::Json && !wishes.yes && !context.output.can_ask() {
        return context.output.json(&document(query, plan));
    }
    let mut rows = vec![("question", query.headline())];
    rows.extend(workers(plan));
    rows.extend(prices(plan));
    context.output.say(&context.output.err(Tone::Strong, "plan"));
    context.output.say(&context.output.rows(&rows));
    Ok(())
}

/// Who does the work, and how much of it there may be.
fn workers(plan: &Plan) -> Vec<(&'static str, String)> {
    if let Some(web) = &plan.web {
        return on_the_web(web);
    }
    match &plan.rounds {
        Some(rounds) => vec![
            ("engine", plan.engine.as_str().to_owned()),
            ("model", model(rounds)),
            ("rounds", rounds_of(rounds)),
        ],
        None => vec![
            ("agent", plan.agent.as_str().to_owned()),
            ("searches", format!("about {}", plan.agent.facts().searches_typical)),
        ],
    }
}

fn on_the_web(web: &WebPlan) -> Vec<(&'static str, String)> {
    let strategy = &web.strategy;
    let providers: Vec<&str> = web.asked().iter().map(|name| name.as_str()).collect();
    let model = web.model.as_ref().map_or("none: the report is made of quotations", |model| &model.name);
    vec![
        ("engine", "web".to_owned()),
        ("depth", format!("{}: {}", strategy.level.as_str(), strategy.reason)),
        (
            "effort",
            format!(
                "up to {} attempts of {} queries and {} pages",
                strategy.max_attempts, strategy.queries, strategy.top_pages
            ),
        ),
        ("search", if providers.is_empty() { "none".to_owned() } else { providers.join(", ") }),
        ("model", model.to_owned()),
    ]
}

fn prices(plan: &Plan) -> Vec<(&'static str, String)> {
    let budget = plan.limits.budget.map_or_else(|| "none set".to_owned(), |budget| budget.to_string());
    let deadline = words::span(plan.limits.deadline());
    let Some(price) = plan.estimate else { return vec![("budget", budget), ("deadline", deadline)] };
    vec![
        ("cost", format!("{} to {}, likely {}", price.cost_min, price.cost_max, price.cost_likely)),
        ("budget", budget),
        (
            "time",
            format!("{} to {} min, likely {}", price.minutes_min, price.minutes_max, price.minutes_likely),
        ),
        ("deadline", deadline),
        ("basis", price.basis.sentence()),
    ]
}

fn model(rounds: &RoundsPlan) -> String {
    rounds.model.as_ref().map_or_else(|| "chosen by the engine".to_owned(), ToString::to_string)
}

fn rounds_of(rounds: &RoundsPlan) -> String {
    match rounds.manner {
        Manner::DeepSearch if rounds.rounds_max <= ROUNDS_MIN => ROUNDS_MIN.to_string(),
        Manner::DeepSearch => format!("{ROUNDS_MIN} to {}, until verified", rounds.rounds_max),
        Manner::Search | Manner::DeepResearch => "one".to_owned(),
    }
}

fn document(query: &Query, plan: &Plan) -> PlanDocument {
    let price = plan.estimate.as_ref();
    let dollars = |of: fn(&Estimate) -> MicroUsd| price.map_or(0.0, |price| of(price).as_usd());
    let minutes = |of: fn(&Estimate) -> u32| price.map_or(0, of);
    let agent = plan.rounds.is_none().then(|| plan.agent.facts());
    PlanDocument {
        schema_version: SCHEMA_VERSION,
        started: false,
        query: query.as_str().to_owned(),
        engine: plan.engine.as_str(),
        agent: plan.worker().to_owned(),
        rounds_max: plan.rounds.as_ref().map(|rounds| rounds.rounds_max),
        superseded_by: agent.and_then(|agent| agent.superseded_by),
        deadline_seconds: plan.limits.deadline().as_secs(),
        note: plan.limits.deadline_note(),
        budget_usd: plan.limits.budget.map(MicroUsd::as_usd),
        cost_usd_min: dollars(|price| price.cost_min),
        cost_usd_likely: dollars(|price| price.cost_likely),
        cost_usd_max: dollars(|price| price.cost_max),
        minutes_min: minutes(|price| price.minutes_min),
        minutes_likely: minutes(|price| price.minutes_likely),
        minutes_max: minutes(|price| price.minutes_max),
        basis: price.map(|price| price.basis.sentence()).unwrap_or_default(),
    }
}

fn say_started(context: &Context, started: &Summary, plan: &Plan, plan_was_shown: bool) {
    let output = &context.output;
    output.say(&format!("research {} started", output.err(Tone::Strong, &started.id.to_string())));
    if !plan_was_shown {
        if let Some(web) = &plan.web {
            let told: Vec<String> =
                on_the_web(web).into_iter().map(|(name, value)| format!("{name}: {value}")).collect();
            output.say(&told.join("; "));
        } else if let Some(rounds) = &plan.rounds {
            let (engine, model) = (plan.engine.as_str(), model(rounds));
            output.say(&format!("engine: {engine}; model: {model}; rounds: {}", rounds_of(rounds)));
        }
        if let Some(price) = plan.estimate {
            output.say(&format!(
                "estimate: {} to {} and {} to {} min; basis: {}",
                price.cost_min,
                price.cost_max,
                price.minutes_min,
                price.minutes_max,
                price.basis.sentence()
            ));
        }
    }
    if let Some(note) = plan.limits.deadline_note() {
        output.say(&format!("note: {note}"));
    }
    if plan.rounds.is_none()
        && let Some(newer) = plan.agent.facts().superseded_by
    {
        output.say(&format!("note: {} is superseded by {newer}", plan.agent.as_str()));
    }
}
