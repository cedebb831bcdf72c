//! The library: every run, newest first, found by its words and its state, in pages.

use axum::extract::{Query, State};
use minijinja::{Value, context};
use probity_research::{status::RunStatus, time::Moment};
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
    /// From 1.
    #[serde(default)]
    page: String,
}

pub(crate) async fn show(State(shared): State<PageState>, Query(asked): Query<LibraryParams>) -> PageResult {
    let text = probity_research::text::line(&asked.q, TEXT_CHARACTERS_MAX);
    let status = RunStatus::parse(&asked.status);
    let page = asked.page.parse::<usize>().unwrap_or(1).clamp(1, PAGES_MAX);
    let shelf = LibraryQuery {
        text: Some(text.clone()).filter(|text| !text.is_empty()),
        status,
        offset: (page - 1) * LIBRARY_PAGE_MAX,
        limit: LIBRARY_PAGE_MAX,
    };
    let found = shared.backend.library(shelf).await.map_err(|problem| shared.page_error(problem))?;
    let now = shared.backend.now();
    let pages = found.total.div_ceil(LIBRARY_PAGE_MAX).max(1);
    let address = |number: usize| address(&text, status, number);
    Ok(shared.renderer.page(
        "library.html",
        context! {
            title => "Library",
            here => "library",
            cards => found.cards.iter().take(LIBRARY_PAGE_MAX).map(|one| card(one, now)).collect::<Vec<Value>>(),
            total => found.total,
            text => text.clone(),
            status => status.map(RunStatus::as_str),
            statuses => RunStatus::ALL.iter().map(|one| view::status(*one)).collect::<Vec<Value>>(),
            page,
            pages,
            before => (page > 1).then(|| address(page - 1)),
            after => (page < pages).then(|| address(page + 1)),
        },
    ))
}

fn card(card: &LibraryCard, now: Moment) -> Value {
    context! { verified => card.verified, ..view::summary(&card.summary, now) }
}

/// Only letters and digits stay as they are.
fn address(text: &str, status: Option<RunStatus>, page: usize) -> String {
    let mut address = format!("/?page={page}");
    if let Some(status) = status {
        address.push_str("&status=");
        address.push_str(status.as_str());
    }
    if !text.is_empty() {
        address.push_str("&q=");
        for byte in text.bytes() {
            match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => address.push(char::from(byte)),
                other => address.push_str(&format!("%{other:02X}")),
            }
        }
    }
    address
}
