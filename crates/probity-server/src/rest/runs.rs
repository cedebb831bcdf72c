//! Lists, one run, full-text search, usage; and cancelling.

use std::{sync::Arc, time::Duration};

use axum::{
    Extension, Json,
    extract::{Path, Query, State, rejection::QueryRejection},
    routing,
};
use probity_research::{
    list::ListFilter, principal::Principal, scope::KeyScope, status::RunSummary, stop::PartialResults,
    time::Moment,
};
use serde::Deserialize;

use super::{
    ApiOperation, RestApi, RouteHandler,
    operation::HttpVerb,
    problem::ApiError,
    starts::invalid_arguments,
    tenant_for,
    wire::{DayUsageBody, RunBody, RunListBody, UsageBody, status_named},
};
use crate::{backend::WatchCondition, http::CallerIdentity, paging, wire::cents};

/// Runs in one answer.
const PAGE_MAX: usize = 100;
const PAGE: usize = 20;
/// Longest wait for a run to be at rest: most proxies cut a request after 60 seconds.
const WAIT_SECONDS_MAX: u64 = 50;
/// Longest search text.
const WORDS_BYTES_MAX: usize = 1_000;
const DAYS_MAX: u32 = 366;
const DAYS: u32 = 30;

pub(super) fn routes() -> Vec<(ApiOperation, RouteHandler)> {
    vec![
        (
            ApiOperation::new(
                HttpVerb::Get,
                "/v1/researches",
                "listResearches",
                KeyScope::Read,
                "Your researches, newest change first",
            )
            .query("text", "string", "Part of the question")
            .query("status", "string", "Such as completed, running_async, failed")
            .query("engine", "string", "Such as gemini-api, web")
            .query("since", "string", "Asked on or after this date (YYYY-MM-DD)")
            .query("limit", "integer", "1 to 100")
            .query("cursor", "string", "From an earlier answer")
            .gives::<RunListBody>(200, "One page"),
            routing::get(list),
        ),
        (
            ApiOperation::new(
                HttpVerb::Get,
                "/v1/researches/{id}",
                "getResearch",
                KeyScope::Read,
                "How a research stands",
            )
            .query("wait_seconds", "integer", "Wait up to this long (0-50) for its end")
            .gives::<RunBody>(200, "As it stands now"),
            routing::get(show),
        ),
        (
            ApiOperation::new(
                HttpVerb::Post,
                "/v1/researches/{id}/cancel",
                "cancelResearch",
                KeyScope::Cancel,
                "Cancel a research here and at the provider",
            )
            .query("keep_partial", "boolean", "Keep what there is (the default)")
            .gives::<RunBody>(202, "The wish is stored"),
            routing::post(cancel),
        ),
        (
            ApiOperation::new(
                HttpVerb::Get,
                "/v1/search",
                "searchResearches",
                KeyScope::Read,
                "Find researches by the words of their question and report",
            )
            .query("q", "string", "Words")
            .query("limit", "integer", "1 to 100")
            .gives::<RunListBody>(200, "The best first"),
            routing::get(search),
        ),
        (
            ApiOperation::new(
                HttpVerb::Get,
                "/v1/usage",
                "getUsage",
                KeyScope::Read,
                "What was spent, by day",
            )
            .query("days", "integer", "1 to 366")
            .query("tenant", "string", "For the operator")
            .gives::<UsageBody>(200, "The last days"),
            routing::get(usage),
        ),
    ]
}

/// The query string, or an error that says what does not fit.
pub(super) fn parse_query<T>(query: Result<Query<T>, QueryRejection>) -> Result<T, ApiError> {
    query.map(|Query(input)| input).map_err(|error| invalid_arguments(&error.body_text()))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ListRunsParams {
    text: Option<String>,
    status: Option<String>,
    engine: Option<String>,
    since: Option<String>,
    limit: Option<usize>,
    cursor: Option<String>,
}

async fn list(
    State(rest): State<Arc<RestApi>>,
    Extension(admitted): Extension<CallerIdentity>,
    query: Result<Query<ListRunsParams>, QueryRejection>,
) -> Result<Json<RunListBody>, ApiError> {
    let input = parse_query(query)?;
    let limit = input.limit.unwrap_or(PAGE).clamp(1, PAGE_MAX);
    let offset =
        paging::offset(input.cursor.as_deref()).ok_or_else(|| invalid_arguments("this is not a cursor"))?;
    let since =
        |date: &str| Moment::of_date(date).ok_or_else(|| invalid_arguments("`since` must be YYYY-MM-DD"));
    let filter = ListFilter {
        text: input.text,
        status: input.status.as_deref().map(status_named).transpose()?,
        engine: input.engine,
        asked_after: input.since.as_deref().map(since).transpose()?,
        limit: limit + 1,
        offset,
        ..ListFilter::default()
    };
    let mut found = rest.mcp_server.list_within(&admitted.reach, filter).await?;
    let next_cursor = paging::cut_to_page(&mut found, offset, limit);
    Ok(Json(run_list(&found, next_cursor)))
}

fn run_list(found: &[RunSummary], next_cursor: Option<String>) -> RunListBody {
    RunListBody { researches: found.iter().map(RunBody::of).collect(), next_cursor }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ShowRunParams {
    wait_seconds: Option<u64>,
}

async fn show(
    State(rest): State<Arc<RestApi>>,
    Extension(admitted): Extension<CallerIdentity>,
    Path(id): Path<String>,
    query: Result<Query<ShowRunParams>, QueryRejection>,
) -> Result<Json<RunBody>, ApiError> {
    let wait = parse_query(query)?.wait_seconds.unwrap_or(0).min(WAIT_SECONDS_MAX);
    let mut summary = rest.find(&admitted, &id).await?;
    if wait > 0 && !summary.status.is_final() {
        let watching =
            rest.mcp_server.backend().watch(summary.id, WatchCondition::Rests, Duration::from_secs(wait));
        tokio::select! {
            seen = watching => summary = seen?,
            () = rest.stop.cancelled() => {}
        }
    }
    Ok(Json(RunBody::of(&summary)))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CancelRunParams {
    keep_partial: Option<bool>,
}

async fn cancel(
    State(rest): State<Arc<RestApi>>,
    Extension(admitted): Extension<CallerIdentity>,
    Path(id): Path<String>,
    query: Result<Query<CancelRunParams>, QueryRejection>,
) -> Result<(axum::http::StatusCode, Json<RunBody>), ApiError> {
    let partial = if parse_query(query)?.keep_partial.unwrap_or(true) {
        PartialResults::Keep
    } else {
        PartialResults::Drop
    };
    let found = rest.find(&admitted, &id).await?;
    let cancelled = rest.mcp_server.backend().cancel(found.id, partial).await;
    let summary = rest.audit_outcome(&admitted, "cancel", Some(found.id), cancelled).await?;
    Ok((axum::http::StatusCode::ACCEPTED, Json(RunBody::of(&summary))))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SearchRunsParams {
    q: String,
    limit: Option<usize>,
}

async fn search(
    State(rest): State<Arc<RestApi>>,
    Extension(admitted): Extension<CallerIdentity>,
    query: Result<Query<SearchRunsParams>, QueryRejection>,
) -> Result<Json<RunListBody>, ApiError> {
    let input = parse_query(query)?;
    let words = input.q.trim();
    if words.is_empty() || words.len() > WORDS_BYTES_MAX {
        return Err(invalid_arguments(&format!("`q` must have 1 to {WORDS_BYTES_MAX} bytes")));
    }
    let limit = input.limit.unwrap_or(PAGE).clamp(1, PAGE_MAX);
    let mut found = rest.fleet.search(&admitted.reach, words, limit).await?;
    // Whatever the index returns: no run outside the caller's access is sent.
    found.retain(|summary| admitted.reach.covers(summary.asked_by.as_ref()));
    Ok(Json(run_list(&found, None)))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct UsageParams {
    days: Option<u32>,
    tenant: Option<String>,
}

async fn usage(
    State(rest): State<Arc<RestApi>>,
    Extension(admitted): Extension<CallerIdentity>,
    query: Result<Query<UsageParams>, QueryRejection>,
) -> Result<Json<UsageBody>, ApiError> {
    let input = parse_query(query)?;
    let days = input.days.unwrap_or(DAYS).clamp(1, DAYS_MAX);
    let tenant = match (admitted.reach.principal(), &input.tenant) {
        // The operator's own.
        (None, None) => None,
        (_, named) => Some(tenant_for(&admitted, named.as_deref())?),
    };
    let used = rest.fleet.usage(tenant.as_ref(), days).await?;
    let day = |used: crate::backend::admin::DayUsage| DayUsageBody {
        day: used.day,
        researches: used.researches,
        spent_usd: cents(used.spent.as_usd()),
    };
    Ok(Json(UsageBody {
        tenant: tenant.as_ref().map(Principal::as_str).map(str::to_owned),
        days: used.into_iter().map(day).collect(),
    }))
}
