//! A further question below a report: typed, then shown with its price, then started. As with a new question, nothing is
//! paid before the second confirmation.

use axum::{
    Form,
    extract::{Path, State},
};
use minijinja::context;
use probity_research::{CodedError, RunId, query::Query, web::parent::FollowUpKind};
use serde::Deserialize;

use super::{PageResult, redirect_to_run, start};
use crate::{PageState, backend::UiFollowUp};

#[derive(Debug, Deserialize)]
pub(crate) struct FollowUpForm {
    #[serde(default)]
    word: String,
    #[serde(default)]
    question: String,
    /// Empty: answered from the stored pages.
    #[serde(default)]
    search: String,
    #[serde(default)]
    budget: String,
}

impl FollowUpForm {
    fn request(&self, parent: RunId) -> Result<UiFollowUp, CodedError> {
        Ok(UiFollowUp {
            parent,
            question: Query::parse(&self.question)?,
            kind: if self.search.is_empty() { FollowUpKind::Ask } else { FollowUpKind::Search },
            budget: start::budget(&self.budget)?,
        })
    }
}

pub(crate) async fn propose(
    State(shared): State<PageState>,
    Path(id): Path<String>,
    Form(typed): Form<FollowUpForm>,
) -> PageResult {
    if let Some(refused) = shared.refuse_foreign_form(&typed.word) {
        return Ok(refused);
    }
    let id = shared.parse_id(&id)?;
    let wanted = typed.request(id).map_err(|problem| shared.page_error(problem))?;
    let label = match wanted.kind {
        FollowUpKind::Ask => "Answer from the pages that were read",
        FollowUpKind::Search => "A new search that begins with what was read",
    };
    let proposal =
        shared.backend.propose_follow_up(wanted).await.map_err(|problem| shared.page_error(problem))?;
    Ok(shared.renderer.page(
        "follow_up.html",
        context! {
            title => "Before it starts",
            here => "research",
            word => shared.login.form_token(),
            parent => id.to_string(),
            question => typed.question,
            search => typed.search,
            budget => typed.budget,
            label => label,
            cut => proposal.cut,
            limit => proposal.budget.map(|limit| limit.to_string()),
            plan => proposal.plan,
            estimate => proposal.estimate.map(|estimate| start::estimate_values(&estimate)),
        },
    ))
}

pub(crate) async fn begin(
    State(shared): State<PageState>,
    Path(id): Path<String>,
    Form(typed): Form<FollowUpForm>,
) -> PageResult {
    if let Some(refused) = shared.refuse_foreign_form(&typed.word) {
        return Ok(refused);
    }
    let id = shared.parse_id(&id)?;
    let wanted = typed.request(id).map_err(|problem| shared.page_error(problem))?;
    let started =
        shared.backend.start_follow_up(wanted).await.map_err(|problem| shared.page_error(problem))?;
    Ok(redirect_to_run(started))
}
