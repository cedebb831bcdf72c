//! Order in the library: title and tags of a run, its removal with a page that says what that takes away, and the way
//! back. Plain forms; what is removed lies in the trash.

use axum::{
    Form,
    extract::{Path, State},
    response::{IntoResponse, Redirect},
};
use minijinja::{Value, context};
use probity_research::shelf::{ShelfEntry, TagEdit, Title};
use serde::Deserialize;

use super::{PageResult, redirect_to_run};
use crate::PageState;

#[derive(Debug, Deserialize)]
pub(crate) struct ShelfForm {
    #[serde(default)]
    word: String,
    #[serde(default)]
    title: String,
    #[serde(default)]
    tags: String,
}

pub(super) fn values(entry: &ShelfEntry) -> Value {
    context! {
        title => entry.title.as_ref().map(|title| title.as_str().to_owned()),
        tags => entry.tags.iter().map(|tag| tag.as_str().to_owned()).collect::<Vec<String>>(),
    }
}

pub(crate) async fn rename(
    State(shared): State<PageState>,
    Path(id): Path<String>,
    Form(typed): Form<ShelfForm>,
) -> PageResult {
    if let Some(refused) = shared.refuse_foreign_form(&typed.word) {
        return Ok(refused);
    }
    let id = shared.parse_id(&id)?;
    let title = match typed.title.trim() {
        "" => None,
        text => Some(Title::parse(text).map_err(|problem| shared.page_error(problem))?),
    };
    shared.backend.rename(id, title).await.map_err(|problem| shared.page_error(problem))?;
    Ok(redirect_to_run(id))
}

pub(crate) async fn retag(
    State(shared): State<PageState>,
    Path(id): Path<String>,
    Form(typed): Form<ShelfForm>,
) -> PageResult {
    if let Some(refused) = shared.refuse_foreign_form(&typed.word) {
        return Ok(refused);
    }
    let id = shared.parse_id(&id)?;
    let edit = TagEdit::parse_list(&typed.tags).map_err(|problem| shared.page_error(problem))?;
    shared.backend.edit_tags(id, edit).await.map_err(|problem| shared.page_error(problem))?;
    Ok(redirect_to_run(id))
}

/// Says what would be removed; removes nothing.
pub(crate) async fn confirm(State(shared): State<PageState>, Path(id): Path<String>) -> PageResult {
    let id = shared.parse_id(&id)?;
    let lines = shared.backend.removal_notice(id).await.map_err(|problem| shared.page_error(problem))?;
    Ok(shared.renderer.page(
        "remove.html",
        context! {
            title => "Remove this research?",
            here => "research",
            word => shared.login.form_token(),
            id => id.to_string(),
            lines,
        },
    ))
}

pub(crate) async fn remove(
    State(shared): State<PageState>,
    Path(id): Path<String>,
    Form(pressed): Form<ShelfForm>,
) -> PageResult {
    if let Some(refused) = shared.refuse_foreign_form(&pressed.word) {
        return Ok(refused);
    }
    let id = shared.parse_id(&id)?;
    shared.backend.remove(id).await.map_err(|problem| shared.page_error(problem))?;
    Ok(Redirect::to("/trash").into_response())
}

pub(crate) async fn restore(
    State(shared): State<PageState>,
    Path(id): Path<String>,
    Form(pressed): Form<ShelfForm>,
) -> PageResult {
    if let Some(refused) = shared.refuse_foreign_form(&pressed.word) {
        return Ok(refused);
    }
    let id = shared.parse_id(&id)?;
    shared.backend.restore(id).await.map_err(|problem| shared.page_error(problem))?;
    Ok(redirect_to_run(id))
}
