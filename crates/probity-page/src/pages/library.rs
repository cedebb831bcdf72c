//! The library: every research, newest first, found by its words and its state, in pages.

use axum::extract::{Query, State};
use minijinja::{Value, context};
use probity_research::{status::Status, time::Moment};
use serde::Deserialize;

use super::Shown;
use crate::{
    Shared,
    house::{Card, SHELF_MAX, Shelf},
    view,
};

/// Longest search text; longer ones match nothing anyway.
const TEXT_CHARACTERS_MAX: usize = 200;
/// Pages of one library: bounds the offset that a request can ask for.
const PAGES_MAX: usize = 1_000_000;

#[derive(Debug, Deserialize)]
pub(crate) struct Asked {
    #[serde(default)]
    q: String,
    #[serde(default)]
    status: String,
    /// From 1.
    #[serde(default)]
    page: String,
}

pub(crate) async fn show(State(shared): State<Shared>, Query(asked): Query<Asked>) -> Shown {
    let text = probity_research::text::line(&asked.q, TEXT_CHARACTERS_MAX);
    let status = Status::parse(&asked.status);
    let page = asked.page.parse::<usize>().unwrap_or(1).clamp(1, PAGES_MAX);
    let shelf = Shelf {
        text: Some(text.clone()).filter(|text| !text.is_empty()),
        status,
        offset: (page - 1) * SHELF_MAX,
        limit: SHELF_MAX,
    };
    let found = shared.house.library(shelf).await.map_err(|problem| shared.failed(problem))?;
    let now = shared.house.now();
    let pages = found.total.div_ceil(SHELF_MAX).max(1);
    let address = |number: usize| address(&text, status, number);
    Ok(shared.render.page(
        "library.html",
        context! {
            title => "Library",
            here => "library",
            cards => found.cards.iter().take(SHELF_MAX).map(|one| card(one, now)).collect::<Vec<Value>>(),
            total => found.total,
            text => text.clone(),
            status => status.map(Status::as_str),
            statuses => Status::ALL.iter().map(|one| view::status(*one)).collect::<Vec<Value>>(),
            page,
            pages,
            before => (page > 1).then(|| address(page - 1)),
            after => (page < pages).then(|| address(page + 1)),
        },
    ))
}

fn card(card: &Card, now: Moment) -> Value {
    context! { verified => card.verified, ..view::summary(&card.summary, now) }
}

/// Only letters and digits stay as they are.
fn address(text: &str, status: Option<Status>, page: usize) -> String {
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
