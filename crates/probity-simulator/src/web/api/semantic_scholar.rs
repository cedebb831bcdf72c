//! Semantic Scholar: `GET /graph/v1/paper/search`.

use serde_json::{Value, json};

use super::{RequestMeaning, SearchApiRefusal, SearchApiRequest, free, not_found};
use crate::{
    call::CallMethod,
    web::index::{IndexHit, IndexQuery},
};

const RESULTS_USUAL: usize = 100;
const RESULTS_MAX: usize = 100;

pub(super) fn read(request: &SearchApiRequest<'_>) -> Result<RequestMeaning, SearchApiRefusal> {
    if !request.is(CallMethod::Get, "/graph/v1/paper/search") {
        return Err(not_found());
    }
    let dates = request.parameter("publicationDateOrYear").and_then(|range| range.split_once(':'));
    let some = |date: &str| (!date.is_empty()).then(|| date.to_owned());
    free(IndexQuery {
        query: request.parameter("query").unwrap_or_default().to_owned(),
        count: request.count("limit", RESULTS_USUAL, RESULTS_MAX),
        after: dates.and_then(|(after, _)| some(after)),
        before: dates.and_then(|(_, before)| some(before)),
        ..IndexQuery::default()
    })
}

pub(super) fn render_reply(found: &[IndexHit<'_>]) -> Value {
    // Without a result there is no `data`.
    if found.is_empty() {
        return json!({"total": 0, "offset": 0});
    }
    let data: Vec<Value> = found.iter().map(paper).collect();
    json!({"total": data.len(), "offset": 0, "data": data})
}

fn paper(found: &IndexHit<'_>) -> Value {
    let year = found
        .page
        .published
        .as_deref()
        .and_then(|date| date.get(..4))
        .and_then(|year| year.parse::<u32>().ok());
    json!({
        "paperId": format!("{:040x}", found.place + 1),
        "url": found.page.url,
        "title": found.page.title,
        "abstract": found.snippet,
        "year": year,
        "publicationDate": found.page.published,
    })
}
