//! What there is: lists, one research, full-text search, what was spent; and cancelling.

use std::{sync::Arc, time::Duration};

use axum::{
    Extension, Json,
    extract::{Path, Query, State, rejection::QueryRejection},
    routing,
};
use probity_research::{
    list::ListFilter, principal::Principal, scope::Scope, status::Summary, stop::Partial, time::Moment,
};
use serde::Deserialize;

use super::{
    Handler, Operation, Rest,
    operation::Verb,
    problem::Refused,
    starting::wrong,
    tenant_for,
    wire::{Day, ResearchList, ResearchShown, UsageShown, status_named},
};
use crate::{desk::Until, http::Admitted, paging, wire::cents};

/// Researches in one answer.
const PAGE_MAX: usize = 100;
const PAGE: usize = 20;
/// Longest wait for a research to rest: most proxies cut a request after 60 seconds.
const WAIT_SECONDS_MAX: u64 = 50;
/// Longest words to search for.
const WORDS_BYTES_MAX: usize = 1_000;
const DAYS_MAX: u32 = 366;
const DAYS: u32 = 30;

pub(super) fn routes() -> Vec<(Operation, Handler)> {
    vec![
        (
            Operation::new(
                Verb::Get,
                "/v1/researches",
                "listResearches",
                Scope::Read,
                "Your researches, newest first",
            )
            .query("text", "string", "Part of the question")
            .query("status", "string", "Such as completed, running_async, failed")
            .query("engine", "string", "Such as gemini-api, web")
            .query("since", "string", "Asked on or after this date (YYYY-MM-DD)")
            .query("limit", "integer", "1 to 100")
            .query("cursor", "string", "From an earlier answer")
            .gives::<ResearchList>(200, "One page"),
            routing::get(list),
        ),
        (
            Operation::new(
                Verb::Get,
                "/v1/researches/{id}",
                "getResearch",
                Scope::Read,
                "How a research stands",
            )
            .query("wait_seconds", "integer", "Wait up to this long (0-50) for its end")
            .gives::<ResearchShown>(200, "As it stands now"),
            routing::get(show),
        ),
        (
            Operation::new(
                Verb::Post,
                "/v1/researches/{id}/cancel",
                "cancelResearch",
                Scope::Cancel,
                "Cancel a research here and at the provider",
            )
            .query("keep_partial", "boolean", "Keep what there is (the default)")
            .gives::<ResearchShown>(202, "The wish is stored"),
            routing::post(cancel),
        ),
        (
            Operation::new(
                Verb::Get,
                "/v1/search",
                "searchResearches",
                Scope::Read,
                "Find researches by the words of their question and report",
            )
            .query("q", "string", "Words")
            .query("limit", "integer", "1 to 100")
            .gives::<ResearchList>(200, "The best first"),
            routing::get(search),
        ),
        (
            Operation::new(Verb::Get, "/v1/usage", "getUsage", Scope::Read, "What was spent, by day")
                .query("days", "integer", "1 to 366")
                .query("tenant", "string", "For the operator")
                .gives::<UsageShown>(200, "The last days"),
            routing::get(usage),
        ),
    ]
}

/// The query string, or words about what does not fit.
pub(super) fn read<T>(query: Result<Query<T>, QueryRejection>) -> Result<T, Refused> {
    query.map(|Query(input)| input).map_err(|error| wrong(&error.body_text()))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Listed {
    text: Option<String>,
    status: Option<String>,
    engine: Option<String>,
    since: Option<String>,
    limit: Option<usize>,
    cursor: Option<String>,
}

async fn list(
    State(rest): State<Arc<Rest>>,
    Extension(admitted): Extension<Admitted>,
    query: Result<Query<Listed>, QueryRejection>,
) -> Result<Json<ResearchList>, Refused> {
    let input = read(query)?;
    let limit = input.limit.unwrap_or(PAGE).clamp(1, PAGE_MAX);
    let offset = paging::offset(input.cursor.as_deref()).ok_or_else(|| wrong("this is not a cursor"))?;
    let since = |date: &str| Moment::of_date(date).ok_or_else(|| wrong("`since` must be YYYY-MM-DD"));
    let filter = ListFilter {
        text: input.text,
        status: input.status.as_deref().map(status_named).transpose()?,
        engine: input.engine,
        asked_after: input.since.as_deref().map(since).transpose()?,
        limit: limit + 1,
        offset,
        ..ListFilter::default()
    };
    let mut found = rest.face.list_within(&admitted.reach, filter).await?;
    let next_cursor = paging::cut(&mut found, offset, limit);
    Ok(Json(shown(&found, next_cursor)))
}

fn shown(found: &[Summary], next_cursor: Option<String>) -> ResearchList {
    ResearchList { researches: found.iter().map(ResearchShown::of).collect(), next_cursor }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Shown {
    wait_seconds: Option<u64>,
}

async fn show(
    State(rest): State<Arc<Rest>>,
    Extension(admitted): Extension<Admitted>,
    Path(id): Path<String>,
    query: Result<Query<Shown>, QueryRejection>,
) -> Result<Json<ResearchShown>, Refused> {
    let wait = read(query)?.wait_seconds.unwrap_or(0).min(WAIT_SECONDS_MAX);
    let mut summary = rest.find(&admitted, &id).await?;
    if wait > 0 && !summary.status.is_final() {
        let watching = rest.face.desk().watch(summary.id, Until::Rests, Duration::from_secs(wait));
        tokio::select! {
            seen = watching => summary = seen?,
            () = rest.stop.cancelled() => {}
        }
    }
    Ok(Json(ResearchShown::of(&summary)))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Cancelled {
    keep_partial: Option<bool>,
}

async fn cancel(
    State(rest): State<Arc<Rest>>,
    Extension(admitted): Extension<Admitted>,
    Path(id): Path<String>,
    query: Result<Query<Cancelled>, QueryRejection>,
) -> Result<(axum::http::StatusCode, Json<ResearchShown>), Refused> {
    let partial = if read(query)?.keep_partial.unwrap_or(true) { Partial::Keep } else { Partial::Drop };
    let found = rest.find(&admitted, &id).await?;
    let cancelled = rest.face.desk().cancel(found.id, partial).await;
    let summary = rest.noted(&admitted, "cancel", Some(found.id), cancelled).await?;
    Ok((axum::http::StatusCode::ACCEPTED, Json(ResearchShown::of(&summary))))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Searched {
    q: String,
    limit: Option<usize>,
}

async fn search(
    State(rest): State<Arc<Rest>>,
    Extension(admitted): Extension<Admitted>,
    query: Result<Query<Searched>, QueryRejection>,
) -> Result<Json<ResearchList>, Refused> {
    let input = read(query)?;
    let words = input.q.trim();
    if words.is_empty() || words.len() > WORDS_BYTES_MAX {
        return Err(wrong(&format!("`q` must have 1 to {WORDS_BYTES_MAX} bytes")));
    }
    let limit = input.limit.unwrap_or(PAGE).clamp(1, PAGE_MAX);
    let mut found = rest.fleet.search(&admitted.reach, words, limit).await?;
    // Whatever the index gives: nothing out of reach leaves this house.
    found.retain(|summary| admitted.reach.covers(summary.asked_by.as_ref()));
    Ok(Json(shown(&found, None)))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Used {
    days: Option<u32>,
    tenant: Option<String>,
}

async fn usage(
    State(rest): State<Arc<Rest>>,
    Extension(admitted): Extension<Admitted>,
    query: Result<Query<Used>, QueryRejection>,
) -> Result<Json<UsageShown>, Refused> {
    let input = read(query)?;
    let days = input.days.unwrap_or(DAYS).clamp(1, DAYS_MAX);
    let tenant = match (admitted.reach.principal(), &input.tenant) {
        // The operator's own.
        (None, None) => None,
        (_, named) => Some(tenant_for(&admitted, named.as_deref())?),
    };
    let used = rest.fleet.usage(tenant.as_ref(), days).await?;
    let day = |used: crate::desk::fleet::DayUsage| Day {
        day: used.day,
        researches: used.researches,
        spent_usd: cents(used.spent.as_usd()),
    };
    Ok(Json(UsageShown {
        tenant: tenant.as_ref().map(Principal::as_str).map(str::to_owned),
        days: used.into_iter().map(day).collect(),
    }))
}
