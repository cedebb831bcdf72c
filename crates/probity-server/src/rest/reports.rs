//! The results of a run: the report in pages or as Markdown, and the evidence behind it.

use std::sync::Arc;

use axum::{
    Extension, Json,
    extract::{Path, Query, State, rejection::QueryRejection},
    http::{HeaderMap, HeaderValue, header},
    response::{IntoResponse as _, Response},
    routing,
};
use probity_research::{report::Report, scope::KeyScope, status::RunSummary};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::{
    ApiOperation, RestApi, RouteHandler, operation::HttpVerb, problem::ApiError, runs::parse_query,
    wire::ReportBody,
};
use crate::{
    http::CallerIdentity,
    markdown::{MarkdownPage, MetadataVisibility, SourceListVisibility},
    outline, resources,
    results::{REPORT_CHARACTERS, RunResults, clean_text},
    tools::get_research_results::not_finished,
};

const MARKDOWN: &str = "text/markdown";
const MARKDOWN_UTF8: HeaderValue = HeaderValue::from_static("text/markdown; charset=utf-8");
/// Most characters of a report in one answer; the complete report is there as Markdown.
const CHARACTERS_MAX: usize = 200_000;
const CHARACTERS_MIN: usize = 500;

pub(super) fn routes() -> Vec<(ApiOperation, RouteHandler)> {
    vec![
        (
            ApiOperation::new(
                HttpVerb::Get,
                "/v1/researches/{id}/report",
                "getReport",
                KeyScope::Read,
                "The report: a page of it as JSON, or the whole as Markdown",
            )
            .query("cursor", "string", "A page or section, from an earlier answer")
            .query("max_chars", "integer", "500 to 200000")
            .gives::<ReportBody>(200, "By `Accept`")
            .gives_as::<String>(200, "By `Accept`", MARKDOWN),
            routing::get(report),
        ),
        (
            ApiOperation::new(
                HttpVerb::Get,
                "/v1/researches/{id}/evidence",
                "getEvidence",
                KeyScope::Read,
                "Every claim with its verdict, and what it rests on",
            )
            .gives::<Map<String, Value>>(200, "The ledger"),
            routing::get(evidence),
        ),
    ]
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ReportParams {
    cursor: Option<String>,
    max_chars: Option<usize>,
}

async fn report(
    State(rest): State<Arc<RestApi>>,
    Extension(admitted): Extension<CallerIdentity>,
    Path(id): Path<String>,
    query: Result<Query<ReportParams>, QueryRejection>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let input = parse_query(query)?;
    let summary = rest.find(&admitted, &id).await?;
    let report = require_report(&rest, &summary).await?;
    let now = rest.mcp_server.backend().now();
    if wants_markdown(&headers) {
        let page = MarkdownPage {
            summary: &summary,
            report: &report,
            metadata: MetadataVisibility::Shown,
            sources: SourceListVisibility::Listed,
            written_at: now,
        };
        let markdown = rest.mcp_server.templates().render(&page)?;
        return Ok(([(header::CONTENT_TYPE, MARKDOWN_UTF8)], markdown).into_response());
    }
    let whole = clean_text(&report, SourceListVisibility::Listed);
    let from = outline::parse_cursor(input.cursor.as_deref(), &whole)?;
    let characters = input.max_chars.unwrap_or(REPORT_CHARACTERS).clamp(CHARACTERS_MIN, CHARACTERS_MAX);
    let page = outline::page(&whole, from, characters);
    let shown = ReportBody {
        id: summary.id.to_string(),
        status: summary.status.as_str(),
        query: summary.query.clone(),
        results: RunResults::of(&summary, &report, (&whole, page), SourceListVisibility::Listed, now),
    };
    Ok(Json(shown).into_response())
}

async fn evidence(
    State(rest): State<Arc<RestApi>>,
    Extension(admitted): Extension<CallerIdentity>,
    Path(id): Path<String>,
) -> Result<Json<Value>, ApiError> {
    let summary = rest.find(&admitted, &id).await?;
    let report = require_report(&rest, &summary).await?;
    Ok(Json(resources::evidence(&report)))
}

/// The report, or why there is none.
async fn require_report(rest: &RestApi, summary: &RunSummary) -> Result<Report, ApiError> {
    if let Some(report) = rest.mcp_server.backend().report(summary).await? {
        return Ok(report);
    }
    Err(match summary.why_no_report() {
        Some(problem) => ApiError::of_ended_run(problem),
        None => not_finished(summary).into(),
    })
}

/// JSON unless Markdown is asked for and JSON is not.
fn wants_markdown(headers: &HeaderMap) -> bool {
    let accepts = headers.get(header::ACCEPT).and_then(|accepts| accepts.to_str().ok()).unwrap_or_default();
    accepts.contains(MARKDOWN) && !accepts.contains("application/json")
}
