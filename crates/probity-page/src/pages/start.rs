//! A new question: typed, then shown with its price, then started. Nothing is paid before the second
//! confirmation.

use axum::{
    Form,
    extract::State,
    response::{IntoResponse, Response},
};
use minijinja::{Value, context};
use probity_research::{
    Code, CodedError,
    cost::MicroUsd,
    query::Query,
    rounds::Mode,
    web::{
        StrategyLevel,
        strategy::{WORDS_MAX, WORDS_MIN, fits_words, parse_language},
    },
};
use serde::Deserialize;

use super::{PageResult, redirect_to_run};
use crate::{PageState, backend::UiStartRequest};

#[derive(Debug, Default, Deserialize)]
pub(crate) struct StartForm {
    #[serde(default)]
    word: String,
    #[serde(default)]
    question: String,
    #[serde(default)]
    manner: String,
    #[serde(default)]
    budget: String,
    #[serde(default)]
    depth: String,
    #[serde(default)]
    words: String,
    #[serde(default)]
    language: String,
}

impl StartForm {
    fn start_request(&self) -> Result<UiStartRequest, CodedError> {
        let question = Query::parse(&self.question)?;
        let manner = manner_of(&self.manner)
            .ok_or_else(|| CodedError::new(Code::InvalidArguments, "there is no such way to research"))?;
        Ok(UiStartRequest {
            question,
            manner,
            budget: budget(&self.budget)?,
            depth: depth(&self.depth)?,
            words: words(&self.words)?,
            language: language(&self.language)?,
        })
    }
}

/// An empty field leaves the depth to the question.
fn depth(text: &str) -> Result<Option<StrategyLevel>, CodedError> {
    let wrong = || CodedError::new(Code::InvalidArguments, "there is no such depth");
    if text.trim().is_empty() { Ok(None) } else { StrategyLevel::parse(text).ok_or_else(wrong).map(Some) }
}

fn words(text: &str) -> Result<Option<u32>, CodedError> {
    let wrong = || {
        let message = format!("words are a whole number from {WORDS_MIN} to {WORDS_MAX}");
        CodedError::new(Code::InvalidArguments, &message)
    };
    if text.trim().is_empty() {
        return Ok(None);
    }
    text.trim().parse().ok().filter(|words| fits_words(*words)).ok_or_else(wrong).map(Some)
}

fn language(text: &str) -> Result<Option<String>, CodedError> {
    let wrong = || CodedError::new(Code::InvalidArguments, "a language is named like German or pt-BR");
    if text.trim().is_empty() { Ok(None) } else { parse_language(text).ok_or_else(wrong).map(Some) }
}

/// The depths to choose from, the first of them the question's own.
const DEPTHS: [(&str, &str); 5] = [
    ("", "as the question needs"),
    ("shallow", "quick"),
    ("medium", "standard"),
    ("deep", "deep"),
    ("exhaustive", "exhaustive"),
];

fn depths() -> Vec<Value> {
    DEPTHS.iter().map(|(name, label)| context! { name => *name, label => *label }).collect()
}

/// An empty field takes the user's own setting.
fn budget(text: &str) -> Result<Option<MicroUsd>, CodedError> {
    if text.trim().is_empty() {
        return Ok(None);
    }
    let wrong =
        || CodedError::new(Code::InvalidArguments, "a budget is written in dollars, such as 2 or 0.50");
    MicroUsd::parse_usd(text).filter(|amount| amount.0 > 0).ok_or_else(wrong).map(Some)
}

const MANNERS: [(Mode, &str, &str); 3] = [
    (Mode::Search, "Quick answer", "one round, a few pages, about a minute"),
    (Mode::DeepSearch, "Deep search", "several rounds that verify each other"),
    (
        Mode::DeepResearch,
        "Deep research",
        "one long answer to one prompt, as deep as it needs; the report of an agent starts with probity research",
    ),
];

fn manner_of(name: &str) -> Option<Mode> {
    MANNERS.iter().map(|(manner, _, _)| *manner).find(|manner| manner.as_str() == name)
}

fn manners() -> Vec<Value> {
    let to_choice = |(manner, label, about): &(Mode, &str, &str)| {
        context! { name => manner.as_str(), label => *label, about => *about }
    };
    MANNERS.iter().map(to_choice).collect()
}

pub(crate) async fn show(State(shared): State<PageState>) -> Response {
    form(&shared, &StartForm::default(), None)
}

fn form(shared: &PageState, typed: &StartForm, problem: Option<&CodedError>) -> Response {
    shared.renderer.page(
        "new.html",
        context! {
            title => "New research",
            here => "new",
            word => shared.login.form_token(),
            question => typed.question.clone(),
            manner => manner_of(&typed.manner).unwrap_or(Mode::Search).as_str(),
            manners => manners(),
            budget => typed.budget.clone(),
            depth => typed.depth.clone(),
            depths => depths(),
            words => typed.words.clone(),
            language => typed.language.clone(),
            problem => problem.map(|problem| problem.message.clone()),
        },
    )
}

pub(crate) async fn propose(State(shared): State<PageState>, Form(typed): Form<StartForm>) -> PageResult {
    if let Some(refused) = shared.refuse_foreign_form(&typed.word) {
        return Ok(refused);
    }
    let wanted = match typed.start_request() {
        Ok(wanted) => wanted,
        Err(problem) => return Ok(form(&shared, &typed, Some(&problem))),
    };
    let manner = wanted.manner;
    let proposal = shared.backend.propose(wanted).await.map_err(|problem| shared.page_error(problem))?;
    let label = MANNERS.iter().find(|(known, _, _)| *known == manner).map_or("", |(_, label, _)| *label);
    Ok(shared.renderer.page(
        "proposal.html",
        context! {
            title => "Before it starts",
            here => "new",
            word => shared.login.form_token(),
            question => typed.question.clone(),
            manner => manner.as_str(),
            label,
            budget => typed.budget.clone(),
            depth => typed.depth.clone(),
            words => typed.words.clone(),
            language => typed.language.clone(),
            cut => proposal.cut,
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

pub(crate) async fn start(State(shared): State<PageState>, Form(typed): Form<StartForm>) -> PageResult {
    if let Some(refused) = shared.refuse_foreign_form(&typed.word) {
        return Ok(refused);
    }
    let wanted = typed.start_request().map_err(|problem| shared.page_error(problem))?;
    let id = shared.backend.start(wanted).await.map_err(|problem| shared.page_error(problem))?;
    Ok(redirect_to_run(id).into_response())
}
