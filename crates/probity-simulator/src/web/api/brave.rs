//! Brave: `GET /res/v1/web/search`.

use serde_json::{Value, json};

use super::{RequestMeaning, SearchApiRefusal, SearchApiRequest, not_found};
use crate::{
    call::CallMethod,
    web::index::{IndexHit, IndexQuery},
};

/// $5 for a thousand searches.
const SEARCH_MICRO_USD: u64 = 5_000;
const RESULTS_MAX: usize = 20;
const QUERY_CHARACTERS_MAX: usize = 400;
const QUERY_WORDS_MAX: usize = 50;

pub(super) fn read(request: &SearchApiRequest<'_>) -> Result<RequestMeaning, SearchApiRefusal> {
    if !request.is(CallMethod::Get, "/res/v1/web/search") {
        return Err(not_found());
    }
    if request.header("x-subscription-token").is_none_or(|key| key.is_empty() || key == "invalid") {
        return Err(error("SUBSCRIPTION_TOKEN_INVALID", "The provided subscription token is invalid."));
    }
    let query = request.parameter("q").unwrap_or_default();
    let too_long =
        query.chars().count() > QUERY_CHARACTERS_MAX || query.split_whitespace().count() > QUERY_WORDS_MAX;
    let count = request.count("count", RESULTS_MAX, usize::MAX);
    if query.is_empty() || too_long || !(1..=RESULTS_MAX).contains(&count) {
        return Err(error("VALIDATION", "Unable to validate request parameter(s)"));
    }
    let (after, before) = match request.parameter("freshness").and_then(|range| range.split_once("to")) {
        Some((after, before)) => (Some(after.to_owned()), Some(before.to_owned())),
        None => (None, None),
    };
    let language =
        request.parameter("search_lang").map(|code| if code == "jp" { "ja" } else { code }.to_owned());
    let asked =
        IndexQuery { query: query.to_owned(), count, after, before, language, ..IndexQuery::default() };
    Ok(RequestMeaning::Search { asked: asked.with_operators(), charged_micro_usd: SEARCH_MICRO_USD })
}

fn error(code: &str, detail: &str) -> SearchApiRefusal {
    let error = json!({"id": "00000000", "status": 422, "code": code, "detail": detail});
    (422, json!({"type": "ErrorResponse", "error": error, "time": 1_794_657_600}))
}

pub(super) fn render_reply(asked: &IndexQuery, found: &[IndexHit<'_>]) -> Value {
    let results: Vec<Value> = found.iter().map(result).collect();
    let mut body = json!({
        "type": "search",
        "query": {"original": asked.query, "more_results_available": false},
        "mixed": {"type": "mixed", "main": [], "top": [], "side": []},
    });
    // A search without results has no `web` at all.
    if let (false, Some(body)) = (results.is_empty(), body.as_object_mut()) {
        body.insert("web".to_owned(), json!({"type": "search", "results": results, "family_friendly": true}));
    }
    body
}

fn result(found: &IndexHit<'_>) -> Value {
    let mut result = json!({
        "type": "search_result",
        "url": found.page.url,
        "title": found.page.title,
        "description": found.snippet,
        "language": found.page.language.as_deref().unwrap_or("en"),
        "family_friendly": true,
        "is_source_local": false,
        "is_source_both": false,
    });
    if let (Some(date), Some(result)) = (&found.page.published, result.as_object_mut()) {
        result.insert("page_age".to_owned(), json!(format!("{date}T00:00:00")));
        result.insert("age".to_owned(), json!(date));
    }
    result
}
