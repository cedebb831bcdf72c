//! The library: every run, newest first, found by its words and its state, in pages.

use axum::extract::{Query, State};
use minijinja::{Value, context};
use probity_research::{
    shelf::{ShelfPart, Tag},
    status::RunStatus,
    time::Moment,
};
use serde::Deserialize;

use super::PageResult;
use crate::{
    PageState,
    backend::{LIBRARY_PAGE_MAX, LibraryCard, LibraryQuery},
    view,
};

/// Longest search text; longer ones match nothing anyway.
const TEXT_CHARACTERS_MAX: usize = 200;
/// Pages of one library: bounds the offset that a request can ask for.
const PAGES_MAX: usize = 1_000_000;

#[derive(Debug, Deserialize)]
pub(crate) struct LibraryParams {
    #[serde(default)]
    q: String,
    #[serde(default)]
    status: String,
    #[serde(default)]
    tag: String,
    /// From 1.
    #[serde(default)]
    page: String,
}

pub(crate) async fn show(State(shared): State<PageState>, Query(asked): Query<LibraryParams>) -> PageResult {
    let text = probity_research::text::line(&asked.q, TEXT_CHARACTERS_MAX);
    let status = RunStatus::parse(&asked.status);
    let tag = Tag::parse(&asked.tag).ok();
    let page = asked.page.parse::<usize>().unwrap_or(1).clamp(1, PAGES_MAX);
    let shelf = LibraryQuery {
        text: Some(text.clone()).filter(|text| !text.is_empty()),
        status,
        tag: tag.clone(),
        part: ShelfPart::Kept,
        offset: (page - 1) * LIBRARY_PAGE_MAX,
        limit: LIBRARY_PAGE_MAX,
    };
    let found = shared.backend.library(shelf).await.map_err(|problem| shared.page_error(problem))?;
    let now = shared.backend.now();
    let pages = found.total.div_ceil(LIBRARY_PAGE_MAX).max(1);
    let address = |number: usize| address(&text, status, tag.as_ref(), number);
    Ok(shared.renderer.page(
        "library.html",
        context! {
            title => "Library",
            here => "library",
            cards => found.cards.iter().take(LIBRARY_PAGE_MAX).map(|one| card(one, now)).collect::<Vec<Value>>(),
            total => found.total,
            text => text.clone(),
            status => status.map(RunStatus::as_str),
            tag => tag.as_ref().map(Tag::as_str),
            statuses => RunStatus::ALL.iter().map(|one| view::status(*one)).collect::<Vec<Value>>(),
            page,
            pages,
            before => (page > 1).then(|| address(page - 1)),
            after => (page < pages).then(|| address(page + 1)),
        },
    ))
}

fn card(card: &LibraryCard, now: Moment) -> Value {
    let title = card.shelf.title.as_ref().map(|title| view::short(title.as_str()));
    let tags: Vec<Value> = card
        .shelf
        .tags
        .iter()
        .map(|tag| context! { name => tag.as_str(), href => address("", None, Some(tag), 1) })
        .collect();
    let purged_after = card.shelf.purged_after().map(Moment::date);
    context! { verified => card.verified, title, tags, purged_after, ..view::summary(&card.summary, now) }
}

/// What was removed and can still be restored.
pub(crate) async fn trash(State(shared): State<PageState>) -> PageResult {
    let shelf = LibraryQuery { part: ShelfPart::Removed, limit: LIBRARY_PAGE_MAX, ..LibraryQuery::default() };
    let found = shared.backend.library(shelf).await.map_err(|problem| shared.page_error(problem))?;
    let now = shared.backend.now();
    Ok(shared.renderer.page(
        "trash.html",
        context! {
            title => "Trash",
            here => "library",
            word => shared.login.form_token(),
            cards => found.cards.iter().take(LIBRARY_PAGE_MAX).map(|one| card(one, now)).collect::<Vec<Value>>(),
            total => found.total,
        },
    ))
}

/// Only letters and digits stay as they are.
fn address(text: &str, status: Option<RunStatus>, tag: Option<&Tag>, page: usize) -> String {
    let mut address = format!("/?page={page}");
    if let Some(status) = status {
        address.push_str("&status=");
        address.push_str(status.as_str());
    }
    for (name, value) in [("q", text), ("tag", tag.map_or("", Tag::as_str))] {
        if !value.is_empty() {
            address.push_str(&format!("&{name}="));
            push_encoded(&mut address, value);
        }
    }
    address
}

fn push_encoded(address: &mut String, value: &str) {
    for byte in value.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => address.push(char::from(byte)),
            other => address.push_str(&format!("%{other:02X}")),
        }
    }
}
