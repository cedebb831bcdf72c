//! Tavily: `POST /search` with a key, or with the header that asks for keyless access.

use serde_json::{Value, json};

use super::{Provider, RequestMeaning, SearchApiRefusal, SearchApiRequest, not_found};
use crate::{
    call::{CallMethod, SimulatorCall},
    web::index::{IndexHit, IndexQuery},
};

/// Pay as you go: $0.008 a credit.
const CREDIT_MICRO_USD: u64 = 8_000;
const RESULTS_USUAL: usize = 5;
const RESULTS_MAX: usize = 20;

/// Both kinds of access share an address; a header tells them apart.
pub(super) fn access(provider: Provider, call: &SimulatorCall) -> Provider {
    match provider {
        Provider::Tavily | Provider::TavilyKeyless => {
            let keyless = call.header("x-tavily-access-mode") == Some("keyless");
            if keyless { Provider::TavilyKeyless } else { Provider::Tavily }
        }
        other => other,
    }
}

pub(super) fn read(request: &SearchApiRequest<'_>) -> Result<RequestMeaning, SearchApiRefusal> {
    let key = request.header("authorization").and_then(|value| value.strip_prefix("Bearer "));
    if key.is_none_or(|key| key.is_empty() || key == "invalid") {
        return Err((401, json!({"detail": {"error": "Unauthorized: missing or invalid API key."}})));
    }
    let asked = asked(request)?;
    Ok(RequestMeaning::Search { asked, charged_micro_usd: credits(request) * CREDIT_MICRO_USD })
}

pub(super) fn read_keyless(request: &SearchApiRequest<'_>) -> Result<RequestMeaning, SearchApiRefusal> {
    super::free(asked(request)?)
}

fn credits(request: &SearchApiRequest<'_>) -> u64 {
    if request.text("search_depth").as_deref() == Some("advanced") { 2 } else { 1 }
}

fn asked(request: &SearchApiRequest<'_>) -> Result<IndexQuery, SearchApiRefusal> {
    if !request.is(CallMethod::Post, "/search") {
        return Err(not_found());
    }
    let bad = |words: &str| (400, json!({"detail": {"error": words}}));
    let query =
        request.text("query").filter(|query| !query.is_empty()).ok_or_else(|| bad("Query is missing."))?;
    if query.chars().count() > 400 {
        return Err(bad("Query is too long. Max query length is 400 characters."));
    }
    Ok(IndexQuery {
        query,
        count: request.count("max_results", RESULTS_USUAL, RESULTS_MAX),
        after: request.text("start_date"),
        before: request.text("end_date"),
        domains: request.texts("include_domains"),
        domains_excluded: request.texts("exclude_domains"),
        language: request
            .text("language")
            .filter(|_| request.json.get("filter_by_language").and_then(Value::as_bool).unwrap_or_default()),
    })
}

pub(super) fn render_reply(asked: &IndexQuery, found: &[IndexHit<'_>], charged_micro_usd: u64) -> Value {
    let results: Vec<Value> = found.iter().map(result).collect();
    let mut body = json!({
        "query": asked.query,
        "follow_up_questions": null,
        "answer": null,
        "images": [],
        "results": results,
        "response_time": 0.42,
        "request_id": "00000000-0000-4000-8000-000000000000",
    });
    // Keyless access costs nothing and counts nothing.
    if let (1.., Some(body)) = (charged_micro_usd, body.as_object_mut()) {
        body.insert("usage".to_owned(), json!({"credits": charged_micro_usd / CREDIT_MICRO_USD}));
    }
    body
}

fn result(found: &IndexHit<'_>) -> Value {
    let mut result = json!({
        "url": found.page.url, "title": found.page.title, "content": found.snippet, "score": found.score,
        "raw_content": null,
    });
    if let (Some(date), Some(result)) = (&found.page.published, result.as_object_mut()) {
        result.insert("published_date".to_owned(), json!(format!("{date}T00:00:00Z")));
    }
    result
}
