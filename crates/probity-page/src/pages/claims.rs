//! The claims of a report as a list that can be filtered without a script, and each with its whole evidence.

use std::sync::Arc;

use axum::{
    extract::{Path, Query, State},
    response::{Html, IntoResponse},
};
use minijinja::{Value, context};
use probity_report::{
    ReportDocument,
    document::{DisplayVerdict, ReportClaim},
};
use probity_research::{Code, CodedError, RunId};
use serde::Deserialize;

use super::{PageError, PageResult};
use crate::{PageState, view};

/// Claims on one page of the list.
const CLAIMS_MAX: usize = 100;
/// Bounds the claims that a request can skip.
const PAGES_MAX: usize = 10_000;

#[derive(Debug, Deserialize)]
pub(crate) struct ClaimListParams {
    #[serde(default)]
    verdict: String,
    /// Number of a source; anything else is every source.
    #[serde(default)]
    source: String,
    /// From 1.
    #[serde(default)]
    page: String,
}

async fn document(shared: &PageState, id: RunId) -> Result<Arc<ReportDocument>, PageError> {
    let found = shared.backend.document(id).await.map_err(|problem| shared.page_error(problem))?;
    let nothing = || CodedError::new(Code::NotFinished, "there is no text yet whose claims could be shown");
    found.ok_or_else(|| shared.page_error(nothing()))
}

pub(crate) async fn list(
    State(shared): State<PageState>,
    Path(id): Path<String>,
    Query(asked): Query<ClaimListParams>,
) -> PageResult {
    let id = shared.parse_id(&id)?;
    let document = document(&shared, id).await?;
    let wanted = DisplayVerdict::ALL.into_iter().find(|verdict| verdict.name() == asked.verdict);
    let page = asked.page.parse::<usize>().unwrap_or(1).clamp(1, PAGES_MAX);
    let source = asked.source.parse::<u32>().ok().filter(|number| document.source(*number).is_some());
    let fits = |claim: &&ReportClaim| {
        wanted.is_none_or(|wanted| claim.verdict == wanted)
            && source.is_none_or(|source| claim.cites.contains(&source))
    };
    // What needs attention first; repeats and the like behind everything else.
    let grouped = document.groups().into_iter().flat_map(|(_, claims)| claims);
    let others = document.checkable().filter(|claim| claim.group.is_none());
    let fitting: Vec<&ReportClaim> = grouped.chain(others).filter(fits).collect();
    let total = fitting.len();
    let pages = total.div_ceil(CLAIMS_MAX).max(1);
    let shown = fitting.into_iter().skip((page - 1) * CLAIMS_MAX).take(CLAIMS_MAX);
    let verdict = wanted.map_or("", DisplayVerdict::name);
    let of_source = source.map(|number| format!("&source={number}")).unwrap_or_default();
    let address = |number: usize| format!("/research/{id}/claims?verdict={verdict}{of_source}&page={number}");
    Ok(shared.renderer.page(
        "claims.html",
        context! {
            title => format!("Claims: {}", view::short(&document.title)),
            here => "research",
            id => id.to_string(),
            headline => view::short(&document.title),
            claims => shown.map(|claim| view::document::claim_line(&document, claim)).collect::<Vec<Value>>(),
            counts => view::document::counts(&document),
            outcome => view::document::outcome(&document),
            sources => view::document::source_lines(&document),
            source,
            verdict,
            total,
            page,
            pages,
            before => (page > 1).then(|| address(page - 1)),
            after => (page < pages).then(|| address(page + 1)),
        },
    ))
}

pub(crate) async fn one(
    State(shared): State<PageState>,
    Path((id, claim)): Path<(String, String)>,
) -> PageResult {
    let id = shared.parse_id(&id)?;
    let document = document(&shared, id).await?;
    let nowhere = || CodedError::new(Code::NotFound, "the report has no such claim");
    let claim = document.claim(&claim).ok_or_else(|| shared.page_error(nowhere()))?;
    Ok(shared.renderer.page(
        "claim.html",
        context! {
            title => format!("{}: {}", claim.id, view::short(&claim.words)),
            here => "research",
            id => id.to_string(),
            headline => view::short(&document.title),
            claim => view::document::claim(&document, claim),
        },
    ))
}

#[derive(Debug, Deserialize)]
pub(crate) struct ClaimCardParams {
    #[serde(default)]
    claim: String,
}

/// One card of a report that is too long to contain them: the reader's script loads it when it is opened.
pub(crate) async fn card(
    State(shared): State<PageState>,
    Path(id): Path<String>,
    Query(wanted): Query<ClaimCardParams>,
) -> PageResult {
    let id = shared.parse_id(&id)?;
    let document = document(&shared, id).await?;
    let nowhere = || CodedError::new(Code::NotFound, "the report has no such claim");
    let claim = document.claim(&wanted.claim).ok_or_else(|| shared.page_error(nowhere()))?;
    Ok(Html(view::document::card(&document, claim)).into_response())
}
