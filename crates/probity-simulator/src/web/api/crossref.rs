//! Crossref: `GET /works`.

use serde_json::{Value, json};

use super::{RequestMeaning, SearchApiRefusal, SearchApiRequest, free, not_found};
use crate::{
    call::CallMethod,
    web::index::{IndexHit, IndexQuery},
};

const RESULTS_USUAL: usize = 20;
const RESULTS_MAX: usize = 1_000;

pub(super) fn read(request: &SearchApiRequest<'_>) -> Result<RequestMeaning, SearchApiRefusal> {
    if !request.is(CallMethod::Get, "/works") {
        return Err(not_found());
    }
    let query = request.parameter("query").unwrap_or_default().to_owned();
    let mut asked = IndexQuery {
        query,
        count: request.count("rows", RESULTS_USUAL, RESULTS_MAX),
        ..IndexQuery::default()
    };
    for part in request.parameter("filter").unwrap_or_default().split(',') {
        match part.split_once(':') {
            Some(("from-pub-date", date)) => asked.after = Some(date.to_owned()),
            Some(("until-pub-date", date)) => asked.before = Some(date.to_owned()),
            _ => {}
        }
    }
    free(asked)
}

pub(super) fn render_reply(found: &[IndexHit<'_>]) -> Value {
    let items: Vec<Value> = found.iter().map(item).collect();
    json!({
        "status": "ok",
        "message-type": "work-list",
        "message-version": "1.0.0",
        "message": {"facets": {}, "total-results": items.len(), "items": items, "items-per-page": 20},
    })
}

fn item(found: &IndexHit<'_>) -> Value {
    let parts: Option<Vec<u32>> = found
        .page
        .published
        .as_deref()
        .map(|date| date.split('-').filter_map(|part| part.parse().ok()).collect());
    let mut item = json!({
        "DOI": format!("10.5555/{}", found.place + 1),
        "URL": found.page.url,
        "title": [found.page.title],
        "abstract": format!("<jats:title>Abstract</jats:title><jats:p>{}</jats:p>", super::super::page::escape(&found.snippet)),
    });
    if let (Some(parts), Some(item)) = (parts, item.as_object_mut()) {
        item.insert("published".to_owned(), json!({"date-parts": [parts]}));
    }
    item
}
