//! Semantic Scholar: `GET /graph/v1/paper/search`.

use serde_json::{Value, json};

use super::{Meaning, Refusal, Request, free, not_here};
use crate::{
    call::Method,
    web::index::{Asked, Found},
};

const RESULTS_USUAL: usize = 100;
const RESULTS_MAX: usize = 100;

pub(super) fn read(request: &Request<'_>) -> Result<Meaning, Refusal> {
    if !request.is(Method::Get, "/graph/v1/paper/search") {
        return Err(not_here());
    }
    let dates = request.parameter("publicationDateOrYear").and_then(|range| range.split_once(':'));
    let some = |date: &str| (!date.is_empty()).then(|| date.to_owned());
    free(Asked {
        query: request.parameter("query").unwrap_or_default().to_owned(),
        count: request.count("limit", RESULTS_USUAL, RESULTS_MAX),
        after: dates.and_then(|(after, _)| some(after)),
        before: dates.and_then(|(_, before)| some(before)),
        ..Asked::default()
    })
}

pub(super) fn tell(found: &[Found<'_>]) -> Value {
    // Without a result there is no `data`.
    if found.is_empty() {
        return json!({"total": 0, "offset": 0});
    }
    let data: Vec<Value> = found.iter().map(paper).collect();
    json!({"total": data.len(), "offset": 0, "data": data})
}

fn paper(found: &Found<'_>) -> Value {
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
