//! A text, a page or a report of one's own checked against the pages that it cites: typed, shown with its price if it has
//! one, then started.

use axum::{
    Form,
    extract::State,
    http::StatusCode,
    response::{IntoResponse, Response},
};
use minijinja::context;
use probity_research::{Code, CodedError, cost::MicroUsd};
use serde::Deserialize;

use super::{PageResult, redirect_to_run, start};
use crate::{
    PageState,
    backend::{CheckSubject, PlanProposal, UiCheck},
    render::status_of,
};

/// A long report many times over; what is longer goes through `probity verify`.
pub(crate) const TEXT_BYTES_MAX: usize = 1024 * 1024;

#[derive(Debug, Default, Deserialize)]
pub(crate) struct CheckForm {
    #[serde(default)]
    word: String,
    #[serde(default)]
    text: String,
    #[serde(default)]
    address: String,
    /// The run whose report is checked again.
    #[serde(default)]
    report: String,
    /// Anything in it: rules alone.
    #[serde(default)]
    rules: String,
    #[serde(default)]
    budget: String,
}

impl CheckForm {
    fn request(&self) -> Result<UiCheck, CodedError> {
        Ok(UiCheck {
            subject: self.subject()?,
            by_rules_only: !self.rules.is_empty(),
            budget: start::budget(&self.budget)?,
        })
    }

    fn subject(&self) -> Result<CheckSubject, CodedError> {
        let wrong = |message: &str| Err(CodedError::new(Code::InvalidArguments, message));
        let given = (self.report.trim(), self.address.trim(), self.text.trim());
        match given {
            ("", "", "") => wrong("there is nothing to check: give a text or the address of a page"),
            ("", "", _) if self.text.len() > TEXT_BYTES_MAX => wrong(&format!(
                "the text has {} bytes; at most {TEXT_BYTES_MAX} are taken here: use `probity verify FILE`",
                self.text.len()
            )),
            ("", "", _) => Ok(CheckSubject::Text(self.text.replace("\r\n", "\n"))),
            ("", address, "") if is_address(address) => Ok(CheckSubject::Address(address.to_owned())),
            ("", _, "") => wrong("an address begins with https:// or http://"),
            ("", _, _) => wrong("give either a text or an address, not both"),
            (report, ..) => match report.parse() {
                Ok(id) => Ok(CheckSubject::Report(id)),
                Err(_) => Err(CodedError::new(Code::NotFound, "there is no such research")),
            },
        }
    }
}

fn is_address(text: &str) -> bool {
    ["https://", "http://"].iter().any(|scheme| text.starts_with(scheme))
}

pub(crate) async fn show(State(shared): State<PageState>) -> Response {
    form(&shared, &CheckForm::default(), StatusCode::OK, None)
}

fn form(shared: &PageState, typed: &CheckForm, status: StatusCode, problem: Option<&CodedError>) -> Response {
    shared.renderer.page_with(
        status,
        "check.html",
        context! {
            title => "Check a text",
            here => "check",
            word => shared.login.form_token(),
            text => typed.text.clone(),
            address => typed.address.clone(),
            rules => !typed.rules.is_empty(),
            budget => typed.budget.clone(),
            problem => problem.map(|problem| problem.message.clone()),
            hint => problem.filter(|_| status != StatusCode::OK).map(|problem| problem.code.hint()),
        },
    )
}

fn is_free(proposal: &PlanProposal) -> bool {
    proposal.estimate.is_some_and(|estimate| estimate.cost_max == MicroUsd(0))
}

/// What costs nothing is started at once: there is nothing to agree to.
pub(crate) async fn propose(State(shared): State<PageState>, Form(typed): Form<CheckForm>) -> PageResult {
    if let Some(refused) = shared.refuse_foreign_form(&typed.word) {
        return Ok(refused);
    }
    let wanted = match typed.request() {
        Ok(wanted) => wanted,
        Err(problem) => return refused(&shared, &typed, problem, StatusCode::OK),
    };
    let proposal = match shared.backend.propose_check(wanted.clone()).await {
        Ok(proposal) if is_free(&proposal) => return begin(&shared, &typed, wanted).await,
        Ok(proposal) => proposal,
        Err(problem) => {
            let status = status_of(problem.code);
            return refused(&shared, &typed, problem, status);
        }
    };
    Ok(shared.renderer.page(
        "check_price.html",
        context! {
            title => "Before it starts",
            here => "check",
            word => shared.login.form_token(),
            text => typed.text,
            address => typed.address,
            report => typed.report,
            budget => typed.budget,
            label => "Check",
            cut => proposal.cut,
            limit => proposal.budget.map(|limit| limit.to_string()),
            plan => proposal.plan,
            estimate => proposal.estimate.map(|estimate| start::estimate_values(&estimate)),
        },
    ))
}

pub(crate) async fn start(State(shared): State<PageState>, Form(typed): Form<CheckForm>) -> PageResult {
    if let Some(refused) = shared.refuse_foreign_form(&typed.word) {
        return Ok(refused);
    }
    match typed.request() {
        Ok(wanted) => begin(&shared, &typed, wanted).await,
        Err(problem) => refused(&shared, &typed, problem, StatusCode::OK),
    }
}

async fn begin(shared: &PageState, typed: &CheckForm, wanted: UiCheck) -> PageResult {
    match shared.backend.start_check(wanted).await {
        Ok(id) => Ok(redirect_to_run(id).into_response()),
        Err(problem) => {
            let status = status_of(problem.code);
            refused(shared, typed, problem, status)
        }
    }
}

/// Above what was typed, so that nothing has to be typed again; a report has no form.
fn refused(shared: &PageState, typed: &CheckForm, problem: CodedError, status: StatusCode) -> PageResult {
    match typed.report.is_empty() {
        true => Ok(form(shared, typed, status, Some(&problem))),
        false => Err(shared.page_error(problem)),
    }
}
