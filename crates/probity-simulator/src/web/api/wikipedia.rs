//! MediaWiki's Action API: pages from a search, with their addresses and the beginning of their text.

use serde_json::{Value, json};

use super::{RequestMeaning, SearchApiRefusal, SearchApiRequest, after_first_segment, free, not_found};
use crate::{
    call::CallMethod,
    web::index::{IndexHit, IndexQuery},
};

const RESULTS_USUAL: usize = 10;
const RESULTS_MAX: usize = 50;

pub(super) fn read(request: &SearchApiRequest<'_>) -> Result<RequestMeaning, SearchApiRefusal> {
    let place = after_first_segment(request.path).filter(|(_, rest)| *rest == "/w/api.php");
    let (Some((language, _)), CallMethod::Get) = (place, request.call.method) else {
        return Err(not_found());
    };
    // Without a name and a contact Wikimedia refuses.
    if request.header("user-agent").is_none_or(str::is_empty) {
        return Err((403, json!({"error": {"code": "useragent", "info": "Please set a user-agent"}})));
    }
    let Some(query) = request.parameter("gsrsearch") else {
        // The API answers its errors with 200; this one is a client that asks something else.
        return Err((400, json!({"error": {"code": "missingparam", "info": "gsrsearch is missing"}})));
    };
    free(IndexQuery {
        query: query.to_owned(),
        count: request.count("gsrlimit", RESULTS_USUAL, RESULTS_MAX),
        language: Some(language.to_owned()),
        ..IndexQuery::default()
    })
}

pub(super) fn render_reply(found: &[IndexHit<'_>]) -> Value {
    if found.is_empty() {
        return json!({"batchcomplete": true});
    }
    // By number, not by rank: the rank is in `index`.
    let mut pages: Vec<(usize, Value)> =
        found.iter().enumerate().map(|(rank, found)| (found.place, page(rank, found))).collect();
    pages.sort_by_key(|(number, _)| *number);
    let pages: Vec<Value> = pages.into_iter().map(|(_, page)| page).collect();
    json!({"batchcomplete": true, "query": {"pages": pages}})
}

fn page(rank: usize, found: &IndexHit<'_>) -> Value {
    json!({
        "pageid": found.place + 1,
        "ns": 0,
        "title": found.page.title,
        "index": rank + 1,
        "contentmodel": "wikitext",
        "pagelanguage": found.page.language.as_deref().unwrap_or("en"),
        "touched": "2026-11-01T00:00:00Z",
        "fullurl": found.page.url,
        "editurl": format!("{}?action=edit", found.page.url),
        "canonicalurl": found.page.url,
        "extract": found.snippet,
    })
}
