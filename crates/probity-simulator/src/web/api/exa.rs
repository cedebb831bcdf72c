//! Exa: `POST /search`; each answer says what it cost.

use serde_json::{Value, json};

use super::{RequestMeaning, SearchApiRefusal, SearchApiRequest, not_found};
use crate::{
    call::CallMethod,
    web::index::{IndexHit, IndexQuery},
};

/// $7 for a thousand searches; the deep kinds $15.
const SEARCH_MICRO_USD: u64 = 7_000;
const DEEP_MICRO_USD: u64 = 15_000;
const RESULTS_USUAL: usize = 10;
const RESULTS_MAX: usize = 100;

pub(super) fn read(request: &SearchApiRequest<'_>) -> Result<RequestMeaning, SearchApiRefusal> {
    if !request.is(CallMethod::Post, "/search") {
        return Err(not_found());
    }
    let bearer = request.header("authorization").and_then(|value| value.strip_prefix("Bearer "));
    let key = request.header("x-api-key").or(bearer).unwrap_or_default();
    if key.is_empty() || key == "invalid" {
        return Err((401, json!({"requestId": "r-1", "error": "Invalid API key", "tag": "INVALID_API_KEY"})));
    }
    let query = request.text("query").filter(|query| !query.is_empty());
    let query = query.ok_or((
        400,
        json!({"requestId": "r-1", "error": "query: Required", "tag": "INVALID_REQUEST_BODY"}),
    ))?;
    let day = |field: &str| request.text(field).map(|moment| moment.chars().take(10).collect::<String>());
    let asked = IndexQuery {
        query,
        count: request.count("numResults", RESULTS_USUAL, RESULTS_MAX),
        after: day("startPublishedDate"),
        before: day("endPublishedDate"),
        domains: request.texts("includeDomains"),
        domains_excluded: request.texts("excludeDomains"),
        language: None,
    };
    let deep = request.text("type").is_some_and(|kind| kind.starts_with("deep"));
    Ok(RequestMeaning::Search {
        asked,
        charged_micro_usd: if deep { DEEP_MICRO_USD } else { SEARCH_MICRO_USD },
    })
}

pub(super) fn render_reply(found: &[IndexHit<'_>], charged_micro_usd: u64) -> Value {
    let dollars = charged_micro_usd as f64 / 1_000_000.0;
    let results: Vec<Value> = found.iter().map(result).collect();
    json!({
        "requestId": "00000000000000000000000000000000",
        "resolvedSearchType": "neural",
        "results": results,
        "searchTime": 314.1,
        "costDollars": {"total": dollars, "search": {"neural": dollars}},
    })
}

fn result(found: &IndexHit<'_>) -> Value {
    json!({
        "id": found.page.url,
        "url": found.page.url,
        "title": found.page.title,
        "publishedDate": found.page.published.as_ref().map(|date| format!("{date}T00:00:00.000Z")),
        "author": found.page.author.clone().unwrap_or_default(),
        "score": found.score,
        "highlights": [found.snippet],
        "highlightScores": [found.score],
    })
}
