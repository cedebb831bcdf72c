//! A new question: typed, then shown with its price, then started. Nothing is paid before the second
//! confirmation.

use axum::{
    Form,
    extract::State,
    http::StatusCode,
    response::{IntoResponse, Response},
};
use minijinja::{Value, context};
use probity_research::{
    Code, CodedError,
    cost::MicroUsd,
    estimate::Estimate,
    plan::EngineName,
    query::Query,
    rounds::Mode,
    web::{
        StrategyLevel,
        strategy::{WORDS_MAX, WORDS_MIN, fits_words, parse_language},
    },
};
use serde::Deserialize;

use super::{PageResult, redirect_to_run};
use crate::{
    PageState,
    backend::{StartManner, UiSources, UiStartRequest},
    render::status_of,
};

#[derive(Debug, Default, Deserialize)]
pub(crate) struct StartForm {
    #[serde(default)]
    word: String,
    #[serde(default)]
    question: String,
    #[serde(default)]
    manner: String,
    #[serde(default)]
    engine: String,
    #[serde(default)]
    agent: String,
    #[serde(default)]
    budget: String,
    #[serde(default)]
    depth: String,
    #[serde(default)]
    words: String,
    #[serde(default)]
    language: String,
    #[serde(default)]
    sites: String,
    #[serde(default)]
    without_sites: String,
    #[serde(default)]
    after: String,
    #[serde(default)]
    before: String,
    #[serde(default)]
    pages: String,
    #[serde(default)]
    folder: String,
}

impl StartForm {
    /// Everything as typed, by its name in the form: shown again, and carried through the price.
    fn values(&self) -> Value {
        let fields = [
            ("question", &self.question),
            ("manner", &self.manner),
            ("engine", &self.engine),
            ("agent", &self.agent),
            ("budget", &self.budget),
            ("depth", &self.depth),
            ("words", &self.words),
            ("language", &self.language),
            ("sites", &self.sites),
            ("without_sites", &self.without_sites),
            ("after", &self.after),
            ("before", &self.before),
            ("pages", &self.pages),
            ("folder", &self.folder),
        ];
        Value::from_pairs(fields.map(|(name, value)| (name, value.clone())))
    }

    fn start_request(&self) -> Result<UiStartRequest, CodedError> {
        let question = Query::parse(&self.question)?;
        Ok(UiStartRequest {
            question,
            manner: self.start_manner()?,
            budget: budget(&self.budget)?,
            depth: depth(&self.depth)?,
            words: words(&self.words)?,
            language: language(&self.language)?,
            sources: self.sources(),
        })
    }

    fn sources(&self) -> UiSources {
        UiSources {
            sites: listed(&self.sites),
            without_sites: listed(&self.without_sites),
            after: typed(&self.after).map(str::to_owned),
            before: typed(&self.before).map(str::to_owned),
            pages: listed(&self.pages),
            // A folder's name may have spaces and commas.
            folders: typed(&self.folder).map(str::to_owned).into_iter().collect(),
        }
    }

    fn start_manner(&self) -> Result<StartManner, CodedError> {
        let choice = manner_of(&self.manner)
            .ok_or_else(|| CodedError::new(Code::InvalidArguments, "there is no such way to research"))?;
        let Some(mode) = choice.mode else {
            self.refuse_web_wishes()?;
            return Ok(StartManner::Agent { name: typed(&self.agent).map(str::to_owned) });
        };
        Ok(StartManner::Rounds { mode, engine: engine(&self.engine)? })
    }

    /// What an agent would not hear of is refused instead of left out.
    fn refuse_web_wishes(&self) -> Result<(), CodedError> {
        let wishes = [&self.engine, &self.depth, &self.words, &self.language];
        if wishes.iter().all(|wish| typed(wish).is_none()) && self.sources() == UiSources::default() {
            return Ok(());
        }
        let message = "an agent takes no engine, depth, words, language or sources: leave them empty, or choose \
                       another way";
        Err(CodedError::new(Code::InvalidArguments, message))
    }
}

/// What stands in a field, if anything does.
fn typed(text: &str) -> Option<&str> {
    Some(text.trim()).filter(|text| !text.is_empty())
}

/// Several things in one field, between commas, spaces or lines.
fn listed(text: &str) -> Vec<String> {
    let parts = text.split(|letter: char| letter == ',' || letter.is_whitespace());
    parts.filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

/// An empty field takes the user's own setting.
fn engine(text: &str) -> Result<Option<EngineName>, CodedError> {
    let wrong = || CodedError::new(Code::UnknownEngine, "there is no such engine");
    let named = |name: &str| EngineName::ALL.into_iter().find(|engine| engine.as_str() == name);
    typed(text).map(|name| named(name).ok_or_else(wrong)).transpose()
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
pub(super) fn budget(text: &str) -> Result<Option<MicroUsd>, CodedError> {
    if text.trim().is_empty() {
        return Ok(None);
    }
    let wrong =
        || CodedError::new(Code::InvalidArguments, "a budget is written in dollars, such as 2 or 0.50");
    MicroUsd::parse_usd(text).filter(|amount| amount.0 > 0).ok_or_else(wrong).map(Some)
}

/// A way to research, as the form offers it.
struct MannerChoice {
    /// The tool that does the same for clients.
    name: &'static str,
    /// None: an agent.
    mode: Option<Mode>,
    label: &'static str,
    about: &'static str,
}

const MANNERS: [MannerChoice; 4] = [
    MannerChoice {
        name: "search",
        mode: Some(Mode::Search),
        label: "Quick answer",
        about: "one round, a few pages, about a minute",
    },
    MannerChoice {
        name: "deep_search",
        mode: Some(Mode::DeepSearch),
        label: "Deep search",
        about: "several rounds that verify each other",
    },
    MannerChoice {
        name: "deep_research",
        mode: Some(Mode::DeepResearch),
        label: "Deep research",
        about: "one long answer to one prompt, as deep as it needs",
    },
    MannerChoice {
        name: "start_deep_research",
        mode: None,
        label: "Report of an agent",
        about: "a long report by Google's Deep Research agent: up to an hour, dollars, needs a Gemini key",
    },
];

fn manner_of(name: &str) -> Option<&'static MannerChoice> {
    MANNERS.iter().find(|choice| choice.name == name)
}

fn manners() -> Vec<Value> {
    let to_choice = |choice: &MannerChoice| {
        context! { name => choice.name, label => choice.label, about => choice.about }
    };
    MANNERS.iter().map(to_choice).collect()
}

fn engines() -> Vec<Value> {
    let to_choice = |engine: EngineName| context! { name => engine.as_str(), label => engine.title() };
    EngineName::ALL.into_iter().map(to_choice).collect()
}

pub(crate) async fn show(State(shared): State<PageState>) -> Response {
    form(&shared, &StartForm::default(), StatusCode::OK, None)
}

/// The form again with what was typed: to change a proposal, or to ask again what has failed.
pub(crate) async fn edit(State(shared): State<PageState>, Form(typed): Form<StartForm>) -> PageResult {
    if let Some(refused) = shared.refuse_foreign_form(&typed.word) {
        return Ok(refused);
    }
    Ok(form(&shared, &typed, StatusCode::OK, None))
}

/// What the backend refused, above what was typed, so that nothing has to be typed again.
fn refused(shared: &PageState, typed: &StartForm, problem: &CodedError) -> Response {
    form(shared, typed, status_of(problem.code), Some(problem))
}

fn form(shared: &PageState, typed: &StartForm, status: StatusCode, problem: Option<&CodedError>) -> Response {
    shared.renderer.page_with(
        status,
        "new.html",
        context! {
            title => "New research",
            here => "new",
            word => shared.login.form_token(),
            typed => typed.values(),
            manner => manner_of(&typed.manner).map_or(Mode::Search.as_str(), |choice| choice.name),
            manners => manners(),
            engines => engines(),
            agents => shared.backend.agents(),
            depths => depths(),
            has_sources => typed.sources() != UiSources::default(),
            problem => problem.map(|problem| problem.message.clone()),
            // What was typed wrong says itself how it is written.
            hint => problem
                .filter(|_| !matches!(status, StatusCode::OK | StatusCode::BAD_REQUEST))
                .map(|problem| problem.code.hint()),
        },
    )
}

pub(crate) async fn propose(State(shared): State<PageState>, Form(typed): Form<StartForm>) -> PageResult {
    if let Some(refused) = shared.refuse_foreign_form(&typed.word) {
        return Ok(refused);
    }
    let wanted = match typed.start_request() {
        Ok(wanted) => wanted,
        Err(problem) => return Ok(form(&shared, &typed, StatusCode::OK, Some(&problem))),
    };
    let choice = manner_of(&typed.manner);
    let proposal = match shared.backend.propose(wanted).await {
        Ok(proposal) => proposal,
        Err(problem) => return Ok(refused(&shared, &typed, &problem)),
    };
    Ok(shared.renderer.page(
        "proposal.html",
        context! {
            title => "Before it starts",
            here => "new",
            word => shared.login.form_token(),
            typed => typed.values(),
            label => choice.map(|choice| choice.label),
            cut => proposal.cut,
            limit => proposal.budget.map(|limit| limit.to_string()),
            plan => proposal.plan,
            estimate => proposal.estimate.map(|estimate| estimate_values(&estimate)),
        },
    ))
}

/// A price as proposals show it.
pub(super) fn estimate_values(estimate: &Estimate) -> Value {
    context! {
        least => estimate.cost_min.to_string(),
        likely => estimate.cost_likely.to_string(),
        most => estimate.cost_max.to_string(),
        minutes_least => estimate.minutes_min,
        minutes_likely => estimate.minutes_likely,
        minutes_most => estimate.minutes_max,
        basis => estimate.basis.sentence(),
    }
}

pub(crate) async fn start(State(shared): State<PageState>, Form(typed): Form<StartForm>) -> PageResult {
    if let Some(refused) = shared.refuse_foreign_form(&typed.word) {
        return Ok(refused);
    }
    let wanted = match typed.start_request() {
        Ok(wanted) => wanted,
        Err(problem) => return Ok(refused(&shared, &typed, &problem)),
    };
    Ok(match shared.backend.start(wanted).await {
        Ok(id) => redirect_to_run(id).into_response(),
        Err(problem) => refused(&shared, &typed, &problem),
    })
}
