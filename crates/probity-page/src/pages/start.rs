//! A new question: typed, then shown with what it may cost, then started. Nothing is paid before the second yes.

use axum::{
    Form,
    extract::State,
    response::{IntoResponse, Response},
};
use minijinja::{Value, context};
use probity_research::{Code, Problem, cost::MicroUsd, query::Query, rounds::Manner};
use serde::Deserialize;

use super::{Shown, go_to};
use crate::{Shared, house::Wanted};

#[derive(Debug, Default, Deserialize)]
pub(crate) struct Typed {
    #[serde(default)]
    word: String,
    #[serde(default)]
    question: String,
    #[serde(default)]
    manner: String,
    #[serde(default)]
    budget: String,
}

impl Typed {
    fn wanted(&self) -> Result<Wanted, Problem> {
        let question = Query::parse(&self.question)?;
        let manner = manner_of(&self.manner)
            .ok_or_else(|| Problem::new(Code::InvalidArguments, "there is no such way to research"))?;
        Ok(Wanted { question, manner, budget: budget(&self.budget)? })
    }
}

/// An empty field takes the user's own setting.
fn budget(text: &str) -> Result<Option<MicroUsd>, Problem> {
    if text.trim().is_empty() {
        return Ok(None);
    }
    let wrong = || Problem::new(Code::InvalidArguments, "a budget is written in dollars, such as 2 or 0.50");
    MicroUsd::parse_usd(text).filter(|amount| amount.0 > 0).ok_or_else(wrong).map(Some)
}

const MANNERS: [(Manner, &str, &str); 3] = [
    (Manner::Search, "Quick answer", "one round, a few pages, about a minute"),
    (Manner::DeepSearch, "Deep search", "several rounds that verify each other"),
    (Manner::DeepResearch, "Deep research", "a long run with a full report"),
];

fn manner_of(name: &str) -> Option<Manner> {
    MANNERS.iter().map(|(manner, _, _)| *manner).find(|manner| manner.as_str() == name)
}

fn manners() -> Vec<Value> {
    let told = |(manner, label, about): &(Manner, &str, &str)| {
        context! { name => manner.as_str(), label => *label, about => *about }
    };
    MANNERS.iter().map(told).collect()
}

pub(crate) async fn show(State(shared): State<Shared>) -> Response {
    form(&shared, &Typed::default(), None)
}

fn form(shared: &Shared, typed: &Typed, problem: Option<&Problem>) -> Response {
    shared.render.page(
        "new.html",
        context! {
            title => "New research",
            here => "new",
            word => shared.door.form_word(),
            question => typed.question.clone(),
            manner => manner_of(&typed.manner).unwrap_or(Manner::Search).as_str(),
            manners => manners(),
            budget => typed.budget.clone(),
            problem => problem.map(|problem| problem.message.clone()),
        },
    )
}

pub(crate) async fn propose(State(shared): State<Shared>, Form(typed): Form<Typed>) -> Shown {
    if let Some(refused) = shared.refusal_of(&typed.word) {
        return Ok(refused);
    }
    let wanted = match typed.wanted() {
        Ok(wanted) => wanted,
        Err(problem) => return Ok(form(&shared, &typed, Some(&problem))),
    };
    let manner = wanted.manner;
    let proposal = shared.house.propose(wanted).await.map_err(|problem| shared.failed(problem))?;
    let label = MANNERS.iter().find(|(known, _, _)| *known == manner).map_or("", |(_, label, _)| *label);
    Ok(shared.render.page(
        "proposal.html",
        context! {
            title => "Before it starts",
            here => "new",
            word => shared.door.form_word(),
            question => typed.question.clone(),
            manner => manner.as_str(),
            label,
            budget => typed.budget.clone(),
            limit => proposal.budget.map(|limit| limit.to_string()),
            plan => proposal.plan,
            estimate => proposal.estimate.map(|estimate| context! {
                least => estimate.cost_min.to_string(),
                likely => estimate.cost_likely.to_string(),
                most => estimate.cost_max.to_string(),
                minutes_least => estimate.minutes_min,
                minutes_likely => estimate.minutes_likely,
                minutes_most => estimate.minutes_max,
                basis => estimate.basis.sentence(),
            }),
        },
    ))
}

pub(crate) async fn start(State(shared): State<Shared>, Form(typed): Form<Typed>) -> Shown {
    if let Some(refused) = shared.refusal_of(&typed.word) {
        return Ok(refused);
    }
    let wanted = typed.wanted().map_err(|problem| shared.failed(problem))?;
    let id = shared.house.start(wanted).await.map_err(|problem| shared.failed(problem))?;
    Ok(go_to(id).into_response())
}
