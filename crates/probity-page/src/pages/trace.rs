//! The trace: what was done when, how long it took, what it cost, how often it was tried.

use axum::extract::{Path, Query, State};
use minijinja::context;
use serde::Deserialize;

use super::PageResult;
use crate::{
    PageState,
    view::{
        self,
        steps::{TRACE_ROWS_MAX, totals, waterfall},
    },
};

/// Bounds the rows that a request can skip.
const PAGES_MAX: usize = 1_000;

#[derive(Debug, Deserialize)]
pub(crate) struct TraceParams {
    /// From 1.
    #[serde(default)]
    page: String,
}

pub(crate) async fn show(
    State(shared): State<PageState>,
    Path(id): Path<String>,
    Query(asked): Query<TraceParams>,
) -> PageResult {
    let id = shared.parse_id(&id)?;
    let present = shared.backend.run_view(id).await.map_err(|problem| shared.page_error(problem))?;
    let now = shared.backend.now();
    let page = asked.page.parse::<usize>().unwrap_or(1).clamp(1, PAGES_MAX);
    let (rows, total) = waterfall(&present.trace, now, page - 1);
    let pages = total.div_ceil(TRACE_ROWS_MAX).max(1);
    let address = |number: usize| format!("/research/{id}/trace?page={number}");
    Ok(shared.renderer.page(
        "trace.html",
        context! {
            title => format!("Trace: {}", view::short(&present.summary.query)),
            here => "research",
            summary => view::summary(&present.summary, now),
            rows,
            total,
            page,
            pages,
            before => (page > 1).then(|| address(page - 1)),
            after => (page < pages).then(|| address(page + 1)),
            took => view::duration(present.trace.elapsed_ms(now)),
            cost => view::cost(present.trace.cost),
            by_kind => totals(&present.trace.by_kind, |kind| kind.as_str().replace('-', " ")),
            by_provider => totals(&present.trace.by_provider, Clone::clone),
        },
    ))
}
