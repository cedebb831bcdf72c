//! SearXNG: `GET /search?format=json`.

use serde_json::{Value, json};

use super::{EngineHealth, RequestMeaning, SearchApiRefusal, SearchApiRequest, free, not_found};
use crate::{
    call::CallMethod,
    web::index::{IndexHit, IndexQuery},
};

const RESULTS_MAX: usize = 40;

pub(super) fn read(request: &SearchApiRequest<'_>) -> Result<RequestMeaning, SearchApiRefusal> {
    if !request.is(CallMethod::Get, "/search") {
        return Err(not_found());
    }
    // A format that the settings do not list is refused with an empty body.
    if request.parameter("format") != Some("json") {
        return Err((403, json!({})));
    }
    let Some(query) = request.parameter("q") else { return Err((400, json!({"error": "No query"}))) };
    let language = request.parameter("language").filter(|code| *code != "all").map(str::to_owned);
    let asked = IndexQuery { query: query.to_owned(), count: RESULTS_MAX, language, ..IndexQuery::default() };
    free(asked.with_operators())
}

pub(super) fn render_reply(asked: &IndexQuery, found: &[IndexHit<'_>], engines: EngineHealth) -> Value {
    let results: Vec<Value> = found.iter().enumerate().map(|(place, found)| result(place, found)).collect();
    let unresponsive = match engines {
        EngineHealth::Well => json!([]),
        EngineHealth::SomeFailed => json!([["second engine", "timeout"]]),
        EngineHealth::AllFailed => {
            json!([["small web", "Suspended: too many requests"], ["second engine", "timeout"]])
        }
    };
    json!({
        "query": asked.query,
        "number_of_results": results.len(),
        "results": results,
        "answers": [],
        "corrections": [],
        "infoboxes": [],
        "suggestions": [],
        "unresponsive_engines": unresponsive,
    })
}

fn result(place: usize, found: &IndexHit<'_>) -> Value {
    json!({
        "url": found.page.url,
        "title": found.page.title,
        "content": found.snippet,
        "publishedDate": found.page.published.as_ref().map(|date| format!("{date}T00:00:00")),
        "engine": "small web",
        "engines": ["small web"],
        "positions": [place + 1],
        "score": found.score,
        "category": "general",
        "template": "default.html",
        "thumbnail": "",
    })
}
