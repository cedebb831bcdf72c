//! One run: its live view while it is under way, the reader when there is a text; its forms and its files.

use axum::{
    Form,
    extract::{Path, State},
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use minijinja::{Value, context};
use probity_report::{ReportDocument, ReportFormat};
use probity_research::{Code, CodedError, RunId, cost::MicroUsd, shelf::ShelfEntry};
use serde::Deserialize;

use super::{PageResult, redirect_to_run};
use crate::{
    PageState,
    backend::{ChangedVerdict, ReportDownload, RunView},
    live, render, view,
};

/// Longest name of a downloaded file.
const FILENAME_CHARACTERS_MAX: usize = 120;
/// Changed verdicts that are shown above a report.
const CHANGES_MAX: usize = 50;

pub(crate) async fn show(State(shared): State<PageState>, Path(id): Path<String>) -> PageResult {
    let id = shared.parse_id(&id)?;
    let present = shared.backend.run_view(id).await.map_err(|problem| shared.page_error(problem))?;
    if !present.summary.status.is_final() {
        return Ok(running(&shared, &present, None));
    }
    let document = shared.backend.document(id).await.map_err(|problem| shared.page_error(problem))?;
    let entry = shared.backend.shelf_entry(id).await.map_err(|problem| shared.page_error(problem))?;
    let changes = shared.backend.changed_verdicts(id).await.map_err(|problem| shared.page_error(problem))?;
    Ok(match document {
        Some(document) => reader(&shared, &present, &document, &entry, changes.as_deref()),
        None => running(&shared, &present, Some(&entry)),
    })
}

/// What can be said of it belongs to one that has ended.
fn running(shared: &PageState, present: &RunView, entry: Option<&ShelfEntry>) -> Response {
    shared.renderer.page(
        "running.html",
        context! {
            title => view::short(&present.summary.query),
            here => "research",
            word => shared.login.form_token(),
            sequence => present.sequence.0,
            budget => present.budget.map(|budget| view::bound(budget, present.budget_is_set)),
            suggested => suggested(present.budget),
            steering => super::steering::values(&present.steering),
            shelf => entry.map(super::shelf::values),
            ..live::live_values(present, shared.backend.now())
        },
    )
}

/// Twice the budget, in plain dollars, as the form's first guess.
fn suggested(budget: Option<MicroUsd>) -> Option<String> {
    let doubled = budget?.0.saturating_mul(2);
    Some(format!("{}.{:02}", doubled / 1_000_000, doubled % 1_000_000 / 10_000))
}

/// With what changed, where it is the check of an earlier report.
fn reader(
    shared: &PageState,
    present: &RunView,
    document: &ReportDocument,
    entry: &ShelfEntry,
    changes: Option<&[ChangedVerdict]>,
) -> Response {
    // Of a check that is a check already, the report is checked again: a row of checks has one beginning.
    let checked = present.summary.follows.filter(|_| changes.is_some()).unwrap_or(present.summary.id);
    let (fragments, fullness) = view::document::reader(document);
    let claims = document.claims.iter().filter(|claim| claim.group.is_some()).count();
    shared.renderer.page(
        "reader.html",
        context! {
            title => view::short(&document.title),
            here => "research",
            word => shared.login.form_token(),
            summary => view::summary(&present.summary, shared.backend.now()),
            all_claims => view::document::all_claims(claims),
            shelf => super::shelf::values(entry),
            checked_report => checked.to_string(),
            changes => changes.map(changed_rows),
            unshown => changes.map_or(0, |changes| changes.len().saturating_sub(CHANGES_MAX)),
            // Made by our own renderer, which escapes foreign text.
            outline => Value::from_safe_string(fragments.outline),
            prose => Value::from_safe_string(fragments.prose),
            evidence => Value::from_safe_string(fragments.evidence),
            charts => Value::from_safe_string(fragments.charts),
            lazy => fullness == view::document::EvidenceDetail::Bare,
            whole => fullness == view::document::EvidenceDetail::Whole,
            formats => formats(present.summary.id),
            // A further question is answered from stored pages: without one there is nothing to ask.
            has_pages => document.sources.iter().any(|source| source.snapshot.is_some()),
        },
    )
}

fn changed_rows(changes: &[ChangedVerdict]) -> Vec<Value> {
    let to_row = |change: &ChangedVerdict| {
        context! {
            claim => change.claim.clone(),
            words => view::short(&change.words),
            before => change.before.clone(),
            now => change.now.clone(),
            difference => change.difference.clone(),
        }
    };
    changes.iter().take(CHANGES_MAX).map(to_row).collect()
}

fn formats(id: RunId) -> Vec<Value> {
    let to_link = |format: &ReportFormat| {
        context! { name => format.as_str(), href => format!("/research/{id}/report.{}", format.extension()) }
    };
    ReportFormat::ALL.iter().map(to_link).collect()
}

#[derive(Debug, Deserialize)]
pub(crate) struct RunActionForm {
    #[serde(default)]
    word: String,
    #[serde(default)]
    budget: String,
}

pub(crate) async fn cancel(
    State(shared): State<PageState>,
    Path(id): Path<String>,
    Form(pressed): Form<RunActionForm>,
) -> PageResult {
    if let Some(refused) = shared.refuse_foreign_form(&pressed.word) {
        return Ok(refused);
    }
    let id = shared.parse_id(&id)?;
    shared.backend.cancel(id).await.map_err(|problem| shared.page_error(problem))?;
    Ok(redirect_to_run(id))
}

pub(crate) async fn extend(
    State(shared): State<PageState>,
    Path(id): Path<String>,
    Form(pressed): Form<RunActionForm>,
) -> PageResult {
    if let Some(refused) = shared.refuse_foreign_form(&pressed.word) {
        return Ok(refused);
    }
    let id = shared.parse_id(&id)?;
    let wrong =
        || CodedError::new(Code::InvalidArguments, "a budget is written in dollars, such as 2 or 0.50");
    let to = MicroUsd::parse_usd(&pressed.budget).filter(|to| to.0 > 0);
    let to = to.ok_or_else(|| shared.page_error(wrong()))?;
    shared.backend.extend_budget(id, to).await.map_err(|problem| shared.page_error(problem))?;
    Ok(redirect_to_run(id))
}

pub(crate) async fn download(
    State(shared): State<PageState>,
    Path((id, file)): Path<(String, String)>,
) -> PageResult {
    let id = shared.parse_id(&id)?;
    let format = file.strip_prefix("report.").and_then(|extension| extension.parse::<ReportFormat>().ok());
    let nowhere = || CodedError::new(Code::NotFound, "there is no such file");
    let format = format.ok_or_else(|| shared.page_error(nowhere()))?;
    let file = shared.backend.download(id, format).await.map_err(|problem| shared.page_error(problem))?;
    Ok(as_file(file))
}

/// Always saved, never shown: a report's own HTML must not become a page of ours.
fn as_file(file: ReportDownload) -> Response {
    let kept = |letter: &char| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '-' | '_');
    let name: String = file.filename.chars().filter(kept).take(FILENAME_CHARACTERS_MAX).collect();
    let name = name.trim_start_matches('.');
    let Ok(disposition) = HeaderValue::from_str(&format!("attachment; filename=\"{name}\"")) else {
        return render::refusal(StatusCode::INTERNAL_SERVER_ERROR, "This file has no name that can be sent.");
    };
    let mut response = ([(header::CONTENT_TYPE, file.media_type)], file.bytes).into_response();
    response.headers_mut().insert(header::CONTENT_DISPOSITION, disposition);
    response
}
