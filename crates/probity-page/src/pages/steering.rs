//! What the user tells a run under way: the forms of its live page.

use axum::{
    Form,
    extract::{Path, State},
};
use minijinja::{Value, context};
use probity_research::{
    Code, CodedError,
    inquiry::{FacetId, SteeringNote, steering::FacetStanding},
};
use serde::Deserialize;

use super::{PageResult, redirect_to_run};
use crate::{PageState, backend::SteeringView, view};

/// Each form has one of these fields beside the word.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct SteeringForm {
    #[serde(default)]
    word: String,
    #[serde(default)]
    add: String,
    #[serde(default)]
    drop: String,
    #[serde(default)]
    ban_site: String,
    #[serde(default)]
    page: String,
    #[serde(default)]
    finish: String,
}

/// None where nothing can be changed any more.
pub(super) fn values(steering: &SteeringView) -> Option<Value> {
    let wanted = steering.facets.iter().filter(|facet| facet.standing != FacetStanding::LeftOut);
    let parts: Vec<Value> = wanted
        .map(|facet| context! { id => facet.id.to_string(), question => view::short(&facet.question) })
        .collect();
    let said: Vec<String> = steering.notes.iter().map(|note| view::short(&note.to_string())).collect();
    steering.takes_notes.then(|| context! { parts, said })
}

pub(crate) async fn tell(
    State(shared): State<PageState>,
    Path(id): Path<String>,
    Form(pressed): Form<SteeringForm>,
) -> PageResult {
    if let Some(refused) = shared.refuse_foreign_form(&pressed.word) {
        return Ok(refused);
    }
    let id = shared.parse_id(&id)?;
    let wrong = || CodedError::new(Code::InvalidArguments, "this says nothing that could be changed");
    let note = note(&pressed).ok_or_else(|| shared.page_error(wrong()))?;
    shared.backend.steer(id, note).await.map_err(|problem| shared.page_error(problem))?;
    Ok(redirect_to_run(id))
}

fn note(pressed: &SteeringForm) -> Option<SteeringNote> {
    let given = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
    if let Some(question) = given(&pressed.add) {
        return Some(SteeringNote::AddFacet { question });
    }
    if let Some(part) = given(&pressed.drop) {
        return FacetId::parse(&part).map(|facet| SteeringNote::DropFacet { facet });
    }
    if let Some(site) = given(&pressed.ban_site) {
        return Some(SteeringNote::ban_site(&site));
    }
    if let Some(url) = given(&pressed.page) {
        return Some(SteeringNote::AddPage { url });
    }
    given(&pressed.finish).map(|_| SteeringNote::FinishNow)
}
