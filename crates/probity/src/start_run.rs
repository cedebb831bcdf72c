//! Starts a run for the user at the terminal: shows the plan if asked to, starts it, and follows it until it
//! rests or the user interrupts. The same for every subcommand that starts one.

use std::collections::BTreeMap;

use probity_research::{
    Code, CodedError, RunId,
    cost::MicroUsd,
    estimate::Estimate,
    inquiry::{InquiryPlan, WantedFacet},
    plan::Plan,
    query::Query,
    rounds::{Mode, RoundsPlan, plan::ROUNDS_MIN},
    spending::RepeatRule,
    status::RunSummary,
    web::{plan::WebPlan, plan_cut::PlanCut},
};
use probity_runner::{RunStart, RunStartKind};

use crate::{
    app_context::{self, AppContext},
    approve::{self, ApprovalRequest},
    command_context::CommandContext,
    command_error::CommandError,
    detach,
    exit::Exit,
    follow::{FollowOutcome, follow},
    format,
    keys::ProviderKeys,
    notify,
    output::{Tone, live::LiveProgress},
    render::{self, OutputFormat},
    settings::{
        Settings,
        raw::{RawSettings, RawValue, SettingOrigin},
    },
    wire::{HandleDocument, PlanDocument, SCHEMA_VERSION},
};

/// The options of a start besides the question.
#[derive(Debug, Clone, Copy)]
pub struct CliStartOptions {
    pub approval: ApprovalRequest,
    pub detach: bool,
    pub repeat: RepeatRule,
    pub form: OutputFormat,
}

/// `plan` includes its price.
pub async fn start(
    context: &CommandContext,
    settings: &Settings,
    query: Query,
    plan: Plan,
    wishes: CliStartOptions,
) -> Result<Exit, CommandError> {
    let ApprovalRequest { yes, plan_shown, .. } = wishes.approval;
    if plan_shown {
        show_plan(context, wishes, &query, &plan)?;
        if !yes && !context.output.can_ask() {
            context.output.print_message("nothing was started; add `--yes` to start without being asked");
            return Ok(Exit::Done);
        }
    }
    let keys = ProviderKeys::read(&context.environment)?;
    keys.check_engine(plan.engine)?;
    let rows = || plan_rows(&query, &plan);
    let Some(approval) = approve::approve(context, settings, &plan, wishes.approval, rows)? else {
        return Ok(Exit::Done);
    };
    let plan = Plan { handed_over: wishes.detach, ..approve::approved(plan, approval) };
    let app = AppContext::open(settings, Some(keys))?;
    app.researches.executor().engine().prepare_for(&plan);
    let id = app_context::new_id()?;
    let RunStart { summary: started, kind } =
        app.researches.start_unless(id, query, plan.clone(), wishes.repeat).await.map_err(perhaps_paid)?;
    match kind {
        RunStartKind::New => print_started(context, &started, &plan, plan_shown),
        RunStartKind::Running => print_running(context, &started),
    }
    if wishes.detach {
        drop(app);
        return detach_run(context, settings, started.id, wishes.form);
    }
    follow_to_end(context, &app, &started, plan.limits.budget, wishes.form).await
}

/// Whoever asks what may have been paid for already decides that it is paid for again.
fn perhaps_paid(problem: CodedError) -> CommandError {
    match problem.code == Code::CreateUncertain {
        true => CommandError::from(problem).with_hint("to pay for another start, ask again with `--again`"),
        false => problem.into(),
    }
}

/// Follows the run until it rests or the user interrupts. An interrupt never cancels paid work.
pub async fn follow_to_end(
    context: &CommandContext,
    app: &AppContext,
    summary: &RunSummary,
    budget: Option<MicroUsd>,
    form: OutputFormat,
) -> Result<Exit, CommandError> {
    let mut live = LiveProgress::begin(&context.output, summary, budget, app.now(), form)?;
    let followed = Box::pin(follow(app, summary.id, &mut live, None)).await;
    live.end();
    match followed? {
        FollowOutcome::Rests(summary) => render::print_end(&context.output, app, &summary, form).await,
        FollowOutcome::Left(summary) | FollowOutcome::OutOfTime(summary) => {
            render::print_left_running(&context.output, &summary, form)
        }
    }
}

/// Settings that the command line overrides: the key, what was typed, and the flag's name.
pub fn flags(given: &[(&'static str, Option<&String>, &'static str)]) -> RawSettings {
    let mut raw = RawSettings::default();
    for (key, text, flag) in given {
        if let Some(text) = text {
            raw.values.insert(key, RawValue::one(*text, SettingOrigin::Flag(flag)));
        }
    }
    raw
}

fn detach_run(
    context: &CommandContext,
    settings: &Settings,
    id: RunId,
    form: OutputFormat,
) -> Result<Exit, CommandError> {
    detach::start_driver()?;
    if form == OutputFormat::Json {
        context.output.json(&HandleDocument::of(id, notify::channel(settings)))?;
    } else {
        context.output.data(&id.to_string())?;
        context.output.print_message(&format!("to follow it: probity runs watch {id}"));
    }
    Ok(Exit::Done)
}

fn show_plan(
    context: &CommandContext,
    wishes: CliStartOptions,
    query: &Query,
    plan: &Plan,
) -> Result<(), CommandError> {
    if wishes.form == OutputFormat::Json && !wishes.approval.yes && !context.output.can_ask() {
        return context.output.json(&document(query, plan));
    }
    context.output.print_message(&context.output.style_err(Tone::Strong, "plan"));
    context.output.print_message(&context.output.rows(&plan_rows(query, plan)));
    Ok(())
}

/// The question, who works on it, and what that may cost.
pub fn plan_rows(query: &Query, plan: &Plan) -> Vec<(&'static str, String)> {
    let mut rows = vec![("question", query.headline())];
    rows.extend(plan.follows.map(|parent| ("follows", parent.to_string())));
    rows.extend(worker_rows(plan));
    rows.extend(prices(plan));
    rows
}

/// Nothing was started: the user follows what runs already.
pub fn print_running(context: &CommandContext, running: &RunSummary) {
    let id = context.output.style_err(Tone::Strong, &running.id.to_string());
    let message = match running.is_start_uncertain() {
        true => format!(
            "this very question was sent before as {id}, and nobody knows whether it was taken and billed; nothing was \
             started now. To pay for another: --again"
        ),
        false => {
            format!(
                "the same question was started before as {id}: that run is followed here, nothing was started now. To start \
                 another: --again"
            )
        }
    };
    context.output.print_message(&message);
}

/// The engine, the model, and the most work there may be.
fn worker_rows(plan: &Plan) -> Vec<(&'static str, String)> {
    if plan.given.is_some() {
        return vec![("judge", plan.model_or_agent().to_owned())];
    }
    if let Some(web) = &plan.web {
        return web_plan_rows(plan, web);
    }
    match &plan.rounds {
        Some(rounds) => {
            vec![("engine", engine_row(plan)), ("model", model(rounds)), ("rounds", rounds_of(rounds))]
        }
        None => vec![
            ("engine", plan.engine.as_str().to_owned()),
            ("agent", plan.agent.as_str().to_owned()),
            ("searches", format!("about {}", plan.agent.facts().searches_typical)),
        ],
    }
}

/// Which engine and why; an engine without a choice by its name.
fn engine_row(plan: &Plan) -> String {
    plan.engine_sentence().unwrap_or_else(|| plan.engine.as_str().to_owned())
}

fn web_plan_rows(plan: &Plan, web: &WebPlan) -> Vec<(&'static str, String)> {
    let strategy = &web.strategy;
    let providers: Vec<&str> = web.asked().iter().map(|name| name.as_str()).collect();
    let mut rows = vec![
        ("engine", engine_row(plan)),
        ("depth", format!("{}: {}", strategy.level.as_str(), strategy.reason)),
        ("effort", effort(web)),
        ("search", if providers.is_empty() { "none".to_owned() } else { providers.join(", ") }),
        ("model", models_row(web)),
    ];
    rows.extend(web.words().map(|words| ("length", format!("about {words} words"))));
    rows.extend(web.hints.language.iter().map(|language| ("language", language.clone())));
    rows.extend(web.inquiry.iter().flat_map(part_rows));
    rows.extend(web.cut.iter().map(|cut| ("cut", cut.sentence())));
    rows
}

/// The parts that the user named; the others are not known before the model has named them.
fn part_rows(inquiry: &InquiryPlan) -> Vec<(&'static str, String)> {
    let part = |wanted: &WantedFacet| match wanted.query.is_empty() {
        true => ("part", wanted.question.clone()),
        false => ("part", format!("{} (first query: {})", wanted.question, wanted.query)),
    };
    let named =
        usize::try_from(inquiry.caps.lines).unwrap_or(usize::MAX).saturating_sub(inquiry.facets.len());
    let more = if inquiry.facets.is_empty() { "" } else { "more " };
    let others =
        (named > 0).then(|| ("parts", format!("up to {named} {more}that the model names when it begins")));
    inquiry.facets.iter().map(part).chain(others).collect()
}

fn effort(web: &WebPlan) -> String {
    let strategy = &web.strategy;
    match web.parent.as_deref().filter(|_| web.answers_from_parent()) {
        Some(bank) => {
            let (quotations, pages) = (bank.quotations(), bank.pages_quoted());
            {
                let quotations = format::count(quotations as u64, "quotation", "quotations");
                let pages = format::count(pages as u64, "stored page", "stored pages");
                format!("one answer from {quotations} on {pages}")
            }
        }
        None => {
            let in_attempts = || {
                format!(
                    "up to {} attempts of {} queries and {} pages",
                    strategy.max_attempts, strategy.queries, strategy.top_pages
                )
            };
            web.inquiry.as_ref().map_or_else(in_attempts, InquiryPlan::effort)
        }
    }
}

/// The one model, and those that take a part of its work.
fn models_row(web: &WebPlan) -> String {
    let Some(model) = &web.model else { return "none: the report is made of quotations".to_owned() };
    let roles = web.roles.named().into_iter().map(|(role, name)| format!("{role}: {name}"));
    std::iter::once(model.name.clone()).chain(roles).collect::<Vec<_>>().join(", ")
}

fn prices(plan: &Plan) -> Vec<(&'static str, String)> {
    let budget = plan.limits.budget.map_or_else(|| "none set".to_owned(), |budget| budget.to_string());
    let deadline = format::span(plan.limits.deadline());
    let Some(price) = plan.estimate else { return vec![("budget", budget), ("deadline", deadline)] };
    vec![
        ("cost", price.cost_with_likely()),
        ("budget", budget),
        ("time", price.minutes_with_likely()),
        ("deadline", deadline),
        ("basis", price.basis.sentence()),
    ]
}

fn model(rounds: &RoundsPlan) -> String {
    rounds.model.as_ref().map_or_else(|| "chosen by the engine".to_owned(), ToString::to_string)
}

fn rounds_of(rounds: &RoundsPlan) -> String {
    match rounds.manner {
        Mode::DeepSearch if rounds.rounds_max <= ROUNDS_MIN => ROUNDS_MIN.to_string(),
        Mode::DeepSearch => format!("{ROUNDS_MIN} to {}, until verified", rounds.rounds_max),
        Mode::Search | Mode::DeepResearch => "one".to_owned(),
    }
}

fn document(query: &Query, plan: &Plan) -> PlanDocument {
    let price = plan.estimate.as_ref();
    let dollars = |of: fn(&Estimate) -> MicroUsd| price.map_or(0.0, |price| of(price).as_usd());
    let minutes = |of: fn(&Estimate) -> u32| price.map_or(0, of);
    let agent = plan.rounds.is_none().then(|| plan.agent.facts());
    let web = plan.web.as_deref();
    PlanDocument {
        schema_version: SCHEMA_VERSION,
        started: false,
        query: query.as_str().to_owned(),
        engine: plan.engine.as_str(),
        engine_reason: plan.engine_sentence(),
        agent: plan.model_or_agent().to_owned(),
        rounds_max: plan.rounds.as_ref().map(|rounds| rounds.rounds_max),
        depth: web.map(|web| web.strategy.level.as_str()),
        pages_max: web.map(|web| web.pages_most()),
        words: web.and_then(WebPlan::words),
        language: web.and_then(|web| web.hints.language.clone()),
        parts: web.and_then(|web| web.inquiry.as_ref()).map(wanted_parts).unwrap_or_default(),
        models: web.map(role_names).unwrap_or_default(),
        cut: web.and_then(|web| web.cut.as_ref()).map(PlanCut::sentence),
        superseded_by: agent.and_then(|agent| agent.superseded_by),
        deadline_seconds: plan.limits.deadline().as_secs(),
        note: plan.limits.note(),
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

fn wanted_parts(inquiry: &InquiryPlan) -> Vec<String> {
    inquiry.facets.iter().map(|wanted| wanted.question.clone()).collect()
}

/// Roles with a model of their own.
fn role_names(web: &WebPlan) -> BTreeMap<&'static str, String> {
    web.roles.named().into_iter().map(|(role, name)| (role, name.to_owned())).collect()
}

fn print_started(context: &CommandContext, started: &RunSummary, plan: &Plan, plan_was_shown: bool) {
    let output = &context.output;
    output.print_message(&format!(
        "research {} started",
        output.style_err(Tone::Strong, &started.id.to_string())
    ));
    if !plan_was_shown {
        if let Some(web) = &plan.web {
            let choices: Vec<String> = web_plan_rows(plan, web)
                .into_iter()
                .map(|(name, value)| format!("{name}: {value}"))
                .collect();
            output.print_message(&choices.join("; "));
        } else if let Some(rounds) = &plan.rounds {
            let (engine, model) = (engine_row(plan), model(rounds));
            output.print_message(&format!("engine: {engine}; model: {model}; rounds: {}", rounds_of(rounds)));
        }
        if let Some(price) = plan.estimate {
            output.print_message(&format!(
                "estimate: {} and {}; basis: {}",
                price.cost_range(),
                price.minutes_range(),
                price.basis.sentence()
            ));
        }
    }
    if let Some(note) = plan.limits.note() {
        output.print_message(&format!("note: {note}"));
    }
    if plan.rounds.is_none()
        && let Some(newer) = plan.agent.facts().superseded_by
    {
        output.print_message(&format!("note: {} is superseded by {newer}", plan.agent.as_str()));
    }
}
